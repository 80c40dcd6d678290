"""Normal draws about a mean that is itself normal and integrated out.

K. Murphy (2007), "Conjugate Bayesian analysis of the Gaussian distribution", section 2. In units of the
observation sd s, with r = (prior sd / s)^2, the mean after n draws of sum S is normal with

    centre (m0 + r S) / (1 + n r)    and variance s^2 r / (1 + n r),

and the next draw has that centre and s^2 more variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Lanes, Parameter, Raw
from pplc_runtime.processes.base import Index, Process, State
from pplc_runtime.processes.domains import FINITE, POSITIVE

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class NormalNormal(Process):
    """The state is (draws (L,), sum of the draws (L,))."""

    name: ClassVar[str] = "normal-normal"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("prior mean", FINITE),
        Parameter("prior sd", POSITIVE),
        Parameter("observation sd", POSITIVE),
    )
    discrete: ClassVar[bool] = False
    value_kind: ClassVar[str] = "number"

    def empty(self, lanes: int, *parameters: Raw) -> State:
        return np.zeros(lanes), np.zeros(lanes)

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        centre, spread = _posterior(state, index, *parameters)
        draw: Lanes = rng.standard_normal(len(centre))
        draw *= parameters[2] * np.sqrt(spread + 1)
        draw += centre
        return draw

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        centre, spread = _posterior(state, index, *parameters)
        scale = parameters[2] * np.sqrt(spread + 1)
        deviation = (value - centre) / scale
        density: Lanes = -0.5 * deviation * deviation - np.log(scale) - _HALF_LOG_TWO_PI
        return density

    def seat(self, state: State, index: Index, value: Raw) -> State:
        """An infinite value, of weight 0, counts as 0, so that no NaN comes of it later."""
        draws, total = state
        if isinstance(value, np.ndarray):
            value = np.where(np.isfinite(value), value, 0.0)
        elif not math.isfinite(value):
            value = 0.0
        if index is None:
            draws += 1
            total += value
        else:
            draws[index] += 1
            total[index] += value
        return state

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """m values of mean v and sum of squares Q about it, in units of s, have covariance I + t 1 1', t the
        variance of the mean: determinant 1 + m t, and quadratic form Q + m (v - centre)^2 / (1 + m t)."""
        m, scale = len(values), parameters[2]
        if m == 0:
            return np.zeros(len(state[0]))
        data = np.asarray(values, dtype=float)
        if not np.isfinite(data).all():
            return np.full(len(state[0]), np.nan if np.isnan(data).any() else -np.inf)
        centre, spread = _posterior(state, None, *parameters)
        mean = data.mean()
        data = data - mean
        determinant = 1 + m * spread
        deviation = (mean - centre) / scale
        quadratic = data @ data / (scale * scale) + m * deviation * deviation / determinant
        density: Lanes = -0.5 * (quadratic + np.log(determinant)) - m * (np.log(scale) + _HALF_LOG_TWO_PI)
        return density


def _posterior(state: State, index: Index, prior_mean: Raw, prior_sd: Raw, observation_sd: Raw) -> tuple[Lanes, Lanes]:
    """The centre of the mean given the draws, and its variance in units of the observation variance."""
    draws, total = state if index is None else (part[index] for part in state)
    ratio = prior_sd / observation_sd
    ratio = ratio * ratio
    shrink = draws * ratio + 1
    return (total * ratio + prior_mean) / shrink, ratio / shrink
