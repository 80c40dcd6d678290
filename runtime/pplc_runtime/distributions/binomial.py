"""Counts of successes and failures: binomial (by probability, logit or beta), negative binomial and geometric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import (
    COUNT,
    LARGEST_RATE,
    LARGEST_WHOLE,
    LOGIT,
    POSITIVE,
    POSITIVE_PROBABILITY,
    PROBABILITY,
)
from pplc_runtime.distributions.gamma import standard_gamma
from pplc_runtime.distributions.lanewise import (
    INF,
    apart,
    everywhere,
    log,
    log_beta,
    log_or_never,
    sigmoid,
    spread,
    times_log,
    times_log_complement,
    times_log_sigmoid,
)
from pplc_runtime.distributions.support import OnCounts


def as_integers(n: Raw) -> Raw:
    """Whole numbers as integers: they may have come as floats."""
    if type(n) is ndarray:
        return n if n.dtype.kind != "f" else n.astype(np.int64)
    return int(n)


class Binomial(Family):
    """The number of successes in n trials, each with probability p: 0 to n."""

    name: ClassVar[str] = "binomial"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("n", COUNT), Parameter("p", PROBABILITY))
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return range(as_integers(parameters[0]) + 1)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        n, p = parameters
        return rng.binomial(as_integers(n), p, lanes)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        n = parameters[0]
        if type(value) is ndarray:
            inside = (value >= 0) & (value <= n)
            if value.dtype.kind == "f":
                inside &= value == np.floor(value)
        else:
            if not 0 <= value <= LARGEST_WHOLE or value != math.floor(value):
                return spread(-INF, self, value, parameters)
            inside = value <= n
        if everywhere(inside):
            return self._formula(value, *parameters)
        if type(inside) is not ndarray:
            return spread(-INF, self, value, parameters)
        return apart(self, self._formula, ~inside, value, *parameters)

    def _formula(self, value: Raw, *parameters: Raw) -> Raw:
        n, p = parameters
        rest = n - value
        return log_choices(n, value) + times_log(value, p) + times_log_complement(rest, p)


class BinomialLogit(Binomial):
    """The number of successes in n trials, each with probability 1 / (1 + exp(-logit)): 0 to n."""

    name: ClassVar[str] = "binomial-logit"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("n", COUNT), Parameter("logit", LOGIT))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        n, logit = parameters
        return super().sample(rng, lanes, n, sigmoid(logit))

    def _formula(self, value: Raw, *parameters: Raw) -> Raw:
        n, logit = parameters
        rest = n - value
        return log_choices(n, value) + times_log_sigmoid(value, logit) + times_log_sigmoid(rest, -logit)


def log_choices(n: Raw, value: Raw) -> Raw:
    """The log of how many ways there are to take so many of n."""
    return -log(n + 1.0) - log_beta(n - value + 1.0, value + 1.0)


class BetaBinomial(Binomial):
    """The number of successes in n trials of one probability, which is beta of a and b: 0 to n."""

    name: ClassVar[str] = "beta-binomial"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("n", COUNT),
        Parameter("a", POSITIVE),
        Parameter("b", POSITIVE),
    )

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        n, a, b = parameters
        return super().sample(rng, lanes, n, rng.beta(a, b, lanes))

    def _formula(self, value: Raw, *parameters: Raw) -> Raw:
        n, a, b = parameters
        return log_choices(n, value) + log_beta(value + a, n - value + b) - log_beta(a, b)


class NegativeBinomial(OnCounts):
    """The number of failures before r successes, each trial a success with probability p; r is real.

    Drawn as Poisson with a gamma rate of shape r and mean r (1 - p) / p.
    """

    name: ClassVar[str] = "negative-binomial"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("r", POSITIVE),
        Parameter("p", POSITIVE_PROBABILITY),
    )

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        r, p = parameters
        rate = standard_gamma(rng, lanes, r) * ((1.0 - p) / p)
        if lanes is None:
            return rng.poisson(min(rate, LARGEST_RATE))
        return rng.poisson(np.minimum(rate, LARGEST_RATE))

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        r, p = parameters
        log_choices = -log(value + r) - log_beta(r, value + 1.0)
        return log_choices + r * log(p) + times_log_complement(value, p)


class Geometric(OnCounts):
    """The number of failures before the first success, each trial a success with probability p."""

    name: ClassVar[str] = "geometric"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("p", POSITIVE_PROBABILITY),)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return rng.geometric(parameters[0], lanes) - 1

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        (p,) = parameters
        return log_or_never(p) + times_log_complement(value, p)
