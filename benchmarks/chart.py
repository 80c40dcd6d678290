"""The ratios of the benchmark as a picture: a panel a section, a bar a row, a mark where the target is."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.table import Line, Row

COLOURS = {None: "#9a9aa6", True: "#3b7d4f", False: "#b4443c"}


def draw(path: Path, rows: list[Line]) -> None:
    shown = [row for row in rows if isinstance(row, Row) and row.ratio is not None]
    sections = list(dict.fromkeys(row.section for row in shown))
    if not shown:
        return
    sizes = [sum(row.section == section for row in shown) for section in sections]
    plt.rcParams.update({"font.size": 7.5, "axes.spines.top": False, "axes.spines.right": False})
    figure, panels = plt.subplots(
        len(sections),
        1,
        figsize=(8, 0.17 * len(shown) + 0.42 * len(sections) + 0.8),
        height_ratios=[size + 0.8 for size in sizes],
        sharex=True,
        squeeze=False,
        layout="constrained",
    )
    for axes, section in zip(panels[:, 0], sections):
        part = [row for row in shown if row.section == section][::-1]
        for i, row in enumerate(part):
            ratio = row.ratio or 0.0
            axes.plot([1.0, ratio], [i, i], color=COLOURS[row.reached], linewidth=5, solid_capstyle="butt")
            axes.plot([ratio], [i], marker="o", markersize=3.5, color=COLOURS[row.reached])
            beyond = ratio >= 1.0
            axes.annotate(
                f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}",
                (ratio, i),
                xytext=(5 if beyond else -5, 0),
                textcoords="offset points",
                ha="left" if beyond else "right",
                va="center",
                fontsize=6.5,
            )
            if row.limit is not None:
                axes.plot([row.limit] * 2, [i - 0.42, i + 0.42], color="black", linewidth=1.4)
        axes.axvline(1.0, color="#555555", linewidth=0.7)
        axes.set_yticks(range(len(part)), [f"{row.label} / {row.against}" for row in part])
        axes.set_ylim(-0.7, len(part) - 0.3)
        axes.set_title(section, loc="left", fontsize=8.5, fontweight="bold")
        axes.grid(axis="x", color="#ececec", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    bottom = panels[-1, 0]
    bottom.set_xscale("log")
    ratios = [row.ratio or 1.0 for row in shown]
    bottom.set_xlim(min(0.5, min(ratios) / 1.8), max(2.0, max(ratios) * 1.6))
    bottom.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    bottom.xaxis.set_minor_formatter(NullFormatter())
    bottom.set_xlabel("pplc over the other; black mark: at most; green: reached, red: not, grey: no target")
    figure.savefig(path, dpi=150)
    plt.close(figure)
