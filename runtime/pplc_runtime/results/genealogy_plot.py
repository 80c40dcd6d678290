"""A picture of genealogies, by matplotlib (the extra `plot`): one panel a sweep, generations from left to right.

Lines that ended are pale, those with descendants at the end are dark. In a conditional sweep the run retained before
is at the bottom, and the path retained now is drawn over all. The other particles of a generation are drawn in the
order of their ancestors, so that lines do not cross: which number a particle has means nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.genealogy import Genealogy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 6
MOST_LINKS = 100_000
"""Of a genealogy with more than so many links only the living lines are drawn."""
ENDED, LIVING, BEFORE, NOW, TEXT = "#cccccc", "#6f7f8c", "#e69f00", "#0060a8", "#555555"
"""Told apart also by those who do not see all colours, and in grey: after Okabe and Ito."""

Places: TypeAlias = NDArray[np.intp]
Segments: TypeAlias = NDArray[np.float64]
LOOK: Final[Any] = {"svg.hashsalt": "pplc", "svg.fonttype": "none", "font.size": 9}


def draw(panels: Sequence[tuple[str, Genealogy]], path: str | os.PathLike[str]) -> None:
    """Draw genealogies, each under its title, to a file; the ending of its name says the format."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = panels[:MOST_PANELS]
    width = float(np.clip(1.2 + 0.19 * max(g.generations for _, g in shown), 6.4, 15))
    heights = [float(np.clip(0.9 + 0.19 * g.particles, 1.6, 6)) for _, g in shown]
    with rc_context(LOOK):
        figure = Figure(figsize=(width, sum(heights) + 0.5), dpi=160, layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)
        for axes, (title, genealogy) in zip(grid[:, 0], shown):
            _draw_panel(axes, title, genealogy)
        more = f" ({len(panels) - len(shown)} more sweeps are not drawn)" if len(panels) > len(shown) else ""
        grid[-1, 0].set_xlabel(f"generation{more}", color=TEXT)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, labelcolor=TEXT)
        # The date is left out so that the same run gives the same file.
        metadata = {"Date": None} if Path(path).suffix.lower() == ".svg" else None
        figure.savefig(path, metadata=metadata)


def heights_of(genealogy: Genealogy) -> Places:
    """By generation and particle: how high it is drawn."""
    heights = np.empty((genealogy.generations, genealogy.particles), np.intp)
    heights[0] = np.arange(genealogy.particles)
    for n, row in enumerate(genealogy.ancestors):
        above = heights[n][row]
        if genealogy.chosen is not None:
            above[0] = -1  # the retained run is at the bottom, whichever particle it continues
        heights[n + 1][np.argsort(above, kind="stable")] = np.arange(genealogy.particles)
    return heights


def _draw_panel(axes: Axes, title: str, genealogy: Genealogy) -> None:
    from matplotlib.ticker import MaxNLocator

    heights, living = heights_of(genealogy), genealogy.living()
    fine = min(1.0, max(0.25, 60 / genealogy.generations), max(0.25, 40 / genealogy.particles))
    if genealogy.ancestors.size <= MOST_LINKS:
        ended = _links(genealogy, heights, *np.nonzero(~living[1:]))
        _lines(axes, ended, "ended", color=ENDED, linewidth=0.8 * fine, zorder=1)
    lived = _links(genealogy, heights, *np.nonzero(living[1:]))
    _lines(axes, lived, "has descendants at the end", color=LIVING, linewidth=0.9 * fine**0.5, zorder=3)
    if genealogy.chosen is not None:
        retained = np.zeros(genealogy.generations, np.intp)
        _draw_path(axes, genealogy, heights, retained, "retained before, at the bottom", BEFORE, 2, 5.5 * fine)
        _draw_path(axes, genealogy, heights, genealogy.line(genealogy.chosen), "retained now", NOW, 4, 2.7 * fine)
    axes.set_title(f"{title}: {genealogy.sentence()}", loc="left", fontsize=9, color=TEXT, parse_math=False)
    axes.set_xlim(0.5, genealogy.generations + 0.5)
    axes.set_ylim(-0.7, genealogy.particles - 0.3)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.set_ylabel("particles", color=TEXT)
    axes.tick_params(labelsize=8, color=TEXT, labelcolor=TEXT)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(TEXT)


def _draw_path(
    axes: Axes, genealogy: Genealogy, heights: Places, path: Places, label: str, color: str, above: int, dots: float
) -> None:
    """A particle of each generation, each with the line to the one that it continues."""
    every = np.arange(genealogy.generations)
    links = _links(genealogy, heights, every[:-1], path[1:])
    _lines(axes, links, label, color=color, linewidth=1.8, zorder=above, capstyle="round")
    axes.plot(every + 1, heights[every, path], "o", color=color, markersize=dots, zorder=above)


def _links(genealogy: Genealogy, heights: Places, n: Places, particle: Places) -> Segments:
    """Lines to particles of generation n + 1, counted from 0, from those of generation n that they continue."""
    ancestor = genealogy.ancestors[n, particle]
    start = np.stack([n + 1.0, heights[n, ancestor]], axis=-1)
    end = np.stack([n + 2.0, heights[n + 1, particle]], axis=-1)
    return np.stack([start, end], axis=1)


def _lines(axes: Axes, segments: Segments, label: str, **look: Any) -> None:
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(list(segments), label=label, **look), autolim=False)
