"""The multivariate normal distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE_DEFINITE, VECTOR
from pplc_runtime.distributions.factors import HALF_LOG_2_PI, LaneFactors, covariance_factor, factor_lanes
from pplc_runtime.distributions.lanewise import INF, LARGE, absolute_sum, spread


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
        if type(covariance) is LaneFactors:
            noise = _times_root(covariance.root, noise)
        elif covariance.ndim == 2:
            factor = covariance_factor(covariance)
            noise = factor.root.dot(noise) if factor.deviations is None else factor.deviations * noise
        else:
            noise = _times_root(factor_lanes(covariance).root, noise)
        return (mean if mean.ndim == 2 else mean[:, None]) + noise

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        mean, covariance = parameters
        if value.shape[0] != mean.shape[0]:
            return spread(-INF, self, value, parameters)
        if value.ndim == mean.ndim:
            distance = value - mean
        elif value.ndim == 1:
            distance = value[:, None] - mean
        else:
            distance = value - mean[:, None]
        if type(covariance) is LaneFactors:
            return self._over_covariances(distance, covariance)
        if covariance.ndim == 3:
            return self._over_covariances(distance, factor_lanes(covariance))
        factor = covariance_factor(covariance)
        if not (absolute_sum(distance.ravel()) < LARGE and factor.moderate):
            with np.errstate(all="ignore"):
                z = factor.whiten.dot(distance)
                result = _never_nan(factor.minus_halves.dot(z * z) + factor.log_peak)
                return result if result.ndim else float(result)
        if distance.ndim == 1:
            z = factor.whiten.dot(distance)
            return float(factor.log_peak) - 0.5 * float(z.dot(z))
        if factor.deviations is None:
            distance = factor.whiten.dot(distance)
        else:
            distance *= factor.precisions  # in place: with many lanes, fresh memory costs more than arithmetic
        result = np.einsum("dl,dl->l", distance, distance)
        result *= -0.5
        result += factor.log_peak
        return result

    @staticmethod
    def _over_covariances(distance: Lanes, factors: LaneFactors) -> Lanes:
        """The log density where each lane has its own covariance; the distance may be shared."""
        root = factors.root
        d = root.shape[1]
        with np.errstate(all="ignore"):
            if d <= 2:
                z = distance[0] / root[0, 0]
                squares = z * z
                if d == 2:
                    z = (distance[1] - root[1, 0] * z) / root[1, 1]
                    squares += z * z
            else:
                columns = distance if distance.ndim == 2 else distance[:, None]
                z = np.linalg.solve(factors.stack, columns.T[:, :, None])
                squares = np.add.reduce(z * z, (1, 2))
            squares *= -0.5
            squares -= factors.log_root
            squares -= HALF_LOG_2_PI * d
            return squares if absolute_sum(squares) < LARGE else _never_nan(squares)


def _times_root(root: Lanes, noise: Lanes) -> Lanes:
    """R z in each lane, for lower triangular R."""
    result: Lanes = root[:, 0] * noise[0]
    for column in range(1, len(noise)):
        result[column:] += root[column:, column] * noise[column]
    return result


def _never_nan(result: Lanes) -> Lanes:
    """-inf where infinite values have made a NaN."""
    return np.where(np.isnan(result), -INF, result)
