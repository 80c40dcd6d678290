"""What every process promises: `block`, lanes, index subsets, and a sampler that agrees with the density."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pplc_runtime.processes import ALIASES, PROCESSES
from pplc_runtime.processes.base import Process, State
from pplc_runtime.processes.domains import DISCOUNT, FINITE
from pplc_runtime.processes.pitman_yor import PitmanYor

LANES = 7


@dataclass(frozen=True)
class Case:
    """A process, parameters that are shared, others that vary over LANES lanes, and plain values to score."""

    name: str
    shared: tuple[Any, ...]
    varying: tuple[Any, ...]
    plain: Callable[[np.random.Generator], Any]

    @property
    def process(self) -> Process:
        return PitmanYor() if self.name == "crp with a discount" else PROCESSES[self.name]


_SPREAD = np.linspace(0.3, 4.0, LANES)
CASES = [
    Case("crp", (1.5,), (_SPREAD,), lambda rng: int(rng.integers(4))),
    Case("crp with a discount", (1.5, 0.4), (_SPREAD - 0.5, 0.6), lambda rng: int(rng.integers(4))),
    Case(
        "polya-urn",
        (np.array([0.5, 1.0, 3.0]),),
        (np.stack([_SPREAD, 1 / _SPREAD, _SPREAD + 1]),),
        lambda rng: int(rng.integers(3)),
    ),
    Case("beta-flip", (0.7, 2.0), (_SPREAD, 2.0), lambda rng: bool(rng.random() < 0.4)),
    Case("normal-normal", (1.0, 2.0, 0.5), (_SPREAD, 2 * _SPREAD, 0.5), lambda rng: float(rng.normal())),
]
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
EACH_PARAMETERS = pytest.mark.parametrize("kind", ["shared", "varying"])


def parameters_of(case: Case, kind: str) -> tuple[Any, ...]:
    return case.shared if kind == "shared" else case.varying


def restricted(parameters: tuple[Any, ...], process: Process, index: Any) -> tuple[Any, ...]:
    """Parameters of the lanes in `index` only."""
    return tuple(
        value[..., index] if np.ndim(value) > declared.domain.rank else value
        for value, declared in zip(parameters, process.parameters, strict=True)
    )


def random_state(case: Case, kind: str, rng: np.random.Generator, draws: int = 12) -> State:
    """A state in which lanes differ, in the numbers of their draws too."""
    parameters = parameters_of(case, kind)
    state = case.process.empty(LANES, *parameters)
    for _ in range(draws):
        index = np.flatnonzero(rng.random(LANES) < 0.6)
        chosen = restricted(parameters, case.process, index)
        value = case.process.sample(rng, state, index, *chosen)
        state = case.process.seat(state, index, value)
    return state


def copy(state: State) -> State:
    return tuple(part.copy() for part in state)


def same(left: State, right: State) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))


def grown(state: State, like: State) -> State:
    """The state with rows of zeros added, to as many rows as `like` has."""
    return tuple(
        np.pad(part, [(0, len(other) - len(part)), (0, 0)]) if part.ndim == 2 else part
        for part, other in zip(state, like, strict=True)
    )


def test_table() -> None:
    assert list(PROCESSES) == ["crp", "polya-urn", "beta-flip", "normal-normal"]
    assert all(process.name == name for name, process in PROCESSES.items())
    assert all(target in PROCESSES and alias not in PROCESSES for alias, target in ALIASES.items())


@EACH_CASE
@EACH_PARAMETERS
@pytest.mark.parametrize("length", [0, 1, 9, 400])
def test_block_is_the_sum_of_the_predictive_densities(case: Case, kind: str, length: int) -> None:
    rng = np.random.default_rng(length + 1)
    parameters = parameters_of(case, kind)
    for _ in range(20):
        state = random_state(case, kind, rng)
        before = copy(state)
        values = [case.plain(rng) for _ in range(length)]
        closed = case.process.block(state, values, *parameters)
        assert same(state, before)
        sequential = Process.block(case.process, state, values, *parameters)
        assert closed.shape == (LANES,)
        np.testing.assert_allclose(closed, sequential, rtol=1e-10, atol=1e-9)


@EACH_CASE
@EACH_PARAMETERS
def test_lanes_do_not_touch_each_other(case: Case, kind: str) -> None:
    """Density and state of a lane are what they are when it runs alone, and other lanes stay as they are."""
    rng = np.random.default_rng(5)
    process, parameters = case.process, parameters_of(case, kind)
    for _ in range(30):
        state = random_state(case, kind, rng)
        index = rng.permutation(LANES)[: rng.integers(1, LANES + 1)]
        others = np.setdiff1d(np.arange(LANES), index)
        chosen = restricted(parameters, process, index)
        varying = np.array([case.plain(rng) for _ in index])
        for value in (varying, case.plain(rng)):
            density = process.log_density(state, index, value, *chosen)
            after = process.seat(copy(state), index, value)
            assert same(Process.gather(after, others), Process.gather(grown(state, after), others))
            for place, lane in enumerate(index):
                alone = Process.gather(state, np.array([lane]))
                one = value[place : place + 1] if isinstance(value, np.ndarray) else value
                mine = restricted(parameters, process, [lane])
                assert process.log_density(alone, None, one, *mine)[0] == pytest.approx(density[place])
                if density[place] > -np.inf:
                    seated = process.seat(copy(alone), None, one)
                    assert same(Process.gather(after, np.array([lane])), grown(seated, after))


@EACH_CASE
@EACH_PARAMETERS
def test_sampling_leaves_the_state(case: Case, kind: str) -> None:
    rng = np.random.default_rng(8)
    state = random_state(case, kind, rng)
    before = copy(state)
    draws = case.process.sample(rng, state, None, *parameters_of(case, kind))
    assert draws.shape == (LANES,)
    kinds = {"integer": "i", "boolean": "b", "number": "f"}
    assert draws.dtype.kind == kinds[case.process.value_kind]
    assert same(state, before)


@EACH_CASE
def test_samples_follow_the_density(case: Case) -> None:
    """20000 lanes of one state; a chi-square or Kolmogorov test that errs once in 10^4 seeds."""
    rng = np.random.default_rng(9)
    process, n = case.process, 20000
    for _ in range(3):
        lane = np.zeros(n, dtype=np.intp)
        state = Process.gather(random_state(case, "shared", rng), lane)
        draws = process.sample(rng, state, None, *case.shared)
        one = Process.gather(state, np.array([0]))
        if process.discrete:
            support = [False, True] if process.value_kind == "boolean" else list(range(12))
            masses = np.exp([process.log_density(one, None, value, *case.shared)[0] for value in support])
            assert masses.sum() == pytest.approx(1.0)
            observed = np.array([np.count_nonzero(draws == value) for value in support])
            assert observed[masses == 0].sum() == 0
            assert stats.chisquare(observed[masses > 0], n * masses[masses > 0]).pvalue > 1e-4
        else:
            grid = np.linspace(-30, 30, 20001)
            wide = Process.gather(one, np.zeros(len(grid), dtype=np.intp))
            density = np.exp(process.log_density(wide, None, grid, *case.shared))
            cumulative = density.cumsum() * (grid[1] - grid[0])
            assert cumulative[-1] == pytest.approx(1.0)
            ranks = np.interp(draws, grid + (grid[1] - grid[0]) / 2, cumulative)
            assert stats.kstest(ranks, "uniform").pvalue > 1e-4


@EACH_CASE
def test_draws_are_exchangeable(case: Case) -> None:
    """All orders of five values have one density; for crp, labels are given anew in order of appearance."""
    rng = np.random.default_rng(11)
    for _ in range(5):
        values = [case.plain(rng) for _ in range(5)]
        densities = set()
        for order in itertools.permutations(values):
            if case.name.startswith("crp"):
                names: dict[int, int] = {}
                order = tuple(names.setdefault(label, len(names)) for label in order)
            state = case.process.empty(1, *case.shared)
            densities.add(float(case.process.block(state, order, *case.shared)[0]))
        assert max(densities) - min(densities) < 1e-12


@EACH_CASE
def test_domains(case: Case) -> None:
    for declared, shared, varying in zip(case.process.parameters, case.shared, case.varying, strict=True):
        assert declared.domain.rank == np.ndim(shared)
        holds = declared.domain.holds
        assert holds(shared) is True
        if np.ndim(varying) > declared.domain.rank:
            bad = varying.copy()
            bad[..., 2] = np.nan
            assert holds(bad).tolist() == [lane != 2 for lane in range(LANES)]
        for wrong in (np.nan, np.inf):
            assert not holds(shared * wrong)
        if declared.domain not in (FINITE, DISCOUNT):
            assert not holds(shared * 0)
            assert not holds(-shared)


def test_an_empty_vector_is_no_parameter() -> None:
    holds = PROCESSES["polya-urn"].parameters[0].domain.holds
    assert not holds(np.array([]))
    assert holds(np.array([1, 2]))
