"""Noise: a draw as a function of its parameters and of something that has a law of its own.

    x ~ normal m s      is      x = m + s e,  e ~ normal 0 1

Moved in these coordinates (e and what is not drawn so), a parameter takes along the values that were drawn from it
(Papaspiliopoulos, Roberts and Sköld 2007, "A general framework for the parametrization of hierarchical models"). The
density of the parameters and the noise is that of the parameters and the values times |dx/de|, so it has the law of e
in place of that of x: with x = f(e; m), p(x; m) |df/de| is the density of e. Families by location and scale are such,
and those by scale alone, whatever shape they have: then the law of e has the shape as a parameter. A small vector from
mvn is its mean and the root of its covariance times a vector of normals.
"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from pplc_runtime.numerics.scales import BETWEEN, POSITIVE, REAL, Scale
from pplc_runtime.specialise.ir import Draw


class Noise(NamedTuple):
    """How a family follows its noise, in the middle language: {e} is the noise, {x} the value, {0} ... parameters."""

    value: str
    noise: str
    density: str
    scale: Scale


_REAL: Final = Scale(REAL)
_POSITIVE: Final = Scale(POSITIVE)


def _located(density: str, location: int = 0, scale: Scale = _REAL) -> Noise:
    place, width = f"{{{location}}}", f"{{{location + 1}}}"
    return Noise(f"{place} + {width} * {{e}}", f"({{x}} - {place}) / {width}", density, scale)


def _scaled(density: str, by: int) -> Noise:
    return Noise(f"{{{by}}} * {{e}}", f"{{x}} / {{{by}}}", density, _POSITIVE)


def _rated(density: str, by: int) -> Noise:
    return Noise(f"{{e}} / {{{by}}}", f"{{x}} * {{{by}}}", density, _POSITIVE)


NORMAL: Final = "lp_normal({e}, 0.0, 1.0)"
NOISE: Final[dict[str, Noise]] = {
    "normal": _located(NORMAL),
    "lognormal": Noise("exp({0} + {1} * {e})", "(log({x}) - {0}) / {1}", NORMAL, _REAL),
    "laplace": _located("lp_laplace({e}, 0.0, 1.0)"),
    "logistic": _located("lp_logistic({e}, 0.0, 1.0)"),
    "cauchy": _located("lp_cauchy({e}, 0.0, 1.0)"),
    "student-t": _located("lp_student_t({e}, {0}, 0.0, 1.0)", 1),
    "uniform-continuous": Noise(
        "{0} + ({1} - {0}) * {e}", "({x} - {0}) / ({1} - {0})", "lp_uniform_continuous({e}, 0.0, 1.0)",
        Scale(BETWEEN, 0.0, 1.0),
    ),
    "exponential": _rated("lp_exponential({e}, 1.0)", 0),
    "gamma": _rated("lp_gamma({e}, {0}, 1.0)", 1),
    "inverse-gamma": _scaled("lp_inverse_gamma({e}, {0}, 1.0)", 1),
    "weibull": _scaled("lp_weibull({e}, {0}, 1.0)", 1),
    "half-normal": _scaled("lp_half_normal({e}, 1.0)", 0),
    "half-cauchy": _scaled("lp_half_cauchy({e}, 1.0)", 0),
}  # fmt: skip
SMALL_ROOT: Final = 4
"""Covariances of so many rows have their root written out."""


def noises(draw: Draw) -> list[Scale]:
    """The scales of the noise that a draw follows; none where it keeps its value."""
    size = prod(draw.result.shape)
    if draw.family.name == "mvn":
        return [_REAL] * size if size <= SMALL_ROOT else []
    rule = NOISE.get(draw.family.name)
    return [rule.scale] if rule is not None and not draw.result.shape else []


def is_normal(draw: Draw) -> bool:
    """Whether its noise is."""
    return draw.family.name == "mvn" or NOISE[draw.family.name].density == NORMAL
