"""Vectors of weights that need not sum to one: shared ones, with what is worth keeping of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Lanes
from pplc_runtime.distributions.identity_cache import IdentityCache
from pplc_runtime.distributions.lanewise import MAX, TINY


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """A shared vector of weights, normalised."""

    holds: bool
    """Whether none is negative and the sum is positive and finite. If not, the rest is of no use."""
    probabilities: NDArray[Any]
    cumulative: NDArray[Any]
    """Running sums of the probabilities; the last is exactly 1."""
    cumulative_list: list[float]
    log_probabilities: list[float]
    padded_log_probabilities: NDArray[Any]
    """The log probabilities between two -inf, so that an index out of range, clipped, finds -inf."""


def _facts(weights: NDArray[Any]) -> WeightFacts:
    with np.errstate(all="ignore"):
        running = np.cumsum(weights, dtype=np.float64)
        total = running[-1]
        # A sum of subnormal weights counts as zero: its products with a uniform number have no digits.
        holds = bool((weights >= 0).all() and TINY <= total <= MAX)
        cumulative = running / total
        probabilities = weights / total
        padded = np.full(len(weights) + 2, -math.inf)
        padded[1:-1] = np.log(probabilities)
    return WeightFacts(holds, probabilities, cumulative, cumulative.tolist(), padded[1:-1].tolist(), padded)


weight_facts: Final = IdentityCache(_facts)


def lane_weights_hold(weights: Lanes) -> Lanes:
    """Which lanes of (K, L) are weights: none negative, the sum positive and finite."""
    with np.errstate(all="ignore"):
        total = np.add.reduce(weights)
        good: Lanes = (weights >= 0).all(0) & (total >= TINY) & (total <= MAX)
    return good
