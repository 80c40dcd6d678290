"""Part of another distribution: what is left of it between two bounds, and what is moved to them.

With F the cumulative distribution, `truncated` has the density f(x) / (F(upper) - F(lower)) between the bounds. A value
of `censored` is a draw that is moved to a bound beyond which it lies, so that the bounds have mass. A bound may be
infinite. Of whole numbers both bounds are within.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import BOUND
from pplc_runtime.distributions.lanewise import INF, everywhere
from pplc_runtime.distributions.tails import TAILS, log_complement


class Bounded(Family):
    """A family between two bounds, its last two parameters."""

    def __init__(self, base: Family, word: str) -> None:
        self.base = base
        self.tails = TAILS[base.name]
        self.name = f"{word} {base.name}"  # type: ignore[misc] # by its base
        self.parameters = (  # type: ignore[misc] # by its base
            *base.parameters,
            Parameter("lower", BOUND),
            Parameter("upper", BOUND),
        )
        self.discrete = base.discrete  # type: ignore[misc] # by its base
        self.value_kind = base.value_kind  # type: ignore[misc] # by its base

    def problem(self, *parameters: Raw) -> str | None:
        *own, lower, upper = parameters
        if not everywhere(np.less(lower, upper) | (self.discrete & np.equal(lower, upper))):
            return "the lower bound must be less than the upper one"
        return self.base.problem(*own)

    def before(self, lower: Raw) -> Raw:
        """The last number below what is within."""
        return np.ceil(lower) - 1.0 if self.discrete else lower


def _result(value: Raw, *raws: Raw) -> Raw:
    """A float where everything is shared, else one number a lane."""
    return np.asarray(value) if any(type(x) is ndarray for x in raws) else float(value)


class Truncated(Bounded):
    """A distribution given that it lies between two bounds."""

    def __init__(self, base: Family) -> None:
        super().__init__(base, "truncated")

    def problem(self, *parameters: Raw) -> str | None:
        found = super().problem(*parameters)
        if found is None and not everywhere(self.log_mass(*parameters) > -INF):
            return f"{self.base.name} has no mass between the bounds"
        return found

    def outcomes(self, *parameters: Raw) -> Sequence[Raw] | None:
        *own, lower, upper = parameters
        found = self.base.outcomes(*own)
        if found is not None:
            return [value for value in found if lower <= value <= upper]
        # every family of whole numbers that can be truncated has none below 0, or is finite
        start = max(math.ceil(lower), 0) if lower > -math.inf else 0
        return range(start, math.floor(upper) + 1) if self.discrete and upper < math.inf else None

    def log_mass(self, *parameters: Raw) -> Raw:
        """The log mass between the bounds."""
        return self._mass(*parameters)[0]

    def _mass(self, *parameters: Raw) -> tuple[Raw, Raw, Raw]:
        """The log mass between the bounds, whether it is taken from above, and the log mass beyond it at that end."""
        *own, lower, upper = parameters
        tails, start = self.tails, self.before(lower)
        with np.errstate(all="ignore"):
            above = tails.log_above(start, *own) < tails.log_below(upper, *own)
            most: Raw = np.where(above, tails.log_above(start, *own), tails.log_below(upper, *own))
            rest: Raw = np.where(above, tails.log_above(upper, *own), tails.log_below(start, *own))
            log_mass = most + log_complement(rest - most)
        return np.where(np.isnan(log_mass), -INF, log_mass), above, rest

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        *own, lower, upper = parameters
        log_mass, above, rest = self._mass(*parameters)
        with np.errstate(all="ignore"):
            log_p = np.logaddexp(rest, np.log(rng.random(lanes)) + log_mass)
            draw: Raw = np.where(above, self.tails.from_above(log_p, *own), self.tails.from_below(log_p, *own))
        if self.discrete:
            whole = np.minimum(np.maximum(draw, np.ceil(lower)), np.floor(upper)).astype(np.int64)
            return int(whole) if lanes is None else whole
        draw = np.minimum(np.maximum(draw, lower), upper)
        return float(draw) if lanes is None else draw

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        *own, lower, upper = parameters
        inside = (value >= lower) & (value <= upper)
        density = self.base.log_density(value, *own)
        return _result(np.where(inside, density - self.log_mass(*parameters), -INF), value, *parameters)


class Censored(Bounded):
    """A distribution whose draws are moved to the nearest of two bounds, if they lie beyond it."""

    def __init__(self, base: Family) -> None:
        super().__init__(base, "censored")

    @property
    def measure(self) -> str:
        return "density with masses at bounds"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        *own, lower, upper = parameters
        draw = np.minimum(np.maximum(self.base.sample(rng, lanes, *own), lower), upper)
        return float(draw) if lanes is None else draw

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        *own, lower, upper = parameters
        with np.errstate(all="ignore"):
            below = self.tails.log_below(lower, *own)
            above = self.tails.log_above(self.before(upper), *own)
        density = np.where((value > lower) & (value < upper), self.base.log_density(value, *own), -INF)
        density = np.where(np.equal(value, lower) & np.greater(lower, -math.inf), below, density)
        density = np.where(np.equal(value, upper) & np.less(upper, math.inf), above, density)
        return _result(density, value, *parameters)
