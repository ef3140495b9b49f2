"""`costa explain`: what a code means, with a bad and a good example."""

from __future__ import annotations

import json
import sys
import textwrap

import click

from costa_dsl.cli.options import format_option
from costa_dsl.diagnostics import CostaError, Diagnostic, closest
from costa_dsl.diagnostics.pages import Page, Pages

NOTHING_MATCHED = 3


@click.command("explain")
@click.argument("code", metavar="CODE")
@format_option()
def explain_command(code: str, output_format: str) -> None:
    """Explain the code of a finding.

    \b
    Examples:
      costa explain COS1012
      costa explain 1012
    """
    name = code.strip().upper()
    name = f"COS{name}" if name.isdigit() else name
    pages = Pages()
    entry = pages.get(name)
    if entry is None:
        near = closest(name, pages)
        raise CostaError(
            Diagnostic(
                "COS0009",
                f'there is no code "{code}"',
                label=f'did you mean "{near}"?' if near else "",
                help=f"codes run from {min(pages)} to {max(pages)}",
            ),
            exit_code=NOTHING_MATCHED,
        )
    if output_format == "json":
        document = {"version": 1, "code": name, "title": entry.title, "severity": entry.severity,
                    "fix": entry.fix, "explanation": entry.explanation,
                    "bad": entry.bad, "good": entry.good}  # fmt: skip
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(page(entry))


def page(entry: Page) -> str:
    """The page of a code, as text."""
    fix = {"safe": "; `costa validate --fix` mends it", "unsafe": "; `costa validate --fix=all` mends it"}
    head = f"{entry.code}: {entry.title} ({entry.severity}{fix.get(entry.fix, '')})"
    parts = [head, *(textwrap.fill(part, 88) for part in entry.explanation.split("\n\n"))]
    for title, example in (("Wrong:", entry.bad), ("Right:", entry.good)):
        if example:
            parts += [title, textwrap.indent(example.rstrip("\n"), "    ")]
    return "\n\n".join(parts) + "\n"
