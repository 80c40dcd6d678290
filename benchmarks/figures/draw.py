"""The figures in the paper's layout: PGAS cyan, ICSMC blue with shorter dashes for more particles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import NDArray

from benchmarks.figures import mixture as mixtures
from benchmarks.figures.numbers import Found, Line
from benchmarks.figures.runs import Size

CYAN, BLUE, EXACT = "#00b7d8", "#1f3fbf", "#444444"
LOOK: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "pplc",
    "svg.fonttype": "none",
}


def _styles(count: int) -> list[dict[str, Any]]:
    """A style for each line: the dashes of ICSMC shorten from a full line to dots, its blue darkens with them."""
    count -= 1
    styles: list[dict[str, Any]] = [{"color": CYAN, "linewidth": 2.0, "zorder": 3}]
    for i in range(count):
        dash = 14.0 * (1.0 / 14.0) ** (i / max(1, count - 1))
        styles.append(
            {"color": BLUE, "linewidth": 1.2, "dashes": (dash, 1.6), "alpha": 0.55 + 0.45 * i / max(1, count - 1)}
        )
    return styles


def _about(size: Size) -> str:
    return f"{size.sweeps} sweeps, {size.restarts} restarts"


def _save(figure: Figure, out: Path, name: str) -> None:
    figure.savefig(out / f"{name}.png", dpi=160)
    figure.savefig(out / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def ess(found: Found, out: Path) -> None:
    """Figure 1: the effective sample size of each state, for each sweep and for each second."""
    with plt.rc_context(LOOK):
        figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(6.4, 6.4), layout="constrained")
        for line, style in zip(found.lines, _styles(len(found.lines))):
            t = np.arange(1, line.ess.shape[1] + 1)
            top.plot(t, line.ess_per_sweep, label=str(line.setting), **style)
            bottom.plot(t, line.ess_per_second, **style)
        for axes, label in ((top, "ESS / sweep"), (bottom, "ESS / CPU second")):
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axes.set_ylabel(label)
            axes.set_xlim(1, found.lines[0].ess.shape[1])
        bottom.set_xlabel("t")
        about = f"Effective sample size of the state at t: median, {_about(found.size)}"
        top.set_title(about, loc="left", fontsize=9.5)
        figure.legend(loc="outside lower center", ncols=4, handlelength=4.5)
        _save(figure, out, "ess")


def parameters(found: Found, out: Path) -> None:
    """Figure 2: the deviation of the estimates over restarts, and beside it the estimates with the exact answer."""
    with plt.rc_context(LOOK):
        figure, grid = plt.subplots(2, 2, sharex=True, figsize=(9.2, 6.0), layout="constrained")
        styles = _styles(len(found.lines))
        for row, (name, symbol) in zip(grid, (("omega", "ω"), ("q", "q"))):
            values = [line.omega if name == "omega" else line.q for line in found.lines]
            for line, runs, style in zip(found.lines, values, styles):
                row[0].plot(_sweeps(line), runs.std(axis=0, ddof=1), label=str(line.setting), **style)
                row[1].plot(_sweeps(line), runs.mean(axis=0), **style)
            row[0].set_ylabel(f"sd of E[{symbol}] over restarts")
            row[0].set_ylim(bottom=0)
            row[1].set_ylabel(f"E[{symbol}]: mean over restarts")
            low, high = np.quantile(values[0], (0.1, 0.9), axis=0)
            band = f"{found.lines[0].setting}, 10% to 90%"
            row[1].fill_between(_sweeps(found.lines[0]), low, high, color=CYAN, alpha=0.18, linewidth=0, label=band)
            _known(row[1], *found.exact[name])
        for axes in grid[1]:
            axes.set_xlabel("sweep")
            axes.set_xlim(1, found.size.sweeps)
        grid[0, 0].set_title(f"Deviation of the running estimates: {_about(found.size)}", loc="left", fontsize=9.5)
        grid[0, 1].set_title("The estimates, beside the exact posterior", loc="left", fontsize=9.5)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        more, names = grid[0, 1].get_legend_handles_labels()
        figure.legend(handles + more, labels + names, loc="outside lower center", ncols=5, handlelength=4.5)
        _save(figure, out, "parameters")


def _sweeps(line: Line) -> NDArray[np.int64]:
    return np.arange(1, line.omega.shape[1] + 1)


def _known(axes: Axes, mean: float, deviation: float) -> None:
    axes.axhspan(mean - deviation, mean + deviation, color=EXACT, alpha=0.08, linewidth=0, label="exact mean ± sd")
    axes.axhline(mean, color=EXACT, linewidth=1.2, label="exact mean")


def mixture(found: mixtures.Found, out: Path) -> None:
    """Figure 3: running estimates beside the exact answer, median and spread, and how far they are off."""
    titles = {
        "classes": "E[number of classes]",
        "same_0_2": "P(points 0, 2 together)",
        "same_0_3": "P(points 0, 3 together)",
    }
    sweeps = np.arange(1, found.size.sweeps + 1)
    with plt.rc_context(LOOK):
        figure, grid = plt.subplots(3, 2, sharex=True, figsize=(9.2, 7.6), layout="constrained")
        for row, (name, title) in zip(grid, titles.items()):
            for line, style in zip(found.lines, _styles(len(found.lines))):
                low, middle, high = np.quantile(line.estimates[name], (0.1, 0.5, 0.9), axis=0)
                row[0].plot(sweeps, middle, label=str(line.setting), **style)
                if line.setting.method == "pgas":
                    row[0].fill_between(sweeps, low, high, color=CYAN, alpha=0.18, linewidth=0, label="10% to 90%")
                else:
                    for edge in (low, high):
                        row[0].plot(sweeps, edge, **(style | {"linewidth": 0.6}))
                row[1].plot(sweeps, line.deviation(name, found.exact[name]), **style)
            row[0].axhline(found.exact[name], color=EXACT, linewidth=1.2, label="exact")
            row[0].set_ylabel(title)
            row[1].set_ylabel("off by")
            row[1].set_yscale("log")
            row[1].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            row[1].yaxis.set_minor_formatter(NullFormatter())
        for axes in grid[2]:
            axes.set_xlabel("sweep")
            axes.set_xlim(1, found.size.sweeps)
        about = f"Median, 10% and 90%: {_about(found.size)}"
        grid[0, 0].set_title(about, loc="left", fontsize=9.5)
        grid[0, 1].set_title("Root mean square error", loc="left", fontsize=9.5)
        figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, handlelength=4.5)
        _save(figure, out, "mixture")
