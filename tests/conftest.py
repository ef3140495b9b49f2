"""Helpers that many tests share: plans and catalogs from a few lines of YAML."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from costa_dsl.catalog.catalog import Catalog
from costa_dsl.catalog.load import build_catalog, load_catalog
from costa_dsl.compiler.compile import Compiled, compile_plan
from costa_dsl.compiler.cut import Scope
from costa_dsl.compiler.passes import Pass, Unit
from costa_dsl.compiler.verify_stages import verify_after
from costa_dsl.diagnostics import Sink, SourceText
from costa_dsl.model.plan import Plan
from costa_dsl.resources import data_folder
from costa_dsl.schema import check_document
from costa_dsl.syntax import Document, read_documents

FIXTURES = Path(__file__).parent / "fixtures"


def read(text: str, name: str = "test.yaml") -> list[tuple[str, Document]]:
    """Schema-valid documents from text; a finding fails the test."""
    sink = Sink()
    documents = read_documents(SourceText(name, text), sink)
    kinds = [check_document(document, sink) for document in documents]
    assert not list(sink), [str(found) for found in sink]
    return [(kind or "", document) for kind, document in zip(kinds, documents, strict=True)]


def make_plan(tree: str, head: str = "") -> Plan:
    """A plan from the YAML of its tree and further top-level keys."""
    text = f"apiVersion: costa/v1\nkind: Plan\ntask: a test\n{head}\ntree:\n{tree}\n"
    sink = Sink()
    plan = Plan.from_document(read(text)[0][1], sink)
    sink.raise_if_errors()
    return plan


def make_tool(name: str, implements: str, needs: str = "image", gives: str = "image", more: str = "") -> str:
    """The YAML of a manifest."""
    return (
        f"---\napiVersion: costa/v1\nkind: Tool\nname: {name}\ntitle: {name}\nimplementation: {name}\n"
        f"implements: [{implements}]\nneeds: [{needs}]\ngives: [{gives}]\ndeterminism: pure\nlicense: MIT\n{more}\n"
    )


def make_catalog(tools: str, rows: dict[tuple[str, str], tuple[float, float]]) -> Catalog:
    """A catalog with the packaged vocabulary, tools from `make_tool`, and rows (tool, subtask) → (seconds, quality)."""
    lines = "\n".join(
        f"  - {{tool: {tool}, subtask: {subtask}, seconds: {seconds}, quality: {quality}, n: 1}}"
        for (tool, subtask), (seconds, quality) in rows.items()
    )
    table = f"---\napiVersion: costa/v1\nkind: BenchmarkTable\ntitle: t\nsource: test\nrows:\n{lines}\n"
    vocabulary = load_catalog("default", Sink()).vocabulary.origin.document
    sink = Sink()
    catalog = build_catalog([("SubtaskCatalog", vocabulary), *read(tools + table, "catalog.yaml")], sink)
    assert not list(sink)
    return catalog


def checked_compile(plan: Plan, catalog: Catalog, scope: Scope | None = None, lenient: bool = False) -> Compiled:
    """A plan compiled as if all tools were installed, with the verifier between all passes.

    `lenient` leaves out the rules about meaning, for plans that are sound and make no sense.
    """

    def verified(one: Pass, unit: Unit) -> None:
        broken = verify_after(one, unit)
        assert broken == [], broken

    sink = Sink()
    if not lenient:
        return compile_plan(plan, catalog, sink, scope=scope, assume_available=True, observer=verified)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("costa_dsl.compiler.compile.check_plan", lambda *_: None)
        return compile_plan(plan, catalog, sink, scope=scope, assume_available=True, observer=verified)


def assert_fits(value: object, schema: str) -> None:
    """A value fits one of the published schemas."""
    import json

    import jsonschema

    text = (data_folder("schemas") / f"{schema}.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(json.loads(text)).validate(value)


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """The levels that this project gives to rules are no business of the tests."""
    monkeypatch.setenv("COSTA_CONFIG", str(FIXTURES / "costa.toml"))


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, request: Any) -> None:
    """No test finds the results of another one, or of the user. The folder is made only when something is kept."""
    name = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:16]
    monkeypatch.setenv("COSTA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "caches" / name))


@pytest.fixture(scope="session")
def paper() -> Catalog:
    """The tables of CoSTA* as a catalog."""
    return load_catalog("paper", Sink())


def said_under_hash_seeds(*arguments: str) -> str:
    """What Python prints when it is called with these arguments, which must be the same under every hash seed."""
    said = {
        subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            check=True,
            env={
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join([str(FIXTURES.parents[1]), *sys.path]),
                "PYTHONIOENCODING": "utf-8",
            },
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(said) == 1
    return said.pop()


def calls_of(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls: a measure of it that no other load on the machine changes.

    Growth is asserted on it, never on seconds; those are the matter of benchmarks/.
    """
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
