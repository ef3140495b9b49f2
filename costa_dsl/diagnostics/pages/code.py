"""What a page says about a code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding.

    Attributes:
        title: the finding in a few words.
        explanation: why it is one, and what to do; paragraphs are parted by an empty line.
        bad, good: a whole file that gives the finding, and the same without it; empty for a finding that is
            not about the text of a file.
    """

    title: str
    explanation: str
    bad: str = ""
    good: str = ""
