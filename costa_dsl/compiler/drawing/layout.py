"""A layered layout without Graphviz: boxes in layers, each line led through its own place in every layer it crosses.

The text of a line is a box of its own, in a layer between those of the two states; no box overlaps another, and
no line crosses a box, because lines bend only in the gaps between layers. Everything is worked out in two axes,
`along` (the way that the lines run) and `across`, so that one layout serves drawings to the right and downwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from costa_dsl.compiler.drawing.crossings import order_layers

GAP_ACROSS = 14.0  # between neighbors of one layer
PASSAGE = 4.0  # the room of a line that passes through a layer
STRAIGHT = 1e9  # how much more the best path wants to be straight than any other line
ROUNDS = 40
RIGID = 100.0  # how much more a piece between two items without branches wants to be straight


@dataclass(frozen=True, slots=True)
class Layers:
    """Boxes and passages in layers. Items below `boxes` are boxes, the others passages of long lines.

    Attributes:
        layers: the items of each layer, in their order across.
        chains: for each line, the items from its first to its last.
        weights: how much the two ends of each piece of a line want to be level.
        spine: the items of the best path, which stand in one straight line.
    """

    boxes: int
    layers: tuple[tuple[int, ...], ...]
    chains: tuple[tuple[int, ...], ...]
    weights: Mapping[tuple[int, int], float]
    spine: frozenset[int]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where everything is: the center of each item across, and the start and extent of each layer along."""

    across: tuple[float, ...]
    starts: tuple[float, ...]
    extents: tuple[float, ...]
    length: float
    breadth: float


def longest_ways(nodes: Sequence[str], edges: Collection[tuple[str, str]]) -> dict[str, int]:
    """The rank of each node: how many edges the longest way to it has. `nodes` are in topological order."""
    sources: dict[str, list[str]] = {node: [] for node in nodes}
    for source, target in edges:
        sources[target].append(source)
    ranks: dict[str, int] = {}
    for node in nodes:
        ranks[node] = max((ranks[source] + 1 for source in sources[node]), default=0)
    return ranks


def make_layers(ranks: Sequence[int], lines: Sequence[tuple[int, int]], best: Collection[int]) -> Layers:
    """Put boxes into layers by their ranks, and order each layer so that few lines cross.

    Args:
        ranks: the layer of each box.
        lines: pairs of boxes; a line leads to a higher rank.
        best: the numbers of the lines that want to be straight.
    """
    layers: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for box, rank in enumerate(ranks):
        layers[rank].append(box)
    following = len(ranks)
    chains: list[tuple[int, ...]] = []
    weights: dict[tuple[int, int], float] = {}
    for source, target in lines:
        chain = [source]
        for rank in range(ranks[source] + 1, ranks[target]):
            layers[rank].append(following)
            chain.append(following)
            following += 1
        chain.append(target)
        chains.append(tuple(chain))
        for first, second in pairwise(chain):
            passages = (first >= len(ranks)) + (second >= len(ranks))
            weights[first, second] = (1.0, 2.0, RIGID)[passages]
    leaving, arriving = Counter(first for first, _ in weights), Counter(second for _, second in weights)
    for first, second in weights:
        if leaving[first] == arriving[second] == 1:
            weights[first, second] = RIGID
    spine = frozenset(item for number in best for item in chains[number])
    ordered = order_layers(layers, weights)
    return Layers(len(ranks), tuple(map(tuple, ordered)), tuple(chains), weights, spine)


def place(found: Layers, along: Sequence[float], across: Sequence[float]) -> Placement:
    """Coordinates for boxes of these extents along and across."""
    centers = _centers(found, across)
    least = min((centers[item] - _half(item, across) for layer in found.layers for item in layer), default=0.0)
    centers = [round(round(center, 3) - least, 1) for center in centers]  # noise must not bend what is straight
    extents = [max((along[item] for item in layer if item < found.boxes), default=0.0) for layer in found.layers]
    steepest = [0.0] * len(found.layers)
    layer_of = {item: number for number, layer in enumerate(found.layers) for item in layer}
    for first, second in found.weights:
        rise = abs(centers[first] - centers[second])
        steepest[layer_of[first]] = max(steepest[layer_of[first]], rise)
    starts: list[float] = []
    position = 0.0
    for number, extent in enumerate(extents):
        starts.append(round(position, 1))
        position += extent + (gap_for(steepest[number]) if number + 1 < len(extents) else 0.0)
    breadth = max((centers[item] + _half(item, across) for layer in found.layers for item in layer), default=0.0)
    return Placement(tuple(centers), tuple(starts), tuple(extents), round(position, 1), round(breadth, 1))


def gap_for(rise: float) -> float:
    """The room between two layers: more where lines must climb far."""
    return min(22.0 + 0.16 * rise, 96.0 + 0.02 * rise)


def _half(item: int, across: Sequence[float]) -> float:
    return across[item] / 2 if item < len(across) else PASSAGE / 2


def _centers(found: Layers, across: Sequence[float]) -> list[float]:
    """Across-coordinates: each item as near to the middle of its neighbors as the order of its layer allows."""
    items = sum(len(layer) for layer in found.layers)
    before: list[list[tuple[int, float]]] = [[] for _ in range(items)]
    after: list[list[tuple[int, float]]] = [[] for _ in range(items)]
    for (first, second), weight in found.weights.items():
        before[second].append((first, weight))
        after[first].append((second, weight))
    centers = [0.0] * items
    for layer in found.layers:
        _settle(layer, dict.fromkeys(layer, (0.0, 1.0)), across, centers)
    rounds = ROUNDS if items <= 4_000 else ROUNDS // 4
    for turn in range(rounds):
        forward = turn % 2 == 0
        late = turn >= rounds // 2
        for layer in found.layers if forward else reversed(found.layers):
            wanted: dict[int, tuple[float, float]] = {}
            for item in layer:
                if item in found.spine:
                    wanted[item] = (0.0, STRAIGHT)
                    continue
                near = before[item] + after[item] if late else (before[item] if forward else after[item])
                total = sum(weight for _, weight in near)
                middle = sum(centers[other] * weight for other, weight in near)
                wanted[item] = (middle / total, total) if near else (centers[item], 0.1)
            _settle(layer, wanted, across, centers)
    return centers


def _settle(
    layer: Sequence[int], wanted: Mapping[int, tuple[float, float]], across: Sequence[float], centers: list[float]
) -> None:
    """Move a layer's items to where they want to be (place, weight), least squares, keeping order and distances.

    Distances are taken off first; what is left must only not fall, and pooling neighbors that would fall
    (isotonic regression) solves that exactly in linear time.
    """
    pools: list[list[float]] = []  # mean, weight, how many items
    offsets: list[float] = []
    offset = 0.0
    for position, item in enumerate(layer):
        if position:
            previous = layer[position - 1]
            offset += _half(previous, across) + GAP_ACROSS + _half(item, across)
        offsets.append(offset)
        goal, weight = wanted[item]
        pools.append([goal - offset, weight, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            mean, weight, size = pools.pop()
            below = pools[-1]
            total = below[1] + weight
            below[0] = (below[0] * below[1] + mean * weight) / total
            below[1] = total
            below[2] += size
    position = 0
    for mean, _, size in pools:
        for _ in range(int(size)):
            centers[layer[position]] = mean + offsets[position]
            position += 1
