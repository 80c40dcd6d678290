"""Pieces: a specialised program cut behind every draw and observe, and what depends on what.

A move computes anew the pieces that depend on a value, so that small ones are cheap. What several pieces read is
computed in a piece of its own, so that it depends on no draw beside it. Where a draw follows its noise (see `noise`),
what depends on its parameters depends on it as well.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from heapq import heappop, heappush

from pplc_runtime.specialise.ir import Compute, Draw, Operation, Score, Var


@dataclass(frozen=True, slots=True)
class Piece:
    """Some operations of a segment, which draw or observe once at most."""

    segment: int
    operations: tuple[Operation, ...]


class Pieces(list[Piece]):
    """The pieces of a program in order, where each value comes up, and which pieces read it later."""

    def __init__(self, segments: list[tuple[Operation, ...]]) -> None:
        whole = [piece for number, operations in enumerate(segments) for piece in _cut(number, operations)]
        outliving = _outliving(whole)
        super().__init__(part for piece in whole for part in _parted(piece, outliving))
        self.home: dict[Var, int] = {}
        self.readers: dict[Var, list[int]] = {}
        for number, piece in enumerate(self):
            for operation in piece.operations:
                for var in operation.uses:
                    readers = self.readers.setdefault(var, [])
                    if self.home[var] < number and (not readers or readers[-1] != number):
                        readers.append(number)
                if isinstance(operation, Compute | Draw):
                    self.home[operation.result] = number

    def outliving(self) -> list[Var]:
        """The values that pieces after their own read."""
        return [var for var, readers in self.readers.items() if readers]

    def affected(self, var: Var, following: Container[Var] = ()) -> tuple[list[int], list[Var]]:
        """The pieces whose density depends on a draw, and the values that they compute from it; those of draws that
        follow their noise are among these."""
        pending = [self.home[var], *self.readers.get(var, ())]  # in order, so that it is a heap
        done: dict[int, None] = {}
        changed = {var}
        computed: list[Var] = []
        while pending:
            number = heappop(pending)
            if number in done:
                continue
            done[number] = None
            for operation in self[number].operations:
                if isinstance(operation, Draw) and operation.result not in following:
                    continue
                if isinstance(operation, Compute | Draw) and not changed.isdisjoint(operation.uses):
                    changed.add(operation.result)
                    computed.append(operation.result)
                    for each in self.readers.get(operation.result, ()):
                        heappush(pending, each)
        return list(done), computed


def _cut(number: int, segment: tuple[Operation, ...]) -> list[Piece]:
    """The pieces of a segment; what follows its last draw or observe belongs to that."""
    found: list[list[Operation]] = [[]]
    for operation in segment:
        found[-1].append(operation)
        if isinstance(operation, Draw | Score):
            found.append([])
    return [Piece(number, tuple(operations)) for operations in found if operations]


def _outliving(pieces: list[Piece]) -> set[Var]:
    """The values that pieces after their own read."""
    home: dict[Var, int] = {}
    found: set[Var] = set()
    for number, piece in enumerate(pieces):
        for operation in piece.operations:
            found.update(var for var in operation.uses if home.get(var) != number)
            if isinstance(operation, Compute | Draw):
                home[operation.result] = number
    return found


def _parted(piece: Piece, outliving: set[Var]) -> list[Piece]:
    """A piece, after what it computes for others."""
    wanted: set[Var] = set()
    first: list[Operation] = []
    own: list[Operation] = []
    for operation in reversed(piece.operations):
        if isinstance(operation, Compute) and (operation.result in outliving or operation.result in wanted):
            wanted.update(operation.uses)
            first.append(operation)
        else:
            own.append(operation)
    if not first or not own:
        return [piece]
    return [Piece(piece.segment, tuple(first[::-1])), Piece(piece.segment, tuple(own[::-1]))]
