"""The multivariate normal distribution."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE_DEFINITE, VECTOR
from pplc_runtime.distributions.factors import Factor, Roots, covariance_factor
from pplc_runtime.distributions.lanewise import INF, LARGE, MANY, absolute_sum, spread


class MultivariateNormal(Family):
    """Normal with a mean vector and a covariance matrix C = R R', on vectors.

    With z = inverse(R) (x - mean) the log density is -z'z / 2 - log det R - d (log 2 pi) / 2. The factor of a
    shared covariance is kept from call to call. Covariances that vary by lane may also be given as their factors.
    """

    name: ClassVar[str] = "mvn"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("mean", VECTOR),
        Parameter("covariance", POSITIVE_DEFINITE),
    )
    discrete: ClassVar[bool] = False
    event_rank: ClassVar[int] = 1
    value_kind: ClassVar[str] = "vector"
    fits_by_shape: ClassVar[bool] = True

    def problem(self, *parameters: Raw) -> str | None:
        d, size = parameters[0].shape[0], parameters[1].shape[0]
        return None if d == size else f"a mean of length {d} does not fit a covariance of size {size}"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        mean, covariance = parameters
        d = mean.shape[0]
        if lanes is None:
            return mean + covariance_factor(covariance).root.dot(rng.standard_normal(d))
        noise = rng.standard_normal((d, lanes))
        if type(covariance) is ndarray and covariance.ndim == 2:
            factor = covariance_factor(covariance)
            noise = factor.root.dot(noise) if factor.deviations is None else factor.deviations * noise
        else:
            root = covariance.root if type(covariance) is Roots else Roots.of(covariance).root
            noise = root * noise if root.ndim == 2 else _times_root(root, noise)
        noise += mean if mean.ndim == 2 else mean[:, None]
        return noise

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        mean, covariance = parameters
        if value.shape[0] != mean.shape[0]:
            return spread(-INF, self, value, parameters)
        distance = _distance(value, mean)
        if type(covariance) is Roots:
            return self._over_covariances(distance, covariance)
        if covariance.ndim == 3:
            return self._over_covariances(distance, Roots.of(covariance))
        factor = covariance_factor(covariance)
        if distance.size > MANY and distance.ndim == 2 and factor.moderate:
            with np.errstate(all="ignore"):
                result = _quadratic(distance, factor)  # a look at the result costs less than one at what it is from
                if absolute_sum(result) < LARGE:
                    return result
                distance = _distance(value, mean)
        if not (absolute_sum(distance.ravel()) < LARGE and factor.moderate):
            return self._careful(distance, factor)
        if distance.ndim == 1:
            z = factor.whiten.dot(distance)
            return float(factor.log_peak) - 0.5 * float(z.dot(z))
        return _quadratic(distance, factor)

    @staticmethod
    def _careful(distance: Lanes, factor: Factor) -> Raw:
        """The log density at a distance from the mean that may be huge."""
        with np.errstate(all="ignore"):
            z = factor.whiten.dot(distance)
            result = _never_nan(np.full(len(z), -0.5).dot(z * z) + factor.log_peak)
            return result if result.ndim else float(result)

    @staticmethod
    def _over_covariances(distance: Lanes, roots: Roots) -> Lanes:
        """The log density where each lane has its own covariance; the distance may be shared."""
        if roots.moderate and absolute_sum(distance.ravel()) < LARGE:
            return _over_roots(distance, roots)
        with np.errstate(all="ignore"):
            return _never_nan(_over_roots(distance, roots))


def _over_roots(distance: Lanes, roots: Roots) -> Lanes:
    exponents: Lanes
    root = roots.root
    d = len(root)
    if root.ndim == 2:
        z = (distance if distance.ndim == 2 else distance[:, None]) / root
        z *= z
        exponents = _MINUS_HALVES.dot(z) if d == 2 else -0.5 * np.add.reduce(z, 0)
    elif d == 2:
        z = distance[0] / root[0, 0]
        exponents = z * z
        z = (distance[1] - root[1, 0] * z) / root[1, 1]
        exponents += z * z
        exponents *= -0.5
    else:
        columns = distance if distance.ndim == 2 else distance[:, None]
        z = np.linalg.solve(root.transpose(2, 0, 1), columns.T[:, :, None])
        exponents = np.add.reduce(z * z, (1, 2))
        exponents *= -0.5
    exponents += roots.find_log_peak()
    return exponents


_MINUS_HALVES: Final = np.array([-0.5, -0.5])


def _distance(value: Raw, mean: Raw) -> Raw:
    if value.ndim == mean.ndim:
        return value - mean
    return value[:, None] - mean if value.ndim == 1 else value - mean[:, None]


def _quadratic(distance: Lanes, factor: Factor) -> Lanes:
    """The log density at moderate distances, which are overwritten: with many lanes fresh memory costs most."""
    if factor.deviations is None:
        distance = factor.whiten.dot(distance)
    distance *= distance
    result: Lanes = factor.exponents.dot(distance)
    result += factor.log_peak
    return result


def _times_root(root: Lanes, noise: Lanes) -> Lanes:
    """R z in each lane, for lower triangular R."""
    result: Lanes = root[:, 0] * noise[0]
    for column in range(1, len(noise)):
        result[column:] += root[column:, column] * noise[column]
    return result


def _never_nan(result: Lanes) -> Lanes:
    """-inf where infinite values have made a NaN."""
    return np.where(np.isnan(result), -INF, result)
