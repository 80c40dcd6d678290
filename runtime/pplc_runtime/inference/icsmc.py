"""Iterated conditional SMC, that is particle Gibbs without ancestor sampling.

Each sweep is an SMC sweep in which the retained particle survives every resampling step; then a particle k is
retained with probability proportional to w_N^k. The other ancestors are drawn from the resampling scheme's law
given the retained one: see `resampling`. (Paper, section 3.2; Andrieu, Doucet and Holenstein 2010.)
"""

from __future__ import annotations

import numpy as np

from pplc_runtime.inference.base import SELDOM, Engine, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.sweep import finished, sweep
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep


class Icsmc:
    """A chain of conditional sweeps, the weights of each summing to one."""

    def init(self, engine: Engine, settings: Settings, rng: np.random.Generator) -> Retained:
        return Retained([first_retained(engine, settings, rng)])

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, rng: np.random.Generator
    ) -> tuple[Retained, list[Sweep]]:
        particles = engine.particles(rng, settings.particles, [dict(own) for own in state.held], remember=True)
        particles.watched = number % SELDOM == 0
        swept = sweep(particles, settings.scheme, settings.ess_threshold)
        chosen = particles.pick(swept.weights)
        retained = Retained(particles.trajectories(particles.lanes(chosen)))
        return retained, list(finished(particles, settings, number, swept, chosen, [{} for _ in retained.held]))

    def together(self, engine: Engine, states: list[Retained]) -> Retained:
        return Retained([own for state in states for own in state.held])
