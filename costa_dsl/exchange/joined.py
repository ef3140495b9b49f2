"""Numbers that are joined into groups, step by step (union-find)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Joined:
    """Groups of numbers; each number is in a group of its own until it is joined with another one."""

    _owner: dict[int, int] = field(default_factory=dict)

    def root(self, number: int) -> int:
        """The least number of the group."""
        owner = self._owner
        while (above := owner.setdefault(number, number)) != number:
            owner[number] = owner[above]
            number = owner[number]
        return number

    def join(self, one: int, other: int) -> bool:
        """Make two groups one; whether they were two."""
        least, greater = sorted((self.root(one), self.root(other)))
        self._owner[greater] = least
        return least != greater
