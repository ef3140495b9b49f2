"""A tool manifest: one row of the Model Description Table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from costa_dsl.model.origin import Origin
from costa_dsl.syntax import Document


@dataclass(frozen=True, eq=False)
class Requirements:
    """What must be on the machine before a tool can run; `weights` says where its weights come from, pinned."""

    extra: str | None = None
    packages: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    weights: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Tool:
    """A manifest.

    Attributes:
        implementation: a name in the entry-point group `costa.tools`.
        implements: the subtasks it can do.
        needs, gives: artifact types; `image` is the current picture.
        grounds: how it finds a target on its own: `object` (by name), a key of `at:`, or `nothing` when it can choose
            a place itself; empty for a tool that only works on what others found.
        parameters: name → JSON Schema with a default.
        retries: parameter overrides for the second, third, … attempt.
        remedies: a failed check → parameter overrides for the next attempt.
        guarantees: predicates that code verifies on every result.
        objects: a detector's closed vocabulary, label → synonyms; empty when it is open.
        timeout: seconds.
        price_usd: what one call costs, in US dollars.
    """

    name: str
    title: str
    implementation: str
    implements: tuple[str, ...]
    needs: tuple[str, ...]
    gives: tuple[str, ...]
    grounds: frozenset[str]
    parameters: Mapping[str, Mapping[str, Any]]
    retries: tuple[Mapping[str, Any], ...]
    remedies: Mapping[str, Mapping[str, Any]]
    guarantees: tuple[str, ...]
    objects: Mapping[str, tuple[str, ...]]
    requires: Requirements
    determinism: str
    timeout: float
    price_usd: float
    license: str | None
    origin: Origin

    @staticmethod
    def from_document(document: Document) -> Tool:
        """Read a document that fits the tool schema."""
        value: Any = document.value
        requires = value.get("requires") or {}
        return Tool(
            name=value["name"],
            title=value["title"],
            implementation=value["implementation"],
            implements=tuple(value["implements"]),
            needs=tuple(value["needs"]),
            gives=tuple(value["gives"]),
            grounds=frozenset(value.get("grounds", ())),
            parameters=value.get("parameters") or {},
            retries=tuple(value.get("retries") or ()),
            remedies=value.get("remedies") or {},
            guarantees=tuple(value.get("guarantees") or ()),
            objects={label: tuple(words or ()) for label, words in (value.get("objects") or {}).items()},
            requires=Requirements(
                extra=requires.get("extra"),
                packages=tuple(requires.get("packages") or ()),
                env=tuple(requires.get("env") or ()),
                weights=requires.get("weights") or {},
            ),
            determinism=value.get("determinism", "none"),
            timeout=float(value.get("timeout", 60)),
            price_usd=float(value.get("price_usd", 0)),
            license=value.get("license"),
            origin=Origin(document),
        )

    def defaults(self) -> dict[str, Any]:
        """The parameters of a first attempt."""
        return {name: schema["default"] for name, schema in self.parameters.items() if "default" in schema}
