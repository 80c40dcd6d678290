"""The lane engine as methods use it: any program, all particles together as lanes of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

import numpy as np

from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.engine.hopeless import is_hopeless
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained, Tracker
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.regeneration.trace import Trace, Update
from pplc_runtime.values import Impossible, ModelError, Place


class Conditions(Protocol):
    """What a conditional sweep is told: how many particles, and whether predicates must be the retained ones."""

    @property
    def particles(self) -> int: ...
    @property
    def strict(self) -> bool: ...


class PlannedEngine:
    """An engine of compiled programs."""

    moving: Any = None
    """The engine that moves values, where there is one."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def is_hopeless(self, error: Impossible) -> bool:
        """Whether the statement at which all particles ended is impossible whatever is drawn."""
        return is_hopeless(self.plan, error)

    def together(self, states: list[Retained]) -> Retained | None:
        """What several chains retain as one, if that is of the same structure."""
        runs = [Retained([own]).recorded(self.plan, strict=True) for state in states for own in state.held]
        retained = Retained.gathered(runs)
        return retained if retained.segments else None

    def with_held(self, key: Key, size: int, held: Held) -> Particles:
        """Particles that retain nothing, and all have the held values."""
        return Particles(self.plan.without_scripts(), key, size, remember=True, held=held)

    def blocks(self, asked: Any) -> Any:
        """What does blocks of sweeps at once: this engine does one after the other."""
        return None

    def first(self, size: int, resampling: str, ess_threshold: float, key: Key) -> dict[At, Any] | None:
        """What a chain may start with, if machine code finds it: the same that particles of this engine draw."""
        return None if self.moving is None else self.moving.first(size, resampling, ess_threshold, key)

    def moves(self, part: Any) -> bool:
        """Whether the values of the program can be moved by machine code in some way."""
        return self.moving is not None and bool(self.moving.moves(part))

    def mover(self, parts: tuple[Any, ...], held: dict[At, Any]) -> Any:
        """What moves values: the structure of the execution must not change with them."""
        if self.moving is not None:
            return self.moving.mover(parts, held)
        raise ModelError(
            f"{parts[0].by} moves the values of programs in which every execution draws and observes the same things; "
            "this is none (see pplc compile --dump-after specialise); use lmh or pgas"
        )

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

    def holding(self, key: Key, settings: Conditions, retained: Retained, holds: Holds) -> Iterator[ReplayedSweep]:
        """One run for each chain, in which all particles have the retained values at the addresses that are held."""
        plan = self.plan.without_scripts()
        for chain, own in enumerate([retained] if len(retained.held) == 1 else retained.apart()):
            yield ReplayedSweep(plan, settings, key.of_chain(chain), own, chain, own.holding(plan, holds))


class LaneEngine(PlannedEngine):
    """Runs the program itself."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.without_scripts())

    def particles(
        self, key: Key, size: int, retained: list[dict[At, Any]] | None = None, remember: bool = False
    ) -> Particles:
        return Particles(self.plan, key, size, retained, remember)

    def conditional(self, key: Key, settings: Conditions, retained: Retained) -> Iterator[ReplayedSweep]:
        """One run, or one for each chain where what they retain is not of the same structure."""
        retained = retained.together(self.plan)
        if retained.is_one_suffix(settings.strict):
            return iter([ReplayedSweep(self.plan, settings, key, retained, 0)])
        apart = enumerate(retained.apart())
        return (ReplayedSweep(self.plan, settings, key.of_chain(chain), own, chain) for chain, own in apart)


class ReplayedSweep:
    """The particles of a conditional sweep, and the rest of what it retains, which is run to find what it reads."""

    def __init__(
        self,
        plan: Plan,
        settings: Conditions,
        key: Key,
        retained: Retained,
        chain: int,
        held: Held | None = None,
    ) -> None:
        self.chain = chain
        self.held = held
        self.suffix = Suffix(plan, retained, settings.strict)
        self.particles = Particles(
            plan,
            key,
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
        particles = self.particles
        if particles.standing is None:
            scores = self.suffix.rescore(particles.done, self.tracker, particles.frame)
        elif self.suffix.strict:
            return None
        else:
            scores = self.suffix.rescore_inside(particles.done, *particles.standing, self.tracker, particles.frame)
        return scores if self.held is None else np.where(self.held.as_many(self.particles.frame), scores, -np.inf)

    def to_retain(self, lanes: list[int]) -> Retained:
        return self.tracker.to_retain(self.particles, lanes)

    @property
    def replays(self) -> int:
        return self.suffix.replays

    @property
    def dropped(self) -> Mapping[Place, int]:
        return self.suffix.dropped
