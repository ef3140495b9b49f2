"""The catalog: vocabulary, tools and benchmark of one folder, looked up by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from costa_dsl.model.benchmark import BenchmarkRow
from costa_dsl.model.subtask import Vocabulary
from costa_dsl.model.tool import Tool

IMAGE = "image"
PAPER = "paper"


@dataclass(frozen=True, eq=False)
class Catalog:
    """The Model Description Table, the Benchmark Table and the vocabulary, together.

    `selector`: what `--catalog` would name it: `default`, `paper`, or the full path of a folder.
    """

    vocabulary: Vocabulary
    tools: Mapping[str, Tool] = field(default_factory=dict)
    rows: Mapping[tuple[str, str], BenchmarkRow] = field(default_factory=dict)
    selector: str = "default"

    @property
    def is_paper(self) -> bool:
        """It is the papers' own table, which is compiled as if all of its tools were installed."""
        return self.selector == PAPER

    @cached_property
    def _by_subtask(self) -> dict[str, list[Tool]]:
        table: dict[str, list[Tool]] = {}
        for _, tool in sorted(self.tools.items()):
            for subtask in tool.implements:
                table.setdefault(subtask, []).append(tool)
        return table

    def tools_for(self, subtask: str) -> list[Tool]:
        """The tools that implement a subtask, by name."""
        return self._by_subtask.get(subtask, [])

    @cached_property
    def _providers(self) -> dict[str, list[tuple[Tool, str]]]:
        table: dict[str, list[tuple[Tool, str]]] = {}
        for _, tool in sorted(self.tools.items()):
            for name in tool.implements:
                subtask = self.vocabulary.subtasks.get(name)
                for artifact in tool.gives:
                    if artifact != IMAGE and subtask is not None and artifact in subtask.gives:
                        table.setdefault(artifact, []).append((tool, name))
        return table

    def providers(self, artifact: str) -> list[tuple[Tool, str]]:
        """The (tool, subtask) pairs that give an artifact type, by tool name: alternatives (OR)."""
        return self._providers.get(artifact, [])

    @cached_property
    def needed(self) -> frozenset[str]:
        """Artifact types that some tool needs."""
        return frozenset(artifact for tool in self.tools.values() for artifact in tool.needs)

    @cached_property
    def reachable(self) -> frozenset[str]:
        """Artifact types to which a chain of tools leads from the picture: the least fixed point of the needs."""
        found = {IMAGE}
        waiting = list(self.tools.values())
        while ready := [tool for tool in waiting if found.issuperset(tool.needs)]:
            found.update(artifact for tool in ready for artifact in self._given(tool))
            waiting = [tool for tool in waiting if tool not in ready]
        return frozenset(found)

    def _given(self, tool: Tool) -> Iterator[str]:
        """What a tool supplies to others: of what it gives, that which its subtasks are there to give.

        A subtask that the vocabulary does not know might give anything.
        """
        for name in tool.implements:
            subtask = self.vocabulary.subtasks.get(name)
            yield from (artifact for artifact in tool.gives if subtask is None or artifact in subtask.gives)

    def row(self, tool: str, subtask: str) -> BenchmarkRow | None:
        return self.rows.get((tool, subtask))


def dependency_edges(tools: Iterable[Tool]) -> set[tuple[str, str]]:
    """The tool dependency graph of CoSTA*: (u, v) iff what u gives and what v needs share a type.

    The image itself is not counted as shared between tools; a tool that needs nothing but the image hangs
    below the node `image` (FACTS §1).
    """
    tools = list(tools)
    takers: dict[str, list[str]] = {}
    edges: set[tuple[str, str]] = set()
    for tool in tools:
        others = [artifact for artifact in tool.needs if artifact != IMAGE]
        if not others:
            edges.add((IMAGE, tool.name))
        for artifact in others:
            takers.setdefault(artifact, []).append(tool.name)
    for tool in tools:
        for artifact in tool.gives:
            if artifact != IMAGE:
                edges.update((tool.name, taker) for taker in takers.get(artifact, ()) if taker != tool.name)
    return edges
