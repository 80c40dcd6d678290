"""The joint density of a specialised program as machine code, piece by piece, and the moves that use it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import Interpreted, Machine, made
from pplc_runtime.native.alike import Writing, pattern
from pplc_runtime.native.forms import Tables, dispatch, forms
from pplc_runtime.native.library import PROPOSALS, TEXT
from pplc_runtime.native.once import computed_once
from pplc_runtime.native.piece_code import Back, Fresh, Given, Layout, Leaf
from pplc_runtime.native.pieces import Pieces
from pplc_runtime.native.plates import Leaves, Plates, leaves
from pplc_runtime.native.reverse import Turned
from pplc_runtime.native.scalar import Row, Scalar
from pplc_runtime.native.sums import plates_of
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.ir import Compute, Draw, Specialised, Var
from pplc_runtime.values import ModelError

MOST_FORMS: Final = 200
_FIRST: Final = "\n".join([*(f"{name} = m.{name}" for name in ("X", "S", "E", "KI", "KF", "KA")), "lp = 0.0"])
_BACK: Final = "\n".join([_FIRST, *(f"{name} = m.{name}" for name in ("G", "DS", "weight"))])
_JOINT: Final = TEXT[TEXT.index("def joint(") : TEXT.index("def back(")]
_BACKWARD: Final = TEXT[TEXT.index("def back(") : TEXT.index("def fill(")]
_FILL: Final = TEXT[TEXT.index("def fill(") : TEXT.index("def give(")]
_GIVE: Final = TEXT[TEXT.index("def give(") : TEXT.index("def both(")]
_BOTH: Final = TEXT[TEXT.index("def both(") : TEXT.index("def score_all(")]
_FRESH: Final = PROPOSALS[PROPOSALS.index("def fresh(") : PROPOSALS.index("def propose(")]
_ANEW: Final = "\n".join([_FIRST, "c0 = 0"])
_SCORING: Final = "m: Moves, i0: int, f0: int) -> float"
_DRAWING: Final = "m: Moves, i0: int, f0: int, k0: int, k1: int, c1: int) -> float"
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Joint:
    """The joint density of a program as machine code, and the moves of its values.

    With `noise`, draws follow their noise; with `gradient` there is a derivative; for draws that will be summed out
    there are loops; with `fresh` values are drawn anew, for proposals."""

    def __init__(
        self,
        program: Specialised,
        machine: type[Machine] | type[Interpreted] = Machine,
        noise: bool = False,
        gradient: bool = False,
        summed: frozenset[At] = frozenset(),
        fresh: bool = False,
    ) -> None:
        self.program = program
        segments, same = computed_once(program)
        self.pieces = Pieces(segments)
        self.layout = Layout.of(program, self.pieces, same)
        self.following = self.layout.noise if noise else {}
        """The draws that follow their noise, and where that stands."""
        tables = Tables()
        turned: Turned = {}
        there = Writing(lambda number, _: Given(number, self.layout, noise), self.layout.offsets)
        back = Writing(lambda number, _: Back(number, self.layout, noise, turned), self.layout.offsets)
        codes: list[Scalar | Row] = []
        backs: list[Scalar | Row] = []
        for number, piece in enumerate(self.pieces):
            own = pattern(piece.operations, self.layout.offsets)
            codes.append(there.of(number, piece.operations, own))
            if gradient:
                backs.append(back.of(number, piece.operations, own))
        self.codes = codes
        self.forms = forms(codes, "def joint_#(m: Moves, i0: int, f0: int) -> float:", _FIRST, "return lp", tables)
        text = TEXT.replace(_JOINT, "\n".join(_dispatched("joint", self.forms.text, codes, self.forms.places)))
        exported = {"score_all", "nuts_block" if gradient else "move_block"}
        places = [self.forms.places]
        self.scratch = self.forms.scratch + 1
        if gradient:
            back_forms = forms(backs, "def back_#(m: Moves, i0: int, f0: int) -> float:", _BACK, "return 0.0", tables)
            text = text.replace(_BACKWARD, "\n".join(_dispatched("back", back_forms.text, backs, back_forms.places)))
            exported.add("gradient")
            places.append(back_forms.places)
            self.scratch = max(self.scratch, back_forms.scratch + 1)
        elif noise:
            exported.add("ellipse_block")
        self.plates, self.leaves = Plates([], []), Leaves([], [])
        if gradient and not summed:
            self.leaves = leaves(self._leaves(noise), tables)
            if self.leaves.rows:
                text = text.replace(_BOTH, "\n".join(self.leaves.text))
        if summed:
            self.plates = plates_of(self, summed, noise, gradient, tables)
            if self.plates.rows:
                text = text.replace(_FILL, "\n".join(self.plates.text))
                text = text.replace(_GIVE, "") if gradient else text
        self.scratch = max(self.scratch, self.leaves.scratch + 1, self.plates.scratch + 1)
        self.fresh: dict[Var, tuple[int, int, int]] = {}
        """The form and places of the code that draws each value anew."""
        if fresh:
            text += self.drawing(tables)
            exported = {"score_all", "lmh_block"}
        self.text = text
        self.machine = made(machine, text, frozenset(exported))  # type: ignore[arg-type] # classes are hashable
        self.whole, self.real, self.arrays = tables.done()
        self.places = [np.array([[p.form, p.whole, p.real] for p in each], np.int64).ravel() for each in places]

    def drawing(self, tables: Tables) -> str:
        """The code that draws each value anew, with the proposals that call it."""
        codes: list[Scalar] = []
        draws = [(self.pieces.home[draw.result], draw) for draw in self.layout.draws]
        for number, _ in draws:
            code = Fresh(number, self.layout, False)
            for operation in self.pieces[number].operations:
                code.write(operation)
            codes.append(code)
        if not codes:
            return PROPOSALS
        found = forms(codes, f"def fresh_#({_DRAWING}:", _ANEW, "return 0.0", tables)
        self.fresh = {draw.result: (p.form, p.whole, p.real) for (_, draw), p in zip(draws, found.places)}
        self.scratch = max(self.scratch, found.scratch + 1)
        lines = _dispatched("fresh", found.text, codes, found.places, _DRAWING, "m, i0, f0, k0, k1, c1")
        return PROPOSALS.replace(_FRESH, "\n".join(lines))

    def _leaves(self, noise: bool) -> dict[int, Scalar | Row]:
        """The code of the pieces of which no other reads anything."""
        found: dict[int, Scalar | Row] = {}
        turned: Turned = {}
        both = Writing(lambda number, _: Leaf(number, self.layout, noise, turned), self.layout.offsets)
        for number, piece in enumerate(self.pieces):
            results = [each.result for each in piece.operations if isinstance(each, Compute)]
            follows = [each for each in piece.operations if isinstance(each, Draw) and each.result in self.following]
            if follows or any(result in self.layout.offsets for result in results):
                continue
            found[number] = both.of(number, piece.operations, pattern(piece.operations, self.layout.offsets))
        return found

    def fields(self, x: Floats) -> dict[str, Any]:
        """What moves work on: an execution, no sites."""
        pieces, none, nothing = len(self.pieces), np.zeros(1), np.zeros(1, np.int64)
        return {
            "X": x, "SC": np.zeros(pieces), "S": np.zeros(self.scratch), "E": np.zeros(2, np.int64),
            "KI": self.whole, "KF": self.real, "KA": self.arrays, "PL": self.places[0], "BL": self.places[-1],
            "G": np.zeros(len(x)), "DS": np.zeros(self.scratch), "weight": 1.0, "filling": 0,
            "pieces": pieces, "cells": len(x), "sites": 0,
            "OFF": nothing, "KIND": nothing, "LO": none, "HI": none, "AF": nothing, "NEW": none, "WR": nothing,
            "FP": nothing, "BK": none, "P": none, "SCALE": none, "kept": 0, "KEPT": nothing, "OUT": none, "T": none,
            "settling": 0, "exactly": 0,
            "zs": 0, "ZO": nothing, "ZLO": none, "ZN": nothing, "ZP": nothing, "FREE": nothing, "FR": nothing,
            "FC": nothing, "UF": nothing, "PF": nothing, "UO": nothing, "PO": nothing, "UT": none, "PT": none,
            "BT": none, "SUM": none,
            "gs": 0, "GF": nothing, "GZ": nothing, "GP": nothing, "GO": nothing, "FG": nothing, "GT": none, "GE": none,
            "GB": none, "plates": 0, "PLATES": nothing, "ROWS": nothing,
            "OTHERS": nothing,
        }  # fmt: skip

    def log_density(self, x: Floats) -> float:
        """The log density of an execution; what it computes is written into it."""
        fields = {**self.fields(x), "filling": 1}
        total = float(self.machine["score_all"](self.machine.record("Moves", fields)))
        if math.isnan(total):
            raise ModelError(self.failure(fields["E"])[1])
        return total

    def failure(self, error: Ints) -> tuple[int, str]:
        """The segment in which something is wrong, and what."""
        piece, what = error.tolist()
        return self.pieces[piece].segment, self.forms.messages[piece][what]


def _dispatched(
    name: str, text: list[str], codes: Sequence[Scalar | Row], places: list[Any], parameters: str = _SCORING,
    arguments: str = "m, i0, f0",
) -> list[str]:  # fmt: skip
    """The functions of all forms, and the one that calls them."""
    count = 1 + max(place.form for place in places)
    if count > MOST_FORMS:
        raise Unsupported("too many segments that are each of a form of their own")
    return [*text, *dispatch(name, parameters, arguments, count, "nan"), ""]
