"""The joint density of a specialised program as machine code, segment by segment, and the moves that use it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.forms import Tables, dispatch, forms
from pplc_runtime.native.library import TEXT
from pplc_runtime.native.machine import Interpreted, Machine, made
from pplc_runtime.native.scalar import SMALL, Scalar
from pplc_runtime.native.values import Elements, Unsupported, size_of
from pplc_runtime.specialise.ir import Compute, Draw, Segment, Specialised, Var
from pplc_runtime.values import ModelError

MOST_FORMS: Final = 200
_FIRST: Final = "\n".join([*(f"{name} = m.{name}" for name in ("X", "S", "E", "KI", "KF", "KA")), "lp = 0.0"])
_STUB: Final = TEXT[TEXT.index("def joint(") : TEXT.index("def free(")]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Given(Scalar):
    """The density of a segment whose draws are given."""

    ends = "return nan"
    impossible = "return -inf"

    def __init__(self, segment: int, offsets: dict[Var, int]) -> None:
        super().__init__(segment)
        self.offsets = offsets

    def load(self, var: Var) -> Elements:
        start = self.constant("whole", self.offsets[var])
        if size_of(var) > SMALL:
            return Elements(var.shape, array=f"X[{start}:]")
        return Elements(var.shape, tuple(self.set(f"X[{start} + {k}]") for k in range(size_of(var))))

    def keep(self, var: Var, value: Elements) -> None:
        if var not in self.offsets:
            return
        start = self.constant("whole", self.offsets[var])
        if value.items:
            for k, item in enumerate(value.items):
                self.line(f"X[{start} + {k}] = {item}")
        else:
            index = self.name()
            self.line(f"for {index} in range({value.size}):")
            self.line(f"    X[{start} + {index}] = {value.array[:-2]} + {index}]")

    def draw(self, draw: Draw) -> None:
        self.add(self.density(draw.family, draw.parts, draw.result))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where values stand in an execution."""

    offsets: dict[Var, int]
    size: int
    draws: tuple[Draw, ...]

    @classmethod
    def of(cls, program: Specialised) -> Layout:
        offsets: dict[Var, int] = {}
        size = 0
        for var in program.cell_of:
            offsets[var] = size
            size += size_of(var)
        draws = tuple(each for segment in program.segments for each in segment.forward if isinstance(each, Draw))
        return cls(offsets, size, draws)

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


class Joint:
    """The joint density of a program as machine code, and the moves of its values."""

    def __init__(self, program: Specialised, machine: type[Machine] | type[Interpreted] = Machine) -> None:
        self.program = program
        self.layout = Layout.of(program)
        tables = Tables()
        codes: list[Scalar] = []
        for number, segment in enumerate(program.segments):
            code = _Given(number, self.layout.offsets)
            for operation in segment.forward:
                code.write(operation)
            codes.append(code)
        self.forms = forms(codes, "def joint_#(m: Moves, i0: int, f0: int) -> float:", _FIRST, "return lp", tables)
        count = 1 + max(place.form for place in self.forms.places)
        if count > MOST_FORMS:
            raise Unsupported("too many segments that are each of a form of their own")
        own = dispatch("joint", "m: Moves, i0: int, f0: int) -> float", "m, i0, f0", count, "nan")
        self.text = TEXT.replace(_STUB, "\n".join([*self.forms.text, *own, ""]))
        exported = frozenset({"score_all", "move_block"})
        self.machine = made(machine, self.text, exported)  # type: ignore[arg-type] # classes are hashable
        self.whole, self.real, self.arrays = tables.done()
        self.places = np.array([[p.form, p.whole, p.real] for p in self.forms.places], np.int64).ravel()

    def fields(self, x: Floats) -> dict[str, Any]:
        """What moves work on: an execution, no sites."""
        segments, none, nothing = len(self.program.segments), np.zeros(1), np.zeros(1, np.int64)
        return {
            "X": x, "SC": np.zeros(segments), "S": np.zeros(self.forms.scratch + 1), "E": np.zeros(2, np.int64),
            "KI": self.whole, "KF": self.real, "KA": self.arrays, "PL": self.places, "segments": segments, "sites": 0,
            "OFF": nothing, "KIND": nothing, "LO": none, "HI": none, "AF": nothing, "NEW": none, "WR": nothing,
            "BK": none, "P": none, "SCALE": none, "kept": 0, "KEPT": nothing, "OUT": none,
        }  # fmt: skip

    def log_density(self, x: Floats) -> float:
        """The log density of an execution; what it computes is written into it."""
        fields = self.fields(x)
        total = float(self.machine["score_all"](self.machine.record("Moves", fields)))
        if math.isnan(total):
            raise ModelError(self.failure(fields["E"])[1])
        return total

    def failure(self, error: Ints) -> tuple[int, str]:
        """The segment in which something is wrong, and what."""
        segment, what = error.tolist()
        return segment, self.forms.messages[segment][what]


def readers(segments: list[Segment]) -> dict[Var, list[int]]:
    """The segments that read each value which they have not computed or drawn."""
    found: dict[Var, list[int]] = {}
    for number, segment in enumerate(segments):
        for operation in segment.forward:
            for var in operation.uses:
                if var.segment < number and (not found.get(var) or found[var][-1] != number):
                    found.setdefault(var, []).append(number)
    return found


def affected(segments: list[Segment], reads: dict[Var, list[int]], draw: Draw) -> tuple[list[int], list[Var]]:
    """The segments whose density depends on a draw, and the values that they compute from it."""
    pending, done = {draw.result.segment}, set()
    changed = {draw.result}
    pending.update(reads.get(draw.result, ()))
    computed: list[Var] = []
    while pending:
        number = min(pending)
        pending.discard(number)
        done.add(number)
        for operation in segments[number].forward:
            if isinstance(operation, Compute) and not changed.isdisjoint(operation.uses):
                changed.add(operation.result)
                computed.append(operation.result)
                pending.update(each for each in reads.get(operation.result, ()) if each not in done)
    return sorted(done), computed
