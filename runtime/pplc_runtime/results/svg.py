"""Small pictures as inline SVG, drawn here so that a page needs neither a library nor a network.

Colours are left to the style of the page, by class: `line`, `fill`, `mark`, `axis`, and `c0` to `c5` for chains. Texts
are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, isfinite, log10
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
MOST_POINTS = 600
"""Of a trace: more cannot be told apart."""
CHAIN_COLOURS = 6

STYLE = """
.pplc svg { max-width: 100%; height: auto; overflow: visible; }
.pplc svg .fill { fill: var(--pplc-fill); stroke: none; }
.pplc svg .line { fill: none; stroke: var(--pplc-ink); stroke-width: 1; }
.pplc svg .mark { fill: none; stroke: var(--pplc-mark); stroke-width: 1.5; }
.pplc svg .axis { fill: none; stroke: var(--pplc-pale); stroke-width: 1; }
.pplc svg text { fill: var(--pplc-pale); font: 10px system-ui, sans-serif; }
.pplc svg .c0 { stroke: var(--pplc-ink); } .pplc svg .c1 { stroke: #d98200; } .pplc svg .c2 { stroke: #1b9e77; }
.pplc svg .c3 { stroke: #c2452d; } .pplc svg .c4 { stroke: #8a63c9; } .pplc svg .c5 { stroke: #7a7a2a; }
.pplc { --pplc-ink: #2b5c8a; --pplc-fill: #9dbfdd; --pplc-mark: #c2452d; --pplc-pale: #6b6b6b;
  --pplc-text: #1d1d1d; --pplc-ground: #ffffff; --pplc-rule: #d8d8d8; --pplc-note: #fdf3d8; }
@media (prefers-color-scheme: dark) { .pplc { --pplc-ink: #8fbfe8; --pplc-fill: #2f5f8a; --pplc-mark: #ff8a70;
  --pplc-pale: #a3a3a3; --pplc-text: #e6e6e6; --pplc-ground: #161618; --pplc-rule: #3a3a3e; --pplc-note: #3a3115; } }
"""


def number(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def drawing(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A picture of a size, with a title for those who do not see it."""
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>'
    return f"{head}{''.join(parts)}</svg>"


def text(x: float, y: float, content: str, anchor: str = "start") -> str:
    """A line of text."""
    return f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">{escape(content)}</text>'


def path(points: Sequence[tuple[float, float]], kind: str, close: bool = False) -> str:
    """A line through points, or the area inside of it."""
    steps = " L".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path class="{kind}" d="M{steps}{"Z" if close else ""}"/>' if points else ""


def bars(heights: Sequence[float], title: str, width: float = 96, height: float = 22) -> str:
    """A histogram without axes."""
    top = max(heights, default=0.0)
    if top <= 0:
        return ""
    step = width / len(heights)
    parts = [
        f'<rect class="fill" x="{number(k * step)}" y="{number(height * (1 - h / top))}" '
        f'width="{number(step * 0.92)}" height="{number(height * h / top)}"/>'
        for k, h in enumerate(heights)
    ]
    return drawing(width, height, title, parts)


def bar(share: float, title: str, width: float = 96, height: float = 12) -> str:
    """A share of one."""
    filled = f'<rect class="fill" width="{number(width * share)}" height="{height}"/>'
    return drawing(width, height, title, [filled, path([(0, height), (width, height)], "axis")])


def traces(series: Sequence[Floats], title: str, width: float = 160, height: float = 22) -> str:
    """One line a chain, without axes."""
    low, high = limits(series)
    parts = [
        path(_line(chain, low, high, 0, width, 1, height - 1), f"line c{k % CHAIN_COLOURS}")
        for k, chain in enumerate(series)
    ]
    return drawing(width, height, title, parts)


def limits(series: Sequence[Floats]) -> tuple[float, float]:
    """The least and the largest of the finite values; two different numbers."""
    finite = np.concatenate([chain[np.isfinite(chain)] for chain in series] or [np.empty(0)])
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _line(
    chain: Floats, low: float, high: float, left: float, right: float, top: float, bottom: float
) -> list[tuple[float, float]]:
    """The points of a trace; of a long one the least and largest of equal stretches, in turn."""
    places = np.arange(len(chain), dtype=np.float64)
    if len(chain) > MOST_POINTS:
        edges = np.linspace(0, len(chain), MOST_POINTS // 2 + 1).astype(int)
        starts = edges[:-1]
        both = [np.minimum.reduceat(chain, starts), np.maximum.reduceat(chain, starts)]
        chain, places = np.stack(both, 1).ravel(), np.repeat(starts, 2).astype(np.float64)
    scale = (right - left) / max(1.0, places[-1] if len(places) else 1.0)
    heights = bottom - (chain - low) / (high - low) * (bottom - top)
    return [(left + x * scale, y) for x, y in zip(places.tolist(), heights.tolist()) if isfinite(y)]


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two others."""
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= raw * (1 - 1e-9))
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def framed_traces(series: Sequence[Floats], title: str, width: float = 420, height: float = 130) -> str:
    """One line a chain over the sweeps, with axes."""
    low, high = limits(series)
    left, bottom = 48.0, height - 18
    parts = _axis_left(low, high, left, 6, bottom)
    longest = max(map(len, series), default=1)
    parts += [path([(left, bottom), (width, bottom)], "axis"), text(left, height - 4, "0")]
    parts.append(text(width, height - 4, f"{longest} sweeps", "end"))
    for k, chain in enumerate(series):
        share = left + (width - left) * len(chain) / max(1, longest)
        parts.append(path(_line(chain, low, high, left, share, 6, bottom), f"line c{k % CHAIN_COLOURS}"))
    return drawing(width, height, title, parts)


def _axis_left(low: float, high: float, x: float, top: float, bottom: float) -> list[str]:
    found = []
    for value in ticks(low, high, 3):
        y = bottom - (value - low) / (high - low) * (bottom - top)
        found.append(text(x - 5, y + 3, f"{value:.4g}", "end"))
    return [*found, path([(x, top), (x, bottom)], "axis")]


def density(
    values: Floats, weights: Floats, marks: Sequence[float], title: str, width: float = 260, height: float = 130
) -> str:
    """A histogram of weighted numbers over an axis, with lines at some of them."""
    finite = np.isfinite(values)
    values, weights = values[finite], weights[finite]
    if not values.size:
        return ""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    ends = np.searchsorted(below, np.array([0.001, 0.999]) * below[-1])
    low, high = (float(values[order[min(place, len(order) - 1)]]) for place in ends.tolist())
    least = 64 * float(np.spacing(max(abs(low), abs(high))))  # what differs in its last digits is one value
    if high - low < least:
        low, high = low - max(0.5, least), low + max(0.5, least)
    effective = float(weights.sum() ** 2 / (weights @ weights))
    heights, _ = np.histogram(values, int(np.clip(2 * effective ** (1 / 3), 8, 50)), (low, high), weights=weights)
    top, bottom, step = 6.0, height - 18, width / len(heights)
    scale = (bottom - top) / max(float(heights.max()), 1e-300)
    outline: list[tuple[float, float]] = [(0, bottom)]
    for k, h in enumerate(heights.tolist()):
        outline += [(k * step, bottom - h * scale), ((k + 1) * step, bottom - h * scale)]
    parts = [path([*outline, (width, bottom)], "fill", close=True), path([(0, bottom), (width, bottom)], "axis")]
    for value in marks:
        if low <= value <= high:
            x = (value - low) / (high - low) * width
            parts.append(path([(x, top), (x, bottom)], "mark"))
    for value in ticks(low, high, 4):
        x = (value - low) / (high - low) * width
        if 14 <= x <= width - 14:
            parts.append(text(x, height - 4, f"{value:.4g}", "middle"))
    return drawing(width, height, title, parts)
