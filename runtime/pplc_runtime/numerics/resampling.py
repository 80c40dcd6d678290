"""Resampling schemes, and their conditional forms for conditional SMC.

A scheme draws n ancestors from weights w_0, ..., w_(N-1). It may be used in conditional SMC, with the
retained particle always in slot 0, if

 (a) the ancestor of every slot has marginal law w, and
 (b) the joint law of the ancestors keeps its form when slots are relabelled so that any given slot becomes
     slot 0, and likewise when the particles are.

By (a) the retained path and its slots have law 1/N^T times the posterior under the extended target; given
the path, the other ancestors then follow the scheme's law *given* that slot 0 has ancestor `kept`. By (b) it
does not matter that the slots of the path are not drawn anew: all choices of them are the same up to
relabelling. With ancestor sampling, draw the new ancestor of slot 0 first and give it as `kept`.

    N. Chopin and S. Singh (2015), "On particle Gibbs sampling", Bernoulli 21(3).

Textbook stratified and systematic resampling give sorted ancestors and violate (a); writing the retained
ancestor over one of their slots biases the sampler. So here each scheme shuffles: `draw` has properties (a)
and (b) and the offspring of the textbook scheme, and `conditional` is exactly the law of `draw` given that
its slot 0 is `kept`.

Weights are not negative and need not sum to 1. No particle of weight 0 is ever drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weights: TypeAlias = NDArray[np.float64]
Ancestors: TypeAlias = NDArray[np.intp]

_BELOW_ONE: Final = math.nextafter(1.0, 0.0)
_ABOVE_ONE: Final = 1.0 + 2.0**-50
_MANY: Final = 256
"""From how many points on they are drawn in increasing order."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """`draw(rng, weights, n)` gives n ancestors; `conditional(rng, weights, n, kept)` gives n ancestors of
    which the first is `kept`, an index of positive weight."""

    name: str
    draw: Callable[[np.random.Generator, Weights, int], Ancestors]
    conditional: Callable[[np.random.Generator, Weights, int, int], Ancestors]


def _cumulative(weights: Weights) -> Weights:
    """The distribution function. It ends in exactly 1, at the last particle of positive weight already, so
    that `searchsorted(point, "right")` of a point in [0, 1) never meets a particle of weight 0."""
    cumulative: Weights = weights.cumsum()
    cumulative /= cumulative[-1]
    return cumulative


def _point_of(rng: np.random.Generator, cumulative: Weights, kept: int) -> float:
    """A uniform point of the interval that belongs to `kept`."""
    low = float(cumulative[kept - 1]) if kept else 0.0
    return min(low + (float(cumulative[kept]) - low) * rng.random(), _BELOW_ONE)


def _points(rng: np.random.Generator, n: int) -> Weights:
    """n independent uniform points; in increasing order if they are many, which makes them cheaper to look up.

    Partial sums of n + 1 exponential variables, over their total, are n sorted uniform points. Slots whose
    particles draw afresh may be sorted: nothing tells them apart."""
    if n < _MANY:
        return rng.random(n)
    points: Weights = rng.standard_exponential(n + 1).cumsum()
    points /= points[-1] * _ABOVE_ONE
    return points[:-1]


def pick(rng: np.random.Generator, weights: Weights) -> int:
    """One particle by its weight."""
    cumulative = weights.cumsum()
    if len(cumulative) > _MANY:
        return int(cumulative.searchsorted(rng.random() * cumulative.item(-1), "right"))
    ends: list[float] = cumulative.tolist()
    return bisect_right(ends, rng.random() * ends[-1])


def _in_rows(rng: np.random.Generator, weights: Weights, n: int) -> Ancestors:
    """n independent particles of each row, by their places in all rows: row r has the points from r to r + 1."""
    rows, size = weights.shape
    row, start, _ = _places(rows, size)
    cumulative = weights.cumsum(1)
    ends = cumulative[:, -1].take(row)
    flat = cumulative.ravel()
    flat /= ends
    flat += start
    _, first, most = _places(rows, n)
    points = rng.random(rows * n)
    points += first
    np.minimum(points, most, out=points)
    ancestors: Ancestors = flat.searchsorted(points, "right")
    return ancestors


@lru_cache(16)
def _places(rows: int, n: int) -> tuple[Ancestors, Weights, Weights]:
    """For n places in each of some rows: the number of the row, the same as a float, and the largest below the next."""
    row: Ancestors = np.arange(rows).repeat(n)
    start: Weights = row.astype(np.float64)
    return row, start, (start + 1) * _BELOW_ONE


@lru_cache(16)
def _starts(rows: int, n: int) -> Ancestors:
    """The first place of each row."""
    starts = np.arange(0, rows * n, n)
    starts.setflags(write=False)
    return starts


def pick_rows(rng: np.random.Generator, weights: Weights) -> Ancestors:
    """One particle of each row, by its place in its row."""
    rows, n = weights.shape
    return _in_rows(rng, weights, 1) - _starts(rows, n)


def conditional_rows(scheme: Scheme, rng: np.random.Generator, weights: Weights, kept: Ancestors | None) -> Ancestors:
    """Ancestors for every row of particles from that row, by their places in all rows.

    The first of each is the one that is `kept` there, or else the first."""
    rows, n = weights.shape
    first = _starts(rows, n)
    if scheme.conditional is conditional_multinomial:
        ancestors = _in_rows(rng, weights, n)
    else:
        places = [0] * rows if kept is None else kept.tolist()
        drawn = [scheme.conditional(rng, row, n, own) for row, own in zip(weights, places)]
        ancestors = (np.array(drawn) + first[:, None]).ravel()
    ancestors[::n] = first if kept is None else first + kept
    return ancestors


def multinomial(rng: np.random.Generator, weights: Weights, n: int) -> Ancestors:
    """Independent ancestors."""
    if n < _MANY and (by_weight := getattr(rng, "by_weight", None)) is not None:
        ancestors: Ancestors | None = by_weight(n, weights)
        if ancestors is not None:
            return ancestors
    cumulative = weights.cumsum()
    points = _points(rng, n)
    points *= cumulative[-1, ...]  # rounds to less than that, since the points are less than 1
    return cumulative.searchsorted(points, "right")


def conditional_multinomial(rng: np.random.Generator, weights: Weights, n: int, kept: int) -> Ancestors:
    """The other slots are independent of slot 0, and of each other."""
    if n < _MANY:
        ancestors = multinomial(rng, weights, n)
        ancestors[0] = kept
        return ancestors
    # Sorted points are those of the other slots alone: the lowest of n is no point like the others.
    return np.concatenate([[kept], multinomial(rng, weights, n - 1)])


def _spaced(cumulative: Weights, n: int, point: float) -> Ancestors:
    points = np.arange(n) / n
    points += point
    points %= 1.0
    return cumulative.searchsorted(points, "right")


def systematic(rng: np.random.Generator, weights: Weights, n: int) -> Ancestors:
    """Equally spaced points, in slots that are shifted round by a random number of places.

    The textbook's points are (u + i) / n. Shifted by s, slot 0 has v = (u + s) / n, uniform on [0, 1), and
    slot j has v + j / n, modulo 1. Shifting the particles round moves only v, which stays uniform."""
    return _spaced(_cumulative(weights), n, rng.random())


def conditional_systematic(rng: np.random.Generator, weights: Weights, n: int, kept: int) -> Ancestors:
    """Slot 0 has ancestor `kept` just if v lies in the interval of `kept`, and is then uniform there."""
    cumulative = _cumulative(weights)
    ancestors = _spaced(cumulative, n, _point_of(rng, cumulative, kept))
    ancestors[0] = kept
    return ancestors


def _strata(rng: np.random.Generator, n: int, first: int) -> Weights:
    """A point in each stratum [i/n, (i+1)/n), beginning with stratum `first` and going round."""
    points = (np.arange(first, first + n) % n + rng.random(n)) / n
    return np.minimum(points, _BELOW_ONE)


def stratified(rng: np.random.Generator, weights: Weights, n: int) -> Ancestors:
    """A point in each of n strata, with particles in random order and slots shifted round at random.

    The strata cut the particles differently in different orders, hence the random order for (b)."""
    order = rng.permutation(len(weights))
    points = _strata(rng, n, int(rng.integers(n)))
    return order[_cumulative(weights[order]).searchsorted(points, "right")]


def conditional_stratified(rng: np.random.Generator, weights: Weights, n: int, kept: int) -> Ancestors:
    """In every order of the particles slot 0 has ancestor `kept` with the same probability, so given that
    the order is still uniform. The point of slot 0 is uniform on [0, 1) and so, given that, on the interval
    of `kept`; it tells the stratum that slot 0 has, and the other strata are independent of it."""
    order = rng.permutation(len(weights))
    cumulative = _cumulative(weights[order])
    point = _point_of(rng, cumulative, int((order == kept).argmax()))
    ancestors = order[cumulative.searchsorted(_strata(rng, n, int(point * n)), "right")]
    ancestors[0] = kept
    return ancestors


def _copies_and_rest(weights: Weights, n: int) -> tuple[Weights, Weights]:
    """The numbers of certain copies, floor(n w), and what is left of n w."""
    expected = weights * (n / weights.sum())
    copies = np.floor(expected)
    return copies, expected - copies


def _residual(rng: np.random.Generator, copies: Weights, rest: Weights, n: int) -> Ancestors:
    """n ancestors in random order: the certain copies, and independent draws from the rest.

    By round-off there can be one certain copy too many: then one of them is left out."""
    certain = np.arange(len(copies)).repeat(copies.astype(np.intp))
    if len(certain) < n:
        certain = np.concatenate([certain, multinomial(rng, rest, n - len(certain))])
    return rng.permutation(certain)[:n]


def residual(rng: np.random.Generator, weights: Weights, n: int) -> Ancestors:
    """floor(n w_i) copies of each i and independent draws from what is left, in random order.

    J. Liu and R. Chen (1998), "Sequential Monte Carlo methods for dynamic systems"."""
    copies, rest = _copies_and_rest(weights, n)
    return _residual(rng, copies, rest, n)


def conditional_residual(rng: np.random.Generator, weights: Weights, n: int, kept: int) -> Ancestors:
    """Slot 0 has ancestor `kept` as one of its certain copies, with probability floor(n w) / n, or as one of
    the R draws from the rest, with probability (R / n) (rest / R) = rest / n. Given which, the other slots
    have the other copies and R draws, or all copies and the R - 1 other draws, in random order."""
    copies, rest = _copies_and_rest(weights, n)
    if rng.random() * (copies[kept] + rest[kept]) < copies[kept]:
        copies[kept] -= 1
    ancestors = np.empty(n, dtype=np.intp)
    ancestors[0] = kept
    ancestors[1:] = _residual(rng, copies, rest, n - 1)
    return ancestors


SCHEMES: Final[dict[str, Scheme]] = {
    scheme.name: scheme
    for scheme in (
        Scheme("multinomial", multinomial, conditional_multinomial),
        Scheme("stratified", stratified, conditional_stratified),
        Scheme("systematic", systematic, conditional_systematic),
        Scheme("residual", residual, conditional_residual),
    )
}
"""The first is the default."""
