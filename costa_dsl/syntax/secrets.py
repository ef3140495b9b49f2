"""Keys of services that somebody pasted into a file: found before anything prints them.

The forms are those that the services publish for their keys, so that scanners can find them.
"""

from __future__ import annotations

import re

from costa_dsl.diagnostics import Diagnostic, SourceSpan, SourceText

# What every one of them begins with: where none of these stands, the pattern need not be compiled.
_BEGINNINGS = (
    "sk-",
    "hf_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AIza",
    "AKIA",
    "ASIA",
    "r8_",
    "xox",
    "eyJ",
)
_SECRET = (
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic, Stability
    r"|hf_[A-Za-z0-9]{30,}"  # Hugging Face
    r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|AIza[A-Za-z0-9_-]{35}"  # Google
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"  # AWS
    r"|r8_[A-Za-z0-9]{30,}"  # Replicate
    r"|xox[abprs]-[A-Za-z0-9-]{20,}"  # Slack
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # a JSON Web Token
    r")(?![A-Za-z0-9_-])"
)
_DOT = "•"


def hide_secrets(source: SourceText) -> tuple[SourceText, list[Diagnostic]]:
    """The text with every secret's value made of dots, of the same length, and a finding for each.

    Whatever is said about the text later can then hold no secret: neither a source line nor a message.
    """
    if not any(beginning in source.text for beginning in _BEGINNINGS):
        return source, []
    matches = [match for match in re.finditer(_SECRET, source.text) if _is_random(match[0])]
    if not matches:
        return source, []
    text = source.text
    for match in reversed(matches):
        text = text[: match.start()] + _DOT * len(match[0]) + text[match.end() :]
    hidden = SourceText(source.name, text)
    found = [
        Diagnostic(
            "COS0029",
            "this looks like a secret's value",
            SourceSpan(hidden, match.start(), match.end()),
            label="not shown",
            help="take it out, make the key invalid at its service, and name an environment variable instead",
        )
        for match in matches
    ]
    return hidden, found


def _is_random(text: str) -> bool:
    """Whether it looks drawn by lot, as keys are: `sk-learn-based-removal` is a name."""
    return not text.startswith("sk-") or any(char.isdigit() for char in text)
