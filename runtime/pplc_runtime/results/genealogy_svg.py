"""A picture of one genealogy as inline SVG: generations from left to right, as `genealogy_plot` draws them."""

from __future__ import annotations

import numpy as np

from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.genealogy_plot import Places, heights_of
from pplc_runtime.results.svg import drawing, number, text

MOST_LINKS = 20_000
"""Of a genealogy with more links than this only the living lines are drawn, and of one with many more nothing is."""
STYLE = """
.pplc svg .ended { stroke: var(--pplc-rule); fill: none; } .pplc svg .living { stroke: var(--pplc-pale); fill: none; }
.pplc svg .before { stroke: #e69f00; stroke-width: 2; fill: none; }
.pplc svg .now { stroke: var(--pplc-ink); stroke-width: 2; fill: none; }
"""


def genealogy_svg(genealogy: Genealogy) -> str:
    """The picture, and what its lines mean."""
    heights, living = heights_of(genealogy), genealogy.living()
    width = float(np.clip(14 * genealogy.generations, 320, 1100))
    height = float(np.clip(7 * genealogy.particles, 60, 320))
    scale = width / max(1, genealogy.generations - 1), (height - 8) / max(1, genealogy.particles - 1)
    parts = []

    def links(n: Places, particle: Places, kind: str) -> None:
        parts.append(_links(genealogy, heights, n, particle, scale, height, kind))

    if genealogy.ancestors.size <= MOST_LINKS:
        n, particle = np.nonzero(~living[1:])
        links(n, particle, "ended")
    if int(living.sum()) <= MOST_LINKS:
        n, particle = np.nonzero(living[1:])
        links(n, particle, "living")
    legend = "grey: lines that live to the end"
    if genealogy.chosen is not None:
        every = np.arange(genealogy.generations - 1)
        links(every, np.zeros_like(every), "before")
        links(every, genealogy.line(genealogy.chosen)[1:], "now")
        legend += "; orange: retained before, at the bottom; blue: retained now"
    parts.append(text(0, height + 14, "generation 1"))
    parts.append(text(width, height + 14, f"generation {genealogy.generations}", "end"))
    picture = drawing(width, height + 18, "who continued whom", parts)
    return f'<div class="wide">{picture}</div><p class="small">{legend}</p>'


def _links(
    genealogy: Genealogy,
    heights: Places,
    n: Places,
    particle: Places,
    scale: tuple[float, float],
    height: float,
    kind: str,
) -> str:
    """Lines to particles of generation n + 1, from those of generation n that they continue, as one path."""
    start = heights[n, genealogy.ancestors[n, particle]]
    end = heights[n + 1, particle]
    across, up = scale
    steps = [
        f"M{number(k * across)} {number(height - 4 - a * up)}L{number((k + 1) * across)} {number(height - 4 - b * up)}"
        for k, a, b in zip(n.tolist(), start.tolist(), end.tolist())
    ]
    return f'<path class="{kind}" d="{"".join(steps)}"/>' if steps else ""
