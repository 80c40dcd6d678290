"""The exact transition kernel of machine code for programs in general, by CPython, with chance enumerated.

The middle language takes all chance from `uniform`. In its place there is a number of which only an interval is known:
where it is compared, chance decides on which side it lies, with the lengths of the two parts, and from there on it lies
there. So every way that a sweep may go is gone, with its probability, by the very code that is compiled.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from typing import Any

import pytest
from tests.engine.kernels import Enumerating, Kernel, Law, distance, every_run, paths

from pplc_runtime.engine.plan import Plan
from pplc_runtime.general.assembly import assembled
from pplc_runtime.general.engine import Drawn, GeneralEngine
from pplc_runtime.general.naming import drawn_of, named
from pplc_runtime.machine.machine import Interpreted
from pplc_runtime.values import key_of


class Unknown:
    """A number between 0 and 1, of which chance decides more when more is asked."""

    def __init__(self, chance: Enumerating) -> None:
        self.chance = chance
        self.low, self.high = 0.0, 1.0

    def is_below(self, bound: float) -> bool:
        if bound <= self.low or bound >= self.high:
            return bound >= self.high
        below = self.chance.decide([bound - self.low, self.high - bound]) == 0
        self.low, self.high = (self.low, bound) if below else (bound, self.high)
        return below


class Point:
    """A multiple of an unknown number and something added: what samplers make of it."""

    __array_ufunc__ = None

    def __init__(self, unknown: Unknown, factor: float = 1.0, added: float = 0.0) -> None:
        self.unknown, self.factor, self.added = unknown, factor, added

    def __mul__(self, factor: float) -> Point:
        return Point(self.unknown, self.factor * float(factor), self.added * float(factor))

    def __sub__(self, other: float) -> Point:
        return Point(self.unknown, self.factor, self.added - float(other))

    def __lt__(self, other: float) -> bool:
        return self.unknown.is_below((float(other) - self.added) / self.factor)

    def __ge__(self, other: float) -> bool:
        return not self < other

    __gt__ = __ge__  # a single number has no probability


def from_each(plan: Plan, method: str, size: int, even: bool = True, threshold: float = 1.0) -> dict[Any, Law]:
    """The law of the retained particle one sweep after each execution, with what it predicts."""
    kernel = Kernel(plan)
    with kernel.enumerated():
        starts = {paths(drawn): drawn for drawn, *_ in kernel.posterior()}
    engine = GeneralEngine(assembled(plan), len(plan.segments), method, size, Interpreted, even, threshold)
    space = engine.machine.space  # type: ignore[union-attr] # of CPython
    laws: dict[Any, Law] = {}
    for path, drawn in starts.items():

        def sweep(chance: Enumerating, start: Drawn = drawn_of(plan, drawn)) -> Any:  # noqa: B008 # of this turn
            space["uniform"] = lambda *_: Point(Unknown(chance))
            space["draw_uniform_discrete"] = lambda _0, _1, _2, _3, low, high: (
                low + chance.decide([1.0] * int(high - low))
            )
            space["draw_ancestors"] = partial(_ancestors, chance)
            engine.retain(start)
            block = engine.run([(0, 0)], logging=True)
            columns = engine.columns(block, 0, block.log_weights[0] > -math.inf)
            chosen = int(block.chosen[0])
            told = tuple((label, key_of(_plain(column[chosen]))) for label, column in columns.items())
            return paths(named(plan, engine.drawn().words)), told

        right = dict(space)
        after: defaultdict[Any, float] = defaultdict(float)
        try:
            for result, transition in every_run(sweep):
                after[result] += transition
        finally:
            space.update(right)
        laws[path] = dict(after)
    return laws


def law_after(plan: Plan, method: str, size: int, even: bool = True, threshold: float = 1.0) -> tuple[Law, Law]:
    """The posterior, and the law of the retained particle one sweep after a draw from it, with what it predicts."""
    before: defaultdict[Any, float] = defaultdict(float)
    after: defaultdict[Any, float] = defaultdict(float)
    weights: defaultdict[Any, float] = defaultdict(float)
    kernel = Kernel(plan)
    with kernel.enumerated():
        for drawn, values, probability in kernel.posterior():
            before[paths(drawn), values] += probability
            weights[paths(drawn)] += probability
    for path, law in from_each(plan, method, size, even, threshold).items():
        for result, transition in law.items():
            after[result] += weights[path] * transition
    return dict(before), dict(after)


def _ancestors(chance: Enumerating, count: int, weights: Any, ends: Any, guide: Any, found: Any, *key: int) -> None:
    """Independent ancestors, by their law: how they are looked up needs the number itself."""
    for i in range(count):
        found[i] = chance.decide([float(weights[j]) for j in range(count)])


def bias(plan: Plan, method: str, size: int = 2, even: bool = True, threshold: float = 1.0) -> float:
    """How far one sweep takes the retained particle from the posterior, in total variation."""
    before, after = law_after(plan, method, size, even, threshold)
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(before, after)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
