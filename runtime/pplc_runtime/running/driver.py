"""The driver: takes the steps of a method, chain by chain or all chains at once, and falls back where an engine fails.

The engines do the same from the same random numbers, so it makes no difference to the law of a sweep which of them
does it: a specialised engine does what the program does, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, Kernel, Settings, Unbound
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise.engine import SpecialisedEngine, scripted

LEAST_SWEEPS = 10
"""From so many sweeps on a specialised engine is worth the time that it takes to make it."""
Result = TypeVar("Result")


class Driver:
    """Runs a kernel on a program."""

    def __init__(self, kernel: Unbound, plan: Plan, settings: Settings) -> None:
        self.settings = settings
        self.lanes = LaneEngine(plan)
        self.kernel: Kernel = kernel.bound(self.lanes, settings)
        self.specialised = None if plan.scripts is None or settings.strict else SpecialisedEngine(plan)

    @classmethod
    def of(cls, kernel: Unbound, plan: Plan, settings: Settings) -> Driver:
        """With a specialised engine where that pays and can be."""
        many = settings.sweeps + settings.burn_in >= LEAST_SWEEPS
        return cls(kernel, scripted(plan) if many and settings.particles > 1 else plan, settings)

    def chain(self, rng: np.random.Generator) -> Iterator[Sweep]:
        """The sweeps of one chain."""
        return self.steps(self.kernel.init(self.lanes, self.settings, rng), rng)

    def chains(self, starts: list[np.random.Generator], rng: np.random.Generator) -> Iterator[Sweep]:
        """The sweeps of several chains, each of which starts as it would by itself; none if they do not go together."""
        states = [self.kernel.init(self.lanes, self.settings, own) for own in starts]
        state = self.kernel.together(self.lanes, states)
        if state is not None:
            yield from self.steps(state, rng)

    def steps(self, state: Any, rng: np.random.Generator, first: int | None = None) -> Iterator[Sweep]:
        """The sweeps from a state on, without those of the burn-in; `first` is the number of the next one."""
        for number in range(-self.settings.burn_in if first is None else first, self.settings.sweeps):
            state, sweeps = self.step(state, number, rng)
            if number >= 0:
                yield from sweeps

    def step(self, state: Any, number: int, rng: np.random.Generator) -> tuple[Any, list[Sweep]]:
        """The next state, and the sweep of each chain."""
        return self.with_fallback(rng, lambda engine: self.kernel.step(engine, state, self.settings, number, rng))

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
        return work(self.lanes)
