"""The Dirichlet process, by its urn.

T. S. Ferguson (1973); D. Blackwell and J. MacQueen (1973), "Ferguson distributions via Polya urn schemes". Given n
values drawn so far, n_v of them equal to v, the next is v with probability (n_v + alpha base(v)) / (n + alpha). With
a continuous base the two terms never meet: a value is either one drawn before, with mass n_v / (n + alpha), or a
*fresh* one, with density alpha base(v) / (n + alpha). Which of the two it was is part of the value: mass and density
cannot stand for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.processes.base import Index, Process, State
from pplc_runtime.processes.domains import POSITIVE
from pplc_runtime.processes.rising import log_rising

_FIRST_CAPACITY = 8
_DTYPES = {"boolean": np.bool_, "integer": np.int64}


class DirichletProcess(Process):
    """The state is (atoms (K, ..., L), counts (K, L)); the first rows of a lane are its distinct values in order."""

    name: ClassVar[str] = "dp"
    discrete: ClassVar[bool] = False

    def __init__(self, base: Family) -> None:
        self.base = base
        self.parameters = (Parameter("alpha", POSITIVE), *base.parameters)  # type: ignore[misc] # by its base
        self.discrete = base.discrete  # type: ignore[misc] # by its base
        self.value_kind = base.value_kind  # type: ignore[misc] # by its base

    @property
    def measure(self) -> str:
        return "counting" if self.discrete else "atoms and density"

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        return self.base.event_shape(*shapes[1:])

    def empty(self, lanes: int, *parameters: Raw) -> State:
        drawn = lanes  # the parameters may be those of some of the lanes
        for value, parameter in zip(parameters[1:], self.base.parameters):
            if isinstance(value, np.ndarray) and value.ndim > parameter.domain.rank:
                drawn = value.shape[-1]
        shape = np.shape(self.base.sample(np.random.default_rng(0), drawn, *parameters[1:]))[:-1]
        dtype = _DTYPES.get(self.base.value_kind, np.float64)
        return np.zeros((_FIRST_CAPACITY, *shape, lanes), dtype), np.zeros((_FIRST_CAPACITY, lanes))

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        atoms, counts = _selected(state, index)
        lanes = counts.shape[-1]
        fresh: Lanes = np.asarray(self.base.sample(rng, lanes, *parameters[1:]))
        point = rng.random(lanes) * (counts.sum(0) + parameters[0])
        row = (np.add.accumulate(counts, 0) <= point).sum(0)
        old = row < len(counts)
        drawn = atoms[np.minimum(row, len(counts) - 1), ..., np.arange(lanes)]
        return np.where(old, np.moveaxis(drawn, 0, -1), fresh)

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        atoms, counts = _selected(state, index)
        alpha, *base = parameters
        times = (self._matches(atoms, counts, value) * counts).sum(0)
        new = self.base.log_density(value, *base)
        total = np.log(counts.sum(0) + alpha)
        with np.errstate(divide="ignore"):
            if self.base.discrete:
                density: Lanes = np.log(times + alpha * np.exp(new)) - total
            else:
                density = np.where(times > 0, np.log(times), np.log(alpha) + new) - total
        return density

    def seat(self, state: State, index: Index, value: Raw) -> State:
        atoms, counts = state
        lanes = np.arange(counts.shape[-1]) if index is None else index
        here, seen = atoms[..., lanes], counts[:, lanes]
        matches = self._matches(here, seen, value)
        row = np.where(matches.any(0), matches.argmax(0), (seen > 0).sum(0))
        if row.max(initial=0) >= len(counts):
            atoms, counts = _longer(atoms), _longer(counts)
        varies = isinstance(value, np.ndarray) and value.ndim == atoms.ndim - 1
        rows = value if varies else np.broadcast_to(np.asarray(value)[..., None], (*atoms.shape[1:-1], len(lanes)))
        atoms[row, ..., lanes] = np.moveaxis(np.asarray(rows), -1, 0)
        counts[row, lanes] += 1
        return atoms, counts

    def tag(self, state: State, value: Raw) -> Raw:
        """A plain value with whether it is fresh in the one lane of the state."""
        atoms, counts = state
        return value, not self._matches(atoms, counts, value).any()

    def fresh(self, state: State, index: Index, value: Raw) -> Lanes | None:
        atoms, counts = _selected(state, index)
        return None if self.base.discrete else np.logical_not(np.any(self._matches(atoms, counts, value), axis=0))

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """By distinct value: the rising factorial of its count, with the base where it is fresh."""
        atoms, counts = state
        alpha, *base = parameters
        tally: dict[Raw, tuple[Raw, bool, int]] = {}
        for value, fresh in values:
            key = value.tobytes() if isinstance(value, np.ndarray) else value
            first, was_fresh, number = tally.get(key, (value, fresh, 0))
            tally[key] = (first, was_fresh, number + 1)
        total = np.zeros(counts.shape[-1])
        with np.errstate(divide="ignore"):
            for value, fresh, number in tally.values():
                times = (self._matches(atoms, counts, value) * counts).sum(0)
                new = np.log(alpha) + self.base.log_density(value, *base)
                if self.base.discrete:
                    mass = times + np.exp(new)
                    total += np.where(mass > 0, log_rising(np.maximum(mass, 1e-300), number), -np.inf)
                elif fresh:
                    total += np.where(times > 0, -np.inf, new + log_rising(np.ones_like(total), number - 1))
                else:
                    total += np.where(times > 0, log_rising(np.maximum(times, 1.0), number), -np.inf)
        result: Lanes = total - log_rising(counts.sum(0) + alpha, len(values))
        return result

    def _matches(self, atoms: Lanes, counts: Lanes, value: Raw) -> Lanes:
        """Which rows of each lane hold a value."""
        rank = atoms.ndim - 2
        if not (isinstance(value, np.ndarray) and value.ndim == rank + 1):
            value = np.asarray(value)[..., None]
        equal = atoms == value
        if rank:
            equal = equal.all(axis=tuple(range(1, rank + 1)))
        matches: Lanes = equal & (counts > 0)
        return matches


def _selected(state: State, index: Index) -> State:
    return state if index is None else tuple(part[..., index] for part in state)


def _longer(part: Lanes) -> Lanes:
    return np.concatenate([part, np.zeros_like(part)])
