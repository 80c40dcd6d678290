"""The evidence from chains: under the extended target the mean of 1 / Z^ is 1 / Z, by enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.posteriors.answer import PROGRAMS
from tests.posteriors.exact import ANSWERS
from tests.reference.test_kernels import PROGRAMS as SMALL

from pplc import compile_text, load
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.evidence import has_lost_particles, tail_shape

from .kernels import Enumerating, Kernel, every_run
from .sweeps import compiled

TWO = """
    [assume a (sample (flip 0.4))]
    [observe (flip (if a 0.7 0.4)) true]
    [assume b (sample (flip (if a 0.9 0.2)))]
    [observe (flip (if (= a b) 0.3 0.6)) true]
    [assume c (sample (flip (if b 0.8 0.1)))]
    [observe (flip (if c 0.5 0.9)) true]"""
PERISHING = (
    "[assume a (sample (flip 0.4))] [observe (flip 0.5) true] [assume b (sample (flip 0.5))] [condition (= a b)]"
)


def means(source: str, method: str, ess_threshold: float = 1.0) -> tuple[float, float, float]:
    """The log evidence, and after a sweep from the posterior the log of the mean of 1 / Z^, and the mean of log Z^."""
    kernel = Kernel(compiled(source).plan)
    settings = Settings(2, 1, resampling="enumerated", ess_threshold=ess_threshold)
    inverse = log_mean = 0.0

    def step(chance: Enumerating) -> float:
        rng: Any = chance
        state = Retained([dict(kernel.retained)])
        _, (sweep,) = METHODS[method].kernel.step(kernel.engine, state, settings, 0, rng, report=False)  # type: ignore[attr-defined]
        assert sweep.log_evidence is not None
        return float(sweep.log_evidence)

    with kernel.enumerated():
        evidence = math.fsum(weight for *_, weight in kernel.executions())
        for drawn, _, probability in kernel.posterior():
            kernel.retained = drawn
            for log_estimate, transition in every_run(step):
                inverse += probability * transition * math.exp(-log_estimate)
                log_mean += probability * transition * log_estimate
    return math.log(evidence), -math.log(inverse), log_mean


@pytest.mark.parametrize("threshold", [1.0, 0.7])
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_the_mean_of_inverses(method: str, threshold: float) -> None:
    exact, found, above = means(TWO, method, threshold)
    assert found == pytest.approx(exact, abs=1e-12) and above > exact


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", ["branch", "memo", "crp"])
def test_more_programs(name: str, method: str) -> None:
    exact, found, above = means(SMALL[name], method)
    assert found == pytest.approx(exact, abs=1e-12) and above >= exact - 1e-12


def test_where_all_particles_may_be_lost() -> None:
    """The inverses then miss what smc loses: P(Z^ > 0) / Z, so that none is given."""
    exact, found, _ = means(PERISHING, "icsmc")
    assert found > exact + 0.1
    posterior = compile_text(PERISHING + "[predict a]").infer("icsmc", particles=5, sweeps=50, seed=1)
    assert has_lost_particles(posterior.sweeps) and posterior.log_evidence is None


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_programs_of_known_evidence(method: str) -> None:
    """One of ten thousand runs is further off, if the standard error is right."""
    posterior = load(PROGRAMS / "hmm.clj").infer(method, particles=30, sweeps=400, burn_in=20, seed=1)
    exact = ANSWERS["hmm"].log_evidence
    assert posterior.log_evidence is not None and posterior.log_evidence_se is not None
    assert abs(posterior.log_evidence - exact) < 4 * posterior.log_evidence_se < 0.4
    smc = load(PROGRAMS / "hmm.clj").infer("smc", particles=30, sweeps=400, seed=1)
    assert smc.mean_log_evidence is not None and posterior.mean_log_evidence is not None
    assert smc.mean_log_evidence < exact < posterior.mean_log_evidence
    assert "not to be trusted" not in str(posterior.summary()) and "log evidence" in str(posterior.summary())


def test_what_is_not_to_be_trusted_is_said() -> None:
    posterior = load(PROGRAMS / "nonlinear_ssm.clj").infer("pgas", particles=5, sweeps=30, seed=1)
    assert "the log evidence is not to be trusted" in str(posterior.summary())
    composed = load(PROGRAMS / "hmm.clj").infer("pgas(3) + lmh", sweeps=5, seed=1)
    assert composed.log_evidence is None, "a part that holds values has the evidence of another target"


@pytest.mark.parametrize("shape", [0.3, 1.0])
def test_the_shape_of_a_tail(shape: float) -> None:
    rng = Key.of(1).generator()
    values = ((1 - rng.random(5000)) ** -shape - 1) / shape
    assert tail_shape(values) == pytest.approx(shape, abs=0.15)
    assert math.isnan(tail_shape(np.arange(20.0)))
