"""Sets of orders as minimal automata, each stored once: two sets are equal when their numbers are.

A word is one complete order; its letters are numbers of steps. A state stands for the set of all words that can be
read from it; it is a pair: whether the empty word is one of them, and the edges (letter, state) by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

State = int
Letter = int
Edges = tuple[tuple[Letter, State], ...]

# The set that holds only the empty word.
END: State = 0


class TooMuchWork(Exception):  # noqa: N818  (control flow: the caller has another way, or a finding)
    """The set needs more states than it is worth looking at."""


@dataclass
class Languages:
    """All states, and how much may still be done with them."""

    work: int = 2_000_000
    final: list[bool] = field(default_factory=lambda: [True])
    edges: list[Edges] = field(default_factory=lambda: [()])
    _known: dict[tuple[bool, Edges], State] = field(default_factory=lambda: {(True, ()): END})

    def rested(self) -> Languages:
        """The same states, with as much work to do as in the beginning."""
        self.work = Languages.work
        return self

    def spend(self, amount: int) -> None:
        """Count work.

        Raises:
            TooMuchWork: there is none left.
        """
        self.work -= amount
        if self.work < 0:
            raise TooMuchWork

    def state(self, final: bool, edges: Iterable[tuple[Letter, State]]) -> State:
        """The one state with these words; no two edges may have the same letter."""
        key = (final, tuple(sorted(edges)))
        found = self._known.get(key)
        if found is None:
            self.spend(1 + len(key[1]))
            found = self._known[key] = len(self.edges)
            self.final.append(final)
            self.edges.append(key[1])
        return found

    def without_empty(self, state: State) -> State:
        """The same words, without the empty one."""
        return self.state(False, self.edges[state])

    def order(self, start: State) -> list[State]:
        """Every state that can be reached, each before those that its edges lead to; `END` comes last."""
        done: list[State] = []
        seen = {start}
        stack = [(start, iter(self.edges[start]))]
        while stack:
            state, edges = stack[-1]
            for _, target in edges:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(self.edges[target])))
                    break
            else:
                done.append(state)
                stack.pop()
        self.spend(len(done))
        # END was finished first: every longest word leads there.
        return done[::-1]

    def until(self, states: Sequence[State], stop: State) -> State:
        """The words that lead from the first of some states (in order, `stop` behind them) to `stop`."""
        moved = {stop: END}
        for state in reversed(states):
            edges = ((letter, moved[target]) for letter, target in self.edges[state])
            moved[state] = self.state(self.final[state], edges)
        return moved[states[0]]

    def then(self, first: State, second: State) -> Edges:
        """The edges of: a word of `first`, then one of `second`. No word of `first` may begin another one of it."""
        moved = {END: second}
        for state in reversed(self.order(first)):
            if state not in moved:
                moved[state] = self.state(False, ((letter, moved[target]) for letter, target in self.edges[state]))
        return self.edges[moved[first]]

    def count(self, start: State) -> dict[State, int]:
        """How many words can be read from each state that can be reached."""
        words: dict[State, int] = {}
        for state in reversed(self.order(start)):
            words[state] = self.final[state] + sum(words[target] for _, target in self.edges[state])
        return words


def from_graph(
    languages: Languages, letters: Mapping[int, Letter], children: Mapping[int, Sequence[int]], roots: Sequence[int]
) -> State:
    """The set of words along all ways from a root to a node without children.

    `letters` holds every node, each before its children.

    Raises:
        TooMuchWork: there are too many states.
    """
    # Nodes with the same ways down are one.
    known: dict[frozenset[tuple[Letter, int]], int] = {}
    alike: dict[int, int] = {}
    ways: list[frozenset[tuple[Letter, int]]] = []
    for node in reversed(letters):
        down = frozenset((letters[child], alike[child]) for child in children[node])
        if down not in known:
            known[down] = len(ways)
            ways.append(down)
        alike[node] = known[down]
    ways.append(frozenset((letters[root], alike[root]) for root in roots))
    return _determined(languages, ways, frozenset({len(ways) - 1}))


def _determined(languages: Languages, ways: Sequence[frozenset[tuple[Letter, int]]], start: frozenset[int]) -> State:
    """The state for "any of these nodes", found from the bottom up."""
    found: dict[frozenset[int], State] = {}
    moves: dict[frozenset[int], dict[Letter, frozenset[int]]] = {}
    stack = [start]
    while stack:
        group = stack[-1]
        if group in found:
            stack.pop()
            continue
        if group not in moves:
            targets: dict[Letter, set[int]] = {}
            for node in group:
                languages.spend(1 + len(ways[node]))
                for letter, target in ways[node]:
                    targets.setdefault(letter, set()).add(target)
            moves[group] = {letter: frozenset(members) for letter, members in targets.items()}
            missing = [target for target in moves[group].values() if target not in found]
            if missing:
                stack += missing
                continue
        stack.pop()
        final = any(not ways[node] for node in group)
        found[group] = languages.state(final, ((letter, found[target]) for letter, target in moves.pop(group).items()))
    return found[start]
