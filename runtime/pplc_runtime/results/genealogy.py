"""The genealogy of one sweep: who continued whom, which lines lived to the end, and which particle was retained.

Particles of one generation are numbered from 0. In a conditional sweep (icsmc, pgas) particle 0 of every generation
takes the values that the run retained before had drawn there: under icsmc it always continues particle 0, under pgas
it may continue another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Genealogy:
    """The ancestors of all particles of a sweep."""

    ancestors: NDArray[np.intp]
    """A row for each generation but the first: the particle of the generation before that each one continues."""
    chosen: int | None = None
    """The final particle that is retained for the next sweep; None for smc, which retains none."""

    @classmethod
    def of(cls, size: int, ancestors: Iterable[NDArray[np.intp]], chosen: int | None = None) -> Genealogy:
        """The genealogy of so many particles, from the ancestors of each generation but the first."""
        rows = list(ancestors)
        return cls(np.array(rows, np.intp) if rows else np.empty((0, size), np.intp), chosen)

    @property
    def generations(self) -> int:
        return len(self.ancestors) + 1

    @property
    def particles(self) -> int:
        return int(self.ancestors.shape[1])

    def line(self, particle: int) -> NDArray[np.intp]:
        """A final particle's ancestor in each generation, itself at the end."""
        places = [particle]
        for row in self.ancestors[::-1]:
            places.append(int(row[places[-1]]))
        return np.array(places[::-1], np.intp)

    def living(self) -> NDArray[np.bool_]:
        """By generation and particle: whether it has descendants at the end."""
        found = np.ones((self.generations, self.particles), np.bool_)
        for n in range(len(self.ancestors) - 1, -1, -1):
            found[n] = False
            found[n, self.ancestors[n][found[n + 1]]] = True
        return found

    def renewed(self) -> NDArray[np.bool_]:
        """By generation: whether the path that is retained now has other values there than the one before."""
        if self.chosen is None:
            raise ValueError("a sweep of smc retains no particle")
        renewed: NDArray[np.bool_] = self.line(self.chosen) != 0
        return renewed

    def sentence(self) -> str:
        """What one sees in the picture."""
        common = int((self.living().sum(axis=1) == 1).sum())  # once lines have met they stay together
        if common == 0:
            said = f"the final particles have {int(self.living()[0].sum())} ancestors in generation 1"
        elif common == self.generations:
            said = "there is one particle"
        else:
            said = f"the final particles have one common ancestor up to generation {common}"
        if self.chosen is not None:
            said += f"; {int(self.renewed().sum())} of {self.generations} generations of the retained path are renewed"
        return said
