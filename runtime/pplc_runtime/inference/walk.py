"""Moves of values on scales without bounds: `rw`, `slice`, `gibbs`, `ellipse`, `nuts`, and cycles of them.

With z(x) a value on its scale without bounds, a step of the walk goes to x' with z(x') = z(x) + s e, e standard normal.
It is taken with probability min(1, r),

    r  =  gamma(x') / gamma(x)  .  |dx'/dz'| / |dx/dz|.

The lengths s are adapted in the burn-in, towards 44% of the steps taken (Roberts and Rosenthal 2001), and then stay as
they are. Slices are found by stepping out and shrinking (Neal 2003). A finite draw is drawn by its law given all
others; the elements of a simplex exchange what they have. Each value of an execution moves once in a sweep: which they
are is always the same, since the program has a static structure. Where draws follow their noise (`native/noise`), a
value on its scale is moved in the same way, with the density of the noise in place of that of the draws. `ellipse` and
`nuts` move many values together (`native/ellipse`, `native/nuts`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pplc_runtime.inference.base import OfParts
from pplc_runtime.inference.moving import ByMover


@dataclass(frozen=True, slots=True)
class Walk(ByMover):
    """A chain of moves, one part after the other."""

    def repeated(self, times: int) -> Walk:
        """The same several times in a sweep."""
        if len(self.parts) == 1:
            return Walk((replace(self.parts[0], times=self.parts[0].times * times),))
        return Walk(self.parts * times)

    def followed_by(self, other: OfParts) -> Walk:
        """One after the other, in a sweep of both."""
        return Walk((*self.parts, *other.parts))
