"""logpdf, cdf, quantile and support: over lanes as in each lane alone, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import pplc

PROGRAM = """
[assume x (sample (normal 0 1))]
[assume k (sample (poisson 3))]
[assume d (if (> x 0.3) (gamma 2 (+ 0.1 (abs x))) (normal x 2))]
[predict "x" x]
[predict "k" k]
[predict "cdf" (cdf d k)]
[predict "quantile" (quantile d (sigmoid x))]
[predict "count" (quantile (poisson (exp x)) (normal-cdf x))]
[predict "logpdf" (logpdf d k)]
[predict "plain" (cdf (normal 1 2) 0.3)]
"""


@pytest.mark.parametrize("particles", [1, 40])
def test_lanes_and_scipy(particles: int) -> None:
    posterior = pplc.compile_text(PROGRAM).infer("importance", particles=particles, sweeps=40 // particles, seed=3)
    columns = {label: posterior.values(label)[0] for label in posterior.labels}
    for x, k, below, value, count, density, plain in zip(*columns.values()):
        law = stats.gamma(2, scale=1 / (0.1 + abs(x))) if x > 0.3 else stats.norm(x, 2)
        assert below == pytest.approx(law.cdf(k), rel=1e-9)
        assert value == pytest.approx(law.ppf(1 / (1 + np.exp(-x))), rel=1e-9)
        assert count == stats.poisson(np.exp(x)).ppf(stats.norm.cdf(x))
        assert density == pytest.approx(law.logpdf(k), rel=1e-9)
        assert plain == pytest.approx(stats.norm(1, 2).cdf(0.3))


SUPPORT = """
[assume n (sample (uniform-discrete 1 4))]
[assume d (if (= n 1) (flip 0.25) (if (= n 2) (binomial n 0.5) (categorical {:a 1 :b 0 n 2})))]
[predict "n" n]
[predict "support" (support d)]
[predict "mean" (expectation (binomial n 0.5))]
[assume below (conditional (fn [] (let [x (sample (uniform-discrete 0 4))] (condition (< x n)) x)))]
[predict "squares" (expectation below square)]
[predict "one" (support (dirac [n 1]))]
[predict "alike" (support (categorical [[1 1] [1.0 2] [n 1]]))]
"""


@pytest.mark.parametrize("particles", [1, 40])
def test_the_values_of_finite_distributions(particles: int) -> None:
    posterior = pplc.compile_text(SUPPORT).infer("importance", particles=particles, sweeps=40 // particles, seed=3)
    columns = {label: posterior.values(label)[0] for label in posterior.labels}
    seen = set()
    for n, values, mean, squares, one, alike in zip(*columns.values()):
        seen.add(int(n))
        assert list(map(str, values)) == {1: ["True", "False"], 2: ["0", "1", "2"], 3: [":a", "3"]}[n]
        assert mean == pytest.approx(n / 2)
        assert squares == pytest.approx(sum(x * x for x in range(int(n))) / n)
        assert [list(each) for each in one] == [[n, 1]]
        assert list(alike) == ([1] if n == 1 else [1, n])
    assert seen == {1, 2, 3}


def test_there_are_too_many_values() -> None:
    for source in ("(normal 0 1)", "(poisson 3)", "(uniform-discrete 0 1000000)", "3"):
        with pytest.raises(pplc.ModelError, match="support: the distribution must have finitely many values"):
            pplc.compile_text(f"[predict (support {source})]").infer("importance", particles=2, sweeps=1, seed=1)
