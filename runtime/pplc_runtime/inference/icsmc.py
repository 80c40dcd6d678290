"""Iterated conditional SMC, that is particle Gibbs without ancestor sampling.

Each sweep is an SMC sweep in which the retained particle survives every resampling step; then a particle k is
retained with probability proportional to w_N^k. The other ancestors are drawn from the resampling scheme's law
given the retained one: see `resampling`. (Paper, section 3.2; Andrieu, Doucet and Holenstein 2010.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pplc_runtime.addresses import At
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.smc import forward
from pplc_runtime.particles import Particles
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.steps import Plan
from pplc_runtime.values import ModelError

MOST_TO_START = 100_000


def icsmc(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps, the weights of each summing to one."""
    retained = start(plan, settings, rng)
    for number in range(-settings.burn_in, settings.sweeps):
        particles = Particles(plan, rng, settings.particles, retained, remember=True)
        log_evidence = 0.0
        for segment in plan.segments:
            particles.extend(segment)
            weights, log_total = particles.normalised()
            log_evidence += log_total - np.log(settings.particles)
            if segment is not plan.segments[-1]:
                particles.fork(settings.scheme.conditional(rng, weights, settings.particles, 0))
        chosen = int(settings.scheme.draw(rng, weights, 1)[0])
        retained = particles.trajectory(chosen)
        if number >= 0:
            with np.errstate(divide="ignore"):
                log_weights = np.log(weights)
            told = particles.mixing(chosen, number)
            yield Sweep(settings.chain, number, log_weights, particles.predicts(), log_evidence, told)


def start(plan: Plan, settings: Settings, rng: np.random.Generator) -> dict[At, Any]:
    """A first particle to retain, from an SMC sweep with as many particles as it takes."""
    size = max(settings.particles, 16)
    while True:
        try:
            particles, _ = forward(plan, settings, rng, size, remember=True)
            weights, _ = particles.normalised()
            return particles.trajectory(int(settings.scheme.draw(rng, weights, 1)[0]))
        except ModelError as error:
            if "all weights are zero" not in error.args[0] or size >= MOST_TO_START:
                raise
            size *= 8
