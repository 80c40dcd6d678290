"""Methods without error, or with that of independent draws alone: enumerate, rejection and prior."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pplc import compile_text, load
from pplc_runtime.engine.enumeration import Exhaustive
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.values import ModelError, key_of

from .answer import PROGRAMS
from .enumeration import Twin
from .exact import ANSWERS
from .tiny import TINY, enumerate_posterior

FINITE = ("bayes_net", "coin_process", "crp_small", "reference_game", "scalar_implicature")
LIMIT = 5.0
"""Standard errors; one of a thousand tables of some hundred probabilities has one that is further off."""


def off(posterior: Posterior, twin: Twin) -> float:
    """How far the probabilities and the evidence are from those of a twin, at most."""
    evidence, marginals = enumerate_posterior(twin)
    found = [abs((posterior.log_evidence or 0.0) - math.log(evidence))]
    for label, values in marginals.items():
        probabilities = {key_of(value): p for value, p in posterior.probabilities(label).items()}
        expected = {key_of(value): p for value, p in values.items()}
        found += [abs(probabilities.get(key, 0.0) - expected.get(key, 0.0)) for key in {*probabilities, *expected}]
    return max(found)


@pytest.mark.parametrize("name", TINY)
def test_enumerate_is_exact(name: str) -> None:
    assert off(compile_text(TINY[name].source).infer("enumerate"), TINY[name].twin) < 1e-10


@pytest.mark.parametrize("name", FINITE)
def test_enumerate_on_programs(name: str) -> None:
    posterior = load(PROGRAMS / f"{name}.clj").infer("enumerate", sweeps=3, chains=2)
    answer = ANSWERS[name]
    assert len(posterior.sweeps) == 1 and posterior.log_evidence == pytest.approx(answer.log_evidence, abs=1e-10)
    for label, mean in answer.means.items():
        assert posterior.mean(label) == pytest.approx(mean, abs=1e-10)
    assert "exact" in str(posterior.summary()) and "±" not in str(posterior.summary())


def test_values_that_differ_between_executions() -> None:
    """Outcomes that depend on what was drawn before, and executions that are impossible."""
    posterior = compile_text("""
        [assume n (sample (uniform-discrete 1 4))]
        [assume k (sample (binomial n 0.5))]
        [assume c (if (> k 1) (sample (categorical [["a" 0.25] ["b" 0.75]])) "none")]
        [condition (not= k 0)]
        [predict [n k]] [predict c]""").infer("enumerate")
    kept = 1 - (1 / 2 + 1 / 4 + 1 / 8) / 3
    assert math.exp(posterior.log_evidence or 0) == pytest.approx(kept)
    assert posterior.probabilities("[n k]")[(2, 1)] == pytest.approx(0.5 / 3 / kept)
    assert posterior.probabilities("c")["b"] == pytest.approx(0.75 * (1 / 4 + 1 / 2) / 3 / kept)


def test_what_only_predicts_draw_is_enumerated() -> None:
    posterior = compile_text("[assume x (mem (lambda (i) (sample (flip 0.2))))] [predict (x 0)] [predict (x 1)]")
    assert posterior.infer("enumerate").probabilities("(x 1)") == pytest.approx({True: 0.2, False: 0.8})


WRONG = {
    "a draw from normal has no finite number of values": "[assume x (sample (normal 0 1))] [predict x]",
    "a draw from poisson has no finite number of values": "[assume x (sample (poisson 1))] [predict x]",
    "there are more than 100000 executions": "[assume x (mem (lambda (i) (sample (flip 0.5))))]"
    "[for [i (range 17)] [observe (flip (if (x i) 0.5 0.6)) true]] [predict (x 1)]",
    "of more than 300 choices": "[assume g (lambda (n) (if (sample (flip 0.9)) (g (inc n)) n))] [predict (g 0)]",
    "no execution of the program is possible": "[assume x (sample (flip 0.5))] [condition (= x 3)] [predict x]",
}


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_enumerated(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        compile_text(WRONG[message]).infer("enumerate")


def test_without_the_densities_of_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong variant: all executions alike."""
    monkeypatch.setattr(Exhaustive, "weigh", lambda self, score: None)
    name = next(iter(TINY))
    assert off(compile_text(TINY[name].source).infer("enumerate"), TINY[name].twin) > 0.01


# Rejection


def deviations(posterior: Posterior, twin: Twin) -> list[float]:
    """Errors in standard errors, of independent draws."""
    evidence, marginals = enumerate_posterior(twin)
    found = [((posterior.log_evidence or 0.0) - math.log(evidence)) / max(posterior.log_evidence_se or 0.0, 1e-9)]
    for label, values in marginals.items():
        draws = {key_of(value): p for value, p in posterior.probabilities(label).items()}
        for value, p in values.items():
            if 0.05 < p < 0.95:
                found.append((draws.get(key_of(value), 0.0) - p) / math.sqrt(p * (1 - p) / posterior.particles))
    return found


@pytest.mark.parametrize("name", TINY)
def test_rejection(name: str) -> None:
    model = compile_text(TINY[name].source)
    try:
        posterior = model.infer("rejection", particles=1000, seed=1)
    except ModelError as error:
        assert "no probability" in str(error), "a density was observed"
        return
    assert max(map(abs, deviations(posterior, TINY[name].twin))) < LIMIT


def test_rejection_of_whole_sweeps_has_the_right_evidence() -> None:
    """The mean of (N - 1) / (T - 1) is the evidence: with N of 2 there is no room for a bias to hide."""
    model = compile_text("[assume x (sample (flip 0.3))] [condition x] [predict x]")
    posterior = model.infer("rejection", particles=1, sweeps=4000, seed=1)
    found = np.exp([sweep.log_evidence or 0.0 for sweep in posterior.sweeps])
    assert abs(found.mean() - 0.3) < LIMIT * found.std() / math.sqrt(len(found))


def test_rejection_refuses_densities_and_gives_up() -> None:
    with pytest.raises(ModelError, match=r"m.clj:1:34: error: rejection accepts .* no probability"):
        source = "[assume x (sample (normal 0 1))] [observe (normal x 0.1) 1] [predict x]"
        compile_text(source, "m.clj").infer("rejection", seed=1)
    with pytest.raises(ModelError, match="no probability"):
        compile_text("[assume x (sample (flip 0.5))] [factor (if x 1 0)] [predict x]").infer("rejection", seed=1)
    with pytest.raises(ModelError, match="of 1000000 executions 0 were accepted, and 3 are wanted"):
        compile_text("[assume x (sample (flip 0.5))] [observe (flip 1e-9) true] [predict x]").infer(
            "rejection", particles=2, seed=1
        )


# The prior


def test_the_prior_observes_nothing() -> None:
    posterior = compile_text("""
        [assume c (beta-flip 1 1)]
        [assume x (sample (normal 0 1))]
        [observe (normal x 0.01) 5]
        [observe c true]
        [condition (> x 3)]
        [assume y (+ (observe (normal x 1) 2) x)]
        [assume z (sample c)]
        [predict x] [predict y] [predict z]""").infer("prior", particles=20000, seed=1)
    assert abs(posterior.mean("x")) < LIMIT / math.sqrt(20000) and posterior.sd("x") == pytest.approx(1, abs=0.05)
    assert abs(posterior.mean("z") - 0.5) < LIMIT * 0.5 / math.sqrt(20000)
    assert posterior.mean("y") == pytest.approx(posterior.mean("x") + 2)
    assert posterior.log_evidence is None and "log evidence" not in str(posterior.summary())


def test_the_prior_predictive() -> None:
    model = compile_text("[assume x (sample (normal 3 1))] [observe (normal x 1) 50] [predict x]")
    drawn = model.infer("prior", particles=2000, seed=1).predictive(seed=2)["observe"]
    assert abs(drawn.mean() - 3) < LIMIT * math.sqrt(2 / drawn.size)
