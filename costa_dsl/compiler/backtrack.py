"""backtrack: the ways to supply what a tool needs, by backward chaining over the tools.

All needs of a tool must be met (AND); each may be met by any of its providers (OR). A recipe is one
minimal set of supplying tools in one canonical order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from costa_dsl.compiler.graph import ArtifactKey, GraphStep
from costa_dsl.compiler.select import Selector
from costa_dsl.model.tool import Tool


@dataclass(frozen=True, eq=False)
class Supply:
    """One tool used under one of its subtasks."""

    tool: Tool
    subtask: str
    needs: tuple[ArtifactKey, ...]
    gives: tuple[ArtifactKey, ...]

    @property
    def name(self) -> tuple[str, str]:
        return (self.tool.name, self.subtask)


Recipe = tuple[Supply, ...]


class Backtracker:
    """Finds recipes for one step; remembers what it has found."""

    def __init__(self, selector: Selector, step: GraphStep) -> None:
        self._selector = selector
        self._step = step
        self._providers: dict[str, list[Supply]] = {}
        self._recipes: dict[tuple[str, frozenset[ArtifactKey]], list[Recipe]] = {}

    def supply(self, tool: Tool, subtask: str) -> Supply:
        """A tool with its needs and gives bound to this step's target."""
        gives = tool.gives
        if len(tool.implements) > 1:
            own = self._selector.catalog.vocabulary.subtasks[subtask].gives
            gives = tuple(artifact for artifact in gives if artifact in own)
        return Supply(
            tool, subtask, self._selector.keys(tool.needs, self._step), self._selector.keys(gives, self._step)
        )

    def providers(self, artifact: str) -> list[Supply]:
        """The tools that may give this artifact for this step."""
        if artifact not in self._providers:
            self._providers[artifact] = [
                self.supply(tool, subtask)
                for tool, subtask in self._selector.catalog.providers(artifact)
                if self._selector.why_not(tool, subtask, self._step) is None
            ]
        return self._providers[artifact]

    def recipes(self, main: Supply, available: frozenset[ArtifactKey]) -> list[Recipe]:
        """The minimal recipes that make `main` runnable, given what is at hand; `[()]` when nothing is missing."""
        key = (main.tool.name, available)
        if key not in self._recipes:
            found: dict[frozenset[tuple[str, str]], Recipe] = {}
            for chosen in self._solve(main.needs, available, {}, frozenset({main.name})):
                names = frozenset(chosen)
                recipe = None if names in found else self._in_order(list(chosen.values()), main, available)
                if recipe is not None:
                    found[names] = recipe
            minimal = (recipe for names, recipe in found.items() if not any(other < names for other in found))
            self._recipes[key] = sorted(minimal, key=lambda recipe: [supply.name for supply in recipe])
        return self._recipes[key]

    def _solve(
        self,
        needs: tuple[ArtifactKey, ...],
        available: frozenset[ArtifactKey],
        chosen: dict[tuple[str, str], Supply],
        pending: frozenset[tuple[str, str]],
    ) -> Iterator[dict[tuple[str, str], Supply]]:
        """Every set of supplies, added to `chosen`, after which `needs` can be met.

        `pending` are those that this one is to supply: asking them in turn would go round in a circle.
        """
        given = available.union(*(supply.gives for supply in chosen.values()))
        lacking = [need for need in needs if need not in given]
        if not lacking:
            yield dict(chosen)
            return
        for provider in self.providers(lacking[0].type):
            if provider.name in chosen or provider.name in pending or lacking[0] not in provider.gives:
                continue
            for inner in self._solve(provider.needs, available, chosen, pending | {provider.name}):
                yield from self._solve(needs, available, {**inner, provider.name: provider}, pending)

    def _in_order(self, supplies: list[Supply], main: Supply, available: frozenset[ArtifactKey]) -> Recipe | None:
        """One runnable order: analyses first (an edit may make artifacts stale), then by name; None if none is."""
        if not supplies:
            return () if set(main.needs) <= available else None
        ranked = sorted(supplies, key=lambda supply: (self._is_edit(supply), supply.name))
        for supply in ranked:
            if set(supply.needs) <= available:
                rest = [other for other in ranked if other is not supply]
                after = self.after(supply, available)
                tail = self._in_order(rest, main, after)
                if tail is not None:
                    return (supply, *tail)
        return None

    def _is_edit(self, supply: Supply) -> bool:
        return self._selector.catalog.vocabulary.subtasks[supply.subtask].is_edit

    def after(self, supply: Supply, available: frozenset[ArtifactKey]) -> frozenset[ArtifactKey]:
        """What is at hand, and true, after a tool ran: an edit keeps only what its subtask preserves."""
        subtask = self._selector.catalog.vocabulary.subtasks[supply.subtask]
        if not subtask.is_edit:
            return available | set(supply.gives)
        kept = {
            key
            for key in available
            if key.type in subtask.preserves and not (subtask.forgets_target and key.owner == self._step.owner)
        }
        return frozenset(kept | set(supply.gives))
