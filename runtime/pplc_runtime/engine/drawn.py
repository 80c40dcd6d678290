"""What particles drew, along their ancestry, as a sweep keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.results.kept import Block, Kept, Places

if TYPE_CHECKING:
    from pplc_runtime.engine.particles import Particles


def drawn_by(particles: Particles, lanes: Places) -> Kept:
    """All that the particles in some lanes drew, where that was remembered."""
    groups: dict[Any, tuple[list[At], Places | None, list[NDArray[Any]]]] = {}
    last = particles.ran[-1]
    places = lanes if particles.frame is last else particles.frame.map_from(last)[lanes]
    for _, draws, ancestors in particles.before():
        for at, inner, value in draws:
            inside, own = (None, places) if inner.to_top is None else inner.positions_of(places)
            if not own.size:
                continue
            if type(value) is Lane:
                data = value.data.take(own, -1)
            else:
                data = np.repeat(np.asarray(value)[..., None], own.size, -1)
            key = data.dtype.char, data.shape, None if inside is None else inside.tobytes()
            group = groups.get(key)
            if group is None:
                group = groups[key] = ([], inside, [])
            group[0].append(at)
            group[2].append(data)
        if ancestors is not None:
            places = ancestors[places]
    blocks = [Block(tuple(own), inside, np.array(rows)) for own, inside, rows in groups.values()]
    return Kept(lanes, tuple(blocks))
