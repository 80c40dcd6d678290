"""The Wishart distribution and that of its inverse."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray
from scipy import special

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, POSITIVE_DEFINITE
from pplc_runtime.distributions.factors import LaneFactors, covariance_factor, factor_lanes, lane_factors
from pplc_runtime.distributions.gamma import standard_gamma
from pplc_runtime.distributions.lanewise import INF, everywhere, number_of_lanes, spread

LOG_2: Final = math.log(2.0)
LOG_PI: Final = math.log(math.pi)


class Wishart(Family):
    """Wishart with df degrees of freedom and a scale matrix V (mean df V), on positive definite matrices.

    Drawn by Bartlett's decomposition: with V = R R', the draw is R A A' R', where A is lower triangular with
    normals below the diagonal and, on it, roots of chi-squared draws of df, df - 1, ... degrees of freedom.
    """

    name: ClassVar[str] = "wishart"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("df", POSITIVE),
        Parameter("scale", POSITIVE_DEFINITE),
    )
    discrete: ClassVar[bool] = False
    event_rank: ClassVar[int] = 2
    value_kind: ClassVar[str] = "matrix"

    def problem(self, *parameters: Raw) -> str | None:
        df, scale = parameters
        d = scale.shape[0]
        return None if everywhere(df > d - 1) else f"df must be more than {d - 1} for a scale of size {d}"

    @property
    def measure(self) -> str:
        return "symmetric matrices"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        df, scale = parameters
        d, count = scale.shape[0], 1 if lanes is None else lanes
        root = covariance_factor(scale).root if scale.ndim == 2 else lane_factors(scale).stack
        a = np.tril(rng.standard_normal((d, d, count)).transpose(2, 0, 1), -1)
        halves = 0.5 * (np.broadcast_to(df, (count,)) - np.arange(d)[:, None])
        a[:, range(d), range(d)] = np.sqrt(2.0 * standard_gamma(rng, None, halves)).T
        b = root @ self._root_of(a)
        draw = b @ b.transpose(0, 2, 1)
        draw = 0.5 * (draw + draw.transpose(0, 2, 1))
        return draw[0] if lanes is None else np.ascontiguousarray(draw.transpose(1, 2, 0))

    def _root_of(self, a: Lanes) -> Lanes:
        """A root of what is drawn for the identity as scale, from Bartlett's A, one a lane."""
        return a

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        df, scale = parameters
        if value.shape[:2] != scale.shape[:2]:
            return spread(-INF, self, value, parameters)
        lanes = number_of_lanes(self, value, parameters)
        of_value = factor_lanes(value if value.ndim == 3 else value[:, :, None])
        of_scale = lane_factors(scale) if scale.ndim == 3 else _as_lane(scale)
        d = scale.shape[0]
        constant = 0.5 * d * LOG_2 * df + _log_multigamma(0.5 * df, d)
        result = np.where(of_value.holds, self._exponent(of_value, df, of_scale, d) - constant, -INF)
        return float(result[0]) if lanes is None else np.broadcast_to(result, (lanes,)).copy()

    @staticmethod
    def _exponent(of_value: LaneFactors, df: Raw, of_scale: LaneFactors, d: int) -> Lanes:
        # The trace of inverse(V) X is the sum of squares of inverse(R) S, where X = S S'.
        whitened = np.linalg.solve(of_scale.stack, of_value.stack)
        trace = np.add.reduce(whitened * whitened, (1, 2))
        result: Lanes = (df - d - 1.0) * of_value.log_root - df * of_scale.log_root - 0.5 * trace
        return result


class InverseWishart(Wishart):
    """The inverse of a Wishart draw of df degrees of freedom and the inverse of a scale matrix V (mean
    V / (df - d - 1)), on positive definite matrices. With V = R R' and Bartlett's A it is R inv(A)' inv(A) R'."""

    name: ClassVar[str] = "inverse-wishart"

    def _root_of(self, a: Lanes) -> Lanes:
        return np.linalg.inv(a).transpose(0, 2, 1)

    @staticmethod
    def _exponent(of_value: LaneFactors, df: Raw, of_scale: LaneFactors, d: int) -> Lanes:
        # The trace of V inverse(X) is the sum of squares of inverse(S) R, where X = S S'.
        whitened = np.linalg.solve(of_value.stack, of_scale.stack)
        trace = np.add.reduce(whitened * whitened, (1, 2))
        result: Lanes = df * of_scale.log_root - (df + d + 1.0) * of_value.log_root - 0.5 * trace
        return result


def _as_lane(scale: Lanes) -> LaneFactors:
    factor = covariance_factor(scale)
    return LaneFactors(np.array([factor.holds]), factor.root[..., None], np.array([factor.log_root]))


def _log_multigamma(a: Raw, d: int) -> Raw:
    """log of the multivariate gamma function of dimension d."""
    halves = 0.5 * np.arange(d)
    terms = special.gammaln(a[:, None] - halves if type(a) is ndarray else a - halves)
    return 0.25 * d * (d - 1) * LOG_PI + np.add.reduce(terms, -1)
