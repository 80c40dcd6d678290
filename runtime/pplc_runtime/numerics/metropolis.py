"""The decision of Metropolis and Hastings."""

from __future__ import annotations

import math

import numpy as np

from pplc_runtime.values import ModelError


def accepts(rng: np.random.Generator, log_ratio: float) -> bool:
    """True with probability min(1, ratio). A number is drawn whatever the ratio is, so that the rounding of a ratio of
    one does not decide what is drawn after it."""
    if math.isnan(log_ratio):
        raise ModelError("the ratio of two densities is not a number: both are infinite")
    number = rng.random()
    return log_ratio >= 0.0 or number < math.exp(log_ratio)
