"""The multinomial distribution."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy import ndarray
from scipy import special

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.binomial import as_integers
from pplc_runtime.distributions.domains import COUNT, LARGEST_WHOLE, WEIGHTS
from pplc_runtime.distributions.lanewise import INF, apart, log_gamma, spread
from pplc_runtime.distributions.weights import weight_facts


class Multinomial(Family):
    """How often each index occurs in n draws by weights: vectors of counts that sum to n."""

    name: ClassVar[str] = "multinomial"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("n", COUNT), Parameter("weights", WEIGHTS))
    discrete: ClassVar[bool] = True
    event_rank: ClassVar[int] = 1
    value_kind: ClassVar[str] = "vector"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        n, weights = parameters
        n = as_integers(n)
        if weights.ndim == 1:
            probabilities = weight_facts(weights).probabilities
        else:
            probabilities = (weights / np.add.reduce(weights)).T
        if lanes is None:
            return rng.multinomial(n, probabilities)
        return np.ascontiguousarray(rng.multinomial(n, probabilities, lanes).T)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        n, weights = parameters
        if value.shape[0] != weights.shape[0]:
            return spread(-INF, self, value, parameters)
        if value.dtype.kind == "f":
            # The largest floats overflow in the sum.
            value = np.where((value == np.floor(value)) & (abs(value) <= LARGEST_WHOLE), value, -1.0)
        inside = (value >= 0).all(0) & (np.add.reduce(value) == n)
        if inside.all():
            return self._formula(value, n, weights)
        if inside.ndim == 0 and weights.ndim == 1:
            return -INF
        return apart(self, self._formula, ~inside, value, n, weights)

    @staticmethod
    def _formula(value: Raw, n: Raw, weights: Raw) -> Raw:
        if weights.ndim == 1:
            probabilities = weight_facts(weights).probabilities
        else:
            probabilities = weights / np.add.reduce(weights)
        if value.ndim < probabilities.ndim:
            value = value[:, None]
        elif value.ndim > probabilities.ndim:
            probabilities = probabilities[:, None]
        terms = special.xlogy(value, probabilities) - special.gammaln(value + 1.0)
        if terms.ndim == 1 and type(n) is not ndarray:
            return math.lgamma(n + 1.0) + float(np.add.reduce(terms))
        return log_gamma(n + 1.0) + np.add.reduce(terms)
