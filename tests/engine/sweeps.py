"""Runs of the lane engine that can be looked into: trajectories in order, densities, what pgas is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc import compile_text
from pplc.passes.to_reference import to_reference
from pplc_runtime.engine.cells import raw_at
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan, plan
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Lane, raw
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.steps import Predict
from pplc_runtime.reference import Program as ReferenceProgram
from pplc_runtime.regeneration.records import Tracker
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.results.blocks import Sweeps
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.driver import Driver

lane_engine: Any = import_module("pplc_runtime.regeneration.lane_engine")
"""The module, whose particles and suffixes tests put others in the place of."""
ANYWHERE: Final = ("importance", "smc", "icsmc", "pgas", "lmh")
"""The methods that run any program."""
Floats: TypeAlias = NDArray[np.float64]
Retained: TypeAlias = dict[At, Any]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program for both engines; the plan is that of the lane engine."""

    plan: Plan
    reference: ReferenceProgram
    data: Mapping[str, Any] = field(default_factory=dict)


def compiled(text: str, data: Mapping[str, Any] | None = None, in_place: bool = False) -> Compiled:
    """A program; if `in_place`, its predicts are run where they stand."""
    model = compile_text(text)
    known = model.compiled.analysis
    acting = None if in_place else known.acting
    reference = to_reference(known.program, model.compiled.source, acting, known.shared)
    steps = [
        replace(step, acts=True, kept=()) if in_place and isinstance(step, Predict) else step
        for step in model.program.steps
    ]
    with quietly():
        return Compiled(plan(steps, At(), dict(data or {}), model.program.module), reference, dict(data or {}))


@contextmanager
def quietly() -> Iterator[None]:
    """The lane engine runs; afterwards nothing does."""
    frame, handler = here.frame, here.handler
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        run_in(frame, handler)


def in_order(particles: Particles, particle: int) -> Retained:
    """What a particle has drawn, in the order of execution."""
    generations: list[Retained] = []
    for frame, draws in reversed(particles.generations):
        own: Retained = {}
        for at, inner, value in draws:
            position = inner.position_of(particle)
            if position is not None:
                data = value.data[..., position] if isinstance(value, Lane) else value
                if type(at) is Addresses:
                    at = at.of(at.labels.at(inner).item(position))
                own[at] = data.item() if np.ndim(data) == 0 and hasattr(data, "item") else data
        generations.append(own)
        if frame.index is not None:
            particle = int(frame.index[particle])
    return {at: value for own in reversed(generations) for at, value in own.items()}


def ordered(run: Plan, retained: Retained) -> list[Any]:
    """Retained values in the order of execution."""
    particles = Particles(run, Key.of(0), 1, [dict(retained)], remember=True)
    for number, segment in enumerate(run.segments):
        if number:
            particles.fork(np.zeros(1, np.intp))
        particles.extend(segment)
    return list(in_order(particles, 0).values())


class ScoringForward(Forward):
    """Draws, and adds up the log densities of what it drew, by lane."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.log_prior = np.zeros(here.frame.size)

    def count(self, density: Any) -> None:
        index = here.frame.to_top
        self.log_prior[slice(None) if index is None else index] += raw(density)

    def draw(self, at: At, source: Any) -> Any:
        value = super().draw(at, source)
        self.count(source.log_density(value))
        return value

    def draw_from_process(self, at: At, source: Any) -> Any:
        state = tuple(part.copy() for part in self.seats_of(source).state)
        value = super().draw_from_process(at, source)
        parameters = tuple(map(raw, source.parts))
        self.count(source.family.log_density(state, here.frame.to_top, raw(value), *parameters))
        return value


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution of the lane engine: its choices, predicts, and log densities."""

    choices: Retained
    predicts: dict[str, Any]
    log_prior: float
    log_likelihood: float


def executions(run: Plan, size: int, seed: int) -> list[Execution]:
    """Executions drawn from the prior, all lanes together; those of weight zero are left out."""
    particles = Particles(run, Key.of(seed), size, remember=True, handler=ScoringForward)
    handler: Any = particles.handler
    log_weights = np.zeros(size)
    for number, segment in enumerate(run.segments):
        if number:
            alive = np.flatnonzero(log_weights > -np.inf)
            if not len(alive):
                return []
            particles.fork(alive)
            log_weights = log_weights[alive]
            handler.log_prior = handler.log_prior[alive]
        particles.extend(segment)
        log_weights = log_weights + particles.log_weights
    columns = particles.predicts() if np.any(log_weights > -np.inf) else {}
    return [
        Execution(
            in_order(particles, lane),
            {label: column[lane] for label, column in columns.items()},
            float(handler.log_prior[lane]),
            float(log_weights[lane]),
        )
        for lane in range(len(log_weights))
        if log_weights[lane] > -np.inf
    ]


@dataclass(frozen=True, slots=True)
class Boundary:
    """What pgas knows before it draws an ancestor. Choices are in the order of execution."""

    generation: int
    prefixes: list[list[Any]]
    retained: list[Any]
    log_weights: Floats
    suffix_scores: Floats

    @property
    def ancestor_log_weights(self) -> Floats:
        return self.log_weights + self.suffix_scores


class Watch:
    """Patches pgas so that every boundary is written down."""

    def __init__(self, run: Plan) -> None:
        self.run = run
        self.boundaries: list[Boundary] = []
        self.particles: Particles | None = None
        self.before: Lane | None = None
        """What the lanes had of weight in the running segment before they were resampled inside of it."""

    def weights(self, particles: Particles) -> Floats:
        """The log weights of a whole segment."""
        return particles.log_weights + (0.0 if self.before is None else raw_at(self.before, particles.frame))

    @contextmanager
    def watching(self) -> Iterator[list[Boundary]]:
        watch = self

        class WatchedParticles(Particles):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                watch.particles = self
                watch.before = None

            def fork(self, ancestors: Any) -> None:
                watch.before = None if self.standing is None else Lane(watch.weights(self), self.frame)
                super().fork(ancestors)

        class WatchedSuffix(Suffix):
            def rescore(self, number: int, prefix: Tracker, frame: Frame) -> Floats:
                scores = super().rescore(number, prefix, frame)
                particles = watch.particles
                assert particles is not None
                weights = watch.weights(particles)
                prefixes = [in_order(particles, lane) for lane in range(frame.size)]
                retained = ordered(watch.run, {**prefixes[0], **self.values})
                run_in(frame, prefix)
                told = [list(choices.values()) for choices in prefixes]
                watch.boundaries.append(Boundary(number, told, retained, weights, scores.copy()))
                return scores

        before = lane_engine.Particles, lane_engine.Suffix
        lane_engine.Particles, lane_engine.Suffix = WatchedParticles, WatchedSuffix
        try:
            yield self.boundaries
        finally:
            lane_engine.Particles, lane_engine.Suffix = before


def boundaries(run: Plan, size: int, sweeps: int, seed: int, strict: bool = False) -> list[Boundary]:
    """All boundaries of some sweeps of pgas."""
    settings = Settings(size, sweeps, strict=strict)
    with Watch(run).watching() as told, quietly():
        for _ in Driver.on_lanes(METHODS["pgas"].kernel, run, settings).chain(Key.of(seed)):
            pass
    return told


def chain(run: Plan, method: str, seed: int, **settings: Any) -> list[Sweep]:
    """The sweeps of a method."""
    with quietly():
        driver = Driver.on_lanes(METHODS[method].kernel, run, Settings(**settings))
        return list(Sweeps(driver.chain(Key.of(seed))))


def close(one: Floats, other: Floats, tolerance: float = 1e-9) -> bool:
    """Whether two vectors are equal up to a constant, with -inf at the same places."""
    a, b = one, other
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or np.isnan(a).any() or np.isnan(b).any():
        return False
    if not finite.any():
        return True
    difference = a[finite] - b[finite]
    scale = 1.0 + float(np.abs(a[finite]).max())
    return bool(np.ptp(difference) <= tolerance * scale)
