"""The reference engine behind the contract of engines: the methods of `inference` run on it, one particle at a time.

What is shared with the other engines: the driver, settings, sweeps, resampling schemes, results, and the random number
that belongs to an address, a generation and a slot. What is not: evaluation, the densities of suffixes, and who
continues whom. `methods` has a sweep of its own too, which tests compare with the shared one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pplc_runtime.composition import Composition
from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.engine.numbers import ANCESTOR, ANCESTORS, CHOSEN
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Floats, Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import NOBODY, Index, Kept, here
from pplc_runtime.native.modes import Asked
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import Scheme, pick
from pplc_runtime.numerics.weights import BadWeights, ZeroWeights, effective_sample_size, relative
from pplc_runtime.reference.comparison import through
from pplc_runtime.reference.draws import Keyed, Random
from pplc_runtime.reference.environment import DEEPEST, ByPath, Draw, Given
from pplc_runtime.reference.execution import Plan, Segment, extend, report, start
from pplc_runtime.reference.methods import columns, one_lane, planned, suffix_score
from pplc_runtime.reference.syntax import Observe, Program
from pplc_runtime.reference.updates import ReferenceTrace
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.trace import Update
from pplc_runtime.results.ancestry import Outline, Weakest
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.sweeps import Column, Sweep
from pplc_runtime.running.driver import Driver
from pplc_runtime.settings import NO_REFERENCE
from pplc_runtime.values import Impossible, ModelError, Place

if TYPE_CHECKING:
    from pplc_runtime.native.mover import Mover
    from pplc_runtime.native.parts import Part


class ReferenceParticles:
    """The particles of one sweep; `given` is what the first of them follows."""

    def __init__(self, plan: Plan, random: Random, size: int, given: Given | None) -> None:
        self.plan = plan
        self.random = random
        self.size = size
        self.chains = 1
        self.given = given
        self.held = None if given is None else given.held
        self.kept: Kept = () if given is None else ((0, 0),)
        self.all = [start(plan) for _ in range(size)]
        self.slots = list(range(size))
        self.log_weights: Floats = np.zeros(size)
        self.segments_done: list[Segment] = []
        self.ancestors: dict[int, Index] = {}
        """By the segment that ended with a fork: who is continued."""
        self.watched = False
        self.parted = True  # particles are run one by one: an observe inside of an expression is no resampling point
        self.weakest: Weakest | None = None
        self.perished = False
        self.missed: int | None = None

    @property
    def segments(self) -> Sequence[Segment]:
        return self.plan.segments

    @property
    def outline(self) -> Outline:
        return self.plan.outline

    def extend(self, segment: Segment, between: Any = None) -> None:
        for l, particle in enumerate(self.all):
            here.particle = l
            if l == 0 and self.given is not None:
                extend(particle, segment, self.given)
                self.given = self.given.rest()
            else:
                extend(particle, segment, Draw(self.random.of(len(self.segments_done), self.slots[l]), self.held))
        here.particle = NOBODY
        self.log_weights = self.log_weights + np.array([particle.log_weight for particle in self.all])
        self.segments_done.append(segment)
        if self.held is not None and len(self.segments_done) == len(self.segments):
            unfinished = [not self.held.are_used(particle.choices()) for particle in self.all]
            self.log_weights[unfinished] = -np.inf

    def weights(self, log_weights: Floats | None = None) -> tuple[Floats, Any]:
        own = self.log_weights if log_weights is None else log_weights
        try:
            weights, log_total = relative(own)
        except ZeroWeights:
            raise self.impossible() from None
        except BadWeights:
            raise self.failure("the density of this observe is not a number") from None
        if self.watched and log_weights is None:
            self.perished = self.perished or bool(own.min() == -np.inf)
            effective = effective_sample_size(weights)
            if self.weakest is None or effective < self.weakest.effective:
                span = own.max() - own.min(initial=np.inf, where=own > -np.inf)
                self.weakest = Weakest(len(self.segments_done) - 1, effective, float(span / np.log(10)))
        return weights, log_total

    def clear_weights(self) -> None:
        self.log_weights = np.zeros(len(self.all))

    def fork(self, ancestors: Index) -> None:
        self.ancestors[len(self.segments_done) - 1] = ancestors
        self.all = [self.all[a].fork() for a in ancestors.tolist()]
        self.clear_weights()

    def leave(self, living: Index) -> None:
        self.slots = [self.slots[l] for l in living.tolist()]
        self.fork(living)

    def fork_by(self, scheme: Scheme, weights: Floats) -> None:
        self.fork(scheme.draw(self.numbers_for(ANCESTORS), weights, self.size))

    def fork_around(self, scheme: Scheme, weights: Floats, kept: Any = None) -> None:
        self.fork(scheme.conditional(self.numbers_for(ANCESTORS), weights, self.size, 0 if kept is None else int(kept)))

    def pick(self, weights: Floats) -> int:
        done = len(self.segments_done) == len(self.plan.segments)
        return pick(self.numbers_for(CHOSEN if done else ANCESTOR), weights)

    def numbers_for(self, purpose: int) -> Any:
        return self.random.of_sweep(len(self.segments_done), purpose)

    def impossible(self) -> ModelError:
        return self.failure("no particle can have come this far: all weights are zero", Impossible)

    def failure(self, message: str, kind: type[ModelError] = ModelError) -> ModelError:
        error = kind(message)
        observes = [step.statement for step in self.segments_done[-1] if isinstance(step.statement, Observe)]
        error.place = observes[-1].place if observes else None
        return error

    def lanes(self, chosen: Any) -> list[int]:
        return [int(chosen)]

    def predicts(self) -> dict[str, Column]:
        for l, particle in enumerate(self.all):
            if self.log_weights[l] > -np.inf:
                here.particle = l
                report(particle, self.plan, Draw(self.random.of(len(self.segments_done), self.slots[l])))
        here.particle = NOBODY
        return columns(self.all, self.plan)

    def trajectory(self, lane: int) -> dict[At, Any]:
        return {alpha: choice.value for alpha, choice in self.all[lane].choices().items()}

    def trajectories(self, lanes: list[int]) -> list[dict[At, Any]]:
        return [self.trajectory(lane) for lane in lanes]

    def drawn_by(self, lanes: Index) -> None:
        """It is not remembered in a form that the lane engine could run again."""

    def lines(self, lanes: Index) -> list[Index]:
        found = [lanes]
        for number in range(len(self.segments_done) - 2, -1, -1):
            found.append(self.ancestors[number][found[-1]] if number in self.ancestors else found[-1])
        return found[::-1]

    def forks(self) -> Iterator[tuple[int, Index]]:
        return iter(sorted(self.ancestors.items(), reverse=True))

    def distinct_ancestors(self, lanes: Index) -> list[int]:
        return [len(set(line.tolist())) for line in self.lines(lanes)]

    def genealogy(self, chain: int = 0, chosen: int | None = None) -> Genealogy:
        return Genealogy.of(self.size, list(self.ancestors.values()), chosen)


class ReferenceSweep:
    """The particles of a conditional sweep, and what is left of what the first of them follows."""

    chain = 0

    def __init__(self, particles: ReferenceParticles) -> None:
        self.particles = particles
        self.replays = 0
        self.dropped: Mapping[Place, int] = {}

    def rescore(self, number: int) -> Floats:
        run, given = self.particles.plan, self.particles.given
        assert given is not None
        self.replays += len(run.segments) - number
        return np.array([suffix_score(particle, given, number, run) for particle in self.particles.all])

    def to_retain(self, lanes: list[int]) -> Retained:
        return Retained(self.particles.trajectories(lanes))


class ReferenceEngine:
    """Runs the paper's evaluator. `random_of` is where chance comes from, given a generator."""

    def __init__(self, plan: Plan, random_of: Callable[[Key, int], Random] = Keyed) -> None:
        self.plan = plan
        self.random_of = random_of

    def particles(
        self,
        key: Key,
        size: int,
        retained: list[dict[At, Any]] | None = None,
        remember: bool = False,
        strict: bool = False,
        holds: Holds | None = None,
    ) -> ReferenceParticles:
        given = None if retained is None else self.given(retained[0], strict)
        if given is not None and holds is not None:
            given = given.holding(holds)
        return ReferenceParticles(self.plan, self.random_of(key, size), size, given)

    def given(self, values: Mapping[At, Any], strict: bool) -> Given:
        """What a run by these values draws, gives to processes and decides: it is run again to find out."""
        paths = {alpha.path(): value for alpha, value in values.items()}
        return through(self.plan, self.plan.segments, ByPath(paths)).given(strict=strict)

    def conditional(self, key: Key, settings: Settings, retained: Retained) -> Iterator[ReferenceSweep]:
        yield ReferenceSweep(self.particles(key, settings.particles, retained.held, strict=settings.strict))

    def together(self, states: list[Retained]) -> None:
        """Chains run one after the other."""

    def is_hopeless(self, error: Impossible) -> bool:
        return False

    def holding(self, key: Key, settings: Settings, retained: Retained, holds: Holds) -> Iterator[ReferenceSweep]:
        yield ReferenceSweep(self.particles(key, settings.particles, retained.held, settings.strict, holds=holds))

    def with_held(self, key: Key, size: int, held: Held) -> ReferenceParticles:
        raise ModelError(NO_REFERENCE.format("held values"))

    def blocks(self, asked: Asked) -> None:
        """Sweeps are done one after the other."""

    def first(self, size: int, resampling: str, ess_threshold: float, key: Key) -> None:
        """A chain starts with a particle of this engine."""

    def moves(self, part: Part) -> bool:
        """Values are moved by no machine code."""
        return False

    def mover(self, parts: tuple[Part, ...], held: dict[At, Any]) -> Mover:
        raise ModelError(NO_REFERENCE.format("moves of values"))

    def trace(self, values: Mapping[At, Any], rng: np.random.Generator) -> ReferenceTrace:
        return ReferenceTrace(self.plan, values, rng)

    def log_density(self, trace: Any) -> float:
        return float(trace.log_density)

    def update(
        self,
        trace: Any,
        changes: Mapping[At, Any],
        rng: np.random.Generator,
        moved: Mapping[At, At] | None = None,
    ) -> Update:
        update: Update = trace.update(changes, rng, moved or {})
        return update


def infer(
    program: Program,
    method: str | Composition,
    settings: list[Settings],
    seed: int,
    data: Mapping[str, Any],
    max_depth: int = DEEPEST,
) -> Iterator[Sweep]:
    """The sweeps of all chains, one chain after the other; each has its own key."""
    with one_lane(max_depth):
        engine = ReferenceEngine(planned(program, data, max_depth))
    for own in settings:
        with one_lane(max_depth):
            sweeps = Driver(method_of(method).kernel, own, engine).chain(Key.of(seed).fold(own.chain))
        while True:
            with one_lane(max_depth):
                sweep = next(sweeps, None)
            if not isinstance(sweep, Sweep):
                break
            yield sweep
