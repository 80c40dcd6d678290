"""Draws without replacement: the hypergeometric distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.binomial import as_integers, log_choices
from pplc_runtime.distributions.domains import COUNT
from pplc_runtime.distributions.lanewise import INF, everywhere

MOST: Final = 10**9
"""What the sampler takes."""


class Hypergeometric(Family):
    """How many are good among some that are drawn, without replacement, from so many good and bad ones."""

    name: ClassVar[str] = "hypergeometric"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("good", COUNT),
        Parameter("bad", COUNT),
        Parameter("draws", COUNT),
    )
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def problem(self, *parameters: Raw) -> str | None:
        good, bad, draws = parameters
        if not everywhere(good + bad < MOST):
            return "there must be fewer than 10^9 to draw from"
        return None if everywhere(draws <= good + bad) else "there cannot be more draws than there are to draw from"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return range(as_integers(min(parameters[0], parameters[2])) + 1)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        good, bad, draws = map(as_integers, parameters)
        return rng.hypergeometric(good, bad, draws, lanes)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        good, bad, draws = parameters
        inside = (
            (value >= 0) & (value <= good) & (draws - value >= 0) & (draws - value <= bad) & (value == np.floor(value))
        )
        k = np.where(inside, value, np.maximum(0, draws - bad)) * 1.0
        log_mass = log_choices(good + 0.0 * k, k) + log_choices(bad + 0.0 * k, draws - k)
        result = np.where(inside, log_mass - log_choices(good + bad + 0.0 * k, draws + 0.0 * k), -INF)
        return result if any(type(x) is ndarray for x in (value, *parameters)) else float(result)
