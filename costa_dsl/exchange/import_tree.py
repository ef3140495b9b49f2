"""A subtask tree in the reference implementation's form → a plan with the same complete ways to do the job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from costa_dsl.diagnostics import Diagnostic, Severity, Sink, SourceSpan, SourceText, closest
from costa_dsl.exchange.coverage import uncovered
from costa_dsl.exchange.languages import Languages, State, TooMuchWork, from_graph
from costa_dsl.exchange.orders import Part, compact, plain, size_of
from costa_dsl.exchange.plan_yaml import comment_text, plan_text
from costa_dsl.exchange.step_words import PlainStep, Reading, read_words, split_text
from costa_dsl.exchange.tree_json import read_tree
from costa_dsl.exchange.tree_nodes import TaskTree, TreeNode, short
from costa_dsl.model.subtask import Subtask, Vocabulary
from costa_dsl.rules.meaning import subtask_meant
from costa_dsl.syntax import folded

# So many steps can be written down; a plan with more could not be compiled either.
MOST_STEPS = 20_000
# How like a name must be to a known one, so that it is taken for it.
_SURE = 0.85
# Guessing what a name means takes time: not for endless names, and not for endlessly many.
_LONGEST_NAME = 100
_MOST_GUESSES = 50


@dataclass(frozen=True, eq=False)
class Imported:
    """A plan made of a tree.

    Attributes:
        text: the plan's YAML.
        tree, steps: its steps by number, and what the numbers stand for.
        ways: how many complete ways there are.
    """

    text: str
    tree: Part
    steps: tuple[PlainStep, ...]
    ways: int


def import_tree(source: SourceText, vocabulary: Vocabulary, sink: Sink) -> Imported | None:
    """A plan whose complete paths are exactly those of the tree in a JSON text.

    What had to be assumed, and each word that a person has to add, goes to the sink as a warning. Errors give None.
    """
    tree = read_tree(source, sink)
    readings = _read_nodes(tree, vocabulary, sink) if tree is not None else None
    if tree is None or readings is None or not tree.sound or sink.has_errors:
        return None
    numbers: dict[PlainStep, int] = {}
    letters = {node.number: numbers.setdefault(readings[node.number].step, len(numbers)) for node in tree.nodes}
    firsts: dict[int, TreeNode] = {}
    for node in tree.nodes:
        firsts.setdefault(letters[node.number], node)
    languages = Languages()
    part, ways, start = None, 0, None
    try:
        start = from_graph(
            languages, {number: letters[number] for number in _in_order(tree)}, tree.children(), tree.roots
        )
        part, ways = _smallest(languages, start)
    except TooMuchWork:
        pass
    if part is None or start is None:
        sink.add(_too_many(firsts[0].span, ways))
        return None
    steps = tuple(numbers)
    languages = languages.rested()
    sink.extend(uncovered(languages, start, tree, letters, steps))
    remarks = {letter: _remark(readings[node.number], node.span, sink) for letter, node in firsts.items()}
    name = re.split(r"[\\/]", source.name)[-1]
    return Imported(plan_text(tree.task, part, steps, remarks, name), part, steps, ways)


def _smallest(languages: Languages, start: State) -> tuple[Part | None, int]:
    """The tree to write for a set of orders, None when it is too large; and how many orders there are."""
    ways = languages.count(start)[start]
    found = compact(languages, start)
    if found is not None and size_of(found) <= MOST_STEPS:
        return found, ways
    # Written out in full it may be long, and yet possible.
    return plain(languages.rested(), start, MOST_STEPS), ways


def _in_order(tree: TaskTree) -> list[int]:
    """The nodes, each before its children."""
    children = tree.children()
    waiting = {node.number: len(node.parents) for node in tree.nodes}
    ready = tree.roots[::-1]
    order = []
    while ready:
        number = ready.pop()
        order.append(number)
        for child in children[number]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return order


def _too_many(span: SourceSpan, ways: int) -> Diagnostic:
    counted = f"{ways:,} complete ways" if 0 < ways < 10**12 else "far too many complete ways"
    return Diagnostic(
        "COS3310",
        f"this tree has {counted}, and no plan of at most {MOST_STEPS:,} steps says the same",
        span,
        label="the tree begins here",
        help="import parts of it; in a plan, `any_order` says all orders of some steps in one line",
    )


def _read_nodes(tree: TaskTree, vocabulary: Vocabulary, sink: Sink) -> dict[int, Reading] | None:
    """How each node is understood; None when a subtask is unknown."""
    names = _Names(vocabulary, sink)
    known: dict[tuple[str, str], Reading] = {}
    readings: dict[int, Reading] = {}
    for node in tree.nodes:
        parts = split_text(node.text)
        subtask = names.find(parts.name, node.span)
        if subtask is None:
            continue
        key = (subtask.name, parts.argument)
        if key not in known:
            known[key] = read_words(subtask, parts.argument, vocabulary)
        readings[node.number] = known[key]
    return readings if len(readings) == len(tree.nodes) else None


class _Names:
    """Finds subtasks by the names that the tree gives them; tells of each name once."""

    def __init__(self, vocabulary: Vocabulary, sink: Sink) -> None:
        self.vocabulary = vocabulary
        self.sink = sink
        self.guesses = 0
        self.internal = {
            spelling for subtask in vocabulary.subtasks.values() if subtask.internal for spelling in _spellings(subtask)
        }
        self.known: dict[str, Subtask | None] = {
            spelling: subtask
            for subtask in vocabulary.subtasks.values()
            if not subtask.internal
            for spelling in _spellings(subtask)
        }

    def find(self, name: str, span: SourceSpan) -> Subtask | None:
        key = folded(name)
        if key not in self.known:
            self.known[key] = self.guess(name, key, span)
        return self.known[key]

    def guess(self, name: str, key: str, span: SourceSpan) -> Subtask | None:
        shown = short(name)
        if key in self.internal:
            message = f'"{shown}" is put in by the compiler where it is needed; no plan names it'
            self.sink.add(Diagnostic("COS3305", message, span, help="take the node out of the tree"))
            return None
        self.guesses += 1
        subtask = None
        if name and len(name) <= _LONGEST_NAME and self.guesses <= _MOST_GUESSES:
            subtask = self.nearest(name)
        if subtask is None or not _is_sure(key, subtask):
            label = f'did you mean "{subtask.title}"?' if subtask else ""
            help = "`costa tools list` shows every subtask"
            self.sink.add(Diagnostic("COS3305", f'unknown subtask "{shown}"', span, label=label, help=help))
            return None
        message = f'no subtask is called "{shown}"; it is taken for {subtask.name}'
        help = "change the name in the tree, or in the plan, when something else is meant"
        self.sink.add(Diagnostic("COS3314", message, span, Severity.WARNING, help=help))
        return subtask

    def nearest(self, name: str) -> Subtask | None:
        """The subtask that a name means, else the one whose title it resembles."""
        if meant := subtask_meant(name, self.vocabulary):
            return self.vocabulary.subtasks[meant.subtask]
        titles = {self.vocabulary.subtasks[plannable].title: plannable for plannable in self.vocabulary.plannable()}
        near = closest(name, titles)
        return self.vocabulary.subtasks[titles[near]] if near else None


def _spellings(subtask: Subtask) -> set[str]:
    return {folded(subtask.name), folded(subtask.title)}


def _is_sure(name: str, subtask: Subtask) -> bool:
    """Whether a name is a phrase of a subtask, or hardly differs from what it is called."""
    if name in {folded(phrase) for phrase in subtask.phrases}:
        return True
    return any(SequenceMatcher(None, name, known).ratio() >= _SURE for known in _spellings(subtask))


def _remark(reading: Reading, span: SourceSpan, sink: Sink) -> Sequence[str]:
    """Warn of what a step lacks; the lines of comment to put above it."""
    lines = [f"Assumed: {comment_text(sentence)}." for sentence in reading.assumed]
    name = reading.step.subtask
    if reading.no_color:
        lines.append("Missing: the name of a color; costa does not know this one.")
        message = f'{name} needs a color, and costa knows none in "{short(reading.no_color)}"'
        help = "the words stay in the plan; write a color's name or a hex value there"
        sink.add(Diagnostic("COS3317", message, span, Severity.WARNING, help=help))
    if reading.lacking:
        wanted = f"one of {', '.join(reading.lacking)}" if reading.one_lacking else " and ".join(reading.lacking)
        lines.append(f"Missing: {wanted}.")
        message = f"{name} needs {wanted}, which the tree does not say"
        help = 'look for "Missing:" in the plan; until then `costa validate` reports the step'
        sink.add(Diagnostic("COS3315", message, span, Severity.WARNING, help=help))
    if reading.unplaced:
        message = f'{name} has no word for "{short(reading.unplaced)}"'
        help = "it stands under `note:` in the plan, where it has no effect"
        sink.add(Diagnostic("COS3316", message, span, Severity.WARNING, help=help))
    return lines
