"""Blocks of sweeps, as arrays: a `Sweep` is made when somebody asks for it.

A sweep in machine code takes less time than an object of Python does. What statistics need of many sweeps they take
from the arrays.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.kept import Kept, Places
from pplc_runtime.results.sweeps import Column, Sweep

Floats: TypeAlias = NDArray[np.float64]


class ByPlace(Sequence[Sweep]):
    """Sweeps that are taken by their places, also from the end, and several as a list."""

    @overload
    def __getitem__(self, place: int) -> Sweep: ...
    @overload
    def __getitem__(self, place: slice) -> list[Sweep]: ...
    def __getitem__(self, place: int | slice) -> Sweep | list[Sweep]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError("no such sweep")
        return self.sweep(place % len(self))

    @abstractmethod
    def sweep(self, place: int) -> Sweep:
        """The one at a place, counted from the first."""


@dataclass(frozen=True)
class Block(ByPlace):
    """Sweeps of one chain that follow each other."""

    chain: int
    number: int
    """That of the first."""
    log_weights: Floats
    """By sweep and particle."""
    predicts: Mapping[str, Column]
    """Arrays with the sweeps along the last axis but one; or lists of all particles of all sweeps."""
    log_evidences: Floats
    told: Callable[[int], Mapping[str, Any]]
    """The diagnostics of a sweep, by its place; and below what is kept of it."""
    kept: Callable[[int], Kept | None]
    standing: Places | None = None
    """The particles that stand for each sweep, where they are kept."""
    whole: bool = True
    """Whether a run can be taken up behind it: behind its last sweep."""

    def __len__(self) -> int:
        return len(self.log_weights)

    def sweep(self, place: int) -> Sweep:
        logs, evidence = self.log_weights[place], float(self.log_evidences[place])
        predicts = {label: self.column(label, place) for label in self.predicts} if evidence > -np.inf else {}
        return Sweep(self.chain, self.number + place, logs, predicts, evidence, self.told(place), self.kept(place),
            self.whole and place == len(self) - 1,
        )  # fmt: skip

    def column(self, label: str, place: int) -> Column:
        """What is predicted in a sweep."""
        column, size = self.predicts[label], self.log_weights.shape[1]
        return column[place * size : (place + 1) * size] if isinstance(column, list) else column[..., place, :]


Some: TypeAlias = Sweep | Block
"""One sweep, or several."""


def is_parted(parts: Iterable[Some]) -> bool:
    """Whether some sweep had an observe that was no resampling point; those of a block are alike."""
    firsts = (part[0] if isinstance(part, Block) else part for part in parts)
    return any(sweep.diagnostics.get("parted") for sweep in firsts)


class Sweeps(ByPlace):
    """Sweeps one after the other, some of them in blocks; in the order of chains and numbers."""

    def __init__(self, parts: Iterable[Some]) -> None:
        # In one order whoever finished first, so that sums come out the same to the last digit.
        self.parts: list[Some] = sorted(parts, key=lambda part: (part.chain, part.number))
        self.ends = np.cumsum([len(part) if isinstance(part, Block) else 1 for part in self.parts]).tolist()
        self.made: dict[int, Sweep] = {}

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def sweep(self, place: int) -> Sweep:
        number = bisect_right(self.ends, place)
        part = self.parts[number]
        if not isinstance(part, Block):
            return part
        if place not in self.made:
            self.made[place] = part[place - (self.ends[number] - len(part))]
        return self.made[place]

    def __iter__(self) -> Iterator[Sweep]:
        return map(self.sweep, range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        """As it goes to another process, or to a file."""
        return Sweeps, (list(self),)

    def placed(self) -> Iterator[tuple[int, Some]]:
        """The parts, each with the place of its first sweep."""
        return zip([0, *self.ends], self.parts)

    @property
    def chains(self) -> NDArray[np.intp]:
        """The chain of each sweep."""
        counts = np.diff([0, *self.ends])
        return np.repeat([part.chain for part in self.parts], counts).astype(np.intp)


def has_weight(done: Some) -> bool:
    """Whether a particle of a sweep, or of one of a block, has a weight."""
    if isinstance(done, Block):
        return bool((done.log_evidences > -np.inf).any())
    return done.log_evidence is None or done.log_evidence > -np.inf
