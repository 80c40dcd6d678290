"""The scalar code of pieces whose draws are given: their densities, the way back of these, and draws from a
distribution as it is; and where values stand in an execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.noise import NOISE, NORMAL, noises
from pplc_runtime.native.pieces import Pieces
from pplc_runtime.native.reverse import Backward, Turned
from pplc_runtime.native.roots import small_root
from pplc_runtime.native.sampled import Sampled
from pplc_runtime.native.scalar import SMALL, Scalar
from pplc_runtime.native.values import Elements, size_of
from pplc_runtime.specialise.ir import Draw, Operand, Specialised, Var

Floats = NDArray[np.float64]


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


class Given(Scalar):
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
        mean, (rows, _) = self.value(draw.parts[0]).items, small_root(self, draw.parts[1])
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


class Back(Backward, Given):
    """The derivative of the density of a piece, backwards."""

    def __init__(self, segment: int, layout: Layout, noise: bool, turned: Turned) -> None:
        super().__init__(segment, layout, noise)
        self.known = turned

    def end(self) -> None:
        self.turn(self.known)


class Fresh(Sampled, Given):
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


class There(Given):
    """The density of a factor, whose draw is given and of which nobody else reads anything."""

    def keep(self, var: Var, value: Elements) -> None:
        """Nobody reads it."""

    def add(self, density: str) -> None:
        term = self.set(density)
        self.line(f"if not ({term} < inf): {self.fail('the density of this observe is not a number')}")
        self.line(f"lp = lp + {term}")


class Away(Back):
    """Its derivative."""

    def keep(self, var: Var, value: Elements) -> None:
        """Nobody reads it."""


class Leaf(Back):
    """The density of a piece of which no other reads anything, and its derivative."""

    check = Scalar.check
    fit = Scalar.fit

    def add(self, density: str) -> None:
        super().add(density)
        term = f"v{self.count}"
        self.line(f"if not ({term} > -inf and {term} < inf): return nan")
        self.line(f"lp = lp + {term}")
