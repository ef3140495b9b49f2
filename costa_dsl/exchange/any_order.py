"""Tells whether a set of orders is "all of these items, in any order"."""

from __future__ import annotations

from collections.abc import Sequence

from costa_dsl.exchange.joined import Joined
from costa_dsl.exchange.languages import END, Languages, Letter, State

# More than these are not looked at for a common `any_order`: its set would need far more states.
_MOST_ITEMS = 60
_MOST_LETTERS = 200


class AnyOrderFinder:
    """Tells whether a set is "all of these items, in any order", and which items.

    Steps belong to one item when they never stand in both orders: then one follows the other, or they are
    alternatives. What comes of it is compared with the set, so that a wrong guess does no harm.
    """

    def __init__(self, languages: Languages, start: State) -> None:
        self.languages = languages
        self.start = start
        self.states = languages.order(start)
        self.below = self._letters_below()
        self.joined = Joined()

    def items(self) -> list[State]:
        """The items by their first steps; empty when it is no such set."""
        if len(self.bit) > _MOST_LETTERS:
            return []
        self._join_ordered()
        blocks = self._blocks()
        if len(blocks) > _MOST_ITEMS:
            return []
        # A set of n items has at least one state for each subset of them.
        while len(blocks) > 1 and 1 << len(blocks) > len(self.states) and self._join_unfinished(blocks):
            blocks = self._blocks()
        while len(blocks) > 1 and 1 << len(blocks) <= len(self.states):
            items = [self._item(block) for block in blocks]
            if None not in items and self._all_orders([item for item in items if item is not None]) == self.start:
                return [item for item in items if item is not None]
            if not self._join_unfinished(blocks):
                return []
            blocks = self._blocks()
        return []

    def _letters_below(self) -> dict[State, int]:
        """For each state, the letters of its words, as bits."""
        self.bit: dict[Letter, int] = {}
        for state in self.states:
            for letter, _ in self.languages.edges[state]:
                self.bit.setdefault(letter, 1 << len(self.bit))
        below: dict[State, int] = {}
        for state in reversed(self.states):
            below[state] = 0
            for letter, target in self.languages.edges[state]:
                below[state] |= self.bit[letter] | below[target]
        self.languages.spend(len(self.states) * (1 + len(self.bit) // 256))
        return below

    def _join_ordered(self) -> None:
        after = dict.fromkeys(self.bit, 0)
        for state in self.states:
            for letter, target in self.languages.edges[state]:
                after[letter] |= self.below[target]
        letters = list(after)
        self.languages.spend(len(letters) ** 2 // 2)
        for index, one in enumerate(letters):
            for other in letters[:index]:
                if not (after[one] & self.bit[other] and after[other] & self.bit[one]):
                    self.joined.join(one, other)

    def _blocks(self) -> list[frozenset[Letter]]:
        parts: dict[Letter, set[Letter]] = {}
        for letter in sorted(self.bit):
            parts.setdefault(self.joined.root(letter), set()).add(letter)
        return [frozenset(part) for part in parts.values()]

    def _join_unfinished(self, blocks: Sequence[frozenset[Letter]]) -> bool:
        """Join blocks where one cannot begin although another seems to be finished: it is not. Whether any were."""
        starts = {letter for letter, _ in self.languages.edges[self.start]}
        for block in blocks:
            bits = sum(self.bit[letter] for letter in block)
            seen, stack = {self.start}, [self.start]
            while stack:
                state = stack.pop()
                self.languages.spend(1)
                out = {letter for letter, _ in self.languages.edges[state]}
                if not self.below[state] & bits and state != END and starts - block - out:
                    joined = [self.joined.join(next(iter(block)), letter) for letter in out]
                    return any(joined)
                for letter, target in self.languages.edges[state]:
                    if letter in block and target not in seen:
                        seen.add(target)
                        stack.append(target)
        return False

    def _item(self, block: frozenset[Letter]) -> State | None:
        """What can be done of a block when it comes first; None when that does not end with the block."""
        bits = sum(self.bit[letter] for letter in block)
        moved: dict[State, State] = {}
        stack = [self.start]
        while stack:
            state = stack[-1]
            if state in moved:
                stack.pop()
                continue
            if not self.below[state] & bits:
                moved[state] = END
                continue
            edges = [(letter, target) for letter, target in self.languages.edges[state] if letter in block]
            missing = [target for _, target in edges if target not in moved]
            if missing:
                stack += missing
            elif not edges or self.languages.final[state]:
                return None
            else:
                moved[state] = self.languages.state(False, ((letter, moved[target]) for letter, target in edges))
        return moved[self.start]

    def _all_orders(self, items: Sequence[State]) -> State:
        """The set of all orders of some items that have no letter in common."""
        rest: dict[int, State] = {0: END}
        for chosen in range(1, 1 << len(items)):
            edges: list[tuple[Letter, State]] = []
            for index, item in enumerate(items):
                if chosen >> index & 1:
                    edges += self.languages.then(item, rest[chosen & ~(1 << index)])
            rest[chosen] = self.languages.state(False, edges)
        return rest[(1 << len(items)) - 1]
