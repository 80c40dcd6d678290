"""The machine code of whole sweeps over a specialised program: functions and tables, for one kind of sweep."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import Interpreted, Machine, made
from pplc_runtime.native.alike import Writing, pattern
from pplc_runtime.native.forms import Forms, Tables, dispatch, forms
from pplc_runtime.native.joint import MOST_FORMS
from pplc_runtime.native.library import SWEEPS
from pplc_runtime.native.modes import Mode
from pplc_runtime.native.particle import REPLAYED, Forward, Particle, Replay
from pplc_runtime.native.piece_code import Layout
from pplc_runtime.native.roots import with_roots
from pplc_runtime.native.scalar import Row, Scalar
from pplc_runtime.native.schedule import Boundary, Schedule, schedule
from pplc_runtime.native.values import Unsupported, size_of
from pplc_runtime.specialise.ir import Report, Specialised, Var, vars_in

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FIRST: Final = "\n".join(
    [
        *(f"{name} = s.{name}" for name in ("X", "REF", "M", "S", "Z", "E", "KI", "KF", "KA", "LW", "SC", "L")),
        *(f"{name} = s.{name}" for name in ("kept", "k0", "k1")),
    ]
)
_RUN: Final = """
for i in range(L):
    if not (LW[i] > -inf):
        continue
    c1 = (n << 40) + (i << 16)
    lp = 0.0
"""
_AGAIN: Final = """
for i in range(L):
    if not (LW[i] > -inf):
        continue
    lp = 0.0
    wrong = 0
"""
_STUBS: Final = SWEEPS[SWEEPS.index("def forward(") : SWEEPS.index("def rescore(")]
_PARAMETERS: Final = "s: Sweeps, n: int, i0: int, f0: int) -> int"


class Code:
    """The functions and tables of a program, for one kind of sweep."""

    def __init__(
        self,
        program: Specialised,
        mode: Mode,
        holds: Callable[[At], bool] | None = None,
        machine: type[Machine] | type[Interpreted] = Machine,
        full: bool = False,
    ) -> None:
        if any(isinstance(each, Report) for segment in program.segments for each in segment.forward):
            raise Unsupported("a predict that acts")
        self.cell_of = program.cell_of
        self.program = program = with_roots(program)
        self.mode = mode
        self.holds = holds
        self.layout = Layout.of(program)
        self.reported = reported_of(program)
        self.schedule = schedule(program, mode.rescored, self.reported, full)
        tables = Tables()
        self.forward = self.forward_forms(holds, tables)
        self.replays = self.replay_forms(tables)
        own = [*self.forward.text, *self.replays.text]
        for name, found in (("forward", self.forward), ("replay", self.replays)):
            count = 1 + max((place.form for place in found.places), default=-1)
            if count > MOST_FORMS:
                raise Unsupported("so many segments that are each of a form of their own")
            own += dispatch(name, _PARAMETERS, "s, n, i0, f0", count, "1")
        self.text = SWEEPS.replace(_STUBS, "\n".join([*own, ""]))
        self.machine = made(machine, self.text, frozenset({"sweep_block"}))  # type: ignore[arg-type] # is hashable
        self.tables = self.all_tables(tables)

    def forward_forms(self, holds: Callable[[At], bool] | None, tables: Tables) -> Forms:
        offsets = self.layout.offsets
        writing = Writing(lambda number, rows: Forward(number, offsets, rows, holds), offsets)
        codes: list[Scalar | Row] = []
        for number, segment in enumerate(self.program.segments):
            rows = {var: self.schedule.row(number, stamp) for var, stamp in self.schedule.reads[number].items()}
            codes.append(writing.of(number, segment.forward, pattern(segment.forward, offsets), rows))
        last = "    LW[i] = LW[i] + lp\nreturn 0"
        return forms(codes, f"def forward_#({_PARAMETERS}:", _FIRST, last, tables, _RUN)

    def replay_forms(self, tables: Tables) -> Forms:
        """A segment is replayed several times in a sweep, with other maps each time."""
        offsets = self.layout.offsets
        follows: frozenset[Var] = frozenset()
        writing = Writing(lambda number, rows: Replay(number, offsets, rows, follows), offsets)
        written: dict[int, Particle] = {}
        patterns: dict[int, Any] = {}
        codes: list[Any] = []
        var_of = {cell: var for var, cell in self.program.cell_of.items()}
        for number, boundary in enumerate(self.schedule.boundaries):
            for each in boundary.replays:
                rows = {var: self.schedule.row(number - 1, stamp) for var, stamp in each.stamps.items()}
                segment = self.program.segments[each.segment]
                if each.segment not in patterns:
                    follows = frozenset(var_of[cell] for cell, _ in segment.follows)
                    patterns[each.segment] = pattern(segment.replay, follows)
                own = patterns[each.segment]
                if own is not None:
                    codes.append(writing.of(each.segment, segment.replay, own, rows))
                    continue
                code = written.get(each.segment)
                if code is None:
                    code = written[each.segment] = Replay(each.segment, offsets, rows, follows)
                    for operation in segment.replay:
                        code.write(operation)
                else:
                    code = copy(code)
                    code.constants = list(code.constants)
                    for place, var in code.mapped:
                        code.constants[place] = replace(code.constants[place], value=rows[var])
                codes.append(code)
        last = "    SC[n * L + i] = lp if wrong == 0 else nan\nreturn 0"
        return forms(codes, f"def replay_#({_PARAMETERS}:", _FIRST, last, tables, _AGAIN)

    def message(self, segment: int, what: int) -> str:
        """What is wrong in a segment, by its number."""
        if what < REPLAYED:
            return self.forward.messages[segment][what]
        segments = [each.segment for boundary in self.schedule.boundaries for each in boundary.replays]
        return self.replays.messages[segments.index(segment)][what - REPLAYED]

    def all_tables(self, tables: Tables) -> dict[str, Any]:
        """The fields of `sweeps.Sweeps` that are the same in all sweeps."""
        program, plan = self.program, self.schedule
        whole, real, arrays = tables.done()
        var_of = {cell: var for var, cell in program.cell_of.items()}
        offsets = self.layout.offsets
        written = [[(offsets[var_of[cell]], size_of(var_of[cell])) for cell in own.writes] for own in program.segments]
        WS, WR = _ranges(written)
        FS, FK = _ranges(plan.forks)
        replays = iter(self.replays.places)
        rows = [
            [
                (
                    each.segment,
                    NO_ROW if each.before is None else plan.row(number - 1, each.before),
                    *_place(next(replays)),
                )
                for each in boundary.replays
            ]
            for number, boundary in enumerate(plan.boundaries)
        ]
        RS, RP = _ranges(rows)
        reports = [
            (offsets[var], size_of(var), plan.row(len(plan.reads) - 1, plan.reported[var])) for var in self.reported
        ]
        return {
            "T": len(program.segments), "elements": self.layout.size, "kept": int(self.mode.kept),
            "rescored": int(self.mode.rescored), "weighed": int(self.mode.weighed),
            "KI": whole, "KF": real, "KA": arrays, "S": np.zeros(max(self.forward.scratch, self.replays.scratch) + 1),
            "E": np.zeros(2, np.int64), "FW": _flat([_place(place) for place in self.forward.places]),
            "RP": RP, "RS": RS, "DR": _flat([(_ended(plan, n, each),) for n, each in enumerate(plan.boundaries)]),
            "FK": FK, "FS": FS, "WR": WR, "WS": WS, "RE": np.concatenate([[len(reports)], _flat(reports)]),
            "reports": sum(size_of(var) for var in self.reported),
        }  # fmt: skip


NO_ROW: Final = -1


def _ended(plan: Schedule, number: int, boundary: Boundary) -> int:
    return NO_ROW if boundary.ends is None else plan.row(number - 1, boundary.ends)


def _place(place: Any) -> tuple[int, int, int]:
    return place.form, place.whole, place.real


def _flat(rows: list[Any]) -> Ints:
    return np.array([number for row in rows for number in row] or [0], np.int64)


def _ranges(groups: list[list[Any]]) -> tuple[Ints, Ints]:
    """Where each group of rows begins, and all rows."""
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64)
    return starts, _flat([row for group in groups for row in group])


def reported_of(program: Specialised) -> list[Var]:
    """The values that reports read."""
    if program.reports is None:
        return list(vars_in(tuple(program.store.values())))
    found: dict[Var, None] = {}
    for operation in program.reports:
        found.update(dict.fromkeys(var for var in operation.uses if var.segment < len(program.segments)))
    return list(found)
