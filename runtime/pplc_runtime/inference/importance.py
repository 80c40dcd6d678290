"""Importance sampling: run the program forward, weighted by its observes.

For each sweep, L particles draw x^l from the prior p(x | F) and get the weight W^l = p(y | F[x^l]); the average
weight is an unbiased estimate of the evidence. (Paper, section 2.2.)
"""

from __future__ import annotations

import numpy as np

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.blocks import BySweeps
from pplc_runtime.inference.independent import Independent
from pplc_runtime.inference.sweep import standing_for
from pplc_runtime.native.modes import Mode
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.weights import BadWeights, log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep


class Importance(Independent, BySweeps):
    """Independent sweeps, whose weights sum to their estimates of the evidence."""

    mode = Mode(weighed=True)

    def once(self, engine: Engine, settings: Settings, number: int, key: Key, report: bool = True) -> Sweep:
        particles = engine.particles(key, settings.particles, remember=settings.particles <= MOST_PARTICLES)
        log_weights = np.zeros(settings.particles)

        def gather() -> None:
            """Add up what a generation weighs; an execution of weight zero ends where it gets it."""
            nonlocal log_weights
            log_weights = log_weights + particles.log_weights
            if np.isnan(log_weights).any():
                raise particles.failure("the density of this observe is not a number")
            alive = log_weights > -np.inf
            if alive.all():
                particles.clear_weights()
            elif alive.any():
                particles.leave(np.flatnonzero(alive))
                log_weights = log_weights[alive]

        for segment in particles.segments:
            particles.extend(segment, gather)
            gather()
            if not (log_weights > -np.inf).any():
                raise particles.impossible()
        log_weights = log_weights - np.log(settings.particles)
        try:
            evidence = log_sum_exp(log_weights)
        except BadWeights:
            raise particles.failure("the density of this observe is not a number") from None
        predicts = particles.predicts() if report else {}
        told = {"ancestry": Ancestry(settings.particles), "outline": engine.plan.outline}
        kept = standing_for(particles, settings, number, log_weights)
        return Sweep(settings.chain, number, log_weights, predicts, evidence, told, kept)
