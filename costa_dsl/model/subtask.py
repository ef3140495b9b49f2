"""The vocabulary: artifact types, the words of a step, checks, and subtasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from costa_dsl.model.origin import Origin
from costa_dsl.syntax import Document

Scope = Literal["image", "target"]
Effect = Literal["edit", "analyse"]


@dataclass(frozen=True, slots=True)
class CheckKind:
    """What a check can say.

    Attributes:
        guarantee: exact enough to be a tool's promise.
        measures: its score tells how good a result is; one that does not measure can only tell that something is wrong.
        takes_text: under `expect:` it may name a text, a color or an object.
    """

    guarantee: bool
    measures: bool
    takes_text: bool


@dataclass(frozen=True, eq=False)
class Subtask:
    """A kind of step.

    Attributes:
        parameters: its words; True for those that must be there.
        limits: word → JSON Schema that narrows the word for this subtask.
        one_needed: at least one of the optional words must be there.
        gives: artifact types that any tool for it produces.
        preserves: artifact types that stay true after this edit (an analysis preserves all).
        makes: what is new in the picture afterwards: the `target` itself, the words under `text`, what stands
            under `with`; empty for a subtask that makes nothing new.
        forgets_target: the edited object itself is gone afterwards, with every artifact of it.
        moves_canvas: pixels get new coordinates.
        internal: never written in a plan; the compiler puts it in.
    """

    name: str
    title: str
    group: str
    effect: Effect
    source: str
    parameters: Mapping[str, bool]
    limits: Mapping[str, Mapping[str, Any]]
    one_needed: bool
    gives: tuple[str, ...]
    preserves: frozenset[str]
    makes: str
    forgets_target: bool
    moves_canvas: bool
    internal: bool
    checks: tuple[str, ...]
    phrases: tuple[str, ...]
    origin: Origin

    @property
    def is_edit(self) -> bool:
        return self.effect == "edit"


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Everything a SubtaskCatalog file defines."""

    artifacts: Mapping[str, Scope]
    words: Mapping[str, Mapping[str, Any]]
    checks: Mapping[str, CheckKind]
    subtasks: Mapping[str, Subtask]
    origin: Origin

    @staticmethod
    def from_document(document: Document) -> Vocabulary:
        """Read a document that fits the subtask-catalog schema."""
        value: Any = document.value
        return Vocabulary(
            artifacts={name: entry["scope"] for name, entry in value["artifacts"].items()},
            words=value["words"],
            checks={
                name: CheckKind(
                    entry.get("guarantee", False), entry.get("measures", False), entry.get("takes") == "text"
                )
                for name, entry in value["checks"].items()
            },
            subtasks={
                name: _subtask(name, entry, Origin(document, ("subtasks", name)))
                for name, entry in value["subtasks"].items()
            },
            origin=Origin(document),
        )

    def plannable(self) -> list[str]:
        """The subtasks that a plan may name, sorted."""
        return sorted(name for name, subtask in self.subtasks.items() if not subtask.internal)


def _subtask(name: str, entry: Mapping[str, Any], origin: Origin) -> Subtask:
    return Subtask(
        name=name,
        title=entry["title"],
        group=entry["group"],
        effect=entry["effect"],
        source=entry["source"],
        parameters={word: need == "required" for word, need in entry["parameters"].items()},
        limits=entry.get("limits", {}),
        one_needed=entry.get("one_needed", False),
        gives=tuple(entry["gives"]),
        preserves=frozenset(entry.get("preserves", ())),
        makes=entry.get("makes", ""),
        forgets_target=entry.get("forgets") == "target",
        moves_canvas=entry.get("moves_canvas", False),
        internal=entry.get("internal", False),
        checks=tuple(entry.get("checks", ())),
        phrases=tuple(entry.get("phrases", ())),
        origin=origin,
    )
