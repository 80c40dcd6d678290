"""Moves by noise, elliptical slices and the no-U-turn sampler leave the posterior invariant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.posteriors.exact import ANSWERS
from tests.posteriors.test_methods import LIMIT, estimates
from tests.share import share

from pplc import Model, compile_text, ellipse, gibbs, load, nuts, rw, slices
from pplc_runtime.composition import MethodError
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.library import TEXT
from pplc_runtime.native.mover import Mover
from pplc_runtime.native.noise import NOISE
from pplc_runtime.native.parts import Part
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced
from pplc_runtime.values import ModelError

from .test_joint import MACHINE

pytestmark = pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
PROGRAMS = Path(__file__).parents[2] / "programs"

# Programs without data: the posterior is the prior, whose laws are known.

LEVELS = """
[assume s (sample (gamma 3 2))] [assume m (sample (normal 1 2))] [assume x (sample (normal m s))]
[assume y (sample (lognormal (* 0.1 x) 0.5))] [assume u (sample (uniform-continuous 0 s))]
[assume e (sample (exponential (/ 1 s)))] [assume d (sample (dirichlet [1 2 3.5]))] [assume b (sample (beta 2 5))]
[observe (normal 0 1) 0]
[predict s] [predict m] [predict (/ (- x m) s)] [predict (- (log y) (* 0.1 x))] [predict (/ u s)] [predict (/ e s)]
[predict (nth d 0)] [predict (nth d 1)] [predict (nth d 2)] [predict b] [predict (+ m (* 0 s x))]
"""
LAWS: dict[str, Any] = {
    "s": stats.gamma(3, scale=0.5), "m": stats.norm(1, 2), "(/ (- x m) s)": stats.norm(),
    "(- (log y) (* 0.1 x))": stats.norm(0, 0.5), "(/ u s)": stats.uniform(), "(/ e s)": stats.expon(),
    "(nth d 0)": stats.beta(1, 5.5), "(nth d 1)": stats.beta(2, 4.5), "(nth d 2)": stats.beta(3.5, 3),
    "b": stats.beta(2, 5),
}  # fmt: skip
NORMALS = """
[assume a (sample (normal 0 1))] [assume x (sample (normal a (+ 0.5 (square a))))] [assume y (sample (lognormal x 1))]
[observe (normal 0 1) 0] [predict a] [predict (/ (- x a) (+ 0.5 (square a)))] [predict (- (log y) x)]
"""
NORMAL_LAWS: dict[str, Any] = dict.fromkeys(("a", "(/ (- x a) (+ 0.5 (square a)))", "(- (log y) x)"), stats.norm())
POINTS = 3
WORST = float(stats.t.isf(0.5e-4 / (POINTS * len(LAWS)), 49))
"""Passed in one of ten thousand runs."""


def deviations(source: str, laws: dict[str, Any], method: str, sweeps: int) -> dict[str, float]:
    """Of the distribution function at three points, from that of the prior, in standard errors of 50 batches."""
    posterior = compile_text(source).infer(method, sweeps=sweeps, burn_in=1_000, seed=3)
    found = {}
    for label, law in laws.items():
        x = np.array([np.asarray(sweep.predicts[label], float)[0] for sweep in posterior.sweeps])
        for q in (0.1, 0.5, 0.9):
            point = float(law.ppf(q))
            batches = (x <= point).reshape(50, -1).mean(1)
            error = batches.std(ddof=1) / math.sqrt(50)
            found[f"{label} {q}"] = abs(batches.mean() - law.cdf(point)) / (error + 1e-12)
    return found


PRIORS = {
    "rw(noise)": (LEVELS, LAWS, 20_000), "slice(noise)": (LEVELS, LAWS, 10_000), "nuts": (LEVELS, LAWS, 10_000),
    "nuts(noise)": (LEVELS, LAWS, 10_000), "ellipse": (NORMALS, NORMAL_LAWS, 10_000),
    "rw(s m, noise) + rw": (LEVELS, LAWS, 5_000),
}  # fmt: skip


@pytest.mark.parametrize("method", share(PRIORS, 2))
def test_priors(method: str) -> None:
    source, laws, sweeps = PRIORS[method]
    assert max(deviations(source, laws, method, sweeps).values()) < WORST


MOVED = {
    "gaussian_chain": ("ellipse", "nuts", "nuts(noise)", "rw(noise)"),
    "linear_regression": ("nuts", "slice(noise)", "nuts(slope) + rw(intercept, noise)"),
    "logistic_regression": ("nuts", "ellipse"),
    "stochastic_volatility": ("nuts(noise)", "ellipse(paths, 5) + rw(globals, noise)"),
    "change_point": ("gibbs(when-changed) + rw(before after, noise)",),
}
CASES = [(name, method) for name, methods in MOVED.items() for method in methods]


@pytest.mark.parametrize("case", share(CASES, 5), ids=str)
def test_posteriors(case: tuple[str, str]) -> None:
    """Within 7.6 standard errors, as the table of methods and programs (tests/posteriors/test_methods.py)."""
    name, method = case
    posterior = load(PROGRAMS / f"{name}.clj").infer(method, sweeps=4_000, burn_in=1_000, seed=7)
    for estimate in estimates(list(posterior.sweeps), ANSWERS[name], chain=True):
        assert abs(estimate.off) < LIMIT * estimate.error, estimate


WRONG = {
    "nuts without a Jacobian": ("nuts", "return total + jacobian", "return total"),
    "nuts without the Jacobian of sticks": ("nuts", "total += log(x) + log(1.0 - share)", "total += 0.0"),
    "an ellipse without a level": (
        "ellipse", "level = scored(m, row) + 0.5 * square + log(uniform(k0, k1, c0, m.sites))", "level = -inf",
    ),
    "an ellipse that weighs its own law": ("ellipse", "new + 0.5 * square > level", "new > level"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", share(WRONG, 2))
def test_wrong_moves_are_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method, right, other = WRONG[wrong]
    assert TEXT.count(right) == 1
    monkeypatch.setattr("pplc_runtime.native.joint.TEXT", TEXT.replace(right, other))
    if method == "ellipse":
        assert max(off_the_line(method)) > WORST
    else:
        assert max(deviations(LEVELS, LAWS, method, 2_000).values()) > WORST


COARSE = ("T[2] += (0.8 - a - T[2])", "T[2] += (0.3 - a - T[2])")
ALIKE = ("error - new:", "-log1p(float(leaf)):")


@pytest.mark.parametrize("alike", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_coarse_steps(alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps whose errors are large do no harm, unless points of a trajectory are drawn all alike."""
    text = TEXT
    for right, other in (COARSE, ALIKE) if alike else (COARSE,):
        assert text.count(right) == 1
        text = text.replace(right, other)
    monkeypatch.setattr("pplc_runtime.native.joint.TEXT", text)
    assert bool(max(deviations(LEVELS, LAWS, "nuts(noise)", 5_000).values()) > WORST) is alike


def off_the_line(method: str) -> list[float]:
    """The mean and the square of a normal value that was observed, from what they are, in standard errors."""
    model = compile_text("[assume a (sample (normal 0 1))] [observe (normal a 0.5) 1.5] [predict a]")
    posterior = model.infer(method, sweeps=5_000, burn_in=500, seed=3)
    x = np.array([float(sweep.predicts["a"][0]) for sweep in posterior.sweeps])
    found = []
    for values, expected in ((x, 1.2), (x * x, 0.2 + 1.44)):
        batches = values.reshape(50, -1).mean(1)
        found.append(abs(batches.mean() - expected) / (batches.std(ddof=1) / math.sqrt(50)))
    return found


@pytest.mark.parametrize("method", ["ellipse", "nuts", "rw(noise)", "slice(noise)"])
def test_one_normal(method: str) -> None:
    assert max(off_the_line(method)) < WORST


def test_noise_without_its_law_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The density of the value in place of that of its noise: the Jacobian is missing."""
    right = NOISE["normal"]
    monkeypatch.setitem(NOISE, "normal", right._replace(density="lp_normal({0} + {1} * {e}, {0}, {1})"))
    assert max(deviations(LEVELS, LAWS, "rw(noise)", 20_000).values()) > WORST


# The machine does what CPython does, however many sweeps are done at once


@pytest.mark.parametrize("by", ["nuts", "ellipse", "rw"])
def test_the_machine_moves_as_cpython_does(by: str) -> None:
    plan = compile_text(NORMALS if by == "ellipse" else LEVELS).program.plan({})
    found = []
    with np.errstate(all="ignore"):
        program = specialised(traced(plan))
        values = Trace(plan, {}, np.random.default_rng(2)).values
        for machine in (MACHINE, Interpreted):
            part = Part(by, lambda at: True, noise=by == "rw")

            joint = Joint(program, machine, *part.needs[:2])
            mover = Mover(plan, lambda *_, own=joint: own, (part,), values)
            mover.run(6, 0, 3, Key(5, 6), report=False)
            found.append(mover.x)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7)


def test_cycles_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for most in (1000, 7):
        monkeypatch.setattr("pplc_runtime.native.mover.MOST_SWEEPS", most)
        posterior = compile_text(LEVELS).infer("nuts(x m)*2 + rw(rest, noise)", sweeps=30, burn_in=20, seed=3)
        found.append([float(sweep.predicts["s"][0]) for sweep in posterior.sweeps])
    assert found[0] == found[1] and len(set(found[0])) > 3


def test_executions_stay_what_the_program_does() -> None:
    """After moves by different densities, values that are computed come from what is drawn."""
    plan = compile_text(LEVELS).program.plan({})
    with np.errstate(all="ignore"):
        program = specialised(traced(plan))
        joints = {pair: Joint(program, MACHINE, *pair) for pair in ((False, False), (True, False), (False, True))}
        parts = (Part("rw", lambda at: True, noise=True), Part("nuts", lambda at: True), Part("slice", lambda at: True))
        held = Trace(plan, {}, np.random.default_rng(2)).values
        mover = Mover(plan, lambda noise, gradient, *_: joints[noise, gradient], parts, held)
        for number in range(20):
            mover.run(1, number, 10, Key(5, 6), report=False)
            again = Trace(plan, mover.held, np.random.default_rng(0))
            mover.current = None
            assert mover.bring(joints[False, False]) == pytest.approx(again.log_density, rel=1e-9)


# How they are written

METHODS: list[tuple[Any, str]] = [
    (rw("s", "m", noise=True), "rw(s m, noise)"), (slices(noise=True), "slice(noise)"), (nuts("x"), "nuts(x)"),
    (ellipse("x", together=3) + gibbs("d"), "ellipse(x, 3) + gibbs(d)"), (nuts(noise=True) * 2, "nuts(noise)*2"),
]  # fmt: skip


def test_as_text_and_as_values() -> None:
    from pplc_runtime.composition import parsed

    for value, text in METHODS:
        assert str(value) == text and parsed(text) == value


def model(source: str = NORMALS) -> Model:
    return compile_text(source)


@pytest.mark.parametrize(
    ("source", "method", "message"),
    [
        (NORMALS, "rw(a, 5)", r"rw moves each value once; for more write rw\*5"),
        (NORMALS, "ellipse(a, 0)", "ellipse has at least one value, not 0"),
        (NORMALS, "ellipse(noise)", "the program does not assume 'noise'"),
        ("[assume noise (sample (normal 0 1))] [predict noise]", "rw(noise)", r"a 'noise' of its own[^^]*\n  \^\^"),
    ],
)
def test_methods_that_cannot_be(source: str, method: str, message: str) -> None:
    with pytest.raises(MethodError, match=message):
        model(source).infer(method, sweeps=20, seed=1)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("nuts", "no move by nuts for a draw from poisson, which is discrete; use pgas or lmh for it"),
        ("ellipse", "no move by ellipse for a draw from gamma: it moves normal ones"),
        ("gibbs", "no move by gibbs for a draw from gamma: it moves those of finitely many values"),
    ],
)
def test_values_that_cannot_be_moved(method: str, message: str) -> None:
    source = "[assume s (sample (gamma 2 2))] [assume n (sample (poisson s))] [observe (normal n 1) 1] [predict n]"
    with pytest.raises(ModelError, match=message):
        model(source).infer(method, sweeps=20, seed=1)


def test_errors_are_those_of_the_program() -> None:
    """In the burn-in of nuts, whose steps may lead anywhere, a place where the program fails has weight zero."""
    source = "[assume x (sample (normal 0 1))]\n[observe (normal 0 (+ 1 x)) 1]\n[predict x]"
    with pytest.raises(ModelError, match=r"m.clj:2:1[0-9]: error: .*sd must be a positive number"):
        compile_text(source, "m.clj").infer("nuts", sweeps=5000, burn_in=50, seed=1)


REAL_VALUES = """
[assume a (sample (normal 0 1))] [assume b (sample (normal 1 2))] [assume c (* a b)]
[assume x (sample (normal a 1))] [assume d (* 2 x)]
[for [y [0.3 1.2]] [observe (normal c 0.7) y]] [observe (normal d 1) 0.5]
[predict a] [predict b] [predict c] [predict x] [predict d]
"""


@pytest.mark.parametrize("method", ["nuts", "nuts(noise)"])
def test_what_is_handed_over_is_computed_from_the_values_of_its_sweep(method: str) -> None:
    draws = compile_text(REAL_VALUES).infer(method, sweeps=60, burn_in=40, seed=2)
    assert len(set(draws["a"][0])) > 50
    np.testing.assert_array_equal(draws["c"], draws["a"] * draws["b"])
    np.testing.assert_array_equal(draws["d"], 2 * draws["x"])


def test_a_trajectory_begins_with_what_is_known_of_its_first_point() -> None:
    """The gradient there is that of a run that is taken up, which has to compute it."""
    model = compile_text(REAL_VALUES)
    whole = model.infer("nuts", sweeps=60, burn_in=40, seed=2)
    parts = model.infer("nuts", sweeps=20, burn_in=40, seed=2)
    for _ in range(2):
        parts.extend(20)
    for label in whole.labels:
        np.testing.assert_array_equal(whole[label], parts[label])
