"""Cholesky factors of covariances: of a shared matrix, and of one matrix a lane."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from pplc_runtime.distributions.base import Lanes
from pplc_runtime.distributions.identity_cache import IdentityCache
from pplc_runtime.distributions.lanewise import LARGEST_SCALE

HALF_LOG_2_PI: Final = 0.5 * math.log(2.0 * math.pi)
ASYMMETRY: Final = 1e-9
"""How far a matrix may be from its transpose, relative to its largest entry: rounding, but not a mistake."""
LEAST_PIVOT: Final = 4 * sys.float_info.epsilon
"""A pivot this small, relative to the diagonal, is a rounding error of zero: the matrix is singular."""


@dataclass(frozen=True, slots=True)
class Factor:
    """The factor of a shared covariance C = R R'."""

    holds: bool
    """Whether C is symmetric positive definite. If not, the rest is of no use."""
    size: int
    root: NDArray[Any]
    """R, lower triangular."""
    whiten: NDArray[Any]
    """The inverse of R."""
    moderate: bool
    """Whether no entry of that inverse is huge."""
    log_root: float
    """log det R, half of log det C."""
    log_peak: NDArray[Any]
    """The log density of a normal of covariance C at its mean, as an array without axes: numpy adds that to
    lanes in half of the time that it takes for a Python float."""
    deviations: NDArray[Any] | None
    """The diagonal of R as a column, where C is diagonal; otherwise None."""
    exponents: NDArray[Any]
    """A vector whose product with the squares of whitened lanes, or of lanes as they are where C is diagonal, is
    the exponent of the density."""


@dataclass(frozen=True, slots=True)
class LaneFactors:
    """The factors of one covariance a lane."""

    holds: Lanes
    root: Lanes
    """(d, d, L); the identity where the lane's matrix is not positive definite."""
    log_root: Lanes

    @property
    def shape(self) -> tuple[int, ...]:
        return self.root.shape

    @property
    def stack(self) -> Lanes:
        """The roots with the lanes first, as numpy.linalg has them."""
        return self.root.transpose(2, 0, 1)

    def essence(self) -> Lanes:
        """The roots, or only their diagonals (d, L) where all matrices are diagonal."""
        d = len(self.root)
        below = self.root[np.tril_indices(d, -1)]
        return self.root if below.any() else self.root[np.arange(d), np.arange(d)]

    @property
    def log_peak(self) -> Lanes:
        """The log density of a normal of each covariance at its mean."""
        return -HALF_LOG_2_PI * len(self.root) - self.log_root

    @property
    def moderate(self) -> bool:
        """Whether no root has a tiny entry on its diagonal."""
        return bool(self.root.diagonal().min() > 1.0 / LARGEST_SCALE)


class Roots:
    """What a normal wants of one covariance a lane."""

    __slots__ = ("find_log_peak", "moderate", "root")

    def __init__(self, root: Lanes, find_log_peak: Callable[[], Lanes], moderate: bool) -> None:
        self.root = root
        """(d, d, L), or (d, L) where all covariances are diagonal."""
        self.find_log_peak = find_log_peak
        """Gives the log density at the mean, which drawing has no use for."""
        self.moderate = moderate
        """Whether no root has a tiny entry on its diagonal."""

    @classmethod
    def of(cls, covariances: Lanes) -> Roots:
        factors = factor_lanes(covariances)
        return cls(factors.essence(), lambda: factors.log_peak, factors.moderate)


def factor(matrix: NDArray[Any]) -> Factor:
    """Factorise one matrix (d, d)."""
    d = matrix.shape[0]
    root = _cholesky(matrix) if _symmetric(matrix) else None
    if root is None:
        nothing = np.empty((0, 0))
        return Factor(False, d, nothing, nothing, False, math.nan, nothing, None, nothing)
    deviations = root.diagonal()
    log_root = float(np.log(deviations).sum())
    diagonal = np.count_nonzero(matrix) == d
    whiten = np.ascontiguousarray(solve_triangular(root, np.eye(d), lower=True))
    return Factor(
        holds=True,
        size=d,
        root=root,
        whiten=whiten,
        moderate=bool(abs(whiten).max() < LARGEST_SCALE),
        log_root=log_root,
        log_peak=np.array(-HALF_LOG_2_PI * d - log_root),
        deviations=deviations[:, None].copy() if diagonal else None,
        exponents=-0.5 / deviations**2 if diagonal else np.full(d, -0.5),
    )


def _symmetric(matrix: NDArray[Any]) -> bool:
    largest = float(abs(matrix).max())
    return largest < math.inf and float(abs(matrix - matrix.T).max()) <= ASYMMETRY * largest


def _cholesky(matrix: NDArray[Any]) -> NDArray[Any] | None:
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None
    return root if (root.diagonal() ** 2 > LEAST_PIVOT * matrix.diagonal()).all() else None


def factor_lanes(matrices: Lanes) -> LaneFactors:
    """Factorise one matrix a lane (d, d, L)."""
    d, _, lanes = matrices.shape
    if d <= 2:
        return _small_factors(matrices)
    first = matrices.transpose(2, 0, 1)
    largest = abs(first).max((1, 2))
    finite = largest < math.inf
    holds = finite.copy()
    if finite.all():
        holds = abs(first - first.transpose(0, 2, 1)).max((1, 2)) <= ASYMMETRY * largest
        try:
            root = np.linalg.cholesky(first)
            holds &= (root.diagonal(0, 1, 2) ** 2 > LEAST_PIVOT * first.diagonal(0, 1, 2)).all(1)
            if holds.all():
                return _lanes_last(holds, root)
        except np.linalg.LinAlgError:
            pass
    root = np.tile(np.eye(d), (lanes, 1, 1))
    for lane in range(lanes):
        one = factor(first[lane]) if finite[lane] else None
        holds[lane] = one is not None and one.holds
        if one is not None and one.holds:
            root[lane] = one.root
    return _lanes_last(holds, root)


def _lanes_last(holds: Lanes, stack: Lanes) -> LaneFactors:
    log_root = np.log(stack.diagonal(0, 1, 2)).sum(1)
    return LaneFactors(holds, np.ascontiguousarray(stack.transpose(1, 2, 0)), log_root)


def _small_factors(matrices: Lanes) -> LaneFactors:
    """Closed forms for d = 1 and d = 2: [[a, b], [b, c]] has the root [[r, 0], [s, t]]."""
    d, _, lanes = matrices.shape
    root = np.zeros((d, d, lanes))
    # Lanes that are not positive definite divide by zero and take roots of negative numbers on the way.
    with np.errstate(all="ignore"):
        a = matrices[0, 0]
        r = root[0, 0] = np.sqrt(a)
        holds = (a > 0) & (a < math.inf)
        whole = r
        if d == 2:
            b, c = matrices[1, 0], matrices[1, 1]
            s = root[1, 0] = b / r
            t = root[1, 1] = np.sqrt(c - s * s)
            asymmetry = abs(b - matrices[0, 1])
            holds &= (t * t > LEAST_PIVOT * c) & (t < math.inf) & (asymmetry <= ASYMMETRY * np.maximum(a, c))
            whole = r * t
        log_root = np.log(whole)
    if not holds.all():
        root[..., ~holds] = np.eye(d)[..., None]
        log_root[~holds] = 0.0
    return LaneFactors(holds, root, log_root)


covariance_factor: Final = IdentityCache(factor)
lane_factors: Final = IdentityCache(factor_lanes, entries=8)
