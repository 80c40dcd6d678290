"""The joint density of a specialised program as machine code, piece by piece, and the moves that use it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import Interpreted, Machine, made
from pplc_runtime.native.alike import Writing, pattern
from pplc_runtime.native.forms import Tables, dispatch, forms
from pplc_runtime.native.library import PROPOSALS, TEXT
from pplc_runtime.native.noise import NOISE, NORMAL, noises
from pplc_runtime.native.once import computed_once
from pplc_runtime.native.pieces import Pieces
from pplc_runtime.native.plates import Leaves, Plates, leaves
from pplc_runtime.native.reverse import Backward, Turned
from pplc_runtime.native.sampled import Sampled
from pplc_runtime.native.scalar import SMALL, Row, Scalar
from pplc_runtime.native.values import Elements, Unsupported, size_of
from pplc_runtime.specialise.ir import Compute, Draw, Operand, Specialised, Var
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


@dataclass(frozen=True, slots=True)
class Layout:
    """Where values stand in an execution, and the noise of draws that follow it."""

    offsets: dict[Var, int]
    noise: dict[Var, int]
    size: int
    draws: tuple[Draw, ...]

    @classmethod
    def of(
        cls, program: Specialised, pieces: Pieces | None = None, same: Mapping[Var, Var] = MappingProxyType({})
    ) -> Layout:
        """That of the cells of a program; with what its pieces have beside them, if there are some. Values that are the
        same as others stand where these do."""
        offsets: dict[Var, int] = {}
        noise: dict[Var, int] = {}
        size = 0
        for var in (*program.cell_of, *(() if pieces is None else pieces.outliving())):
            first = same.get(var, var)
            if first not in offsets:
                offsets[first] = size
                size += size_of(var)
            offsets[var] = offsets[first]
        draws = tuple(each for segment in program.segments for each in segment.forward if isinstance(each, Draw))
        for draw in () if pieces is None else draws:
            if count := len(noises(draw)):
                noise[draw.result] = size
                size += count
        return cls(offsets, noise, size, draws)

    def written(self, held: dict[At, Any]) -> Floats:
        """An execution from what it drew; what it computes is not there yet."""
        x = np.zeros(self.size)
        for draw in self.draws:
            start = self.offsets[draw.result]
            x[start : start + size_of(draw.result)] = np.ravel(held[draw.at])
        return x

    def read(self, x: Floats) -> dict[At, Any]:
        """What an execution drew."""
        return {draw.at: self.value(x, draw.result) for draw in self.draws}

    def value(self, x: Floats, var: Var) -> Any:
        start = self.offsets[var]
        if var.shape:
            return x[start : start + size_of(var)].reshape(var.shape).astype(var.dtype)
        return var.dtype.type(x[start]).item()


class _Given(Scalar):
    """The density of a piece whose draws are given; or the noise of those that follow it."""

    ends = "return nan"
    impossible = "return -inf"

    def __init__(self, segment: int, layout: Layout, noise: bool) -> None:
        super().__init__(segment)
        self.offsets = layout.offsets
        self.noise = layout.noise if noise else {}

    def load(self, var: Var) -> Elements:
        start = self.constant("whole", self.offsets[var], source=var)
        if size_of(var) > SMALL:
            return Elements(var.shape, array=f"X[{start}:]")
        return Elements(var.shape, tuple(self.set(f"X[{start} + {k}]") for k in range(size_of(var))))

    def keep(self, var: Var, value: Elements) -> None:
        if var not in self.offsets:
            return
        start = self.constant("whole", self.offsets[var], source=var)
        if value.items:
            for k, item in enumerate(value.items):
                self.line(f"X[{start} + {k}] = {item}")
        else:
            index = self.name()
            self.line(f"for {index} in range({value.size}):")
            self.line(f"    X[{start} + {index}] = {value.array[:-2]} + {index}]")

    def draw(self, draw: Draw) -> None:
        if draw.result in self.noise:
            self.follow(draw)
        else:
            self.add(self.density(draw.family, draw.parts, draw.result))

    def follow(self, draw: Draw) -> None:
        """The value from the noise; `filling` is where the noise is found from the value."""
        if draw.family.name == "mvn":
            self.follow_together(draw)
            return
        rule = NOISE[draw.family.name]
        given = [self.number(part) for part in draw.parts]
        place = self.constant("whole", self.noise[draw.result])
        value = f"X[{self.constant('whole', self.offsets[draw.result])}]"
        self.line(f"if m.filling != 0: X[{place}] = {rule.noise.format(*given, x=value, e='')}")
        noise = self.set(f"X[{place}]")
        self.define(draw.result, [rule.value.format(*given, e=noise, x="")])
        self.add(rule.density.format(*given, e=noise, x=""))

    def follow_together(self, draw: Draw) -> None:
        """A vector from its mean, and the root of its covariance times the noise."""
        mean, rows = self.value(draw.parts[0]).items, self.small_root(draw.parts[1])
        place = self.constant("whole", self.noise[draw.result])
        start = self.constant("whole", self.offsets[draw.result])
        for k, row in enumerate(rows):
            known = "".join(f" - {x} * X[{place} + {j}]" for j, x in enumerate(row[:-1]))
            noise = f"(X[{start} + {k}] - {mean[k]}{known}) / {row[-1]}"
            self.line(f"if m.filling != 0: X[{place} + {k}] = {noise}")
        noises = [self.set(f"X[{place} + {k}]") for k in range(len(rows))]
        values = [" + ".join([mean[k], *(f"{x} * {e}" for x, e in zip(row, noises))]) for k, row in enumerate(rows)]
        self.define(draw.result, values)
        for noise in noises:
            self.add(NORMAL.format(e=noise))


class _Back(Backward, _Given):
    """The derivative of the density of a piece, backwards."""

    def __init__(self, segment: int, layout: Layout, noise: bool, turned: Turned) -> None:
        super().__init__(segment, layout, noise)
        self.known = turned

    def end(self) -> None:
        self.turn(self.known)


class _Fresh(Sampled, _Given):
    """A draw from its distribution as it is; what that is computed from has been looked at where its density was."""

    def key(self, draw: Draw) -> str:
        return "k0, k1, c0"

    def keep(self, var: Var, value: Elements) -> None:
        pass

    def check(self, domain: Domain, value: Elements) -> None:
        pass

    def fit(self, family: Family, parts: tuple[Operand, ...]) -> None:
        pass

    def draw(self, draw: Draw) -> None:
        start = self.constant("whole", self.offsets[draw.result])
        for k, item in enumerate(self.drawn(draw)):
            self.line(f"X[{start} + {k}] = {item}")


class There(_Given):
    """The density of a factor, whose draw is given and of which nobody else reads anything."""

    def keep(self, var: Var, value: Elements) -> None:
        """Nobody reads it."""

    def add(self, density: str) -> None:
        term = self.set(density)
        self.line(f"if not ({term} < inf): {self.fail('the density of this observe is not a number')}")
        self.line(f"lp = lp + {term}")


class Away(_Back):
    """Its derivative."""

    def keep(self, var: Var, value: Elements) -> None:
        """Nobody reads it."""


class _Leaf(_Back):
    """The density of a piece of which no other reads anything, and its derivative."""

    check = Scalar.check
    fit = Scalar.fit

    def add(self, density: str) -> None:
        super().add(density)
        term = f"v{self.count}"
        self.line(f"if not ({term} > -inf and {term} < inf): return nan")
        self.line(f"lp = lp + {term}")


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
        there = Writing(lambda number, _: _Given(number, self.layout, noise), self.layout.offsets)
        back = Writing(lambda number, _: _Back(number, self.layout, noise, turned), self.layout.offsets)
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
            from pplc_runtime.native.sums import plates_of

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
            code = _Fresh(number, self.layout, False)
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
        both = Writing(lambda number, _: _Leaf(number, self.layout, noise, turned), self.layout.offsets)
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
