"""The contract of an exchangeable process: a state over lanes that every draw updates.

The state is a tuple of ndarrays whose last axis is the lane axis; the engine owns it and gathers it when
particles are resampled. `index` selects lanes of the state: None is all of them, otherwise an int array of
distinct lanes, and values and parameters then have that many lanes. Parameters are raw, as in
`distributions.base`; a parameter that varies by lane is already restricted to the selected lanes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Lanes, Parameter, Raw

State: TypeAlias = tuple[Lanes, ...]
Index: TypeAlias = NDArray[np.intp] | None


class Process(ABC):
    """A family of exchangeable processes. Observing a value seats it just as sampling does."""

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    discrete: ClassVar[bool]
    value_kind: ClassVar[str] = "number"
    has_tables: ClassVar[bool] = False
    """Whether its values are labels that number tables in the order of opening."""

    @property
    def measure(self) -> str:
        """As for distribution families."""
        return "counting" if self.discrete else "lebesgue"

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """As for distribution families."""
        return ()

    def problem(self, *parameters: Raw) -> str | None:
        """As for distribution families."""
        return None

    @abstractmethod
    def empty(self, lanes: int, *parameters: Raw) -> State:
        """The state before any draw."""

    def outcomes(self, state: State, index: Index, *parameters: Raw) -> Sequence[Raw] | None:
        """All values that are possible next in some of the selected lanes, and perhaps others; None if they are not so
        few."""
        return None

    @abstractmethod
    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        """Draw the next value in each selected lane, from the predictive distribution. Leaves the state as it is."""

    @abstractmethod
    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        """The predictive log density of the next value, in each selected lane; -inf where impossible."""

    @abstractmethod
    def seat(self, state: State, index: Index, value: Raw) -> State:
        """Take a value (a plain one, or one a lane) into the state of the selected lanes. May work in place
        and may return larger arrays."""

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """The log density in every lane of a sequence of plain values, drawn one after the other from this
        state; the state stays as it is. The sum of the predictive densities, in closed form where there is one."""
        state = tuple(part.copy() for part in state)
        total = np.zeros(state[0].shape[-1])
        for value in values:
            total = total + self.log_density(state, None, value, *parameters)
            state = self.seat(state, None, value)
        return total

    def tag(self, state: State, value: Raw) -> Raw:
        """What `block` is given for a value that was drawn in this one-lane state: the value, unless more is needed."""
        return value

    def fresh(self, state: State, index: Index, value: Raw) -> Lanes | None:
        """In which of the selected lanes a value is one that the state does not have, where such values have a density
        and those that it has a mass; None where all are measured alike."""
        return None

    @staticmethod
    def gather(state: State, index: NDArray[np.intp]) -> State:
        """The state of the lanes in `index`, which may repeat."""
        return tuple(part.take(index, axis=-1) for part in state)
