"""What `factor` and `condition` observe: a density that is the given number, and one that is all or nothing.

Neither is a distribution of the language: nobody draws from them. As families they are weighed, rescored and compiled
as the density of any observe is.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import LOG_WEIGHT, TRUTH
from pplc_runtime.distributions.lanewise import INF


class Factor(Family):
    """The value true with a log density that is given; it need not sum to one with anything."""

    name = "factor"
    parameters = (Parameter("the log weight", LOG_WEIGHT),)
    discrete = True
    value_kind: ClassVar[str] = "boolean"
    nowhere: ClassVar[str | None] = "the log weight is -Inf in every particle"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return True if lanes is None else np.ones(lanes, np.bool_)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (log_weight,) = parameters
        return log_weight if type(log_weight) is ndarray else float(log_weight)


class Condition(Factor):
    """The value true, with certainty where a test holds and never where it does not."""

    name = "condition"
    parameters = (Parameter("the test", TRUTH),)
    nowhere: ClassVar[str | None] = "the condition holds in no particle"

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (test,) = parameters
        return np.where(test, 0.0, -INF) if type(test) is ndarray else 0.0 if test else -INF
