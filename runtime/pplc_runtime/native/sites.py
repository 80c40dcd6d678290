"""Sites: the values of a specialised program that moves change, their scales, and what depends on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pplc_runtime.native.joint import Joint, affected, readers
from pplc_runtime.specialise.ir import Draw, Operand

MOST_VALUES: Final = 64
"""A finite draw of more values than this walks."""
REAL, POSITIVE, BETWEEN, WHOLE, FINITE, SIMPLEX = range(6)
_KINDS: Final = {
    **dict.fromkeys(("normal", "laplace", "student-t", "cauchy", "mvn"), REAL),
    **dict.fromkeys(("lognormal", "gamma", "inverse-gamma", "chi-squared", "exponential", "weibull"), POSITIVE),
    **dict.fromkeys(("poisson", "geometric", "negative-binomial"), WHOLE),
    "dirichlet": SIMPLEX,
}
_COINS: Final = ("flip", "bernoulli", "flip-logit", "bernoulli-logit")


@dataclass(frozen=True, slots=True)
class Site:
    """A value that moves: a draw, or an element of one."""

    draw: Draw
    element: int
    kind: int
    low: float = 0.0
    high: float = 0.0


def sites_of(draw: Draw) -> list[Site] | None:
    """The sites of a draw; None where there is no move for it."""
    name, parts = draw.family.name, draw.parts
    size = math.prod(draw.result.shape)
    if name in _COINS:
        return [Site(draw, 0, FINITE, 0.0, 2.0)]
    if name == "discrete":
        shape = parts[0].shape
        return [Site(draw, 0, FINITE, 0.0, float(shape[0]))] if shape[0] <= MOST_VALUES else None
    if name == "beta":
        return [Site(draw, 0, BETWEEN, 0.0, 1.0)]
    if name == "uniform-continuous":
        if not all(map(_is_number, parts)):
            return [Site(draw, 0, REAL)]
        return [Site(draw, 0, BETWEEN, float(parts[0]), float(parts[1]))]
    if name in ("uniform-discrete", "binomial", "binomial-logit"):
        low, high = (parts[0], parts[1]) if name == "uniform-discrete" else (0, _more(parts[0]))
        if _is_number(low) and _is_number(high) and high - low <= MOST_VALUES:
            return [Site(draw, 0, FINITE, float(low), float(high))]
        return [Site(draw, 0, WHOLE)]
    kind = _KINDS.get(name)
    if kind is None:
        return None
    if kind == SIMPLEX:
        return [Site(draw, k, SIMPLEX, float(k), float(size - 1)) for k in range(size)] if size > 1 else []
    return [Site(draw, k, kind) for k in range(size)]


def _is_number(operand: Operand) -> bool:
    return type(operand) in (int, float)


def _more(operand: Operand) -> Operand:
    return operand + 1 if _is_number(operand) else operand


def site_fields(joint: Joint, sites: list[Site]) -> dict[str, Any]:
    """The fields of `moves.Moves` that tell of sites."""
    segments = joint.program.segments
    reads = readers(segments)
    offsets = joint.layout.offsets
    parts: dict[Any, tuple[list[int], list[int]]] = {}
    depends: list[list[int]] = []
    written: list[list[int]] = []
    for site in sites:
        result = site.draw.result
        if result not in parts:
            found, computed = affected(segments, reads, site.draw)
            cells = [offsets[var] + k for var in computed if var in offsets for k in range(math.prod(var.shape))]
            parts[result] = found, cells
        depends.append(parts[result][0])
        written.append(parts[result][1])
    ranges, rooms = _ranges(depends), _ranges(written)
    values = [site.high - site.low for site in sites if site.kind == FINITE]
    return {
        "sites": len(sites),
        "OFF": np.array([offsets[site.draw.result] + site.element for site in sites] or [0], np.int64),
        "KIND": np.array([site.kind for site in sites] or [0], np.int64),
        "LO": np.array([site.low for site in sites] or [0.0]),
        "HI": np.array([site.high for site in sites] or [0.0]),
        "AF": ranges,
        "NEW": np.zeros(len(ranges)),
        "WR": rooms,
        "BK": np.zeros(len(rooms)),
        "P": np.zeros(int(max(values, default=0)) + 1),
        "SCALE": np.ones(max(1, len(sites))),
        "TAKEN": np.zeros(max(1, len(sites))),
    }


def _ranges(rows: list[list[int]]) -> Any:
    """Rows in one array, after the places where they begin and end."""
    places = len(rows) + 1 + np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return np.concatenate([places, *rows, [0]]).astype(np.int64)
