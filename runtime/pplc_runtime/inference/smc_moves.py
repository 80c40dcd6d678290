"""SMC with moves: after each resampling the particles are moved, so that what was drawn early is renewed.

After the n-th observe the particles stand for gamma_n, the product of the densities of all that has been run up to
there; what is yet to come does not count. A move is a kernel that leaves gamma_n invariant: then the weights, and the
estimate of the evidence, stay what they are. (W. Gilks and C. Berzuini 2001, "Following a moving target"; N. Chopin
2002, "A sequential particle filter method for static models".)

If `waste_free`, L / P particles are resampled, and all P states of their chains of P - 1 moves are particles (H. Dau
and N. Chopin 2022, "Waste-free sequential Monte Carlo").

Moves of lmh do not depend on the other particles: the estimate of the evidence is unbiased. The steps of rw have the
covariance of the particles: it is consistent as they become many, and not unbiased.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from pplc_runtime.composed import targets_of
from pplc_runtime.composition import Composition, Cycle, Repeat, Single
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, Kernel, Settings
from pplc_runtime.inference.independent import Independent
from pplc_runtime.inference.sweep import is_due, standing_for
from pplc_runtime.inference.targets import Covers, covering
from pplc_runtime.lanes.frames import Index
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.following import (
    Following,
    Prefixes,
    one_population,
    prefixes,
    rows_of,
    values_of,
)
from pplc_runtime.regeneration.kept_runs import gathered_values
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError


class Move(Protocol):
    """A kernel on a population of prefixes."""

    def bound(self, engine: Engine, settings: Settings) -> Move: ...

    def move(self, plan: Plan, before: Prefixes, segments: int, key: Key) -> Prefixes:
        """The particles after one step, which leaves gamma_n invariant."""


@dataclass(frozen=True, slots=True)
class ByTraces:
    """Moves of particles one by one, by a kernel of chains, on the program as it is up to the boundary."""

    kernel: Kernel

    def bound(self, engine: Engine, settings: Settings) -> ByTraces:
        return replace(self, kernel=self.kernel.bound(engine, settings))

    def move(self, plan: Plan, before: Prefixes, segments: int, key: Key) -> Prefixes:
        size = before.particles.size
        prefix = LaneEngine(replace(plan, segments=plan.segments[:segments], reports=[]))
        moved = []
        for lane, drawn in enumerate(rows_of(before.values, size)):
            own = key.fold(lane)
            state, _ = self.kernel.step(prefix, Retained([drawn]), Settings(size, 1), 0, own, report=False)
            moved.append(Kept.alone(0, state.held[0]))
        values = gathered_values(moved, plan.root, size)
        return prefixes(plan, key.fold(size), values, size, segments)


MoveOf: TypeAlias = Callable[[Covers | None, int | None], Move]
"""Makes a move from what it covers, None for all, and from its number, if it has one."""


@dataclass(frozen=True, slots=True)
class WithMoves:
    """smc with moves as they are written; for a program their targets are found."""

    written: Composition
    made: Mapping[str, MoveOf]

    def bound(self, engine: Engine, settings: Settings) -> SmcMoves:
        plan: Any = engine.plan  # one of a compiled program: only those have targets
        targets = [None if target is None else covering(plan, target) for target in targets_of(self.written)]
        return SmcMoves(tuple(self.moves(self.written, iter(targets)))).bound(engine, settings)

    def moves(self, of: Composition, targets: Iterator[Covers | None]) -> list[Move]:
        match of:
            case Cycle(parts):
                return [move for part in parts for move in self.moves(part, targets)]
            case Repeat(body, times):
                return self.moves(body, targets) * times
            case Single(method, _, number):
                return [self.made[method](next(targets), number)]
        raise TypeError(f"no moves: {of!r}")


@dataclass(frozen=True, slots=True)
class SmcMoves(Independent):
    """Independent sweeps, whose weights sum to their estimates of the evidence."""

    moves: tuple[Move, ...]

    def bound(self, engine: Engine, settings: Settings) -> SmcMoves:
        if settings.waste_free and settings.particles % (len(self.moves) + 1):
            raise ModelError(
                f"waste-free: a resampled particle gives {len(self.moves) + 1}, its own state and one for each move; "
                f"{settings.particles} particles cannot be parted so"
            )
        return SmcMoves(tuple([move.bound(engine, settings) for move in self.moves]))

    def once(self, engine: Engine, settings: Settings, number: int, key: Key, report: bool = True) -> Sweep:
        plan: Any = engine.plan
        plan = plan.without_scripts()
        size = settings.particles
        particles = Particles(plan, key.fold(0), size, remember=True, handler=Following)
        forks: list[tuple[int, Index]] = []
        log_totals = []
        weights, log_total = np.ones(size), 0.0
        for generation, segment in enumerate(plan.segments):
            if generation > 0 and is_due(settings.ess_threshold, weights):
                log_totals.append(log_total)
                own = key.fold(generation)
                per = len(self.moves) + 1 if settings.waste_free else 1
                ancestors = settings.scheme.draw(own.generator(), weights, size // per)
                particles = self.moved(plan, particles, ancestors, generation, own, settings.waste_free)
                forks.append((generation - 1, np.tile(ancestors, per)))
            particles.extend(segment)
            weights, log_total = particles.weights()
        log_evidence = float(np.sum([*log_totals, log_total]) - (len(log_totals) + 1) * math.log(size))
        told = {"ancestry": Ancestry.of(size, reversed(forks)), "outline": plan.outline}
        log_weights = particles.log_weights - log_total + log_evidence
        predicts = particles.predicts() if report else {}
        kept = standing_for(particles, settings, number, log_weights)
        return Sweep(settings.chain, number, log_weights, predicts, log_evidence, told, kept)

    def moved(
        self, plan: Plan, particles: Particles, ancestors: Index, segments: int, key: Key, waste_free: bool
    ) -> Particles:
        """Some particles after the moves, ready to go on."""
        size = len(ancestors)
        states = [prefixes(plan, key.fold(1), values_of(particles, ancestors), size, segments)]
        for place, move in enumerate(self.moves):
            states.append(move.move(plan, states[-1], segments, key.fold(2 + place)))
        own = key.fold(2 + len(self.moves))
        values = one_population([state.values for state in states], size) if waste_free else states[-1].values
        last = prefixes(plan, own, values, size * len(states) if waste_free else size, segments)
        last.handler.go_on()
        return last.particles
