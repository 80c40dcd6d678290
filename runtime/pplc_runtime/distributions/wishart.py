"""The Wishart distribution."""

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
        a = np.tril(rng.standard_normal((count, d, d)), -1)
        halves = 0.5 * (np.broadcast_to(df, (count,))[:, None] - np.arange(d))
        a[:, range(d), range(d)] = np.sqrt(2.0 * standard_gamma(rng, None, halves))
        b = root @ a
        draw = b @ b.transpose(0, 2, 1)
        draw = 0.5 * (draw + draw.transpose(0, 2, 1))
        return draw[0] if lanes is None else np.ascontiguousarray(draw.transpose(1, 2, 0))

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        df, scale = parameters
        if value.shape[:2] != scale.shape[:2]:
            return spread(-INF, self, value, parameters)
        lanes = number_of_lanes(self, value, parameters)
        of_value = factor_lanes(value if value.ndim == 3 else value[:, :, None])
        of_scale = lane_factors(scale) if scale.ndim == 3 else _as_lane(scale)
        d = scale.shape[0]
        # The trace of inverse(V) X is the sum of squares of inverse(R) S, where X = S S'.
        whitened = np.linalg.solve(of_scale.stack, of_value.stack)
        trace = np.add.reduce(whitened * whitened, (1, 2))
        exponent = (df - d - 1.0) * of_value.log_root - 0.5 * trace
        constant = 0.5 * d * LOG_2 * df + df * of_scale.log_root + _log_multigamma(0.5 * df, d)
        result = np.where(of_value.holds, exponent - constant, -INF)
        return float(result[0]) if lanes is None else np.broadcast_to(result, (lanes,)).copy()


def _as_lane(scale: Lanes) -> LaneFactors:
    factor = covariance_factor(scale)
    return LaneFactors(np.array([factor.holds]), factor.root[..., None], np.array([factor.log_root]))


def _log_multigamma(a: Raw, d: int) -> Raw:
    """log of the multivariate gamma function of dimension d."""
    halves = 0.5 * np.arange(d)
    terms = special.gammaln(a[:, None] - halves if type(a) is ndarray else a - halves)
    return 0.25 * d * (d - 1) * LOG_PI + np.add.reduce(terms, -1)
