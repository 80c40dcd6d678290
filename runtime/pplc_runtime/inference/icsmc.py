"""Iterated conditional SMC, that is particle Gibbs without ancestor sampling.

Each sweep is an SMC sweep in which the retained particle survives every resampling step; then a particle k is
retained with probability proportional to w_N^k. The other ancestors are drawn from the resampling scheme's law
given the retained one: see `resampling`. (Paper, section 3.2; Andrieu, Doucet and Holenstein 2010.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from pplc_runtime.engine.held import Holds
from pplc_runtime.inference.base import SELDOM, Engine, Particles, Settings
from pplc_runtime.inference.blocks import BySweeps
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.sweep import finished, sweep
from pplc_runtime.native.modes import Mode
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep


@dataclass(frozen=True, slots=True)
class Icsmc(BySweeps):
    """A chain of conditional sweeps, the weights of each summing to one."""

    mode: ClassVar = Mode(kept=True)
    holds: Holds | None = None
    """What a sweep does not move: all particles take it from the retained run, and its density is weight."""
    particles: int | None = None
    """Those of a sweep, if not those of the settings."""

    def bound(self, engine: Engine, settings: Settings) -> Icsmc:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        return Retained([first_retained(engine, settings, key)])

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:  # fmt: skip
        found = self.one(engine, state, settings, number, key, report)
        if found is not None:
            return found
        if self.particles is not None:
            settings = replace(settings, particles=self.particles)
        if self.holds is None:
            held = [dict(own) for own in state.held]
            particles = engine.particles(key, settings.particles, held, remember=True)
            return self.sweep(particles, settings, number, report)
        runs = engine.holding(key, settings, state, self.holds)
        done = [self.sweep(run.particles, settings.of(run.chain), number, report) for run in runs]
        return Retained([own.held[0] for own, _ in done]), [sweep for _, sweeps in done for sweep in sweeps]

    def sweep(
        self, particles: Particles, settings: Settings, number: int, report: bool
    ) -> tuple[Retained, list[Sweep]]:
        """One sweep, and what is retained next."""
        particles.watched = number % SELDOM == 0
        swept = sweep(particles, settings.scheme, settings.ess_threshold)
        chosen = particles.pick(swept.weights)
        retained = Retained(particles.trajectories(particles.lanes(chosen)))
        return retained, list(finished(particles, settings, number, swept, chosen, [{} for _ in retained.held], report))

    def together(self, engine: Engine, states: list[Retained]) -> Retained | None:
        return None if self.holds is not None else Retained([own for state in states for own in state.held])
