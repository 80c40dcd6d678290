"""Sites: the values of a specialised program that moves change, their scales, and what depends on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.joint import Joint, affected, readers
from pplc_runtime.native.values import Unsupported, size_of
from pplc_runtime.numerics.scales import FINITE, Scale, scales_of
from pplc_runtime.specialise.ir import Draw, Report


@dataclass(frozen=True, slots=True)
class Site:
    """A value that moves: a draw, or an element of one."""

    draw: Draw
    element: int
    scale: Scale


def sites_of(joint: Joint, covers: Callable[[At], bool]) -> list[Site]:
    """The sites at some addresses, in the order of the program; Unsupported where there is no move for one of them."""
    if any(isinstance(each, Report) for segment in joint.program.segments for each in segment.forward):
        raise Unsupported("a predict that acts")
    sites: list[Site] = []
    for draw in joint.layout.draws:
        if covers(draw.at):
            scales = scales_of(draw.family.name, draw.parts, draw.result.shape)
            if scales is None:
                raise Unsupported(f"a move of a draw from {draw.family.name}")
            sites += [Site(draw, element, scale) for element, scale in enumerate(scales)]
    return sites


def site_fields(joint: Joint, sites: list[Site]) -> dict[str, Any]:
    """The fields of `moves.Moves` that tell of sites."""
    segments = joint.program.segments
    reads = readers(segments)
    offsets = joint.layout.offsets
    parts: dict[Any, tuple[list[int], list[int]]] = {}
    for site in sites:
        if site.draw.result not in parts:
            found, computed = affected(segments, reads, site.draw)
            cells = [offsets[var] + k for var in computed if var in offsets for k in range(size_of(var))]
            parts[site.draw.result] = found, cells
    ranges = _ranges([parts[site.draw.result][0] for site in sites])
    rooms = _ranges([parts[site.draw.result][1] for site in sites])
    values = [site.scale.high - site.scale.low for site in sites if site.scale.kind == FINITE]
    return {
        "sites": len(sites),
        "OFF": np.array([offsets[site.draw.result] + site.element for site in sites] or [0], np.int64),
        "KIND": np.array([site.scale.kind for site in sites] or [0], np.int64),
        "LO": np.array([site.scale.low for site in sites] or [0.0]),
        "HI": np.array([site.scale.high for site in sites] or [0.0]),
        "AF": ranges,
        "NEW": np.zeros(len(ranges)),
        "WR": rooms,
        "BK": np.zeros(len(rooms)),
        "P": np.zeros(int(max(values, default=0)) + 1),
        "SCALE": np.ones(max(1, len(sites))),
    }


def _ranges(rows: list[list[int]]) -> Any:
    """Rows in one array, after the places where they begin and end."""
    places = len(rows) + 1 + np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    return np.concatenate([places, *rows, [0]]).astype(np.int64)
