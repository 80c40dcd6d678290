"""The words of the middle language, as CPython has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar, cast, overload

import numpy as np
from scipy import special

from pplc_runtime.machine.language import MASK as MASK
from pplc_runtime.machine.tables import NORMAL as _NORMAL

T = TypeVar("T")


class Array(Protocol[T]):
    """An array, of which a slice is the rest."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Array[T]: ...
    def __setitem__(self, index: int, value: T) -> None: ...


floats: TypeAlias = Array[float]
ints: TypeAlias = Array[int]


def _function(function: Any) -> Callable[[float], float]:
    return cast(Callable[[float], float], function)


inf: float = np.float64(np.inf)
nan: float = np.float64(np.nan)
exp = _function(np.exp)
expm1 = _function(np.expm1)
log = _function(np.log)
log1p = _function(np.log1p)
sin = _function(np.sin)
cos = _function(np.cos)
tan = _function(np.tan)
asin = _function(np.arcsin)
acos = _function(np.arccos)
atan = _function(np.arctan)
sinh = _function(np.sinh)
cosh = _function(np.cosh)
tanh = _function(np.tanh)
sqrt = _function(np.sqrt)
floor = _function(np.floor)
ceil = _function(np.ceil)
fabs = _function(np.fabs)
erf = _function(special.erf)
erfc = _function(special.erfc)
lgamma = _function(special.gammaln)


NORMAL: floats = _NORMAL.tolist()


apart = range
"""Numbers for which the body of a loop is run in any order, or several at once: none reads what another wrote."""


def bit_length(x: int) -> int:
    """How many bits a whole number has that is not negative."""
    return x.bit_length()


def pow(base: float, exponent: float) -> float:
    """A power of real numbers."""
    return float(np.power(np.float64(base), np.float64(exponent)))
