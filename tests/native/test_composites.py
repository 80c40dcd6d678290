"""Moves under mixtures, counts with more zeros and independent components, also drawn ones: means by quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pplc import compile_text
from pplc_runtime.machine.machine import is_available

UNIT = np.linspace(0.0, 1.0, 20_001)
LINE = np.linspace(-15.0, 15.0, 60_001)


def mean(grid: np.ndarray, density: np.ndarray) -> float:
    return float((grid * density).sum() / density.sum())


def two(y: float, share: np.ndarray) -> np.ndarray:
    return share * stats.norm(0, 1).pdf(y) + (1 - share) * stats.norm(3, 1).pdf(y)


MODELS = {
    "shares": (
        """[assume x (sample (beta 2 2))]
           [for [y [0.3 2.3 2.9]] [observe (mixture [x (- 1 x)] [(normal 0 1) (normal 3 1)]) y]] [predict x]""",
        mean(UNIT, UNIT * (1 - UNIT) * two(0.3, UNIT) * two(2.3, UNIT) * two(2.9, UNIT)),
    ),
    "places": (
        """[assume x (sample (normal 0 2))]
           [observe (mixture [[(cauchy x 1) 3] [(normal x 1) 7]]) 3]
           [observe (mixture [1 1 0] [(laplace x 1) (student-t 3 0 1) (normal 0 1)]) -1] [predict x]""",
        mean(
            LINE,
            stats.norm(0, 2).pdf(LINE)
            * (0.3 * stats.cauchy(LINE, 1).pdf(3) + 0.7 * stats.norm(LINE, 1).pdf(3))
            * (stats.laplace(LINE, 1).pdf(-1) + stats.t(3).pdf(-1)),
        ),
    ),
    "zeros": (
        """[assume x (sample (beta 1 1))]
           [for [n [0 0 3]] [observe (zero-inflated x (poisson 2)) n]] [predict x]""",
        mean(UNIT, (UNIT + (1 - UNIT) * math.exp(-2)) ** 2 * (1 - UNIT)),
    ),
    "vectors": (
        """[assume x (sample (normal 0 1))]
           [observe (iid (normal x 1) 2) [0.5 1.1]] [observe (normal (* x [2 3]) 0.5) [1.0 2.0]] [predict x]""",
        (0.5 + 1.1 + 4 * (2 * 1.0 + 3 * 2.0)) / (1 + 2 + 4 * (4 + 9)),
    ),
    "drawn vectors": (
        """[assume a (sample (iid (normal 0 2) 3))] [assume x (a 1)]
           [for [[k y] [[1 1.5] [0 0.2] [1 2.5]]] [observe (normal (a k) 1) y]] [predict x]""",
        (1.5 + 2.5) / (2 + 1 / 4),
    ),
    "drawn positive vectors": (
        """[assume a (sample (exponential [1 2]))] [assume x (a 1)]
           [observe (poisson (a 1)) 3] [observe (poisson (a 0)) 0] [predict x]""",
        4 / 3,
    ),
    "drawn vectors between bounds": (
        """[assume a (sample (uniform [0 1] [1 4]))] [assume x (nth a 1)]
           [observe (normal x 1) 0.5] [predict x]""",
        float(stats.truncnorm(0.5, 3.5, 0.5, 1).mean()),
    ),
}


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["rw", "nuts"])
@pytest.mark.parametrize("name", MODELS)
def test_the_mean_of_ten_chains(name: str, method: str) -> None:
    """Student's t of the means of ten chains: beyond 6 by chance in one of 5,000 such tests."""
    source, exact = MODELS[name]
    draws = compile_text(source).infer(method, chains=10, sweeps=300, burn_in=100, seed=1)["x"]
    means = np.asarray(draws, float).mean(1)
    assert abs(means.mean() - exact) < 6 * means.std(ddof=1) / math.sqrt(len(means))
    assert means.std(ddof=1) < 0.3
