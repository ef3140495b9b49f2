"""Prints a toolpath graph as YAML and as canonical JSON; both read back to the same graph (read.py)."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from costa_dsl.compiler.graph import ToolpathGraph, plan_value
from costa_dsl.diagnostics import Sink
from costa_dsl.model.plan import Plan
from costa_dsl.syntax import read_documents

_MODELINE = "# yaml-language-server: $schema=../schemas/{}.schema.json\n"


def to_json(graph: ToolpathGraph) -> str:
    """JSON with a fixed order of keys and entries; the same graph gives the same bytes."""
    return json.dumps(graph.to_value(), indent=2, ensure_ascii=False) + "\n"


def to_yaml(graph: ToolpathGraph) -> str:
    """The same content as `to_json`, as YAML."""
    return _MODELINE.format("toolpath-graph") + _yaml(graph.to_value())


def plan_text(plan: Plan) -> str:
    """The text of a plan: that of its file, or for a plan that was read from a graph, the plan as YAML."""
    document = plan.origin.document
    if any(whole.value == document.value for whole in read_documents(document.source, Sink())):
        return document.source.text
    return _MODELINE.format("plan") + _yaml(plan_value(plan))


def _yaml(value: Any) -> str:
    import yaml

    text: str = yaml.dump(
        value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return text


@cache
def _dumper() -> Any:
    """A dumper that also quotes what only YAML 1.2 takes for a number: the texts `1e-3` and `0o17`."""
    import yaml

    class Dumper(yaml.CSafeDumper):
        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  (the same list twice is two lists)
            return True

    number = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$|^0o[0-7]+$")
    Dumper.add_implicit_resolver("tag:yaml.org,2002:float", number, list("-+.0123456789"))
    return Dumper
