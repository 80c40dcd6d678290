"""The dependency graph of a program: its statements, and which of them read which; drawn in layers.

A statement stands one layer below the lowest of those that it reads. Within a layer statements are sorted by where
those that they read and those that read them stand, a few times down and up, so that few lines cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pplc_runtime.results.svg import drawing, number, text

MOST_NODES = 80
STYLE = """
.pplc svg .node rect { fill: var(--pplc-ground); stroke: var(--pplc-pale); }
.pplc svg .random rect { fill: var(--pplc-fill); fill-opacity: 0.45; stroke: var(--pplc-ink); }
.pplc svg .observe rect { fill: var(--pplc-pale); fill-opacity: 0.35; stroke: var(--pplc-text); }
.pplc svg .input rect { stroke-dasharray: 4 3; }
.pplc svg .predict rect { stroke: none; fill: none; }
.pplc svg .node text { fill: var(--pplc-text); font: 12px ui-monospace, monospace; }
.pplc svg .predict text { fill: var(--pplc-mark); }
.pplc svg .edge { fill: none; stroke: var(--pplc-pale); stroke-width: 1; }
.pplc svg .tip { fill: var(--pplc-pale); stroke: none; }
"""
_LETTER, _HEIGHT, _GAP, _LAYER = 7.3, 26.0, 16.0, 62.0
_LONGEST = 28


@dataclass(frozen=True, slots=True)
class Node:
    """A statement, or several of one form."""

    kind: str
    """input, random, computed, observe or predict"""
    label: str
    lines: tuple[int, ...]

    @property
    def shown(self) -> str:
        """What stands in its box."""
        return self.label if len(self.label) <= _LONGEST else self.label[: _LONGEST - 1] + "…"

    @property
    def width(self) -> float:
        return max(40.0, len(self.shown) * _LETTER + 18)


@dataclass(frozen=True, slots=True)
class Graph:
    """Statements in the order of the program, and pairs of them: the second reads the first."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]

    def layers(self) -> list[list[int]]:
        """The statements of each layer, from left to right."""
        layer = [0] * len(self.nodes)
        for first, second in sorted(self.edges, key=lambda edge: edge[1]):
            if first < second:
                layer[second] = max(layer[second], layer[first] + 1)
        rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
        for node, own in enumerate(layer):
            rows[own].append(node)
        for sweep in range(6):
            place = {node: k - len(row) / 2 for row in rows for k, node in enumerate(row)}
            beside: dict[int, list[float]] = {}
            for first, second in self.edges:
                above, below = (first, second) if sweep % 2 == 0 else (second, first)
                beside.setdefault(below, []).append(place[above])
            for row in rows:
                row.sort(key=lambda node: sum(beside[node]) / len(beside[node]) if node in beside else place[node])
        return rows

    def svg(self) -> str:
        """The picture."""
        if len(self.nodes) > MOST_NODES:
            kept = self.nodes[:MOST_NODES]
            few = Graph(kept, tuple(edge for edge in self.edges if max(edge) < MOST_NODES))
            return few.svg() + f'<p class="small">{len(self.nodes) - MOST_NODES} more statements are not drawn</p>'
        rows = self.layers()
        widths = [sum(self.nodes[n].width for n in row) + _GAP * (len(row) - 1) for row in rows]
        width = max(widths, default=0.0) + 2
        place: dict[int, tuple[float, float]] = {}
        for depth, (row, own) in enumerate(zip(rows, widths)):
            x = (width - own) / 2
            for node in row:
                place[node] = x + self.nodes[node].width / 2, depth * _LAYER + _HEIGHT / 2 + 1
                x += self.nodes[node].width + _GAP
        parts = [_edge(place[first], place[second]) for first, second in self.edges if first != second]
        parts += [_box(self.nodes[node], *place[node]) for node in place]
        height = max(0, len(rows) - 1) * _LAYER + _HEIGHT + 2
        return drawing(width, height, "which statements read which", parts)


def _edge(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    y, v = y + _HEIGHT / 2, v - _HEIGHT / 2
    bend = max(18.0, abs(v - y) / 2)
    points = [(x, y), (x, y + bend), (u, v - bend), (u, v - 4)]
    start_at, *curve = [f"{number(a)} {number(b)}" for a, b in points]
    line = f"M{start_at} C{' '.join(curve)}"
    tip = f"M{number(u)} {number(v)} l-3.5 -6 h7 Z"
    return f'<path class="edge" d="{line}"/><path class="tip" d="{tip}"/>'


def _box(node: Node, x: float, y: float) -> str:
    left, top, wide = number(x - node.width / 2), number(y - _HEIGHT / 2), number(node.width)
    round_ = 13 if node.kind in ("random", "observe") else 3
    rect = f'<rect x="{left}" y="{top}" width="{wide}" height="{number(_HEIGHT)}" rx="{round_}"/>'
    return f'<g class="node {node.kind}">{rect}{text(x, y + 4, node.shown, "middle")}</g>'


def legend(kinds: Sequence[str]) -> str:
    """What the boxes mean, for the kinds that there are."""
    meaning = {
        "input": "dashed: an input", "random": "blue: draws", "computed": "plain: computes",
        "observe": "grey: observes", "predict": "red text: is predicted",
    }  # fmt: skip
    return "; ".join(meaning[kind] for kind in meaning if kind in kinds)
