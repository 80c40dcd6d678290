"""The Polya urn: draws from a discrete distribution whose probabilities, Dirichlet, are integrated out.

D. Blackwell and J. MacQueen (1973), "Ferguson distributions via Polya urn schemes". With c_k draws of k and n
in all, the next is k with probability (alpha_k + c_k) / (sum alpha + n).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Lanes, Parameter, Raw
from pplc_runtime.processes.base import Index, Process, State
from pplc_runtime.processes.domains import POSITIVE_VECTOR
from pplc_runtime.processes.rising import log_rising


class PolyaUrn(Process):
    """The state is (counts (D, L),), D the length of alpha. A draw is an index from 0 to D - 1."""

    name: ClassVar[str] = "polya-urn"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("alpha", POSITIVE_VECTOR),)
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def empty(self, lanes: int, *parameters: Raw) -> State:
        (alpha,) = parameters
        return (np.zeros((len(alpha), lanes)),)

    def outcomes(self, state: State, index: Index, *parameters: Raw) -> Sequence[Raw]:
        return range(len(parameters[0]))

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        cumulative = np.add.accumulate(_weights(state, index, *parameters), 0)
        point = rng.random(cumulative.shape[1]) * cumulative[-1]
        # The last row is left out: by round-off a point may equal the total.
        draw: Lanes = (cumulative[:-1] <= point).sum(0)
        return draw

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        weights = _weights(state, index, *parameters)
        size, lanes = weights.shape
        total = weights.sum(0)
        density: Lanes
        if isinstance(value, np.ndarray):
            inside = (value >= 0) & (value < size)
            chosen = weights[np.where(inside, value, 0), np.arange(lanes)]
            density = np.where(inside, np.log(chosen / total), -np.inf)
        elif 0 <= value < size:
            density = np.log(weights[value] / total)
        else:
            density = np.full(lanes, -np.inf)
        return density

    def seat(self, state: State, index: Index, value: Raw) -> State:
        """An impossible value, of weight 0, leaves its lane as it is."""
        (counts,) = state
        if isinstance(value, np.ndarray):
            lanes = np.arange(counts.shape[1]) if index is None else index
            inside = (value >= 0) & (value < len(counts))
            counts[np.where(inside, value, 0), lanes] += inside
        elif 0 <= value < len(counts):
            counts[value, ... if index is None else index] += 1
        return state

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """prod_k (alpha_k + c_k) ... (alpha_k + c_k + m_k - 1)  /  the same of the sums over k."""
        weights = _weights(state, None, *parameters)
        occurrences = Counter(values)
        if not occurrences:
            return np.zeros(weights.shape[1])
        if min(occurrences) < 0 or max(occurrences) >= len(weights):
            return np.full(weights.shape[1], -np.inf)
        density = -log_rising(weights.sum(0), len(values))
        for value, repeats in occurrences.items():
            density += log_rising(weights[value], repeats)
        return density


def _weights(state: State, index: Index, alpha: Raw) -> Lanes:
    counts = state[0] if index is None else state[0].take(index, axis=1)
    alpha = np.asarray(alpha)
    weights: Lanes = counts + (alpha[:, None] if alpha.ndim == 1 else alpha)
    return weights
