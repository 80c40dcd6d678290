"""Effective draws and R-hat of series of known autocorrelation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from pplc_runtime.results.convergence import aligned, effective_draws, split_rhat


def autoregressive(r: float, chains: int, length: int, seed: int) -> NDArray[np.float64]:
    noise = np.random.default_rng(seed).normal(size=(chains, length))
    series = np.empty_like(noise)
    series[:, 0] = noise[:, 0] / math.sqrt(1 - r * r)
    for t in range(1, length):
        series[:, t] = r * series[:, t - 1] + noise[:, t]
    return series


@pytest.mark.parametrize("r", [0.0, 0.5, 0.9, -0.4])
@pytest.mark.parametrize("chains", [1, 4])
def test_an_autoregressive_chain(r: float, chains: int) -> None:
    found = [effective_draws(autoregressive(r, chains, 5000, seed)) for seed in range(4)]
    assert np.mean(found) == pytest.approx(chains * 5000 * (1 - r) / (1 + r), rel=0.15)


def test_chains_that_disagree() -> None:
    series = autoregressive(0.0, 2, 1000, 1) + np.array([[0.0], [5.0]])
    assert split_rhat(series) > 2
    assert effective_draws(series) < 20
    assert split_rhat(autoregressive(0.0, 2, 1000, 1)) == pytest.approx(1.0, abs=0.01)


def test_a_chain_that_drifts() -> None:
    assert split_rhat(np.linspace(0.0, 1.0, 100)[None, :]) > 1.5


@pytest.mark.parametrize(
    "series", [np.ones((2, 50)), np.zeros((2, 50)), np.array([[1.0, 2.0]]), np.full((1, 9), np.inf)]
)
def test_nothing_to_say(series: NDArray[np.float64]) -> None:
    assert math.isnan(effective_draws(series)) and math.isnan(split_rhat(series))


def test_stuck_at_different_places() -> None:
    assert split_rhat(np.repeat([[0.0], [1.0]], 20, axis=1)) == math.inf


def test_chains_that_have_only_begun_are_left_out() -> None:
    assert aligned([np.zeros(10), np.zeros(8), np.zeros(2)]).shape == (2, 8)
    assert aligned([]).size == 0


def test_an_outlier_at_the_start_does_not_hide_a_chain_that_is_stuck() -> None:
    """A chain that starts far off and then moves six times in a thousand sweeps, up to rounding in between."""
    rng = np.random.default_rng(1)
    series = np.repeat(rng.normal(1.0, 0.05, 6), 167)[:1000] * (1 + 1e-15 * rng.normal(size=1000))
    series[:3] = 1e9
    assert 1 < effective_draws(series[None]) < 20


def test_the_unit_is_of_no_account() -> None:
    """Draws of heavy tails have squares that are too large for a float."""
    series = autoregressive(0.5, 2, 500, 1)
    assert effective_draws(series * 1e300) == pytest.approx(effective_draws(series))
    assert split_rhat(series * 1e300) == pytest.approx(split_rhat(series))
