"""The schemas themselves, and what they say of single values."""

# ruff: noqa: E501  (tables of cases)
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.resources import data_folder
from costa_dsl.schema import check_document, value_problems
from costa_dsl.schema.kinds import PUBLISHED, WRITTEN, schema_file, schema_of
from costa_dsl.syntax import read_documents, read_text_file

SHIPPED = sorted(path for folder in ("tools", "plans") for path in Path(data_folder(folder)).glob("*.yaml"))
CHECKOUT = Path(__file__).parents[2]
WITH_MODELINE = sorted(
    path for folder in ("tools", "plans", "examples") for path in (CHECKOUT / folder).rglob("*.yaml")
)


def fields(schema: Any, route: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each entry under `properties` at every depth, with its route."""
    for where, entry in places(schema, route):
        for name, field in entry.get("properties", {}).items():
            yield f"{where}/{name}", field


def places(schema: Any, route: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a schema, itself first, with its route."""
    if isinstance(schema, dict):
        yield route, schema
        for key, value in schema.items():
            if key in ("properties", "$defs", "patternProperties", "dependentSchemas"):
                for name, entry in value.items():
                    yield from places(entry, f"{route}/{key}/{name}")
            elif key not in ("examples", "const", "enum", "default"):
                yield from places(value, f"{route}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from places(value, f"{route}/{index}")


def followed(schema: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with the keywords of what its `$ref` leads to, its own before them, as editors merge them."""
    if "$ref" not in entry:
        return entry
    return {**followed(schema, schema["$defs"][entry["$ref"].removeprefix("#/$defs/")]), **entry}


def is_condition(route: str) -> bool:
    """Inside `if`, where nothing is said to anybody."""
    return "/if/" in f"{route}/"


@pytest.mark.parametrize("kind", PUBLISHED)
def test_a_schema_is_sound(kind: str) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://costa.example/schemas/v1/{schema_file(kind)}"
    assert schema["description"].endswith(".")
    assert "oneOf" not in json.dumps(schema)
    assert [route for route, _ in places(schema) if route.startswith("#/definitions")] == []


@pytest.mark.parametrize("kind", [kind for kind in PUBLISHED if kind != "Diagnostics"])
def test_a_schema_is_called_by_its_kind(kind: str) -> None:
    assert schema_of(kind)["title"] == f"a {kind}"


def test_every_packaged_schema_is_published() -> None:
    assert {path.name for path in data_folder("schemas").glob("*.json")} == {schema_file(kind) for kind in PUBLISHED}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_field_is_described(kind: str) -> None:
    schema = schema_of(kind)
    bare = [
        route
        for route, field in fields(schema)
        if not is_condition(route) and not followed(schema, field).get("description")
    ]
    assert bare == []


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_field_that_people_write_has_a_title_and_an_example(kind: str) -> None:
    schema = schema_of(kind)
    bare = []
    for route, field in fields(schema):
        found = followed(schema, field)
        # `not: {}` forbids the field; there is no example of it.
        if is_condition(route) or "const" in found or "not" in found:
            continue
        if not found.get("title") or not (found.get("examples") or found.get("enum")):
            bare.append(route)
    assert bare == []


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_definition_of_a_mapping_is_described_and_has_an_example(kind: str) -> None:
    bare = [
        name
        for name, entry in schema_of(kind)["$defs"].items()
        if entry.get("type") == "object" and not (entry.get("description") and entry.get("examples"))
    ]
    assert bare == []


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_value_of_an_enum_is_explained(kind: str) -> None:
    schema = schema_of(kind)
    bare = []
    for route, entry in places(schema):
        if is_condition(route) or "enum" not in entry:
            continue
        # The entries of a list are explained where the list is described.
        owner = schema
        for step in [part for part in route.removesuffix("/items").split("/") if part not in ("#", "")]:
            owner = owner[int(step) if isinstance(owner, list) else step]
        described = f"{owner.get('description', '')} {entry.get('description', '')}"
        bare += [(route, value) for value in entry["enum"] if not re.search(rf"`{value}`|\b{value}:", described)]
    assert bare == []


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_example_is_valid(kind: str) -> None:
    for example in schema_of(kind)["examples"]:
        sink = Sink()
        (document,) = read_documents(SourceText("example", yaml.safe_dump(example)), sink)
        assert check_document(document, sink) == kind
        assert list(sink) == []


@pytest.mark.parametrize("kind", PUBLISHED)
def test_every_example_fits_its_schema(kind: str) -> None:
    schema = schema_of(kind)
    assert schema["examples"]
    for example in schema["examples"]:
        assert list(Draft202012Validator(schema).iter_errors(example)) == []


@pytest.mark.parametrize("kind", PUBLISHED)
def test_examples_of_fields_fit_their_fields(kind: str) -> None:
    schema = schema_of(kind)
    wrong = []
    for route, entry in places(schema):
        for example in entry.get("examples", []):
            wrong += [
                (route, e.message)
                for e in Draft202012Validator({"$defs": schema.get("$defs", {}), **entry}).iter_errors(example)
            ]
    assert wrong == []


def test_the_plan_schema_offers_the_packaged_vocabulary() -> None:
    vocabulary = yaml.safe_load((data_folder("tools") / "subtasks.yaml").read_text(encoding="utf-8"))
    step = schema_of("Plan")["$defs"]["step"]["properties"]
    usable = {name for name, subtask in vocabulary["subtasks"].items() if not subtask.get("internal")}
    assert set(step["do"]["examples"]) == usable
    own = {"do", "id", "at", "expect", "tools", "note"}
    assert set(step) - own == set(vocabulary["words"])
    for word, schema in vocabulary["words"].items():
        assert step[word]["description"] == schema["description"], word
        # They explain and complete; the rules judge, for a vocabulary may give a word another type.
        assert set(step[word]) == {"title", "description", "examples"}, word
        for example in step[word]["examples"]:
            assert value_problems(schema, example) == [], (word, example)


MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", re.MULTILINE)


@pytest.mark.parametrize("path", WITH_MODELINE, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_modeline_leads_to_the_schema_of_its_kind(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    (target,) = MODELINE.findall(text)
    assert text.startswith("# yaml-language-server:"), "editors look for it at the top"
    schema = json.loads((path.parent / target).read_text(encoding="utf-8"))
    assert schema["properties"]["kind"]["const"] == yaml.safe_load(text)["kind"]


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
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 8}, 0, "expected a number above 0 and at most 8, found 0"),
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
    found = [(problem.route, problem.sentence) for problem in value_problems(schema, value)]
    assert found == ([] if message is None else [((), message)])


def test_the_route_of_a_problem_inside_a_value() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/length"}, "minItems": 2, "maxItems": 2}
    assert [problem.route for problem in value_problems(schema, ["10%", -2])] == [(1,)]


def test_a_tree_of_a_hundred_levels_is_checked() -> None:
    sink = Sink()
    text = "apiVersion: costa/v1\nkind: Plan\ntask: x\ntree: " + "[" * 97 + "{do: 3}" + "]" * 97
    (document,) = read_documents(SourceText("deep.yaml", text), sink)
    assert check_document(document, sink) is None
    assert [(found.code, found.span.text if found.span else "") for found in sink] == [("COS1010", "3")]
