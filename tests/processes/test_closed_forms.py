"""Polya urn, coin and normal against textbook formulas; rising factorials against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from pplc_runtime.processes import PROCESSES
from pplc_runtime.processes.rising import LOG_GAMMA, log_rising


def test_polya_urn_is_dirichlet_multinomial() -> None:
    urn, alpha = PROCESSES["polya-urn"], np.array([0.5, 2.0, 1.5])
    values = [0, 2, 2, 1, 2]
    counts = np.bincount(values, minlength=3)
    orders = math.factorial(5) / math.prod(math.factorial(c) for c in counts)
    expected = stats.dirichlet_multinomial(alpha, counts.sum()).logpmf(counts) - math.log(orders)
    assert urn.block(urn.empty(1, alpha), values, alpha)[0] == pytest.approx(expected, rel=1e-12)


def test_polya_urn_gives_no_mass_outside() -> None:
    urn, alpha = PROCESSES["polya-urn"], np.array([1.0, 1.0])
    state = urn.empty(2, alpha)
    for value in (-1, 2):
        assert urn.log_density(state, None, value, alpha).tolist() == [-math.inf] * 2
        lanes = urn.log_density(state, None, np.array([value, 0]), alpha)
        assert lanes.tolist() == [-math.inf, math.log(0.5)]
        assert urn.block(state, [0, value], alpha).tolist() == [-math.inf] * 2
        urn.seat(state, None, value)
        urn.seat(state, None, np.array([value, value]))
    assert not state[0].any()


def test_beta_flip_is_beta_binomial() -> None:
    coin = PROCESSES["beta-flip"]
    values = [True, False, True, True]
    expected = stats.betabinom.logpmf(3, 4, 0.7, 2.5) - math.log(4)
    assert coin.block(coin.empty(1, 0.7, 2.5), values, 0.7, 2.5)[0] == pytest.approx(expected, rel=1e-12)


def test_normal_normal_is_a_multivariate_normal() -> None:
    process, parameters = PROCESSES["normal-normal"], (1.0, 2.0, 0.5)
    values = [0.3, -1.0, 2.5, 2.0]
    covariance = 0.25 * np.eye(4) + 4.0
    expected = stats.multivariate_normal.logpdf(values, np.full(4, 1.0), covariance)
    state = process.empty(1, *parameters)
    assert process.block(state, values, *parameters)[0] == pytest.approx(expected, rel=1e-12)


def test_normal_normal_after_an_infinite_value() -> None:
    process, parameters = PROCESSES["normal-normal"], (0.0, 1.0, 1.0)
    state = process.empty(2, *parameters)
    assert process.log_density(state, None, math.inf, *parameters).tolist() == [-math.inf] * 2
    assert process.block(state, [0.0, math.inf], *parameters).tolist() == [-math.inf] * 2
    process.seat(state, None, math.inf)
    process.seat(state, None, np.array([-math.inf, 1.0]))
    assert np.isfinite(process.log_density(state, None, 0.5, *parameters)).all()


@pytest.mark.parametrize("m", [0, 1, 5, 32, 33, 300, 100_000])
def test_log_rising(m: int) -> None:
    x = np.array([1e-300, 1e-8, 0.3, 1.0, 7.5, 100.0, 1e4])
    expected = special.gammaln(x + m) - special.gammaln(x)
    np.testing.assert_allclose(log_rising(x, m), expected, rtol=1e-11, atol=1e-11)
    many = np.tile(x, 1000)  # enough lanes for the series
    np.testing.assert_allclose(log_rising(many, m), np.tile(expected, 1000), rtol=1e-11, atol=1e-11)


def test_log_rising_of_large_numbers() -> None:
    """Where the difference of log Gammas has no digits left."""
    x = np.full(1000, 1e18)
    np.testing.assert_allclose(log_rising(x, 500), 500 * np.log(1e18), rtol=1e-14)


def test_log_gamma_table() -> None:
    table = LOG_GAMMA.up_to(50)
    assert table[0] == 0
    np.testing.assert_allclose(table[1:51], special.gammaln(np.arange(1, 51)), rtol=1e-13, atol=1e-14)
    assert len(LOG_GAMMA.up_to(1000)) > 1000
