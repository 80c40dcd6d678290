"""Finished particles run again, all of them together: what each observe's density is, and the observes drawn anew.

The particles are known by all that they drew, of whatever sweep and chain; each is a lane. A draw takes the lane's own
value by its address, so every lane does what its particle did, also where particles went different ways.

Observes are drawn anew given the particle, from the distribution that stood there. A process has no parameters to be
given: it is known by the values that it has taken in. So an observe of one is drawn after the run, when the process has
taken in all draws and all data, and is taken in itself before the next one is drawn: for exchangeable values that is
exactly their law given the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.observed import OBSERVED, Observed
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, Index, here, run_in
from pplc_runtime.lanes.varying import Lane, join, per_lane, raw, varies
from pplc_runtime.regeneration.records import run_statements
from pplc_runtime.results.columns import joined
from pplc_runtime.results.kept import Kept, moved
from pplc_runtime.results.observes import Observes
from pplc_runtime.results.sweeps import Column


@dataclass(slots=True)
class Values:
    """What was drawn at an address, by lane: numbers or booleans of one shape."""

    data: NDArray[Any]
    present: NDArray[np.bool_]

    def put(self, lanes: Index, row: NDArray[Any]) -> None:
        if row.dtype.kind == "f" != self.data.dtype.kind:
            self.data = self.data.astype(np.float64)
        self.data[..., lanes] = row
        self.present[lanes] = True


@dataclass(frozen=True, slots=True)
class _Seen:
    """An observe in some lanes."""

    frame: Frame
    source: Any
    value: Any
    score: Any


class KeptRuns(Forward):
    """Runs a program with the values that particles drew."""

    def __init__(self, plan: Plan, kept: Sequence[Kept], data: Sequence[tuple[At, list[Any]]] = ()) -> None:
        """Run them; `data` are values by particle that replace those of observes."""
        self.top = Frame.first(sum(len(own.particles) for own in kept))
        run_in(self.top, self)
        super().__init__(Stream(), dict(plan.inputs))
        if data:
            self.store[OBSERVED] = Observed([(at, self.over_lanes(values)) for at, values in data], plan.root)
        self.values = gathered_values(kept, plan.root, self.top.size)
        self.seen: dict[At, list[_Seen]] = {}
        self.lines: dict[At, int] = {}
        for segment in plan.segments:
            run_statements(self, segment)
        run_in(self.top)

    def over_lanes(self, values: list[Any]) -> Any:
        """A value over all lanes."""
        if self.top.size == 1:
            return values[0]
        found = joined([values])
        if isinstance(found, np.ndarray):
            return Lane(np.ascontiguousarray(np.moveaxis(found, 0, -1)), self.top)
        return join(self.top, [(self.top.part(np.array([lane])), value) for lane, value in enumerate(values)])

    def drawn(self, at: At, frame: Frame, data: Any) -> Any:
        """In place of what was drawn now what was drawn then."""
        if type(at) is Addresses:
            keys = at.labels.at(frame)
            if frame.size > 1:
                for key in np.unique(keys).tolist():
                    own = np.flatnonzero(keys == key)
                    data[..., own] = self.then(at.of(key), own if frame.to_top is None else frame.to_top[own])
                return Lane(data, frame)
            at = at.of(keys)
        found = self.then(at, np.arange(frame.size) if frame.to_top is None else frame.to_top)
        if frame.size > 1:
            return Lane(found, frame)
        return found[0].item() if found.ndim == 1 else found[..., 0].copy()

    def then(self, at: At, lanes: Index) -> NDArray[Any]:
        """The values of some lanes at an address, which are of one kind: one distribution gave them."""
        own = next(each for each in self.values[at].values() if each.present[lanes[0]])
        taken: NDArray[Any] = own.data[..., lanes]
        return taken

    def observe(self, at: At, source: Any, value: Any) -> Any:
        """Note the density; nobody is weighed, as all have passed."""
        value = self.observed(at, value)
        score = raw(self.score(at, source, value))
        frame = here.frame
        if type(at) is not Addresses:
            self.note(at, _Seen(frame, source, value, score))
        elif frame.size == 1:
            self.note(at.of(at.labels.at(frame)), _Seen(frame, source, value, score))
        else:
            keys = at.labels.at(frame)
            for key in np.unique(keys).tolist():
                own = np.flatnonzero(keys == key)
                part = score[own] if type(score) is np.ndarray else score
                self.note(at.of(key), _Seen(frame.part(own), source, value, part))
        return value

    def note(self, at: At, seen: _Seen) -> None:
        self.seen.setdefault(at, []).append(seen)
        self.lines.setdefault(at, self.place[0])

    def observes(self) -> Observes:
        """The observes in the order of the program. Where a particle did not come to one it adds nothing."""
        likelihood = np.zeros((self.top.size, len(self.seen)))
        values = []
        for column, notes in enumerate(self.seen.values()):
            for seen in notes:
                lanes = slice(None) if seen.frame.to_top is None else seen.frame.to_top
                likelihood[lanes, column] = seen.score
            first = notes[0].value
            values.append(None if len(notes) > 1 or varies(first) else first)
        return Observes(tuple(self.lines.values()), tuple(values), likelihood)

    def anew(self, rng: np.random.Generator) -> list[Column]:
        """For each observe a value drawn anew in every lane; None in the lanes that did not come to it."""
        fresh = Forward(Stream(rng), self.store)
        fresh.tables, fresh.untabled, fresh.seats = self.tables, self.untabled, self.seats
        run_in(here.frame, fresh)
        columns = []
        for at, notes in self.seen.items():
            parts = []
            for seen in notes:
                run_in(seen.frame)
                parts.append((seen.frame, fresh.sample(at, seen.source)))
            run_in(self.top)
            columns.append(self.joined(parts))
        return columns

    def joined(self, parts: list[tuple[Frame, Any]]) -> Column:
        """The column of values of some frames, which do not overlap."""
        if len(parts) == 1 and parts[0][0].to_top is None:
            return _column(parts[0][1], self.top)
        if sum(frame.size for frame, _ in parts) < self.top.size:
            others = np.setdiff1d(np.arange(self.top.size), np.concatenate([frame.to_top for frame, _ in parts]))
            parts = [*parts, (self.top.part(others), None)]
        return _column(join(self.top, parts), self.top)


def _column(value: Any, frame: Frame) -> Column:
    """A value, lane by lane."""
    if type(value) is Lane and frame.size > 1:
        data: NDArray[Any] = value.at(frame)
        return data
    return list(per_lane(value, frame))


def gathered_values(kept: Sequence[Kept], root: At, size: int) -> dict[At, dict[Any, Values]]:
    """The values of all particles, by address below one root."""
    found: dict[At, dict[Any, Values]] = {}
    addresses: dict[At, At] = {}
    first = 0
    for own in kept:
        every = np.arange(first, first + len(own.particles))
        first += len(own.particles)
        for block in own.blocks:
            lanes = every if block.lanes is None else every[block.lanes]
            shape = block.data.shape[1:-1]
            key = block.data.dtype.kind == "b", shape
            for at, row in zip(block.addresses, block.data):
                here_at = addresses.get(at)
                if here_at is None:
                    here_at = addresses[at] = moved(at, root)
                entry = found.setdefault(here_at, {})
                if key not in entry:
                    entry[key] = Values(np.zeros((*shape, size), row.dtype), np.zeros(size, np.bool_))
                entry[key].put(lanes, row)
    return found
