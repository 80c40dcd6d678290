"""Observes inside of procedures are resampling points where all particles come to them together: exact kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text
from pplc_runtime.engine.particles import Particles
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.sweep import sweep
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import raw
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import SCHEMES
from pplc_runtime.regeneration.replay import Replay
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.driver import Driver
from pplc_runtime.values import Impossible

from .kernels import Kernel, bias, every_run
from .scripts import assert_both, with_scripts
from .sweeps import compiled, quietly

LOOP = """
[assume walk (lambda (x ys)
  (if (empty? ys) x
    (let [z (sample (flip (if x 0.7 0.2)))]
      (do (observe (flip (if z 0.9 0.3)) (first ys)) (walk z (rest ys))))))]
[predict (walk true (list true false))]
"""
"""A program that is one recursive loop over its data."""
PROGRAMS = {
    "a loop": LOOP,
    "a loop between statements": """
[assume a (sample (flip 0.4))]
[assume walk (lambda (x ys)
  (if (empty? ys) x
    (let [z (sample (flip (if x 0.7 0.2)))]
      (do (observe (flip (if z 0.9 0.3)) (first ys)) (walk z (rest ys))))))]
[observe (flip (if a 0.3 0.6)) true]
[assume b (walk a (list true))]
[observe (flip (if (= a b) 0.8 0.1)) true]
[predict (list a b)]
""",
    "map": """
[assume p (sample (flip 0.4))]
[assume zs (map (lambda (y) (let [z (sample (flip (if p 0.8 0.3)))] (do (observe (flip (if z 0.9 0.2)) y) z)))
  (list true false))]
[predict (list p zs)]
""",
    "doseq": """
[assume p (sample (flip 0.4))]
[assume seen (doseq [y [true false]] (let [z (sample (flip (if p 0.8 0.3)))] (observe (flip (if z 0.9 0.2)) y)))]
[observe (flip (if p 0.7 0.4)) true]
[predict p]
""",
    "a draw that only some have": """
[assume go (lambda (x n)
  (if (= n 0) x
    (let [z (sample (flip (if x 0.6 0.3))) w (if z (sample (flip 0.4)) z)]
      (do (observe (flip (if w 0.9 0.4)) true) (go z (- n 1))))))]
[predict (go true 2)]
""",
    "a branch on the past": """
[assume go (lambda (x n)
  (if (= n 0) x
    (let [z (if x (sample (flip 0.6)) (sample (flip 0.3)))]
      (do (observe (flip (if z 0.9 0.4)) true) (go z (- n 1))))))]
[predict (go true 2)]
""",
    "memos": """
[assume m (mem (lambda (i) (sample (flip (if (= i 1) 0.3 0.6)))))]
[assume go (lambda (i x)
  (if (= i 2) x
    (let [z (sample (flip (if x 0.7 0.4)))]
      (do (observe (flip (if (if z (m i) x) 0.9 0.3)) true) (go (+ i 1) z)))))]
[assume end (go 0 true)]
[observe (flip (if (m 1) 0.8 0.3)) true]
[predict (list end (m 1))]
""",
    "a memo that observes": """
[assume m (mem (lambda (i) (let [z (sample (flip 0.4))] (do (observe (flip (if z 0.9 0.3)) true) z))))]
[assume go (lambda (i) (if (= i 2) true (do (observe (flip (if (m i) 0.6 0.2)) true) (go (+ i 1)))))]
[assume end (go 0)]
[predict (list (m 0) (m 1) (m 2))]
""",
    "observes of which only some have one": """
[assume go (lambda (n)
  (if (= n 0) 0
    (if (sample (flip 0.4))
      (do (observe (flip 0.3) true) (+ 1 (go (- n 1))))
      (let [z (sample (flip 0.6))] (do (observe (flip (if z 0.9 0.5)) true) (go (- n 1)))))))]
[assume k (go 2)]
[observe (flip (/ (+ k 1) 4)) true]
[predict k]
""",
    "a random number of observes": """
[assume go (lambda (n)
  (if (= n 2) n
    (let [z (sample (flip 0.5))]
      (do (observe (flip (if z 0.9 0.4)) true) (if (sample (flip 0.5)) n (go (+ n 1)))))))]
[predict (go 0)]
""",
    "a process": """
[assume urn (polya-urn [1.0 0.5])]
[assume go (lambda (n) (if (= n 0) 0
  (let [z (sample urn)] (do (observe (flip (nth [0.3 0.8] z)) true) (+ z (go (- n 1)))))))]
[assume total (go 2)]
[assume last (sample urn)]
[observe (flip (nth [0.9 0.4] last)) true]
[predict (list total last)]
""",
    "a process that observes": """
[assume coin (beta-flip 1.0 2.0)]
[assume go (lambda (x ys) (if (empty? ys) x
  (let [z (sample (flip (if x 0.6 0.3)))]
    (do (observe (flip (if z 0.8 0.4)) true) (observe coin (first ys)) (go (= z (sample coin)) (rest ys))))))]
[predict (go true [true])]
""",
    "every? and some": """
[assume p (sample (flip 0.5))]
[assume ok (every? (lambda (y) (let [z (sample (flip (if p 0.8 0.4)))] (do (observe (flip (if z 0.9 0.3)) y) (or p z))))
  (list true false))]
[observe (flip (if ok 0.7 0.2)) true]
[predict (list p ok)]
""",
    "what is impossible": """
[assume go (lambda (x n) (if (= n 0) x
  (let [z (sample (flip (if x 0.6 0.3)))] (do (observe (flip (if (or x z) 0.7 0.0)) true) (go z (- n 1))))))]
[predict (go true 2)]
""",
    "a predict that observes": """
[assume a (sample (flip 0.4))]
[predict (let [z (sample (flip (if a 0.7 0.2)))] (do (observe (flip (if z 0.9 0.3)) true)
  (let [w (sample (flip (if z 0.6 0.2)))] (do (observe (flip (if w 0.3 0.8)) true) (list a z w)))))]
[observe (flip (if a 0.3 0.6)) true]
""",
    "the distribution of an observe observes": """
[assume f (lambda (x) (do (observe (flip (if x 0.3 0.6)) true) (flip (if (sample (flip (if x 0.7 0.4))) 0.2 0.9))))]
[assume a (sample (flip 0.4))]
[observe (f a) true]
[predict a]
""",
}
METHODS_OF_CHAINS = {"icsmc": ("icsmc", False), "pgas": ("pgas", False), "strict pgas": ("pgas", True)}


def rescored_too_late(patch: pytest.MonkeyPatch) -> None:
    """Inside of a statement the retained particle's ancestor is drawn by the scores of the last boundary."""
    patch.setattr(Suffix, "rescore_inside", lambda self, *where: np.zeros(where[-1].size))


def the_past_scored(patch: pytest.MonkeyPatch) -> None:
    """What was observed before the boundary counts once more."""
    right = Replay.observe

    def observe(self: Replay, at: At, source: Any, value: Any) -> Any:
        if self.boundary is not None:
            self.weigh(raw(self.score(at, source, value)))
        return right(self, at, source, value)

    patch.setattr(Replay, "observe", observe)


@pytest.mark.parametrize("method", METHODS_OF_CHAINS)
@pytest.mark.parametrize("name", share(PROGRAMS, 4))
def test_the_posterior_is_invariant(name: str, method: str) -> None:
    assert bias(compiled(PROGRAMS[name]).plan, METHODS_OF_CHAINS[method][0], 2, METHODS_OF_CHAINS[method][1]) < 1e-13


def test_resampling_only_where_it_is_due() -> None:
    assert bias(compiled(PROGRAMS["a branch on the past"]).plan, "pgas", 2, ess_threshold=0.9) < 1e-13


@pytest.mark.parametrize("trap", [rescored_too_late, the_past_scored])
def test_the_trap_is_caught(trap: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    run = compiled(LOOP).plan
    trap(monkeypatch)
    assert bias(run, "pgas", 2) > 0.002


@pytest.mark.parametrize("name", share(PROGRAMS, 3))
def test_the_evidence_is_unbiased(name: str) -> None:
    """The mean of what smc with two particles estimates, over every way that chance may go."""
    run = compiled(PROGRAMS[name]).plan
    kernel = Kernel(run)
    settings = Settings(2, 1, resampling="enumerated")

    def estimate(chance: Any) -> float:
        try:
            (swept,) = Driver.on_lanes(METHODS["smc"].kernel, run, settings).chain(chance)
        except Impossible:
            return 0.0
        assert isinstance(swept, Sweep)
        return math.exp(swept.log_evidence or 0.0)

    with kernel.enumerated():
        exact = math.fsum(weight for *_, weight in kernel.executions())
        mean = math.fsum(found * probability for found, probability in every_run(estimate))
    assert mean == pytest.approx(exact, rel=1e-12)


def generations(source: str) -> list[int]:
    """How many generations a sweep has, by lanes and by scripts, where there are some."""
    found = []
    for run in (compiled(source).plan, with_scripts(source)):
        with quietly():
            particles = Particles(run, Key.of(1), 8)
            sweep(particles, SCHEMES["multinomial"], 1.0)
        found.append(len(particles.outline.observes))
    return found


def test_where_particles_are_resampled() -> None:
    loop = LOOP.replace("(list true false)", "(list true false true true)")
    assert generations(loop) == [5, 5], "after each observe of the loop"
    assert generations(PROGRAMS["map"]) == [3, 3]
    assert generations(PROGRAMS["a loop between statements"]) == [3, 3]
    assert generations(PROGRAMS["a memo that observes"]) == [3, 3], "not in the memo"
    assert generations(PROGRAMS["observes of which only some have one"])[0] == 1


@pytest.mark.parametrize("method", ["smc", "icsmc", "pgas"])
@pytest.mark.parametrize("name", ["a loop", "map", "doseq", "a loop between statements", "what is impossible"])
def test_scripts_do_the_same(name: str, method: str) -> None:
    source = (
        PROGRAMS[name].replace("[predict (list p zs)]", "[predict p]").replace("[predict (list a b)]", "[predict a]")
    )
    straight = with_scripts(source)
    assert straight.scripts is not None
    assert_both(compiled(source).plan, straight, method, 3, 10)


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_the_kernel_of_scripts(method: str) -> None:
    straight = with_scripts(LOOP)
    assert bias(straight, method, 2) < 1e-13
    assert straight.scripts.attempts > 0 and straight.scripts.failures == 0


WALK = """
[assume walk (lambda (x ys)
  (if (empty? ys) x
    (let [z (sample (normal x 1))]
      (do (observe (normal z 0.3) (first ys)) (walk z (rest ys))))))]
[assume last (walk 0 (list 0.5 1.0 1.5 2.0 1.2 0.3 -0.4 -1.0 -0.6 0.2))]
[predict last]
"""


def kalman(ys: Sequence[float]) -> tuple[float, float, float]:
    """The log evidence, and mean and deviation of the last state."""
    mean, variance, total = 0.0, 0.0, 0.0
    for y in ys:
        variance += 1.0
        seen = variance + 0.09
        total -= 0.5 * (math.log(2 * math.pi * seen) + (y - mean) ** 2 / seen)
        mean, variance = mean + variance / seen * (y - mean), variance * 0.09 / seen
    return total, mean, math.sqrt(variance)


@pytest.mark.parametrize("method", ["smc", "icsmc", "pgas"])
def test_ten_steps_in_one_loop(method: str) -> None:
    """Four standard errors of what 40 sweeps of smc, or 400 of chains, give: one failure in 10,000 seeds each."""
    evidence, mean, deviation = kalman([0.5, 1.0, 1.5, 2.0, 1.2, 0.3, -0.4, -1.0, -0.6, 0.2])
    particles, sweeps = (100, 40) if method == "smc" else (20, 400)
    posterior = compile_text(WALK).infer(method, seed=1, particles=particles, sweeps=sweeps)
    row = posterior.summary().numbers[0]
    assert abs(row.mean - mean) < 4 * deviation / math.sqrt(row.effective)
    assert row.effective > 100
    if method == "smc":
        assert posterior.log_evidence is not None
        assert posterior.log_evidence_se is not None and posterior.log_evidence_se < 0.2
        assert abs(posterior.log_evidence - evidence) < 4 * posterior.log_evidence_se
