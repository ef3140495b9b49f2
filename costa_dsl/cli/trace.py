"""`costa trace`: what a run or a simulation did, decision by decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from costa_dsl.cli.common import read_one, tell
from costa_dsl.cli.options import format_option
from costa_dsl.compiler.drawing.words import clean

if TYPE_CHECKING:
    from costa_dsl.compiler.graph import ToolpathGraph
    from costa_dsl.model.objective import Objective
    from costa_dsl.search.journal import Recording
    from costa_dsl.search.trace import Step, Trace
    from costa_dsl.store.journal_reading import Journal

NARROWEST, WIDEST = 40, 120
NOTHING_MATCHED = 3

Range = tuple[int, int | None]  # from 1; the last one belongs to it; None is the end


def _ranges(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Range, ...]:
    """`7`, `3-5`, `3-` and `-5`; the option may be repeated and may hold several, with commas."""
    found: list[Range] = []
    for text in (part.strip() for value in values for part in value.split(",")):
        match = re.fullmatch(r"([0-9]{1,9})?(-)?([0-9]{1,9})?", text, re.ASCII)
        first, dash, last = match.groups() if match else (None, None, None)
        if not (first or last):
            raise click.BadParameter(f'"{text}" is no step; write 7, 3-5, 3- or -5.', ctx, param)
        start = int(first or 1)
        end = int(last) if last else None if dash else start
        if start < 1 or (end is not None and end < start):
            raise click.BadParameter(f'"{text}" holds no step; they are counted from 1.', ctx, param)
        found.append((start, end))
    return tuple(found)


@click.command("trace")
@click.argument("run", metavar="RUN")
@click.option(
    "--step", "ranges", multiple=True, metavar="N[-M]", callback=_ranges,
    help="Only this step, or these: 7, 3-5, 3- or -5; may be repeated.",
)  # fmt: skip
@click.option("--strategy", metavar="NAME", help="Of a journal that holds several searches, the one by this strategy.")
@format_option()
def trace_command(run: str, ranges: tuple[Range, ...], strategy: str | None, output_format: str) -> None:
    """Explain every decision of RUN: what was taken, why, instead of what, what came of it, and what was learnt.

    RUN is a run directory of `costa exec` or `costa simulate --run-dir`, or the journal in it. The search is replayed
    from its outcomes: no tool runs, no picture and no catalog is needed. A run that was stopped is traced as far as
    it goes.

    \b
    Examples:
      costa trace runs/20260101-120000-astronaut
      costa trace runs/seven --step 7 --step 10-12
      costa trace runs/seven --format json
    """
    from costa_dsl.report.trace_json import trace_json
    from costa_dsl.search.journal import recordings
    from costa_dsl.search.replay import replay
    from costa_dsl.search.strategies import STRATEGIES
    from costa_dsl.store.journal_reading import read_journal, read_stop

    journal = read_journal(run)
    recording = _chosen(journal, recordings(journal.lines), strategy)
    if recording.strategy not in STRATEGIES:
        raise _unknown_strategy(recording)
    graph = _graph(journal, recording)
    objective = _objective(graph, recording)
    stopped = read_stop(journal.folder, recording.rest)
    trace = replay(graph, objective, STRATEGIES[recording.strategy], recording.outcomes, stopped)
    steps = _wanted(trace.steps, ranges)
    seed = _seed(journal)
    if output_format == "json":
        text = trace_json(trace, steps, journal.torn, seed)
    else:
        text = _text(trace, steps, seed, _notes(journal, recording, trace))
    click.echo(text, nl=False)


def _text(trace: Trace, steps: Sequence[Step], seed: int | None, notes: Sequence[str]) -> str:
    import shutil
    import sys

    from costa_dsl.report.diagnostics import wants_color
    from costa_dsl.report.trace import Look, describe_trace

    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size((100, 24)).columns))
    origin = f"simulated with seed {seed}" if seed is not None else ""
    return describe_trace(trace, steps, origin, notes, Look(width, wants_color(sys.stdout)))


def _chosen(journal: Journal, found: Sequence[Recording], strategy: str | None) -> Recording:
    """The one search of a journal that is wanted."""
    from costa_dsl.diagnostics import CostaError, Diagnostic

    if not found:
        raise CostaError(
            Diagnostic(
                "COS6503",
                "no line of this journal says what is searched",
                journal.lines[0].span,
                help="the run ended before its search began, or the file is the journal of something else",
            )
        )
    names = ", ".join(dict.fromkeys(clean(one.strategy) for one in found))
    wanted = [one for one in found if strategy in (None, one.strategy)]
    if not wanted:
        message = f'this journal holds no search by the strategy "{strategy}"'
        raise CostaError(
            Diagnostic("COS6507", message, found[0].span, help=f"it holds: {names}"), exit_code=NOTHING_MATCHED
        )
    if len(wanted) > 1:
        help = f"choose one with --strategy: {names}" if strategy is None else "trace a copy that holds one of them"
        message = f"this journal holds {len(wanted)} searches" + (f' by the strategy "{strategy}"' if strategy else "")
        raise CostaError(Diagnostic("COS6507", message, wanted[1].span, help=help), exit_code=2)
    return wanted[0]


def _unknown_strategy(recording: Recording) -> Exception:
    from costa_dsl.diagnostics import CostaError, Diagnostic, closest
    from costa_dsl.search.strategies import STRATEGIES

    guess = closest(recording.strategy, STRATEGIES)
    return CostaError(
        Diagnostic(
            "COS6507",
            f'there is no strategy "{clean(recording.strategy)}" in this version of costa',
            recording.span,
            label=f'did you mean "{guess}"?' if guess else "",
            help=f"it has: {', '.join(STRATEGIES)}",
        )
    )


def _graph(journal: Journal, recording: Recording) -> ToolpathGraph:
    """The graph that was searched, beside the journal.

    Raises:
        CostaError: it is missing, cannot be read, or is another one.
    """
    import hashlib
    import json

    from costa_dsl.compiler.read import read_recorded
    from costa_dsl.diagnostics import CostaError, Diagnostic, Sink
    from costa_dsl.store.journal_reading import GRAPH

    path = journal.folder / GRAPH
    if not path.is_file():
        message = f'the graph that was searched is missing: there is no "{path}"'
        raise CostaError(Diagnostic("COS6501", message, help="a journal is read with the graph.json beside it"))
    sink = Sink()
    document = read_one(str(path), ("ToolpathGraph",), sink)
    value: Any = document.value
    content = {key: part for key, part in value.items() if key not in ("digest", "source")}
    found = "sha256:" + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    if found != recording.graph:
        raise CostaError(
            Diagnostic(
                "COS6505",
                f"the search was of another graph: {_short(recording.graph)}, and {GRAPH} is {_short(found)}",
                recording.span,
                help="put back the graph.json of this run, or run it again",
            )
        )
    graph = read_recorded(document, sink)
    if graph is None:
        raise CostaError(*sink.sorted())
    tell(sink)
    return graph


def _short(digest: str) -> str:
    return clean(digest if len(digest) <= 19 else digest[:19] + "…")


def _objective(graph: ToolpathGraph, recording: Recording) -> Objective:
    """What the search looked for: the plan of the graph says it in full.

    Raises:
        CostaError: there is no such objective here, or the journal names another one.
    """
    from costa_dsl.diagnostics import CostaError, Diagnostic
    from costa_dsl.rules.plan.objective import objective_of

    objective, alpha = objective_of(graph.plan), graph.plan.policy.alpha
    if (objective.spec, alpha) != (recording.objective, recording.alpha):
        raise CostaError(
            Diagnostic(
                "COS6505",
                f"the search was for `{clean(recording.objective)}` at α {recording.alpha:g}, and the graph's plan "
                f"asks for `{objective.spec}` at α {alpha:g}",
                recording.span,
                help="put back the graph.json of this run, or run it again",
            )
        )
    return objective


def _seed(journal: Journal) -> int | None:
    """The seed of the world, when the run was simulated."""
    seeds = [line.value.get("seed") for line in journal.lines if line.event == "simulated"]
    return seeds[0] if seeds and isinstance(seeds[0], int) else None


def _notes(journal: Journal, recording: Recording, trace: Trace) -> list[str]:
    from costa_dsl.search.journal import STARTED

    notes = []
    if any(line.event == STARTED for line in recording.rest):
        notes.append("a tool was running when the journal ended")
    if journal.torn:
        notes.append("the last line of the journal was not written to its end, and is left out")
    if trace.end.certificate.status == "cancelled" and journal.lines[0].event == "run":
        notes.append("`costa exec --resume` goes on from here")
    return notes


def _wanted(steps: Sequence[Step], ranges: Sequence[Range]) -> Sequence[Step]:
    """The steps in some ranges, in their order; all when there are none.

    Raises:
        CostaError: a range begins behind the last step.
    """
    if not ranges:
        return steps
    from costa_dsl.diagnostics import CostaError, Diagnostic

    wanted: set[int] = set()
    for start, end in ranges:
        if start > len(steps):
            message = f"there is no step {start}: this trace has {len(steps)}"
            raise CostaError(
                Diagnostic("COS6508", message, help="`costa trace RUN` shows them all"), exit_code=NOTHING_MATCHED
            )
        wanted.update(range(start, min(end or len(steps), len(steps)) + 1))
    return [step for number, step in enumerate(steps, start=1) if number in wanted]
