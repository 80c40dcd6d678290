"""Gaussian processes for one particle: the law of the value at a point, given all values known so far.

C. E. Rasmussen and C. Williams (2006), "Gaussian Processes for Machine Learning", equations 2.25 and 2.26:

    mean = m(x) + k(x, X) K^-1 (y - m(X)),   variance = k(x, x) - k(x, X) K^-1 k(X, x).

The state of a process is the points known so far with their values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.addresses import At
from pplc_runtime.gaussian_process import DEGENERATE, Point
from pplc_runtime.messages import given
from pplc_runtime.reference.environment import Environment
from pplc_runtime.reference.evaluate import apply
from pplc_runtime.reference.syntax import Place
from pplc_runtime.reference.trace import transparent
from pplc_runtime.stochastic import CONSTRUCTORS, Dirac, Dist
from pplc_runtime.values import ModelError, key_of


def conditional(point: Point, R: Environment, place: Place) -> Dist | Dirac:
    """What the process says of its value at a point: a normal distribution, or the value if that is known."""
    mean_of, kernel, x = point.parts

    def called(at: At, procedure: Any, *values: Any) -> float:
        return float(apply(transparent(procedure), [transparent(v) for v in values], at, R, place).v)

    def mean(a: Any) -> float:
        return called(point.at["mean"], mean_of, a)

    def k(a: Any, b: Any) -> float:
        return called(point.at["kernel"], kernel, a, b)

    known = R.known.get(point.at, ())
    for other, value in known:
        if key_of(other) == key_of(x):
            return Dirac((value,))
    prior = k(x, x)
    if not prior > 0:
        raise ModelError(f"gp: the kernel of {given(x)} with itself must be positive")
    center, variance = mean(x), prior
    if known:
        across = np.array([k(a, x) for a, _ in known])
        solved = np.linalg.solve(np.array([[k(a, b) for b, _ in known] for a, _ in known]), across)
        center += float(solved @ np.array([value - mean(a) for a, value in known]))
        variance -= float(solved @ across)
    if variance <= DEGENERATE**2 * prior:
        return Dirac((center,))
    source: Dist = CONSTRUCTORS["normal"](center, float(np.sqrt(variance)))
    return source


def learn(point: Point, value: Any, R: Environment) -> None:
    """The value at a point is known from now on."""
    R.known[point.at] = (*R.known.get(point.at, ()), (point.parts[2], value))
