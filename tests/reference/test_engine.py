"""The methods of `inference` on the reference engine: their kernels are those of the sweep that is written out."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.engine.test_held import HELD
from tests.share import share

import pplc
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.numerics.resampling import SCHEMES, Scheme
from pplc_runtime.reference import ReferenceEngine
from pplc_runtime.reference.execution import Particle, Plan
from pplc_runtime.reference.methods import Settings as WrittenOut
from pplc_runtime.reference.methods import conditional, planned
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.running.driver import Driver
from pplc_runtime.values import key_of

from .kernels import Enumerating, Law, distance, every_run, posterior, trajectory
from .programs import program_of
from .test_kernels import PROGRAMS


def _draw(chance: Enumerating, weights: NDArray[np.float64], number: int) -> NDArray[np.intp]:
    return np.array([chance.decide(weights.tolist()) for _ in range(number)])


def _conditional(chance: Enumerating, weights: NDArray[np.float64], number: int, kept: int) -> NDArray[np.intp]:
    return np.array([kept, *_draw(chance, weights, number - 1)])


@pytest.fixture
def enumerated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Chance is enumerated: a generator that decides everything in turn."""
    scheme = Scheme("enumerated", _draw, _conditional)  # type: ignore[arg-type] # in place of a generator
    monkeypatch.setitem(SCHEMES, "enumerated", scheme)
    monkeypatch.setattr("pplc_runtime.reference.engine.pick", lambda chance, weights: chance.decide(weights.tolist()))
    yield


def shared(run: Plan, retained: Particle, method: str, ess_threshold: float = 1.0, kernel: Any = None) -> Law:
    """The law of what is retained after a sweep of `inference` on the reference engine."""
    kernel = kernel or METHODS[method].kernel
    settings = Settings(2, 1, resampling="enumerated", ess_threshold=ess_threshold)
    values = {alpha: choice.value for alpha, choice in retained.choices().items()}

    def one(random: Enumerating) -> Any:
        chance: Any = random
        engine = ReferenceEngine(run, lambda *_: random)
        state, _ = Driver(kernel, settings, engine).step(Retained([values]), 0, chance)
        return frozenset((alpha.path(), key_of(value)) for alpha, value in state.held[0].items())

    return _law(one)


def written_out(run: Plan, retained: Particle, method: str) -> Law:
    """The same by the sweep of `reference/methods`."""
    settings = WrittenOut(ancestors=method == "pgas")
    return _law(lambda random: trajectory(conditional(run, 2, random, 0, retained, settings)[1]))


def _law(one: Any) -> Law:
    law: defaultdict[Any, float] = defaultdict(float)
    for result, probability in every_run(one):
        law[result] += probability
    assert math.fsum(law.values()) == pytest.approx(1.0)
    return dict(law)


@pytest.mark.usefixtures("enumerated")
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", share(PROGRAMS, 4))
def test_both_sweeps_have_the_same_kernel(name: str, method: str) -> None:
    run = planned(program_of(PROGRAMS[name]))
    for retained, _ in list(posterior(run).values())[:4]:
        assert distance(shared(run, retained, method), written_out(run, retained, method)) < 1e-12


@pytest.mark.usefixtures("enumerated")
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("ess_threshold", [0.0, 0.8])
def test_the_posterior_is_invariant_also_without_resampling(method: str, ess_threshold: float) -> None:
    run = planned(program_of(PROGRAMS["branch"]))
    exact = posterior(run)
    after: defaultdict[Any, float] = defaultdict(float)
    for retained, probability in exact.values():
        for result, transition in shared(run, retained, method, ess_threshold).items():
            after[result] += probability * transition
    assert distance({key: probability for key, (_, probability) in exact.items()}, dict(after)) < 1e-12


@pytest.mark.usefixtures("enumerated")
@pytest.mark.parametrize("method", [Icsmc, Pgas])
@pytest.mark.parametrize("name", share([name for name in HELD if name != "draws from a process"], 3))
def test_values_that_are_held(name: str, method: type[Any]) -> None:
    """Given what one statement draws, the posterior of the rest is invariant; so is that of all, whichever it is."""
    run = planned(program_of(HELD[name]))
    exact = posterior(run)
    before = {key: probability for key, (_, probability) in exact.items()}
    for label in sorted({path[0] for key in before for path, _ in key}):  # type: ignore[attr-defined] # pairs
        kernel = method(lambda at, label=label: at.path()[0] == label)
        after: defaultdict[Any, float] = defaultdict(float)
        for retained, probability in exact.values():
            for result, transition in shared(run, retained, "", kernel=kernel).items():
                after[result] += probability * transition
        assert distance(before, dict(after)) < 1e-12, label


SEEN_TWICE = "[assume x (sample (flip 0.5))] [observe (flip (if x 0.7 0.2)) true] [observe (flip 0.5) true] [predict x]"


def test_what_only_lanes_had() -> None:
    """Schemes, thresholds and genealogies belong to the shared sweep."""
    model = pplc.compile_text(SEEN_TWICE)
    found = model.infer(
        "pgas",
        engine="reference",
        particles=4,
        sweeps=3,
        seed=1,
        resampling="systematic",
        ess_threshold=0.5,
        genealogy=1,
    )
    assert found.sweeps[-1].diagnostics["genealogy"].particles == 4
    assert all(len(sweep.diagnostics["renewed"]) == 2 for sweep in found.sweeps)
