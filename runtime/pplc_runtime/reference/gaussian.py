"""Gaussian processes for one particle: the law of the value at a point, given all values known so far.

C. E. Rasmussen and C. Williams (2006), "Gaussian Processes for Machine Learning", equations 2.25 and 2.26:

    mean = m(x) + k(x, X) K^-1 (y - m(X)),   variance = k(x, x) - k(x, X) K^-1 k(X, x).

The state of a process is the points known so far with their values, means and rows of K.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given
from pplc_runtime.program.constructors import CONSTRUCTORS
from pplc_runtime.program.gaussian_process import DEGENERATE, Point
from pplc_runtime.program.stochastic import Dirac, Dist
from pplc_runtime.reference.environment import Environment
from pplc_runtime.reference.evaluate import apply
from pplc_runtime.reference.syntax import Place
from pplc_runtime.reference.trace import Trace, transparent
from pplc_runtime.values import ModelError, key_of


class Known(NamedTuple):
    """A point where the function is known: m(x), the row of K up to its diagonal, and the value."""

    x: Any
    mean: float
    row: tuple[float, ...]
    value: float


class Conditional(NamedTuple):
    """What a process says of its value at a point: its law, what is to be known of the point once it has a value,
    and the traces of the calls of mean and kernel."""

    law: Dist | Dirac
    mean: float
    row: tuple[float, ...]
    calls: list[Trace]


def conditional(point: Point, alpha: At, R: Environment, place: Place) -> Conditional:
    """The law of the value at a point: a normal distribution, or the value if that is known.

    The mean is called once, and the kernel with this point and with every known one, below the address of the
    sample or observe."""
    mean_of, kernel, x = point.parts
    known = R.known.get(point.at, ())
    for other in known:
        if key_of(other.x) == key_of(x):
            return Conditional(Dirac((other.value,)), 0.0, (), [])
    calls: list[Trace] = []

    def called(at: At, procedure: Any, *values: Any) -> float:
        calls.append(apply(transparent(procedure), [transparent(v) for v in values], at, R, place))
        return float(calls[-1].v)

    mean = called(alpha["mean"], mean_of, x)
    prior = called(alpha["kernel", 0], kernel, x, x)
    across = np.array([called(alpha["kernel", i], kernel, other.x, x) for i, other in enumerate(known, 1)])
    if not prior > 0:
        raise ModelError(f"gp: the kernel of {given(x)} with itself must be positive")
    center, variance = mean, prior
    if known:
        K = np.array([[known[max(i, j)].row[min(i, j)] for j in range(len(known))] for i in range(len(known))])
        solved = np.linalg.solve(K, across)
        center += float(solved @ np.array([other.value - other.mean for other in known]))
        variance -= float(solved @ across)
    certain = variance <= DEGENERATE**2 * prior
    law = Dirac((center,)) if certain else CONSTRUCTORS["normal"](center, float(np.sqrt(variance)))
    return Conditional(law, mean, (*across.tolist(), prior), calls)


def learn(point: Point, found: Conditional, value: Any, R: Environment) -> None:
    """The value at a point is known from now on, unless it was certain before."""
    if not isinstance(found.law, Dirac):
        known = Known(point.parts[2], found.mean, found.row, value)
        R.known[point.at] = (*R.known.get(point.at, ()), known)
