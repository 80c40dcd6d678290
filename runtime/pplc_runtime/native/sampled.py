"""The scalar code of draws: the elements of a value that a family gives, by random numbers of a key."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from pplc_runtime.native.library import FUNCTIONS
from pplc_runtime.native.noise import SMALL_ROOT
from pplc_runtime.native.roots import small_root
from pplc_runtime.native.scalar import Scalar
from pplc_runtime.native.values import Elements, Unsupported, size_of
from pplc_runtime.specialise.ir import Draw, Operand

_BY_NORMAL: Final = {
    "normal": "{0} + {1} * {z}",
    "half-normal": "fabs({z}) * {0}",
    "lognormal": "exp(bounded({0} + {1} * {z}, -708.0, 708.0))",
}
"""Draws that take one normal number, as in `machine/draws`."""


class Sampled(Scalar):
    """Scalar code that draws."""

    @abstractmethod
    def key(self, draw: Draw) -> str:
        """What the random numbers of a draw are by, as arguments: all but the last, `c1`."""

    def normal(self, key: str) -> str:
        """A standard normal number by a key."""
        return f"normal({key}, c1)"

    def drawn(self, draw: Draw) -> list[str]:
        """The elements of a draw, in code that is run by those who draw."""
        key = self.key(draw)
        family, parts = draw.family.name, draw.parts
        if family == "discrete":
            return [self.drawn_place(f"uniform({key}, c1)", self.value(parts[0]))]
        if family == "dirichlet":
            room, size = self.room(size_of(draw.result)), size_of(draw.result)
            self.line(f"dirichlet({key}, c1, {size}, {self.array(self.value(parts[0]))}, {room})")
            return [f"{room[:-2]} + {j}]" for j in range(size)]
        if family == "mvn":
            return self.drawn_mvn(draw, key)
        if family in _BY_NORMAL:
            return [_BY_NORMAL[family].format(*map(self.number, parts), z=self.normal(key))]
        name = f"draw_{family.replace('-', '_')}"
        if name not in FUNCTIONS or draw.result.shape:
            raise Unsupported(f"a draw from {family}")
        return [f"{name}({key}, c1, {', '.join(map(self.number, parts))})"]

    def drawn_place(self, number: str, weights: Elements) -> str:
        """A place by weight."""
        point, place = self.name(), self.name()
        if weights.array:
            self.line(f"{place} = pick({weights.size}, {weights.array}, {number})")
            return f"float({place})"
        ends = [weights.items[0]]
        for item in weights.items[1:]:
            ends.append(self.set(f"{ends[-1]} + {item}"))
        self.line(f"{point} = {number} * {ends[-1]}")
        self.line(f"{place} = 0.0")
        for end in ends[:-1]:
            self.line(f"if {end} <= {point}: {place} = {place} + 1.0")
        return place

    def drawn_mvn(self, draw: Draw, key: str) -> list[str]:
        mean, size = self.value(draw.parts[0]), size_of(draw.result)
        rows = self.root_for(draw.parts[1], size)
        noise = [self.set(self.normal(f"{key} + {k}")) for k in range(size)]
        return [
            " + ".join([self.element(mean, j), *(f"{factor} * {z}" for factor, z in zip(row, noise))])
            for j, row in enumerate(rows)
        ]

    def root_for(self, covariance: Operand, size: int) -> list[list[str]]:
        """The root of a covariance, row by row."""
        if size <= SMALL_ROOT:
            return small_root(self, covariance)[0]
        root, _ = self.root(covariance)
        return [[f"{root[:-2]} + {j * size + k}]" for k in range(j + 1)] for j in range(size)]
