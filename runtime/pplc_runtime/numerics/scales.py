"""Scales without bounds: how a value that was drawn from a family is moved by kernels on traces.

A positive number moves on the scale of its logarithm, one between bounds on that of its logit, a real number as it is;
whole numbers step, finite ones are drawn by their law, and the elements of a simplex exchange what they have.
"""

from __future__ import annotations

from math import ceil, floor, inf, isfinite, isinf, prod
from typing import Any, Final, NamedTuple

import numpy as np

from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.independent import Independent
from pplc_runtime.distributions.mixture import Mixture, ZeroInflated
from pplc_runtime.distributions.truncated import Truncated

REAL, POSITIVE, BETWEEN, WHOLE, FINITE, SIMPLEX, STICK = range(7)
MOST_VALUES: Final = 64
"""A finite draw of more values than this steps."""


class Scale(NamedTuple):
    """How one number moves: its kind, and what that goes by. For FINITE the values from `low` up to `high`; for SIMPLEX
    which element it is, and how many others there are; for STICK how many are behind it."""

    kind: int
    low: float = 0.0
    high: float = 0.0


_ON_THE_LINE: Final = ("normal", "laplace", "student-t", "cauchy", "logistic", "mvn")
_POSITIVE: Final = (
    "lognormal", "gamma", "inverse-gamma", "chi-squared", "exponential", "weibull", "half-normal", "half-cauchy",
)  # fmt: skip
_COUNTS: Final = ("poisson", "geometric", "negative-binomial")
_COINS: Final = ("flip", "bernoulli", "flip-logit", "bernoulli-logit")


def scales_of(name: str, parts: tuple[Any, ...], shape: tuple[int, ...]) -> list[Scale] | None:
    """The scale of each element of a draw from a family; None where there is no move for it.

    A parameter that is not a plain number is one that others decide."""
    size = prod(shape)
    if name in _COINS:
        return [Scale(FINITE, 0.0, 2.0)]
    if name == "discrete":
        values = parts[0].shape[0]
        return [Scale(FINITE, 0.0, float(values)) if values <= MOST_VALUES else Scale(WHOLE)]
    if name in ("uniform-discrete", "binomial", "binomial-logit"):
        return [_finite(*parts[:2]) if name == "uniform-discrete" else _finite(0, _one_more(parts[0]))]
    if name == "beta":
        return [Scale(BETWEEN, 0.0, 1.0)]
    if name == "uniform-continuous":
        low, high = parts
        return [Scale(BETWEEN, float(low), float(high)) if _are_numbers(low, high) else Scale(REAL)]
    if name == "dirichlet":
        return [Scale(SIMPLEX, float(k), float(size - 1)) for k in range(size)] if size > 1 else []
    for names, kind in ((_ON_THE_LINE, REAL), (_POSITIVE, POSITIVE), (_COUNTS, WHOLE)):
        if name in names:
            return [Scale(kind)] * size
    return None


def scales_of_draw(family: Family, parts: tuple[Any, ...], shape: tuple[int, ...]) -> list[Scale] | None:
    """The same by the family itself: a vector of independent components has the scales of each of them, what is made of
    other families one that fits all of these."""
    if isinstance(family, Mixture | ZeroInflated | Truncated) and not shape:
        one = _scale_of(family, parts)
        return None if one is None else [one]
    if not isinstance(family, Independent):
        return scales_of(family.name, parts, shape)
    scales: list[Scale] = []
    for k in range(family.size):
        own = tuple(_element(part, k) if varies else part for part, varies in zip(parts, family.varying))
        found = None if family.base.event_rank else scales_of(family.base.name, own, ())
        if found is None:
            return None
        scales += found
    return scales


def _scale_of(family: Family, parts: tuple[Any, ...]) -> Scale | None:
    """The scale of a number from a family, which may be made of others."""
    match family:
        case Mixture():
            return _common([_scale_of(each, own) for each, own in zip(family.components, family.split(parts))])
        case ZeroInflated():
            return _common([Scale(FINITE, 0.0, 1.0), _scale_of(family.base, parts[1:])])
        case Truncated():
            return _between(_scale_of(family.base, parts[:-2]), *parts[-2:])
    found = None if family.event_rank else scales_of(family.name, parts, ())
    return found[0] if found else None


def _common(scales: list[Scale | None]) -> Scale | None:
    """A scale for values that come from one of several."""
    found = [scale for scale in scales if scale is not None]
    kinds = {scale.kind for scale in found}
    if len(found) < len(scales) or len(set(found)) == 1:
        return found[0] if len(found) == len(scales) else None
    if kinds == {FINITE}:
        return _finite(min(scale.low for scale in found), max(scale.high for scale in found))
    return Scale(WHOLE if kinds <= {WHOLE, FINITE} else REAL)


def _between(scale: Scale | None, low: Any, high: Any) -> Scale | None:
    """The scale of what lies between two bounds."""
    if scale is None or not _are_numbers(low, high):
        return scale if scale is None or scale.kind in (WHOLE, FINITE) else Scale(REAL)
    if scale.kind in (WHOLE, FINITE):
        return scale if isinf(low) or isinf(high) else _finite(float(ceil(low)), floor(high) + 1.0)
    if isfinite(low) and isfinite(high):
        return Scale(BETWEEN, float(low), float(high))
    if high == inf and (low == 0 or (low < 0 and scale.kind == POSITIVE)):
        return Scale(POSITIVE)
    return scale if low == -inf and high == inf else Scale(REAL)


def _element(part: Any, k: int) -> Any:
    return float(part[k]) if isinstance(part, np.ndarray) and part.ndim == 1 else None


def _finite(low: Any, high: Any) -> Scale:
    if _are_numbers(low, high) and high - low <= MOST_VALUES:
        return Scale(FINITE, float(low), float(high))
    return Scale(WHOLE)


def _one_more(value: Any) -> Any:
    return value + 1 if _are_numbers(value) else value


def _are_numbers(*values: Any) -> bool:
    return all(type(value) in (int, float) for value in values)
