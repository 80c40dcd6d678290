"""Composed kernels leave the posterior invariant, by exact transition kernels, and cover what their targets say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.share import share

from pplc import compile_text
from pplc_runtime.composed import targets_of
from pplc_runtime.composition import parsed
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.targets import covering
from pplc_runtime.numerics.keys import Key
from pplc_runtime.processes.dp import DirichletProcess
from pplc_runtime.running.driver import Driver
from pplc_runtime.specialise.engine import scripted

from .kernels import Kernel, distance
from .sweeps import compiled, executions, quietly

PROGRAM = """
[assume p (if (sample (flip 0.4)) 0.8 0.3)]
[assume m (mem (lambda (k) (sample (flip p))))]
[observe (flip (if (m 0) 0.9 0.2)) true]
[observe (flip (if (m 1) 0.4 0.7)) true]
"""
BRANCH = """
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.6 0.3)) true]
[assume b (if a (sample (flip 0.3)) false)]
[observe (flip (if b 0.8 0.4)) true]
"""
SEATS = """
[assume c (crp 1.0)]
[assume bias (mem (lambda (k) (if (sample (flip 0.5)) 0.9 0.2)))]
[observe (flip (bias (sample c))) true]
[observe (flip (bias (sample c))) false]
"""
CASES = {
    "lmh(p, 1) + pgas(m)": PROGRAM,
    "pgas(m) + lmh(rest, 2)": PROGRAM,
    "lmh(m, 1)*2 + icsmc(p)": PROGRAM,
    "pgas(a) + lmh(b, 1)": BRANCH,
    "lmh(a, 1) + pgas(b)": BRANCH,
    "(icsmc(b) + lmh(1))*2": BRANCH,
    "pgas(paths) + lmh(bias, 1)": SEATS,
}


@pytest.mark.parametrize("method", share(CASES, 3))
def test_the_posterior_is_invariant(method: str) -> None:
    source = CASES[method]
    kernel = Kernel(compiled(source).plan)
    before, after = kernel.moved(method_of(parsed(method)).kernel)
    assert math.fsum(after.values()) == pytest.approx(1.0)
    assert distance(before, after) < 1e-12


MODEL = """
[assume q (sample (gamma 2 2))]
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (dec t)) q)))))]
[for [t (range 1 4)]
  [assume noise (sample (normal 0 1))]
  [observe (normal (+ noise (x t)) (sample (gamma 2 2))) (sin t)]]
[predict q]
"""


@pytest.mark.parametrize(
    ("targets", "number"),
    [("q", 1), ("x", 3), ("noise", 3), ("x noise", 6), ("globals", 1), ("paths", 9), ("globals x", 4)],
)
def test_what_a_target_covers(targets: str, number: int) -> None:
    run = compiled(MODEL).plan
    (target,) = targets_of(parsed(f"lmh({targets})"))
    assert target is not None
    covers = covering(run, target)
    with quietly():
        choices = executions(run, 1, 1)[0].choices
    assert len(choices) == 10 and sum(map(covers, choices)) == number
    rest = covering(run, type(target)(target.names, inverted=True))
    assert all(covers(at) is not rest(at) for at in choices)


def states_of(method: str, steps: int, specialised: bool) -> list[Any]:
    """What a chain retains, step by step."""
    text = """
        [assume q (sample (gamma 2 2))]
        [assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (dec t)) q)))))]
        [for [t (range 1 6)] [observe (normal (x t) 1.0) (sin t)]]
        [predict q]"""
    key = Key.of(5)
    with quietly():
        run = compile_text(text).program.plan({})
        kernel = method_of(parsed(method)).kernel
        driver = Driver.on_lanes(kernel, scripted(run) if specialised else run, Settings(4, 20))
        assert (driver.specialised is not None) is specialised
        state = driver.kernel.init(driver.engine, driver.settings, key)
        found = []
        for number in range(steps):
            state, _ = driver.step(state, number, key)
            found.append({at.path(): value for at, value in state.held[0].items()})
        if driver.specialised is not None:
            assert driver.specialised.scripts.failures == 0
    return found


@pytest.mark.parametrize("method", ["pgas(paths) + lmh(q)", "pgas + lmh", "lmh*2 + icsmc(q) + pgas"])
def test_engines_do_the_same(method: str) -> None:
    for one, other in zip(states_of(method, 6, False), states_of(method, 6, True), strict=True):
        assert one == pytest.approx(other, rel=1e-9)


ATOMS = """
[assume d (dp 1.0 (normal 0.0 1.0))]
[assume a (sample d)]
[observe (normal a 0.7) 0.4]
[assume b (sample d)]
[observe (normal b 0.7) 1.1]
[predict (= a b)]
[predict (+ a b)]
"""


def atoms_by_hand() -> dict[str, float]:
    """The two draws are one atom or two, with prior probability 1/2 each; both are conjugate."""
    y, noise = np.array([0.4, 1.1]), 0.49
    one = stats.multivariate_normal([0.0, 0.0], noise * np.eye(2) + 1.0).pdf(y)
    two = stats.multivariate_normal([0.0, 0.0], (noise + 1.0) * np.eye(2)).pdf(y)
    equal = one / (one + two)
    total = equal * 2.0 * y.sum() / (2.0 + noise) + (1.0 - equal) * y.sum() / (1.0 + noise)
    return {"(= a b)": float(equal), "(+ a b)": float(total)}


WITH_ATOMS = ["lmh", "lmh(a) + icsmc(b, 3) + lmh", "pgas(a, 2) + pgas(b, 2) + lmh(1)"]


def off(method: str, *labels: str) -> float:
    """How far a chain is off, in standard errors from thirty batches."""
    posterior, found = compile_text(ATOMS).infer(method, sweeps=3000, burn_in=50, seed=4), []
    for label in labels:
        means = [float(np.exp(s.log_weights) @ np.asarray(s.predicts[label], float)) for s in posterior.sweeps]
        batches = np.array(means).reshape(30, -1).mean(1)
        error = float(batches.std(ddof=1)) / math.sqrt(len(batches))
        assert error < 0.05
        found.append(abs(float(batches.mean()) - atoms_by_hand()[label]) / error)
    return max(found)


@pytest.mark.slow
@pytest.mark.parametrize("method", WITH_ATOMS)
def test_atoms_with_a_density(method: str) -> None:
    """Of ten thousand seeds one or two would fail by mistake."""
    assert off(method, "(= a b)", "(+ a b)") < 5.0


@pytest.mark.slow
@pytest.mark.parametrize("method", WITH_ATOMS)
def test_masses_that_are_compared_with_densities(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DirichletProcess, "fresh", lambda *_: None)
    assert off(method, "(= a b)") > 8.0
