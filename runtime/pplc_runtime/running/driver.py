"""The driver: takes the steps of a method, chain by chain or all chains at once, and falls back where an engine fails.

The engines do the same from the same random numbers, so it makes no difference to the law of a sweep which of them
does it: a specialised engine does what the program does, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, InBlocks, Kernel, Settings, Unbound
from pplc_runtime.inference.compose import Composed
from pplc_runtime.lanes.frames import here
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise.engine import SpecialisedEngine, scripted

LEAST_SWEEPS = 10
"""From so many sweeps on a specialised engine is worth the time that it takes to make it."""
Result = TypeVar("Result")


class Driver:
    """Runs a kernel on a program."""

    def __init__(
        self, kernel: Unbound, settings: Settings, engine: Engine, specialised: SpecialisedEngine | None = None
    ) -> None:
        self.kernel: Kernel = kernel.bound(engine, settings)
        self.settings = settings
        self.engine = engine
        self.specialised = specialised

    @classmethod
    def on_lanes(cls, kernel: Unbound, plan: Plan, settings: Settings) -> Driver:
        """By the lane engine, and by scripts if the plan has them."""
        specialised = None if plan.scripts is None or settings.strict else NativeEngine(plan)
        lanes = LaneEngine(plan)
        lanes.moving = specialised
        return cls(kernel, settings, lanes, specialised)

    @classmethod
    def of(cls, kernel: Unbound, plan: Plan, settings: Settings) -> Driver:
        """The same, with scripts where that pays and can be."""
        many = settings.sweeps + settings.burn_in >= LEAST_SWEEPS and settings.particles > 1
        return cls.on_lanes(
            kernel, scripted(plan) if many or isinstance(kernel, InBlocks | Composed) else plan, settings
        )

    def chain(self, rng: np.random.Generator, after: Sweep | None = None) -> Iterator[Sweep]:
        """The sweeps of one chain, from its start or from the sweep that was its last."""
        here.sweep = None
        return self.steps(self.start(rng, after), rng, None if after is None else after.number + 1)

    def chains(
        self, starts: list[np.random.Generator], rng: np.random.Generator, after: Sequence[Sweep] = ()
    ) -> Iterator[Sweep]:
        """The sweeps of several chains, each of which starts as it would by itself; none if they do not go together."""
        here.sweep = None
        states = [self.start(own, last) for own, last in zip_longest(starts, after)]
        state = self.kernel.together(self.engine, states)
        if state is not None:
            yield from self.steps(state, rng, after[0].number + 1 if after else None)

    def start(self, rng: np.random.Generator, after: Sweep | None) -> Any:
        """The state of a chain before its first sweep, or after one."""
        if after is None or after.kept is None:  # one without a particle to retain, whose sweeps are independent
            return self.kernel.init(self.engine, self.settings, rng)
        plan: Any = self.engine.plan
        return Retained([after.kept.first(plan.root)])

    def steps(self, state: Any, rng: np.random.Generator, first: int | None = None) -> Iterator[Sweep]:
        """The sweeps from a state on, without those of the burn-in; `first` is the number of the next one."""
        number = -self.settings.burn_in if first is None else first
        while number < self.settings.sweeps:
            left = -number if number < 0 else self.settings.sweeps - number
            count = min(left, self.kernel.block(state) if isinstance(self.kernel, InBlocks) else 1)
            state, sweeps = self.step(state, number, rng, count)
            if number >= 0:
                yield from sweeps if isinstance(self.kernel, InBlocks) else keeping(state, sweeps)
            number += count

    def step(self, state: Any, number: int, rng: np.random.Generator, count: int = 1) -> tuple[Any, list[Sweep]]:
        """The state after some steps, and the sweep of each chain after each."""
        here.sweep = number
        kernel, settings = self.kernel, self.settings
        if isinstance(kernel, InBlocks):
            return kernel.steps(self.specialised or self.engine, state, settings, number, count, rng)
        return self.with_fallback(rng, lambda engine: kernel.step(engine, state, settings, number, rng))

    def with_fallback(self, rng: np.random.Generator, work: Callable[[Engine], Result]) -> Result:
        """What some work comes to: on the specialised engine, or where that fails on lanes, from the same numbers."""
        fast = self.specialised
        if fast is not None and fast.is_worth_trying:
            fast.scripts.attempts += 1
            before = rng.bit_generator.state
            try:
                return work(fast)
            except Exception:  # whatever it is, the program comes to it as well, and can tell where
                fast.scripts.failures += 1
                rng.bit_generator.state = before
        return work(self.engine)


def keeping(state: Any, sweeps: list[Sweep]) -> Iterator[Sweep]:
    """The sweeps of chains with what each retains now: the particle that was chosen by weight."""
    if not isinstance(state, Retained):
        yield from sweeps
        return
    for sweep, values in zip(sweeps, state.held):
        yield replace(sweep, kept=Kept.alone(sweep.diagnostics.get("chosen", 0), values))
