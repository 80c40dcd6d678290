"""What a sweep gives, and the weights and multinomial ancestors of particles in arrays."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class Sweep(NamedTuple):
    """The estimate of the log evidence, the weights, and the predicted values of every particle."""

    log_evidence: float
    weights: Array
    predicts: dict[str, Array]

    def mean(self, label: str) -> float:
        return float(self.weights @ self.predicts[label])


def normalised(log_weights: Array) -> tuple[Array, float]:
    """Weights that sum to 1, and the log of what they summed to."""
    top = log_weights.max()
    weights = np.exp(log_weights - top)
    total = weights.sum()
    weights /= total
    return weights, float(top) + math.log(total)


def multinomial(rng: np.random.Generator, weights: Array, n: int) -> Index:
    """n independent ancestors, in ascending order if many: searching for sorted points is much faster.

    Sorted uniforms are the sums of exponentials over their total (Devroye 1986, V.3)."""
    cumulative = weights.cumsum()
    if n < 200:
        return cumulative.searchsorted(rng.random(n) * cumulative[-1], "right")
    points = rng.standard_exponential(n + 1).cumsum()
    points *= cumulative[-1] / points[-1]
    return cumulative.searchsorted(points[:-1], "right")


def conditional(rng: np.random.Generator, weights: Array, n: int, kept: int) -> Index:
    """Ancestors of which the first is `kept` and the others are independent."""
    ancestors = np.empty(n, dtype=np.intp)
    ancestors[0] = kept
    ancestors[1:] = multinomial(rng, weights, n - 1)
    return ancestors


def pick(rng: np.random.Generator, weights: Array) -> int:
    """One index by its weight."""
    cumulative = weights.cumsum()
    return int(cumulative.searchsorted(rng.random() * cumulative[-1], "right"))


def line_of(ancestors: Index, last: int) -> list[int]:
    """The lane at each generation of the particle that ends in `last`; ancestors[t] leads from t to t - 1."""
    lane, line = last, [last]
    for t in range(len(ancestors) - 1, 0, -1):
        lane = int(ancestors[t, lane])
        line.append(lane)
    return line[::-1]


def traced(ancestors: Index, last: int, first: int) -> Index:
    """The lanes at generation `first` of all particles of generation `last`."""
    lanes = ancestors[last]
    for t in range(last - 1, first, -1):
        lanes = ancestors[t].take(lanes)
    return lanes
