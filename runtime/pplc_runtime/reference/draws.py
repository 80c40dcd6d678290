"""Stochastic values for one particle: L(v_1, v_2), draws, and what a process remembers of them.

A *choice* is what is drawn: the value itself, or the position of the value for a categorical over values.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.numbers import Numbers
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import refused
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import multinomial
from pplc_runtime.processes.base import State
from pplc_runtime.processes.dp import DirichletProcess
from pplc_runtime.program.stochastic import Categorical, Derived, Dirac, Dist, ProcessInstance, observable
from pplc_runtime.values import ModelError, key_of

States: TypeAlias = dict[At, State]
"""The state of every process of an execution, by the address at which the process was made."""


class Kind(NamedTuple):
    """What values of two distributions must have in common to stand for each other."""

    measure: str
    boolean: bool
    shape: tuple[int, ...]


class Choice(NamedTuple):
    """A choice and its kind."""

    value: Any
    kind: Kind


def kind_of(source: Dist | ProcessInstance, choice: Any, states: States) -> Kind:
    """The kind of a choice. A value that a process has drawn before has mass, a fresh one density."""
    family = source.family
    measure = family.measure
    if isinstance(family, DirichletProcess) and isinstance(source, ProcessInstance):
        _, fresh = family.tag(state_of(source, states), choice)
        measure = measure if fresh else "counting"
    return Kind(measure, family.value_kind == "boolean", np.shape(choice))


def fits(choice: Any, source: Dist | ProcessInstance, states: States) -> bool:
    """Whether a choice is a boolean, a number or an array of the shape that choices from the source have."""
    shape: tuple[int, ...] = ()
    if source.family.value_kind in ("vector", "matrix"):
        # A family tells the shape of its values only by drawing one.
        shape = np.shape(Random(np.random.default_rng(0)).choice(At(), source, states))
    return isinstance(choice, bool) == (source.family.value_kind == "boolean") and np.shape(choice) == shape


def chosen_from(source: Any) -> Dist | ProcessInstance | None:
    """What a sample draws its choice from; None where there is nothing to choose."""
    match source:
        case Dist() | ProcessInstance():
            return source
        case Derived():
            return source.chosen
        case Dirac():
            return None
    raise refused("sample takes a distribution or a process", source)


def value_of(source: Any, choice: Any) -> Any:
    """The value that a choice stands for."""
    return source.value_of(choice) if isinstance(source, Derived) else choice


def state_of(source: ProcessInstance, states: States) -> State:
    state = states.get(source.at)
    return source.family.empty(1, *source.parts) if state is None else state


def log_density(source: Dist | ProcessInstance, value: Any, states: States) -> float:
    """The log density of a choice, or of a value of the kind that the family takes."""
    if isinstance(source, Dist):
        return float(source.log_density(value))
    return float(source.family.log_density(state_of(source, states), None, value, *source.parts)[0])


def log_likelihood(source: Any, value: Any, states: States) -> float:
    """L(v_1, v_2), for an observe."""
    match source:
        case Dist() | ProcessInstance():
            density = log_density(source, observable(source, value), states)
        case Dirac():
            density = 0.0 if key_of(source.parts[0]) == key_of(value) else -np.inf
        case Categorical():
            with np.errstate(divide="ignore"):
                density = float(
                    np.log(
                        sum(
                            np.exp(source.chosen.log_density(position))
                            for position, option in enumerate(source.values)
                            if key_of(option) == key_of(value)
                        )
                    )
                )
        case Derived():
            density = float(source.log_density(value))
        case _:
            raise refused("observe takes a distribution or a process", source)
    if density != density:
        raise ModelError("the density of this observe is not a number")
    return density


def seat(source: Any, value: Any, states: States) -> None:
    """A process takes a value in. States are replaced, never changed: particles share them."""
    if isinstance(source, ProcessInstance):
        state = tuple(part.copy() for part in state_of(source, states))
        states[source.at] = source.family.seat(state, None, observable(source, value))


class Random:
    """Where chance comes from: choices, and indices of particles."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def choice(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        """A choice from a distribution or process."""
        rng = self.at(alpha)
        if isinstance(source, Dist):
            return source.sample(rng)
        drawn = source.family.sample(rng, state_of(source, states), None, *source.parts)[..., 0]
        return drawn.item() if drawn.ndim == 0 else drawn

    def at(self, alpha: At) -> Any:
        """A generator for the choice at an address."""
        return self.rng

    def of_sweep(self, generation: int, purpose: int) -> Any:
        """A generator for what is drawn of the particles before a generation."""
        return self.rng

    def of(self, generation: int, slot: int) -> Random:
        """That of a particle in a generation."""
        return self

    def index(self, weights: NDArray[np.float64]) -> int:
        """An index, with probability proportional to its weight."""
        return int(multinomial(self.rng, weights, 1)[0])


class Keyed(Random):
    """Chance by key."""

    def __init__(self, key: Key, size: int) -> None:
        self.numbers = Numbers(key, size)
        super().__init__(self.numbers)
        self.slot = 0

    def at(self, alpha: At) -> Any:
        return self.numbers.alone(alpha, self.slot)

    def of_sweep(self, generation: int, purpose: int) -> Any:
        self.numbers.generation = generation
        return self.numbers.of_sweep(purpose)

    def of(self, generation: int, slot: int) -> Random:
        self.numbers.generation = generation
        self.slot = slot
        return self
