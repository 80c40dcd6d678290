"""The random numbers of a sweep, by key: each is a function of the address that it is drawn at, the generation, and the
particle's slot.

`Numbers` has the methods of numpy's generators that samplers use, for the lanes of the running frame. So a family is
written for lanes, and draws the same whichever lanes run together. What `machine/draws` has in machine code is the same
function of the same numbers.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.machine.bulk import BULK, Lanes, Where
from pplc_runtime.machine.chosen import at_tables, by_rows, by_weight
from pplc_runtime.numerics.keys import Key

ANCESTORS: Final = 1
"""In place of an address: who is continued, in the slot of each child."""
ANCESTOR: Final = 2
"""The one that the retained particle continues."""
CHOSEN: Final = 3
"""The particle that is chosen at the end."""
_CALL: Final = 1 << 32
"""How far apart the addresses of the calls of one sampler are."""
_UNIFORM, _NORMAL, _EXPONENTIAL = BULK["uniform"], BULK["normal"], BULK["exponential"]


class Chance(Protocol):
    """Where random numbers come from."""

    generation: int
    slots: Any

    def at(self, at: At, frame: Frame) -> Any:
        """A generator for what some lanes draw at an address."""

    def of_sweep(self, purpose: int) -> Any:
        """A generator for what is drawn of the particles of a generation."""


class Stream:
    """The numbers of a generator, whatever they are for."""

    generation = 0
    slots: Any = None

    def __init__(self, rng: np.random.Generator | None = None) -> None:
        self.rng = np.random.default_rng(0) if rng is None else rng

    def at(self, at: At, frame: Frame) -> np.random.Generator:
        return self.rng

    def of_sweep(self, purpose: int) -> np.random.Generator:
        return self.rng


def chance_of(key: Key, size: int) -> Chance:
    """The numbers of a sweep."""
    return Numbers(key, size)


class Numbers:
    """The numbers of a sweep of one chain, or of one each of several, `size` particles a chain."""

    def __init__(self, key: Key, size: int) -> None:
        keys = [key.of_chain(chain) for chain in range(1 + len(key.others))]
        self.k0 = np.array([own.k0 for own in keys], np.uint64)
        self.k1 = np.array([own.k1 for own in keys], np.uint64)
        self.size = size
        self.generation = 0
        self.slots: Any = None
        """Those of the lanes, where some have been left behind and the others go on in theirs."""
        self.frame: Frame | None = None
        self.of_frame: Any = None
        """The frame that was asked for last, and its lanes."""
        self.wholes: dict[int, Lanes] = {}
        """Those of all particles, by their number."""
        self.lanes: Any = None
        """Those that the next numbers are for; None where they are of the particles of the sweep."""
        self.c0 = 0
        self.own: Any = None

    # Where the next numbers are drawn

    def at(self, at: At, frame: Frame) -> Numbers:
        if frame is not self.frame:
            self.of_frame = self.lanes_of(frame)
            self.frame = frame
        self.lanes = self.of_frame
        if type(at) is Addresses:
            self.c0, self.own = 0, at.hashes(at.labels.at(frame))
        else:
            self.c0, self.own = at.hash, None
        return self

    def lanes_of(self, frame: Frame) -> Lanes:
        """The keys and slots of a frame."""
        chains = len(self.k0)
        if self.slots is None and (chains == 1 or frame.top.size == chains * self.size):
            whole = self.whole(frame.top.size)
            return whole if frame.to_top is None else whole.some(frame.to_top)
        lanes = np.arange(frame.size) if frame.to_top is None else frame.to_top
        if self.slots is not None:
            lanes = self.slots[lanes]
        if chains == 1:
            return Lanes(self.k0, self.k1, _counters(lanes))
        chain, slot = np.divmod(lanes, self.size)
        return Lanes(self.k0[chain], self.k1[chain], _counters(slot))

    def whole(self, count: int) -> Lanes:
        """So many in all, the same for each chain, by slot."""
        lanes = self.wholes.get(count)
        if lanes is None:
            chains = len(self.k0)
            if chains == 1:
                lanes = Lanes(self.k0, self.k1, _all_counters(count))
            else:
                chain, slot = np.divmod(np.arange(count), count // chains)
                lanes = Lanes(self.k0[chain], self.k1[chain], _counters(slot))
            self.wholes[count] = lanes
        return lanes

    def alone(self, at: At, slot: int) -> Numbers:
        """For one particle, which runs alone."""
        self.frame = None
        self.lanes = Lanes(self.k0, self.k1, _counters(np.array([slot])))
        self.c0, self.own = at.hash, None
        return self

    def of_sweep(self, purpose: int) -> Numbers:
        self.lanes, self.c0, self.own = None, purpose, None
        return self

    def where(self, n: int) -> Where:
        """Where the next numbers are drawn, n in all; those after them are drawn elsewhere."""
        c0 = self.c0
        self.c0 = c0 + _CALL
        return Where(self.lanes or self.whole(n), self.generation << 40, c0, self.own)

    def drawn(self, bulk: Any, size: Any, *parameters: Any) -> Any:
        """Numbers of a shape, the last axis of which is that of lanes; a plain one where none is given."""
        if type(size) is int and not parameters:
            return bulk(size, self.where(size))
        if size is None:
            shape = np.broadcast_shapes(*(np.shape(each) for each in parameters)) if parameters else ()
        else:
            shape = size if type(size) is tuple else (size,)
        n = 1
        for length in shape:
            n *= length
        if parameters and len(shape) > 1:
            parameters = tuple([_spread(each, shape) for each in parameters])
        out = bulk(n, self.where(n), *parameters)
        if not shape:
            return out[0].item()
        return out if len(shape) == 1 else out.reshape(shape)

    # Choices by weight, each by a uniform number, where they can be made at once; None where not

    def by_weight(self, n: int, weights: Any) -> Any:
        return self.instead(by_weight(n, self.where(n), weights))

    def by_rows(self, n: int, weights: Any) -> Any:
        return self.instead(by_rows(n, self.where(n), weights))

    def at_tables(self, n: int, state: Any, index: Any, alpha: Any) -> Any:
        return self.instead(at_tables(n, self.where(n), state, index, alpha))

    def instead(self, chosen: Any) -> Any:
        """What was chosen; if nothing was, the numbers for it are still to be drawn."""
        if chosen is None:
            self.c0 -= _CALL
        return chosen

    # As numpy's generators have them

    def random(self, size: Any = None) -> Any:
        return self.drawn(_UNIFORM, size)

    def standard_normal(self, size: Any = None) -> Any:
        return self.drawn(_NORMAL, size)

    def standard_exponential(self, size: Any = None) -> Any:
        return self.drawn(_EXPONENTIAL, size)

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        return self.drawn(BULK["gamma"], size, shape)

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self.drawn(BULK["draw_beta"], size, a, b)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self.drawn(BULK["student_t"], size, df)

    def standard_cauchy(self, size: Any = None) -> Any:
        return self.drawn(BULK["cauchy"], size)

    def laplace(self, location: float, scale: float, size: Any = None) -> Any:
        return location + scale * self.drawn(BULK["laplace"], size)

    def logistic(self, location: float, scale: float, size: Any = None) -> Any:
        return location + scale * self.drawn(BULK["logistic"], size)

    def weibull(self, shape: Any, size: Any = None) -> Any:
        return self.drawn(BULK["weibull"], size, shape)

    def vonmises(self, mean: float, concentration: Any, size: Any = None) -> Any:
        return mean + self.drawn(BULK["angle"], size, concentration)

    def poisson(self, rate: Any, size: Any = None) -> Any:
        return _whole(self.drawn(BULK["draw_poisson"], size, rate))

    def binomial(self, trials: Any, p: Any, size: Any = None) -> Any:
        return _whole(self.drawn(BULK["draw_binomial"], size, trials, p))

    def geometric(self, p: Any, size: Any = None) -> Any:
        return _whole(self.drawn(BULK["draw_geometric"], size, p)) + 1

    def hypergeometric(self, good: Any, bad: Any, draws: Any, size: Any = None) -> Any:
        return _whole(self.drawn(BULK["hypergeometric"], size, good, bad, draws))

    def integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        if high is None:
            low, high = 0, low
        return _whole(self.drawn(BULK["draw_uniform_discrete"], size, low, high))

    def multinomial(self, trials: Any, probabilities: Any, size: Any = None) -> Any:
        """Category after category, of what is left."""
        left = trials if size is None else np.broadcast_to(trials, (size,))
        rest: Any = 1.0
        counts = []
        for number in range(probabilities.shape[-1]):
            own = probabilities[..., number]
            with np.errstate(all="ignore"):
                share = np.where(rest > own, own / rest, 1.0)
            counts.append(self.binomial(left, np.clip(share, 0.0, 1.0) if size is not None else float(share), size))
            left, rest = left - counts[-1], rest - own
        return np.stack([np.asarray(each) for each in counts], -1)

    def permutation(self, values: Any) -> Any:
        order = self.random(values if isinstance(values, int) else len(values)).argsort()
        return order if isinstance(values, int) else values[order]


class OfSweeps:
    """The numbers of one generation of several sweeps of a chain, `size` lanes each, row by row. Their keys are folded
    when somebody draws."""

    def __init__(self, key: Key, first: int | None, count: int, size: int, generation: int) -> None:
        self.key = key
        self.first = first
        """The number of the first sweep, from which its key is folded; None where the key is that of the one sweep."""
        self.count = count
        self.size = size
        self.of_sweeps = generation
        self.generation = 0
        self.slots: Any = None
        self.numbers: Numbers | None = None

    def at(self, at: At, frame: Frame) -> Numbers:
        if self.numbers is None:
            first, key = self.first, self.key
            keys = [key] if first is None else [key.fold(first + place) for place in range(self.count)]
            self.numbers = Numbers(Key.together(keys), self.size)
            self.numbers.generation = self.of_sweeps
        return self.numbers.at(at, frame)

    def of_sweep(self, purpose: int) -> Numbers:
        raise AssertionError("particles of several sweeps have nothing in common")


def _counters(slots: Any) -> NDArray[np.uint64]:
    """The counters of slots, less the generation."""
    counters: NDArray[np.uint64] = slots.astype(np.uint64) << np.uint64(16)
    return counters


@lru_cache(64)
def _all_counters(count: int) -> NDArray[np.uint64]:
    """Those of so many slots, from the first on."""
    return _counters(np.arange(count))


def _whole(numbers: Any) -> Any:
    return int(numbers) if type(numbers) is float else numbers.astype(np.int64)


def _spread(parameter: Any, shape: tuple[int, ...]) -> Any:
    """A parameter over all of a shape, or as it is where it is one number."""
    return parameter if np.ndim(parameter) == 0 else np.broadcast_to(parameter, shape)
