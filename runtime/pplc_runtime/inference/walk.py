"""Moves of single values on scales without bounds: a random walk (`rw`), or slices (`slice`).

With z(x) a value on its scale without bounds, a step of the walk goes to x' with z(x') = z(x) + s e, e standard normal.
It is taken with probability min(1, r),

    r  =  gamma(x') / gamma(x)  .  |dx'/dz'| / |dx/dz|.

The lengths s are adapted in the burn-in, towards 44% of the steps taken (Roberts and Rosenthal 2001), and then stay as
they are. Slices are found by stepping out and shrinking (Neal 2003). A finite draw is drawn by its law given all
others; the elements of a simplex exchange what they have. Each value of an execution moves once in a sweep: which they
are is always the same, since the program has a static structure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.targets import Covers, everything
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep


@dataclass(slots=True)
class Walking(Retained):
    """What a chain retains, what moves it, and the key of its random numbers."""

    mover: Any = None
    key: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Walk:
    """A chain of moves of the values that are covered."""

    sliced: bool = False
    covers: Covers = everything

    def bound(self, engine: Engine, settings: Settings) -> Walk:
        return self

    def init(self, engine: Engine, settings: Settings, rng: np.random.Generator) -> Retained:
        return Retained([first_retained(engine, settings, rng)])

    def begun(self, engine: Engine, state: Retained, rng: np.random.Generator) -> Walking:
        """The state of a walk from what another kernel retains."""
        key = (int(rng.integers(1 << 62)), int(rng.integers(1 << 62)))
        return Walking(state.held, mover=engine.mover(self.covers, state.held[0]), key=key)

    def block(self, state: Retained) -> int:
        """How many steps are done at once."""
        return state.mover.block if isinstance(state, Walking) else 1

    def steps(
        self, engine: Engine, state: Retained, settings: Settings, number: int, count: int, rng: np.random.Generator
    ) -> tuple[Retained, list[Sweep]]:
        """The state after several steps, and their sweeps; those of the burn-in have none."""
        walking = state if isinstance(state, Walking) else self.begun(engine, state, rng)
        self.prepare(walking, settings, number, rng)
        first = number + settings.burn_in
        return walking, self.moved(walking, settings, number, first, count, rng, number >= 0)

    def prepare(self, walking: Walking, settings: Settings, number: int, rng: np.random.Generator) -> None:
        """Adapt in sweeps of its own, if a chain goes on whose burn-in is over: those that count never adapt."""
        if number >= 0 and walking.mover.done == 0 and settings.burn_in:
            walking.mover.run(settings.burn_in, 0, settings.burn_in, self.sliced, walking.key, rng, report=False)

    def step(
        self,
        engine: Engine,
        state: Retained,
        settings: Settings,
        number: int,
        rng: np.random.Generator,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:
        walking = self.begun(engine, state, rng)
        self.prepare(walking, settings, number, rng)
        sweeps = self.moved(walking, settings, number, settings.burn_in, 1, rng, report and number >= 0)
        return Retained(walking.held), sweeps or [Sweep(settings.chain, number, np.zeros(1), {})]

    def moved(
        self,
        walking: Walking,
        settings: Settings,
        number: int,
        first: int,
        count: int,
        rng: np.random.Generator,
        report: bool,
    ) -> list[Sweep]:
        """Some sweeps of the state, which is changed; `first` is where their random numbers begin."""
        adapting = settings.burn_in if number < 0 else 0
        columns, drawn = walking.mover.run(count, first, adapting, self.sliced, walking.key, rng, report)
        walking.held = [walking.mover.held]
        one = np.zeros(1)
        sweeps = []
        for k, kept in enumerate(drawn):
            predicts = {label: column[..., k : k + 1] for label, column in columns.items()}
            sweeps.append(Sweep(settings.chain, number + k, one, predicts, kept=kept))
        return sweeps

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None
