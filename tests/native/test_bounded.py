"""What lies between bounds, `logpdf`, and draws from mixtures, under moves: densities, derivatives, and means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from pplc import compile_text
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native.library import TEXT
from pplc_runtime.native.sites import sites_of
from pplc_runtime.numerics.scales import BETWEEN, FINITE, POSITIVE, REAL, WHOLE, Scale

from .test_gradients import PRIOR, assert_derivatives
from .test_joint import assert_same_density, joint_of

TOGETHER = (
    """[observe (truncated (normal a b) -1 2) 0.3] [observe (truncated (normal a b) -1 nil) 0.3]
    [observe (truncated (normal a b) nil 2) 0.3] [observe (truncated (normal a b) (- a 1) (+ a c)) a]
    [observe (truncated (normal a b) 5 7) 5.5] [observe (truncated (normal 0 2) -1 c) -0.5]""",
    """[observe (truncated (exponential b) 0 2) 1] [observe (truncated (exponential b) 0.5 nil) 1]
    [observe (truncated (weibull b c) 0.2 2) 1] [observe (truncated (uniform-continuous (- a 3) (+ a 4)) -1 2) 0.3]
    [observe (truncated (gamma 2 1) 1 3) (+ 1 (/ b (+ 1 b)))] [observe (truncated (poisson 4) 2 9) 3]""",
    """[observe (censored (normal a b) 0 2) 2] [observe (censored (normal a b) 0 2) 0]
    [observe (censored (normal a b) 0 2) 1.5] [observe (censored (weibull b c) 0 2) 2]
    [observe (censored (weibull b c) 0.5 2) 0.5] [observe (censored (exponential b) 0 2) 1.3]
    [observe (censored (exponential b) nil 2) 2]""",
    """[factor (logpdf (normal a b) 0.3)] [factor (* b (logpdf (gamma b c) (exp a)))] [factor (logpdf (poisson b) 2)]
    [factor (logpdf (normal 0 1) a)] [factor (logpdf (truncated (normal a b) 0 9) c)]
    [factor (logpdf (mixture [b 1] [(normal a 1) (normal 0 c)]) 0.3)]""",
)


@pytest.mark.parametrize("statements", TOGETHER)
def test_density_and_derivatives(statements: str) -> None:
    source = f"{PRIOR} {statements} [predict a]"
    assert_same_density(compile_text(source), 1)
    assert_derivatives(source)


def test_masses_of_the_normal_distribution() -> None:
    machine = Interpreted(TEXT, frozenset({"log_normal_below", "log_normal_between"}))
    for z in (-1e3, -45.0, -30.01, -29.99, -8.0, -0.3, 0.0, 0.3, 6.0, 9.0, 40.0):
        assert machine["log_normal_below"](z) == pytest.approx(special.log_ndtr(z), rel=1e-11, abs=1e-300)
    for a, b in ((-1.0, 2.0), (5.0, 6.0), (-6.0, -5.0), (35.0, 36.0), (-60.0, -59.9), (-1e-3, 1e-3), (8.0, 100.0)):
        exact = stats.truncnorm(a, b).logpdf(a) - stats.norm.logpdf(a)
        assert -machine["log_normal_between"](a, b) == pytest.approx(exact, rel=1e-9)
    assert machine["log_normal_between"](2.0, 2.0) == -math.inf


SCALES = {
    "(truncated (normal 0 1) -1 2)": Scale(BETWEEN, -1.0, 2.0), "(truncated (normal 0 1) 0 nil)": Scale(POSITIVE),
    "(truncated (normal 0 1) 1 nil)": Scale(REAL), "(truncated (gamma 2 1) -1 nil)": Scale(POSITIVE),
    "(truncated (normal 0 1) 0 a)": Scale(REAL), "(truncated (poisson 3) 2 6)": Scale(FINITE, 2.0, 7.0),
    "(truncated (poisson 3) 2 nil)": Scale(WHOLE), "(mixture [1 2] [(normal 0 1) (cauchy 3 1)])": Scale(REAL),
    "(mixture [1 2] [(gamma 1 1) (lognormal 3 1)])": Scale(POSITIVE),
    "(mixture [1 2] [(gamma 1 1) (normal 3 1)])": Scale(REAL),
    "(mixture [1 2] [(flip 0.1) (flip 0.8)])": Scale(FINITE, 0.0, 2.0),
    "(mixture [1 2] [(binomial 3 0.1) (uniform-discrete 5 8)])": Scale(FINITE, 0.0, 8.0),
    "(zero-inflated 0.3 (poisson 2))": Scale(WHOLE), "(zero-inflated 0.3 (binomial 4 0.5))": Scale(FINITE, 0.0, 5.0),
}  # fmt: skip


@pytest.mark.parametrize("source", SCALES)
def test_how_a_draw_moves(source: str) -> None:
    _, joint = joint_of(compile_text(f"[assume a (sample (gamma 2 1))] [assume x (sample {source})] [predict x]"))
    assert sites_of(joint, lambda at: True)[1].scale == SCALES[source]


LINE = np.linspace(-15.0, 15.0, 60_001)
COUNTS = np.arange(0, 60)


def mean(grid: np.ndarray, density: np.ndarray) -> float:
    return float((grid * density).sum() / density.sum())


DRAWN = {
    "[assume x (sample (truncated (normal 0 2) -1 2))] [observe (normal x 1) 2.5]": mean(
        LINE, stats.norm(0, 2).pdf(LINE) * stats.norm(LINE, 1).pdf(2.5) * ((LINE >= -1) & (LINE <= 2))
    ),
    "[assume x (sample (truncated (normal 0 2) 0.5 nil))] [observe (normal x 1) 0.1]": mean(
        LINE, stats.norm(0, 2).pdf(LINE) * stats.norm(LINE, 1).pdf(0.1) * (LINE >= 0.5)
    ),
    "[assume x (sample (mixture [0.3 0.7] [(normal 0 1) (normal 3 2)]))] [observe (normal x 1) 1.5]": mean(
        LINE, (0.3 * stats.norm(0, 1).pdf(LINE) + 0.7 * stats.norm(3, 2).pdf(LINE)) * stats.norm(LINE, 1).pdf(1.5)
    ),
    "[assume x (sample (normal 0 1))] [for [y [0.2 0.9]] [observe (truncated (normal x 1) 0 2) y]]": mean(
        LINE,
        stats.norm(0, 1).pdf(LINE)
        * stats.truncnorm(-LINE, 2 - LINE, LINE, 1).pdf(0.2)
        * stats.truncnorm(-LINE, 2 - LINE, LINE, 1).pdf(0.9),
    ),
    "[assume x (sample (truncated (poisson 3) 2 7))] [observe (normal x 2) 6]": mean(
        COUNTS, stats.poisson(3).pmf(COUNTS) * stats.norm(COUNTS, 2).pdf(6) * ((COUNTS >= 2) & (COUNTS <= 7))
    ),
    "[assume x (sample (zero-inflated 0.4 (poisson 2)))] [observe (normal x 1) 1]": mean(
        COUNTS, (0.4 * (COUNTS == 0) + 0.6 * stats.poisson(2).pmf(COUNTS)) * stats.norm(COUNTS, 1).pdf(1)
    ),
}


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["rw", "slice", "nuts"])
@pytest.mark.parametrize("source", DRAWN)
def test_the_mean_of_ten_chains(source: str, method: str) -> None:
    """Student's t of the means of ten chains: beyond 6 by chance in one of 5,000 such tests."""
    if method != "rw" and "poisson" in source:
        pytest.skip("of whole numbers, which rw moves")
    draws = compile_text(f"{source} [predict x]").infer(method, chains=10, sweeps=400, burn_in=100, seed=1)["x"]
    means = np.asarray(draws, float).mean(1)
    assert abs(means.mean() - DRAWN[source]) < 6 * means.std(ddof=1) / math.sqrt(len(means))
    assert means.std(ddof=1) < 0.3
