"""pmmh leaves the posterior invariant: by exact kernels on coins, and against conjugate answers on real parameters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pplc
from pplc import compile_text
from pplc_runtime.composition import parsed
from pplc_runtime.inference import method_of, runs
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.pmmh import Pmmh
from pplc_runtime.numerics.adaptive_walk import AdaptiveWalk
from pplc_runtime.numerics.free import Free, free_of
from pplc_runtime.numerics.keys import Key
from pplc_runtime.running.driver import Driver
from pplc_runtime.values import ModelError

from .kernels import Kernel, distance
from .sweeps import compiled

FIRST = """
[assume p (sample (flip 0.4))]
[assume x (sample (flip (if p 0.8 0.3)))]
[observe (flip (if x 0.9 0.2)) true]
"""
LATER = """
[assume x (sample (flip 0.4))]
[assume p (sample (flip (if x 0.9 0.2)))]
[observe (flip (if (= x p) 0.3 0.6)) true]
"""
PERHAPS = """
[assume x (sample (flip 0.4))]
[assume p (if x (sample (flip 0.7)) false)]
[observe (flip (if p 0.3 0.6)) true]
"""
CASES = {
    "pmmh(p, 2)": FIRST,
    "pmmh(p, 1) + lmh(x, 1)": FIRST,
    "pmmh(p, 2) ": LATER,
    "pmmh(p, 1) + lmh(x, 1) ": PERHAPS,
}


def chosen_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands for a run is one particle by weight, by the enumerated chance."""

    def standing_for(particles: Any, settings: Any, number: int, log_weights: Any) -> Any:
        chance = particles.chance.of_sweep(0)
        return particles.drawn_by(np.array([chance.decide(np.exp(log_weights - log_weights.max()).tolist())]))

    monkeypatch.setattr(runs, "standing_for", standing_for)
    monkeypatch.setattr("pplc_runtime.inference.pmmh.comb_of", lambda key: 0)


def off(method: str, monkeypatch: pytest.MonkeyPatch) -> float:
    chosen_exactly(monkeypatch)
    kernel = Kernel(compiled(CASES[method]).plan)
    before, after = kernel.moved(method_of(parsed(method)).kernel)
    assert math.fsum(after.values()) == pytest.approx(1.0)
    return distance(before, after)


@pytest.mark.parametrize("method", CASES)
def test_the_posterior_is_invariant(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert off(method, monkeypatch) < 1e-12


def test_without_the_prior_of_the_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong: the evidence given the parameters, without their density."""
    monkeypatch.setattr("pplc_runtime.engine.forward.Forward.take", lambda self, at, source, held: self.taken(at, held))
    assert off("pmmh(p, 2) ", monkeypatch) > 1e-3


@pytest.mark.parametrize("method", ["pmmh", "pmmh(p, 5)", "pmmh(p, 5)*2"])
def test_executions_that_it_would_never_reach(method: str) -> None:
    """Alone it stays among executions in which its targets are the same draws: where there are others, it says so."""
    with pytest.raises(ModelError, match="executions differ in what it moves"):
        compile_text(PERHAPS + "[predict p]").infer(method, sweeps=50, seed=1)


# On scales without bounds

WALKS: dict[str, tuple[str, str, Any]] = {
    "positive": ("[assume s (sample (gamma 2 1))] [observe (poisson s) 0] [predict s]", "s", stats.gamma(2, scale=0.5)),
    "between": ("[assume s (sample (beta 2 3))] [observe (binomial 5 s) 4] [predict s]", "s", stats.beta(6, 4)),
    "real": ("[assume s (sample (normal 1 2))] [observe (normal s 1) 2.5] [predict s]", "s", stats.norm(2.2, 0.8**0.5)),
    "whole": (
        "[assume s (sample (poisson 3))] [observe (binomial 9 (/ 1 (+ 1 s))) 2] [predict s]", "s", None,
    ),
    "simplex": (
        "[assume p (sample (dirichlet [2 1 3]))] [observe (discrete p) 0] [observe (discrete p) 2] [predict (get p 0)]",
        "(get p 0)", stats.beta(3, 5),
    ),
}  # fmt: skip


def share_below(name: str, law: Any) -> tuple[float, float]:
    """How far the share of draws below each of three quantiles is off, and the standard errors of that."""
    source, label, _ = WALKS[name]
    target = "p" if name == "simplex" else "s"
    posterior = compile_text(source).infer(f"pmmh({target}, 1)", sweeps=1200, burn_in=200, seed=3)
    values = np.array([float(np.asarray(sweep.predicts[label])[0]) for sweep in posterior.sweeps])
    worst, error = 0.0, 1.0
    for p in (0.2, 0.5, 0.8):
        below = values <= law.ppf(p)
        batches = below.reshape(20, -1).mean(1)
        se = float(batches.std(ddof=1)) / math.sqrt(20) + 1e-9
        expected = float(law.cdf(law.ppf(p)))
        if abs(below.mean() - expected) / se > worst / error:
            worst, error = abs(float(below.mean()) - expected), se
    return worst, error


def whole_law() -> Any:
    k = np.arange(60)
    weights = stats.poisson(3).pmf(k) * stats.binom(9, 1 / (1 + k)).pmf(2)
    return stats.rv_discrete(values=(k, weights / weights.sum()))


@pytest.mark.parametrize("name", WALKS)
def test_against_conjugate_laws(name: str) -> None:
    """By Student's t with 19 degrees of freedom, three quantiles: one of 2,000 seeds would fail by mistake."""
    worst, error = share_below(name, WALKS[name][2] or whole_law())
    assert error < 0.05 and worst < 5 * error


def test_without_the_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Free.numbers
    monkeypatch.setattr(Free, "numbers", lambda self, value: (right(self, value)[0], 0.0))
    worst, error = share_below("positive", WALKS["positive"][2])
    assert worst > 5 * error


def test_numbers_there_and_back() -> None:
    for name, value in {"gamma": 0.3, "beta": 0.9, "normal": -1.5, "dirichlet": np.array([0.2, 0.5, 0.3])}.items():
        free = free_of(name, value)
        assert free is not None
        z, jacobian = free.numbers(value)
        assert free.value(z) == pytest.approx(value)
        steps = np.eye(len(z)) * 1e-6
        rows = np.array([np.ravel(free.value(z + step) - np.asarray(free.value(z - step))) / 2e-6 for step in steps])
        assert jacobian == pytest.approx(math.log(abs(np.linalg.det(rows[:, : len(z)]))), abs=1e-6)
    assert free_of("flip", True) == free_of("flip-logit", False) and free_of("wishart", np.eye(2)) is None


def test_it_learns_in_the_burn_in_only() -> None:
    model = compile_text(WALKS["real"][0])
    plan = model.program.plan({})
    driver = Driver.of(method_of(parsed("pmmh(s, 4)")).kernel, plan, Settings(4, 5, burn_in=20))
    lengths = []
    for _ in driver.chain(Key.of(1)):
        assert isinstance(driver.kernel, Pmmh)
        (walk,) = driver.kernel.walks.values()
        lengths.append((walk.log_length, walk.places))
    assert len(set(lengths)) == 1 and lengths[0][1] == 30


def test_steps_are_symmetric() -> None:
    walk = AdaptiveWalk([Free(4, (), True), Free(3, ()), Free(0, (2,))], np.array([1.0, 4.0, 0.0, 0.0]))
    rng = np.random.default_rng(1)
    steps = np.array([walk.step(np.array([1.0, 4.0, 0.0, 0.0]), rng) for _ in range(4000)])
    assert set(steps[:, 0]) == {0.0, 1.0} and (steps[:, 1] % 1 == 0).all()
    away = steps[:, 1:] - [4.0, 0.0, 0.0]
    assert (np.abs(away.mean(0)) < 4.5 * away.std(0) / math.sqrt(4000)).all()


# In use

STATES = """
[assume q (sample (gamma 2 2))]
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (dec t)) q)))))]
[for [t (range 1 9)] [observe (normal (x t) 0.5) (sin t)]]
[predict q]
[predict (x 4)]
"""


def test_taken_up_again_and_in_blocks(tmp_path: Path) -> None:
    model = compile_text(STATES)
    for method in "pmmh(q, 10)", "pmmh(q, 10) + lmh(x, 1)":
        given: dict[str, Any] = {"sweeps": 30, "burn_in": 10, "seed": 2, "chains": 2}
        whole = model.infer(method, **given)
        file = tmp_path / f"run{len(method)}.journal"
        model.infer(method, checkpoint=file, **given)
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[: len(lines) // 2]))
        again = model.infer(method, resume=file, **given)
        for one, other in zip(whole.sweeps, again.sweeps, strict=True):
            assert (np.asarray(one.predicts["(x 4)"]) == other.predicts["(x 4)"]).all()
        assert whole.log_evidence is None, "an estimate given the parameters is none of the program"


def test_machine_code_does_what_lanes_do(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text(STATES)
    fast = model.infer("pmmh(q, 20)", sweeps=1500, seed=2)
    monkeypatch.setattr("pplc_runtime.native.engine.LEAST_WORK", 10**9)
    slow = model.infer("pmmh(q, 20)", sweeps=40, burn_in=200, seed=2)
    assert [s.diagnostics["log_estimate"] for s in fast.sweeps[:40]] == pytest.approx(
        [s.diagnostics["log_estimate"] for s in slow.sweeps]
    )


def test_from_python_and_by_name() -> None:
    model = compile_text(STATES)
    assert str(pplc.pmmh("q", particles=7) + pplc.lmh()) == "pmmh(q, 7) + lmh"
    one = model.infer("pmmh", particles=7, sweeps=5, burn_in=3, seed=1)
    assert one.mean("q") == model.infer(pplc.pmmh("globals", particles=7), sweeps=5, burn_in=3, seed=1).mean("q")
    with pytest.raises(ModelError, match="there is no walk for draws of 'c' from crp"):
        compile_text("[assume p (crp 1)] [assume c (sample p)] [predict c]").infer("pmmh(c)", sweeps=2, seed=1)
    assert len(compile_text("[assume c (sample (normal 0 1))] [predict c]").infer("pmmh", sweeps=2, seed=1).sweeps) == 2
