"""A tree of steps as the YAML text of a plan, in the form that `costa fmt` gives."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.exchange.orders import Group, Part
from costa_dsl.exchange.step_words import PlainStep
from costa_dsl.schema.kinds import schema_of
from costa_dsl.syntax.formatter import WIDTH, format_text
from costa_dsl.syntax.formatter.quoting import written
from costa_dsl.syntax.formatter.tree import Leaf, Style

# What a YAML file cannot hold as it is; JSON's own escapes leave some of it alone.
_UNSEEN = re.compile("[^ -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_VARIABLE = re.compile(r"\$(?=\{[A-Za-z_][A-Za-z0-9_-]*\})")
_DOLLAR = "dollar"
_HEADER = """\
# yaml-language-server: $schema=../schemas/plan.schema.json
apiVersion: costa/v1
kind: Plan
"""


def plan_text(
    task: str, tree: Part, steps: Sequence[PlainStep], comments: Mapping[int, Sequence[str]], source: str
) -> str:
    """The text of a plan.

    Args:
        task: the request in words.
        tree: the steps by number, in their order.
        steps: what each number stands for.
        comments: lines to put above each step, by number.
        source: what the plan was made from, for a comment.
    """
    said = [
        task,
        *(value for step in steps for _, value in (*step.words, ("note", step.note)) if isinstance(value, str)),
    ]
    lines = [_HEADER + f"# Imported from {comment_text(source)}.\ntask: {scalar(task, in_flow=False)}"]
    if any(_VARIABLE.search(text) for text in said):
        lines.append(f'vars: {{{_DOLLAR}: "$"}}  # so that "${{…}}" in a text stays as it is')
    lines.append("tree:")
    items = tree.parts if isinstance(tree, Group) and tree.construct == "list" else (tree,)
    texts = [_step_text(step) for step in steps]

    def write(part: Part, first: str, indent: str) -> None:
        """Lines for one item of a list: `first` stands before its first line, `indent` before the others."""
        if isinstance(part, int):
            # Above the item: before a nested list's first dash there is no place for it but at the dash.
            margin = " " * (len(first) - len(first.lstrip()))
            lines.extend(f"{margin}# {comment}" for comment in comments.get(part, ()))
            lines.append(f"{first}{texts[part]}")
            return
        _write_group(part, first, indent, write, lines)

    for item in items:
        write(item, "  - ", "    ")
    text = "\n".join(lines) + "\n"
    # What fits on its line has the right form already.
    wide = any(len(line) > WIDTH for line in lines)
    return (format_text(SourceText(source, text), schema_of, Sink()) if wide else None) or text


def _write_group(
    group: Group, first: str, indent: str, write: Callable[[Part, str, str], None], lines: list[str]
) -> None:
    if group.construct == "list":
        for index, part in enumerate(group.parts):
            write(part, (first if index == 0 else indent) + "- ", indent + "  ")
        return
    lines.append(f"{first}{group.construct}:")
    for part in group.parts:
        write(part, indent + "  - ", indent + "    ")


def _step_text(step: PlainStep) -> str:
    entries = [("do", step.subtask), *step.words, *([("note", step.note)] if step.note else [])]
    return "{" + ", ".join(f"{key}: {scalar(value)}" for key, value in entries) + "}"


def scalar(value: Any, in_flow: bool = True) -> str:
    """A text or number as YAML, in the quotes that it needs."""
    if not isinstance(value, str):
        return json.dumps(value)
    literal = _VARIABLE.sub("${" + _DOLLAR + "}", value)
    double = _UNSEEN.sub(_escaped, json.dumps(literal, ensure_ascii=False))
    return written(Leaf(double, Style.DOUBLE, literal), in_flow)


def comment_text(text: str) -> str:
    """A text that can stand in a comment: one line, without what nobody sees."""
    return _UNSEEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
