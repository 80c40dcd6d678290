"""The joint density as machine code is that of the program itself, and moves leave the posterior invariant."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.engine import fixed
from tests.posteriors.exact import ANSWERS
from tests.posteriors.test_methods import LIMIT, estimates
from tests.share import share

from pplc import Model, compile_text, load
from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.machine.machine import Interpreted, Machine, is_available
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.library import FUNCTIONS, TEXT
from pplc_runtime.native.mover import Mover
from pplc_runtime.native.parts import Part
from pplc_runtime.native.values import Unsupported
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced
from pplc_runtime.values import ModelError

PROGRAMS = Path(__file__).parents[2] / "programs"
STATIC = (
    "bayes_net", "change_point", "epidemic", "gaussian_chain", "hmm", "kalman", "linear_regression",
    "logistic_regression", "nonlinear_ssm", "stochastic_volatility",
)  # fmt: skip
MACHINE = Machine if is_available() else Interpreted


def joint_of(model: Model) -> tuple[Any, Joint]:
    with np.errstate(all="ignore"):
        plan = model.program.plan({})
        return plan, Joint(specialised(traced(plan)), MACHINE)


def assert_same_density(model: Model, seed: int) -> None:
    """At what the program draws from its prior."""
    plan, joint = joint_of(model)
    with np.errstate(all="ignore"):
        for own in range(seed, seed + 3):
            try:
                trace = Trace(plan, {}, np.random.default_rng(own))
            except ModelError:
                continue
            found = joint.log_density(joint.layout.written(trace.values))
            assert found == pytest.approx(trace.log_density, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", share(STATIC, 3))
def test_densities_of_programs(name: str) -> None:
    assert_same_density(load(PROGRAMS / f"{name}.clj"), 1)


@pytest.mark.parametrize("seed", share(range(60), 10))
def test_densities_of_random_programs(seed: int) -> None:
    try:
        assert_same_density(compile_text(fixed.program(seed)), seed)
    except (Unsupported, NoFixedCourse, ModelError) as reason:
        pytest.skip(str(reason))


VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "integer": [-1, 0, 1, 2, 7, 40],
    "number": [-3.0, -0.5, 0.0, 1e-9, 0.4, 1.0, 2.5, 900.0],
}
PARAMETERS: dict[str, list[Any]] = {
    "a probability, from 0 to 1": [0.0, 0.2, 1.0], "a number": [-2.0, 0.0, 45.0], "a finite number": [-1.5, 0.0, 2.0],
    "a positive number": [0.3, 1.0, 4.0], "a number from 0 to 9.2e18": [0.0, 0.5, 30.0],
    "a probability above 0, up to 1": [0.1, 1.0], "a whole number from -2^53 to 2^53": [-2, 0, 9],
    "a whole number from 0 to 2^53": [0, 1, 8],
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    sorted(name for name in DISTRIBUTIONS if f"lp_{name.replace('-', '_')}" in FUNCTIONS and name in DISTRIBUTIONS),
)
def test_densities_of_families(name: str) -> None:
    family = DISTRIBUTIONS[name]
    if any(parameter.domain.text not in PARAMETERS for parameter in family.parameters):
        pytest.skip("of vectors")
    function = Interpreted(TEXT, frozenset({f"lp_{name.replace('-', '_')}"}))[f"lp_{name.replace('-', '_')}"]
    columns: list[list[Any]] = [PARAMETERS[parameter.domain.text] for parameter in family.parameters]
    with np.errstate(all="ignore"):
        for row in product(*columns):
            if family.problem(*row) is None:
                for value in VALUES[family.value_kind]:
                    expected = family.log_density(value, *row)
                    found = function(float(value), *map(float, row))
                    assert float(found) == pytest.approx(float(expected), rel=1e-11, abs=1e-12), (value, row)


# Moves

WEIGHTED = """
[assume a (sample (half-normal 2))] [assume b (sample (half-cauchy 1))] [assume c (sample (logistic 0 1))]
[assume d (sample (weibull 2 3))] [assume n (sample (negative-binomial 3 0.4))]
[factor (* -0.5 (square (- a c)))] [condition (< b 5)]
[observe (pareto 0.5 (+ 1 a)) 2.0] [observe (beta-binomial 10 (+ 1 b) d) 3] [observe (poisson (+ 1 n)) 2]
[predict a]
"""


def test_densities_of_weights() -> None:
    assert_same_density(compile_text(WEIGHTED), 5)


TRUTHS = """
[assume x (sample (flip 0.5))] [assume n (sample (poisson 1))]
[observe (flip (if (= x n) 0.9 (if (= x true) 0.2 (if (= n 1) 0.3 0.4)))) true] [predict x]
"""


def test_a_truth_is_no_number() -> None:
    """The same density, or none: never another one."""
    try:
        assert_same_density(compile_text(TRUTHS), 1)
    except (Unsupported, NoFixedCourse) as reason:
        pytest.skip(str(reason))


MOVED = (
    "bayes_net",
    "change_point",
    "gaussian_chain",
    "linear_regression",
    "logistic_regression",
    "stochastic_volatility",
)


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["rw", "slice"])
@pytest.mark.parametrize("name", share(MOVED, 3))
def test_posteriors(name: str, method: str) -> None:
    """Within 7.6 standard errors, as the table of methods and programs (tests/posteriors/test_methods.py)."""
    posterior = load(PROGRAMS / f"{name}.clj").infer(method, sweeps=8_000, burn_in=2_000, seed=7)
    for estimate in estimates(list(posterior.sweeps), ANSWERS[name], chain=True):
        assert abs(estimate.off) < LIMIT * estimate.error, estimate


SCALES = """
[assume p (sample (gamma 2 3))] [assume b (sample (beta 2 5))] [assume u (sample (uniform-continuous 1 4))]
[assume n (sample (poisson 3))] [assume k (sample (uniform-discrete 2 7))] [assume d (sample (dirichlet [1 2 3.5]))]
[assume m (sample (mvn [0 1] [[2 0.8] [0.8 1]]))] [assume t (sample (student-t 5 1 2))]
[assume z (sample (binomial 9 0.3))]
[observe (normal 0 1) 0]
[predict p] [predict b] [predict u] [predict n] [predict k] [predict (nth d 0)] [predict (nth d 2)]
[predict (nth m 0)] [predict (nth m 1)] [predict t] [predict z] [predict (* (nth m 0) (nth m 1))]
"""
LAWS: dict[str, Any] = {
    "p": stats.gamma(2, scale=1 / 3), "b": stats.beta(2, 5), "u": stats.uniform(1, 3), "n": stats.poisson(3),
    "k": stats.randint(2, 7), "(nth d 0)": stats.beta(1, 5.5), "(nth d 2)": stats.beta(3.5, 3),
    "(nth m 0)": stats.norm(0, math.sqrt(2)), "(nth m 1)": stats.norm(1, 1), "t": stats.t(5, 1, 2),
    "z": stats.binom(9, 0.3),
}  # fmt: skip


def deviations(method: str) -> dict[str, float]:
    """Of the distribution function at three points, from that of the prior, in standard errors of 50 batches."""
    posterior = compile_text(SCALES).infer(method, sweeps=20_000, burn_in=3_000, seed=3)
    found = {}
    for label, law in LAWS.items():
        x = np.array([np.asarray(sweep.predicts[label], float)[0] for sweep in posterior.sweeps])
        for q in (0.1, 0.5, 0.9):
            point = float(law.ppf(q))
            batches = (x <= point).reshape(50, -1).mean(1)
            error = batches.std(ddof=1) / math.sqrt(50)
            found[f"{label} {q}"] = abs(batches.mean() - law.cdf(point)) / (error + 1e-12)
    return found


WORST = float(stats.t.isf(0.5e-4 / 33, 49))
"""Passed in one of ten thousand runs."""


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["rw", "slice"])
def test_every_scale_leaves_its_prior(method: str) -> None:
    assert max(deviations(method).values()) < WORST


DEPENDENT = """
[assume a (sample (normal 0 1))] [assume h (mem (lambda (t) (if (< t 1) a (+ 0.5 (* 0.9 (h (- t 1)))))))]
[for [t (range 6)] [observe (normal (h t) 1) (sin t)]] [predict (h 4)]
"""


def follows() -> bool:
    """Whether an execution after moves is one that the program has: what it computes comes from what it drew."""
    plan, joint = joint_of(compile_text(DEPENDENT))
    with np.errstate(all="ignore"):
        held = Trace(plan, {}, np.random.default_rng(2)).values
        mover = Mover(plan, lambda *_: joint, (Part("rw", lambda at: True),), held)
        for number in range(40):  # some of whose moves are not taken
            mover.run(1, number, 20, Key(5, 6), report=False)
            again = joint.layout.written(mover.held)
            joint.log_density(again)
            if not np.allclose(mover.x, again, rtol=1e-12):
                return False
    return True


def test_values_that_are_computed_follow() -> None:
    assert follows()


WRONG = {
    "no Jacobian": ("+ log_jacobian(y, kind, lo, hi) - log_jacobian(x, kind, lo, hi)", ""),
    "no Jacobian of an exchange": ("scored(m, j) + log(y) + log(both - y) - log(x) - log(rest)", "scored(m, j)"),
    "a finite draw that is not weighed": ("P[v] = exp(P[v] - largest)", "P[v] = 1.0"),
    "values that are computed are not restored": ("        m.X[WR[k]] = m.BK[k]", "        m.BK[k] = m.BK[k]"),
}


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("wrong", share(WRONG, 4))
def test_wrong_moves_are_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, other = WRONG[wrong]
    assert TEXT.count(right) == 1
    monkeypatch.setattr("pplc_runtime.native.joint.TEXT", TEXT.replace(right, other))
    assert not follows() if wrong.startswith("values") else max(deviations("rw").values()) > WORST


def test_the_machine_moves_as_cpython_does() -> None:
    for source in (SCALES, DEPENDENT):
        model = compile_text(source)
        with np.errstate(all="ignore"):
            plan = model.program.plan({})
            program = specialised(traced(plan))
            values = Trace(plan, {}, np.random.default_rng(2)).values
            found = []
            for machine in (MACHINE, Interpreted):
                joint = Joint(program, machine)
                for by in ("rw", "slice"):
                    part = Part(by, lambda at: True)
                    mover = Mover(plan, lambda *_, own=joint: own, (part,), values)
                    mover.run(12, 0, 6, Key(5, 6), report=False)
                    found.append(mover.x)
        np.testing.assert_allclose(found[:2], found[2:], rtol=1e-10)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text(DEPENDENT)
    found = []
    for most in (1000, 7):
        monkeypatch.setattr("pplc_runtime.native.mover.MOST_SWEEPS", most)
        posterior = model.infer("rw", sweeps=40, burn_in=20, seed=3)
        found.append([float(sweep.predicts["(h 4)"][0]) for sweep in posterior.sweeps])
    assert found[0] == found[1] and len(set(found[0])) > 5


def test_errors_are_those_of_the_program() -> None:
    model = compile_text("[assume x (sample (normal 0 1))]\n[observe (normal 0 (+ 1 x)) 1]\n[predict x]", "m.clj")
    with pytest.raises(ModelError, match=r"m.clj:2:1[0-9]: error: .*sd must be a positive number"):
        model.infer("rw", sweeps=5000, seed=1)


@pytest.mark.parametrize(
    "source", ["[assume x (if (sample (flip 0.5)) (sample (normal 0 1)) 2)]", "[assume x (sample (crp 1))]"]
)
def test_programs_without_static_structure(source: str) -> None:
    with pytest.raises(ModelError, match="use slice, lmh or pgas"):
        compile_text(f"{source} [observe (normal x 1) 1] [predict x]").infer("rw", sweeps=20, seed=1)


@pytest.mark.parametrize("method", ["rw", "pgas + rw"])
def test_predicts_of_any_value(method: str) -> None:
    """Lists, maps and texts are reported as other methods report them: value by value."""
    text = """[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x]
    [predict "both" (list x (* 2 x))] [predict "map" {:a x}] [predict "sign" (if (> x 0) "plus" "minus")]"""
    posterior = compile_text(text).infer(method, sweeps=60, chains=2, seed=1)
    drawn = posterior["x"]
    rows = {row.label: row.mean for row in posterior.summary().numbers}
    assert rows["both[0]"] == rows["map[:a]"] == pytest.approx(rows["x"]) and rows["both[1]"] == pytest.approx(
        2 * rows["x"]
    )
    assert posterior.probabilities("sign")["plus"] == pytest.approx((drawn > 0).mean(), abs=0.2)
    assert posterior.rhat("both") is not None
