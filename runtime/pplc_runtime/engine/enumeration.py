"""Enumeration: all executions of a finite program, by replaying prefixes of choices, many of them at once in lanes.

An execution follows the choices that it is given, and takes the first possible value of every choice after them; where
it had others, the path up to there with each of them is an execution that is still to come. All choices have their
densities as weight, so that an execution weighs what it contributes to the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane, raw
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.conditional import MOST_EXECUTIONS
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import ModelError

MOST_CHOICES: Final = 300
"""Of one execution, where there is more than one value to choose: in a recursion without end there are always more."""
AT_ONCE: Final = 4096
"""So many executions are run together."""

Choices = tuple[Any, ...]


class NotFinite(ModelError):
    """A program that cannot be enumerated: its executions are too many, or without number."""


class Exhaustive(Forward):
    """Follows some choices in each lane, and takes the first value of every choice after them."""

    def follow(self, prefixes: Sequence[Choices]) -> None:
        """The choices of each lane, to begin with."""
        self.prefixes = list(prefixes)
        self.paths: list[list[Any]] = [[] for _ in prefixes]
        self.choices = [0] * len(self.paths)
        """How many choices each lane had."""
        self.others: list[Choices] = []
        """The paths that lead elsewhere."""

    def places(self) -> Sequence[int]:
        """The lanes of the running frame, as the paths have them."""
        frame = here.frame
        return range(frame.size) if frame.to_top is None else frame.to_top.tolist()

    def endless(self, name: str) -> ModelError:
        """The error of a draw that has no finite number of values."""
        return NotFinite(f"enumerate: a draw from {name} has no finite number of values; use another method")

    def too_many(self) -> ModelError:
        return NotFinite(
            f"enumerate: there are more than {MOST_EXECUTIONS} executions, or of more than {MOST_CHOICES} choices; "
            "use another method"
        )

    def draw(self, at: At, source: Dist) -> Any:
        frame = here.frame
        outcomes = self.outcomes(source)
        if outcomes is None:
            raise self.endless(source.family.name)
        if len(outcomes) > MOST_EXECUTIONS:
            raise self.too_many()
        scores = np.array([np.broadcast_to(source.log_density(value), frame.size) for value in outcomes])
        return self.taken_by_lane(at, outcomes, scores)

    def outcomes(self, source: Dist) -> Sequence[Any] | None:
        """All values that a draw may have in some lane, and perhaps others."""
        parts = source.raw_parts()
        size = here.frame.size
        if size == 1 or source.family.has_fixed_outcomes or not any(type(part) is Lane for part in source.parts):
            return source.family.outcomes(*parts)
        found: dict[Any, None] = {}
        varying = [type(part) is Lane for part in source.parts]
        for lane in range(size):
            own = [part[..., lane] if varies else part for part, varies in zip(parts, varying)]
            values = source.family.outcomes(*[part.item() if np.ndim(part) == 0 and varies else part
                                              for part, varies in zip(own, varying)])  # fmt: skip
            if values is None:
                return None
            found.update(dict.fromkeys(values))
        return list(found)

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        frame, seats, parts = here.frame, self.seats_of(source), [raw(part) for part in source.parts]
        outcomes = source.family.outcomes(seats.state, frame.to_top, *parts)
        if outcomes is None:
            raise self.endless(source.family.name)
        scores = [source.family.log_density(seats.state, frame.to_top, value, *parts) for value in outcomes]
        value = self.taken_by_lane(at, outcomes, np.array(scores))
        seats.state = source.family.seat(seats.state, frame.to_top, value.data if type(value) is Lane else value)
        self.seated(at, source, value)
        return value

    def taken_by_lane(self, at: At, outcomes: Sequence[Any], scores: NDArray[np.float64]) -> Any:
        """A choice in each lane of the running frame, from the log densities of all values; they are weight."""
        frame = here.frame
        places = {value: place for place, value in enumerate(outcomes)}
        possible = scores > -np.inf
        firsts = possible.argmax(0).tolist()
        chosen = []
        for number, (lane, count) in enumerate(zip(self.places(), possible.sum(0).tolist())):
            path, prefix = self.paths[lane], self.prefixes[lane]
            self.choices[lane] += count > 1
            if len(path) < len(prefix):
                place = places[prefix[len(path)]]
            else:
                place = firsts[number]
                if count > 1:
                    own = tuple(path)
                    self.others += [(*own, outcomes[k]) for k in np.flatnonzero(possible[:, number])[1:].tolist()]
            path.append(outcomes[place])
            chosen.append(place)
            if self.choices[lane] > MOST_CHOICES or len(self.others) > MOST_EXECUTIONS:
                raise self.too_many()
        values = np.array([outcomes[place] for place in chosen])
        value = self.drawn(at, frame, values if frame.size > 1 else outcomes[chosen[0]])
        score = scores[chosen, np.arange(frame.size)]
        self.weigh(score if frame.size > 1 else float(score[0]))
        return value

    def continued(self) -> Forward:
        """What is only reported is enumerated too."""
        return self

    def survive(self, alive: NDArray[np.intp]) -> None:
        """Go on with some of the lanes."""
        self.prefixes = [self.prefixes[lane] for lane in alive]
        self.paths = [self.paths[lane] for lane in alive]
        self.choices = [self.choices[lane] for lane in alive]


class Executions(NamedTuple):
    """Some executions: the log of what each contributes to the evidence, and what they report."""

    log_weights: NDArray[np.float64]
    predicts: dict[str, Column]


def executions(plan: Plan, key: Key, report: bool = True) -> Iterator[Executions]:
    """All executions of positive weight, the choices made last varied first; NotFinite where they are too many."""
    pending: list[Choices] = [()]
    done = 0
    while pending:
        batch = pending[-AT_ONCE:]
        del pending[-AT_ONCE:]
        particles = Particles(plan, key, len(batch), handler=Exhaustive)
        handler = particles.handler
        assert isinstance(handler, Exhaustive)
        handler.follow(batch)
        found = _run(particles, handler, report)
        done += len(batch)
        pending += handler.others[::-1]
        if done + len(pending) > MOST_EXECUTIONS:
            raise handler.too_many()
        if found is not None:
            yield found


def _run(particles: Particles, handler: Exhaustive, report: bool) -> Executions | None:
    """What some executions come to; None if all of them are impossible."""
    for segment in particles.segments:
        particles.extend(segment)
        log_weights = handler.log_weights
        if np.isnan(log_weights).any():
            raise particles.failure("the density of this observe is not a number")
        alive = np.flatnonzero(log_weights > -np.inf)
        if not len(alive):
            return None
        if len(alive) < len(log_weights):
            particles.fork(alive)
            handler.survive(alive)
            handler.log_weights = log_weights[alive]
    predicts = particles.predicts() if report else {}
    alive = np.flatnonzero(handler.log_weights > -np.inf)
    if len(alive) < len(handler.log_weights):
        predicts = {label: _of(column, alive) for label, column in predicts.items()}
    return Executions(handler.log_weights[alive], predicts)


def _of(column: Column, lanes: NDArray[np.intp]) -> Column:
    return [column[lane] for lane in lanes] if isinstance(column, list) else column[..., lanes]
