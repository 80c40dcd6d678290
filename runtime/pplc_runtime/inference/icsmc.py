"""Iterated conditional SMC, that is particle Gibbs without ancestor sampling.

Each sweep is an SMC sweep in which the retained particle survives every resampling step; then a particle k is
retained with probability proportional to w_N^k. The other ancestors are drawn from the resampling scheme's law
given the retained one: see `resampling`. (Paper, section 3.2; Andrieu, Doucet and Holenstein 2010.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import SELDOM, Settings
from pplc_runtime.inference.conditional import finished
from pplc_runtime.inference.forward_sweep import first_retained, is_due
from pplc_runtime.lanes.addresses import At
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise import either


def icsmc(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps, the weights of each summing to one."""
    return icsmc_together(plan, settings, rng, [first_retained(plan, settings, rng, settings.particles)])


def icsmc_together(
    plan: Plan, settings: Settings, rng: np.random.Generator, retained: list[dict[At, Any]]
) -> Iterator[Sweep]:
    """The same for several chains in the lanes of one run, each from its retained run."""
    for number in range(-settings.burn_in, settings.sweeps):
        sweeps, retained = either(plan, rng, partial(sweep, settings, rng, number, retained))
        if number >= 0:
            yield from sweeps


def sweep(
    settings: Settings, rng: np.random.Generator, number: int, retained: list[dict[At, Any]], plan: Plan
) -> tuple[list[Sweep], list[dict[At, Any]]]:
    """One sweep, and what is retained next."""
    particles = Particles(plan, rng, settings.particles, retained, remember=True)
    particles.watched = number % SELDOM == 0
    log_totals: list[Any] = []
    for segment in plan.segments:
        particles.extend(segment)
        weights, log_total = particles.weights()
        if segment is not plan.segments[-1] and is_due(settings.ess_threshold, weights):
            log_totals.append(log_total)
            particles.fork_around(settings.scheme, weights)
    log_evidence = np.sum([*log_totals, log_total], 0) - (len(log_totals) + 1) * math.log(settings.particles)
    chosen = particles.pick(weights)
    retained = particles.trajectories(particles.lanes(chosen))
    told: list[dict[str, Any]] = [{} for _ in retained]
    return list(finished(particles, settings, number, log_total, log_evidence, chosen, told, plan)), retained
