"""Chains that a mover carries out: blocks of moves of one execution of static structure, by machine code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.native.parts import Part
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.columns import rows_of
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError


@dataclass(slots=True)
class Walking(Retained):
    """What a chain retains, and what moves it."""

    mover: Any = None


@dataclass(frozen=True, slots=True)
class ByMover:
    """A chain of moves, one part after the other."""

    parts: tuple[Part, ...]
    alone: bool = True
    """Whether no other kernel leads to executions that draw otherwise."""

    def beside_others(self) -> ByMover:
        return replace(self, alone=False)

    def bound(self, engine: Engine, settings: Settings) -> ByMover:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        return Retained([first_retained(engine, settings, key)])

    def begun(self, engine: Engine, state: Retained) -> Walking:
        """The state of a walk from what another kernel retains."""
        return Walking(state.held, mover=engine.mover(self.parts, state.held[0]))

    def block(self, engine: Engine, state: Retained, settings: Settings) -> int:
        """How many steps are done at once."""
        return state.mover.block if isinstance(state, Walking) else 1

    def steps(
        self, engine: Engine, state: Retained, settings: Settings, number: int, count: int, key: Key
    ) -> tuple[Retained, list[Sweep]]:
        """The state after several steps, and their sweeps; those of the burn-in have none."""
        walking = state if isinstance(state, Walking) else self.begun(engine, state)
        if number >= 0:  # from the values alone, so that it makes no difference where a run is taken up again
            walking.mover.start(walking.held[0])
        first = number + settings.burn_in
        return walking, self.moved(walking, settings, number, first, count, key, number >= 0)

    def prepare(self, walking: Walking, settings: Settings, number: int, key: Key) -> None:
        """Adapt in sweeps of its own, if a chain goes on whose burn-in is over: those that count never adapt."""
        if number >= 0 and walking.mover.done == 0 and settings.burn_in and any(part.adapts for part in self.parts):
            walking.mover.run(settings.burn_in, 0, settings.burn_in, key.fold(START), report=False)

    def step(
        self,
        engine: Engine,
        state: Retained,
        settings: Settings,
        number: int,
        key: Key,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:
        walking = self.begun(engine, state)
        self.prepare(walking, settings, number, key)
        sweeps = self.moved(walking, settings, number, settings.burn_in, 1, key, report and number >= 0)
        told = walking.mover.told[0]
        return Retained(walking.held), sweeps or [Sweep(settings.chain, number, np.zeros(1), {}, None, told)]

    def moved(
        self,
        walking: Walking,
        settings: Settings,
        number: int,
        first: int,
        count: int,
        key: Key,
        report: bool,
    ) -> list[Sweep]:
        """Some sweeps of the state, which is changed; `first` is where their random numbers begin."""
        adapting = settings.burn_in if number < 0 else 0
        before = walking.mover.gradients
        columns, drawn = walking.mover.run(count, first, adapting, key, report)
        if self.alone and any(told.get("unlike") for told in walking.mover.told):
            methods = " + ".join(dict.fromkeys(part.by for part in self.parts))
            raise ModelError(
                f"{methods}: a value that it moves decides what else is drawn, and it would never go from one kind of "
                f"execution to another; add a part that does, as in '{methods} + lmh', or use pgas"
            )
        work = walking.mover.gradients - before
        walking.held = [walking.mover.held]
        if drawn and drawn[-1] is None:  # of so many draws only where the chain is now is kept
            drawn = [*drawn[:-1], Kept.alone(0, walking.held[0])]
        one = np.zeros(1)
        sweeps = []
        for k, kept in enumerate(drawn):
            predicts = {label: rows_of(column, slice(k, k + 1)) for label, column in columns.items()}
            told = walking.mover.told[k] | ({"gradients": work / count} if work else {})
            sweeps.append(Sweep(settings.chain, number + k, one, predicts, None, told, kept=kept))
        return sweeps

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None
