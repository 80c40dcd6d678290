"""Particle Gibbs with ancestor sampling.

As `icsmc`, but at each generation the retained particle draws a new ancestor: lane l with probability proportional
to w_{n-1}^l p(suffix | prefix^l), where the suffix is what remains of the retained run. (Paper, sections 3.3 and 4;
Lindsten, Jordan and Schön 2012.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from pplc_runtime.engine.held import Holds
from pplc_runtime.inference.base import SELDOM, ConditionalRun, Engine, Settings
from pplc_runtime.inference.blocks import BySweeps
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.sweep import finished, sweep
from pplc_runtime.native.modes import Mode
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep


@dataclass(frozen=True, slots=True)
class Pgas(BySweeps):
    """A chain of conditional sweeps with ancestor sampling, the weights of each summing to one."""

    mode: ClassVar = Mode(kept=True, rescored=True)
    holds: Holds | None = None
    """What a sweep does not move: all particles take it from the retained run, and its density is weight."""
    particles: int | None = None
    """Those of a sweep, if not those of the settings."""

    def bound(self, engine: Engine, settings: Settings) -> Pgas:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        return Retained([first_retained(engine, settings, key)])

    def step(
        self,
        engine: Engine,
        state: Retained,
        settings: Settings,
        number: int,
        key: Key,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:
        found = self.one(engine, state, settings, number, key, report)
        if found is not None:
            return found
        if self.particles is not None:
            settings = replace(settings, particles=self.particles)
        if self.holds is None:
            runs = engine.conditional(key, settings, state)
        else:
            runs = engine.holding(key, settings, state, self.holds)
        done = [self.sweep(run, settings.of(run.chain), number, report) for run in runs]
        retained = done[0][0] if len(done) == 1 else Retained.gathered([own for own, _ in done])
        return retained, [each for _, sweeps in done for each in sweeps]

    def sweep(self, run: ConditionalRun, settings: Settings, number: int, report: bool) -> tuple[Retained, list[Sweep]]:
        """One sweep, and what is retained next."""
        particles = run.particles
        particles.watched = number % SELDOM == 0
        swept = sweep(particles, settings.scheme, settings.ess_threshold, run.rescore)
        chosen = particles.pick(swept.weights)
        boundaries = max(1, len(particles.outline.observes) - 1)
        told = [
            {
                "moved": float(count) / boundaries,
                "replays": run.replays,
                "dropped": dict(run.dropped) if chain == 0 else {},
                "candidates": boundaries * particles.size,
            }
            for chain, count in enumerate(np.broadcast_to(swept.moved, particles.chains))
        ]
        sweeps = list(finished(particles, settings, number, swept, chosen, told, report))
        return run.to_retain(particles.lanes(chosen)), sweeps

    def together(self, engine: Engine, states: list[Retained]) -> Retained | None:
        return None if self.holds is not None else engine.together(states)
