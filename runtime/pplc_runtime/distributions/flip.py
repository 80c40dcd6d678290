"""Flips of a coin: `flip` gives a boolean, `bernoulli` 0 or 1; by the probability, or by its logit.

The probability of the unlikely side is lost where p is close to 1: 1 - sigmoid(40) is 0 in floats. The logit keeps
both: log sigmoid(x) and log sigmoid(-x). Both forms draw the same from the same random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import LOGIT, PROBABILITY
from pplc_runtime.distributions.lanewise import INF, log_or_never, log_sigmoid, sigmoid


class Flip(Family):
    """true with probability p, otherwise false."""

    name: ClassVar[str] = "flip"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("p", PROBABILITY),)
    discrete: ClassVar[bool] = True
    has_fixed_outcomes: ClassVar[bool] = True
    value_kind: ClassVar[str] = "boolean"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return True, False

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return rng.random(lanes) < parameters[0]

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (p,) = parameters
        if type(value) is not ndarray:
            return log_or_never(p) if value else _log_complement(p)
        if type(p) is ndarray:
            return log_or_never(np.where(value, p, 1 - p))
        return np.where(value, log_or_never(p), _log_complement(p))


class Bernoulli(Family):
    """1 with probability p, otherwise 0."""

    name: ClassVar[str] = "bernoulli"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("p", PROBABILITY),)
    discrete: ClassVar[bool] = True
    has_fixed_outcomes: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return 1, 0

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        if lanes is None:
            return 1 if rng.random() < parameters[0] else 0
        return (rng.random(lanes) < parameters[0]).astype(np.int64)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (p,) = parameters
        if type(value) is not ndarray:
            if value == 1:
                return log_or_never(p)
            if value == 0:
                return _log_complement(p)
            return np.full(p.shape, -INF) if type(p) is ndarray else -INF
        return log_or_never(np.where(value == 1, p, np.where(value == 0, 1 - p, 0.0)))


def _log_complement(p: Raw) -> Raw:
    """log(1 - p), of a plain p without loss where p is tiny."""
    if type(p) is ndarray:
        return log_or_never(1 - p)
    return math.log1p(-p) if p < 1 else -INF


class FlipLogit(Flip):
    """true with probability 1 / (1 + exp(-logit)), otherwise false."""

    name: ClassVar[str] = "flip-logit"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("logit", LOGIT),)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return super().sample(rng, lanes, sigmoid(parameters[0]))

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (logit,) = parameters
        if type(value) is not ndarray:
            return log_sigmoid(logit if value else -logit)
        return log_sigmoid(np.where(value, logit, -logit))


class BernoulliLogit(Bernoulli):
    """1 with probability 1 / (1 + exp(-logit)), otherwise 0."""

    name: ClassVar[str] = "bernoulli-logit"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("logit", LOGIT),)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return super().sample(rng, lanes, sigmoid(parameters[0]))

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        (logit,) = parameters
        if type(value) is not ndarray:
            if value == 1:
                return log_sigmoid(logit)
            if value == 0:
                return log_sigmoid(-logit)
            return np.full(logit.shape, -INF) if type(logit) is ndarray else -INF
        return log_sigmoid(np.where(value == 1, logit, np.where(value == 0, -logit, -INF)))
