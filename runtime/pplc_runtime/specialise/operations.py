"""Operations that traces have, and programs in other words: a choice by lane, an element by lane, an order by lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane, raw


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


def value_of(source: Any, choice: Any) -> Any:
    """The value that a draw stands for."""
    return source.value_of(choice)


def _spread(value: Any) -> Any:
    """An array with an axis for the lanes, or a plain number."""
    return value[..., None] if type(value) is np.ndarray else raw(value)


class Certain:
    """Scores an observe of a dirac: it is possible where a test holds."""

    @staticmethod
    def log_density(_: bool, holds: Any) -> Any:
        return np.where(holds, 0.0, -np.inf) if type(holds) is np.ndarray else 0.0 if holds else -np.inf
