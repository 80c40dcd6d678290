"""Gaussian processes: (gp mean kernel) gives a process f, and (f x) what sample and observe take.

C. E. Rasmussen and C. Williams (2006), section 2. The values drawn so far at x_1, ..., x_n have a joint normal law.
Its Cholesky factor grows by a row with each new point: with a = L^-1 k(X, x) and d^2 = k(x, x) - a.a, the next value is
normal with mean m(x) + a.z and standard deviation d, where z are the values so far, whitened. What is drawn is one
cell of the run, so that regeneration sees who depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.handler import Weighing
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, part, raw, settle, varies
from pplc_runtime.primitives.arithmetic import add, div, mul, sub
from pplc_runtime.primitives.comparison import eq, truth
from pplc_runtime.program.control import call
from pplc_runtime.program.stochastic import Dirac, Dist
from pplc_runtime.values import Compound, ModelError, Stochastic, key_of

_NORMAL = DISTRIBUTIONS["normal"]
DEGENERATE = 1e-7
"""A point whose standard deviation is below this share of its prior one is as good as known."""


class GaussianProcess(Stochastic):
    """A process over functions: mean and kernel procedures, told apart by the address where it was made."""

    __slots__ = ("at",)

    what = "process of functions"
    drawn = "(sample (f x))"

    def __init__(self, parts: tuple[Any, ...], at: At) -> None:
        self.parts = parts
        self.at = at

    def alike(self, other: Any) -> bool:
        return bool(self.at is other.at)

    def with_parts(self, parts: tuple[Any, ...]) -> GaussianProcess:
        return GaussianProcess(parts, self.at)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.at, ()

    def at_point(self, arguments: tuple[Any, ...]) -> Point:
        """(f x)"""
        if len(arguments) != 1:
            raise ModelError(f"a gp takes 1 argument, but {len(arguments)} are given")
        return Point((*self.parts, arguments[0]), self.at)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GaussianProcess) and self.at is other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def __str__(self) -> str:
        return "<gp>"


def _number(value: Any, what: str) -> Any:
    """What the mean or the kernel gives, which must be a number in every lane."""
    value = settle(value)
    kind = type(value)
    if kind is float or kind is int or (kind is Lane and value.data.ndim == 1 and value.data.dtype.kind != "b"):
        return value
    raise refused(f"gp: the {what} must give a number", value)


class Known(Compound):
    """A point where the function is known: its row of the Cholesky factor, whitened value and value."""

    __slots__ = ()

    arrays = True

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts
        """x, the row of the factor (a tuple), its diagonal element, the whitened value, the value"""

    def alike(self, other: Any) -> bool:
        return True

    def with_parts(self, parts: tuple[Any, ...]) -> Known:
        return Known(parts)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return None, self.parts


class Point(Stochastic):
    """The value of a Gaussian process at a point."""

    __slots__ = ("at",)

    what = "process"

    def __init__(self, parts: tuple[Any, ...], at: At) -> None:
        self.parts = parts
        self.at = at

    def alike(self, other: Any) -> bool:
        return bool(self.at is other.at)

    def with_parts(self, parts: tuple[Any, ...]) -> Point:
        return Point(parts, self.at)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.at, self.parts[2:]

    def sampled(self, handler: Weighing, at: At) -> Any:
        """Draw the value, given all that is known of the function."""
        state = settle(handler.load(self.at, ()))
        if type(state) is Mix:
            return by_option(state, lambda _: self.sampled(handler, at))
        place = self.place(state)
        if type(place) is np.ndarray:
            return part(_groups(place), lambda _: self.sampled(handler, at))
        if place >= 0:
            return state[place].parts[4]
        row, mean, deviation, uncertain = self.condition(at, state)

        def drawn() -> Any:
            value = handler.draw(at, Dist(_NORMAL, (mean, deviation)))
            self.learn(handler, state, row, mean, deviation, value)
            return value

        return _where(uncertain, drawn, lambda: mean)

    def scored(self, handler: Weighing, at: At, value: Any) -> Any:
        """The log density of a value, which is then known."""
        state = settle(handler.load(self.at, ()))
        if type(state) is Mix:
            return by_option(state, lambda _: self.scored(handler, at, value))
        place = self.place(state)
        if type(place) is np.ndarray:
            return part(_groups(place), lambda _: self.scored(handler, at, value))
        if place >= 0:
            return handler.score(at, Dirac((state[place].parts[4],)), value)
        row, mean, deviation, uncertain = self.condition(at, state)

        def score() -> Any:
            density = handler.score(at, Dist(_NORMAL, (mean, deviation)), value)
            self.learn(handler, state, row, mean, deviation, value)
            return density

        return _where(uncertain, score, lambda: handler.score(at, Dirac((mean,)), value))

    def place(self, state: tuple[Known, ...]) -> Any:
        """Which of the known points this one is, -1 for none; an array where lanes disagree."""
        x = self.parts[2]
        if not varies(x):
            key = key_of(x)
            if not any(varies(known.parts[0]) for known in state):
                return next((i for i, known in enumerate(state) if key_of(known.parts[0]) == key), -1)
        found: Any = np.full(here.frame.size, -1)
        for position, known in enumerate(state):
            found = np.where((found < 0) & truth(eq(x, known.parts[0])), position, found)
        return int(found[0]) if (found == found[0]).all() else found

    def condition(self, at: At, state: tuple[Known, ...]) -> tuple[tuple[Any, ...], Any, Any, Any]:
        """The row of the factor for this point, the mean and deviation of its value, and whether it has any
        deviation: an array where lanes disagree.

        The mean is called once, and the kernel with this point and with every known one, at addresses below that of
        the sample or observe."""
        mean_of, kernel, x = self.parts
        row: list[Any] = []
        mean = _number(call(at["mean"], mean_of, x), "mean")
        prior = _number(call(at["kernel", 0], kernel, x, x), "kernel")
        rest = prior
        for position, known in enumerate(state):
            other, factor, diagonal, white, _ = known.parts
            entry = _number(call(at["kernel", position + 1], kernel, other, x), "kernel")
            for earlier in range(position):
                entry = sub(entry, mul(factor[earlier], row[earlier]))
            entry = div(entry, diagonal)
            row.append(entry)
            mean = add(mean, mul(entry, white))
            rest = sub(rest, mul(entry, entry))
        variance, start = raw(rest), raw(prior)
        if not np.all(start > 0):
            wrong = int(np.flatnonzero(~np.greater(start, 0))[0])
            raise ModelError(f"gp: the kernel of {given(x, wrong)} with itself must be positive")
        uncertain = np.greater(variance, DEGENERATE**2 * start)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        if type(deviation) is np.ndarray and deviation.ndim:
            return tuple(row), mean, Lane(deviation, here.frame), uncertain
        return tuple(row), mean, float(deviation), bool(uncertain)

    def learn(
        self, handler: Weighing, state: tuple[Known, ...], row: tuple[Any, ...], mean: Any, deviation: Any, value: Any
    ) -> None:
        white = div(sub(value, mean), deviation)
        handler.save(self.at, (*state, Known((self.parts[2], row, deviation, white, value))))

    def __str__(self) -> str:
        return "<gp at a point>"


def _where(condition: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """One or the other, in the lanes for which a condition holds and in those for which it does not."""
    if np.all(condition):
        return then()
    if not np.any(condition):
        return otherwise()
    return part([np.flatnonzero(condition), np.flatnonzero(~condition)], lambda number: (then, otherwise)[number]())


def _groups(values: Any) -> list[Any]:
    """The lanes by value."""
    return [np.flatnonzero(values == value) for value in np.unique(values)]


def gp(at: At, mean: Any, kernel: Any) -> Any:
    """(gp mean kernel)"""
    return GaussianProcess((mean, kernel), at)
