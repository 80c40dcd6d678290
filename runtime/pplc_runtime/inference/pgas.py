"""Particle Gibbs with ancestor sampling.

As `icsmc`, but at each generation the retained particle draws a new ancestor: lane l with probability proportional
to w_{n-1}^l p(suffix | prefix^l), where the suffix is what remains of the retained run. (Paper, sections 3.3 and 4;
Lindsten, Jordan and Schön 2012.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from pplc_runtime.forward_sweep import first_retained, is_due
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.conditional import finished
from pplc_runtime.particles import Particles
from pplc_runtime.records import Retained, Tracker
from pplc_runtime.regenerate import Suffix
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.steps import Plan


def pgas(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps with ancestor sampling, the weights of each summing to one."""
    return pgas_together(plan, settings, rng, [first_retained(plan, settings, rng, settings.particles)])


def chains_of_pgas(
    plan: Plan, settings: Settings, rng: np.random.Generator, runs: list[dict[Any, Any]]
) -> Iterator[Sweep]:
    """Several chains in the lanes of one run, if what they retain at first has the same structure; else nothing."""
    if Retained.gathered([Retained([values]).recorded(plan, strict=True) for values in runs]).segments:
        yield from pgas_together(plan, settings, rng, runs)


def pgas_together(
    plan: Plan, settings: Settings, rng: np.random.Generator, runs: list[dict[Any, Any]]
) -> Iterator[Sweep]:
    """The same for several chains, in the lanes of one run as long as what they retain has the same structure."""
    retained = Retained(runs)
    for number in range(-settings.burn_in, settings.sweeps):
        if retained.is_one_suffix(settings.strict):
            sweeps, retained = sweep(plan, settings, rng, number, retained)
        else:
            apart = [sweep(plan, settings.of(chain), rng, number, own) for chain, own in enumerate(retained.apart())]
            sweeps, retained = [done for own, _ in apart for done in own], Retained.gathered([own for _, own in apart])
        if number >= 0:
            yield from sweeps


def sweep(
    plan: Plan, settings: Settings, rng: np.random.Generator, number: int, retained: Retained
) -> tuple[list[Sweep], Retained]:
    """One sweep, and what is retained next."""
    size = settings.particles
    suffix = Suffix(plan, retained, settings.strict)
    particles = Particles(plan, rng, size, suffix.held, remember=True, handler=Tracker, root=retained.root)
    tracker = cast(Tracker, particles.handler)
    tracker.events = suffix.events
    tracker.formulas = {}
    log_evidence: Any = 0.0
    log_total: Any = 0.0
    moved: Any = 0
    weights = np.ones(size)
    for generation, segment in enumerate(plan.segments):
        if generation > 0:
            suffix_scores = suffix.rescore(generation, particles.handler, particles.frame)
            if is_due(settings.ess_threshold, weights):
                ancestor_weights, _ = particles.weights(particles.log_weights + suffix_scores)
                ancestors = particles.pick(ancestor_weights)
                moved = moved + (ancestors != 0)
                log_evidence = log_evidence + (log_total - math.log(size))
                particles.fork_around(settings.scheme, weights, ancestors)
        tracker.begin()
        particles.extend(segment)
        tracker.formulas.clear()
        weights, log_total = particles.weights()
    log_evidence = log_evidence + (log_total - math.log(size))
    chosen = particles.pick(weights)
    boundaries = max(1, len(plan.segments) - 1)
    told = [
        {
            "moved": float(count) / boundaries,
            "replays": suffix.replays,
            "dropped": dict(suffix.dropped) if chain == 0 else {},
            "candidates": boundaries * size,
        }
        for chain, count in enumerate(np.broadcast_to(moved, particles.chains))
    ]
    done = list(finished(particles, settings, number, log_total, log_evidence, chosen, told))
    return done, tracker.to_retain(particles, particles.lanes(chosen))
