"""A picture of the posterior, by matplotlib (the extra `plot`).

One panel a number: its histogram, for chains with the trace of the sweeps' means beside it; one a discrete
value: bars; one a long vector, or a family of predicts that differ in one integer, as `(x 1)` to `(x 100)`:
the mean and the band from 5% to 95%.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from pplc_runtime.results.columns import Component, Floats, components, quantiles, shown
from pplc_runtime.results.summary import FEW_VALUES, heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pplc_runtime.results.posterior import Posterior

MOST_PANELS = 24
MOST_COMPONENTS = 2000
LEAST_FAMILY = 7
"""From so many members on a family is drawn as one band."""
INK, FILL, MARK, PALE = "#2b5c8a", "#9dbfdd", "#c2452d", "#888888"

DASHED: dict[str, Any] = {"color": "#222222", "linewidth": 1.2, "linestyle": (0, (4, 3)), "zorder": 5}
"""What is known otherwise."""
Known: TypeAlias = Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Marginal:
    """One component with its weights."""

    predict: str
    component: Component
    weights: Floats


@dataclass(frozen=True, slots=True)
class Family:
    """Numbers along an integer."""

    label: str
    places: list[int]
    members: list[Marginal]


class Picture(Figure):
    """A figure that a notebook shows without further ado."""

    def _repr_png_(self) -> bytes:
        content = BytesIO()
        self.savefig(content, format="png")
        return content.getvalue()


def draw(posterior: Posterior, path: str | os.PathLike[str], known: Known = None) -> None:
    """Draw the posterior to a file; the ending of its name says the format."""
    # The date is left out so that the same run gives the same file.
    metadata = {"Date": None} if Path(path).suffix.lower() == ".svg" else None
    picture(posterior, known).savefig(path, metadata=metadata)


def picture(posterior: Posterior, known: Known = None) -> Picture:
    """The posterior as a figure; numbers that are known otherwise, by the labels of components, are dashed lines."""
    known = known or {}
    panels = _panels(posterior)
    shown_panels, more = panels[:MOST_PANELS], max(0, len(panels) - MOST_PANELS)
    wide = posterior.is_chain
    across = 1 if len(shown_panels) <= 1 else 2 if wide or len(shown_panels) <= 4 else 3
    down = max(1, -(-len(shown_panels) // across))
    size = (across * (7.2 if wide else 4.4), 0.5 + 2.6 * down)
    figure = Picture(figsize=size, dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(_title(posterior, more), fontsize=10, color=PALE)
    # A marginal of a chain has its trace beside it; a band has the room of both.
    grid = figure.add_gridspec(down, across * 2)
    for place, panel in enumerate(shown_panels):
        row, left = place // across, place % across * 2
        if wide and isinstance(panel, Marginal):
            beside = figure.add_subplot(grid[row, left]), figure.add_subplot(grid[row, left + 1])
            _draw_marginal(beside[0], panel)
            _draw_trace(beside[1], posterior, panel)
            if panel.component.label in known:
                beside[0].axvline(known[panel.component.label], **DASHED)
                beside[1].axhline(known[panel.component.label], **DASHED)
        else:
            axes = figure.add_subplot(grid[row, left : left + 2])
            _draw_marginal(axes, panel) if isinstance(panel, Marginal) else _draw_family(axes, panel)
            if isinstance(panel, Marginal) and panel.component.label in known:
                axes.axvline(known[panel.component.label], **DASHED)
    return figure


def _title(posterior: Posterior, more: int) -> str:
    title = heading(posterior)
    if posterior.log_evidence is not None:
        se = posterior.log_evidence_se
        title += f"; log evidence {posterior.log_evidence:.5g}" + (f" ± {se:.2g}" if se is not None else "")
    return title + (f"; {more} more not drawn" if more else "")


def _panels(posterior: Posterior) -> list[Marginal | Family]:
    """Families first joined, everything in the order of the program."""
    marginals: list[Marginal] = []
    for label in posterior.labels:
        values, weights = posterior.values(label)
        if len(weights):
            found = islice(components(label, values), MOST_COMPONENTS)
            marginals.extend(Marginal(label, component, weights) for component in found)
    families: dict[tuple[str, int], list[tuple[int, Marginal]]] = {}
    for marginal in marginals:
        if isinstance(marginal.component.values, np.ndarray):
            for nth, match in enumerate(re.finditer(r"(?<![\w.#-])\d+(?![\w.])", marginal.component.label)):
                key = f"{marginal.component.label[: match.start()]}·{marginal.component.label[match.end() :]}"
                families.setdefault((key, nth), []).append((int(match.group()), marginal))
    # The largest families first: `(x 1)[0]` belongs with `(x 2)[0]` rather than with `(x 1)[1]`.
    chosen: dict[int, Family] = {}
    for (key, _), members in sorted(families.items(), key=lambda item: -len(item[1])):
        free = sorted((m for m in members if id(m[1]) not in chosen), key=lambda m: m[0])
        if len(free) >= LEAST_FAMILY:
            family = Family(key, [place for place, _ in free], [marginal for _, marginal in free])
            chosen.update((id(marginal), family) for marginal in family.members)
    panels: dict[int, Marginal | Family] = {}
    for marginal in marginals:
        panel = chosen.get(id(marginal), marginal)
        panels.setdefault(id(panel), panel)
    return list(panels.values())


def _style(axes: Axes, label: str) -> None:
    axes.set_title(label if len(label) <= 48 else label[:47] + "…", fontsize=9, loc="left", parse_math=False)
    axes.tick_params(labelsize=7, color=PALE)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)


def _finite(marginal: Marginal) -> tuple[NDArray[Any], Floats]:
    values = np.asarray(marginal.component.values, dtype=np.float64)
    finite = np.isfinite(values)
    return values[finite], marginal.weights[finite]


def _draw_marginal(axes: Axes, marginal: Marginal) -> None:
    component = marginal.component
    values = component.values
    _style(axes, component.label)
    if not isinstance(values, np.ndarray) or values.dtype.kind == "b" or component.distinct() <= FEW_VALUES:
        _draw_bars(axes, component, marginal.weights)
        return
    numbers, weights = _finite(marginal)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    if not numbers.size:
        return
    low, high = quantiles(numbers, weights, [0.001, 0.999])
    if values.dtype.kind in "iu" and high - low < 60:
        bins: Any = np.arange(low - 0.5, high + 1)
    else:
        effective = 1 / np.square(weights / weights.sum()).sum()
        count = int(np.clip(2 * effective ** (1 / 3), 8, 60))
        bins = np.linspace(low, high if high > low else low + 1, count + 1)
    axes.hist(numbers, bins, weights=weights, color=FILL, edgecolor=INK, linewidth=0.4, histtype="stepfilled")
    axes.axvline(float(numbers @ weights / weights.sum()), color=MARK, linewidth=1)
    five, ninety_five = quantiles(numbers, weights, [0.05, 0.95])
    axes.plot([five, ninety_five], [0, 0], color=MARK, linewidth=3, solid_capstyle="butt", clip_on=False)


def _draw_bars(axes: Axes, component: Component, weights: Floats) -> None:
    found = component.distribution(weights)
    pairs = list(zip(found.values, found.probabilities.tolist()))[:FEW_VALUES]
    if isinstance(component.values, np.ndarray):
        pairs.sort(key=lambda pair: pair[0])
    names = [text if len(text) <= 14 else text[:13] + "…" for text in (shown(value) for value, _ in pairs)]
    axes.bar(range(len(pairs)), [p for _, p in pairs], color=FILL, edgecolor=INK, linewidth=0.6)
    axes.set_xticks(range(len(pairs)), names, fontsize=7, parse_math=False)
    axes.set_ylim(0, 1)


def _draw_trace(axes: Axes, posterior: Posterior, marginal: Marginal) -> None:
    _style(axes, "")
    column = marginal.component.values
    if not isinstance(column, np.ndarray):
        column = marginal.component.distribution(marginal.weights).codes == 0
    for number, chain in enumerate(posterior.series(marginal.predict, column)):
        axes.plot(chain, linewidth=0.6, alpha=0.85, color=INK if number == 0 else f"C{number}")
    axes.set_xlabel("sweep", fontsize=7, color=PALE)


def _draw_family(axes: Axes, family: Family) -> None:
    _style(axes, family.label)
    rows = []
    for member in family.members:
        values, weights = _finite(member)
        if values.size:
            rows.append((float(values @ weights / weights.sum()), *quantiles(values, weights, [0.05, 0.95])))
        else:
            rows.append((np.nan, np.nan, np.nan))
    mean, low, high = np.array(rows).T
    axes.fill_between(family.places, low, high, color=FILL, alpha=0.6, linewidth=0)
    axes.plot(family.places, mean, color=INK, linewidth=1.2)
