"""Particle Gibbs with ancestor sampling.

As `icsmc`, but at each generation the retained particle draws a new ancestor: lane l with probability proportional
to w_{n-1}^l p(suffix | prefix^l), where the suffix is what remains of the retained run. (Paper, sections 3.3 and 4;
Lindsten, Jordan and Schön 2012.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan, Segment
from pplc_runtime.inference.base import SELDOM, Settings
from pplc_runtime.inference.conditional import finished
from pplc_runtime.inference.forward_sweep import first_retained, is_due
from pplc_runtime.regeneration.records import Retained, Tracker
from pplc_runtime.regeneration.regenerate import Suffix
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise import either
from pplc_runtime.specialise.suffix import ScriptedSweep
from pplc_runtime.values import Place


def pgas(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """A chain of conditional sweeps with ancestor sampling, the weights of each summing to one."""
    return pgas_together(plan, settings, rng, Retained([first_retained(plan, settings, rng, settings.particles)]))


def chains_of_pgas(
    plan: Plan, settings: Settings, rng: np.random.Generator, runs: list[dict[Any, Any]]
) -> Iterator[Sweep]:
    """Several chains in the lanes of one run, if what they retain at first has the same structure; else nothing."""
    retained = Retained.gathered([Retained([values]).recorded(plan, strict=True) for values in runs])
    if retained.segments:
        yield from pgas_together(plan, settings, rng, retained)


def pgas_together(
    plan: Plan, settings: Settings, rng: np.random.Generator, retained: Retained
) -> Iterator[Sweep]:
    """The same for several chains, in the lanes of one run as long as what they retain has the same structure."""
    for number in range(-settings.burn_in, settings.sweeps):
        work = partial(advance, settings, rng, number, retained)
        sweeps, retained = either(plan.without_scripts() if settings.strict else plan, rng, work)
        if number >= 0:
            yield from sweeps


def advance(
    settings: Settings, rng: np.random.Generator, number: int, retained: Retained, plan: Plan
) -> tuple[list[Sweep], Retained]:
    """One sweep of every chain, and what is retained next."""
    if plan.scripts is not None:
        return sweep(plan, settings, number, ScriptedSweep(plan, rng, settings.particles, retained))
    retained = retained.together(plan)
    if retained.is_one_suffix(settings.strict):
        return sweep(plan, settings, number, ReplayedSweep(plan, settings, rng, retained))
    apart = [
        sweep(plan, settings.of(chain), number, ReplayedSweep(plan, settings, rng, own))
        for chain, own in enumerate(retained.apart())
    ]
    return [done for own, _ in apart for done in own], Retained.gathered([own for _, own in apart])


class ReplayedSweep:
    """The particles of a conditional sweep, and the rest of what it retains, which is run to find what it reads."""

    def __init__(self, plan: Plan, settings: Settings, rng: np.random.Generator, retained: Retained) -> None:
        self.suffix = Suffix(plan, retained, settings.strict)
        self.particles = Particles(
            plan, rng, settings.particles, self.suffix.held, remember=True, handler=Tracker, root=retained.root
        )
        self.tracker = cast(Tracker, self.particles.handler)
        self.tracker.events = self.suffix.events
        self.formulas = self.tracker.formulas = {}

    @property
    def replays(self) -> int:
        return self.suffix.replays

    @property
    def dropped(self) -> dict[Place, int]:
        return dict(self.suffix.dropped)

    def rescore(self, number: int) -> Any:
        return self.suffix.rescore(number, self.tracker, self.particles.frame)

    def extend(self, segment: Segment) -> None:
        self.tracker.begin()
        self.particles.extend(segment)
        self.formulas.clear()

    def to_retain(self, lanes: list[int]) -> Retained:
        return self.tracker.to_retain(self.particles, lanes)


def sweep(
    plan: Plan, settings: Settings, number: int, run: ReplayedSweep | ScriptedSweep
) -> tuple[list[Sweep], Retained]:
    """One sweep, and what is retained next."""
    particles = run.particles
    particles.watched = number % SELDOM == 0
    size = settings.particles
    log_totals: list[Any] = []
    log_total: Any = 0.0
    moved: Any = 0
    weights = np.ones(size)
    for generation, segment in enumerate(plan.segments):
        if generation > 0:
            suffix_scores = run.rescore(generation)
            if is_due(settings.ess_threshold, weights):
                ancestor_weights, _ = particles.weights(particles.log_weights + suffix_scores)
                ancestors = particles.pick(ancestor_weights)
                moved = moved + (ancestors != 0)
                log_totals.append(log_total)
                particles.fork_around(settings.scheme, weights, ancestors)
        run.extend(segment)
        weights, log_total = particles.weights()
    log_evidence = np.sum([*log_totals, log_total], 0) - (len(log_totals) + 1) * math.log(size)
    chosen = particles.pick(weights)
    boundaries = max(1, len(plan.segments) - 1)
    told = [
        {
            "moved": float(count) / boundaries,
            "replays": run.replays,
            "dropped": run.dropped if chain == 0 else {},
            "candidates": boundaries * size,
        }
        for chain, count in enumerate(np.broadcast_to(moved, particles.chains))
    ]
    done = list(finished(particles, settings, number, log_total, log_evidence, chosen, told, plan))
    return done, run.to_retain(particles.lanes(chosen))
