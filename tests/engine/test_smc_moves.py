"""Moves after the resamplings of smc leave gamma_n invariant: the evidence stays unbiased, or consistent."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from tests.posteriors.answer import PROGRAMS
from tests.posteriors.exact import ANSWERS

from pplc import compile_text, lmh, load, rw, smc
from pplc_runtime.composition import MethodError, parsed
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.population_walk import PopulationWalk
from pplc_runtime.inference.smc_moves import ByTraces, SmcMoves
from pplc_runtime.regeneration.following import Prefixes
from pplc_runtime.values import ModelError, key_of

from .kernels import Enumerating, Kernel, every_run
from .sweeps import compiled

SMALL = {
    "a prior that depends on what moves": """
        [assume a (sample (flip 0.4))]
        [observe (flip (if a 0.7 0.4)) true]
        [assume b (sample (flip (if a 0.9 0.2)))]
        [observe (flip (if (= a b) 0.3 0.6)) true]
        [predict [a b]]""",
    "a choice that comes and goes": """
        [assume a (sample (flip 0.4))]
        [assume m (mem (lambda (k) (sample (flip 0.3))))]
        [observe (flip (if (if a (m 0) false) 0.8 0.4)) true]
        [observe (flip (if (m 0) 0.7 0.2)) true]
        [predict [a (m 0)]]""",
    "draws from a process": """
        [assume c (crp 0.7)]
        [assume x (sample c)] [assume y (sample c)]
        [observe (flip (if (= x y) 0.2 0.7)) true]
        [observe (flip (if (= y 0) 0.6 0.3)) true]
        [predict [x y]]""",
}


def expected(source: str, kernel: SmcMoves, **options: Any) -> tuple[dict[Any, float], dict[Any, float]]:
    """Evidence times posterior by what is predicted: exactly, and as expected of a sweep with two particles."""
    own = Kernel(compiled(source).plan)
    settings = Settings(**{"particles": 2, "sweeps": 1, "resampling": "enumerated", **options})
    exact: defaultdict[Any, float] = defaultdict(float)
    found: defaultdict[Any, float] = defaultdict(float)

    def step(chance: Enumerating) -> Any:
        rng: Any = chance
        _, (sweep,) = kernel.step(own.engine, None, settings, 0, rng)
        (column,) = sweep.predicts.values()
        values = column if isinstance(column, list) else list(np.moveaxis(column, -1, 0))
        return [(key_of(tuple(value)), math.exp(log)) for value, log in zip(values, sweep.log_weights)]

    with own.enumerated():
        for _, values, weight in own.executions():
            exact[key_of(next(iter(values.values())))] += weight
        for weighted, probability in every_run(step):
            for value, weight in weighted:
                found[value] += probability * weight
    return dict(exact), dict(found)


def off(source: str, kernel: SmcMoves, **options: Any) -> float:
    exact, found = expected(source, kernel, **options)
    return max(abs(exact.get(key, 0.0) - found.get(key, 0.0)) for key in {*exact, *found})


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_moves_leave_what_is_expected_as_it_is(name: str) -> None:
    assert off(SMALL[name], SmcMoves((ByTraces(Lmh(proposals=1)),))) < 1e-12


def test_waste_free() -> None:
    """Two particles are both states of a chain of one move; each has the right law, so that their mean has."""
    kernel = SmcMoves((ByTraces(Lmh(proposals=1)),))
    assert off(SMALL["a prior that depends on what moves"], kernel, waste_free=True) < 1e-12


def test_moves_that_leave_all_of_gamma_invariant_are_wrong() -> None:
    class Whole(ByTraces):
        def move(self, plan: Any, before: Prefixes, segments: int, key: Any) -> Prefixes:
            return super().move(plan, before, len(plan.segments), key)

    source = "[assume a (sample (flip 0.4))] [observe (flip (if a 0.7 0.4)) true] [observe (flip (if a 0.2 0.9)) true]"
    source += "[predict [a]]"
    assert off(source, SmcMoves((ByTraces(Lmh(proposals=1)),))) < 1e-12
    assert off(source, SmcMoves((Whole(Lmh(proposals=1)),))) > 1e-3


# Random walks


@pytest.mark.parametrize("name", ["linear_regression", "logistic_regression"])
def test_programs_of_known_evidence(name: str) -> None:
    """One of ten thousand tables is further off, if the standard errors are right."""
    posterior = load(PROGRAMS / f"{name}.clj").infer("smc(500) | rw(globals)*3", sweeps=10, seed=1)
    assert posterior.log_evidence is not None and posterior.log_evidence_se is not None
    answer = ANSWERS[name]
    assert abs(posterior.log_evidence - answer.log_evidence) < 5 * posterior.log_evidence_se < 1.0
    for label, mean in answer.means.items():
        spread = float(posterior.sd(label)) / math.sqrt(posterior.effective_draws(label))
        assert abs(posterior.mean(label) - mean) < 5 * spread and posterior.effective_draws(label) > 300


def test_a_walk_without_the_jacobian_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "[assume s (sample (gamma 2 1))] [for [i (range 3)] [observe (poisson 2) 2]] [predict s]"
    right = compile_text(source).infer("smc(2000) | rw*3", sweeps=5, seed=1)
    assert right.mean("s") == pytest.approx(2, abs=5 * math.sqrt(2 / 5000)), "the prior, which nothing weighs"
    from pplc_runtime.inference import population_walk

    free = population_walk.free
    monkeypatch.setattr(population_walk, "free", lambda *arguments: (free(*arguments)[0], np.zeros(1)))
    assert compile_text(source).infer("smc(2000) | rw*3", sweeps=5, seed=1).mean("s") < 1.7


def test_a_walk_on_programs_whose_course_changes() -> None:
    """A value that decides how many others there are moves only as far as these stay: exact, against importance."""
    source = """
        [assume x (sample (normal 0 1))]
        [assume y (if (> x 0) (sample (normal x 1)) 0)]
        [observe (normal (+ x y) 1) 1]
        [observe (normal x 0.5) 0.2]
        [predict x] [predict (> x 0)]"""
    moved = compile_text(source).infer("smc(200) | rw*2 + lmh(1)", sweeps=20, seed=1)
    exact = compile_text(source).infer("importance", particles=100_000, sweeps=5, seed=2)
    assert moved.log_evidence == pytest.approx(exact.log_evidence, abs=0.05)
    assert moved.mean("x") == pytest.approx(exact.mean("x"), abs=0.05)


def test_forms_that_differ_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong variant: y, which only some executions draw, would be taken along."""
    source = "[assume x (sample (normal 0 1))] [assume y (if (> x 0) (sample (uniform-continuous 0 0.1)) 0)]"
    source += "[for [i (range 4)] [observe (flip 0.5) true]] [predict (> x 0)]"
    right = compile_text(source).infer("smc(1000) | rw*3", sweeps=5, seed=1).mean("(> x 0)")
    monkeypatch.setattr(Prefixes, "is_of_form", lambda self, other: np.ones(self.particles.size, np.bool_))
    wrong = compile_text(source).infer("smc(1000) | rw*3", sweeps=5, seed=1).mean("(> x 0)")
    assert abs(right - 0.5) < 0.05 < abs(wrong - 0.5)


def test_how_it_is_written() -> None:
    assert str(smc(100) | rw("a") * 2 + lmh()) == "smc(100) | rw(a)*2 + lmh" == str(parsed("smc(100)|rw(a)*2+lmh"))
    model = load(PROGRAMS / "linear_regression.clj")
    posterior = model.infer(smc(60) | rw("globals") * 2, sweeps=2, seed=1, waste_free=True)
    assert posterior.particles == 60 and not posterior.is_chain and posterior.method == "smc(60) | rw(globals)*2"
    for text in ("smc + rw", "smc*2", "smc(100)", "smc(a) | rw", "importance | rw", "pgas | rw", "rw | smc"):
        with pytest.raises(MethodError):
            model.infer(text)
    with pytest.raises(ModelError, match="50 particles cannot be parted"):
        model.infer("smc(50) | rw*2", waste_free=True)
    assert PopulationWalk().covers is not None
