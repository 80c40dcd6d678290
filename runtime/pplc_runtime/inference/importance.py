"""Importance sampling: run the program forward, weighted by its observes.

For each sweep, L particles draw x^l from the prior p(x | F) and get the weight W^l = p(y | F[x^l]); the average
weight is an unbiased estimate of the evidence. (Paper, section 2.2.)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.weights import BadWeights, ZeroWeights, log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise import Failed, either


def importance(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """Sweeps whose weights sum to their estimates of the evidence; an error if they are all zero."""
    possible = False
    for number in range(settings.sweeps):
        done, particles = either(plan, rng, partial(sweep, settings, rng, number))
        assert done.log_evidence is not None
        possible = possible or done.log_evidence > -np.inf
        if not possible and number == settings.sweeps - 1:
            raise particles.impossible()
        yield done


def sweep(settings: Settings, rng: np.random.Generator, number: int, plan: Plan) -> tuple[Sweep, Particles]:
    """One sweep, and its particles."""
    particles = Particles(plan, rng, settings.particles)
    log_weights = np.zeros(settings.particles)
    for segment in plan.segments:
        particles.extend(segment)
        log_weights = log_weights + particles.log_weights
        alive = log_weights > -np.inf
        if not alive.all():  # an execution of weight zero ends where it gets it
            if np.isnan(log_weights).any():
                raise particles.failure("the density of this observe is not a number")
            if not alive.any():
                if plan.scripts is not None:
                    raise Failed  # the program can tell which observe it was
                break
            particles.fork(np.flatnonzero(alive))
            log_weights = log_weights[alive]
        elif segment is not plan.segments[-1]:
            particles.handler.log_weights = np.zeros(len(log_weights))
    log_weights = log_weights - np.log(settings.particles)
    try:
        evidence = log_sum_exp(log_weights)
    except ZeroWeights:
        evidence = -np.inf
    except BadWeights:
        raise particles.failure("the density of this observe is not a number") from None
    predicts = particles.predicts() if evidence > -np.inf else {}
    told = {"ancestry": Ancestry(settings.particles), "outline": plan.outline}
    return Sweep(settings.chain, number, log_weights, predicts, evidence, told), particles
