"""The order of boxes within layers that lets few lines cross: barycenter sweeps, then swaps of neighbors."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

SWEEPS = 24
SMALL = 1_500  # graphs up to so many items get all sweeps, and swaps
LARGE = 12_000  # larger ones get few


def order_layers(layers: Sequence[Sequence[int]], lines: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Reorder each layer's items.

    Args:
        layers: the items of each layer.
        lines: pairs of items of neighboring layers, the first in the earlier layer, with weights.
    """
    before: dict[int, list[int]] = {item: [] for layer in layers for item in layer}
    after: dict[int, list[int]] = {item: [] for layer in layers for item in layer}
    for first, second in lines:
        before[second].append(first)
        after[first].append(second)
    current = _first_order(layers, after)
    items = len(before)
    sweeps = SWEEPS if items <= SMALL else (8 if items <= LARGE else 3)
    best, least = [list(layer) for layer in current], _crossings(current, after)
    for sweep in range(sweeps):
        if least == 0:
            break
        forward = sweep % 2 == 0
        _sweep(current, before if forward else after, forward)
        if items <= SMALL:
            _swap(current, before, after)
        found = _crossings(current, after)
        if found < least:
            best, least = [list(layer) for layer in current], found
    return best


def _first_order(layers: Sequence[Sequence[int]], after: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Items in the order in which a walk in depth meets them, so that branches start out untangled."""
    met: dict[int, int] = {}
    stack = [item for layer in layers[:1] for item in reversed(layer)]
    while stack:
        item = stack.pop()
        if item not in met:
            met[item] = len(met)
            stack.extend(reversed(after[item]))
    return [sorted(layer, key=lambda item: met.get(item, len(met))) for layer in layers]


def _sweep(layers: list[list[int]], neighbors: Mapping[int, Sequence[int]], forward: bool) -> None:
    """Sort each layer by the mean place of its items' neighbors in the layer that was just sorted."""
    numbers = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
    for number in numbers:
        fixed = layers[number - 1 if forward else number + 1]
        at = {item: place for place, item in enumerate(fixed)}
        means = {
            item: sum(at[other] for other in neighbors[item]) / len(neighbors[item])
            if neighbors[item]
            else float(place)
            for place, item in enumerate(layers[number])
        }
        layers[number].sort(key=lambda item: means[item])


def _swap(layers: list[list[int]], before: Mapping[int, Sequence[int]], after: Mapping[int, Sequence[int]]) -> None:
    """Swap neighbors in a layer wherever that saves crossings, once along each layer."""
    for number, layer in enumerate(layers):
        sides = []
        if number:
            sides.append((before, {item: place for place, item in enumerate(layers[number - 1])}))
        if number + 1 < len(layers):
            sides.append((after, {item: place for place, item in enumerate(layers[number + 1])}))
        for place in range(len(layer) - 1):
            left, right = layer[place], layer[place + 1]
            change = 0
            for neighbors, at in sides:
                change += _pairs_crossing([at[x] for x in neighbors[right]], [at[x] for x in neighbors[left]])
                change -= _pairs_crossing([at[x] for x in neighbors[left]], [at[x] for x in neighbors[right]])
            if change < 0:
                layer[place], layer[place + 1] = right, left


def _pairs_crossing(left: Iterable[int], right: Sequence[int]) -> int:
    """Crossings between the lines of two neighbors, given the places that their lines lead to."""
    return sum(1 for one in left for other in right if one > other)


def _crossings(layers: Sequence[Sequence[int]], after: Mapping[int, Sequence[int]]) -> int:
    """How many pairs of lines cross, over all layers."""
    total = 0
    for layer, following in pairwise(layers):
        at = {item: place for place, item in enumerate(following)}
        seen: list[int] = []
        for item in layer:
            ends = sorted(at[other] for other in after[item])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total
