"""The second experiment: the infinite mixture of the paper's section 4.1, small enough for an exact answer.

programs/infinite_mixture.clj with other data: two clusters, and a third point between them, so that it is open which
points share a class. Kept of a run are the estimates by sweep of the number of classes and of whether early points
share one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.posteriors.partition_models import NormalBlock, blocks, together

from benchmarks.figures.runs import ROOT, Array, Experiment, Gathering, Kept, Setting, Size, running
from benchmarks.models import replaced
from benchmarks.page import markdown, write_csv
from pplc_runtime.results.sweeps import Sweep

Y = np.array([2.6, -2.4, 0.5, 2.2, -2.9, 2.4, -2.1, 2.9, -2.7, -2.3])
NAMES = {"classes": "classes", "same_0_2": "(= (class 0) (class 2))", "same_0_3": "(= (class 0) (class 3))"}
"""What is estimated, by name, with the label of its predict."""

FULL = Size((10, 50), sweeps=100, restarts=25)
QUICK = Size((10, 50), sweeps=40, restarts=5)


class Estimates(Gathering):
    """The estimates of each sweep."""

    def __init__(self) -> None:
        super().__init__()
        self.means: list[list[float]] = []

    def take(self, sweep: Sweep, weights: Array) -> None:
        self.means.append([float(weights @ np.asarray(sweep.predicts[label])) for label in NAMES.values()])

    def kept(self) -> Kept:
        return dict(zip(NAMES, np.array(self.means).T))


class Mixture(Experiment):
    name = "programs/infinite_mixture.clj"
    text = replaced((ROOT / name).read_text(encoding="utf-8"), "y", Y)
    gathering = Estimates


@dataclass(frozen=True, slots=True)
class Line:
    """One setting over its restarts: running estimates by name, restart and sweep."""

    setting: Setting
    estimates: dict[str, Array]
    seconds: Array

    def deviation(self, name: str, answer: float) -> Array:
        """The root of the mean square of what the estimates are off by, by sweep."""
        return np.asarray(np.sqrt(((self.estimates[name] - answer) ** 2).mean(axis=0)))

    @property
    def sweep_ms(self) -> float:
        return float(1e3 * np.median(self.seconds) / self.estimates["classes"].shape[1])


@dataclass(frozen=True, slots=True)
class Found:
    """All lines, PGAS first, and the exact posterior means."""

    size: Size
    lines: list[Line]
    exact: dict[str, float]


def gather(work: Mixture) -> Found:
    lines = []
    for setting in work.size.settings:
        kept = work.runs(setting)
        lines.append(Line(setting, {name: running(kept[name]) for name in NAMES}, kept["seconds"]))
    return Found(work.size, lines, exact())


def exact() -> dict[str, float]:
    """The posterior means, by summing over all partitions of the points with the means of classes integrated out."""
    probability, _ = blocks(len(Y), 1.0, NormalBlock(Y, 1.0, 1.0).log_marginal)
    return {
        "classes": math.fsum(probability.values()),
        "same_0_2": together(probability, 0, 2),
        "same_0_3": together(probability, 0, 3),
    }


def table(found: Found) -> tuple[list[str], list[list[str]]]:
    """A row for each setting: what it costs, and its estimates after the last sweep, with how far they are off."""
    header = ["method", "particles", "restarts", "sweeps", "ms_per_sweep"]
    header += [f"{name}_{what}" for name in NAMES for what in ("median", "rmse")]
    rows = []
    for line in found.lines:
        row = [line.setting.method, str(line.setting.particles), str(found.size.restarts), str(found.size.sweeps)]
        row.append(f"{line.sweep_ms:.2f}")
        for name in NAMES:
            row += [f"{np.median(line.estimates[name][:, -1]):.4f}"]
            row += [f"{line.deviation(name, found.exact[name])[-1]:.4f}"]
        rows.append(row)
    return header, rows


def shown(found: Found) -> str:
    """The table with a row for each number and a column for each setting."""
    header, rows = table(found)
    lines = [f"{name:24}" + "".join(f"{cell:>10}" for cell in cells) for name, *cells in zip(header, *rows)]
    known = ", ".join(f"{name} = {value:.4f}" for name, value in found.exact.items())
    return "\n".join([*lines, f"exact: {known}"])


def parts(found: Found) -> dict[str, str]:
    """The table of docs/paper.md."""
    header, rows = table(found)
    cells = [dict(zip(header, row)) for row in rows]
    exact_row = ["exact", "", *(f"{value:.3f}" for value in found.exact.values())]
    shown_rows = [
        [line.setting, cell["ms_per_sweep"]]
        + [f"{float(cell[f'{name}_median']):.3f} (off by {float(cell[f'{name}_rmse']):.3f})" for name in NAMES]
        for line, cell in zip(found.lines, cells)
    ]
    about = f"{found.size.restarts} restarts of {found.size.sweeps} sweeps: medians, and root mean square errors."
    names = ["", "ms a sweep", "E[classes]", "P(0 and 2 together)", "P(0 and 3 together)"]
    return {"mixture": f"{about}\n\n{markdown(names, [*shown_rows, exact_row])}"}


def write(found: Found, out: Path) -> None:
    """mixture_summary.csv, and mixture.csv by sweep: over restarts the 10%, 50% and 90% quantiles and the error."""
    write_csv(out / "mixture_summary.csv", *table(found))
    quantiles = (0.1, 0.5, 0.9)
    header = [f"{name}_{what}" for name in NAMES for what in ("10", "50", "90", "rmse")]
    rows = []
    for line in found.lines:
        columns = []
        for name in NAMES:
            columns += [*np.quantile(line.estimates[name], quantiles, axis=0)]
            columns.append(line.deviation(name, found.exact[name]))
        for sweep, numbers in enumerate(zip(*columns), start=1):
            cells = [f"{number:.6g}" for number in numbers]
            rows.append([line.setting.method, line.setting.particles, sweep, *cells])
    write_csv(out / "mixture.csv", ["method", "particles", "sweep", *header], rows)
