"""The exact transition kernel of the lane engine: a sweep is run once for every way that chance may go.

The engine's own methods run unchanged. Chance is taken from an `Enumerating` object in place of the random
generator: distributions and processes ask it for one decision for each lane, resampling for one for each ancestor.
So the law of what a sweep retains comes out exactly, and a bias of any size shows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.numerics.resampling import SCHEMES, Scheme
from pplc_runtime.processes import PROCESSES
from pplc_runtime.processes.pitman_yor import PitmanYor
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.records import Retained as RetainedRuns
from pplc_runtime.running.driver import Driver
from pplc_runtime.values import key_of

from .sweeps import Retained, quietly

T = TypeVar("T")
Law: TypeAlias = dict[Any, float]
"""Executions, by what they draw and predict, to their probabilities."""
METHODS_OF_CHAINS: list[Any] = [import_module(f"pplc_runtime.inference.{name}") for name in ("icsmc", "pgas", "lmh")]
MOVES: list[Any] = [import_module(f"pplc_runtime.inference.{name}") for name in ("lmh", "pimh", "pmmh")]
ENGINES = ("regeneration.lane_engine", "specialise.engine", "specialise.suffix")
WHOLE = list(range(8))


class Enumerating:
    """One run: follows a path of decisions, and takes the first possibility after its end."""

    def __init__(self, path: list[int]) -> None:
        self.path = path
        self.taken: list[int] = []
        self.others: list[list[int]] = []
        self.probability = 1.0

    def decide(self, weights: Sequence[float]) -> int:
        """An index, each in its turn with probability proportional to its weight."""
        possible = [i for i, weight in enumerate(weights) if weight > 0.0]
        place = len(self.taken)
        if place < len(self.path):
            chosen = self.path[place]
        else:
            chosen = 0
            self.others += [[*self.taken, other] for other in range(1, len(possible))]
        self.taken.append(chosen)
        self.probability *= weights[possible[chosen]] / math.fsum(weights)
        return possible[chosen]

    def fold(self, number: int) -> Folded:
        """As a key is folded."""
        return Folded(self, self.state)

    def of_chain(self, chain: int) -> Enumerating:
        return self

    def generator(self) -> Enumerating:
        return self

    @property
    def state(self) -> Any:
        return len(self.taken), list(self.others), self.probability

    @state.setter
    def state(self, state: Any) -> None:
        number, self.others, self.probability = state
        del self.taken[number:]

    def integers(self, number: int) -> int:
        """One of so many, all alike."""
        return self.decide([1.0] * number)

    def lanes(self, values: list[Any], log_densities: NDArray[np.float64]) -> NDArray[Any]:
        """A value for each lane, from its log densities of the values; the kept lane is not asked."""
        kept = [lane for lane, _ in here.frame.kept] if _follows_retained() else []
        columns = np.exp(log_densities).T.tolist()
        chosen = [0 if lane in kept else self.decide(weights) for lane, weights in enumerate(columns)]
        return np.array([values[choice] for choice in chosen])


class Folded:
    """A key of a part: whoever begins the part again begins it with the same decisions."""

    def __init__(self, chance: Enumerating, before: Any) -> None:
        self.chance = chance
        self.before = before

    def fold(self, number: int) -> Folded:
        return Folded(self.chance, self.chance.state)

    def of_chain(self, chain: int) -> Folded:
        return self.fold(chain) if chain else self

    def generator(self) -> Enumerating:
        self.chance.state = self.before
        return self.chance


def _follows_retained() -> bool:
    handler = here.handler
    return isinstance(handler, Forward) and handler.retained is not None


def every_run(work: Callable[[Enumerating], T]) -> Iterator[tuple[T, float]]:
    """What some work comes to, for every way that chance may go, with its probability."""
    pending: list[list[int]] = [[]]
    while pending:
        chance = Enumerating(pending.pop())
        yield work(chance), chance.probability
        pending += chance.others


def _draw(chance: Enumerating, weights: NDArray[np.float64], number: int) -> NDArray[np.intp]:
    return np.array([chance.decide(weights.tolist()) for _ in range(number)])


def _pick_rows(chance: Enumerating, weights: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.array([chance.decide(row) for row in weights.tolist()])


def _conditional(chance: Enumerating, weights: NDArray[np.float64], number: int, kept: int) -> NDArray[np.intp]:
    return np.array([kept, *_draw(chance, weights, number - 1)])


def _accepts(chance: Enumerating, log_ratio: float) -> bool:
    ratio = min(1.0, math.exp(min(0.0, log_ratio)))
    return chance.decide([ratio, 1.0 - ratio]) == 0


def _enumerating(right: Callable[..., Any]) -> Callable[..., Any]:
    """The sampler of a family that takes chance from an `Enumerating`, where it is given one."""

    def sample(self: Family, chance: Any, lanes: int | None, *parameters: Any) -> Any:
        if not isinstance(chance, Enumerating):
            return right(self, chance, lanes, *parameters)
        values: list[Any] = [True, False] if self.value_kind == "boolean" else WHOLE
        shape = (1 if lanes is None else lanes,)
        densities = np.array([np.broadcast_to(self.log_density(value, *parameters), shape) for value in values])
        drawn = chance.lanes(values, densities)
        return drawn if lanes is not None else drawn[0].item()

    return sample


def _enumerating_process(right: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a process."""

    def sample(self: Any, chance: Any, state: Any, index: Any, *parameters: Any) -> Any:
        if not isinstance(chance, Enumerating):
            return right(self, chance, state, index, *parameters)
        values: list[Any] = [True, False] if self.value_kind == "boolean" else WHOLE
        return chance.lanes(values, np.array([self.log_density(state, index, value, *parameters) for value in values]))

    return sample


class Kernel:
    """The law of the retained particle, before and after one sweep, for one program."""

    def __init__(self, run: Plan) -> None:
        self.run = run
        self.retained: Retained = {}
        self.chosen: list[Retained] = []
        """What each chain has retained last, and below what it predicts."""
        self.predicts: list[Any] = []
        self.engine = LaneEngine(run)
        self.reports = False
        """Whether what is predicted is part of the law."""

    @contextmanager
    def enumerated(self) -> Iterator[None]:
        """Chance is enumerated, sweeps start from `retained`, and what they retain is written down."""
        kernel = self

        class WatchedParticles(Particles):
            def lanes(self, chosen: Any) -> list[int]:
                lanes = super().lanes(chosen)
                kernel.chosen = [self.trajectory(lane) for lane in lanes]
                columns = self.predicts()
                kernel.predicts = [
                    tuple((label, key_of(_plain(column[lane]))) for label, column in columns.items()) for lane in lanes
                ]
                return lanes

        def first_retained(*_: Any) -> Retained:
            return dict(kernel.retained)

        with pytest.MonkeyPatch.context() as patch, quietly():
            for family in {type(family) for family in DISTRIBUTIONS.values()}:
                patch.setattr(family, "sample", _enumerating(family.sample))
            processes: set[Any] = {PitmanYor, *map(type, PROCESSES.values())}
            for process in processes:
                patch.setattr(process, "sample", _enumerating_process(process.sample))
            patch.setattr("pplc_runtime.engine.particles.pick", lambda chance, weights: chance.decide(weights.tolist()))
            patch.setattr("pplc_runtime.engine.particles.pick_rows", _pick_rows)
            patch.setattr("pplc_runtime.inference.seats.pick", lambda chance, weights: chance.decide(weights.tolist()))
            if "enumerated" not in SCHEMES:
                patch.setitem(SCHEMES, "enumerated", Scheme("enumerated", _draw, _conditional))  # type: ignore[arg-type]
            for module in MOVES:
                patch.setattr(module, "accepts", _accepts)
            patch.setattr("pplc_runtime.engine.particles.chance_of", lambda key, size: Stream(key.generator()))
            for engine in ENGINES:
                patch.setattr(f"pplc_runtime.{engine}.Particles", WatchedParticles)
            for module in METHODS_OF_CHAINS:
                patch.setattr(module, "first_retained", first_retained)
            yield

    def executions(self) -> list[tuple[Retained, Any, float]]:
        """All executions: what they draw and predict, and their probability times their weight."""

        def forward(chance: Enumerating) -> tuple[Retained, Any, float]:
            rng: Any = chance
            particles = Particles(self.run.without_scripts(), rng, 1, remember=True)
            total = 0.0
            for number, segment in enumerate(self.run.segments):
                if number:
                    particles.fork(np.zeros(1, np.intp))
                particles.extend(segment)
                total += float(particles.log_weights[0])
                if total == -math.inf:
                    return {}, {}, 0.0
            values = {label: _plain(column[0]) for label, column in particles.predicts().items()}
            return particles.trajectory(0), values, math.exp(total)

        found = [(drawn, values, weight * prior) for (drawn, values, weight), prior in every_run(forward)]
        return [(drawn, values, weight) for drawn, values, weight in found if weight > 0.0]

    def posterior(self) -> list[tuple[Retained, Any, float]]:
        """All executions: what they draw and predict, and their posterior probability."""
        found = self.executions()
        total = math.fsum(weight for *_, weight in found)
        return [
            (drawn, tuple((label, key_of(value)) for label, value in values.items()), weight / total)
            for drawn, values, weight in found
        ]

    def from_each(
        self, method: str, size: int, strict: bool = False, ess_threshold: float = 1.0
    ) -> list[tuple[Any, float, Law]]:
        """Every execution with its posterior probability, and the law of the retained particle one sweep after it."""
        settings = Settings(size, 1, resampling="enumerated", strict=strict, ess_threshold=ess_threshold)
        found: list[tuple[Any, float, Law]] = []

        def sweep(chance: Enumerating) -> Any:
            rng: Any = chance
            for _ in Driver.on_lanes(METHODS[method].kernel, self.run, settings).chain(rng):
                pass
            return paths(self.chosen[0]), self.predicts[0]

        with self.enumerated():
            for drawn, values, probability in self.posterior():
                after: defaultdict[Any, float] = defaultdict(float)
                self.retained = drawn
                for result, transition in every_run(sweep):
                    after[result] += transition
                found.append(((paths(drawn), values), probability, dict(after)))
        return found

    def after(self, method: str, size: int, strict: bool = False, ess_threshold: float = 1.0) -> tuple[Law, Law]:
        """The posterior, and the law of the retained particle one sweep after a draw from it."""
        before: defaultdict[Any, float] = defaultdict(float)
        after: defaultdict[Any, float] = defaultdict(float)
        for start, probability, law in self.from_each(method, size, strict, ess_threshold):
            before[start] += probability
            for result, transition in law.items():
                after[result] += probability * transition
        return dict(before), dict(after)

    def moved(self, kernel: Any, **options: Any) -> tuple[Law, Law]:
        """The posterior, and the law of what a chain of any kernel retains one step after a draw from it."""
        before: defaultdict[Any, float] = defaultdict(float)
        after: defaultdict[Any, float] = defaultdict(float)
        settings = Settings(**{"particles": 2, "sweeps": 1, "resampling": "enumerated", **options})

        with quietly():
            bound = kernel.bound(self.engine, replace(settings, resampling="multinomial"))

        def step(chance: Enumerating) -> Any:
            rng: Any = chance
            state = RetainedRuns([dict(self.retained)])
            state, sweeps = bound.step(self.engine, state, settings, 0, rng, report=self.reports)
            told = tuple((label, key_of(_plain(column[0]))) for label, column in sweeps[0].predicts.items())
            return paths(state.held[0]), told if self.reports else ()

        with self.enumerated():
            for drawn, values, probability in self.posterior():
                before[(paths(drawn), values if self.reports else ())] += probability
            for drawn in {paths(drawn): drawn for drawn, *_ in self.posterior()}.values():
                self.retained = drawn
                probability = math.fsum(p for (own, _), p in before.items() if own == paths(drawn))
                for result, transition in every_run(step):
                    after[result] += probability * transition
        return dict(before), dict(after)


def paths(drawn: dict[At, Any]) -> Any:
    return frozenset((at.path(), key_of(value)) for at, value in drawn.items())


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def distance(one: Law, other: Law) -> float:
    """Total variation."""
    return 0.5 * math.fsum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in {*one, *other})


def bias(run: Plan, method: str, size: int, strict: bool = False, ess_threshold: float = 1.0) -> float:
    """How far one sweep takes the retained particle from the posterior, in total variation."""
    before, after = Kernel(run).after(method, size, strict, ess_threshold)
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(before, after)
