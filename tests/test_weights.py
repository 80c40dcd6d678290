"""Log weights: sums, normalised weights, evidence."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.special import logsumexp

from pplc_runtime.numerics.weights import (
    BadWeights,
    ZeroWeights,
    effective_sample_size,
    log_evidence,
    log_mean_exp,
    log_sum_exp,
    normalise,
    normalise_and_sum,
    relative,
    relative_rows,
)

INF = math.inf


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("shift", [0.0, -1e5, 1e5, -1e300])
def test_sums(shift: float) -> None:
    log_weights = np.array([0.5, -1.0, -INF, 2.0]) + shift
    assert log_sum_exp(log_weights) == pytest.approx(logsumexp(log_weights), rel=1e-14)
    assert log_mean_exp(log_weights) == pytest.approx(logsumexp(log_weights) - math.log(4), rel=1e-14)
    weights, log_total = normalise_and_sum(log_weights)
    assert log_total == log_sum_exp(log_weights)
    assert weights.sum() == pytest.approx(1.0)
    assert np.array_equal(weights, normalise(log_weights))
    if abs(shift) < 1e10:
        np.testing.assert_allclose(weights, np.exp(log_weights - logsumexp(log_weights)), rtol=1e-10)


def test_the_argument_stays_as_it_is() -> None:
    log_weights = np.array([0.0, 1.0])
    normalise(log_weights)
    log_sum_exp(log_weights)
    assert log_weights.tolist() == [0.0, 1.0]


def test_far_apart_weights() -> None:
    assert normalise(np.array([0.0, -1e6, -INF])).tolist() == [1.0, 0.0, 0.0]


def test_all_zero() -> None:
    zero = np.full(3, -INF)
    assert log_sum_exp(zero) == -INF
    assert log_mean_exp(zero) == -INF
    with pytest.raises(ZeroWeights):
        normalise(zero)


@pytest.mark.parametrize("bad", [math.nan, INF])
def test_what_is_no_weight(bad: float) -> None:
    for log_weights in (np.array([0.0, bad, -INF]), np.array([bad, bad])):
        with pytest.raises(BadWeights):
            normalise(log_weights)
        assert not math.isfinite(log_sum_exp(log_weights))


@pytest.mark.parametrize("shift", [0.0, -1e5, 1e5, -1e300, 229.0])
def test_weights_up_to_a_factor(shift: float) -> None:
    rows = np.array([[0.5, -1.0, -INF, 2.0], [-300.0, -301.0, -INF, -INF]]) + shift
    with np.errstate(over="ignore"):
        found, log_totals = relative_rows(rows)
        for row, weights, log_total in zip(rows, found, log_totals):
            alone, log_alone = relative(row)
            assert log_total == pytest.approx(log_sum_exp(row), rel=1e-14) == log_alone
            np.testing.assert_allclose(weights / weights.sum(), normalise(row), rtol=1e-10)
            np.testing.assert_allclose(alone / alone.sum(), normalise(row), rtol=1e-10)


@pytest.mark.parametrize("bad", [math.nan, INF])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_is_no_weight_in_a_row(bad: float, place: int) -> None:
    rows = np.zeros((3, 2))
    rows[place, 1] = bad
    with pytest.raises(BadWeights):
        relative_rows(rows)
    with pytest.raises(BadWeights):
        relative(rows[place])


def test_a_row_of_zeros() -> None:
    rows = np.zeros((3, 2))
    rows[1] = -INF
    with pytest.raises(ZeroWeights):
        relative_rows(rows)
    with pytest.raises(ZeroWeights):
        relative(rows[1])


def test_effective_sample_size() -> None:
    assert effective_sample_size(np.full(10, 0.1)) == pytest.approx(10)
    assert effective_sample_size(np.array([0.0, 1.0])) == 1
    assert effective_sample_size(np.array([0.5, 0.25, 0.25])) == pytest.approx(8 / 3)


def test_evidence_of_one_sweep_has_no_error() -> None:
    value, error = log_evidence([-3.5])
    assert value == -3.5
    assert math.isnan(error)


def test_evidence_of_impossible_sweeps() -> None:
    value, error = log_evidence([-INF, -INF])
    assert value == -INF
    assert math.isnan(error)
    value, error = log_evidence([0.0, -INF])
    assert value == pytest.approx(math.log(0.5))
    assert error == INF, "one sweep alone has found anything"


def test_evidence_does_not_depend_on_the_scale() -> None:
    logs = [0.1, -0.3, 0.4, 0.0]
    value, error = log_evidence(logs)
    shifted, same_error = log_evidence([entry - 5000 for entry in logs])
    estimates = np.exp(logs)
    assert value == pytest.approx(math.log(estimates.mean()))
    without = [math.log(np.delete(estimates, place).mean()) for place in range(4)]
    assert error == pytest.approx(np.std(without) * math.sqrt(3))
    assert error == pytest.approx(estimates.std(ddof=1) / 2 / estimates.mean(), rel=0.05), "nearly the delta method"
    assert shifted == pytest.approx(value - 5000)
    assert same_error == pytest.approx(error)


def test_evidence_error_is_the_spread_over_repetitions() -> None:
    """2000 repetitions of 400 lognormal sweeps: the sd of their logs is known to 2 percent, we allow 8."""
    rng = np.random.default_rng(3)
    answers = [log_evidence(rng.normal(0.0, 0.5, 400).tolist()) for _ in range(2000)]
    values, errors = np.array(answers).T
    assert errors.mean() == pytest.approx(values.std(), rel=0.08)
    assert values.mean() == pytest.approx(0.125, abs=0.005)


def test_a_sum_depends_on_its_terms_alone() -> None:
    """Not on where in memory they are, nor on how many rows there are."""
    rng = np.random.default_rng(1)
    for number in (10, 100, 129, 1000, 5000):
        log_weights = 3 * rng.standard_normal(number)
        rows = np.array([log_weights, rng.standard_normal(number), rng.standard_normal(number)])
        found = set()
        for offset in range(8):
            there = np.empty(number + 8)[offset : offset + number]
            there[:] = log_weights
            weights, total = relative(there)
            moved = np.empty(number + 8)[offset : offset + number]
            moved[:] = weights
            found.add((total, effective_sample_size(moved)))
        assert {total for total, _ in found} == {relative_rows(rows)[1][0], relative_rows(rows[:1])[1][0]}
        assert len(found) == 1
