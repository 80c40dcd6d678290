"""Parts of a sweep of moves: which method moves what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pplc_runtime.lanes.addresses import At


@dataclass(frozen=True, slots=True)
class Part:
    """Some moves: by which method, of the values at which addresses, how many times in a sweep."""

    by: str
    covers: Callable[[At], bool]
    noise: bool = False
    """Whether draws follow their noise when what they depend on moves."""
    number: int | None = None
    """ellipse: how many values move together; lmh: the proposals of a sweep."""
    times: int = 1
    summed: Callable[[At], bool] | None = None
    """The finite draws that are summed out when it moves, and drawn by their law afterwards."""

    @property
    def moves(self) -> Callable[[At], bool]:
        """The addresses whose values it moves by itself."""
        if self.by == "sum":
            return lambda at: False
        covers, summed = self.covers, self.summed
        return covers if summed is None else lambda at: covers(at) and not summed(at)

    @property
    def adapts(self) -> bool:
        """Whether it finds in the burn-in how far it goes."""
        return self.by != "lmh"

    @property
    def needs(self) -> tuple[bool, bool, Callable[[At], bool] | None, bool]:
        """Of the joint density: whether draws follow their noise, whether there is a gradient, what is summed out, and
        whether values are drawn anew."""
        return self.noise or self.by == "ellipse", self.by == "nuts", self.summed, self.by == "lmh"


def with_sums(parts: tuple[Part, ...]) -> list[Part]:
    """The parts of a cycle in which some are sums: beside others these say what is summed out."""
    sums = [part.covers for part in parts if part.by == "sum"]
    others = [part for part in parts if part.by != "sum"] or [parts[0]]
    if not sums:
        return others
    return [replace(part, summed=lambda at: any(covers(at) for covers in sums)) for part in others]
