"""The sweeper: runs blocks of sweeps of importance, smc, icsmc and pgas as machine code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.sweep_code import Code, Floats, Ints
from pplc_runtime.native.values import size_of
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.ancestry import STRIDE
from pplc_runtime.results.kept import MOST_KEPT, MOST_PARTICLES
from pplc_runtime.specialise.ir import Draw

SELDOM: Final = 10
"""What costs time is looked at in one of so many sweeps."""
MOST_SWEEPS: Final = 1000
MOST_NUMBERS: Final = 4_000_000
"""So many sweeps, or numbers that they hand over or draw, are worth a block."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What some sweeps come to, as arrays by sweep."""

    log_weights: Floats
    """By particle, those of the last generation."""
    log_evidences: Floats
    reports: Floats
    """By element of what is reported, and particle."""
    moved: Ints
    paths: Ints
    """By segment, the slot of the path that is retained now."""
    places: Ints
    """The particles that stand for each sweep; and by element of what is drawn what they drew."""
    drawn: Floats
    weakest: Floats
    """Of the sweeps that are looked at: generation, effective particles, decades, and whether one has ended; how many
    ancestors there are."""
    ancestors: Ints
    forks: Ints
    """The ancestors of the last sweeps by generation, and whether there were any."""
    due: Ints
    generations: Ints
    """The number of forks, and the generations of lines of ancestors; the lines."""
    lines: Ints


class Sweeper:
    """Sweeps of so many particles, and what they retain from one to the next."""

    def __init__(self, code: Code, size: int, threshold: float = 1.0) -> None:
        self.code = code
        self.size = size
        groups: dict[Any, list[Draw]] = {}
        for draw in code.layout.draws:
            groups.setdefault((draw.result.dtype, draw.result.shape), []).append(draw)
        self.groups = list(groups.values())
        """The draws, by kind and shape."""
        segments, program = len(code.program.segments), code.program
        self.rows = sum(size_of(draw.result) for draw in code.layout.draws)
        self.lines = 0
        if not code.mode.kept:
            self.standing = min(size, MOST_KEPT) if size <= MOST_PARTICLES else 0
            if not code.mode.weighed:
                self.lines = 2 + int(math.log(max(1, segments), STRIDE))
        else:
            self.standing = 1
        numbers = segments * size + self.rows * self.standing + code.tables["reports"] * size + self.lines * size
        self.block = min(MOST_SWEEPS, max(1, MOST_NUMBERS // numbers))
        """How many are done at once."""
        scored = segments * size if code.mode.rescored else 1
        self.fields: dict[str, Any] = {
            **code.tables, "starting": 0, "L": size, "threshold": threshold, "k0": 0, "k1": 0,
            "X": np.zeros(code.layout.size * size + 1), "REF": np.zeros(code.layout.size + 1),
            "M": np.zeros(code.schedule.maps * size, np.int64), "A": np.zeros(segments * size, np.int64),
            "DUE": np.zeros(segments, np.int64), "SC": np.zeros(scored), "SB": np.zeros(scored, np.int64),
            **{name: np.zeros(size) for name in ("LW", "W", "V", "CUM", "TOT", "TF")},
            "Z": np.zeros(code.forward.normals * size + 1), "BAD": np.zeros(size, np.int64),
            "TI": np.zeros(size + 3, np.int64),
            "GUIDE": np.zeros(4 * size + 1, np.int64),
            **self.draw_tables(), "standing": self.standing, "rows": self.rows, "lines": self.lines,
        }  # fmt: skip
        assert len(program.segments) == segments

    def draw_tables(self) -> dict[str, Any]:
        """Where what is drawn stands in what is handed over: by group, in the order of the program."""
        row_of: dict[Any, int] = {}
        row = 0
        for draw in (draw for group in self.groups for draw in group):
            row_of[draw.result] = row
            row += size_of(draw.result)
        starts, found = [0], []
        for segment in self.code.program.segments:
            for each in segment.forward:
                if isinstance(each, Draw):
                    found += [self.code.layout.offsets[each.result], size_of(each.result), row_of[each.result]]
            starts.append(len(found) // 3)
        return {"DW": np.array(found or [0], np.int64), "DS": np.array(starts, np.int64)}

    def start(self, held: dict[At, Any]) -> bool:
        """Go on from what another execution drew: a lone particle that follows it finds what it computes. Whether that
        can be: there may be no code for numbers as large as those."""
        self.fields["REF"][:-1] = self.code.layout.written(held)
        own = {**self.fields, "L": 1, "rescored": 0, "weighed": 1, "report": 0}
        own |= {"M": np.zeros(self.code.schedule.maps, np.int64), **self.outputs(1, 1, 0, report=False)}
        own |= {"K0": 0, "K1": 0, "folds": 0, "number": 0, "chain": 0, "first": 0}
        return self.call(own, 1) == 1

    def first(self, key: Key) -> dict[At, Any] | None:
        """What a particle draws that is chosen by weight after a sweep of smc; None where something is wrong."""
        own = {**self.fields, "starting": 1, **self.outputs(1, self.size, 0, report=False), "folds": 0, "number": 0}
        own |= {"K0": _signed(key.k0), "K1": _signed(key.k1), "chain": 0, "first": 0}
        return self.held if self.call(own, 1) == 1 else None

    @property
    def held(self) -> dict[At, Any]:
        """What is retained."""
        return self.code.layout.read(self.fields["REF"])

    def run(
        self, count: int, key: Key, folded: int | None, number: int, traces: int, report: bool, chain: int = 0
    ) -> tuple[int, Swept]:
        """Some sweeps of a chain, from a number on: how many were done, and what they came to. The key is that of the
        chain, from which those of its sweeps are folded from another number on, or that of the one sweep. One in ten
        is looked at, and of the last ones, so many as are asked for, the genealogy is kept."""
        first = max(0, count - traces)
        fields = {**self.fields, **self.outputs(count, self.size, count - first, report), "looks": -number % SELDOM}
        fields |= {
            "K0": _signed(key.k0),
            "K1": _signed(key.k1),
            "folds": int(folded is not None),
            "number": folded or 0,
            "chain": chain,
            "first": number,
        }
        done = self.call({**fields, "traces": first}, count)
        shape, segments, size = (count,), fields["T"], self.size
        return done, Swept(
            fields["OUTW"].reshape(*shape, size if report else 0),
            fields["OUTE"],
            fields["OUTR"][:-1].reshape(*shape, fields["reports"], size if report else 0),
            fields["OUTM"],
            fields["OUTP"].reshape(*shape, segments if report and self.code.mode.kept else 0),
            fields["PLACES"].reshape(*shape, self.standing),
            fields["OUTD"][:-1].reshape(*shape, self.rows, self.standing if report else 0),
            fields["OUTV"].reshape(-1, 4),
            fields["OUTA"].reshape(-1, segments),
            fields["OUTG"].reshape(-1, segments, size),
            fields["OUTF"].reshape(-1, segments),
            fields["LINES"].reshape(*shape, self.lines + 1 if report else 0),
            fields["OUTL"].reshape(*shape, self.lines, size if report else 0),
        )

    def outputs(self, count: int, size: int, traces: int, report: bool) -> dict[str, Any]:
        """Room for what sweeps hand over."""
        segments = self.code.tables["T"]
        many = count if report else 0
        looked = many if size > 1 else 0
        return {
            "report": int(report), "looks": 0, "traces": count - traces,
            "OUTR": np.empty(many * self.code.tables["reports"] * size + 1), "OUTE": np.empty(count),
            "OUTW": np.empty(many * size), "OUTM": np.empty(many, np.int64),
            "OUTP": np.empty(many * segments if self.code.mode.kept else 0, np.int64),
            "PLACES": np.zeros(max(1, count * self.standing), np.int64)[: count * self.standing],
            "OUTD": np.empty(many * self.rows * self.standing + 1),
            "OUTV": np.zeros(4 * many), "OUTA": np.zeros(looked * segments if self.code.mode.kept else 0, np.int64),
            "OUTG": np.empty(traces * segments * size, np.int64), "OUTF": np.empty(traces * segments, np.int64),
            "LINES": np.full(many * (self.lines + 1), -1, np.int64),
            "OUTL": np.empty(many * self.lines * size, np.int64),
        }  # fmt: skip

    def call(self, fields: dict[str, Any], count: int) -> int:
        machine = self.code.machine
        return int(machine["sweep_block"](machine.record("Sweeps", fields), count))


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
