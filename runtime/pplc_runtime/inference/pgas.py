"""Particle Gibbs with ancestor sampling.

As `icsmc`, but at each generation the retained particle draws a new ancestor: lane l with probability proportional
to w_{n-1}^l p(suffix | prefix^l), where the suffix is what remains of the retained run. (Paper, sections 3.3 and 4;
Lindsten, Jordan and Schön 2012.)
"""

from __future__ import annotations

import numpy as np

from pplc_runtime.inference.base import SELDOM, ConditionalRun, Engine, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.sweep import finished, sweep
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep


class Pgas:
    """A chain of conditional sweeps with ancestor sampling, the weights of each summing to one."""

    def init(self, engine: Engine, settings: Settings, rng: np.random.Generator) -> Retained:
        return Retained([first_retained(engine, settings, rng)])

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, rng: np.random.Generator
    ) -> tuple[Retained, list[Sweep]]:
        runs = engine.conditional(rng, settings, state)
        done = [self.sweep(run, settings.of(run.chain), number) for run in runs]
        retained = done[0][0] if len(done) == 1 else Retained.gathered([own for own, _ in done])
        return retained, [each for _, sweeps in done for each in sweeps]

    def sweep(self, run: ConditionalRun, settings: Settings, number: int) -> tuple[Retained, list[Sweep]]:
        """One sweep, and what is retained next."""
        particles = run.particles
        particles.watched = number % SELDOM == 0
        swept = sweep(particles, settings.scheme, settings.ess_threshold, run.rescore)
        chosen = particles.pick(swept.weights)
        boundaries = max(1, len(particles.plan.segments) - 1)
        told = [
            {
                "moved": float(count) / boundaries,
                "replays": run.replays,
                "dropped": dict(run.dropped) if chain == 0 else {},
                "candidates": boundaries * particles.size,
            }
            for chain, count in enumerate(np.broadcast_to(swept.moved, particles.chains))
        ]
        sweeps = list(finished(particles, settings, number, swept, chosen, told))
        return run.to_retain(particles.lanes(chosen)), sweeps

    def together(self, engine: Engine, states: list[Retained]) -> Retained | None:
        runs = [Retained([own]).recorded(engine.plan, strict=True) for state in states for own in state.held]
        retained = Retained.gathered(runs)
        return retained if retained.segments else None
