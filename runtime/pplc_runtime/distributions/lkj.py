"""Correlation matrices: the LKJ distribution, of the matrix or of its Cholesky factor.

D. Lewandowski, D. Kurowicka and H. Joe (2009), "Generating random correlation matrices based on vines and extended
onion method". The density of a correlation matrix R of size d is det(R)^(eta - 1) / c, with

    log c = sum over k from 1 to d - 1 of (2 eta - 2 + d - k) (d - k) log 2 + (d - k) log B(b, b),
    b = eta + (d - k - 1) / 2.

It is drawn by the onion method, row by row of the Cholesky factor L: the square of the part of row i (from 0) left of
the diagonal is beta of i / 2 and eta + (d - 1 - i) / 2, and its direction is uniform. R = L L' has the Jacobian of the
product of L_ii^(d - 1 - i).
"""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from scipy import special

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.factors import factor_lanes
from pplc_runtime.distributions.lanewise import INF, number_of_lanes, spread

LOG_2: Final = math.log(2.0)
ROUNDING: Final = 1e-8
"""How far a diagonal or a norm may be from 1."""


class LkjCholesky(Family):
    """Lower triangular matrices L of a size with rows of norm 1 and a positive diagonal, such that L L' is LKJ."""

    name: ClassVar[str] = "lkj-cholesky"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("eta", POSITIVE),)
    discrete: ClassVar[bool] = False
    event_rank: ClassVar[int] = 2
    value_kind: ClassVar[str] = "matrix"

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def measure(self) -> str:
        return "factors of correlations"

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        return self.size, self.size

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        d, count = self.size, 1 if lanes is None else lanes
        root = np.zeros((d, d, count))
        root[0, 0] = 1.0
        for row in range(1, d):
            square = rng.beta(0.5 * row, parameters[0] + 0.5 * (d - 1 - row), count)
            direction = rng.standard_normal((row, count))
            root[row, :row] = direction * (np.sqrt(square) / np.sqrt((direction * direction).sum(0)))
            root[row, row] = np.sqrt(np.maximum(1.0 - square, 1e-300))
        return root[..., 0] if lanes is None else root

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        if value.shape[:2] != (self.size, self.size):
            return spread(-INF, self, value, parameters)
        root = value if value.ndim == 3 else value[..., None]
        diagonal = root[range(self.size), range(self.size)]
        upper = root[np.triu_indices(self.size, 1)]
        # The largest floats overflow in the squares.
        entries = np.where(abs(root) <= 2.0, root, 2.0)
        holds = (diagonal > 0).all(0) & (upper == 0).all(0)
        holds &= (abs(np.add.reduce(entries * entries, 1) - 1.0) <= ROUNDING).all(0)
        logs = np.log(np.where(holds, diagonal, 1.0))
        powers = np.arange(self.size - 1, -1, -1.0)[:, None] * (np.arange(self.size) > 0)[:, None]
        result = self._of_determinant(2.0 * np.add.reduce(logs[1:]), *parameters) + (powers * logs).sum(0)
        return self._given(np.where(holds, result, -INF), value, parameters)

    def _of_determinant(self, log_determinant: Lanes, eta: Raw) -> Raw:
        """The log density of a correlation matrix by its determinant."""
        rest = self.size - np.arange(1.0, self.size)
        etas = np.asarray(eta, float)[..., None]
        b = etas + 0.5 * (rest - 1.0)
        log_c = ((2.0 * etas - 2.0 + rest) * rest * LOG_2 + rest * special.betaln(b, b)).sum(-1)
        return (eta - 1.0) * log_determinant - log_c

    def _given(self, result: Lanes, value: Raw, parameters: tuple[Raw, ...]) -> Raw:
        lanes = number_of_lanes(self, value, parameters)
        return float(result[0]) if lanes is None else np.broadcast_to(result, (lanes,)).copy()


class Lkj(LkjCholesky):
    """Correlation matrices of a size: uniform for eta 1, closer to the identity for more."""

    name: ClassVar[str] = "lkj"

    @property
    def measure(self) -> str:
        return "correlation matrices"

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        root = super().sample(rng, lanes, *parameters)
        stack = root if lanes is None else root.transpose(2, 0, 1)
        draw = stack @ np.swapaxes(stack, -1, -2)
        draw = 0.5 * (draw + np.swapaxes(draw, -1, -2))
        draw[..., range(self.size), range(self.size)] = 1.0
        return draw if lanes is None else np.ascontiguousarray(draw.transpose(1, 2, 0))

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        if value.shape[:2] != (self.size, self.size):
            return spread(-INF, self, value, parameters)
        matrices = value if value.ndim == 3 else value[..., None]
        factors = factor_lanes(np.asarray(matrices, float))
        holds = factors.holds & (abs(matrices[range(self.size), range(self.size)] - 1.0) <= ROUNDING).all(0)
        result = self._of_determinant(2.0 * np.where(holds, factors.log_root, 0.0), *parameters)
        return self._given(np.where(holds, result, -INF), value, parameters)
