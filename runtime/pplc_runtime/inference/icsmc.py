"""Iterated conditional SMC, that is particle Gibbs without ancestor sampling.

Each sweep is an SMC sweep in which the retained particle survives every resampling step; then a particle k is
retained with probability proportional to w_N^k. The other ancestors are drawn from the resampling scheme's law
given the retained one: see `resampling`. (Paper, section 3.2; Andrieu, Doucet and Holenstein 2010.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from pplc_runtime.forward_sweep import first_retained
from pplc_runtime.inference.base import Settings
from pplc_runtime.particles import Particles
from pplc_runtime.resampling import pick
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.steps import Plan


def icsmc(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps, the weights of each summing to one."""
    log_size = math.log(settings.particles)
    retained = first_retained(plan, settings, rng, settings.particles)
    for number in range(-settings.burn_in, settings.sweeps):
        particles = Particles(plan, rng, settings.particles, retained, remember=True)
        log_evidence = 0.0
        for segment in plan.segments:
            particles.extend(segment)
            weights, log_total = particles.weights()
            log_evidence += log_total - log_size
            if segment is not plan.segments[-1]:
                particles.fork(settings.scheme.conditional(rng, weights, settings.particles, 0))
        chosen = pick(rng, weights)
        retained, _ = particles.trajectory(chosen)
        if number >= 0:
            log_weights = particles.log_weights - log_total
            told = particles.mixing(chosen, number)
            if settings.keeps_genealogy(number):
                told["genealogy"] = particles.genealogy(chosen)
            yield Sweep(settings.chain, number, log_weights, particles.predicts(), log_evidence, told)

