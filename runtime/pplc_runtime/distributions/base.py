"""The contract of a distribution family: parameters, sampler and density over lanes.

A family is a stateless object. Every function takes *raw* parameters: Python scalars or ndarrays. Each
parameter has a rank (0 scalar, 1 vector, 2 matrix); an array of that many axes is shared by all lanes, one
with a further, last axis holds one value a lane. So for `normal`, mean may be 0.5 or an array (L,); for
`mvn`, mean may be (d,) or (d, L) and covariance (d, d) or (d, d, L). The same holds for values and
`event_rank`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

Raw: TypeAlias = Any
"""A raw value: a Python scalar, or an ndarray of the parameter's rank, or of one axis more for lanes."""

Lanes: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Domain:
    """What values a parameter may take: `holds` tells it lane by lane, `text` says it in a message."""

    text: str
    rank: int
    holds: Callable[[Raw], Raw]
    """A function of a raw value that gives a bool, or a bool array (L,) where the value varies by lane.
    It must be false for NaN, and cheap for Python scalars (no numpy call)."""
    number: Callable[[Raw], bool] = lambda x: False
    """The same of a Python number, at once."""
    surely: Callable[[Raw], bool] | None = None
    """A cheap test of an array of floats with lanes: true only if every lane is in the domain."""
    boolean: bool = False
    """Whether the values are truth values, which are no numbers."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a family: its name in messages and its domain."""

    name: str
    domain: Domain


class Family(ABC):
    """A family of distributions."""

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    discrete: ClassVar[bool]
    """Whether the density is with respect to counting measure. Values of a discrete and of a continuous
    family never stand for each other, whatever they are equal to."""
    event_rank: ClassVar[int] = 0
    value_kind: ClassVar[str] = "number"
    """What a value is: "number", "integer", "boolean", "vector" or "matrix". The caller has made sure that a
    value is of that kind before it asks for its density."""

    fits_by_shape: ClassVar[bool] = False
    """Whether `problem` looks at the shapes of the parameters only."""

    has_fixed_outcomes: ClassVar[bool] = False
    """Whether `outcomes` are the same whatever the parameters are, so that it may be given those of many lanes."""

    nowhere: ClassVar[str | None] = None
    """What to say where every particle has density zero, if that is not for the value to explain."""

    @property
    def measure(self) -> str:
        """What the density is with respect to: values stand for each other only where that is the same."""
        return "counting" if self.discrete else "lebesgue"

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a value, from the shapes of the parameters in one lane."""
        return (shapes[-1][0],) * self.event_rank if self.event_rank else ()

    def problem(self, *parameters: Raw) -> str | None:
        """What is wrong with how the parameters fit together (bounds in the wrong order, shapes that do not
        match), or None. Each parameter's own domain has been checked already."""
        return None

    def outcomes(self, *parameters: Raw) -> Sequence[Raw] | None:
        """All values that are possible for shared parameters, and perhaps others; None if they are not so few."""
        return None

    @abstractmethod
    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        """Draw one value for each lane: an array whose last axis has length `lanes`. With lanes None all
        parameters are shared and one plain value is drawn: a float, int or bool, or of vectors an array."""

    @abstractmethod
    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        """The log density (or mass): -inf outside of the support, never NaN for parameters in their domain.
        A Python float where value and parameters are all shared, else an array (L,)."""
