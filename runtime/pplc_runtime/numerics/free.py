"""Values of an execution as numbers without bounds, there and back, with the Jacobian of the way.

A positive number is its logarithm, one between 0 and 1 its logit, the elements of a simplex the logarithms of their
ratios to the last; all else is as it is. Which it is goes by the family alone, never by parameters, which may
depend on what moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.numerics.scales import BETWEEN, FINITE, POSITIVE, REAL, SIMPLEX, WHOLE, scales_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Free:
    """How the values of one draw are numbers without bounds."""

    kind: int
    shape: tuple[int, ...]
    is_boolean: bool = False

    @property
    def size(self) -> int:
        """How many numbers there are."""
        count = int(np.prod(self.shape))
        return count - 1 if self.kind == SIMPLEX else count

    @property
    def is_continuous(self) -> bool:
        return self.kind not in (WHOLE, FINITE)

    def numbers(self, value: Any) -> tuple[Floats, float]:
        """A value as numbers, and the log of how much dx/dz is there."""
        x = np.atleast_1d(np.asarray(value, np.float64)).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.kind == POSITIVE:
                return np.log(x), float(np.log(x).sum())
            if self.kind == BETWEEN:
                return np.log(x) - np.log1p(-x), float(np.log(x).sum() + np.log1p(-x).sum())
            if self.kind == SIMPLEX:
                return np.log(x[:-1]) - np.log(x[-1]), float(np.log(x).sum())
        return x, 0.0

    def value(self, z: Floats) -> Any:
        """The value of some numbers."""
        with np.errstate(over="ignore"):
            x = np.exp(z) if self.kind == POSITIVE else 1 / (1 + np.exp(-z)) if self.kind == BETWEEN else z
        if self.kind == SIMPLEX:
            x = np.exp(np.append(z, 0.0) - max(0.0, z.max(initial=0.0)))
            x = x / x.sum()
        if self.shape:
            return x.reshape(self.shape)
        return bool(x[0]) if self.is_boolean else int(x[0]) if not self.is_continuous else float(x[0])


def free_of(name: str, value: Any) -> Free | None:
    """How a value that was drawn from a family is numbers without bounds; None where it is not."""
    if isinstance(value, bool):
        return Free(FINITE, (), True)
    shape = np.shape(value)
    if name in ("discrete", "uniform-discrete", "binomial", "binomial-logit", "bernoulli", "bernoulli-logit"):
        return Free(WHOLE, shape) if not shape else None
    if name == "uniform-continuous":
        return Free(REAL, shape)
    scales = scales_of(name, (), shape)
    return Free(scales[0].kind, shape) if scales and scales[0].kind <= SIMPLEX else None
