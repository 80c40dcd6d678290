"""Sweeps in machine code: exact kernels, the same by CPython, incremental as full replay, and posteriors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.engine import fixed
from tests.engine.test_scripts_kernel import CERTAIN, DERIVED
from tests.engine.test_traps import CHAIN, LONG_RANGE
from tests.posteriors.answer import PROGRAMS as FOLDER
from tests.posteriors.exact import ANSWERS
from tests.posteriors.test_methods import LIMIT, estimates
from tests.share import share

from pplc import compile_text, load
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native import engine as native_engine
from pplc_runtime.native.arrays import Sweeps
from pplc_runtime.native.schedule import schedule
from pplc_runtime.native.values import Unsupported
from pplc_runtime.results.blocks import Block
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.values import ModelError

from .sweeping import MACHINE, bias, sweeps_of

IMPOSSIBLE = """
[assume x (sample (flip 0.5))]
[observe (flip 0.6) true]
[assume a (if x 1.5 0.5)]
[assume y (sample (flip (if x 0.8 0.0)))]
[observe (flip (if y 0.7 0.4)) true]
[assume b (if y a (+ a 0.5))]
[observe (flip (* 0.4 b)) true]
[assume z (sample (flip (if y 0.3 1.0)))]
[observe (flip (if z 0.9 0.2)) true]
"""
"""What follows a value is impossible behind some prefixes, for some segments and not for others."""
BROKEN = """
[assume x (sample (flip 0.5))]
[observe (flip 0.6) true]
[assume y (sample (flip (if x 0.5 0.0)))]
[observe (flip (if y 0.7 0.4)) true]
[assume d (+ (if x 1.0 0.0) (if y 0.0 1.0))]
[observe (flip (/ 0.4 d)) true]
[assume z (sample (flip (/ 0.3 d)))]
[observe (flip (if z 0.9 0.2)) true]
"""
"""Behind a prefix that makes it impossible what is retained divides by zero, which is no error: no execution does."""
SHORT = """
[assume x (sample (flip 0.3))]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip (if x 0.8 0.3)))]
[observe (flip (if x (if y 0.3 0.7) 0.4)) true]
"""
TWO_LATER = """
[assume x (sample (flip 0.5))]
[observe (flip 0.6) true]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip 0.5))]
[observe (flip (if x (if y 0.1 0.7) 0.8)) true]
"""
TRAPS = {"chain": CHAIN, "long range": LONG_RANGE, "derived": DERIVED, "impossible": IMPOSSIBLE, "broken": BROKEN}


@pytest.mark.parametrize("threshold", [1.0, 0.7])
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", share(TRAPS, 5))
def test_the_posterior_is_invariant(name: str, method: str, threshold: float) -> None:
    """By all ways that chance may go, with two particles."""
    assert bias(TRAPS[name], method, 2, threshold) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_the_posterior_is_invariant_with_three(method: str) -> None:
    assert bias(SHORT, method, 3) < 1e-13


def test_a_stale_score_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where replays of a segment were forgotten, two particles show it."""

    def forgetful(program: Any, rescored: bool, *others: Any) -> Any:
        found = schedule(program, rescored, *others)
        for boundary in found.boundaries:
            del boundary.replays[1:]
        return found

    monkeypatch.setattr("pplc_runtime.native.sweep_code.schedule", forgetful)
    assert bias(CHAIN, "pgas", 2) < 1e-13  # which has one replay at each boundary
    assert bias(TWO_LATER, "pgas", 2) > 1e-3


def assert_same(one: Any, other: Any, tolerance: float) -> None:
    """Discrete values and ancestors are equal, reals nearly."""
    for name in ("places", "paths", "moved", "forks"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("log_evidences", "log_weights", "reports", "drawn"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=tolerance, atol=tolerance)


PROGRAMS = {seed: fixed.program(seed) for seed in range(24)}


@pytest.mark.skipif(not is_available(), reason="there is nothing to compare without llvmlite")
@pytest.mark.parametrize("method", ["importance", "smc", "icsmc", "pgas"])
@pytest.mark.parametrize("seed", share(PROGRAMS, 24))
def test_machine_code_does_what_cpython_does(seed: int, method: str) -> None:
    """From the same numbers; there every index is checked."""
    try:
        done, one, _ = sweeps_of(PROGRAMS[seed], method, 4, 5, seed)
        again, other, _ = sweeps_of(PROGRAMS[seed], method, 4, 5, seed, Interpreted)
    except (Unsupported, NoFixedCourse, ModelError, AssertionError, AttributeError) as reason:
        pytest.skip(str(reason))
    assert done == again
    if done == 5:
        assert_same(one, other, 1e-9)


@pytest.mark.parametrize("name", share(["impossible", "broken", "derived", "long range"], 4))
def test_incremental_replay_is_full_replay(name: str) -> None:
    """The same ancestors from the same numbers."""
    _, one, _ = sweeps_of(TRAPS[name], "pgas", 5, 200, 1)
    _, other, _ = sweeps_of(TRAPS[name], "pgas", 5, 200, 1, full=True)
    assert_same(one, other, 1e-9)


@pytest.mark.parametrize("seed", share(PROGRAMS, 24))
def test_incremental_replay_of_random_programs(seed: int) -> None:
    try:
        done, one, _ = sweeps_of(PROGRAMS[seed], "pgas", 5, 20, seed)
        again, other, _ = sweeps_of(PROGRAMS[seed], "pgas", 5, 20, seed, full=True)
    except (Unsupported, NoFixedCourse, ModelError, AssertionError, AttributeError) as reason:
        pytest.skip(str(reason))
    assert done == again
    if done == 20:
        assert_same(one, other, 1e-7)


# The same sweeps as by the other engines

EVERYWHERE = (
    "bayes_net", "change_point", "epidemic", "gaussian_chain", "hmm", "kalman", "linear_regression",
    "logistic_regression", "nonlinear_ssm", "stochastic_volatility",
)  # fmt: skip
LARGE = """
[assume n (sample (poisson 1.2))]
[observe (normal n 1) 1.4]
[assume big (* n 4503599627370496)]
[assume m (sample (poisson (if (< big 9007199254740991) 1.0 3.0)))]
[observe (normal m 1) 2.2]
[predict n] [predict m]
"""
"""A whole number that reals do not hold, in some particles: there is no code for it."""


def both(model: Any, method: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> list[Any]:
    """The sweeps of a run in machine code, and of one by scripts or lanes."""
    found = []
    for least in (0, 10**12):
        monkeypatch.setattr(native_engine, "LEAST_WORK", least)
        found.append(model.infer(method, seed=4, **settings))
    assert any(isinstance(part, Block) for part in found[0].sweeps.parts)
    assert not any(isinstance(part, Block) for part in found[1].sweeps.parts)
    return found


def assert_equal(one: Any, other: Any) -> None:
    for a, b in zip(one.sweeps, other.sweeps, strict=True):
        living = b.log_weights > -np.inf
        if len(a.log_weights) == len(b.log_weights):
            np.testing.assert_array_equal(living, a.log_weights > -np.inf)
            np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-9, atol=1e-9)
            for label, column in a.predicts.items():
                values, others = np.asarray(column, float), np.asarray(b.predicts[label], float)
                np.testing.assert_allclose(values[..., living], others[..., living], rtol=1e-9, atol=1e-9)
        told = [{**s.diagnostics, "replays": None, "weakest": None, "genealogy": None} for s in (a, b)]
        assert told[0] == told[1]
        if "genealogy" in b.diagnostics:
            np.testing.assert_array_equal(a.diagnostics["genealogy"].ancestors, b.diagnostics["genealogy"].ancestors)
        assert a.kept is not None and b.kept is not None
        np.testing.assert_array_equal(a.kept.particles, b.kept.particles)
        for mine, theirs in zip(values_of(a.kept), values_of(b.kept), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
    for label in one.labels:
        np.testing.assert_allclose(one.values(label)[1], other.values(label)[1], rtol=1e-7, atol=1e-12)
        assert np.array_equal(one.gathered(label).sweeps, other.gathered(label).sweeps)


def values_of(kept: Any) -> list[Any]:
    """What was drawn, in the order of addresses."""
    rows = [(at.path(), row) for block in kept.blocks for at, row in zip(block.addresses, block.data)]
    return [np.asarray(row, float) for _, row in sorted(rows, key=lambda row: repr(row[0]))]


CASES = [(name, method) for name in EVERYWHERE for method in ("importance", "smc", "icsmc", "pgas")]


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("case", share(CASES, 7))
def test_the_same_sweeps_as_by_scripts(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, ancestors and what is told of them, sweep by sweep; reals to 1e-9."""
    name, method = case
    model = load(FOLDER / f"{name}.clj")
    assert_equal(
        *both(
            model, method, monkeypatch, particles=6, sweeps=13, **({} if method == "importance" else {"genealogy": 2})
        )
    )


TABLE = """
[assume rows [[0.5 0.5 0.0] [0.2 0.5 0.3] [0.0 1.0 LAST]]]
[assume means [-1 0 2.5]]
[assume a (sample (discrete [0.3 0.3 0.4]))]
[observe (normal (nth means a) 1) 0.3]
[assume b (sample (discrete (nth rows a)))]
[observe (normal (nth means b) 2) 0.8]
[assume c (sample (discrete (nth rows b)))]
[observe (discrete (nth rows c)) 1]
[predict (+ a (* 3 b) (* 9 c))]
"""
"""What is looked up in constants: rows of weights that are no probabilities, some of them zero."""


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_what_is_looked_up_in_constants(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text(TABLE.replace("LAST", "3.0"))
    assert_equal(*both(model, method, monkeypatch, particles=4, sweeps=30))


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_a_wrong_row_of_constants_is_told(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By those particles that look there."""
    model, told = compile_text(TABLE.replace("LAST", "-3.0")), set()
    for least in (0, 10**12):
        monkeypatch.setattr(native_engine, "LEAST_WORK", least)
        with pytest.raises(ModelError) as found:
            model.infer(method, particles=4, sweeps=30, seed=4)
        told.add(str(found.value))
    assert len(told) == 1 and "weights" in told.pop()


RUNS_OF_LARGE = share(["smc", "icsmc", "pgas", "importance"], 4)


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", RUNS_OF_LARGE)
def test_a_sweep_that_fails_is_the_same_sweep_below(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = both(compile_text(LARGE), method, monkeypatch, particles=4, sweeps=60)
    assert any(not isinstance(part, Block) for part in one.sweeps.parts)
    assert_equal(one, other)


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
def test_chains_and_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results of several chains are those of each, whichever run together."""
    model = load(FOLDER / "gaussian_chain.clj")
    for settings in ({"chains": 3}, {"ess_threshold": 0.5}):
        assert_equal(*both(model, "pgas", monkeypatch, particles=5, sweeps=20, **settings))


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.slow
def test_values_that_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """pgas of paths, given what another method moves."""
    model = load(FOLDER / "stochastic_volatility.clj")
    found = []
    for least in (0, 10**12):
        monkeypatch.setattr(native_engine, "LEAST_WORK", least)
        found.append(model.infer("pgas(paths, 5) + rw(globals)", sweeps=6, seed=2))
    for a, b in zip(found[0].sweeps, found[1].sweeps, strict=True):
        for label, column in a.predicts.items():
            np.testing.assert_allclose(np.asarray(column, float), np.asarray(b.predicts[label], float), rtol=1e-8)


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_what_is_held_stays(method: str) -> None:
    """Particles that hold a value leave the posterior of the others given it invariant."""
    assert bias(SHORT, method, 2, holds=lambda at: at.path()[0] == 1) < 1e-13


# Posteriors, by the whole of pplc

STATIC = (
    "bayes_net", "change_point", "gaussian_chain", "hmm", "linear_regression", "logistic_regression",
    "nonlinear_ssm", "stochastic_volatility",
)  # fmt: skip
RUNS: dict[str, dict[str, Any]] = {
    "importance": {"particles": 1000, "sweeps": 40},
    "smc": {"particles": 500, "sweeps": 40},
    "icsmc": {"particles": 30, "sweeps": 2000},
    "pgas": {"particles": 5, "sweeps": 4000},
}
HOPELESS = {("importance", "hmm"), ("importance", "nonlinear_ssm"), ("icsmc", "nonlinear_ssm")}


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("case", share([(n, m) for n in STATIC for m in RUNS if (m, n) not in HOPELESS], 15))
def test_posteriors(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Within 7.6 standard errors, as the table of methods and programs (tests/posteriors/test_methods.py)."""
    monkeypatch.setattr(native_engine, "LEAST_WORK", 0)
    name, method = case
    answer = ANSWERS[name]
    posterior = load(FOLDER / f"{name}.clj").infer(method, seed=3, **RUNS[method])
    assert isinstance(posterior.sweeps.parts[0], Block)
    for estimate in estimates(list(posterior.sweeps), answer, chain=method in ("icsmc", "pgas")):
        assert abs(estimate.off) < LIMIT * estimate.error, estimate


def number(key: Any) -> float:
    """The number of a value, by its key."""
    return float(key[-1] if isinstance(key, tuple) else key)


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("source", share([CERTAIN, LONG_RANGE, IMPOSSIBLE], 3))
def test_long_runs_of_two_particles(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 30,000 sweeps, in batches: the mean is within 5 standard errors, one in a million times it is not."""
    from tests.engine.kernels import Kernel
    from tests.engine.sweeps import compiled

    monkeypatch.setattr(native_engine, "LEAST_WORK", 0)
    source = source if "predict" in source else source + "[predict x]"
    kernel = Kernel(compiled(source).plan)
    with kernel.enumerated():
        exact = sum(number(values[0][1]) * p for _, values, p in kernel.posterior())
    posterior = compile_text(source).infer("pgas", particles=2, sweeps=30_000, seed=5)
    means = [posterior.mean("x")]
    assert isinstance(posterior.sweeps.parts[0], Block)
    (series,) = posterior.series("x", np.asarray(posterior.gathered("x").values, float))
    batches = series.reshape(100, -1).mean(1)
    assert abs(means[0] - exact) < 5 * batches.std() / 10


def test_the_middle_language_is_python_too() -> None:
    """Every field of the record is given."""
    _, _, sweeper = sweeps_of(CHAIN, "pgas", 3, 1, 1)
    given = {*sweeper.fields, *sweeper.outputs(1, 3, 0, report=True), "K0", "K1", "folds", "number", "chain", "first"}
    assert given == set(Sweeps.__annotations__)
    assert MACHINE is not None
