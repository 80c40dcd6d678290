"""The Chinese restaurant process: its labels, its partitions, its capacity."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pplc_runtime.processes import PROCESSES
from pplc_runtime.processes.base import Process, State
from pplc_runtime.processes.pitman_yor import PitmanYor

CRP = PROCESSES["crp"]


def seated(*lanes: list[int]) -> State:
    """A state whose lanes have seen these labels."""
    state = CRP.empty(len(lanes), 1.0)
    for lane, labels in enumerate(lanes):
        for label in labels:
            state = CRP.seat(state, np.array([lane]), label)
    return state


def test_predictive_density() -> None:
    state = seated([], [0, 0, 1], [0, 1, 2, 2])
    alpha = 0.5
    expected: dict[int, list[float]] = {
        -1: [0, 0, 0],
        0: [1, 2 / 3.5, 1 / 4.5],
        1: [0, 1 / 3.5, 1 / 4.5],
        2: [0, 0.5 / 3.5, 2 / 4.5],
        3: [0, 0, 0.5 / 4.5],
        4: [0, 0, 0],
        10**9: [0, 0, 0],
    }
    for label, masses in expected.items():
        plain = CRP.log_density(state, None, label, alpha)
        lanes = CRP.log_density(state, None, np.full(3, label), alpha)
        block = CRP.block(state, [label], alpha)
        for density in (plain, lanes, block):
            np.testing.assert_allclose(np.exp(density), masses, rtol=1e-14)


def test_partitions_with_a_discount() -> None:
    """prod over tables t > 0 of (alpha + d t) prod_k (1 - d) ... (c_k - 1 - d) / ((alpha + 1) ... (alpha + n - 1)),
    over all sequences of labels, and sums to 1; also for an alpha that is not positive."""
    process, n = PitmanYor(), 5
    for alpha, d in ((1.7, 0.4), (-0.2, 0.5), (0.0, 0.3), (1.7, 0.0)):
        total = 0.0
        for labels in itertools.product(range(n), repeat=n):
            density = process.block(process.empty(1, alpha, d), labels, alpha, d)[0]
            if all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels)):
                counts = [labels.count(label) for label in set(labels)]
                formula = math.prod(alpha + d * t for t in range(1, len(counts)))
                formula *= math.prod(i - d for c in counts for i in range(1, c))
                formula /= math.prod(alpha + i for i in range(1, n))
                assert math.exp(density) == pytest.approx(formula, rel=1e-12)
                total += formula
            else:
                assert density == -math.inf
        assert total == pytest.approx(1.0)


def test_partitions_follow_the_ewens_formula() -> None:
    """alpha^T prod (c_k - 1)! / (alpha ... (alpha + n - 1)), over all sequences of labels, and sums to 1."""
    alpha, n = 1.7, 5
    rising = math.prod(alpha + i for i in range(n))
    total = 0.0
    for labels in itertools.product(range(n), repeat=n):
        density = CRP.block(CRP.empty(1, alpha), labels, alpha)[0]
        in_order = all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels))
        if in_order:
            counts = [labels.count(label) for label in set(labels)]
            formula = alpha ** len(counts) * math.prod(math.factorial(c - 1) for c in counts) / rising
            assert math.exp(density) == pytest.approx(formula, rel=1e-12)
            total += formula
        else:
            assert density == -math.inf
    assert total == pytest.approx(1.0)


def test_block_knows_which_orders_are_possible_in_each_lane() -> None:
    """All sequences of five labels from lanes with 0 to 4 tables."""
    state = seated(*([*range(tables)] for tables in range(5)))
    for labels in itertools.product(range(-1, 5), repeat=4):
        closed = CRP.block(state, labels, 0.8)
        np.testing.assert_allclose(closed, Process.block(CRP, state, labels, 0.8), rtol=1e-12, atol=1e-12)


def test_tables_beyond_the_capacity() -> None:
    state = seated([], [0, 1])
    labels = list(range(40))
    closed = CRP.block(state, labels, 2.0)
    np.testing.assert_allclose(closed, Process.block(CRP, state, labels, 2.0), rtol=1e-12)
    for label in labels:
        state = CRP.seat(state, None, np.array([label, min(label, 2)]))
    counts, tables, customers = state
    assert len(counts) == 64
    assert tables.tolist() == [40, 3]
    assert customers.tolist() == [40, 42]
    assert counts.sum(axis=0).tolist() == [40, 42]
    assert counts[:3, 1].tolist() == [2, 2, 38]


def test_an_impossible_label_does_no_harm_to_other_lanes() -> None:
    state = seated([0], [*range(8)])
    for label in (-1, -100, 10**12):
        state = CRP.seat(state, None, np.array([label, 0]))
        assert len(state[0]) == 8
    state = CRP.seat(state, None, np.array([8, 8]))
    assert state[0][:, 1].tolist() == [4, 1, 1, 1, 1, 1, 1, 1, 1, *[0] * 7]
    assert state[1][1] == 9


def test_a_plain_label_that_is_new_beyond_the_capacity_in_some_lanes() -> None:
    state = seated([*range(8)], [0])
    state = CRP.seat(state, None, 8)
    assert state[0][8].tolist() == [1, 0]
    assert state[1].tolist() == [9, 1]


@pytest.mark.parametrize("alpha", [1e-300, 1e-9, 1e9, 1e18])
def test_extreme_concentrations(alpha: float) -> None:
    state = seated([0, 0, 1], [0])
    labels = [0, 1, 1, 2, 3, 0] + [3] * 5000
    closed = CRP.block(state, labels, alpha)
    np.testing.assert_allclose(closed, Process.block(CRP, state, labels, alpha), rtol=1e-12)
