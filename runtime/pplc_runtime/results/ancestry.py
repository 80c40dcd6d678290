"""What the final particles of a sweep share of their past: lines of ancestors, and how many are left of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

STRIDE: Final = 4
"""Lines are looked at 1, 4, 16, 64 ... forks before the end, and at the first generation."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The final particles by their ancestors in one generation."""

    generation: int
    """Counted from 0: it ends with the observe of that number."""
    places: NDArray[Any]
    """The place of each final particle's ancestor, in the smallest kind of whole number that holds it."""

    def left(self) -> int:
        """How many ancestors have descendants at the end."""
        return int(np.count_nonzero(np.bincount(self.places)))


@dataclass(frozen=True, slots=True)
class Ancestry:
    """The lines of a sweep of independent particles, the latest generation first.

    It ends with the first generation, or with one in which a single line is left: before it all is shared."""

    particles: int
    forks: int = 0
    lines: tuple[Lines, ...] = ()

    @classmethod
    def of(cls, particles: int, forks: Iterable[tuple[int, NDArray[np.intp]]]) -> Ancestry:
        """From all forks, the last first: the generation before each, and whom each particle of it continues."""
        kind = np.min_scalar_type(max(particles - 1, 1))
        found: list[Lines] = []
        places: Any = None
        number, due, generation, met = 0, 1, 0, False
        for generation, ancestors in forks:
            number += 1
            if met:
                continue
            places = ancestors if places is None else ancestors.take(places)
            if number == due:
                due *= STRIDE
                found.append(Lines(generation, places.astype(kind)))
                met = bool((places == places[0]).all())
        if places is not None and found[-1].generation != generation and not met:
            found.append(Lines(generation, places.astype(kind)))
        return cls(particles, number, tuple(found))
