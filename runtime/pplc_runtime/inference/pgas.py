"""Particle Gibbs with ancestor sampling.

As `icsmc`, but at each generation the retained particle draws a new ancestor: lane l with probability proportional
to w_{n-1}^l p(suffix | prefix^l), where the suffix is what remains of the retained run. (Paper, sections 3.3 and 4;
Lindsten, Jordan and Schön 2012.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import cast

import numpy as np

from pplc_runtime.forward_sweep import first_retained
from pplc_runtime.inference.base import Settings
from pplc_runtime.particles import Particles
from pplc_runtime.records import Retained, Tracker
from pplc_runtime.regenerate import Suffix
from pplc_runtime.resampling import pick
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.steps import Plan


def pgas(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps with ancestor sampling, the weights of each summing to one."""
    retained = Retained(first_retained(plan, settings, rng, settings.particles))
    size = settings.particles
    for number in range(-settings.burn_in, settings.sweeps):
        suffix = Suffix(plan, retained, settings.strict)
        particles = Particles(plan, rng, size, suffix.values, remember=True, handler=Tracker)
        tracker = cast(Tracker, particles.handler)
        tracker.events = suffix.events
        tracker.formulas = {}
        log_evidence = 0.0
        moved = 0
        weights = np.ones(size)
        for generation, segment in enumerate(plan.segments):
            if generation > 0:
                suffix_scores = suffix.rescore(generation, particles.handler, particles.frame)
                ancestors, _ = particles.weights(particles.log_weights + suffix_scores)
                ancestor = pick(rng, ancestors)
                moved += ancestor != 0
                particles.fork(settings.scheme.conditional(rng, weights, size, ancestor))
            tracker.begin()
            particles.extend(segment)
            tracker.formulas.clear()
            weights, log_total = particles.weights()
            log_evidence += log_total - math.log(size)
        chosen = pick(rng, weights)
        retained = tracker.to_retain(particles, chosen)
        if number >= 0:
            boundaries = max(1, len(plan.segments) - 1)
            told = particles.mixing(chosen, number) | {
                "moved": moved / boundaries,
                "replays": suffix.replays,
                "dropped": dict(suffix.dropped),
                "candidates": boundaries * size,
            }
            log_weights = particles.log_weights - log_total
            if settings.keeps_genealogy(number):
                told["genealogy"] = particles.genealogy(chosen)
            yield Sweep(settings.chain, number, log_weights, particles.predicts(), log_evidence, told)
