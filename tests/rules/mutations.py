"""Valid files, and ways to spoil them: what the tests of syntax, schema and rules share."""

# ruff: noqa: E501  (tables of texts)
from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.resources import data_folder
from costa_dsl.syntax import read_documents
from costa_dsl.syntax.scalars import resolve

CATALOG = Path(__file__).parent.parent / "diagnostics" / "catalog"

OBJECTS_PLAN = """\
# yaml-language-server: $schema=../schemas/plan.schema.json
apiVersion: costa/v1
kind: Plan
name: the-dog
task: "Segment the dog 🐕, find the people"
vars: {who: person, paint: &paint "dark red"}
policy: {alpha: 1.0, threshold: 0.8, budget: {seconds: 60, calls: 20}, tools: {avoid: [patchmatch]}}
expect: [outside-unchanged, {object-absent: plant}]
tree:
  - {do: outpainting, left: 10%, right: 10%}  # first the canvas
  - any_order:
      - {do: object-segmentation, object: dog, id: the-dog}
      - {do: object-detection, object: "${who}"}
  - one_of:
      - do: object-recoloration
        object: the leaves
        at: {color: green, within: [10%, 10%, 90%, 90%]}
        to: *paint
        tools: {only: [recolor-lab]}
        note: |
          the leaves
          of the plant
      - {do: object-removal, object: cup, at: {box: [10, 20, 200, 180]}, expect: [inside-changed]}
      - [{do: object-removal, object: plant}, {do: object-addition, object: red plant, at: {of: the-dog, side: right}}]
"""
TEXTS_PLAN = """\
apiVersion: costa/v1
kind: Plan
# a sign in two languages
task: >-
  Close the shop,
  and hide every price.
inputs: {image: sample:coffee}
tree:
- do: text-replacement
  text: 'OPEN'
  with: "閉店 👩‍👩‍👧"
  expect:
  - text-absent: OPEN
- do: text-redaction
  pattern: '\\$\\d+'
- do: outpainting  # costa: ignore[COS3202] the picture is printed with a margin
  left: 10
"""
TOOL = """\
# A detector with everything that a manifest can say.
apiVersion: costa/v1
kind: Tool
name: detector
title: The detector
implementation: ssd-mobilenet
implements: [object-detection]
needs: [image]
gives: [boxes]
grounds: [object]
parameters:
  box_threshold: {type: number, default: 0.35, minimum: 0, maximum: 1}
  size: {type: string, default: small, enum: [small, large]}
retries: [{box_threshold: 0.25}, {box_threshold: 0.15, size: large}]
guarantees: [image-unchanged]
requires: {weights: {package: some-package, version: 1.2.0}, memory: 1.5GB}
determinism: pure
timeout: 60
license: Apache-2.0
"""
SEVERAL = """\
%YAML 1.2
---
apiVersion: costa/v1
kind: Plan
task: Remove the cup.
tree: {do: object-removal, object: cup}
---
apiVersion: costa/v1
kind: Tool
name: telea
title: Telea
implementation: telea
implements: [object-removal]
needs: [image, mask]
gives: [image]
determinism: pure
license: Apache-2.0
"""
# Free of errors, each by itself, with the catalog of the golden files.
VALID = {
    "objects": OBJECTS_PLAN,
    "texts": TEXTS_PLAN,
    "tool": TOOL,
    "several": SEVERAL,
    "table": (CATALOG / "benchmark.yaml").read_text(encoding="utf-8"),
    "vocabulary": (CATALOG / "subtasks.yaml").read_text(encoding="utf-8"),
}
PACKAGED = [
    text for path in sorted(Path(data_folder("tools")).glob("*.yaml"))
    if len(text := path.read_text(encoding="utf-8")) < 2000
]  # fmt: skip

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

TRAPS = st.sampled_from(
    ["\t", "\n", " ", ": ", "- ", "? ", "{", "}", "[", "]", ",", '"', "'", "&a ", "*a", "*who", "!x ", "!!int ", "<<: ",
     "|", ">", "#", "%", "@", "`", "---\n", "...\n", "\ufeff", "\r\n", "\r", "\0", "\x85", "\u2028", "\ud800", "日本", "👩‍👩‍👧",
     "e\u0301", "\u202e", "\\", ".nan", "1e999", "0x", "true", "null", "\n<<<<<<< HEAD\n", "9" * 120, "[" * 101, "do",
     "tree: 3\n", "${who}", "${", "# costa: ignore[COS3202]", "-1", "sk-abcdefghijklmnopqrstuvwxyz"]
) | st.text(max_size=3)  # fmt: skip
WORDS = st.sampled_from(
    ["do", "object", "at", "of", "box", "within", "to", "with", "text", "expect", "tree", "one_of", "any_order", "vars",
     "object-removal", "object-addition", "text-removal", "depth-estimation", "grounding", "erase the text", "upscale 2x",
     "image", "mask", "boxes", "depth-map", "telea", "detector", "the-dog", "dog", "red", "OPEN", "text-present", "id",
     "image-unchanged", "needs", "gives", "tool", "subtask", "internal", "forgets", "Plan", "Tool", "yes", "seconds"]
)  # fmt: skip
NUMBERS = st.sampled_from(
    ["0", "-1", "2.5", "1e3", "1e999", "-0.0", ".inf", "017", "0x1F", "12:30", "101%", "-5%", "1_000", "9" * 30, "9" * 400]
)  # fmt: skip

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["10%", "${x}", "${who}", "a-b", "object-removal", "image", "mask", "telea", 1e308, 10**30, 1.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | WORDS, inner, max_size=3),
    max_leaves=6,
)


def cut(text: str, draw: st.DrawFn) -> str:
    start = draw(st.integers(0, len(text)))
    return text[:start] + text[start + draw(st.sampled_from([1, 2, 5, 40])) :]


def insert(text: str, draw: st.DrawFn) -> str:
    start = draw(st.integers(0, len(text)))
    return text[:start] + draw(TRAPS) + text[start:]


def swap_lines(text: str, draw: st.DrawFn) -> str:
    lines = text.split("\n")
    one, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def double_line(text: str, draw: st.DrawFn) -> str:
    lines = text.split("\n")
    index = draw(st.integers(0, len(lines) - 1))
    lines.insert(draw(st.sampled_from([index, len(lines)])), lines[index])
    return "\n".join(lines)


def indent(text: str, draw: st.DrawFn) -> str:
    lines = text.split("\n")
    index = draw(st.integers(0, len(lines) - 1))
    lines[index] = draw(st.sampled_from(["", " ", "  ", "\t", "      "])) + lines[index].lstrip()
    return "\n".join(lines)


def swap_key_and_value(text: str, draw: st.DrawFn) -> str:
    return _replace_one(r"([\w-]+): ([\w./%-]+)", text, draw, lambda match: f"{match[2]}: {match[1]}")


def rename(text: str, draw: st.DrawFn) -> str:
    return _replace_one(r"[A-Za-z][\w-]+", text, draw, lambda _: draw(WORDS))


def misspell(text: str, draw: st.DrawFn) -> str:
    def slip(match: re.Match[str]) -> str:
        word, at = match[0], draw(st.integers(0, len(match[0]) - 2))
        return draw(
            st.sampled_from([
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word.upper(), word.title(), word.replace("-", "_"), word.replace("-", " "), word + "s",
            ])
        )  # fmt: skip

    return _replace_one(r"[A-Za-z][\w-]+", text, draw, slip)


def renumber(text: str, draw: st.DrawFn) -> str:
    return _replace_one(r"\d[\d.%]*", text, draw, lambda _: draw(NUMBERS))


def quote(text: str, draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["'", '"']))
    return _replace_one(r"[\w./%-]+", text, draw, lambda match: f"{mark}{match[0]}{mark}")


def unquote(text: str, draw: st.DrawFn) -> str:
    return _replace_one(r"""(['"])([^'"\n]*)\1""", text, draw, lambda match: match[2])


def empty(text: str, draw: st.DrawFn) -> str:
    return _replace_one(r"(?<=: )[^\s,{}\[\]]+", text, draw, lambda _: draw(st.sampled_from(["", "[]", "{}", "null"])))


def break_lines(text: str, draw: st.DrawFn) -> str:
    return text.replace("\n", draw(st.sampled_from(["\r\n", "\n\n", "  # 日本 🐕\n"])))


def decorate(text: str, draw: st.DrawFn) -> str:
    return _replace_one(
        r"[\w-]+", text, draw, lambda match: draw(st.sampled_from(["🐕", "日本", "e\u0301"])) + match[0]
    )


def _replace_one(pattern: str, text: str, draw: st.DrawFn, change: Callable[[re.Match[str]], str]) -> str:
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text
    match = matches[draw(st.integers(0, len(matches) - 1))]
    return text[: match.start()] + change(match) + text[match.end() :]


MUTATIONS = (
    cut, insert, insert, swap_lines, double_line, indent, swap_key_and_value, rename, rename, misspell, misspell,
    renumber, quote, unquote, empty, break_lines, decorate,
)  # fmt: skip


@st.composite
def mutated_texts(draw: st.DrawFn, texts: tuple[str, ...] = tuple(VALID.values()), most: int = 3) -> str:
    """A valid file with one or a few things done to its text."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, most))):
        text = draw(st.sampled_from(MUTATIONS))(text, draw)
    return text


@st.composite
def mutated_values(draw: st.DrawFn, texts: tuple[str, ...] = tuple(VALID.values())) -> Any:
    """The plain value of a document in a valid file, with another value, another key or nothing at one place."""
    parts = [part for part in yaml.safe_load_all(draw(st.sampled_from(texts))) if part]
    value = deepcopy(draw(st.sampled_from(parts)))
    holder: Any = value
    while True:
        key = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        if not (isinstance(holder[key], dict | list) and holder[key] and draw(st.booleans())):
            break
        holder = holder[key]
    how = draw(st.sampled_from(["value", "value", "word", "drop", "key", "wrap", "copy"]))
    if how == "drop":
        del holder[key]
    elif how == "key" and isinstance(holder, dict):
        holder[draw(WORDS)] = holder.pop(key)
    elif how == "wrap":
        holder[key] = draw(st.sampled_from([[holder[key]], {"do": holder[key]}, [holder[key], holder[key]]]))
    elif how == "copy":
        other = draw(st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        holder[key] = deepcopy(holder[other])
    else:
        holder[key] = draw(WORDS if how == "word" else json_values)
    return value


def read_alone(text: str) -> Any:
    """What a slice of a text means by itself."""
    if not text.startswith(('"', "'", "&", "!")):
        return resolve(text)
    (document,) = read_documents(SourceText("slice", f"k: {text}"), Sink())
    value: Any = document.value
    return value["k"]


def written(value: Any, style: str) -> str:
    """A plain value as YAML: `block` or `flow` as PyYAML writes it, or `json`."""
    if style == "json":
        return json.dumps(value, ensure_ascii=False, indent=1)
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, default_flow_style=style == "flow")
