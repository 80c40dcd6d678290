"""The evidence: each sweep's estimate, all of them together, and how far that can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Final

import numpy as np

from pplc_runtime.numerics.weights import log_evidence, log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.sweeps import Sweep

FEW_SWEEPS: Final = 5
"""Fewer estimates than this may agree by chance: what a sweep says of itself counts too."""
DOUBTFUL: Final = 0.5
"""A standard error of the log evidence above this is itself not to be trusted."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One sweep's estimate."""

    log: float
    variance: float = nan
    """Its relative variance as the sweep knows it; NaN where it is not known."""


def estimate_of(sweep: Sweep) -> Estimate:
    """The estimate of a sweep; for importance and smc its weights sum to it."""
    log = float(log_sum_exp(sweep.log_weights)) if sweep.log_evidence is None else sweep.log_evidence
    ancestry: Ancestry | None = sweep.diagnostics.get("ancestry")
    return Estimate(log) if ancestry is None or not isfinite(log) else Estimate(log, _variance(sweep, ancestry))


def _variance(sweep: Sweep, ancestry: Ancestry) -> float:
    """The sum of the squared shares of the first generation's lines, above what equal shares come to.

    H. Chan and T. Lai (2013). It is 1 where one line is left: then nothing is known."""
    weights = np.exp(sweep.log_weights - log_sum_exp(sweep.log_weights))
    if ancestry.lines:
        weights = np.bincount(ancestry.lines[-1].places, weights=weights)
    size = ancestry.particles
    return max(0.0, (size * float(weights @ weights) - 1) / (size - 1)) if size > 1 else 1.0


def combined_evidence(estimates: Sequence[Estimate]) -> tuple[float | None, float | None]:
    """The log of the mean of the sweeps' estimates and its standard error, None where there is none."""
    if not estimates:
        return None, None
    logs = [estimate.log for estimate in estimates]
    z, error = log_evidence(logs)
    if len(estimates) < FEW_SWEEPS and isfinite(z):
        shares = np.exp(np.array(logs) - z) / len(logs)
        known = np.array([0.0 if estimate.log == -np.inf else estimate.variance for estimate in estimates])
        error = float(np.fmax(error, sqrt(shares**2 @ known)))  # NaN is no answer, and gives way
    return float(z), None if np.isnan(error) else float(error)
