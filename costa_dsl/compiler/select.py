"""select: each step → the tools that may do it here, with a reason for every tool that may not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from costa_dsl.catalog.availability import missing
from costa_dsl.catalog.catalog import Catalog
from costa_dsl.compiler.graph import ArtifactKey, GraphStep
from costa_dsl.diagnostics import Diagnostic, Sink
from costa_dsl.model.artifact import Target
from costa_dsl.model.plan import Plan, Step
from costa_dsl.model.reference import parse_reference
from costa_dsl.model.tool import Tool

# The keys of `at:` that tools can look at; `of` is followed by the compiler instead.
PLACES = ("box", "mask", "point", "color", "text")


@dataclass(frozen=True)
class Selection:
    """The tools left for one step, and why the others are out (tool name → sentence)."""

    tools: tuple[Tool, ...]
    excluded: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Selector:
    """Answers which tools may serve which step."""

    plan: Plan
    catalog: Catalog
    assume_available: bool = False

    def select(self, step: GraphStep) -> Selection:
        """The tools that may do the step itself."""
        tools, excluded = [], {}
        for tool in self.catalog.tools_for(step.step.subtask):
            reason = self.why_not(tool, step.step.subtask, step)
            if reason is None and step.step.tools.only and tool.name not in step.step.tools.only:
                reason = "the step's `tools: only` does not name it"
            if reason is None:
                tools.append(tool)
            else:
                excluded[tool.name] = reason
        return Selection(tuple(tools), excluded)

    def why_not(self, tool: Tool, subtask: str, step: GraphStep) -> str | None:
        """Why a tool may not serve a step; None when it may."""
        if tool.name in step.step.tools.avoid or tool.name in self.plan.policy.tools.avoid:
            return "`tools: avoid` names it"
        only = set(self.plan.policy.tools.only)
        if only and tool.name not in only and only & {rival.name for rival in self.catalog.tools_for(subtask)}:
            return "the policy's `tools: only` names others for this"
        row = self.catalog.row(tool.name, subtask)
        if row is None:
            return f"it has no benchmark row for {subtask}"
        best = max([row.quality, *(case.quality for case in self.catalog.cases_of(tool.name, subtask))])
        if best < self.plan.policy.threshold and not self.catalog.is_measured(subtask):
            # Running it could not tell more: where no check measures, a result is as good as the benchmark says.
            # A tool that is good at some targets stays: which case this is, only the run can tell.
            at_best = f" ({best:g} at best)" if best > row.quality else ""
            threshold = self.plan.policy.threshold
            return f"its benchmark quality {row.quality:g}{at_best} is below the threshold {threshold:g}"
        if reason := _cannot_ground(tool, step.target):
            return reason
        if not self.assume_available and (lacks := missing(tool)):
            return "; ".join(f"{lack.what} ({lack.command})" for lack in lacks)
        return None

    def keys(self, artifacts: tuple[str, ...], step: GraphStep) -> tuple[ArtifactKey, ...]:
        """Artifact types as keys for this step's target, the picture left out."""
        scopes = self.catalog.vocabulary.artifacts
        return tuple(
            ArtifactKey(artifact, step.owner if scopes[artifact] == "target" else "")
            for artifact in artifacts
            if artifact != "image"
        )


def _cannot_ground(tool: Tool, target: Target) -> str | None:
    """Why a tool that looks for its target on its own cannot look for this one."""
    if not tool.grounds:
        return None
    place = next((key for key, _ in target.at if key in PLACES), None)
    if place is not None:
        return None if place in tool.grounds else f"it does not find things by `at: {{{place}: …}}`"
    if target.object is None:
        return None if "nothing" in tool.grounds else "the step names no object and no place"
    if "object" not in tool.grounds:
        return "the step has no `at:`"
    if tool.objects and parse_reference(target.object, tool.objects) is None:
        return f'it does not know "{target.object}" (it knows {len(tool.objects)} kinds of objects)'
    return None


def resolve_steps(plan: Plan, sink: Sink) -> dict[str, GraphStep]:
    """Every step with its target: `at: {of: id}` without a side means the very target of that step."""
    resolved: dict[str, GraphStep] = {}
    for step in plan.steps:
        target = step.target
        at = dict(target.at)
        if "of" in at and "side" not in at:
            other = resolved.get(str(at["of"]))
            if other is None:
                sink.add(
                    Diagnostic(
                        "COS3113",
                        f"`at: {{of: {at['of']}}}` refers to a step that is not done before this one",
                        step.origin.span("at", "of"),
                    )
                )
            else:
                target = other.target
        resolved[step.id] = GraphStep(step, target, _owner(step, target))
    return resolved


def _owner(step: Step, target: Target) -> str:
    """A canonical name of what a step works on; equal for steps that can share artifacts."""
    parts = [target.object.strip().lower()] if target.object else []
    if target.at:
        parts.append("@" + json.dumps(dict(target.at), sort_keys=True, default=list, ensure_ascii=False))
    if isinstance(text := step.arguments.get("text"), str) and not target.at:
        parts.append(json.dumps(text, ensure_ascii=False))
    return " ".join(parts)
