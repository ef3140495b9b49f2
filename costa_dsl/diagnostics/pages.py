"""The page of each code: docs/codes/COSnnnn.md, which `costa explain` prints and the tests execute.

Ranges: 0 syntax, 1 schema, 2 catalog, 3 plan, 4 lowering, 5 graph, 6 run time, 7 planner, 8 environment,
9 plug-ins. A page's wrong example gives its code, and its right example does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from costa_dsl.resources import data_folder

_CODE = re.compile(r"COS\d{4}")
_TITLE = re.compile(r"# (COS\d{4}): (.+)")
_EXAMPLE = re.compile(r"## (Wrong|Right)\n\n```yaml\n(.*?)\n```\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Page:
    """What is said about one kind of finding.

    Attributes:
        title: the finding in a few words.
        severity: `error`, `warning` or `hint`, when no configuration says otherwise.
        fix: `safe` when `costa validate --fix` mends it, `unsafe` when `--fix=all` does, else empty. A finding may
            still have no fix where the text does not tell what was meant.
        explanation: why it is a finding, and what to do; paragraphs are parted by an empty line.
        bad, good: a whole file that gives the finding, and the same without it; empty for a finding that is not
            about the text of a file.
    """

    code: str
    title: str
    severity: str
    fix: str
    explanation: str
    bad: str = ""
    good: str = ""


@cache
def codes() -> tuple[str, ...]:
    """Every code that costa reports, sorted."""
    return tuple(sorted(path.stem for path in data_folder("codes").glob("COS*.md")))


@cache
def page_of(code: str) -> Page:
    """The page of a code.

    Raises:
        KeyError: there is no such code.
    """
    path = data_folder("codes") / f"{code}.md"
    if not _CODE.fullmatch(code) or not path.is_file():
        raise KeyError(code)
    return read_page(path.read_text(encoding="utf-8"))


class Pages(Mapping[str, Page]):
    """All pages, each read when somebody asks for it."""

    def __getitem__(self, code: str) -> Page:
        return page_of(code)

    def __iter__(self) -> Iterator[str]:
        return iter(codes())

    def __len__(self) -> int:
        return len(codes())


def read_page(text: str) -> Page:
    """A page from its Markdown.

    Raises:
        ValueError: it does not have the form of a page.
    """
    head, *rest = text.split("\n\n")
    title = _TITLE.fullmatch(head)
    if title is None or not rest:
        raise ValueError(f"a page begins with `# COSnnnn: title`, not with {head!r}")
    severity, _, fix = rest[0].strip("*").partition(" · ")
    examples = {match[1]: match[2] + "\n" for match in _EXAMPLE.finditer(text)}
    body = "\n\n".join(rest[1:]).split("\n## Wrong")[0]
    return Page(
        code=title[1],
        title=title[2],
        severity=severity,
        fix=fix.removesuffix(" fix"),
        explanation=body.strip(),
        bad=examples.get("Wrong", ""),
        good=examples.get("Right", ""),
    )
