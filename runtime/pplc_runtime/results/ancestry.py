"""What the final particles of a sweep share of their past: lines of ancestors, and how many are left of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

STRIDE: Final = 4
"""Lines are looked at 1, 4, 16, 64 ... forks before the end, and at the first generation."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The final particles by their ancestors in one generation."""

    generation: int
    """Counted from 0: it ends with the observe of that number."""
    places: NDArray[Any]
    """The place of each final particle's ancestor, in the smallest kind of whole number that holds it."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lines):
            return NotImplemented
        return self.generation == other.generation and np.array_equal(self.places, other.places)

    def left(self) -> int:
        """How many ancestors have descendants at the end."""
        return int(np.count_nonzero(np.bincount(self.places)))


@dataclass(frozen=True, slots=True)
class Outline:
    """The lines of a program that notes speak of."""

    observes: tuple[int, ...]
    """By generation: the line of the observe that ends it, 0 if there is none."""
    first: int | None = None
    """The first line that may draw a value before the first observe; None if there is none."""

    def observe(self, generation: int) -> str:
        """The observe that ends a generation, by its number and its line."""
        if generation >= len(self.observes):
            return f"observe {generation + 1}"
        line = self.observes[generation]
        return f"observe {generation + 1} (line {line})" if line else "the end of the program"

    def is_observed(self, generation: int) -> bool:
        """Whether a generation may end with an observe: if not, all that weighs it is inside of expressions."""
        return generation >= len(self.observes) or self.observes[generation] > 0


NO_OUTLINE: Final = Outline(())
"""Where nothing is known of the program."""


@dataclass(frozen=True, slots=True)
class Weakest:
    """The observe of a sweep that left the fewest particles."""

    generation: int
    effective: float
    """How many particles count there, by their weights."""
    decades: float
    """The largest weight is so many powers of ten above the least that is not zero."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The lines of a sweep of independent particles, the latest generation first.

    It ends with the first generation, or with one in which a single line is left: before it all is shared."""

    particles: int
    forks: int = 0
    lines: tuple[Lines, ...] = ()

    @classmethod
    def of(cls, particles: int, forks: Iterable[tuple[int, NDArray[np.intp]]]) -> Ancestry:
        """From all forks, the last first: the generation before each, and whom each particle of it continues.

        Going back, only the distinct ancestors are followed, which soon are few."""
        kind = np.min_scalar_type(max(particles - 1, 1))
        found: list[Lines] = []
        line = distinct = np.arange(particles)
        number, due, generation = 0, 1, 0
        for generation, ancestors in forks:
            number += 1
            if len(distinct) == 1 and found:
                continue
            distinct = ancestors.take(distinct)
            if number == due:
                due *= STRIDE
                places = distinct.take(line)
                found.append(Lines(generation, places.astype(kind)))
                present = np.zeros(particles, np.bool_)
                present[distinct] = True
                distinct = np.flatnonzero(present)
                line = (present.cumsum() - 1).take(places)
        if number and len(distinct) > 1 and found[-1].generation != generation:
            found.append(Lines(generation, distinct.take(line).astype(kind)))
        return cls(particles, number, tuple(found))
