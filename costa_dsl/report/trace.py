"""The trace of a search for people: a few lines a step, each beginning with the question that it answers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from costa_dsl.compiler.drawing.words import clean, count
from costa_dsl.compiler.graph import Invocation
from costa_dsl.model.objective import gap, shown
from costa_dsl.report.graph import proof_words
from costa_dsl.report.trace_words import (
    changes,
    compared,
    joined,
    name,
    observed_words,
    path_words,
    told_words,
    totals_words,
)
from costa_dsl.search.strategies import BestFirst
from costa_dsl.search.trace import Arrival, End, Pop, Rival, Step, Trace, Way

_INDENT = 4
_KEY = 9  # as long as the longest of the words that begin a line
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Look:
    """How it shall look: the width in characters (40 or more), and whether headings are bold."""

    width: int = 100
    color: bool = False


def describe_trace(trace: Trace, steps: Sequence[Step], origin: str, notes: Sequence[str], look: Look) -> str:
    """The text that `costa trace` prints.

    Args:
        steps: those of the trace that shall be shown; the end is shown only with all of them.
        origin: what kind of run it was (`simulated with seed 7`); may be empty.
        notes: what else to say about the journal.
    """
    plan, spec = clean(trace.graph.plan.name), trace.strategy.name
    head = f"{plan}: {count(len(trace.steps), 'step')} of the search `{spec}` for the least {trace.objective.title}"
    head += f", {origin}" if origin else ""
    parts = ["\n".join(textwrap.wrap(head, look.width))]
    reuses = any(line.event == "started" for step in trace.steps for line in step.told)
    parts.extend(_step(trace, step, reuses, look) for step in steps)
    if len(steps) == len(trace.steps):
        parts.append(_end(trace, notes, look))
        parts.append(_legend(trace, look))
    return "\n\n".join(parts) + "\n"


def _lines(heading: str, rows: Sequence[tuple[str, str]], look: Look) -> str:
    found = textwrap.wrap(heading, look.width, subsequent_indent=" " * _INDENT)
    if look.color:
        found = [f"{_BOLD}{line}{_PLAIN}" for line in found]
    for key, text in rows:
        lines = textwrap.wrap(
            text,
            look.width,
            initial_indent=" " * _INDENT + key.ljust(_KEY) + "  ",
            subsequent_indent=" " * (_INDENT + _KEY + 2),
            break_on_hyphens=False,
        )
        found += (line.replace("\u00a0", " ") for line in lines)
    return "\n".join(found)


# ---- one step ------------------------------------------------------------------------------------------------
def _step(trace: Trace, step: Step, reuses: bool, look: Look) -> str:
    pop = step.pop
    rows = _asked(trace, pop)
    rows.append(("observed", observed_words(step)))
    if told := told_words(step, reuses):
        rows.append(("tool", told))
    if step.learnt is not None:
        rows.append(("learnt", _learnt(step)))
    if step.after is not None:
        rows.append(_reached(pop, step.after, step.completed))
    return _lines(f"{pop.number}. {name(pop.way.invocation)}", rows, look)


def _reached(pop: Pop, after: Way, completed: Arrival | None) -> tuple[str, str]:
    """What the label is worth now that its tool has run."""
    if completed is None:
        moved = gap(after.promise, pop.way.promise)
        same = f"{compared(moved)} than before" if moved else "as before"
        return "promise", f"{shown(after.promise)} by what is known now, {same}"
    path = f"{totals_words(after.seconds, after.quality, after.usd)}: {shown(completed.rank)}, "
    if not pop.complete:
        return "complete", path + "the first complete path"
    distance = gap(completed.rank, pop.complete)
    if completed.best:
        return "complete", f"{path}the best now, {compared(distance)} than the one before"
    same = f"{compared(distance)} than" if distance else "the same as"
    return "complete", f"{path}{same} the best"


def _asked(trace: Trace, pop: Pop) -> list[tuple[str, str]]:
    """What is known of a pop before its tool has run."""
    rows = [("label", _label(pop)), ("from", _from(pop)), ("why", _why(trace, pop))]
    if pop.rivals:
        left = pop.open_labels - 1 - len(pop.rivals)
        rivals = "; ".join(_rival(rival) for rival in pop.rivals)
        rows.append(("not", rivals + (f"; and {left} more" if left else "")))
    expected = pop.expected
    usd = f"{expected.usd:.3g} USD" if expected.usd else ""
    rows.append(("expected", joined(f"{expected.seconds:.3g} s", f"quality {expected.quality:.3f}", usd)))
    return rows


def _label(pop: Pop) -> str:
    way = pop.way
    bound = "its bound too" if way.bound == way.promise else f"its bound: {shown(way.bound)}"
    others = f"one of {pop.open_labels} that are open" if pop.open_labels > 1 else "the only one that is open"
    return f"{way.number}, {others}; it promises {shown(way.promise)} ({bound})"


def _rival(rival: Rival) -> str:
    return f"{_named(rival.way)} {shown(rival.way.promise)} ({compared(rival.excess)})"


def _named(way: Way) -> str:
    return f"label {way.number} ({_tool(way.invocation)})"


def _tool(invocation: Invocation) -> str:
    return f"{clean(invocation.tool)} at {clean(invocation.step)}"


def _from(pop: Pop) -> str:
    way = pop.way
    before = path_words(way.labels[:-1], way.path[:-1])
    before = f"{before} ({totals_words(*pop.before)})" if before else "the start"
    return {
        "start": before,
        "onward": f"where it was: {before}",
        "beside": f"the same place as the step before: {before}",
        "back": f"another place: {before}",
    }[pop.place]


def _why(trace: Trace, pop: Pop) -> str:
    after = f"{clean(pop.failed.tool)} was not good enough; " if pop.failed is not None else ""
    strategy = trace.strategy
    match pop.reason:
        case "only":
            return f"{after}nothing else is open{_against_complete(pop)}"
        case "least":
            less = compared(-pop.rivals[0].excess)
            return f"{after}it promises the least, {less} than the next{_against_complete(pop)}"
        case "equal":
            return (
                f"{after}none promises less; of equals first what goes on from the place reached last, then what came "
                "furthest, then the oldest"
            )
        case "patience":
            return (
                f"{after}it goes on from the place reached last: {_named(pop.rivals[0].way)} promises "
                f"{compared(pop.rivals[0].excess)}, within the patience of {getattr(strategy, 'patience', 0.0):.1%}"
            )
        case "curiosity":
            less = compared(gap(pop.complete, pop.way.promise))
            curiosity = getattr(strategy, "curiosity", 0.0)
            return (
                f"{after}a look around: the best complete path has {less} than it promises, within "
                f"{curiosity:g} times the {pop.surprise:.1%} by which outcomes have surprised"
            )
        case "order":
            return after + _ORDERS.get(strategy.name, "the strategy has an order of its own")


def _against_complete(pop: Pop) -> str:
    if not pop.complete:
        return ""
    return f"; {compared(gap(pop.way.promise, pop.complete))} than the best complete path has"


_ORDERS = {
    "paper": "each neighbor of a node runs before another node is taken",
    "exhaustive": "everything runs, depth first, in the order of the graph",
}


def _learnt(step: Step) -> str:
    learnt = step.learnt
    assert learnt is not None
    pair = f"{clean(learnt.pair.tool)} at {clean(learnt.pair.subtask)}: "
    found = pair + (changes(learnt.before, learnt.after) or "as estimated")
    before, after = f"{step.slowness:.3g}", f"{learnt.slowness:.3g}"
    return found + (f"; this machine takes {before} → {after} times the benchmark's seconds" if before != after else "")


# ---- the end -------------------------------------------------------------------------------------------------
def _end(trace: Trace, notes: Sequence[str], look: Look) -> str:
    end = trace.end
    rows = [("why", _why_it_ended(trace))]
    if end.path is not None:
        path, rank = end.path, shown(end.certificate.rank)
        sums = totals_words(path.seconds, path.quality, path.usd)
        rows.append(("path", path_words(path.labels, path.path)))
        rows.append(("reaches", f"{sums}, {trace.objective.title}: {rank}"))
    if end.still_open:
        left = end.open_labels - len(end.still_open)
        others = "; ".join(
            _rival(rival) if end.path else f"{_named(rival.way)} {shown(rival.way.promise)}" for rival in end.still_open
        )
        rows.append(("open", others + (f"; and {left} more" if left > 0 else "")))
    rows.append(("proof", _proof(end)))
    rows.extend(("note", note) for note in notes)
    heading = {
        "finished": "The end: a path was chosen",
        "exhausted": "The end: nothing is left to try",
        "stopped": "Stopped before the end",
    }[end.kind]
    text = _lines(heading, rows, look)
    if end.pending is not None:
        following = _lines(
            f"Next would have been: {name(end.pending.way.invocation)}", _asked(trace, end.pending), look
        )
        text += "\n\n" + following
    return text


def _proof(end: End) -> str:
    certificate = end.certificate
    if end.path is None:
        bound = f"; no path can rank below {shown(certificate.bound)}" if certificate.bound else ""
        return f"{certificate.status}: no path is complete{bound}"
    return f"{certificate.status}: {proof_words(certificate)}"


def _why_it_ended(trace: Trace) -> str:
    end, strategy = trace.end, trace.strategy
    if end.kind == "stopped":
        return {
            "budget": "the budget was spent",
            "cancelled": "the journal ends here: the run was interrupted or killed, or still goes on",
        }[end.certificate.status]
    if end.kind == "exhausted":
        return "every way to the goal has been tried, and each holds a tool that was not good enough"
    if not isinstance(strategy, BestFirst):
        return _ENDS.get(strategy.name, "the strategy was content")
    if not end.still_open:
        return "nothing is open any more: this is the best of all complete paths"
    excess = end.still_open[0].excess
    if excess < 0:
        return f"what is open promises {compared(excess)} at best, within the patience of {strategy.patience:.1%}"
    said = "nothing that is open promises less"
    if excess:
        said = f"the path has {compared(-excess)} than anything that is open promises"
    if strategy.curiosity and end.surprise:
        said += (
            f", and the search looks no further than {strategy.curiosity:g} times the {end.surprise:.1%} by which "
            "outcomes have surprised"
        )
    return said


_ENDS = {
    "paper": "it is the first complete path that was taken from the queue",
    "exhaustive": "everything has run: this is the best of all complete paths",
}


def _legend(trace: Trace, look: Look) -> str:
    text = (
        f"label: one way to a place, by its number; promise: the {trace.objective.title} of the best complete path "
        "through it, by the estimates of that moment, the less the better; bound: no path through it can be below; "
        "learnt: what is expected of this tool at this subtask from now on"
    )
    return "\n".join(textwrap.wrap(text, look.width))
