"""The lane engine as methods use it: any program, all particles together as lanes of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

import numpy as np

from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.regeneration.records import Retained, Tracker
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.regeneration.trace import Trace, Update
from pplc_runtime.values import Place


class Conditions(Protocol):
    """What a conditional sweep is told: how many particles, and whether predicates must be the retained ones."""

    @property
    def particles(self) -> int: ...
    @property
    def strict(self) -> bool: ...


class TraceEngine:
    """What the program itself does for all engines: executions that are known by what they drew, and sweeps in which
    some values are held."""

    plan: Plan

    def trace(self, values: Mapping[At, Any], rng: np.random.Generator) -> Trace:
        """The execution that draws some values by address; what they lack is drawn."""
        return Trace(self.plan, values, rng)

    def log_density(self, trace: Trace) -> float:
        """The log density of all that an execution draws and observes."""
        return trace.log_density

    def update(
        self, trace: Trace, changes: Mapping[At, Any], rng: np.random.Generator, moved: Mapping[At, At] | None = None
    ) -> Update:
        """Replace values of an execution, and run anew what reads them; the trace is changed in place."""
        return trace.update(changes, rng, moved or {})

    def holding(
        self, rng: np.random.Generator, settings: Conditions, retained: Retained, holds: Holds
    ) -> Iterator[ReplayedSweep]:
        """One run for each chain, in which all particles have the retained values at the addresses that are held."""
        plan = self.plan.without_scripts()
        for chain, own in enumerate([retained] if len(retained.held) == 1 else retained.apart()):
            yield ReplayedSweep(plan, settings, rng, own, chain, own.holding(plan, holds))


class LaneEngine(TraceEngine):
    """Runs the program itself."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan.without_scripts()

    def particles(
        self, rng: np.random.Generator, size: int, retained: list[dict[At, Any]] | None = None, remember: bool = False
    ) -> Particles:
        return Particles(self.plan, rng, size, retained, remember)

    def conditional(
        self, rng: np.random.Generator, settings: Conditions, retained: Retained
    ) -> Iterator[ReplayedSweep]:
        """One run, or one for each chain where what they retain is not of the same structure."""
        retained = retained.together(self.plan)
        apart = [retained] if retained.is_one_suffix(settings.strict) else retained.apart()
        return (ReplayedSweep(self.plan, settings, rng, own, chain) for chain, own in enumerate(apart))


class ReplayedSweep:
    """The particles of a conditional sweep, and the rest of what it retains, which is run to find what it reads."""

    def __init__(
        self,
        plan: Plan,
        settings: Conditions,
        rng: np.random.Generator,
        retained: Retained,
        chain: int,
        held: Held | None = None,
    ) -> None:
        self.chain = chain
        self.held = held
        self.suffix = Suffix(plan, retained, settings.strict)
        self.particles = Particles(
            plan,
            rng,
            settings.particles,
            self.suffix.held,
            remember=True,
            handler=Tracker,
            root=retained.root,
            held=held,
        )
        self.tracker = cast(Tracker, self.particles.handler)
        self.tracker.events = self.suffix.events

    def rescore(self, number: int) -> Any:
        scores = self.suffix.rescore(number, self.tracker, self.particles.frame)
        return scores if self.held is None else np.where(self.held.as_many(self.particles.frame), scores, -np.inf)

    def to_retain(self, lanes: list[int]) -> Retained:
        return self.tracker.to_retain(self.particles, lanes)

    @property
    def replays(self) -> int:
        return self.suffix.replays

    @property
    def dropped(self) -> Mapping[Place, int]:
        return self.suffix.dropped
