"""The Poisson distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import RATE_OF_COUNTS
from pplc_runtime.distributions.lanewise import log_gamma, times_log
from pplc_runtime.distributions.support import OnCounts


class Poisson(OnCounts):
    """Poisson with a rate, which is its mean; of rate 0, always 0."""

    name: ClassVar[str] = "poisson"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("rate", RATE_OF_COUNTS),)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return rng.poisson(parameters[0], lanes)

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        (rate,) = parameters
        return times_log(value, rate) - rate - log_gamma(value + 1.0)
