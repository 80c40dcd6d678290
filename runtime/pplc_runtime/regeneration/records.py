"""Records: what each segment of the retained run reads, writes and draws.

The sweep that drew a run has met all of it. Where its lanes did the same things throughout, the `Tracker` that
ran them has noted what they did, and the record of the retained lane is read off. Otherwise the `Recorder` runs the
retained values once more, alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pplc_runtime.engine.cells import MISSING
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan, Segment
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, Index, here, run_in
from pplc_runtime.lanes.varying import Lane, Mix, join, per_lane, plain
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.values import Memo


@dataclass(slots=True)
class SegmentRecord:
    """What one segment of the retained run did."""

    reads: set[Any] = field(default_factory=set)
    """The cells that it read; also such as only other particles read there."""
    writes: dict[Any, Any] = field(default_factory=dict)
    draws: list[At] = field(default_factory=list)
    """Where it drew from distributions."""
    outcomes: list[bool] = field(default_factory=list)
    """Its predicates in the order of evaluation."""
    seated: list[At] = field(default_factory=list)
    """Where it drew from processes or gave them values, in that order."""

    @property
    def uses(self) -> int:
        """How many values it drew, and how many it gave to processes."""
        return len(self.draws) + len(self.seated)


@dataclass(slots=True)
class Retained:
    """A run to retain, or one of each chain: what was drawn by address, under what measures, and the records.

    Those of several chains are records of all of them together, in which values are lanes of the frame `root`; they
    are there only if the runs have the same structure."""

    held: list[dict[At, Any]]
    """The values of each chain."""
    kinds: dict[At, str] = field(default_factory=dict)
    segments: list[SegmentRecord] = field(default_factory=list)
    values: dict[At, Any] = field(default_factory=dict)
    """The values of all chains."""
    root: Frame | None = None
    assigned: dict[At, ProcessInstance] = field(default_factory=dict)
    """The process that each seated value went to."""
    seated_values: dict[At, Any] = field(default_factory=dict)
    """What processes took in, as their blocks are given it."""
    events: dict[At, Any] = field(default_factory=dict)
    """What observes gave to processes."""
    fresh: dict[At, bool | None] = field(default_factory=dict)
    """Whether a value was a fresh atom of the process that it went to, where that matters."""
    cells: list[Any] | None = None
    """What scripts keep of it, if it comes from them."""
    runs: list[Retained] = field(default_factory=list)
    """The run of each chain by itself, with its records, where those of all cannot be put together."""
    traces: list[Any] | None = None
    """The runs as traces, if it comes from moves of those."""

    def between_sweeps(self) -> Retained:
        """The same for the next sweep of a cycle: what only a kernel knows that has it to itself is gone."""
        return self

    def taken_traces(self) -> list[Any] | None:
        """The traces, which whoever takes them changes: the values are what counts until there is another state."""
        traces, self.traces = self.traces, None
        return traces

    def is_one_suffix(self, strict: bool) -> bool:
        """Whether one sweep can do for all chains."""
        return len(self.held) == 1 or (bool(self.segments) and not strict)

    def apart(self) -> list[Retained]:
        """Each chain by itself."""
        return self.runs or [Retained([values]) for values in self.held]

    def recorded(self, plan: Plan, strict: bool) -> Retained:
        """With records, made now if there are none; those of a tracker have no predicates, which strict mode wants."""
        return self if self.segments and not strict else Recorder(plan, self.held[0]).run

    def holding(self, plan: Plan, holds: Holds) -> Held:
        """The values of its one chain that are held."""
        run = self if self.segments and not self.assigned else Recorder(plan, self.held[0]).run
        values = {at: value for at, value in run.held[0].items() if holds(at)}
        return Held(holds, values, run.kinds, run.fresh)

    def together(self, plan: Plan) -> Retained:
        """The same with records of the chains together, if they have the same structure."""
        if len(self.held) == 1 or self.segments:
            return self
        return Retained.gathered([Retained([values]).recorded(plan, strict=True) for values in self.held])

    @staticmethod
    def gathered(runs: list[Retained]) -> Retained:
        """The runs of several chains, with records of them together if they have the same structure."""
        held = [run.held[0] for run in runs]
        first = runs[0]
        if any(not run.segments or run.kinds != first.kinds or run.events for run in runs):
            return Retained(held, runs=runs)
        root = Frame.first(len(runs))
        lanes = [root.part(np.array([chain])) for chain in range(len(runs))]
        segments = []
        for records in zip(*(run.segments for run in runs)):
            one = records[0]
            if any(r.draws != one.draws or r.seated or r.writes.keys() != one.writes.keys() for r in records):
                return Retained(held, runs=runs)
            writes = {cell: join(root, [(f, r.writes[cell]) for f, r in zip(lanes, records)]) for cell in one.writes}
            segments.append(SegmentRecord(set().union(*(r.reads for r in records)), writes, one.draws))
        values = {at: join(root, [(f, own[at]) for f, own in zip(lanes, held)]) for at in held[0]}
        if any(type(value) is Mix for value in values.values()):
            return Retained(held, runs=runs)
        return Retained(held, first.kinds, segments, values, root)


class Tracker(Forward):
    """Draws, and notes what each segment does, as long as all lanes do the same."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.fixed = frozenset(self.store)
        self.kinds: dict[At, str] = {}
        self.notes: list[tuple[Frame, SegmentRecord]] = []
        """What every segment did, with the values of all lanes, and the frame that it ended in."""
        self.now = SegmentRecord()
        self.alike = True
        self.formulas = {}
        self.own: dict[At, Any] = {}
        """What the running statement has drawn in every lane, where particles may be resampled before it is done."""

    def begin(self) -> None:
        self.now = SegmentRecord()
        self.notes.append((here.frame, self.now))

    def next_statement(self) -> None:
        self.own.clear()

    def resume(self) -> None:
        self.notes[-1] = here.frame, self.now

    def end(self) -> None:
        assert self.formulas is not None
        self.formulas.clear()

    def read(self, name: str) -> Any:
        if name not in self.fixed:
            self.now.reads.add(name)
        return super().read(name)

    def write(self, name: str, value: Any) -> None:
        super().write(name, value)
        self.now.writes[name] = value
        if here.frame.to_top is not None:
            self.alike = False

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        self.now.reads.add(at)
        return super().entry(memo, at, arguments)

    def entries(self, memo: Memo, argument: Lane) -> Any:
        self.alike = False
        return super().entries(memo, argument)

    def remember(self, at: At, value: Any) -> None:
        super().remember(at, value)
        self.now.writes[at] = value
        if here.frame.to_top is not None:
            self.alike = False

    def save(self, at: At, value: Any) -> None:
        self.alike = False
        super().save(at, value)

    def draw(self, at: At, source: Dist) -> Any:
        self.kinds[at] = source.family.measure
        self.now.draws.append(at)
        if here.frame.to_top is not None:
            self.alike = False
        return super().draw(at, source)

    def sample(self, at: At, source: Any) -> Any:
        value = super().sample(at, source)
        if self.pause is not None and type(at) is not Addresses:
            self.own[at] = self.with_others(value, self.own.get(at))
        return value

    def seated(self, at: At, source: ProcessInstance, value: Any) -> None:
        self.alike = False
        super().seated(at, source, value)

    def to_retain(self, particles: Particles, lanes: list[int]) -> Retained:
        """A particle of the last generation of each chain as one to retain."""
        retained = Retained([{} for _ in lanes])
        if not self.alike:
            retained.held = particles.trajectories(lanes)
            return retained
        outer = here.frame
        retained.kinds = self.kinds
        retained.root = root = Frame.first(len(lanes)) if len(lanes) > 1 else None
        taken: dict[int, Any] = {}
        places_in = dict(zip(particles.ran, particles.lines(np.array(lanes))))
        for frame, draws in particles.generations:
            places = places_in[frame]
            for at, _, value in draws:
                retained.values[at] = taken[id(value)] = _of_lanes(value, frame, places, root)
        for frame, note in self.notes:
            places = places_in[frame]
            writes = {}
            for cell, value in note.writes.items():
                found = taken.get(id(value), MISSING)
                writes[cell] = _of_lanes(value, frame, places, root) if found is MISSING else found
            retained.segments.append(SegmentRecord(note.reads, writes, note.draws))
        run_in(outer)
        if root is None:
            retained.held = [retained.values]
        else:
            for at, value in retained.values.items():
                for own, each in zip(retained.held, per_lane(value, root)):
                    own[at] = each
        return retained


def _of_lanes(value: Any, frame: Frame, places: Index, root: Frame | None) -> Any:
    """What a value is in some lanes of a frame: plain for one of them, else a value of the frame `root`."""
    if type(value) is Lane:
        data = value.data if value.frame is frame or frame.size == 1 else value.at(frame)
        if root is not None:
            return Lane(data[..., places], root)
        if frame.size > 1:
            one = data[..., places[0]]
            return one.item() if one.ndim == 0 else one.copy()
    ones = []
    for place in places.tolist():
        run_in(frame.part(np.array([place])) if frame.size > 1 else frame)
        ones.append(plain(value))
    if root is None:
        return ones[0]
    return join(root, [(root.part(np.array([chain])), one) for chain, one in enumerate(ones)])


class Recorder(Forward):
    """Runs the retained values once, alone, and writes down what every segment does.

    It computes no densities: those of the retained run are the same for all candidates, until a replay finds
    what they are for each."""

    prints = False

    def __init__(self, plan: Plan, values: dict[At, Any]) -> None:
        run_in(Frame.first(1), self)
        super().__init__(Stream(), dict(plan.inputs))
        self.plan = plan
        self.run = Retained([values], values=values)
        self.now = SegmentRecord()
        for segment in plan.segments:
            self.now = SegmentRecord()
            self.run.segments.append(self.now)
            run_statements(self, segment)

    def decided(self, truth: Any) -> Any:
        self.now.outcomes.append(truth)
        return truth

    def read(self, name: str) -> Any:
        fixed = self.plan.inputs.get(name, MISSING)
        if fixed is not MISSING:
            return fixed
        if name not in self.now.writes:
            self.now.reads.add(name)
        return super().read(name)

    def write(self, name: str, value: Any) -> None:
        super().write(name, value)
        self.now.writes[name] = value

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        self.now.reads.add(at)
        return super().entry(memo, at, arguments)

    def remember(self, at: At, value: Any) -> None:
        self.store[at] = value
        self.now.writes[at] = value

    def load(self, at: At, default: Any) -> Any:
        self.now.reads.add(at)
        return super().load(at, default)

    def save(self, at: At, value: Any) -> None:
        self.remember(at, value)

    def draw(self, at: At, source: Dist) -> Any:
        self.run.kinds[at] = source.family.measure
        self.now.draws.append(at)
        return self.run.values[at]

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        value = self.run.values[at]
        self.run.kinds[at] = source.family.measure
        self.take_in(at, source, value)
        return value

    def score(self, at: At, source: Any, value: Any) -> Any:
        return 0.0 if type(source) is Dist else super().score(at, source, value)

    def score_in_process(self, at: At, source: ProcessInstance, value: Any) -> Any:
        self.run.events[at] = value
        self.take_in(at, source, value)
        return 0.0

    def take_in(self, at: At, source: ProcessInstance, value: Any) -> None:
        self.now.seated.append(at)
        self.run.assigned[at] = source
        seats = self.seats_of(source)
        self.run.seated_values[at] = source.family.tag(seats.state, value)
        fresh = source.family.fresh(seats.state, None, value)
        self.run.fresh[at] = None if fresh is None else bool(fresh[0])
        seats.state = source.family.seat(seats.state, None, value)


def run_statements(handler: Forward, segment: Segment) -> None:
    """Run a segment, whatever its statements report."""
    for step in segment:
        handler.place = step.place
        if step.step is Assume:
            handler.write(step.name, step.function(step.at, *step.arguments))
        elif step.step is Observe:
            source, value = step.function(step.at, *step.arguments)
            handler.observe(step.at, source, value)
        elif step.step is Predict:
            step.function(step.at, *step.arguments)
