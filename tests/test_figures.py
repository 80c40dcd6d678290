"""The figures: effective sample sizes, the exact answers, and that a second start runs only what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.figures import mixture
from benchmarks.figures.kalman import QUICK, Kalman, effective
from benchmarks.figures.runs import Setting, Size, running
from benchmarks.page import markdown, rewrite


def test_effective_counts_unique_values() -> None:
    values = np.array([1.0, 1.0, 2.0, 4.0])
    assert effective(np.full(4, 0.25), values) == pytest.approx(1 / (0.5**2 + 2 * 0.25**2))
    assert effective(np.full(4, 1.0), np.full(4, 1.0)) == pytest.approx(1.0)
    assert effective(np.array([3.0, 0.0, 0.0, 0.0]), values) == pytest.approx(1.0)


def test_running_means() -> None:
    assert running(np.array([[1.0, 3.0, 5.0]])).tolist() == [[1.0, 2.0, 3.0]]


def test_runs_are_kept(tmp_path: Path) -> None:
    size = replace(QUICK, icsmc=(3,), sweeps=2, restarts=1)
    work = Kalman(size, tmp_path)
    assert list(work.missing()) == [(Setting("pgas", 10), 1), (Setting("icsmc", 3), 1)]
    work.do(Setting("icsmc", 3), 1)
    assert list(Kalman(size, tmp_path).missing()) == [(Setting("pgas", 10), 1)]
    kept = work.runs(Setting("icsmc", 3))
    assert kept["ess"].shape == (1, 100) and kept["omega"].shape == kept["q"].shape == (1, 2)
    assert np.all(kept["ess"] >= 1 - 1e-9) and np.all(kept["ess"] <= 6 + 1e-9)
    assert kept["seconds"][0] > 0


def test_the_mixture_ends_in_files(tmp_path: Path) -> None:
    work = mixture.Mixture(Size((2,), sweeps=3, restarts=2), tmp_path)
    for setting, seed in list(work.missing()):
        work.do(setting, seed)
    found = mixture.gather(work)
    mixture.write(found, tmp_path)
    assert len((tmp_path / "mixture.csv").read_text().splitlines()) == 1 + 2 * 3
    assert len((tmp_path / "mixture_summary.csv").read_text().splitlines()) == 1 + 2
    assert 1.0 < found.exact["classes"] < 10.0 and 0.0 < found.exact["same_0_2"] < 1.0


def test_a_part_of_a_page_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- a: written by x -->\nold\n<!-- a: end -->\nafter\n")
    rewrite(page, {"a": markdown(["x", "y"], [[1, 2]])})
    table = "| x | y |\n| --- | --- |\n| 1 | 2 |"
    assert page.read_text() == f"before\n<!-- a: written by x -->\n\n{table}\n\n<!-- a: end -->\nafter\n"
    with pytest.raises(ValueError, match="no one place for b"):
        rewrite(page, {"b": ""})
