"""Held values: what the particles of a conditional sweep do not draw, since all take it from what is retained.

A sweep that moves some of the values draws from the posterior of those given all others, the held ones. The density of
a held value, given what a particle has drawn, is part of its weight, as that of an observe is. A particle that asks for
a held address which the retained run does not have, or has under another measure, has weight zero; and so has one that
comes to the end and has not asked for all of them: no execution in which the held values are these goes that way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.program.stochastic import Dist, ProcessInstance, fits

Holds = Callable[[At], bool]
"""Whether what is drawn at an address is held."""


@dataclass(slots=True)
class Held:
    """The held values of one chain, by address, and how many of them each particle has used."""

    holds: Holds
    values: Mapping[At, Any]
    kinds: Mapping[At, str]
    """The measures of the densities of what the retained run drew."""
    fresh: Mapping[At, bool | None] = field(default_factory=dict)
    """Of draws from a process: whether each was an atom that the process did not have, where that matters."""
    used: Any = 0
    missed: int = 0
    """How many particles ended since they would draw other addresses than those that are held."""

    def fits(self, at: At, source: Dist | ProcessInstance) -> bool:
        """Whether there is a value at an address, and a distribution is one that it can be of."""
        return at in self.values and self.kinds[at] == source.family.measure and fits(source, self.values[at])

    def use(self) -> None:
        """A value is used in the lanes of the running frame."""
        frame = here.frame
        if frame.to_top is None and type(self.used) is int:
            self.used += 1
            return
        counts = self.counts(frame.top).copy()
        counts[slice(None) if frame.to_top is None else frame.to_top] += 1
        self.used = Lane(counts, frame.top)

    def counts(self, top: Frame) -> Any:
        """How many values each lane of a generation has used."""
        return np.full(top.size, self.used) if type(self.used) is int else np.atleast_1d(self.used.at(top))

    def as_many(self, top: Frame) -> Any:
        """The lanes of a generation that have used as many as the retained one, its first. Those to which the retained
        suffix can be attached then have used the same, and with the suffix all."""
        counts = self.counts(top)
        return counts == counts[0]

    def miss(self) -> None:
        """The lanes of the running frame ask for what there is not."""
        self.missed += here.frame.size

    def unfinished(self, top: Frame) -> Any:
        """The lanes of a generation that have not used all."""
        return self.counts(top) != len(self.values)
