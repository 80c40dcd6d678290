"""What a method asks of whole sweeps: the kind of sweep, and its settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pplc_runtime.lanes.addresses import At


@dataclass(frozen=True, slots=True)
class Mode:
    """The kind of sweep."""

    kept: bool = False
    """Whether the first particle follows what is retained; and whether that is rescored, as in pgas."""
    rescored: bool = False
    weighed: bool = False
    """Whether particles are weighed only, never resampled."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Sweeps of a kind."""

    mode: Mode
    particles: int
    sweeps: int
    """About how many there will be."""
    resampling: str = "multinomial"
    ess_threshold: float = 1.0
    holds: Callable[[At], bool] | None = None
    """What particles do not draw, but take from what is retained."""
