"""Delayed draws: evidences and laws are exact where all is conjugate, the posterior is invariant where parts are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from pplc import compile_text
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference import METHODS
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, run_in
from pplc_runtime.lanes.varying import raw
from pplc_runtime.program.steps import Assume, Observe
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise import conjugates
from pplc_runtime.specialise.delayed import delayed
from pplc_runtime.specialise.gaussians import Joint
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.values import ModelError

from .fixed import program
from .kernels import Kernel, bias, distance
from .sweeps import compiled, quietly

CHAIN = """
[assume x (mem (lambda (t) (if (< t 1) (sample (normal 0 2)) (sample (normal (+ 0.3 (* 0.9 (x (dec t)))) 0.7)))))]
[for [[t y] [[0 0.5] [1 1.0] [2 -0.3] [3 0.2]]] [observe (normal (- (* 2 (x t)) 1) 0.5) y]]
[predict (x 0)]
[predict (x 3)]
"""
SECOND = """
[assume x (mem (lambda (t) (if (< t 1) 0.0
  (sample (normal (if (< t 2) 0.5 (- (* 1.2 (x (dec t))) (* 0.4 (x (- t 2))))) 1)))))]
[for [[t y] [[1 0.5] [2 1.0] [3 -0.3] [4 0.2] [5 0.9]]] [observe (normal (x t) 0.5) y]]
[predict (x 1)]
[predict (x 5)]
"""
LINE = """
[assume a (sample (normal 0 2))]
[assume b (sample (normal 1 1))]
[for [[u y] [[0 1.1] [1 2.0] [2 2.9] [3 4.1]]] [observe (normal (+ a (* b u)) 0.4) y]]
[predict a]
[predict b]
"""
TURNING = """
[assume A [[0.8 -0.3] [0.3 0.8]]]
[assume Q [[0.5 0.1] [0.1 0.3]]]
[assume x (mem (lambda (t) (if (< t 1) [1.0 0.0] (sample (mvn (mmul A (x (dec t))) Q)))))]
[for [[t y] [[1 [0.5 0.2]] [2 [1.0 -0.4]] [3 [-0.3 0.3]]]]
  [observe (mvn (x t) [[0.4 0.1] [0.1 0.5]]) y]]
[predict (first (x 1))]
[predict (second (x 3))]
"""
WIDE = """
[assume x (sample (mvn [0 0] [[1.0 0.3] [0.3 2.0]]))]
[observe (mvn (mmul [[1 2] [0 1] [2 -1]] x) [[1.0 0.2 0.0] [0.2 1.0 0.1] [0.0 0.1 2.0]]) [0.3 -0.2 1.0]]
[observe (normal (dot [1 3] x) 2) 0.7]
[predict (nth x 0)]
[predict (nth x 1)]
"""


def gaussian(a: Any, noise: Any, start: Any, h: Any, r: Any, y: Any, shift: Any = 0.0) -> tuple[float, Any, Any]:
    """The log evidence and the posterior of all states x = F x + start + e, y = H x + shift + noise, in one system."""
    inverse = np.linalg.inv(np.eye(len(a)) - a)
    mean, covariance = inverse @ start, inverse @ noise @ inverse.T
    s = h @ covariance @ h.T + r
    gain = covariance @ h.T @ np.linalg.inv(s)
    error = y - h @ mean - shift
    log = float(stats.multivariate_normal(np.zeros(len(y)), s).logpdf(error))
    return log, mean + gain @ error, covariance - gain @ h @ covariance


def answers() -> dict[str, tuple[str, float, Any, Any]]:
    """Program, log evidence, mean and covariance of the two predicts."""
    found = {}

    def put(name: str, source: str, which: list[int], *system: Any) -> None:
        log, mean, covariance = gaussian(*system)
        found[name] = source, log, mean[which], covariance[np.ix_(which, which)]

    step = np.diag([0.9] * 3, -1)
    put("chain", CHAIN, [0, 3], step, np.diag([4.0, 0.49, 0.49, 0.49]), np.array([0, 0.3, 0.3, 0.3]), 2 * np.eye(4),
        0.25 * np.eye(4), np.array([0.5, 1.0, -0.3, 0.2]), -1.0)  # fmt: skip
    step = np.diag([1.2] * 4, -1) + np.diag([-0.4] * 3, -2)
    put("second order", SECOND, [0, 4], step, np.eye(5), np.array([0.5, 0, 0, 0, 0]), np.eye(5), 0.25 * np.eye(5),
        np.array([0.5, 1.0, -0.3, 0.2, 0.9]))  # fmt: skip
    put("line", LINE, [0, 1], np.zeros((2, 2)), np.diag([4.0, 1.0]), np.array([0.0, 1.0]),
        np.array([[1.0, u] for u in range(4)]), 0.16 * np.eye(4), np.array([1.1, 2.0, 2.9, 4.1]))  # fmt: skip
    a, q, r = np.array([[0.8, -0.3], [0.3, 0.8]]), np.array([[0.5, 0.1], [0.1, 0.3]]), [[0.4, 0.1], [0.1, 0.5]]
    put("turning", TURNING, [0, 5], np.kron(np.eye(3, k=-1), a), np.kron(np.eye(3), q), np.append(a[:, 0], [0.0] * 4),
        np.eye(6), np.kron(np.eye(3), r), np.array([0.5, 0.2, 1.0, -0.4, -0.3, 0.3]))  # fmt: skip
    h = np.array([[1.0, 2], [0, 1], [2, -1], [1, 3]])
    wide = np.zeros((4, 4))
    wide[:3, :3], wide[3, 3] = [[1.0, 0.2, 0.0], [0.2, 1.0, 0.1], [0.0, 0.1, 2.0]], 4.0
    put("wide", WIDE, [0, 1], np.zeros((2, 2)), np.array([[1.0, 0.3], [0.3, 2.0]]), np.zeros(2), h, wide,
        np.array([0.3, -0.2, 1.0, 0.7]))  # fmt: skip
    return found


GAUSSIAN = answers()


@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaussian_programs(name: str) -> None:
    """The evidence to the last digits; and six statistics of 30,000 draws: one seed of 3,000 would fail by mistake."""
    source, log, mean, covariance = GAUSSIAN[name]
    posterior = compile_text(source).infer("smc", particles=10_000, sweeps=3, seed=1, delayed=True)
    assert np.concatenate(posterior.log_estimates()) == pytest.approx(np.full(3, log), abs=1e-9)
    draws = np.array(
        [np.concatenate([np.asarray(s.predicts[label]) for s in posterior.sweeps]) for label in posterior.labels]
    )
    errors = np.sqrt(np.diag(covariance) / 30_000)
    assert (np.abs(draws.mean(1) - mean) < 4.5 * errors).all()
    spread = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / 30_000)
    assert (np.abs(np.cov(draws) - covariance) < 4.5 * spread).all()


CONJUGATE: dict[str, tuple[str, float, Any]] = {
    "coins": (
        "[assume p (sample (beta 2 3))] [observe (flip p) true] [observe (bernoulli p) 0] [observe (flip p) true] "
        "[predict p]",
        float(special.betaln(4, 4) - special.betaln(2, 3)), stats.beta(4, 4),
    ),
    "counts of successes": (
        "[assume p (sample (beta 2 3))] [observe (binomial 7 p) 5] [observe (flip p) false] [predict p]",
        math.log(21) + float(special.betaln(7, 6) - special.betaln(2, 3)), stats.beta(7, 6),
    ),
    "counts": (
        "[assume r (sample (gamma 2 3))] [observe (poisson r) 4] [observe (poisson (* 2 r)) 1] [predict r]",
        float(2 * np.log(3) - special.gammaln(2) + special.gammaln(7) - 7 * np.log(6) - special.gammaln(5) + np.log(2)),
        stats.gamma(7, scale=1 / 6),
    ),
    "waiting times": (
        "[assume r (sample (gamma 2 3))] [observe (exponential r) 0.7] [observe (exponential (* 2 r)) 0.2] [predict r]",
        float(2 * np.log(3) - special.gammaln(2) + np.log(2) + special.gammaln(4) - 4 * np.log(4.1)),
        stats.gamma(4, scale=1 / 4.1),
    ),
    "places": (
        "[assume p (sample (dirichlet [2 1 3]))] [observe (discrete p) 0] [observe (discrete p) 2] [predict (nth p 0)]",
        math.log(2 / 6 * 3 / 7), stats.beta(3, 5),
    ),
    "precision apart": (
        "[assume m (sample (normal 1 2))] [observe (normal (/ m 2) 1) 0.3] [predict m]",
        float(stats.norm(0.5, math.sqrt(2)).logpdf(0.3)), stats.norm(0.8, math.sqrt(2)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONJUGATE)
def test_conjugate_pairs(name: str) -> None:
    """By Kolmogorov's test on 4,000 draws: one of 100,000 seeds would fail by mistake."""
    source, log, law = CONJUGATE[name]
    posterior = compile_text(source).infer("smc", particles=2000, sweeps=2, seed=1, delayed=True)
    assert np.concatenate(posterior.log_estimates()) == pytest.approx([log, log], abs=1e-9)
    (label,) = posterior.labels
    draws = np.concatenate([np.asarray(sweep.predicts[label]) for sweep in posterior.sweeps])
    assert stats.kstest(draws, law.cdf).pvalue > 1e-5


# Where only parts are conjugate

LABELS = """
[assume a (sample (normal 0 2))]
[assume b (sample (normal 1 1))]
[assume p (sample (beta 2 2))]
[assume z (mem (lambda (i) (sample (flip p))))]
[for [[i y] [[0 1.3] [1 -0.4]]] [observe (normal (if (z i) a b) 0.8) y]]
[predict (z 0)]
"""
KINDS = """
[assume w (sample (dirichlet [1 2 1]))]
[assume k (mem (lambda (i) (sample (discrete w))))]
[for [[i y] [[0 1] [1 2]]] [observe (poisson (+ 0.5 (k i))) y]]
[predict (k 1)]
"""


def labels_by_hand() -> float:
    total = 0.0
    for first in (0, 1):
        for second in (0, 1):
            pick = np.array([[first, 1 - first], [second, 1 - second]], float)
            covariance = pick @ np.diag([4.0, 1.0]) @ pick.T + 0.64 * np.eye(2)
            density = stats.multivariate_normal(pick @ [0.0, 1.0], covariance).pdf([1.3, -0.4])
            coins = math.exp(special.betaln(2 + first + second, 4 - first - second) - special.betaln(2, 2))
            total += coins * density
    return total


def kinds_by_hand() -> float:
    alpha = [1.0, 2.0, 1.0]
    total = 0.0
    for i in range(3):
        for j in range(3):
            prior = alpha[i] / 4 * (alpha[j] + (i == j)) / 5
            total += prior * stats.poisson(0.5 + i).pmf(1) * stats.poisson(0.5 + j).pmf(2)
    return total


@pytest.mark.parametrize(("source", "exact"), [(LABELS, labels_by_hand()), (KINDS, kinds_by_hand())])
def test_all_ways_that_labels_may_go(source: str, exact: float) -> None:
    """The weights of all executions sum to the evidence, whatever is integrated out of each."""
    with quietly():
        kernel = Kernel(delayed(compiled(source).plan))
        with kernel.enumerated():
            assert math.fsum(weight for *_, weight in kernel.executions()) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("method", ["icsmc", "pgas", "lmh"])
def test_the_posterior_is_invariant(method: str) -> None:
    with quietly():
        plan = delayed(compiled(LABELS).plan)
        if method == "lmh":
            assert distance(*Kernel(plan).moved(METHODS["lmh"].kernel)) < 1e-12
        else:
            assert bias(plan, method, 2) < 1e-12


MIXED = """
[assume x (mem (lambda (t) (if (< t 1) (sample (normal 0 1)) (sample (normal (* 0.8 (x (dec t))) 0.6)))))]
[observe (normal (x 0) 1) 0.4]
[observe (poisson (exp (x 1))) 2]
[observe (normal (x 2) 0.5) 0.7]
[predict (x 0)]
"""


def mixed_by_hand() -> tuple[float, float]:
    """By an integral over x 1: the evidence, and the posterior mean of x 0."""
    prior = stats.multivariate_normal([0, 0], [[2.0, 0.8], [0.8, 0.64 + 0.36]])  # what is seen of x 0, and x 1

    def density(x: float) -> float:
        later = stats.norm(0.8 * x, math.sqrt(0.36 + 0.25)).pdf(0.7)
        return float(prior.pdf([0.4, x]) * stats.poisson(math.exp(x)).pmf(2) * later)

    def mean(x: float) -> float:
        joint = np.array([[2.0, 0.8], [0.8, 1.0]])
        return float(np.array([1.0, 0.8]) @ np.linalg.solve(joint, [0.4, x]))

    evidence = integrate.quad(density, -6, 6)[0]
    return evidence, integrate.quad(lambda x: density(x) * mean(x), -6, 6)[0] / evidence


def test_a_value_that_has_to_be_drawn() -> None:
    """One of ten thousand seeds would fail by mistake."""
    evidence, mean = mixed_by_hand()
    posterior = compile_text(MIXED).infer("smc", particles=200, sweeps=400, seed=1, delayed=True)
    estimates = np.exp(np.concatenate(posterior.log_estimates()))
    assert abs(estimates.mean() - evidence) < 4 * estimates.std() / 20
    assert posterior.mean("(x 0)") == pytest.approx(mean, abs=0.02)
    plain = compile_text(MIXED).infer("smc", particles=200, sweeps=400, seed=1)
    assert estimates.std() < 0.8 * np.exp(np.concatenate(plain.log_estimates())).std()


# By the chain rule: what is drawn with its density there, and what is observed, multiply to the joint density


class Following(Forward):
    """Takes given values where they are drawn, and adds up the densities."""

    def __init__(self, plan: Plan, values: dict[At, Any]) -> None:
        run_in(Frame.first(1), self)
        super().__init__(Stream(np.random.default_rng(1)), dict(plan.inputs))
        self.values = values
        self.taken_up: set[At] = set()
        self.total = 0.0
        for step in (step for segment in (*plan.segments, plan.reports) for step in segment):
            outcome = step.function(step.at, *step.arguments)
            if step.step is Assume:
                self.write(step.name, outcome)
            elif step.step is Observe:
                self.total += float(raw(self.score(step.at, *outcome)))

    def draw(self, at: At, source: Any) -> Any:
        if at not in self.values:
            return super().draw(at, source)
        self.taken_up.add(at)
        self.total += float(source.log_density(self.values[at]))
        return self.values[at]


def joint_densities(source: str, seed: int) -> tuple[float, float]:
    """The log density of an execution by the program, and by the one that delays its draws, which draws all in the
    end."""
    plan = compiled(source).plan
    with np.errstate(all="ignore"):
        later = delayed(plan, draws_all=True)
        trace = Trace(plan, {}, np.random.default_rng(seed))
        found = Following(later, trace.values)
    assert found.taken_up == set(trace.values)
    return trace.log_density, found.total


@pytest.mark.parametrize("name", [*GAUSSIAN, *CONJUGATE, "labels", "kinds", "mixed"])
def test_the_chain_rule(name: str) -> None:
    others = {"labels": LABELS, "kinds": KINDS, "mixed": MIXED}
    source = (GAUSSIAN.get(name) or CONJUGATE.get(name) or (others[name],))[0]
    for seed in range(3):
        one, other = joint_densities(source, seed)
        assert one == pytest.approx(other, abs=1e-8)


def test_random_programs() -> None:
    done = 0
    for seed in range(40):
        source = program(seed)
        try:
            one, other = joint_densities(source, seed)
        except (NoFixedCourse, ModelError):  # it has none, or the execution is impossible
            continue
        assert one == pytest.approx(other, abs=1e-7), source
        done += 1
    assert done > 20


# Wrong variants


def wrong(name: str) -> bool:
    source, log, *_ = GAUSSIAN[name] if name in GAUSSIAN else CONJUGATE[name]
    posterior = compile_text(source).infer("smc", particles=2, sweeps=1, seed=1, delayed=True)
    return bool(abs(np.concatenate(posterior.log_estimates())[0] - log) > 1e-3)


def test_without_what_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wrong("chain")
    monkeypatch.setattr(Joint, "learn", lambda *_: None)
    assert wrong("chain") and wrong("line")


def test_without_the_covariances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Joint, "covariance", lambda self, i, j: self.covariances.get((i, j), 0.0) if i == j else 0.0)
    assert wrong("line") and wrong("second order")


def test_without_the_update_of_a_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    right = conjugates.scored

    def forgetting(w: Any, scaled: Any, *more: Any) -> Any:
        before = scaled.of.parameters
        found = right(w, scaled, *more)
        scaled.of.parameters = before
        return found

    monkeypatch.setattr("pplc_runtime.specialise.delayed.scored", forgetting)
    assert wrong("coins") and wrong("counts") and wrong("places")


def test_a_value_that_was_drawn_is_not_taken_for_another() -> None:
    """`a` is drawn where the mean of `s` is made of it; `b` comes after nothing speaks of `a` any more."""
    posterior = compile_text("""
    [assume a (sample (gamma 2 1))] [assume s (sample (normal a 1))] [assume b (sample (gamma 8 1))]
    [observe (poisson b) 9] [observe (normal s 1) 2.0] [predict a] [predict b]""").infer(
        "importance", particles=2000, sweeps=2, seed=1, delayed=True
    )  # fmt: skip
    first, _ = integrate.quad(lambda a: stats.gamma(2).pdf(a) * stats.norm(a, math.sqrt(2)).pdf(2.0), 0, 30)
    counted = stats.nbinom(8, 0.5).pmf(9)
    assert posterior.log_evidence == pytest.approx(math.log(first * counted), abs=0.05)  # 5 standard errors
    assert posterior.mean("b") == pytest.approx(17 / 2, abs=0.15)  # gamma(17, 2): 4.6 standard errors
