"""Slices: from a trace to a specialised program, with what each segment reads and writes.

A replay of a segment is a slice of it: the densities that depend on earlier segments, what later segments need of it
that does, and what those are computed from.
"""

from __future__ import annotations

from typing import Final

from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.specialise.ir import Compute, Draw, Operation, Report, Segment, Specialised, Trace, Var, vars_in


def specialised(trace: Trace) -> Specialised:
    """The specialised program of a trace."""
    _make_real(trace)
    cell_of: dict[Var, int] = {}
    draws: list[tuple[int, At]] = []
    for number, operations in enumerate([*trace.segments, trace.reports or []]):
        for operation in operations:
            if isinstance(operation, Draw):
                cell_of[operation.result] = len(cell_of)
                if number < len(trace.segments):
                    draws.append((cell_of[operation.result], operation.at))
            for var in operation.uses:
                if var.segment < number:
                    cell_of.setdefault(var, len(cell_of))
    for var in vars_in(tuple(trace.store.values())):
        cell_of.setdefault(var, len(cell_of))
    segments: list[Segment] = []
    readers: list[list[int]] = [[] for _ in cell_of]
    for number in reversed(range(len(trace.segments))):
        segment = _observing(number, trace, cell_of) or _Slicer(number, trace, cell_of, readers).segment()
        segments.append(segment)
        for cell in segment.reads:
            readers[cell].append(number)
    reports = None if trace.reports is None else tuple(trace.reports)
    found = [tuple(each[::-1]) for each in readers]
    return Specialised(segments[::-1], reports, trace.store, cell_of, found, draws, trace.parted)


def _make_real(trace: Trace) -> None:
    """Quotients of whole numbers are whole or real by chance: real ones, where only real arithmetic reads them."""
    quotients: dict[Var, Compute] = {}
    for operation in (each for segment in [*trace.segments, trace.reports or []] for each in segment):
        match operation:
            case Compute(result, name) if result.is_real and name in FACTS and FACTS[name].bare:
                if name == "/":
                    quotients[result] = operation
            case _:
                for var in operation.uses:
                    quotients.pop(var, None)
    for var in vars_in(tuple(trace.store.values())):
        quotients.pop(var, None)
    for quotient in quotients.values():
        if not quotient.is_bare:
            quotient.name = "ratio"


_NONE: Final[frozenset[int]] = frozenset()


def _observing(number: int, trace: Trace, cell_of: dict[Var, int]) -> Segment | None:
    """A segment that draws and hands on nothing, and of which all depends on earlier ones, such as a row of a
    regression: a replay does what it does. None for any other."""
    operations = tuple(trace.segments[number])
    read: set[Var] = set()
    used: set[Var] = set()
    made: list[Var] = []
    for operation in operations:
        if isinstance(operation, Draw | Report) or not operation.uses:
            return None
        for var in operation.uses:
            (read if var.segment < number else used).add(var)
        if isinstance(operation, Compute):
            made.append(operation.result)
            if operation.result in cell_of:
                return None
    if not used.issuperset(made):
        return None
    cells = frozenset([cell_of[var] for var in read])
    return Segment(operations, operations, cells, (), (), (), *trace.ends[number])


class _Slicer:
    """Slices a segment, when those after it are done."""

    def __init__(self, number: int, trace: Trace, cell_of: dict[Var, int], readers: list[list[int]]) -> None:
        self.operations = trace.segments[number]
        self.place, self.line = trace.ends[number]
        self.cell_of = cell_of
        self.readers = readers
        self.needs: dict[Var, frozenset[int]] = {}
        """The cells of earlier segments that each value depends on, if what is drawn is given."""
        for operation in self.operations:
            for var in operation.uses:
                if var.segment < number:
                    self.needs[var] = frozenset({cell_of[var]})
            if isinstance(operation, Compute):
                self.needs[operation.result] = self.depends(operation)

    def depends(self, operation: Operation) -> frozenset[int]:
        """The cells of earlier segments that an operation depends on."""
        if len(operation.uses) == 1:
            return self.needs.get(operation.uses[0], _NONE)
        return _NONE.union(*(self.needs.get(var, ()) for var in operation.uses))

    def is_handed_on(self, result: Var) -> bool:
        """Whether the replay of a later segment reads a computed value, and this one's has to compute it."""
        cell = self.cell_of.get(result)
        return cell is not None and bool(self.readers[cell]) and bool(self.needs[result])

    def segment(self) -> Segment:
        results = [operation.result for operation in self.operations if isinstance(operation, Compute | Draw)]
        kept = [result for result in results if result in self.cell_of]
        drawn = self.drawn()
        replay = self.replay()
        follows = tuple(
            (self.cell_of[operation.result], self.needs[operation.result])
            for operation in replay
            if isinstance(operation, Compute) and self.is_handed_on(operation.result)
        )
        return Segment(
            forward=tuple(self.operations),
            replay=replay,
            reads=_NONE.union(*map(self.depends, replay)),
            writes=tuple(self.cell_of[result] for result in kept),
            renews=tuple(self.cell_of[result] for result in kept if result in drawn),
            follows=follows,
            place=self.place,
            line=self.line,
        )

    def drawn(self) -> set[Var]:
        """The values that depend on what the segment draws."""
        found: set[Var] = set()
        for operation in self.operations:
            if isinstance(operation, Draw) or (
                isinstance(operation, Compute) and any(var in found for var in operation.uses)
            ):
                found.add(operation.result)
        return found

    def replay(self) -> tuple[Operation, ...]:
        """What a replay does."""
        wanted: set[Var] = set()
        found: list[Operation] = []
        for operation in reversed(self.operations):
            match operation:
                case Compute(result):
                    needed = result in wanted or self.is_handed_on(result)
                case Report():
                    needed = False
                case _:
                    needed = bool(self.depends(operation))
            if needed:
                found.append(operation)
                wanted.update(operation.uses)
        return tuple(found[::-1])
