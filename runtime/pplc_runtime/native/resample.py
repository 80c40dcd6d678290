"""Weights and ancestors of particles, in the middle language.

The numbers that a sweep takes for itself have small constants where draws have the hash of their address: 1 for the
ancestors, by the slot of the child, 2 for that of the retained particle, 3 for the particle that is chosen at the end.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import fill_bits, unit
from pplc_runtime.machine.words import exp, floats, inf, ints, log, nan


def weigh(count: int, logs: floats, weights: floats) -> float:
    """Weights up to a factor, and the log of their sum; -inf where all are zero, not a number where one is none.

    The two arrays must be different ones: logs are read again where their exponentials are too small or too large."""
    total = 0.0
    for i in range(count):
        weight = exp(logs[i])
        weights[i] = weight
        total += weight
    if total > 1e-100 and total < 1e100:
        return log(total)
    largest = -inf
    for i in range(count):
        if logs[i] != logs[i]:
            return nan
        if logs[i] > largest:
            largest = logs[i]
    if largest == -inf:
        return -inf
    if largest == inf:
        return nan
    total = 0.0
    for i in range(count):
        weight = exp(logs[i] - largest)
        weights[i] = weight
        total += weight
    return largest + log(total)


def effective(count: int, weights: floats) -> float:
    """How many particles count, by their weights."""
    total = 0.0
    squares = 0.0
    for i in range(count):
        total += weights[i]
        squares += weights[i] * weights[i]
    return total * total / squares


def is_due(count: int, threshold: float, weights: floats) -> bool:
    """Whether particles are resampled: where few of them have most of the weight, or one has none."""
    if threshold >= 1.0:
        return True
    for i in range(count):
        if weights[i] == 0.0:
            return True
    return effective(count, weights) < threshold * float(count)


def pick(count: int, weights: floats, point: float) -> int:
    """A particle by weight, from a number between 0 and 1."""
    total = 0.0
    for i in range(count):
        total += weights[i]
    point = point * total
    total = 0.0
    last = 0
    for i in range(count):
        if weights[i] > 0.0:
            last = i
            total += weights[i]
            if total > point:
                return i
    return last


def draw_ancestors(
    count: int, weights: floats, ends: floats, guide: ints, found: ints, k0: int, k1: int, generation: int
) -> None:
    """Independent ancestors. A point is looked up from the place that the guide has for it: the number of ends whose
    entry is below its own, all of which are below it (Chen and Asau 1974). The guide has room for four entries a
    particle and one more, so that this is seldom off by more than one: a step that chance decides costs more than to
    count. The last end is infinite, since rounding may put a point at the sum."""
    total = 0.0
    for i in range(count):
        total += weights[i]
        ends[i] = total
    entries = 4 * count + 1
    for k in range(entries):
        guide[k] = 0
    scale = float(4 * count) / total
    for i in range(count - 1):
        guide[int(ends[i] * scale)] += 1
    below = 0
    for k in range(entries):
        inside = guide[k]
        guide[k] = below
        below += inside
    ends[count - 1] = inf
    fill_bits(count, k0, k1, 1, generation << 40, found)
    for i in range(count):
        point = unit(found[i]) * total
        place = guide[int(point * scale)]
        place += 1 if ends[place] <= point else 0
        while ends[place] <= point:
            place += 1
        found[i] = place


def comb(count: int, weights: floats, number: int, start: float, places: ints) -> None:
    """So many places by weight, in increasing order, each expected as often as its weight says."""
    total = 0.0
    last = 0
    for i in range(count):
        total += weights[i]
        if weights[i] > 0.0:
            last = i
    end = weights[0]
    place = 0
    for k in range(number):
        point = (start + float(k)) / float(number) * total
        while place < last and end <= point:
            place += 1
            end += weights[place]
        places[k] = place


def distinct(count: int, places: ints, mark: ints) -> int:
    """How many different places there are."""
    for i in range(count):
        mark[i] = 0
    found = 0
    for i in range(count):
        if mark[places[i]] == 0:
            mark[places[i]] = 1
            found += 1
    return found
