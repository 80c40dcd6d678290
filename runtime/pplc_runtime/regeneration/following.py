"""Following: particles that are run again with given values up to a boundary, and draw from there on.

Each lane takes its own values by address, and its log weight becomes that of all it draws and observes up to the
boundary: the log of gamma_n. So a population of prefixes can be changed, weighed and continued, whatever the program
does. Two executions are of one form in a lane if they draw the same addresses, each under the same measure: only then
may their densities be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Index, here
from pplc_runtime.lanes.varying import raw
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.scales import Scale, scales_of_draw
from pplc_runtime.program.stochastic import Dist, ProcessInstance, fits
from pplc_runtime.regeneration.kept_runs import Values, gathered_values

Population: TypeAlias = dict[At, dict[Any, Values]]
"""What particles drew: by address and kind, by lane."""
Forms: TypeAlias = dict[At, NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Site:
    """A value that all lanes drew from one continuous family, and how each of its elements moves."""

    at: At
    key: Any
    scales: tuple[Scale, ...]


class Following(Forward):
    """Takes given values, until it is told to draw."""

    values: Population | None = None

    def follow(self, values: Population) -> None:
        self.values = values
        self.forms: Forms = {}
        """Under which measure each lane drew at each address; 0 where it did not."""
        self.measures: dict[Any, int] = {}
        self.families: dict[At, list[tuple[int, Dist]]] = {}
        """The distributions at each address, and in how many lanes."""
        self.by_lane = self.prints = False

    def begin(self) -> None:
        if self.values is not None and not (self.log_weights > -np.inf).all():
            self.bury()

    def go_on(self) -> None:
        """From here on draw, and weigh."""
        self.values = None
        self.prints = True
        self.log_weights = np.zeros(len(self.log_weights))

    def draw(self, at: At, source: Dist) -> Any:
        if self.values is None:
            return super().draw(at, source)
        value = self.given(at, source)
        self.families.setdefault(at, []).append((here.frame.size, source))
        self.note(at, source, 0)
        self.weigh(source.log_density(value))
        return value

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        if self.values is None:
            return super().draw_from_process(at, source)
        value = self.given(at, source)
        frame, seats, data = here.frame, self.seats_of(source), raw(value)
        density = source.family.log_density(seats.state, frame.to_top, data, *map(raw, source.parts))
        fresh = source.family.fresh(seats.state, frame.to_top, data)
        self.note(at, source, 0 if fresh is None else np.asarray(fresh, np.int64))
        seats.state = source.family.seat(seats.state, frame.to_top, data)
        self.seated(at, source, value)
        self.weigh(density if frame.size > 1 else float(density[0]))
        return value

    def given(self, at: At, source: Any) -> Any:
        """The values of the lanes of the running frame; those that have none, or one of another kind, end here."""
        assert self.values is not None
        entries = self.values.get(at, {}).values()
        lanes = _lanes()
        own = next((entry for entry in entries if entry.present[lanes].any() and fits(source, _example(entry))), None)
        if own is None:
            self.weigh(-np.inf)
        assert own is not None
        missing = ~own.present[lanes]
        if missing.any():
            self.weigh(np.where(missing, -np.inf, 0.0))
            lanes = _lanes()
        data = own.data[..., lanes]
        if here.frame.size > 1:
            return self.drawn(at, here.frame, data)
        return self.drawn(at, here.frame, data[0].item() if data.ndim == 1 else data[..., 0].copy())

    def note(self, at: At, source: Any, kind: Any) -> None:
        form = self.forms.get(at)
        if form is None:
            form = self.forms[at] = np.zeros(here.frame.top.size, np.int64)
        form[_lanes()] = 2 * self.measures.setdefault(source.family.measure, len(self.measures) + 1) + kind


def _lanes() -> Index:
    frame = here.frame
    return np.arange(frame.size) if frame.to_top is None else frame.to_top


def _example(entry: Values) -> Any:
    """A value as a lane has it."""
    data = entry.data[..., 0]
    return data.item() if data.ndim == 0 else data


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Particles that have been run up to a boundary with given values."""

    particles: Particles
    handler: Following
    values: Population
    log_gamma: NDArray[np.float64]
    """The log density of all that each drew and observed."""

    def sites(self) -> list[Site]:
        """The values that all lanes have from one continuous family, where there is a scale for them."""
        found = []
        for at, sources in self.handler.families.items():
            (lanes, source), *others = sources
            if others or lanes < self.particles.size or source.family.discrete:
                continue
            (key, entry), *_ = self.values[at].items()
            scales = scales_of_draw(source.family, source.parts, entry.data.shape[:-1])
            if scales is not None and all(scale.kind <= 2 for scale in scales):
                found.append(Site(at, key, tuple(scales)))
        return found

    def is_of_form(self, other: Prefixes) -> NDArray[np.bool_]:
        """In which lanes the other executions draw the same addresses under the same measures."""
        ours, theirs = self.handler, other.handler
        same = np.ones(self.particles.size, np.bool_)
        none = np.zeros(self.particles.size, np.int64)
        renamed = np.zeros(len(theirs.measures) + 1, np.int64)
        for measure, number in theirs.measures.items():
            renamed[number] = ours.measures.get(measure, -1)
        for at in {**ours.forms, **theirs.forms}:
            form = theirs.forms.get(at, none)
            same &= ours.forms.get(at, none) == 2 * renamed[form // 2] + form % 2
        return same


def rows_of(values: Population, size: int) -> list[dict[At, Any]]:
    """What each particle drew."""
    rows: list[dict[At, Any]] = [{} for _ in range(size)]
    for at, kinds in values.items():
        for entry in kinds.values():
            for lane in np.flatnonzero(entry.present).tolist():
                data = entry.data[..., lane]
                rows[lane][at] = data.item() if data.ndim == 0 else data.copy()
    return rows


def one_population(populations: list[Population], size: int) -> Population:
    """Several populations of a size as one."""
    found: Population = {}
    for number, values in enumerate(populations):
        lanes = np.arange(number * size, (number + 1) * size)
        for at, kinds in values.items():
            for key, entry in kinds.items():
                own = found.setdefault(at, {})
                if key not in own:
                    shape = (*entry.data.shape[:-1], size * len(populations))
                    own[key] = Values(np.zeros(shape, entry.data.dtype), np.zeros(shape[-1], np.bool_))
                own[key].put(lanes[entry.present], entry.data[..., entry.present])
    return found


def values_of(particles: Particles, ancestors: Index) -> Population:
    """What some particles drew."""
    plan: Any = particles.plan
    return gathered_values([particles.drawn_by(ancestors)], plan.root, len(ancestors))


def prefixes(plan: Plan, key: Key, values: Population, size: int, segments: int) -> Prefixes:
    """Particles with given values, run through so many segments."""
    particles = Particles(plan, key, size, remember=True, handler=Following)
    handler = particles.handler
    assert isinstance(handler, Following)
    handler.follow(values)
    for segment in plan.segments[:segments]:
        particles.extend(segment)
        if not (handler.log_weights > -np.inf).any():
            break
    return Prefixes(particles, handler, values, handler.log_weights.copy())
