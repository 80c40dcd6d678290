"""The numbers of the Kalman figures: medians and deviations over restarts, the exact posterior, and tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import gamma
from tests.posteriors.answer import literal, normalised
from tests.posteriors.kalman_model import log_likelihood

from benchmarks.figures.kalman import Kalman, bare_costs
from benchmarks.figures.runs import Array, Setting, Size, running
from benchmarks.page import markdown, write_csv


@dataclass(frozen=True, slots=True)
class Line:
    """One setting over its restarts: ess by restart and t, running estimates by restart and sweep."""

    setting: Setting
    ess: Array
    omega: Array
    q: Array
    seconds: Array
    bare: float

    @property
    def ess_per_sweep(self) -> Array:
        return np.asarray(np.median(self.ess, axis=0) / self.omega.shape[1])

    @property
    def ess_per_second(self) -> Array:
        return np.asarray(np.median(self.ess / self.seconds[:, None], axis=0))

    @property
    def sweep_seconds(self) -> float:
        return float(np.median(self.seconds) / self.omega.shape[1])


@dataclass(frozen=True, slots=True)
class Found:
    """All lines, PGAS first, and the exact posterior as (mean, standard deviation)."""

    size: Size
    lines: list[Line]
    exact: dict[str, tuple[float, float]]


def gather(work: Kalman) -> Found:
    bare = bare_costs(work.size.settings)
    lines = []
    for setting in work.size.settings:
        kept = work.runs(setting)
        estimates = running(kept["omega"]), running(kept["q"])
        lines.append(Line(setting, kept["ess"], *estimates, kept["seconds"], bare[setting]))
    return Found(work.size, lines, exact())


def exact(points: int = 81) -> dict[str, tuple[float, float]]:
    """Mean and deviation of omega and q, the states integrated out by a Kalman filter on a grid of both."""
    c, y = literal("kalman", "C"), literal("kalman", "y")
    speeds, qs = np.meshgrid(np.linspace(0.1, 16.1, points), np.linspace(0.005, 0.405, points), indexing="ij")
    log_prior = gamma.logpdf(speeds, 10.0, scale=1 / 2.5) + gamma.logpdf(qs, 10.0, scale=1 / 100.0)
    omegas = speeds * math.pi / len(y)
    p, _ = normalised(log_prior + log_likelihood(omegas, qs, c, y))
    answers = {}
    for name, values in (("omega", omegas), ("q", qs)):
        mean = float((p * values).sum())
        answers[name] = mean, math.sqrt(float((p * (values - mean) ** 2).sum()))
    return answers


def ahead(pgas: Line, others: list[Line]) -> tuple[int, float]:
    """Where PGAS gives more effective draws for its time than each of the others: the last such t, and its share of
    all t."""
    wins = np.all([pgas.ess_per_second > other.ess_per_second for other in others], axis=0)
    return int(np.flatnonzero(wins)[-1]) + 1 if wins.any() else 0, float(wins.mean())


def table(found: Found) -> tuple[list[str], list[list[str]]]:
    """A row for each setting; where PGAS is ahead is in the row of what it is ahead of, of all ICSMC in its own."""
    pgas = found.lines[0]
    base = next(line for line in found.lines if line.setting == Setting("icsmc", 10))
    last = pgas.ess.shape[1]
    times = [t for t in (1, 10, 25, 50, 75, 90, 100) if t <= last]
    header = ["method", "particles", "restarts", "sweeps", "ms_per_sweep", "cost_over_icsmc_10"]
    header += ["bare_ms_per_sweep", "bare_cost_over_icsmc_10"]
    header += [f"ess_{t}" for t in times] + ["ess_relative_sd", "pgas_ahead_last_t", "pgas_ahead_share"]
    header += ["omega_mean", "omega_sd", "q_mean", "q_sd"]
    rows = []
    for line in found.lines:
        middle = np.median(line.ess, axis=0)
        spread = np.mean(line.ess.std(axis=0, ddof=1) / line.ess.mean(axis=0))
        last_ahead, share = ahead(pgas, found.lines[1:] if line is pgas else [line])
        rows.append(
            [line.setting.method, str(line.setting.particles), str(len(line.seconds)), str(line.omega.shape[1])]
            + [f"{1e3 * line.sweep_seconds:.1f}", f"{line.sweep_seconds / base.sweep_seconds:.2f}"]
            + [f"{1e3 * line.bare:.1f}", f"{line.bare / base.bare:.2f}"]
            + [f"{middle[t - 1]:.2f}" for t in times]
            + [f"{spread:.2f}", str(last_ahead), f"{share:.2f}"]
            + [f"{line.omega[:, -1].mean():.5f}", f"{line.omega[:, -1].std(ddof=1):.5f}"]
            + [f"{line.q[:, -1].mean():.5f}", f"{line.q[:, -1].std(ddof=1):.5f}"]
        )
    return header, rows


def shown(found: Found) -> str:
    """The table with a row for each number and a column for each setting, which fits a terminal."""
    header, rows = table(found)
    lines = [f"{name:24}" + "".join(f"{cell:>10}" for cell in cells) for name, *cells in zip(header, *rows)]
    known = ", ".join(f"E[{name}] = {mean:.5f} (sd {sd:.5f})" for name, (mean, sd) in found.exact.items())
    return "\n".join([*lines, f"exact: {known}"])


def write(found: Found, out: Path) -> None:
    """summary.csv, and one file a figure: ess.csv by t, parameters.csv by sweep."""
    header, rows = table(found)
    write_csv(out / "summary.csv", header, rows)
    write_csv(
        out / "ess.csv",
        ["method", "particles", "t", "ess_per_sweep", "ess_per_cpu_second"],
        [
            [line.setting.method, line.setting.particles, t, f"{by_sweep:.6g}", f"{by_second:.6g}"]
            for line in found.lines
            for t, (by_sweep, by_second) in enumerate(zip(line.ess_per_sweep, line.ess_per_second), start=1)
        ],
    )
    write_csv(
        out / "parameters.csv",
        ["method", "particles", "sweep", "omega_mean", "omega_sd", "q_mean", "q_sd"],
        [
            [line.setting.method, line.setting.particles, sweep + 1]
            + [f"{number:.6g}" for values in (line.omega, line.q) for number in _mean_and_sd(values[:, sweep])]
            for line in found.lines
            for sweep in range(line.omega.shape[1])
        ],
    )


def _mean_and_sd(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1))


def parts(found: Found) -> dict[str, str]:
    """The tables of docs/paper.md."""
    header, rows = table(found)
    known = ", ".join(f"E[{name}] = {mean:.5f} (sd {sd:.3f})" for name, (mean, sd) in found.exact.items())
    cells = [dict(zip(header, row)) for row in rows]
    times = [name for name in header if name.startswith("ess_") and name[4:].isdigit()]
    columns = ["", "ms a sweep", "over ICSMC 10", "bare ms", "bare over ICSMC 10"]
    columns += ["ESS 1", *(name[4:] for name in times[1:]), "sd of ESS", "omega", "q"]
    lines, best = [], []
    for line, cell in zip(found.lines, cells):
        costs = [cell[f"{bare}{what}"] for bare in ("", "bare_") for what in ("ms_per_sweep", "cost_over_icsmc_10")]
        sizes = [f"{value:.0f}" if value >= 1e3 else f"{value:.3g}" for value in (float(cell[name]) for name in times)]
        estimates = [f"{cell[f'{name}_mean']} ± {cell[f'{name}_sd']}" for name in ("omega", "q")]
        lines.append([line.setting, *costs, *sizes, f"{float(cell['ess_relative_sd']):.0%}", *estimates])
        other = "the best of them at each t" if line is found.lines[0] else line.setting
        best.append([other, cell["pgas_ahead_last_t"], f"{float(cell['pgas_ahead_share']):.0%}"])
    numbers = markdown(columns, lines)
    ahead_of = markdown(["than", "last such t", "share of all t"], best[1:] + best[:1])
    about = f"{found.size.restarts} restarts of {found.size.sweeps} sweeps. By the exact posterior, {known}."
    return {"numbers": f"{about}\n\n{numbers}", "ahead": ahead_of}
