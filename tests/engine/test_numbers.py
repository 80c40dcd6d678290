"""Random numbers by key: what is drawn depends on the key, address, generation and slot, and on nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.share import share

from pplc import load
from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.engine.numbers import Numbers
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.machine import bulk
from pplc_runtime.machine.machine import is_available
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import multinomial
from pplc_runtime.processes import PROCESSES
from pplc_runtime.running import program as running
from pplc_runtime.values import Symbol

DISCRETE, CRP = DISTRIBUTIONS["discrete"], PROCESSES["crp"]
PROGRAMS = Path(__file__).parents[2] / "programs"
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "gamma": (0.4,), "draw_beta": (0.3, 2.0), "draw_poisson": (12.0,), "draw_binomial": (50.0, 0.4),
    "draw_geometric": (0.2,), "draw_uniform_discrete": (2.0, 9.0), "student_t": (3.0,), "weibull": (0.7,),
    "angle": (2.0,), "hypergeometric": (10.0, 20.0, 12.0),
}  # fmt: skip


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", share(["kalman", "hmm", "crp_small", "lazy_memo", "gp_regression", "branching"], 3))
def test_chains_that_run_together_draw_as_alone(name: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(PROGRAMS / f"{name}.clj")
    together = model.infer(method, particles=4, sweeps=4, chains=3, seed=2).sweeps
    monkeypatch.setattr(running, "MOST_LANES", 0)
    alone = model.infer(method, particles=4, sweeps=4, chains=3, seed=2).sweeps
    for one in together:
        (other,) = [each for each in alone if (each.chain, each.number) == (one.chain, one.number)]
        np.testing.assert_allclose(one.log_weights, other.log_weights, rtol=1e-9, atol=1e-9)
        for label, column in one.predicts.items():
            np.testing.assert_allclose(np.asarray(column, float), np.asarray(other.predicts[label], float), rtol=1e-9)


def test_parts_of_a_frame_draw_as_the_whole() -> None:
    numbers, frame, at = Numbers(Key.of(1), 10), Frame.first(10), At()[3]
    whole = numbers.at(at, frame).standard_normal(10)
    numbers.generation = 1
    later = numbers.at(at, frame).standard_normal(10)
    numbers.generation = 0
    lanes = np.array([2, 5, 7])
    np.testing.assert_array_equal(numbers.at(at, frame.part(lanes)).standard_normal(3), whole[lanes])
    assert not np.isin(later, whole).any()
    assert not np.isin(numbers.at(At()[4], frame).standard_normal(10), whole).any()
    np.testing.assert_array_equal(numbers.at(at, frame).standard_normal((2, 10))[0], whole)


def test_lanes_that_differ_in_their_keys_draw_as_each_would() -> None:
    numbers, frame, memo = Numbers(Key.of(1), 6), Frame.first(6), At()[3]
    keys = np.array([4, 0, 4, 1, 1, 2])
    found = numbers.at(Addresses(memo, Lane(keys, frame), (5, 1)), frame).random(6)
    for key in range(5):
        lanes = np.flatnonzero(keys == key)
        if len(lanes):
            np.testing.assert_array_equal(
                numbers.at(memo[key][5][1], frame.part(lanes)).random(len(lanes)), found[lanes]
            )


@pytest.mark.skipif(not is_available(), reason="nothing to compare with")
@pytest.mark.parametrize("name", bulk.SAMPLERS)
def test_without_machine_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = bulk.Lanes(*(np.arange(start, start + 7, dtype=np.uint64) << np.uint64(16) for start in (1, 2**40, 5)))
    given = (21, bulk.Where(lanes, 3 << 40, 12345 << 50, None), *PARAMETERS.get(name, ()))
    by_machine = bulk.BULK[name](*given)
    monkeypatch.setattr(bulk, "_code", lambda name: None)
    np.testing.assert_allclose(bulk.BULK[name](*given), by_machine, rtol=1e-12)


@pytest.mark.skipif(not is_available(), reason="there is no machine code")
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("lanes", [1, 3, 10])
def test_choices_at_once_are_those_of_numpy(lanes: int, apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ancestors, rows of weights and tables, bit for bit, also where some lanes run; weights differ by many powers of
    ten, so that the order of a sum would show."""
    rng = np.random.default_rng(3)
    frame, memo = Frame.first(lanes), At()[3]
    at = Addresses(memo, Lane(rng.integers(-2, 3, lanes), frame))[7] if apart else memo[7]
    index = np.flatnonzero(rng.random(lanes) < 0.6) if lanes > 1 else None
    some = frame if index is None or apart else frame.part(index)

    def chosen() -> list[Any]:
        found = []
        rng = np.random.default_rng(4)
        numbers: Any = Numbers(Key.of(5), lanes)
        state: Any = CRP.empty(lanes)
        for numbers.generation in range(60):
            weights = 10.0 ** rng.uniform(-9, 9, (4, lanes))
            weights[rng.random((4, lanes)) < 0.3] = 0.0
            weights[rng.integers(4)] += 1e-3
            found += [DISCRETE.sample(numbers.at(at, frame), lanes, weights)]
            found += [multinomial(numbers.of_sweep(1), weights[0] + 1e-12, n) for n in (lanes, 7)]
            for alpha in (0.7, rng.gamma(1.0, 1.0, some.size)):
                of = None if some is frame else index
                found.append(CRP.sample(numbers.at(at, some), state, of, alpha))
                state = CRP.seat(state, of, found[-1])
            found.append(numbers.c0)
        return found

    at_once = chosen()
    monkeypatch.setattr("pplc_runtime.machine.chosen._code", lambda: None)
    for one, other in zip(at_once, chosen(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(not is_available(), reason="there is no machine code")
def test_choices_by_weights_that_are_not_in_one_piece() -> None:
    frame, at = Frame.first(5), At()[3]
    numbers: Any = Numbers(Key.of(1), 5)
    weights = np.arange(1.0, 21.0).reshape(5, 4).T
    read_only = weights.copy()
    read_only.setflags(write=False)
    own = [DISCRETE.sample(numbers.at(at, frame), 5, each) for each in (weights, read_only, weights.copy())]
    np.testing.assert_array_equal(own[0], own[2])
    np.testing.assert_array_equal(own[1], own[2])
    whole = weights.copy().astype(np.int64)
    np.testing.assert_array_equal(DISCRETE.sample(numbers.at(at, frame), 5, whole), own[2])


def test_words_of_addresses_by_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.array([0, 5, -3, 2**62, -(2**63)])
    memo = At()[3][1]
    own = [[memo[key].hash for key in labels.tolist()], [memo[key][4][0].hash for key in labels.tolist()]]
    for _ in range(2):
        for words, sites in zip(own, [(), (4, 0)]):
            assert bulk.words_below(memo.hash, labels, sites).tolist() == words
        monkeypatch.setattr(bulk, "_code", lambda name: None)


def test_addresses_as_numbers() -> None:
    """Known answers: the same in every process, and of every engine."""
    root = At()
    assert root.hash == 0
    assert root[0].hash == 0xE220A8397B1DCDAF, "the first of splitmix64 from 0"
    assert root[1][2.0].hash == root[1][2].hash, "one key"
    sites = [0, 1, -1, 2.5, "a", "b", None, ("bool", True), ("bool", False), ("seq", 1, 2), ("seq", 2, 1), ("seq",)]
    sites += [Symbol(":x"), ("map", frozenset({("k", 1)})), ("map", frozenset({("k", 2)})), print, object(), object()]
    assert len({root[5][site].hash for site in sites}) == len(sites)


def test_numbers_across_slots_addresses_and_sweeps() -> None:
    """Uniform, and without correlation along each of these. Error rate 1e-4 for each of four tests."""
    root, frame = At(), Frame.first(16)
    rows = []
    for sweep in range(40):
        numbers = Numbers(Key.of(7).fold(sweep), 16)
        for generation in range(4):
            numbers.generation = generation
            rows.append([numbers.at(root[site], frame).random(16) for site in range(16)])
    found = np.array(rows)
    assert stats.kstest(found.ravel(), "uniform").pvalue > 1e-4
    for axis in range(3):
        one, other = np.moveaxis(found, axis, 0)[:-1].ravel(), np.moveaxis(found, axis, 0)[1:].ravel()
        assert abs(np.corrcoef(one, other)[0, 1]) * np.sqrt(len(one)) < stats.norm.isf(0.5e-4)
