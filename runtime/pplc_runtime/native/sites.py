"""Sites: the values of a specialised program that moves change, their scales, and what depends on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.noise import is_normal, noises
from pplc_runtime.native.plates import leaf_fields
from pplc_runtime.native.values import Unsupported, size_of
from pplc_runtime.numerics.scales import BETWEEN, FINITE, POSITIVE, REAL, SIMPLEX, STICK, Scale, scales_of_draw
from pplc_runtime.specialise.ir import Draw, Report

if TYPE_CHECKING:
    from pplc_runtime.native.joint import Joint

ALONE: Final = ("rw", "slice", "gibbs", "sum", "lmh")
"""Methods that move one value at a time, or one draw; others move blocks of them."""


@dataclass(frozen=True, slots=True)
class Site:
    """A value that moves: a draw, an element of one, or the noise that it follows."""

    draw: Draw
    place: int
    scale: Scale


def sites_of(joint: Joint, covers: Callable[[At], bool], by: str = "rw") -> list[Site]:
    """The sites at some addresses, in the order of the program; Unsupported where a method has no move for one."""
    if any(isinstance(each, Report) for segment in joint.program.segments for each in segment.forward):
        raise Unsupported("a predict that acts")
    sites: list[Site] = []
    for draw in joint.layout.draws:
        if covers(draw.at):
            sites += [Site(draw, place, scale) for place, scale in _places(joint, draw, by)]
    return sites


def _places(joint: Joint, draw: Draw, by: str) -> list[tuple[int, Scale]]:
    """The values of a draw that move, and their scales."""
    name = draw.family.name
    if by == "lmh":
        return [(joint.layout.offsets[draw.result], Scale(REAL))]
    if draw.result in joint.following:
        if by == "ellipse" and not is_normal(draw):
            raise Unsupported(f"a draw from {name}: it moves normal ones")
        return [(joint.following[draw.result] + k, scale) for k, scale in enumerate(noises(draw))]
    scales = scales_of_draw(draw.family, draw.parts, draw.result.shape)
    if scales is None:
        raise Unsupported(f"a draw from {name}")
    if by == "gibbs" and any(scale.kind != FINITE for scale in scales):
        raise Unsupported(f"a draw from {name}: it moves those of finitely many values")
    if by == "ellipse":
        raise Unsupported(f"a draw from {name}: it moves normal ones")
    if by == "nuts":
        if any(scale.kind == SIMPLEX for scale in scales):
            scales = [Scale(STICK, scale.low, scale.high - scale.low) for scale in scales[:-1]]
        if any(scale.kind not in (REAL, POSITIVE, BETWEEN, STICK) for scale in scales):
            raise Unsupported(f"a draw from {name}, which is discrete")
    start = joint.layout.offsets[draw.result]
    return [(start + k, scale) for k, scale in enumerate(scales)]


def site_fields(joint: Joint, sites: list[Site], by: str = "rw", together: int | None = None) -> dict[str, Any]:
    """The fields of `moves.Moves` that tell of sites; `together` is how many move at once, None for all of them."""
    offsets = joint.layout.offsets
    parts: dict[Any, tuple[list[int], list[int]]] = {}
    for site in sites:
        if site.draw.result not in parts:
            found, computed = joint.pieces.affected(site.draw.result, joint.following)
            if site.draw.result in joint.following or by == "lmh":
                computed = [site.draw.result, *computed]
            cells = [offsets[var] + k for var in computed if var in offsets for k in range(size_of(var))]
            parts[site.draw.result] = found, cells
    own = [parts[site.draw.result] for site in sites]
    if by not in ALONE:  # a row for each block of sites
        size = max(1, together or len(sites))
        blocks = [own[start : start + size] for start in range(0, max(1, len(own)), size)]
        own = [([], []) for _ in sites]
        own += [(_joined([row for row, _ in block]), _joined([cells for _, cells in block])) for block in blocks]
    rows, rooms = ranges([row for row, _ in own]), ranges([cells for _, cells in own])
    values = [site.scale.high - site.scale.low for site in sites if site.scale.kind == FINITE]
    return {
        "sites": len(sites),
        "OFF": np.array([site.place for site in sites] or [0], np.int64),
        "KIND": np.array([site.scale.kind for site in sites] or [0], np.int64),
        "LO": np.array([site.scale.low for site in sites] or [0.0]),
        "HI": np.array([site.scale.high for site in sites] or [0.0]),
        "AF": rows,
        "NEW": np.zeros(len(rows)),
        "FP": np.array(
            [joint.fresh[site.draw.result] for site in sites] if by == "lmh" and sites else [0], np.int64
        ).ravel(),
        "WR": rooms,
        "BK": np.zeros(len(rooms)),
        "P": np.zeros(int(max(values, default=0)) + 1),
        "SCALE": np.ones(max(1, len(sites))),
        "exactly": int(all(site.scale.kind == REAL for site in sites)),
        **(leaf_fields(joint.leaves, own[-1][0]) if by == "nuts" else {}),
    }


def _joined(rows: list[list[int]]) -> list[int]:
    return sorted(set().union(*rows))


def ranges(rows: list[list[int]]) -> Any:
    """Rows in one array, after the places where they begin and end."""
    places = len(rows) + 1 + np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return np.concatenate([places, *rows, [0]]).astype(np.int64)
