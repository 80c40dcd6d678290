"""The operations of specialised programs, by name: the primitives, and a few that programs have in other words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane, raw
from pplc_runtime.primitives import FAST, PRIMITIVES, arithmetic, comparison
from pplc_runtime.program.stochastic import pick


def select(test: Any, then: Any, other: Any) -> Any:
    """One of two numbers, vectors or matrices, by lane."""
    truth = raw(test)
    if type(truth) is bool:
        return then if truth else other
    if type(truth) is not np.ndarray:
        raise TypeError("lanes choose by booleans")
    one, two = (_spread(value) for value in (then, other))
    return Lane(np.where(truth, one, two), here.frame)


def take(numbers: Any, position: Any) -> Any:
    """One of several numbers, by lane."""
    place = raw(position)
    return Lane(numbers[place], here.frame) if type(place) is np.ndarray else numbers[place].item()


def in_order(numbers: Any) -> Any:
    """The elements of a vector in increasing order, by lane."""
    data = raw(numbers)
    return Lane(np.sort(data, axis=0), here.frame) if type(numbers) is Lane and data.ndim == 2 else np.sort(data)


def ratio(a: Any, b: Any) -> Any:
    """A quotient as a real number, also where whole numbers divide evenly."""
    result = arithmetic.div(a, b)
    if type(result) is Lane:
        return Lane(result.data.astype(float, copy=False), result.frame)
    return result.astype(float, copy=False) if type(result) is np.ndarray else float(result)


def _spread(value: Any) -> Any:
    """An array with an axis for the lanes, or a plain number."""
    return value[..., None] if type(value) is np.ndarray else raw(value)


class Certain:
    """Scores an observe of a dirac: it is possible where a test holds."""

    @staticmethod
    def log_density(_: bool, holds: Any) -> Any:
        return np.where(holds, 0.0, -np.inf) if type(holds) is np.ndarray else 0.0 if holds else -np.inf


_OWN: Final[dict[str, Callable[..., Any]]] = {
    "select": select,
    "element": take,
    "in-order": in_order,
    "pick": pick,
    "ratio": ratio,
}
_OF_TWO: Final[dict[str, Callable[..., Any]]] = {
    name: getattr(arithmetic, python, None) or getattr(comparison, python) for name, python in FAST.items()
}


def operation(name: str, arguments: int) -> Callable[..., Any]:
    """What an operation of so many arguments does."""
    if name in _OWN:
        return _OWN[name]
    if arguments == 2 and name in _OF_TWO:
        return _OF_TWO[name]
    return PRIMITIVES[name].function


NAMES: Final[dict[Callable[..., Any], str]] = {
    function: name
    for table in ({name: p.function for name, p in reversed(PRIMITIVES.items())}, dict(reversed(_OF_TWO.items())), _OWN)
    for name, function in table.items()
}
"""The first name of each function."""
