"""Observed values that are replaced: a program with other data, by the addresses of its observes.

Data may be literals, inputs or elements of what a loop runs over; where an observe stands is the same for all of them.
So that the values are found by every handler of a run, they stand in its store, under a name that no program has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from pplc_runtime.lanes.addresses import At
from pplc_runtime.results.kept import moved
from pplc_runtime.values import ModelError

OBSERVED: Final = "%observed"
Replaced: TypeAlias = Sequence[tuple[At, Any]]
"""The address of each observe, in the order of the program and below any root, and its value."""


class Observed:
    """What is observed at each address."""

    __slots__ = ("values",)

    def __init__(self, replaced: Replaced, root: At) -> None:
        self.values: dict[At, Any] = {moved(at, root): value for at, value in replaced}

    def at(self, at: At) -> Any:
        """What is observed at an address, which the data must have."""
        if at not in self.values:
            raise ModelError("this observe is made in some executions only, so that data for it cannot be given")
        return self.values[at]
