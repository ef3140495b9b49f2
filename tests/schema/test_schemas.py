"""The schemas themselves, and what they say of single values."""

# ruff: noqa: E501  (tables of cases)
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.resources import data_folder
from costa_dsl.schema import KINDS, check_document, value_problems
from costa_dsl.schema.kinds import schema_file, schema_of
from costa_dsl.syntax import read_documents, read_text_file

SHIPPED = sorted(path for folder in ("tools", "plans") for path in Path(data_folder(folder)).glob("*.yaml"))


def subschemas(schema: Any, route: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each entry under `properties`, with its route."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                for name, entry in value.items():
                    yield f"{route}/{name}", entry
            if key not in ("examples", "const", "enum"):
                yield from subschemas(value, f"{route}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from subschemas(value, f"{route}/{index}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_sound(kind: str) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"https://costa.example/schemas/v1/{schema_file(kind)}"
    assert schema["title"] == f"a {kind}"
    assert "oneOf" not in json.dumps(schema)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: str) -> None:
    schema = schema_of(kind)
    bare = []
    for route, entry in subschemas(schema):
        target = schema["$defs"][entry["$ref"].rsplit("/", 1)[1]] if "$ref" in entry else {}
        if "/if/" not in route and "description" not in entry and "description" not in target:
            bare.append(route)
    assert bare == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_is_valid(kind: str) -> None:
    for example in schema_of(kind)["examples"]:
        sink = Sink()
        (document,) = read_documents(SourceText("example", yaml.safe_dump(example)), sink)
        assert check_document(document, sink) == kind
        assert list(sink) == []


@pytest.mark.parametrize("kind", KINDS)
def test_examples_of_fields_fit_their_fields(kind: str) -> None:
    schema = schema_of(kind)
    checked = 0
    for entry in [entry for _, entry in subschemas(schema)] + list(schema["$defs"].values()):
        for example in entry.get("examples", []):
            assert list(Draft202012Validator({"$defs": schema["$defs"], **entry}).iter_errors(example)) == []
            checked += 1
    assert checked > 0


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_file_is_valid(path: Path) -> None:
    sink = Sink()
    source = read_text_file(str(path), sink)
    assert source is not None
    kinds = [check_document(document, sink) for document in read_documents(source, sink)]
    assert [(found.code, found.message) for found in sink] == []
    assert None not in kinds


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"$ref": "#/$defs/length"}, 12, None),
        ({"$ref": "#/$defs/length"}, "12.5%", None),
        ({"$ref": "#/$defs/length"}, -1, "expected a length of at least 0, found -1"),
        ({"$ref": "#/$defs/length"}, 1.5, 'expected a length such as "10%", found 1.5'),
        ({"$ref": "#/$defs/length"}, "10 px", 'expected a length: whole pixels, or a percentage such as "10%", found "10 px"'),
        ({"$ref": "#/$defs/length"}, True, 'expected a length such as "10%", found true'),
        ({"type": "number", "minimum": 0.05, "maximum": 1}, 3, "expected a number from 0.05 to 1, found 3"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 8}, 0, "expected a number above 0 and of at most 8, found 0"),
        ({"type": "integer", "exclusiveMaximum": 8}, 8, "expected a whole number below 8, found 8"),
        ({"type": "string", "minLength": 1}, "", "expected a text, found an empty text"),
        ({"type": "boolean"}, "on", 'expected true or false, found "on"'),
        ({"enum": ["horizontal", "vertical"]}, "horizntal", 'expected one of horizontal, vertical, found "horizntal"; did you mean "horizontal"?'),
        ({"type": "string", "pattern": "^[1-9]+:[1-9]+$", "description": "A width:height."}, "wide", 'expected a text (A width:height), found "wide"'),
        ({"anyOf": [{"type": "number"}, {"const": "x"}], "description": "How much."}, "b", '"b" does not fit: how much'),
        ({"type": "array", "maxItems": 1}, [1, 2], "expected a list with at most 1 entry, found a list of 2 entries"),
        ({"type": "object"}, {}, None),
        ({"type": "object", "required": ["a"]}, {}, 'the key "a" is missing: this mapping needs it'),
    ],
)  # fmt: skip
def test_problems_of_values(schema: dict[str, Any], value: Any, message: str | None) -> None:
    assert value_problems(schema, value) == ([] if message is None else [((), message)])


def test_the_route_of_a_problem_inside_a_value() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/length"}, "minItems": 2, "maxItems": 2}
    assert [route for route, _ in value_problems(schema, ["10%", -2])] == [(1,)]


def test_a_tree_of_a_hundred_levels_is_checked() -> None:
    sink = Sink()
    text = "apiVersion: costa/v1\nkind: Plan\ntask: x\ntree: " + "[" * 97 + "{do: 3}" + "]" * 97
    (document,) = read_documents(SourceText("deep.yaml", text), sink)
    assert check_document(document, sink) is None
    assert [(found.code, found.span.text if found.span else "") for found in sink] == [("COS1010", "3")]
