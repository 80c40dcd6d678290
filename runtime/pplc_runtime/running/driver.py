"""The driver: takes the steps of a method, chain by chain or all chains at once, and falls back where an engine fails.

The engines do the same from the same random numbers, so it makes no difference to the law of a sweep which of them
does it: a specialised engine does what the program does, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeVar

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, InBlocks, Kernel, Resumed, Settings, Unbound, keeping
from pplc_runtime.inference.compose import Composed, Cycle
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.pmmh import Pmmh
from pplc_runtime.inference.walk import Walk
from pplc_runtime.lanes.frames import here
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.blocks import Some, Sweeps
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.general import General, general_engine
from pplc_runtime.running.nodes import NodeMoves
from pplc_runtime.specialise.engine import scripted

LEAST_SWEEPS = 10
"""From so many sweeps on a specialised engine is worth the time that it takes to make it."""
Result = TypeVar("Result")


class Driver:
    """Runs a kernel on a program."""

    def __init__(
        self, kernel: Unbound, settings: Settings, engine: Engine, specialised: NativeEngine | None = None
    ) -> None:
        self.kernel: Kernel = kernel.bound(engine, settings)
        self.in_blocks = self.kernel if isinstance(self.kernel, InBlocks) else None
        """The kernel, if it does several steps at once; found once, since it takes as long as ten draws."""
        self.settings = settings
        self.engine = engine
        self.specialised = specialised
        self.general: General | None = None
        """What does the sweeps of a program whose structure is not static by machine code."""

    @classmethod
    def on_lanes(cls, kernel: Unbound, plan: Plan, settings: Settings) -> Driver:
        """By the lane engine, and by scripts if the plan has them."""
        specialised = None if plan.scripts is None or settings.strict else NativeEngine(plan)
        lanes = LaneEngine(plan)
        lanes.moving = NodeMoves(plan) if specialised is None else specialised
        if specialised is not None:
            specialised.below = lanes
        return cls(kernel, settings, lanes, specialised)

    @classmethod
    def of(cls, kernel: Unbound, plan: Plan, settings: Settings) -> Driver:
        """The same, with scripts where that pays and can be."""
        enough = settings.sweeps + settings.burn_in >= LEAST_SWEEPS
        many = enough and settings.particles > 1
        if many or isinstance(kernel, Walk | Composed | Pmmh) or (enough and isinstance(kernel, Lmh)):
            plan = scripted(plan)
        driver = cls.on_lanes(kernel, plan, settings)
        driver.general = (
            general_engine(kernel, plan, settings, driver.engine) if many and not settings.delayed else None
        )
        return driver

    def of_chain(self, settings: Settings) -> Driver:
        """The same for another chain, whose settings differ in its number: it begins anew, with all that was made."""
        other = copy(self)
        other.settings = settings
        if self.specialised is not None:
            self.specialised.movers.clear()  # what they have learnt is the chain's own
        if self.general is not None:
            other.general = self.general.of_chain(settings)
        return other

    def chain(self, key: Key, after: Sweep | None = None) -> Iterator[Some]:
        """The sweeps of one chain, from its start or from the sweep that was its last."""
        here.sweep = None
        return self.steps(self.start(key, after), key, None if after is None else after.number + 1)

    def chains(self, keys: Sequence[Key], after: Sequence[Sweep | None] = ()) -> Iterator[Some]:
        """The sweeps of several chains, each of which starts as it would by itself; none if they do not go together."""
        here.sweep = None
        if self.general is not None or self.block(None):  # they are done one after the other, in blocks
            return
        states = [self.start(own, last) for own, last in zip_longest(keys, after)]
        state = self.kernel.together(self.engine, states)
        if state is not None:
            last = after[0] if after else None
            yield from self.steps(state, Key.together(keys), None if last is None else last.number + 1)

    def start(self, key: Key, after: Sweep | None) -> Any:
        """The state of a chain before its first sweep, or after one."""
        if after is not None and isinstance(self.kernel, Resumed):
            if adapts(self.kernel) and self.settings.burn_in:
                self.burnt_in(key)
            return self.kernel.resumed(self.engine, after)
        if after is None or after.kept is None:  # one without a particle to retain, whose sweeps are independent
            return self.kernel.init(self.engine, self.settings, key.fold(START))
        plan: Any = self.engine.plan
        held = after.kept.first(plan.root)
        if not adapts(self.kernel) or not self.settings.burn_in:
            return Retained([held])
        state = self.burnt_in(key)  # what was adapted there depends on the key alone
        if self.in_blocks is None:
            return Retained([held])
        state.held = [held]
        return state

    def burnt_in(self, key: Key) -> Any:
        """The state of a chain after its burn-in."""
        state = self.kernel.init(self.engine, self.settings, key.fold(START))
        number = -self.settings.burn_in
        while number < 0:
            count = min(-number, self.block(state))
            state, _ = self.step(state, number, key, count)
            number += max(1, count)
        return state

    def steps(self, state: Any, key: Key, first: int | None = None) -> Iterator[Some]:
        """The sweeps from a state on, without those of the burn-in; `first` is the number of the next one."""
        if self.general is not None:
            yield from self.general.sweeps(state, key, first)
            return
        number = -self.settings.burn_in if first is None else first
        while number < self.settings.sweeps:
            left = -number if number < 0 else self.settings.sweeps - number
            block = self.block(state)
            state, sweeps = self.step(state, number, key, min(left, block))
            if number >= 0:
                yield from ended(list(keeping(state, sweeps) if block == 0 else parts_of(sweeps)))
            number += max(1, min(left, block))

    def block(self, state: Any) -> int:
        """How many steps are done at once; 0 where they are done one by one."""
        kernel = self.in_blocks
        return 0 if kernel is None else kernel.block(self.specialised or self.engine, state, self.settings)

    def step(self, state: Any, number: int, key: Key, count: int = 0) -> tuple[Any, Sequence[Sweep]]:
        """The state after some steps at once, or after one, and the sweep of each chain after each."""
        here.sweep = number
        kernel, settings = self.kernel, self.settings
        if self.in_blocks is not None and count:
            return self.in_blocks.steps(self.specialised or self.engine, state, settings, number, count, key)
        own = key.fold(number + settings.burn_in)
        return self.with_fallback(lambda engine: kernel.step(engine, state, settings, number, own))

    def with_fallback(self, work: Callable[[Engine], Result]) -> Result:
        """What some work comes to: on the specialised engine, or where that fails on lanes, from the same numbers."""
        fast = self.specialised
        if fast is not None and fast.is_worth_trying:
            fast.scripts.attempts += 1
            try:
                return work(fast)
            except Exception:  # whatever it is, the program comes to it as well, and can tell where
                fast.scripts.failures += 1
        return work(self.engine)


class Drivers:
    """The drivers of the chains of a run: what is made for the program is made once, where machine code is."""

    def __init__(self, make: Callable[[Settings], Driver]) -> None:
        self.make = make
        self.made: Driver | None = None

    def of(self, settings: Settings) -> Driver:
        """That of a chain, when those before it are done."""
        if self.made is None:
            driver = self.make(settings)
            if driver.specialised is None and driver.general is None:
                return driver  # lanes grow a tree of addresses, which ends with a chain
            self.made = driver
        return self.made.of_chain(settings)


def adapts(kernel: Any) -> bool:
    """Whether a kernel finds in the burn-in how far it goes."""
    return any(map(adapts, kernel.kernels)) if isinstance(kernel, Cycle) else isinstance(kernel, Walk | Pmmh)


def ended(sweeps: list[Some]) -> Iterator[Some]:
    """Sweeps that were made together, of which the last tells that all are there."""
    yield from (replace(sweep, whole=False) for sweep in sweeps[:-1])
    yield from sweeps[-1:]


def parts_of(sweeps: Sequence[Sweep]) -> Sequence[Some]:
    """Sweeps as they are handed over: blocks of them where there are some."""
    return sweeps.parts if isinstance(sweeps, Sweeps) else sweeps
