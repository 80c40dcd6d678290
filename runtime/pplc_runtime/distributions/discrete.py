"""An index drawn by weights."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import LARGEST_WHOLE, WEIGHTS
from pplc_runtime.distributions.lanewise import INF, log_or_never
from pplc_runtime.distributions.weights import weight_facts

FEW: Final = 8
"""Up to so many weights a step for each takes less than a step for all, along the shorter axis."""


class Discrete(Family):
    """The index, from 0, of one of the weights, drawn in proportion to them; they need not sum to 1."""

    name: ClassVar[str] = "discrete"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("weights", WEIGHTS),)
    discrete: ClassVar[bool] = True
    has_fixed_outcomes: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return range(len(parameters[0]))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        (weights,) = parameters
        if weights.ndim == 2:
            if len(weights) <= FEW:
                return _by_rows(rng, weights)
            cumulative = weights.cumsum(0)
            return (cumulative > rng.random(lanes) * cumulative[-1]).argmax(0)
        facts = weight_facts(weights)
        if lanes is None:
            return bisect_right(facts.cumulative_list, rng.random())
        return facts.cumulative.searchsorted(rng.random(lanes), "right")

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (weights,) = parameters
        if type(value) is ndarray:
            if value.dtype.kind == "f":
                value = _indices(value)
            if weights.ndim == 2:
                return self._of_lanes(value, weights)
            return weight_facts(weights).padded_log_probabilities.take(value + 1, mode="clip")
        inside = 0 <= value < len(weights) and value == int(value)
        if weights.ndim == 1:
            return weight_facts(weights).log_probabilities[int(value)] if inside else -INF
        if not inside:
            return np.full(weights.shape[1], -INF)
        return log_or_never(weights[int(value)] / np.add.reduce(weights))

    @staticmethod
    def _of_lanes(value: Lanes, weights: Lanes) -> Raw:
        inside = (value >= 0) & (value < len(weights))
        chosen = weights[np.where(inside, value, 0), np.arange(weights.shape[1])]
        return log_or_never(chosen * inside / np.add.reduce(weights))


def _by_rows(rng: np.random.Generator, weights: Lanes) -> Lanes:
    """The number of running sums, but for the last, that a uniform point of the whole is not below."""
    if (by_rows := getattr(rng, "by_rows", None)) is not None:  # at once, the same
        found: Lanes | None = by_rows(weights.shape[1], weights)
        if found is not None:
            return found
    running = [weights[0]]
    for row in weights[1:]:
        running.append(running[-1] + row)
    points = rng.random(weights.shape[1])
    points *= running[-1]
    chosen = np.zeros(len(points), np.int64)
    for sums in running[:-1]:
        chosen += sums <= points
    return chosen


def _indices(value: Lanes) -> Lanes:
    """Floats as indices; those that are not whole, or far out, as -1."""
    whole = (value >= 0) & (value < LARGEST_WHOLE) & (value == np.floor(value))
    return np.where(whole, value, -1.0).astype(np.int64)
