"""What particles drew, along their ancestry, as a sweep keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.results.kept import Block, Kept, Places

if TYPE_CHECKING:
    from pplc_runtime.engine.particles import Particles


def apart(at: Addresses, keys: NDArray[Any]) -> Iterator[tuple[At, Places | None]]:
    """The addresses of some lanes that have these keys, and which of them have each; None for all."""
    distinct = sorted(set(keys.tolist()))
    for key in distinct:
        yield at.of(key), None if len(distinct) == 1 else np.flatnonzero(keys == key)


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
            for address, among in [(at, None)] if type(at) is not Addresses else apart(at, at.labels.at(inner)[own]):
                if among is None:
                    rows, whose = data, inside
                else:
                    rows, whose = data.take(among, -1), among if inside is None else inside[among]
                key = rows.dtype.char, rows.shape, None if whose is None else whose.tobytes()
                group = groups.get(key)
                if group is None:
                    group = groups[key] = ([], whose, [])
                group[0].append(address)
                group[2].append(rows)
        if ancestors is not None:
            places = ancestors[places]
    blocks = [Block(tuple(own), inside, np.array(rows)) for own, inside, rows in groups.values()]
    return Kept(lanes, tuple(blocks))


def trajectories(particles: Particles, lanes: list[int]) -> list[dict[At, Any]]:
    """The values drawn along the ancestry of each of some lanes, by address."""
    found: list[dict[At, Any]] = [{} for _ in lanes]
    places = np.array(lanes)
    for _, draws, ancestors in particles.before():
        for at, inner, value in draws:
            if type(at) is not Addresses and inner.to_top is None and type(value) is Lane and value.data.ndim == 1:
                for own, each in zip(found, value.data[places].tolist()):
                    own[at] = each
                continue
            for own, lane in zip(found, places.tolist()):
                position = inner.position_of(lane)
                if position is not None:
                    address = at.of(at.labels.at(inner).item(position)) if type(at) is Addresses else at
                    own[address] = _plain_at(value, position)
        if ancestors is not None:
            places = ancestors[places]
    return found


def _plain_at(value: Any, position: int) -> Any:
    if type(value) is not Lane:
        return value
    data = value.data[..., position]
    return data.item() if data.ndim == 0 else data.copy()
