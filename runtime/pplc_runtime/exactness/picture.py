"""A picture of ranks, by matplotlib (the extra `plot`): one panel a statistic, flat if the method is exact.

Each line is the share of ranks up to a place, less what it would be if all ranks were equally likely; nine of ten exact
methods stay within the band (T. Sailynoja, P.-C. Burkner and A. Vehtari 2022, of which this is the simple form).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from scipy import stats

from pplc_runtime.exactness.statistics import Finding

MOST: Final = 24
"""So many panels are drawn, those with the smallest p-values first."""
COLUMNS: Final = 4
LINE, BAND, TEXT = "#0060a8", "#dddddd", "#555555"


def draw_ranks(findings: Sequence[Finding], path: str | os.PathLike[str]) -> None:
    """Draw the ranks of each statistic."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = sorted((each for each in findings if len(each.ranks)), key=lambda each: each.p)[:MOST]
    rows = max(1, -(-len(shown) // COLUMNS))
    with rc_context({"svg.hashsalt": "pplc", "svg.fonttype": "none", "font.size": 8, "text.usetex": False}):
        figure = Figure(figsize=(3 * COLUMNS, 2 * rows), dpi=160, layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True)
        for place, axes in enumerate(grid.flat):
            if place >= len(shown):
                axes.set_axis_off()
                continue
            ranks = np.sort(shown[place].ranks)
            wide = float(stats.kstwo.ppf(0.9, len(ranks)))
            axes.axhspan(-wide, wide, color=BAND)
            steps = np.arange(1, len(ranks) + 1) / len(ranks) - ranks
            axes.step([0.0, *ranks, 1.0], [0.0, *steps, 0.0], color=LINE, linewidth=1)
            title = f"{shown[place].test}: {shown[place].label}, p = {shown[place].p:.2g}"
            axes.set_title(title.replace("$", r"\$"), color=TEXT, fontsize=8)
        figure.savefig(path, metadata={"Date": None} if Path(path).suffix.lower() == ".svg" else None)
