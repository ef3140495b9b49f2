"""Complete ways of a subtask tree that leave out a step which every other way has: likely a slip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from costa_dsl.diagnostics import Diagnostic, Severity
from costa_dsl.exchange.languages import Languages, Letter, State
from costa_dsl.exchange.step_words import PlainStep
from costa_dsl.exchange.tree_nodes import TaskTree

# A tree with more different steps, or with longer texts, is not looked at step by step.
_MOST_LOOKS = 3_000_000


def uncovered(
    languages: Languages, start: State, tree: TaskTree, letters: Mapping[int, Letter], steps: Sequence[PlainStep]
) -> Iterator[Diagnostic]:
    """A warning for each way that lacks a step of all others and has no step of its own in its place."""
    order = languages.order(start)
    total = languages.count(start)[start]
    size = sum(1 + len(languages.edges[state]) for state in order)
    if total < 2 or size * len(steps) > _MOST_LOOKS:
        return
    lacking: dict[tuple[Letter, ...], list[Letter]] = {}
    for letter in range(len(steps)):
        without = _counted_without(languages, order, letter)
        if without[start] == 1:
            lacking.setdefault(_only_word(languages, start, letter, without), []).append(letter)
    for word, missing in lacking.items():
        if any(_is_own(languages, order, letter) for letter in set(word)):
            continue
        named = ", ".join(_named(steps[letter]) for letter in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        yield Diagnostic(
            "COS3313",
            f"the way that ends here has no {named}{more}; every other way has",
            tree.nodes[_last_node(word, tree, letters)].span,
            Severity.WARNING,
            help="add the step to this way, unless the job is done without it",
        )


def _counted_without(languages: Languages, order: Sequence[State], letter: Letter) -> dict[State, int]:
    """For each state, how many of its words do not have a letter."""
    words: dict[State, int] = {}
    for state in reversed(order):
        words[state] = languages.final[state] + sum(
            words[target] for other, target in languages.edges[state] if other != letter
        )
    return words


def _only_word(languages: Languages, start: State, letter: Letter, without: Mapping[State, int]) -> tuple[Letter, ...]:
    """The one word that does not have a letter."""
    word: list[Letter] = []
    state = start
    while True:
        step = next(
            ((other, target) for other, target in languages.edges[state] if other != letter and without[target]), None
        )
        if step is None:
            return tuple(word)
        word.append(step[0])
        state = step[1]


def _is_own(languages: Languages, order: Sequence[State], letter: Letter) -> bool:
    """Whether only one word has a letter."""
    start = order[0]
    return languages.count(start)[start] - _counted_without(languages, order, letter)[start] == 1


def _last_node(word: Sequence[Letter], tree: TaskTree, letters: Mapping[int, Letter]) -> int:
    """The node at which a way with these steps ends."""
    children = tree.children()
    here = {root for root in tree.roots if letters[root] == word[0]}
    for letter in word[1:]:
        here = {child for node in here for child in children[node] if letters[child] == letter}
    return min(node for node in here if not children[node])


def _named(step: PlainStep) -> str:
    value = next((value for _, value in step.words), None)
    shown = "" if value is None else f' "{value if len(str(value)) <= 40 else str(value)[:39] + "…"}"'
    return step.subtask + shown
