"""Importance sampling: run the program forward, weighted by its observes.

For each sweep, L particles draw x^l from the prior p(x | F) and get the weight W^l = p(y | F[x^l]); the average
weight is an unbiased estimate of the evidence. (Paper, section 2.2.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.sweep import standing_for
from pplc_runtime.numerics.weights import BadWeights, log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep


class Importance:
    """Independent sweeps, whose weights sum to their estimates of the evidence; an error if they are all zero.

    The state is whether a sweep has had a particle of positive weight."""

    def bound(self, engine: Engine, settings: Settings) -> Importance:
        return self

    def init(self, engine: Engine, settings: Settings, rng: np.random.Generator) -> bool:
        return False

    def step(
        self,
        engine: Engine,
        state: bool,
        settings: Settings,
        number: int,
        rng: np.random.Generator,
        report: bool = True,
    ) -> tuple[bool, list[Sweep]]:
        particles = engine.particles(rng, settings.particles, remember=settings.particles <= MOST_PARTICLES)
        log_weights = np.zeros(settings.particles)
        for segment in engine.plan.segments:
            particles.extend(segment)
            log_weights = log_weights + particles.log_weights
            alive = log_weights > -np.inf
            if not alive.all():  # an execution of weight zero ends where it gets it
                if np.isnan(log_weights).any():
                    raise particles.failure("the density of this observe is not a number")
                if not alive.any():
                    if not state and number == settings.sweeps - 1:
                        raise particles.impossible()
                    break
                particles.fork(np.flatnonzero(alive))
                log_weights = log_weights[alive]
            elif segment is not engine.plan.segments[-1]:
                particles.clear_weights()
        log_weights = log_weights - np.log(settings.particles)
        try:
            evidence = log_sum_exp(log_weights)
        except BadWeights:
            raise particles.failure("the density of this observe is not a number") from None
        predicts = particles.predicts() if report and evidence > -np.inf else {}
        told = {"ancestry": Ancestry(settings.particles), "outline": engine.plan.outline}
        kept = standing_for(particles, settings, number, log_weights) if evidence > -np.inf else None
        sweep = Sweep(settings.chain, number, log_weights, predicts, evidence, told, kept)
        return state or evidence > -np.inf, [sweep]

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None
