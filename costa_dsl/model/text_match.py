"""Which part of the read lines is meant by the words of a step: one answer for tools and checks alike.

Words are compared without regard to case, width forms (Unicode NFKC) and kind of white space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from costa_dsl.model.artifact import Point, TextLine

# Kinds of text that a plan may name. They look for the shape of a thing, not for its validity.
KIND_PATTERNS = {
    "email": r"[\w.+-]+\s?@\s?[\w-]+(?:\.[\w-]+)+",
    "phone": r"(?<!\w)\+?\(?\d[\d\s()./-]{5,}\d(?!\w)",
    "price": r"[$€£¥]\s?\d+(?:[ .,]\d{3})*(?:[.,]\d{1,2})?"
    r"|\d+(?:[ .,]\d{3})*(?:[.,]\d{1,2})?\s?(?:[$€£¥]|(?:USD|EUR|GBP|CHF)\b)",
    # Capitals only: B-MW 1234, ZH 123456, AB12 CDE, 12-ABC-3.
    "plate": r"\b(?-i:[A-Z]{1,3}[ -][A-Z]{1,2} ?\d{1,4}|[A-Z]{2}\d{2} ?[A-Z]{3}"
    r"|[A-Z]{1,3}[ -]?\d{2,6}|\d{1,4}-?[A-Z]{1,3}-?\d{1,4})\b",
    "date": r"\b(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2}"
    r"|\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{4}"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2},? \d{4})\b",
}


class TextNotFoundError(LookupError):
    """The words do not stand in the picture; `help` says what was read and what comes nearest."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help


@dataclass(frozen=True, slots=True)
class _Letter:
    """One compared character: where it comes from, and whether a word may begin or end beside it."""

    char: str
    line: int
    index: int
    starts_word: bool
    ends_word: bool


def normalized(text: str) -> str:
    """`text` as it is compared: NFKC, case-folded, runs of white space as one space, trimmed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def match_lines(lines: Sequence[TextLine], text: str) -> tuple[TextLine, ...]:
    """Every occurrence of `text`, as the matching part of each line it stands on, in reading order.

    Only whole words match. An occurrence may be a part of a line or run on over following lines; then
    it gives one part per line. Missing or extra spaces in what was read do not matter.

    Raises:
        TextNotFoundError: the words are not there.
    """
    wanted = normalized(text).replace(" ", "")
    letters = list(_letters(lines))
    joined = "".join(letter.char for letter in letters)
    parts: list[TextLine] = []
    start = joined.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        if letters[start].starts_word and letters[end - 1].ends_word:
            parts.extend(_parts(lines, letters[start:end]))
            start = joined.find(wanted, end)
        else:
            start = joined.find(wanted, start + 1)
    if not parts:
        raise _not_found(lines, text)
    return tuple(parts)


def match_pattern(lines: Sequence[TextLine], pattern: str) -> tuple[TextLine, ...]:
    """Every part of a line that matches a regular expression (Python's, case-insensitive).

    Raises:
        TextNotFoundError: nothing matches.
        re.error: the pattern is not a regular expression.
    """
    expression = re.compile(pattern, re.IGNORECASE)
    parts = tuple(
        part_of_line(line, found.start(), found.end())
        for line in lines
        for found in expression.finditer(line.text)
        if found.end() > found.start()
    )
    if not parts:
        raise TextNotFoundError(f"no text matches {pattern!r}", _read_lines(lines))
    return parts


def match_kind(lines: Sequence[TextLine], kind: str) -> tuple[TextLine, ...]:
    """Every part of a line that looks like an `email`, `phone`, `price`, `plate` or `date`.

    Raises:
        TextNotFoundError: nothing looks like it.
    """
    try:
        return match_pattern(lines, KIND_PATTERNS[kind])
    except TextNotFoundError as error:
        raise TextNotFoundError(
            f"no text looks like {'an' if kind[0] in 'aeiou' else 'a'} {kind}", error.help
        ) from None


def part_of_line(line: TextLine, start: int, end: int) -> TextLine:
    """The characters `start` … `end` - 1 of a line, its quadrilateral cut at their edges.

    The edges are those that were measured when the line was read; for a line without them they are
    estimated from usual widths of characters.
    """
    if start <= 0 and end >= len(line.text):
        return line
    edges = line.edges if len(line.edges) == len(line.text) + 1 else estimated_edges(line.text)
    left, right = edges[max(0, start)], edges[min(end, len(line.text))]
    top_left, top_right, bottom_right, bottom_left = line.corners
    span = max(right - left, 1e-9)
    return TextLine(
        (
            _between(top_left, top_right, left),
            _between(top_left, top_right, right),
            _between(bottom_left, bottom_right, right),
            _between(bottom_left, bottom_right, left),
        ),
        line.text[start:end],
        line.score,
        tuple((edge - left) / span for edge in edges[start : end + 1]),
    )


def estimated_edges(text: str) -> tuple[float, ...]:
    """Where characters would end in a typical sans serif face: len(text) + 1 rising fractions in [0, 1]."""
    widths = [_usual_width(char) for char in text]
    total = sum(widths) or 1.0
    edges = [0.0]
    for width in widths:
        edges.append(edges[-1] + width / total)
    return (*edges[:-1], 1.0) if text else (0.0,)


def _usual_width(char: str) -> float:
    """The advance of a character in em, by its shape; rough on purpose."""
    if char.isspace():
        return 0.26
    if char in "iljI|!.,:;'`":
        return 0.28
    if char in 'frt()[]{}-/\\"':
        return 0.38
    if char in "mwMW@%&—":
        return 0.88
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.65 if char.isupper() else 0.56


def _letters(lines: Sequence[TextLine]) -> Iterator[_Letter]:
    """The compared characters of all lines without white space; one source character may give several."""
    for number, line in enumerate(lines):
        text = line.text
        for index, char in enumerate(text):
            folded = unicodedata.normalize("NFKC", char).casefold()
            before = text[index - 1] if index else " "
            after = text[index + 1] if index + 1 < len(text) else " "
            starts = not (char.isalnum() and before.isalnum())
            ends = not (char.isalnum() and after.isalnum())
            last = len(folded) - 1
            for place, part in enumerate(folded):
                if not part.isspace():
                    yield _Letter(part, number, index, starts and place == 0, ends and place == last)


def _parts(lines: Sequence[TextLine], letters: Sequence[_Letter]) -> Iterator[TextLine]:
    for number in sorted({letter.line for letter in letters}):
        places = [letter.index for letter in letters if letter.line == number]
        yield part_of_line(lines[number], places[0], places[-1] + 1)


def _between(start: Point, end: Point, share: float) -> Point:
    return (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)


def _not_found(lines: Sequence[TextLine], text: str) -> TextNotFoundError:
    read = [line.text for line in lines if line.text]
    wanted = normalized(text)
    # Imported here: only words that were not found need it.
    from difflib import SequenceMatcher

    best = max(read, key=lambda other: SequenceMatcher(None, wanted, normalized(other)).ratio(), default=None)
    advice = _read_lines(lines)
    if best is not None and SequenceMatcher(None, wanted, normalized(best)).ratio() >= 0.5:
        advice = f'did you mean "{best}"? {advice}'
    return TextNotFoundError(f'the text "{text}" does not stand in the picture', advice)


def _read_lines(lines: Iterable[TextLine], limit: int = 12) -> str:
    read = [f'"{line.text}"' for line in lines if line.text]
    if not read:
        return "No text was read in the picture."
    more = f" and {len(read) - limit} more lines" if len(read) > limit else ""
    return f"Read: {', '.join(read[:limit])}{more}."
