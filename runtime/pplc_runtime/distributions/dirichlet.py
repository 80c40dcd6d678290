"""The Dirichlet distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE_VECTOR
from pplc_runtime.distributions.identity_cache import IdentityCache
from pplc_runtime.distributions.lanewise import INF, LARGE, TINY, absolute_sum, apart, spread

TOLERANCE: Final = 1e-9
"""How far the sum of a point of the simplex may be from 1."""
SMALL: Final = 0.5
"""From this concentration on, gamma draws are far from underflow."""


@dataclass(frozen=True, slots=True)
class AlphaFacts:
    """A shared alpha: less 1, the log of the normalising constant, and whether no component is small."""

    less_one: NDArray[Any]
    constant: float
    large: bool


def _facts(alpha: NDArray[Any]) -> AlphaFacts:
    constant = special.gammaln(alpha.sum()) - special.gammaln(alpha).sum()
    return AlphaFacts(alpha - 1.0, float(constant), bool(alpha.min() >= SMALL))


_alpha_facts: Final = IdentityCache(_facts)


class Dirichlet(Family):
    """Dirichlet with a vector alpha, on vectors of the same length that are not negative and sum to 1."""

    name: ClassVar[str] = "dirichlet"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("alpha", POSITIVE_VECTOR),)
    discrete: ClassVar[bool] = False
    event_rank: ClassVar[int] = 1
    value_kind: ClassVar[str] = "vector"

    @property
    def measure(self) -> str:
        return "simplex"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        (alpha,) = parameters
        large = _alpha_facts(alpha).large if alpha.ndim == 1 else alpha.min() >= SMALL
        if lanes is not None:
            alpha = np.broadcast_to(alpha if alpha.ndim == 2 else alpha[:, None], (alpha.shape[0], lanes))
        if large:
            draw = rng.standard_gamma(alpha)
            return draw / np.add.reduce(draw)
        # Gamma(a) is Gamma(a + 1) U^(1/a), of which the log never underflows; then shares of the largest.
        apart = np.less(np.minimum.reduce(alpha), SMALL)  # lane by lane: what one draws is not for others to decide
        gammas = rng.standard_gamma(np.where(apart, alpha + 1.0, alpha))
        logs = np.log(gammas) - np.where(apart, rng.standard_exponential(alpha.shape) / alpha, 0.0)
        draw = np.exp(logs - np.maximum.reduce(logs))
        return np.maximum(draw / np.add.reduce(draw), TINY)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (alpha,) = parameters
        if value.shape[0] != alpha.shape[0]:
            return spread(-INF, self, value, parameters)
        least = value.item(value.argmin())
        if value.ndim == 1:
            if not (abs(absolute_sum(value) - 1.0) < TOLERANCE and least >= 0):
                return spread(-INF, self, value, parameters)
            if least > 0:
                return self._formula(value, alpha)
            if alpha.ndim == 1:
                return self._at_edge(value, alpha)
            return apart(self, self._formula, True, value, alpha)
        if least > 0 and absolute_sum(value.ravel()) < LARGE:
            excess = np.ones(value.shape[0]).dot(value) - 1.0
            if absolute_sum(excess) < TOLERANCE:
                return self._formula(value, alpha)
        with np.errstate(all="ignore"):
            odd = ~((value > 0).all(0) & (abs(np.add.reduce(value) - 1.0) < TOLERANCE))
        return apart(self, self._formula, odd, value, alpha)

    @staticmethod
    def _formula(value: Raw, alpha: Raw) -> Raw:
        logs = np.log(value)
        if alpha.ndim == 1:
            facts = _alpha_facts(alpha)
            result = facts.less_one.dot(logs) + facts.constant
            return float(result) if value.ndim == 1 else result
        constant = special.gammaln(np.add.reduce(alpha)) - np.add.reduce(special.gammaln(alpha))
        if value.ndim == 1:
            logs = logs[:, None]
        return np.add.reduce((alpha - 1.0) * logs) + constant

    @staticmethod
    def _at_edge(value: Lanes, alpha: Lanes) -> float:
        """Where components are zero: infinite if one of these has alpha < 1, zero if one has alpha > 1 (zero
        if there are both, when the limit depends on the direction)."""
        zero = value == 0
        if (alpha[zero] > 1).any():
            return -INF
        if (alpha[zero] < 1).any():
            return INF
        logs = np.log(value[~zero])
        total = math.fsum((alpha[~zero] - 1.0) * logs)
        return total + _facts(alpha).constant
