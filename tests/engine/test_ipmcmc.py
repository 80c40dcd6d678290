"""ipmcmc leaves the product of posteriors invariant, by exact kernels; and reports all nodes by their weights."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.posteriors.answer import PROGRAMS
from tests.posteriors.exact import ANSWERS

from pplc import load
from pplc_runtime.inference import ipmcmc, runs
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.ipmcmc import Ipmcmc, Nodes
from pplc_runtime.values import key_of

from .kernels import Kernel, distance, every_run, paths
from .sweeps import compiled

KERNEL = Ipmcmc(Icsmc())
ONE = """
[assume x (sample (flip 0.4))]
[observe (flip (if x 0.9 0.2)) true]
[predict x]
"""
LOSING = """
[assume x (sample (flip 0.4))]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip 0.3))]
[condition (or x y)]
[predict x]
"""


def off(source: str, conditional: int, nodes: int, particles: int, patch: pytest.MonkeyPatch) -> tuple[float, float]:
    """From draws from the posterior: how far what is retained after a step is off, and what is reported of all nodes by
    weight, in total variation."""

    def standing_for(found: Any, settings: Any, number: int, log_weights: Any) -> Any:
        chance = found.chance.of_sweep(0)
        return found.drawn_by(np.array([chance.decide(np.exp(log_weights - log_weights.max()).tolist())]))

    patch.setattr(runs, "standing_for", standing_for)
    patch.setattr(ipmcmc, "comb_of", lambda key: 0)
    patch.setattr(ipmcmc, "pick", lambda chance, weights: chance.decide(weights.tolist()))
    kernel = Kernel(compiled(source).plan)
    settings = Settings(particles, 1, resampling="enumerated", nodes=nodes)
    before: defaultdict[Any, float] = defaultdict(float)
    after: defaultdict[Any, float] = defaultdict(float)
    reported: defaultdict[Any, float] = defaultdict(float)
    with kernel.enumerated():
        for starts in product(kernel.posterior(), repeat=conditional):
            probability = math.prod(own[2] for own in starts)
            before[tuple(paths(own[0]) for own in starts)] += probability

            def step(chance: Any, held: Any = starts) -> Any:
                return KERNEL.step(kernel.engine, Nodes([dict(own[0]) for own in held]), settings, 0, chance)

            for (state, (sweep,)), transition in every_run(step):
                after[tuple(map(paths, state.held))] += probability * transition
                for place, weight in enumerate(np.exp(sweep.log_weights)):
                    if weight > 0.0:
                        values = tuple((label, key_of(column[place])) for label, column in sweep.predicts.items())
                        reported[values] += probability * transition * float(weight)
        predicted: defaultdict[Any, float] = defaultdict(float)
        for _, values, probability in kernel.posterior():
            predicted[values] += probability
    assert math.fsum(after.values()) == pytest.approx(1.0)
    return distance(before, after), distance(predicted, reported)


@pytest.mark.parametrize(("source", "of"), [(ONE, (2, 3, 1)), (ONE, (1, 2, 2)), (LOSING, (1, 2, 1))])
def test_the_product_of_posteriors_is_invariant(
    source: str, of: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert max(off(source, *of, monkeypatch)) < 1e-12


def test_an_exchange_without_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong: all nodes alike."""
    right = ipmcmc.exchanged
    monkeypatch.setattr(ipmcmc, "exchanged", lambda logs, *more: right(np.zeros(len(logs)), *more))
    assert min(off(ONE, 1, 2, 1, monkeypatch)) > 0.01


def test_nodes_that_are_taken_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong: two conditional nodes may become the same."""

    def greedy(logs: Any, conditional: int, rng: Any) -> Any:
        weights = np.exp(logs - logs.max())
        places = [rng.decide(weights.tolist()) for _ in range(conditional)]
        return places, weights / weights.sum()

    monkeypatch.setattr(ipmcmc, "exchanged", greedy)
    assert off(ONE, 2, 3, 1, monkeypatch)[0] > 0.01


def test_in_use(tmp_path: Path) -> None:
    model = load(PROGRAMS / "hmm.clj")
    given: dict[str, Any] = {"particles": 10, "nodes": 4, "burn_in": 5, "seed": 2, "sweeps": 60}
    whole = model.infer("ipmcmc", **given)
    file = tmp_path / "run.journal"
    model.infer("ipmcmc", checkpoint=file, **given)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]))
    again = model.infer("ipmcmc", resume=file, **given)
    for one, other in zip(whole.sweeps, again.sweeps, strict=True):
        assert (np.asarray(one.log_weights) == other.log_weights).all()
    exact = ANSWERS["hmm"].marginals["(state 7)"]
    assert whole.probabilities("(state 7)")[2] == pytest.approx(exact[2], abs=0.1)
    assert all(np.exp(sweep.log_weights).sum() == pytest.approx(1.0) for sweep in whole.sweeps)
    assert sum(sweep.diagnostics["exchanged"] for sweep in whole.sweeps) > 10
    assert whole.mean_log_evidence is not None and whole.mean_log_evidence > ANSWERS["hmm"].log_evidence - 0.3
