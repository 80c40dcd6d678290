"""The paper's experiment: its effective sample size, and that a second start runs only what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.figures.experiment import QUICK, Experiment, Setting, effective


def test_effective_counts_unique_values() -> None:
    values = np.array([1 + 2j, 1 + 2j, 1 + 3j, 4 + 0j])
    assert effective(np.full(4, 0.25), values) == pytest.approx(1 / (0.5**2 + 2 * 0.25**2))
    assert effective(np.full(4, 1.0), np.full(4, 1j)) == pytest.approx(1.0)
    assert effective(np.array([3.0, 0.0, 0.0, 0.0]), values) == pytest.approx(1.0)


def test_runs_are_kept(tmp_path: Path) -> None:
    size = replace(QUICK, icsmc=(3,), sweeps=2, restarts=1)
    work = Experiment(size, tmp_path)
    assert list(work.missing()) == [(Setting("pgas", 10), 1), (Setting("icsmc", 3), 1)]
    work.do(Setting("icsmc", 3), 1)
    assert list(Experiment(size, tmp_path).missing()) == [(Setting("pgas", 10), 1)]
    (run,) = work.runs(Setting("icsmc", 3))
    assert run.ess.shape == (100,) and run.omega.shape == run.q.shape == (2,)
    assert np.all(run.ess >= 1 - 1e-9) and np.all(run.ess <= 6 + 1e-9)
    assert run.seconds > 0
