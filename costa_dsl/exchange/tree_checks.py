"""What can be wrong with a subtask tree as a graph: unknown parents, cycles, nodes on no way, several beginnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from costa_dsl.diagnostics import Diagnostic, Related, Severity, Sink, SourceSpan, closest
from costa_dsl.exchange.tree_nodes import Entry, TreeNode, short

# Each guess looks at every name; a file with more slips than this is not mended by guesses.
_MOST_GUESSES = 20


def joined(entries: Iterable[Entry], sink: Sink) -> dict[str, TreeNode]:
    """One node for each text; an entry that says nothing new is warned of."""
    parents: dict[str, dict[str, None]] = {}
    spans: dict[str, SourceSpan] = {}
    for entry in entries:
        named = dict.fromkeys(name for name, _ in entry.parents)
        if entry.text in spans and named.keys() <= parents[entry.text].keys() and (named or not parents[entry.text]):
            sink.add(
                Diagnostic(
                    "COS3312",
                    f'the node "{short(entry.text)}" stands twice, with the same parents',
                    entry.span,
                    Severity.WARNING,
                    label="again here",
                    help="remove one of them; steps that are done twice need numbers of their own",
                    related=(Related("first here", spans[entry.text]),),
                )
            )
        spans.setdefault(entry.text, entry.span)
        parents.setdefault(entry.text, {}).update(named)
    numbers = {text: number for number, text in enumerate(spans)}
    return {
        text: TreeNode(
            numbers[text], text, tuple(numbers[name] for name in parents[text] if name in numbers), spans[text]
        )
        for text in spans
    }


def check_parents(entries: Iterable[Entry], nodes: Mapping[str, TreeNode], sink: Sink) -> set[int]:
    """Report parents that are no nodes; the numbers of the nodes all of whose parents are known."""
    guesses = 0
    lacking: set[int] = set()
    rooted: dict[str, SourceSpan] = {}
    for entry in entries:
        if not entry.parents:
            rooted.setdefault(entry.text, entry.span)
        for name, span in entry.parents:
            if name in nodes:
                continue
            lacking.add(nodes[entry.text].number)
            guesses += 1
            near = closest(name, nodes) if guesses <= _MOST_GUESSES and len(name) < 200 else None
            label = f'did you mean "{short(near)}"?' if near else ""
            message = f'the parent "{short(name)}" is no node of the tree'
            sink.add(Diagnostic("COS3306", message, span, label=label, help="add the node, or name another one"))
    for text, span in rooted.items():
        if nodes[text].parents:
            message = f'the node "{short(text)}" has no parent here and some elsewhere'
            sink.add(Diagnostic("COS3304", message, span, help="give the two entries different numbers"))
    return {node.number for node in nodes.values()} - lacking


def check_ways(nodes: Mapping[str, TreeNode], complete: set[int], sink: Sink) -> bool:
    """Report cycles, nodes that no way leads through, and several roots; whether every node is on a way."""
    listed = list(nodes.values())
    down: dict[int, list[int]] = {node.number: [] for node in listed}
    for node in listed:
        for parent in node.parents:
            down[parent].append(node.number)
    up = {node.number: list(node.parents) for node in listed}
    roots = [node.number for node in listed if not node.parents and node.number in complete]
    cycles = _cycles(up)
    circular = {number for cycle in cycles for number in cycle}
    for cycle in cycles:
        _report_cycle(cycle, listed, sink)
    # A node with an unknown parent is reported already: what follows it is not lost on top of that.
    from_above = _reached([*roots, *(number for number in up if number not in complete)], down)
    from_below = _reached([number for number, children in down.items() if not children], up)
    for node in listed:
        if node.number in circular or (node.number in from_above and node.number in from_below):
            continue
        where = "no way from a first step leads to" if node.number not in from_above else "no way to an end leads from"
        sink.add(Diagnostic("COS3308", f'{where} the node "{short(node.text)}"', node.span, help=_CYCLE_HELP))
    if len(roots) > 1:
        first, second = roots[:2]
        sink.add(
            Diagnostic(
                "COS3311",
                f"{len(roots)} nodes have no parent; the reference implementation begins with one",
                listed[second].span,
                Severity.WARNING,
                label="begins a way of its own",
                help="they become alternatives; name a parent where a step must come later",
                related=(Related("the first one", listed[first].span),),
            )
        )
    return not circular and len(complete) == len(listed)


_CYCLE_HELP = 'a tree begins at a node with "parent": [] and ends at nodes that are nobody\'s parent'


def _reached(starts: Iterable[int], edges: Mapping[int, Sequence[int]]) -> set[int]:
    found = set(starts)
    stack = list(found)
    while stack:
        for target in edges[stack.pop()]:
            if target not in found:
                found.add(target)
                stack.append(target)
    return found


def _cycles(edges: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The groups of nodes that lead to each other (Tarjan's algorithm without recursion), each in the text's order."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for start in edges:
        if start in index:
            continue
        stack = [(start, 0)]
        while stack:
            node, position = stack.pop()
            if position == 0:
                index[node] = low[node] = len(index)
                open_nodes.append(node)
                is_open.add(node)
            else:
                low[node] = min(low[node], low[edges[node][position - 1]])
            for further in range(position, len(edges[node])):
                target = edges[node][further]
                if target not in index:
                    stack += [(node, further + 1), (target, 0)]
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    group: list[int] = []
                    while not group or group[-1] != node:
                        group.append(open_nodes.pop())
                        is_open.discard(group[-1])
                    if len(group) > 1 or node in edges[node]:
                        found.append(sorted(group))
    return sorted(found)


def _report_cycle(cycle: Sequence[int], nodes: Sequence[TreeNode], sink: Sink) -> None:
    first = nodes[cycle[0]]
    named = ", ".join(f'"{short(nodes[number].text)}"' for number in cycle[:4])
    more = f" and {len(cycle) - 4} more" if len(cycle) > 4 else ""
    if len(cycle) == 1:
        message = f"the node {named} is its own parent"
    else:
        message = f"{len(cycle)} nodes wait for each other: {named}{more}"
    sink.add(Diagnostic("COS3307", message, first.span, help=_CYCLE_HELP))
