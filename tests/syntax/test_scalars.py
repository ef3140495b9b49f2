"""Plain scalars by the core schema of YAML 1.2."""

# ruff: noqa: E501  (tables of cases)
from __future__ import annotations

import math

import pytest

from costa_dsl.syntax.scalars import UnfitScalar, resolve, resolve_tagged

TAG = "tag:yaml.org,2002:"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("tRue", "tRue"),
        ("no", "no"), ("No", "No"), ("off", "off"), ("on", "on"), ("yes", "yes"), ("y", "y"), ("n", "n"),
        ("0", 0), ("-0", 0), ("+3", 3), ("-12", -12), ("017", 17), ("08", 8), ("0o17", 15), ("0x1F", 31), ("0xff", 255),
        ("0o8", "0o8"), ("0xG", "0xG"), ("0b1", "0b1"), ("1_000", "1_000"), ("-0x1", "-0x1"), ("+", "+"), ("-", "-"), (".", "."),
        ("1e-3", 0.001), ("1e3", 1000.0), ("1E3", 1000.0), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("3.14", 3.14), ("1.2.3", "1.2.3"),
        (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf), ("inf", "inf"), ("nan", "nan"), ("Infinity", "Infinity"),
        ("12:30", "12:30"), ("1:2:3", "1:2:3"), ("2026-01-01", "2026-01-01"), ("10%", "10%"), ("#", "#"), ("=", "="), ("<<", "<<"),
        ("١٢", "١٢"),
    ],
)  # fmt: skip
def test_core_schema(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
def test_not_a_number(text: str) -> None:
    value = resolve(text)
    assert isinstance(value, float)
    assert math.isnan(value)


def test_explicit_tags() -> None:
    assert resolve_tagged("3", TAG + "str") == "3"
    assert resolve_tagged("3", TAG + "float") == 3.0
    assert type(resolve_tagged("3", TAG + "float")) is float
    assert resolve_tagged("", TAG + "null") is None
    for text, tag in [("x", "int"), ("true", "int"), ("1", "bool"), ("true", "float"), ("3.5", "int"), ("x", "null")]:
        with pytest.raises(UnfitScalar):
            resolve_tagged(text, TAG + tag)


def test_a_number_without_end_is_refused() -> None:
    assert resolve("9" * 100) == int("9" * 100)
    with pytest.raises(UnfitScalar):
        resolve("9" * 5000)
