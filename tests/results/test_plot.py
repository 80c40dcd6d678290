"""The picture of a posterior."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pplc_runtime.results import Posterior, Sweep
from pplc_runtime.results.plot import Family, Marginal, _panels

pytest.importorskip("matplotlib")


def posterior(is_chain: bool) -> Posterior:
    rng = np.random.default_rng(1)
    sweeps = [
        Sweep(
            n // 5,
            n % 5,
            np.zeros(20),
            {
                "omega": rng.normal(size=20),
                "b": rng.random(20) < 0.5,
                "k": rng.poisson(30, 20),
                "s": ["a $x^2", "b"] * 10,
                "none": np.full(20, np.nan),
                **{f"(x {t})": rng.normal(t, 1, (2, 20)) for t in range(10)},
            },
        )
        for n in range(10)
    ]
    return Posterior("pgas" if is_chain else "smc", 1, 20, 2, sweeps, is_chain)


@pytest.mark.parametrize("is_chain", [False, True])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_file_is_written(tmp_path: Path, is_chain: bool, ending: str) -> None:
    posterior(is_chain).plot(tmp_path / f"p.{ending}")
    content = (tmp_path / f"p.{ending}").read_bytes()
    assert content.startswith(b"\x89PNG" if ending == "png" else b"<?xml")


def test_predicts_along_an_integer_share_a_panel() -> None:
    panels = _panels(posterior(False))
    assert [panel.label for panel in panels if isinstance(panel, Family)] == ["(x ·)[0]", "(x ·)[1]"]
    assert [panel.component.label for panel in panels if isinstance(panel, Marginal)] == [
        "omega", "b", "k", "s", "none",
    ]  # fmt: skip
    family = next(panel for panel in panels if isinstance(panel, Family))
    assert family.places == list(range(10))


def test_nothing_to_draw(tmp_path: Path) -> None:
    Posterior("smc", 1, 1, 1, [], False).plot(tmp_path / "p.png")
    assert (tmp_path / "p.png").exists()


def test_integers_beyond_floats_are_bars(tmp_path: Path) -> None:
    sweep = Sweep(0, 0, np.zeros(3), {"n": [10**400, 1, 10**401]})
    Posterior("importance", 1, 3, 1, [sweep], False).plot(tmp_path / "n.svg")
    assert "<!-- 1.0000000e+400 -->" in (tmp_path / "n.svg").read_text()


@pytest.mark.parametrize("is_chain", [False, True])
def test_what_is_known_is_a_dashed_line(is_chain: bool) -> None:
    """In the histogram, and in the trace of a chain; of no other predict."""

    def dashed(known: dict[str, float]) -> list[set[float]]:
        figure = posterior(is_chain).plot(known=known)
        assert figure is not None
        lines = [line for axes in figure.axes for line in axes.lines if line.get_linestyle() == "--"]
        return [{*np.ravel(line.get_xdata()).tolist(), *np.ravel(line.get_ydata()).tolist()} for line in lines]

    assert dashed({}) == [] and dashed({"nothing": 0.25}) == []
    found = dashed({"omega": 0.25})
    assert len(found) == (2 if is_chain else 1) and all(0.25 in line for line in found)


def test_the_demo_marks_the_exact_means() -> None:
    root = Path(__file__).parents[2]
    known = dict(re.findall(r"--known (\w+)=([\d.]+)", (root / "Makefile").read_text()))
    exact = dict(re.findall(r"E\[(\w+)\] = ([\d.]+)", (root / "programs" / "kalman.clj").read_text()[:2000]))
    assert {name: float(value) for name, value in known.items()} == {n: float(v) for n, v in exact.items()}
