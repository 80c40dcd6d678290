"""What a sweep keeps of its particles: all that some of them drew, by address.

Those some stand, with equal weights, for all of the sweep. Of a conditional sweep it is the one that is retained, which
is chosen with probability proportional to its weight. Of an independent sweep they are drawn by systematic resampling:
each particle is expected as often as its weight says. The position of the comb is a function of the chain and the
number of the sweep, so that it depends on no particle, and takes no random number from those who follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.generator import uniform
from pplc_runtime.values import Symbol

Places: TypeAlias = NDArray[np.intp]
MOST_KEPT: Final = 100
"""So many particles of an independent sweep are kept, or all where there are fewer."""
MOST_PARTICLES: Final = 10_000
"""Of more particles than this what they draw is not remembered, which would need much memory."""
_COMB: Final = 0x70706C63


@dataclass(frozen=True, slots=True)
class Block:
    """Values of one shape and kind that were drawn at some addresses."""

    addresses: tuple[At, ...]
    lanes: Places | None
    """Which of the kept particles have them; None for all."""
    data: NDArray[Any]
    """By address first and by particle last."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Some particles of a sweep: their places among all, and what they drew."""

    particles: Places
    blocks: tuple[Block, ...]

    @classmethod
    def alone(cls, place: int, values: Mapping[At, Any]) -> Kept:
        """One particle, by what it drew."""
        groups: dict[Any, dict[At, Any]] = {}
        if set(map(type, values.values())) == {float}:
            groups[float, ()] = dict(values)
        else:
            for at, value in values.items():
                groups.setdefault((type(value), np.shape(value)), {})[at] = value
        blocks = [Block(tuple(own), None, np.array(list(own.values()))[..., None]) for own in groups.values()]
        return cls(np.array([place]), tuple(blocks))

    @classmethod
    def several(cls, runs: list[dict[At, Any]]) -> Kept:
        """Some particles, by what each drew; they stand at the first places."""
        own: dict[tuple[At, Any], list[int]] = {}
        for lane, values in enumerate(runs):
            for at, value in values.items():
                own.setdefault((at, (type(value), np.shape(value))), []).append(lane)
        groups: dict[Any, list[At]] = {}
        for (at, kind), lanes in own.items():
            groups.setdefault((kind, tuple(lanes)), []).append(at)
        blocks = []
        for (_, lanes), addresses in groups.items():
            data = np.stack([np.stack([runs[lane][at] for lane in lanes], -1) for at in addresses])
            blocks.append(Block(tuple(addresses), None if len(lanes) == len(runs) else np.array(lanes), data))
        return cls(np.arange(len(runs)), tuple(blocks))

    def one(self, slot: int) -> Kept:
        """One of them by itself."""
        blocks = []
        for block in self.blocks:
            column = np.array([slot]) if block.lanes is None else np.flatnonzero(block.lanes == slot)
            if column.size:
                blocks.append(Block(block.addresses, None, block.data[..., column]))
        return Kept(self.particles[slot : slot + 1], tuple(blocks))

    def first(self, root: At) -> dict[At, Any]:
        """What the first of them drew, at addresses below another root."""
        return {
            moved(at, root): row[0].item() if row.ndim == 1 else row[..., 0].copy()
            for block in self.blocks
            if block.lanes is None or block.lanes[0] == 0
            for at, row in zip(block.addresses, block.data)
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """As it goes to another process: addresses by their paths. What has no path there is not kept."""
        try:
            blocks = [(tuple(map(_path, b.addresses)), b.lanes, b.data) for b in self.blocks]
        except _NoPath:
            return _nothing, ()
        return _kept, (self.particles, blocks)


def equal_places(log_weights: NDArray[np.float64], chain: int, number: int, is_chain: bool) -> Places:
    """The particles that stand for a sweep: one of a chain, and of an independent sweep up to `MOST_KEPT`."""
    largest = log_weights.max(initial=-np.inf)
    if largest == -np.inf:
        return np.empty(0, np.intp)
    count = 1 if is_chain else min(len(log_weights), MOST_KEPT)
    return systematic(np.exp(log_weights - largest), count, chain, number)


def systematic(weights: NDArray[np.float64], count: int, chain: int, number: int = 0) -> Places:
    """So many places by weight, in increasing order, each expected as often as its weight says."""
    start = uniform(_COMB, chain, number, 0)
    ends = np.cumsum(weights)
    last = int(np.flatnonzero(weights)[-1])
    points = (start + np.arange(count)) / count * ends[-1]
    # A point that rounding puts at the end of all is in the last place that has weight.
    places: Places = np.minimum(np.searchsorted(ends, points, side="right"), last).astype(np.intp)
    return places


class _Below(tuple[Any, ...]):
    """The path of an address that is part of a site of another one."""

    __slots__ = ()


class _NoPath(Exception):
    """A site has something in it that means nothing in another process: a procedure, a distribution."""


_PORTABLE: Final = (type(None), bool, int, float, str, Symbol, type)


def _path(at: At) -> tuple[Any, ...]:
    return tuple(map(_portable, at.path()))


def _portable(site: Any) -> Any:
    if isinstance(site, At):
        return _Below(_path(site))
    if type(site) in (tuple, frozenset):
        return type(site)(map(_portable, site))
    if isinstance(site, _PORTABLE):
        return site
    raise _NoPath


def _kept(particles: Places, blocks: list[tuple[Any, Places | None, NDArray[Any]]]) -> Kept:
    root = At()
    return Kept(
        particles,
        tuple(Block(tuple(_walked(path, root) for path in paths), lanes, data) for paths, lanes, data in blocks),
    )


def _nothing() -> None:
    return None


def _walked(path: tuple[Any, ...], root: At) -> At:
    at = root
    for site in path:
        at = at[_site(site, root)]
    return at


def _site(site: Any, root: At) -> Any:
    if type(site) is _Below:
        return _walked(site, root)
    if isinstance(site, At):
        return moved(site, root)
    if type(site) in (tuple, frozenset):
        return type(site)(_site(part, root) for part in site)
    return site


def moved(at: At, root: At) -> At:
    """The same address below another root."""
    return _walked(at.path(), root)
