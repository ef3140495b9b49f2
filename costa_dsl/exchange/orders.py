"""A set of orders → the shortest tree of lists, `any_order` and `one_of` that we can find for exactly this set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from costa_dsl.exchange.any_order import AnyOrderFinder
from costa_dsl.exchange.joined import Joined
from costa_dsl.exchange.languages import END, Languages, Letter, State, TooMuchWork

# A plan may be nested 100 levels deep (costa_dsl.syntax); its own keys and the steps take some of them.
DEEPEST = 90


@dataclass(frozen=True, eq=False)
class Group:
    """Several parts under one construct: `list`, `any_order` or `one_of`. A part that is a number is a step."""

    construct: str
    parts: tuple[Part, ...]


Part: TypeAlias = Letter | Group


def compact(languages: Languages, start: State) -> Part | None:
    """A tree for a set of orders; None when it would be nested too deep, or finding it takes too long."""
    try:
        found = _Builder(languages).part(start, 0)
    except (TooMuchWork, _TooDeep):
        return None
    return found if _depth_of(found) <= DEEPEST else None


def plain(languages: Languages, start: State, most: int) -> Part | None:
    """`one_of` over all orders, each written out; None when these are more than `most` steps."""
    words = languages.count(start)
    steps: dict[State, int] = {}
    for state in reversed(languages.order(start)):
        steps[state] = sum(words[target] + steps[target] for _, target in languages.edges[state])
    if steps[start] > most:
        return None
    return _group("one_of", [_group("list", word) for word in _words(languages, start)])


def _words(languages: Languages, start: State) -> Iterator[list[Letter]]:
    stack: list[tuple[State, tuple[Letter, ...]]] = [(start, ())]
    while stack:
        state, word = stack.pop()
        if languages.final[state]:
            yield list(word)
        stack += [(target, (*word, letter)) for letter, target in reversed(languages.edges[state])]


def size_of(part: Part) -> int:
    """How many steps a tree has when it is written out; it may share parts."""
    sizes: dict[int, int] = {}

    def size(part: Part) -> int:
        if isinstance(part, int):
            return 1
        if id(part) not in sizes:
            sizes[id(part)] = sum(size(inner) for inner in part.parts)
        return sizes[id(part)]

    return size(part)


def _depth_of(part: Part) -> int:
    """How deep the lists and mappings of a tree are nested."""
    depths: dict[int, int] = {}

    def depth(part: Part) -> int:
        if isinstance(part, int):
            return 1
        if id(part) not in depths:
            own = 1 if part.construct == "list" else 2
            depths[id(part)] = own + max(depth(inner) for inner in part.parts)
        return depths[id(part)]

    return depth(part)


class _TooDeep(Exception):  # noqa: N818  (control flow)
    pass


def _group(construct: str, parts: Sequence[Part]) -> Part:
    """A group without needless nesting: a list in a list is one list, and so is `one_of` in `one_of`."""
    flat: list[Part] = []
    for part in parts:
        nested = isinstance(part, Group) and part.construct == construct != "any_order"
        flat += part.parts if nested and isinstance(part, Group) else [part]
    return flat[0] if len(flat) == 1 else Group(construct, tuple(flat))


class _Builder:
    def __init__(self, languages: Languages) -> None:
        self.languages = languages
        self.known: dict[State, Part] = {}

    def part(self, start: State, depth: int) -> Part:
        """A tree for all words of a state; the empty word is not one of them."""
        if depth > DEEPEST:
            raise _TooDeep
        if start not in self.known:
            segments = self._segments(start)
            if len(segments) == 1:
                self.known[start] = self._single(start, depth)
            else:
                self.known[start] = _group("list", [self.part(segment, depth + 1) for segment in segments])
        return self.known[start]

    def _segments(self, start: State) -> list[State]:
        """The set cut where all words come through one state."""
        states = self.languages.order(start)
        place = {state: index for index, state in enumerate(states)}
        cuts, farthest = [0], 0
        for index, state in enumerate(states):
            if index and farthest <= index and (state == END or not self.languages.final[state]):
                cuts.append(index)
            ends_here = self.languages.final[state]
            reach = len(states) - 1 if ends_here else max(place[target] for _, target in self.languages.edges[state])
            farthest = max(farthest, reach)
        if len(cuts) == 2:
            return [start]
        return [self.languages.until(states[left:right], states[right]) for left, right in pairwise(cuts)]

    def _single(self, start: State, depth: int) -> Part:
        edges = self.languages.edges[start]
        if edges == ((edges[0][0], END),):
            return edges[0][0]
        items = AnyOrderFinder(self.languages, start).items() if len(edges) > 1 else []
        if items:
            return Group("any_order", tuple(self.part(item, depth + 2) for item in items))
        branches = self._branches(start)
        # Orders of two items have no state in common: first branches about other steps are kept apart, then all.
        for alternatives in (self._by_steps(branches, alike=False), self._by_steps(branches, alike=True), branches):
            if len(alternatives) > 1:
                return _group("one_of", [self.part(each, depth + 2) for each in alternatives])
        return self._by_first_step(start, depth)

    def _branches(self, start: State) -> list[State]:
        """The set parted so that no two parts have a state in common besides their ends."""
        languages = self.languages
        joined = Joined()
        for state in languages.order(start)[1:]:
            for _, target in languages.edges[state]:
                if target != END:
                    joined.join(state, target)
        parts: dict[tuple[int, int], list[tuple[Letter, State]]] = {}
        for letter, target in languages.edges[start]:
            name = (1, letter) if target == END else (0, joined.root(target))
            parts.setdefault(name, []).append((letter, target))
        return [languages.state(False, edges) for edges in parts.values()]

    def _by_steps(self, branches: Sequence[State], alike: bool) -> list[State]:
        """Branches put together again: those that share a step, or (`alike`) those with the very same steps."""
        languages = self.languages
        letters = [
            frozenset(letter for state in languages.order(branch) for letter, _ in languages.edges[state])
            for branch in branches
        ]
        joined = Joined()
        for own in letters:
            for letter in own:
                joined.join(min(own), letter)
        members: dict[object, list[State]] = {}
        for branch, own in zip(branches, letters, strict=True):
            members.setdefault(own if alike else joined.root(min(own)), []).append(branch)
        return [
            languages.state(False, (edge for branch in together for edge in languages.edges[branch]))
            for together in members.values()
        ]

    def _by_first_step(self, start: State, depth: int) -> Part:
        """One alternative for each step that may come first; those with the same rest share it."""
        firsts: dict[State, list[Letter]] = {}
        for letter, target in self.languages.edges[start]:
            firsts.setdefault(target, []).append(letter)
        found: list[Part] = []
        for target, letters in firsts.items():
            first = _group("one_of", letters)
            if self.languages.final[target]:
                found.append(first)
            if target != END:
                rest = self.part(self.languages.without_empty(target), depth + 3)
                found.append(_group("list", [first, rest]))
        return _group("one_of", found)
