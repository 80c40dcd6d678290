"""A coin whose bias, Beta(a, b), is integrated out: the Polya urn of two colours.

With t trues among n flips, the next is true with probability (a + t) / (a + b + n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Lanes, Parameter, Raw
from pplc_runtime.processes.base import Index, Process, State
from pplc_runtime.processes.domains import POSITIVE
from pplc_runtime.processes.rising import log_rising


class BetaFlip(Process):
    """The state is (trues (L,), flips (L,))."""

    name: ClassVar[str] = "beta-flip"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("a", POSITIVE), Parameter("b", POSITIVE))
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "boolean"

    def empty(self, lanes: int, *parameters: Raw) -> State:
        return np.zeros(lanes), np.zeros(lanes)

    def outcomes(self, state: State, index: Index, *parameters: Raw) -> Sequence[Raw]:
        return True, False

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        a, b = parameters
        trues, flips = _selected(state, index)
        draw: Lanes = rng.random(len(trues)) * (flips + (a + b)) < trues + a
        return draw

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        a, b = parameters
        trues, flips = _selected(state, index)
        if isinstance(value, np.ndarray):
            weight = np.where(value, trues + a, flips - trues + b)
        else:
            weight = trues + a if value else flips - trues + b
        density: Lanes = np.log(weight / (flips + (a + b)))
        return density

    def seat(self, state: State, index: Index, value: Raw) -> State:
        trues, flips = state
        if index is None:
            trues += value
            flips += 1
        else:
            trues[index] += value
            flips[index] += 1
        return state

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """The product of the rising factorials of a + t and b + f, over that of their sum."""
        a, b = parameters
        trues, flips = state
        heads, total = sum(map(bool, values)), len(values)
        for_true, for_false = log_rising(trues + a, heads), log_rising(flips - trues + b, total - heads)
        density: Lanes = for_true + for_false - log_rising(flips + (a + b), total)
        return density


def _selected(state: State, index: Index) -> State:
    return state if index is None else tuple(part[index] for part in state)
