"""The scripts of a program: what its segments read and write, and their code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.specialise.emit import Failed, ForwardWriter, ReplayWriter, StoreWriter
from pplc_runtime.specialise.notes import Apply, Draw, Formula, NoFixedCourse, Note, Report, Trace

MOST_FORMS: Final = 200
"""Code of so many forms takes a second to compile."""


@dataclass(frozen=True, slots=True)
class Script:
    """One segment."""

    forward: Callable[..., None]
    constants: tuple[Any, ...]
    replay: Callable[..., Any] | None
    """Nothing if no density of it depends on what came before."""
    replay_constants: tuple[Any, ...]
    reads: frozenset[int]
    """The cells of earlier segments that a replay reads."""
    writes: tuple[int, ...]
    """The cells that it writes when it runs forward."""
    renews: tuple[int, ...]
    """Those of them that depend on what it draws: replays of it before have found the values of the others."""
    follows: tuple[tuple[int, frozenset[int]], ...]
    """The cells that a replay writes, each with those that it depends on."""

    def run(self, particles: Any) -> None:
        """Run particles to the end of the segment."""
        if particles.frame.size == 1:  # a lone lane has plain values
            raise Failed
        self.forward(particles, particles.frame, self.constants)


@dataclass(frozen=True, slots=True)
class Straight:
    """What is reported at the end, as straight code."""

    code: Callable[..., None]
    constants: tuple[Any, ...]

    def run(self, particles: Any) -> None:
        if here.frame.size == 1:
            raise Failed
        self.code(particles, here.frame, self.constants)


@dataclass(frozen=True, slots=True)
class ByProgram:
    """What is reported at the end, by the program itself: its cells are put back before."""

    lanes: tuple[tuple[Any, int], ...]
    """The cells of the program that are a value over lanes, and those of scripts that have it."""
    code: Callable[..., None]
    """Puts the others back."""
    constants: tuple[Any, ...]

    def run(self, particles: Any) -> None:
        store, cells = particles.handler.store, particles.cells
        for cell, number in self.lanes:
            store[cell] = cells[number]
        self.code(store, cells, self.constants)
        particles.run(particles.plan.reports)


@dataclass(slots=True)
class Scripts:
    """A program."""

    segments: list[Script]
    reports: Straight | ByProgram
    cells: int
    """How many there are."""
    readers: list[tuple[int, ...]]
    """The segments whose replays read each cell."""
    draws: list[tuple[int, At]]
    """What is drawn: its cell and address."""
    attempts: int = 0
    """How many sweeps they have been tried on, and on how many they failed."""
    failures: int = 0


def scripts_of(trace: Trace) -> Scripts:
    """The scripts of a traced program."""
    cell_of: dict[int, int] = {}
    draws: list[tuple[int, At]] = []
    for number, notes in enumerate([*trace.segments, trace.reports or []]):
        for note in notes:
            if isinstance(note, Draw):
                cell_of[id(note.result)] = len(cell_of)
                if number < len(trace.segments):
                    draws.append((cell_of[id(note.result)], note.at))
            for lane in note.uses:
                if trace.born[id(lane)] < number:
                    cell_of.setdefault(id(lane), len(cell_of))
    for lane in trace.lanes_in(tuple(trace.store.values())):
        if id(lane) not in trace.born:
            raise NoFixedCourse("a value of unknown origin")
        cell_of.setdefault(id(lane), len(cell_of))
    segments: list[Script] = []
    forms: set[Callable[..., Any]] = set()
    readers: list[list[int]] = [[] for _ in cell_of]
    for number in reversed(range(len(trace.segments))):
        script = _Course(number, trace, cell_of, readers).script()
        segments.append(script)
        forms.add(script.forward)
        if len(forms) > MOST_FORMS:
            raise NoFixedCourse("too many segments that are each of a form of their own")
        for cell in script.reads:
            readers[cell].append(number)
    reports = _reports(trace, cell_of)
    return Scripts(segments[::-1], reports, len(cell_of), [tuple(found[::-1]) for found in readers], draws)


def _reports(trace: Trace, cell_of: dict[int, int]) -> Straight | ByProgram:
    if trace.reports is not None:
        straight = ForwardWriter(trace, cell_of)
        straight.write_all(trace.reports)
        return Straight(*straight.script())
    lanes = tuple((cell, cell_of[id(value)]) for cell, value in trace.store.items() if type(value) is Lane)
    others = StoreWriter(trace, cell_of)
    for cell, value in trace.store.items():
        if type(value) is not Lane:
            others.store(cell, value)
    return ByProgram(lanes, *others.script())


_NONE: Final[frozenset[int]] = frozenset()


class _Course:
    """One segment, when those after it are done."""

    def __init__(self, number: int, trace: Trace, cell_of: dict[int, int], readers: list[list[int]]) -> None:
        self.trace = trace
        self.notes = trace.segments[number]
        self.cell_of = cell_of
        self.readers = readers
        self.needs: dict[int, frozenset[int]] = {}
        """The cells of earlier segments that each value depends on, if what is drawn is given."""
        for note in self.notes:
            for lane in note.uses:
                if trace.born[id(lane)] < number:
                    self.needs[id(lane)] = frozenset({cell_of[id(lane)]})
            if isinstance(note, Formula | Apply):
                self.needs[id(note.result)] = self.depends(note)

    def depends(self, note: Note) -> frozenset[int]:
        """The cells of earlier segments that a note depends on."""
        if len(note.uses) == 1:
            return self.needs.get(id(note.uses[0]), _NONE)
        return _NONE.union(*(self.needs.get(id(lane), ()) for lane in note.uses))

    def is_handed_on(self, result: Lane) -> bool:
        """Whether the replay of a later segment reads a computed value, and this one's has to compute it."""
        cell = self.cell_of.get(id(result))
        return cell is not None and bool(self.readers[cell]) and bool(self.needs[id(result)])

    def script(self) -> Script:
        forward = ForwardWriter(self.trace, self.cell_of)
        forward.write_all(self.notes)
        results = [note.result for note in self.notes if isinstance(note, Formula | Apply | Draw)]
        kept = [id(result) for result in results if id(result) in self.cell_of]
        writes = tuple(self.cell_of[result] for result in kept)
        drawn = self.drawn()
        renews = tuple(self.cell_of[result] for result in kept if result in drawn)
        scored = self.scored()
        if not scored:
            return Script(*forward.script(), None, (), frozenset(), writes, renews, ())
        replay = ReplayWriter(self.trace, self.cell_of)
        follows = []
        for note in scored:
            replay.write(note)
            if isinstance(note, Formula | Apply) and self.is_handed_on(note.result):
                replay.keep(note.result)
                follows.append((self.cell_of[id(note.result)], self.needs[id(note.result)]))
        reads = _NONE.union(*map(self.depends, scored))
        return Script(*forward.script(), *replay.script(), reads, writes, renews, tuple(follows))

    def drawn(self) -> set[int]:
        """The values that depend on what the segment draws."""
        found: set[int] = set()
        for note in self.notes:
            if isinstance(note, Draw) or (
                isinstance(note, Formula | Apply) and any(id(lane) in found for lane in note.uses)
            ):
                found.add(id(note.result))
        return found

    def scored(self) -> list[Note]:
        """What a replay does: densities and values that depend on earlier segments, and what they are computed from."""
        wanted: set[int] = set()
        found: list[Note] = []
        for note in reversed(self.notes):
            match note:
                case Formula(result) | Apply(result):
                    needed = id(result) in wanted or self.is_handed_on(result)
                case Report():
                    needed = False
                case _:
                    needed = bool(self.depends(note))
            if needed:
                found.append(note)
                wanted.update(id(lane) for lane in note.uses)
        return found[::-1]
