"""Densities of distributions that are made of others, as scalar code: mixtures, zeros, components, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.independent import Independent
from pplc_runtime.distributions.mixture import Mixture, ZeroInflated
from pplc_runtime.distributions.truncated import Bounded
from pplc_runtime.native.bounded import bounded
from pplc_runtime.native.library import FUNCTIONS
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.ir import Operand

if TYPE_CHECKING:
    from pplc_runtime.native.scalar import Scalar

MOST: Final = 64
"""Components that are written out one by one."""


def composite(scalar: Scalar, family: Family, parts: tuple[Operand, ...], value: Operand) -> str | None:
    """The log density of a value, or None if a family is no composite."""
    match family:
        case Independent():
            return _independent(scalar, family, parts, value)
        case Mixture():
            return _mixture(scalar, family, parts, value)
        case ZeroInflated():
            chance, *own = map(scalar.number, parts)
            x = scalar.number(value)
            rest = scalar.set(f"lp_flip(0.0, {chance}) + {_plain(family.base, [x, *own])}")
            return f"log_add(log_of({chance}), {rest}) if {x} == 0.0 else {rest}"
        case Bounded():
            x, own = scalar.number(value), [scalar.number(part) for part in parts[:-2]]
            return bounded(scalar, family, parts, x, _plain(family.base, [x, *own]))
        case _:
            return None


def _independent(scalar: Scalar, family: Independent, parts: tuple[Operand, ...], value: Operand) -> str:
    """The sum over the components."""
    x = scalar.value(value)
    if x.shape != (family.size,) or family.size > MOST:
        raise Unsupported(f"the density of {family.name}")
    columns = [[scalar.element(x, k) for k in range(family.size)]]
    for part, varies in zip(parts, family.varying):
        if varies:
            items = scalar.value(part)
            columns.append([scalar.element(items, k) for k in range(family.size)])
        else:
            columns.append([scalar.number(part)] * family.size)
    return " + ".join([scalar.set(_plain(family.base, row)) for row in zip(*columns)])


def _mixture(scalar: Scalar, family: Mixture, parts: tuple[Operand, ...], value: Operand) -> str:
    """The logarithm of the weighted sum of the densities, without overflow."""
    weights = scalar.value(parts[0])
    if weights.shape != (len(family.components),) or len(family.components) > MOST:
        raise Unsupported(f"the density of {family.name}")
    x = scalar.number(value)
    shares = [scalar.element(weights, k) for k in range(weights.size)]
    total = ""
    for share, component, own in zip(shares, family.components, family.split(parts)):
        density = _plain(component, [x, *map(scalar.number, own)])
        term = scalar.set(f"log_of({share}) + {density}")
        total = scalar.set(f"log_add({total}, {term})") if total else term
    return f"{total} - log({' + '.join(shares)})"


def _plain(family: Family, items: Sequence[str]) -> str:
    """The log density of a family of numbers."""
    name = f"lp_{family.name.replace('-', '_')}"
    if (
        name not in FUNCTIONS
        or len(items) != 1 + len(family.parameters)
        or len(FUNCTIONS[name].parameters) != len(items)
    ):
        raise Unsupported(f"the density of {family.name}")
    return f"{name}({', '.join(items)})"
