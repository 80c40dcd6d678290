"""What an inference method hands over after each sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.kept import Kept

Column: TypeAlias = NDArray[Any] | list[Any]
"""The values of one predict over the particles: a numeric or boolean array with the particles along its
last axis, or a list of plain values, one a particle."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The weighted particles at the end of one sweep.

    For importance and smc the weights sum to the sweep's estimate of the evidence, for chains to one."""

    chain: int
    number: int
    log_weights: NDArray[np.float64]
    predicts: Mapping[str, Column]
    log_evidence: float | None = None
    """The sweep's own estimate of the log evidence; unbiased (before the log) for importance and smc only."""
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    """What the method tells of the sweep. Independent sweeps: `ancestry`, without which particles are taken for
    independent. Conditional ones: `renewed`, `ancestors`, `chosen`, the particle that is retained. Both: `weakest`,
    `outline` and `parted` for notes, `genealogy`."""
    kept: Kept | None = None
    """What some particles drew, which stand for all."""
    whole: bool = True
    """Whether its chain, and those that are run with it, can go on from here: not within a block of sweeps."""
