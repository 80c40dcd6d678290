"""Particles: the lanes of one sweep, extended segment by segment and forked between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.addresses import At
from pplc_runtime.frames import Frame, here
from pplc_runtime.handlers import Forward
from pplc_runtime.lanes import Dead, Lane, per_lane, raw
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.sweeps import Column
from pplc_runtime.steps import Assume, Bound, Observe, Plan, Segment
from pplc_runtime.values import Impossible, List, Map, ModelError, Symbol, shown
from pplc_runtime.weights import BadWeights, ZeroWeights, relative

_SELDOM = 10
"""Ancestors are counted in one of so many sweeps."""


class Particles:
    """The particles of one sweep.

    `retained` makes it conditional: particle 0 takes those values. `remember` keeps what is drawn, so that a
    particle can be retained at the end."""

    def __init__(
        self,
        plan: Plan,
        rng: np.random.Generator,
        size: int,
        retained: dict[At, Any] | None = None,
        remember: bool = False,
        handler: type[Forward] = Forward,
    ) -> None:
        self.rng = rng
        self.size = size
        here.frame = self.frame = Frame.first(size, retained is not None)
        here.handler = self.handler = handler(rng, dict(plan.inputs), retained)
        self.handler.draws = [] if remember else None
        self.generations: list[tuple[Frame, list[tuple[At, Frame, Any]]]] = []
        self.reports: list[tuple[Any, Any]] = []
        self.last: Bound | None = None
        self.seen: Any = None

    @property
    def log_weights(self) -> NDArray[np.float64]:
        """What the observes since the last fork add to each particle's log weight."""
        return self.handler.log_weights

    def extend(self, segment: Segment) -> None:
        """Run all particles to the end of a segment."""
        here.frame, here.handler = self.frame, self.handler
        handler = self.handler
        try:
            for step in segment:
                self.last = step
                if step.step is Assume:
                    handler.write(step.name, step.function(step.at, *step.arguments))
                elif step.step is Observe:
                    source, value = step.function(step.at, *step.arguments)
                    self.seen = value
                    score = raw(handler.score(step.at, source, value))
                    handler.add(score) if step is segment[-1] else handler.weigh(score)
                else:
                    self.reports.append(step.function(step.at, *step.arguments))
        except Dead:
            pass
        except Exception as error:
            if self.last is not None:
                error.statement = self.last.place  # type: ignore[attr-defined] # for errors.located
            raise
        here.frame = self.frame
        if handler.draws is not None:
            if self.generations and self.generations[-1][0] is self.frame:  # there was no fork since
                self.generations[-1][1].extend(handler.draws)
            else:
                self.generations.append((self.frame, handler.draws))
            handler.draws = []

    def weights(self, log_weights: NDArray[np.float64] | None = None) -> tuple[NDArray[np.float64], float]:
        """The weights, the largest being 1, and the log of what they sum to."""
        try:
            return relative(self.log_weights if log_weights is None else log_weights)
        except ZeroWeights:
            raise self.impossible() from None
        except BadWeights:
            raise self.failure("the density of this observe is not a number") from None

    def impossible(self) -> ModelError:
        """The error when all weights are zero: it names the observe and what was seen there."""
        if self.last is not None and self.last.step is Observe:
            message = f"all weights are zero: in no particle is the value {shown(self.seen)} possible here"
        else:
            message = "all weights are zero: no particle can pass the observes in here"
        return self.failure(message, Impossible)

    def failure(self, message: str, kind: type[ModelError] = ModelError) -> ModelError:
        error = kind(message)
        if self.last is not None:
            error.place = (*self.last.place, 1)
        return error

    def fork(self, ancestors: NDArray[np.intp]) -> None:
        """Continue with these particles, each as often as it is named."""
        self.frame = self.frame.resampled(ancestors, self.handler.retained is not None)
        here.frame = self.frame
        self.handler.log_weights = np.zeros(len(ancestors))

    def trajectory(self, particle: int) -> tuple[dict[At, Any], dict[int, Any]]:
        """The values drawn along the ancestry of a particle, by address, and by the identity of what has the lanes."""
        values: dict[At, Any] = {}
        taken: dict[int, Any] = {}
        for frame, draws in reversed(self.generations):
            for at, inner, value in draws:
                position = inner.position_of(particle)
                if position is not None:
                    values[at] = taken[id(value)] = _plain_at(value, position)
            if frame.index is not None:
                particle = int(frame.index[particle])
        return values, taken

    def lineage(self, particle: int) -> list[int]:
        """The place of a particle's ancestor in each generation."""
        places = []
        for frame, _ in reversed(self.generations):
            places.append(particle)
            if frame.index is not None:
                particle = int(frame.index[particle])
        return places[::-1]

    def distinct_ancestors(self) -> list[int]:
        """How many ancestors the particles have in each generation."""
        counts = []
        lanes: NDArray[Any] = np.arange(self.frame.size)
        for frame, _ in reversed(self.generations):
            counts.append(len(np.unique(lanes)))
            if frame.index is not None:
                lanes = frame.index[lanes]
        return counts[::-1]

    def genealogy(self, chosen: int | None = None) -> Genealogy:
        """Who continued whom, where what is drawn is remembered; a conditional sweep has a chosen particle."""
        indices = (frame.index for frame, _ in self.generations if frame.index is not None)
        return Genealogy.of(self.size, indices, chosen)

    def mixing(self, chosen: int, number: int) -> dict[str, Any]:
        """For the diagnostics of a conditional sweep: the retained particle was particle 0 all along."""
        told: dict[str, Any] = {"renewed": [place != 0 for place in self.lineage(chosen)]}
        if number % _SELDOM == 0:
            told["ancestors"] = self.distinct_ancestors()
        return told

    def predicts(self) -> dict[str, Column]:
        """The reported values of every particle, by label; a label that comes again is numbered."""
        here.frame, here.handler = self.frame, self.handler
        columns: dict[str, Column] = {}
        seen: dict[str, int] = {}
        for label, value in self.reports:
            text = label if type(label) is str else shown(label)
            seen[text] = seen.get(text, 0) + 1
            if seen[text] > 1:
                text = f"{text}#{seen[text]}"
            columns[text] = _column(value, self.frame)
        return columns


def _plain_at(value: Any, position: int) -> Any:
    if type(value) is not Lane:
        return value
    data = value.data[..., position]
    return data.item() if data.ndim == 0 else data.copy()


def _column(value: Any, frame: Frame) -> Column:
    if type(value) is Lane and frame.size > 1:
        data: NDArray[Any] = value.at(frame)
        return data
    return [_shown(each) for each in per_lane(value, frame)]


def _shown(value: Any) -> Any:
    """A reported value: a procedure, distribution or process as a string, also inside of structures."""
    match value:
        case List() | tuple():
            return type(value)(map(_shown, value))
        case Map():
            return Map.of((key, _shown(item)) for key, item in value.items())
        case None | bool() | int() | float() | str() | Symbol() | np.ndarray():
            return value
        case _:
            return str(value)


