"""logpdf, cdf and quantile: over lanes as in each lane alone, and against scipy."""

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
