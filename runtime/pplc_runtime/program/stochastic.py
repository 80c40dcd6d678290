"""Stochastic values: what `sample` and `observe` take.

A distribution in the language is a family and its parameters, which may vary by lane. A process is a family, its
parameters, and the address at which it was made: that is what tells two processes apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.distributions import ALIASES, DISTRIBUTIONS
from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.factors import Roots, factor_lanes
from pplc_runtime.distributions.truncated import Censored
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, join, layout, raw
from pplc_runtime.primitives.arithmetic import greatest, least
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.primitives.comparison import eq
from pplc_runtime.processes import ALIASES as PROCESS_ALIASES
from pplc_runtime.processes.base import Process
from pplc_runtime.values import List, ModelError, Stochastic


class Dist(Stochastic):
    """A distribution: a family and its parameters."""

    __slots__ = ("family",)

    def __init__(self, family: Family, parts: tuple[Any, ...]) -> None:
        self.family = family
        self.parts = parts

    def alike(self, other: Any) -> bool:
        return self.family is other.family and all(layout(a) == layout(b) for a, b in zip(self.parts, other.parts))

    def with_parts(self, parts: tuple[Any, ...]) -> Dist:
        return Dist(self.family, parts)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.family, self.parts

    def sample(self, rng: np.random.Generator) -> Any:
        """A raw draw for each lane of the running frame, or a plain one for a frame of one lane."""
        size = here.frame.size
        return self.family.sample(rng, None if size == 1 else size, *self.raw_parts())

    def log_density(self, value: Any) -> Any:
        """The raw log density of a value in each lane: a float where all lanes share it."""
        return self.family.log_density(raw(value), *self.raw_parts())

    def raw_parts(self) -> list[Any]:
        """The parameters as the family takes them."""
        frame = here.frame
        if self.family is MVN:
            mean, covariance = self.parts
            if type(covariance) is Lane and frame.size > 1:
                return [raw(mean), roots_at(covariance, frame)]
        parts = []
        for part in self.parts:
            if type(part) is Lane:
                part = part.data if part.frame is frame else part.at(frame)
            parts.append(part)
        return parts

    def __str__(self) -> str:
        return f"<{self.family.name}>"


class Dirac(Stochastic):
    """All mass on one value, of any kind; drawing from it is no random choice."""

    __slots__ = ()

    def alike(self, other: Any) -> bool:
        return True

    def with_parts(self, parts: tuple[Any, ...]) -> Dirac:
        return Dirac(parts)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return None, self.parts

    def __str__(self) -> str:
        return "<dirac>"


class Derived(Stochastic):
    """A distribution whose values are made of what is drawn from another one."""

    __slots__ = ()

    parts: tuple[Any, ...]

    @property
    def chosen(self) -> Dist:
        """What is drawn."""
        dist: Dist = self.parts[0]
        return dist

    @property
    def law(self) -> Dist:
        """A distribution that has all parameters."""
        return self.chosen

    def value_of(self, choice: Any) -> Any:
        """The value that a draw stands for."""
        raise NotImplementedError

    def log_density(self, value: Any) -> Any:
        """The raw log density of a value in each lane."""
        raise NotImplementedError


class Categorical(Derived):
    """One of several values of any kind: a distribution over their positions, and the values."""

    __slots__ = ()

    def __init__(self, positions: Dist, values: tuple[Any, ...]) -> None:
        self.parts = (positions, *values)

    @property
    def values(self) -> tuple[Any, ...]:
        return self.parts[1:]

    def alike(self, other: Any) -> bool:
        return len(self.parts) == len(other.parts)

    def with_parts(self, parts: tuple[Any, ...]) -> Categorical:
        return Categorical(parts[0], parts[1:])

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return len(self.parts), self.parts

    def value_of(self, choice: Any) -> Any:
        return pick(self.values, choice)

    def log_density(self, value: Any) -> Any:
        total: Any = 0.0
        for position, option in enumerate(self.values):
            total = total + np.exp(self.chosen.log_density(position)) * raw(eq(option, value))
        with np.errstate(divide="ignore"):
            density = np.log(total)
        return density if type(density) is np.ndarray else float(density)

    def __str__(self) -> str:
        return "<categorical>"


class CensoredDist(Derived):
    """Draws that are moved to one of two bounds if they lie beyond it."""

    __slots__ = ("family",)

    def __init__(self, family: Censored, parts: tuple[Any, ...]) -> None:
        self.family = family
        self.parts = parts

    @property
    def chosen(self) -> Dist:
        return Dist(self.family.base, self.parts[:-2])

    @property
    def law(self) -> Dist:
        return Dist(self.family, self.parts)

    def alike(self, other: Any) -> bool:
        return self.law.alike(other.law)

    def with_parts(self, parts: tuple[Any, ...]) -> CensoredDist:
        return CensoredDist(self.family, parts)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.family, self.parts

    def value_of(self, choice: Any) -> Any:
        return least(greatest(choice, self.parts[-2]), self.parts[-1])

    def log_density(self, value: Any) -> Any:
        return self.law.log_density(observable(self.law, value))

    def __str__(self) -> str:
        return f"<{self.family.name}>"


class ProcessInstance(Stochastic):
    """An exchangeable process; its state is kept by the run, under its address."""

    __slots__ = ("at", "family")

    what = "process"

    def __init__(self, family: Process, parts: tuple[Any, ...], at: At) -> None:
        self.family = family
        self.parts = parts
        self.at = at

    def alike(self, other: Any) -> bool:
        return bool(self.at is other.at)

    def with_parts(self, parts: tuple[Any, ...]) -> ProcessInstance:
        return ProcessInstance(self.family, parts, self.at)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.at, ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProcessInstance) and self.at is other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def __str__(self) -> str:
        return f"<{self.family.name}>"


MVN = DISTRIBUTIONS["mvn"]


def roots_at(covariances: Lane, frame: Frame) -> Roots:
    """The factors of covariances that vary by lane: computed once, and gathered as the lanes are."""
    if covariances.derived is None:
        factors = factor_lanes(covariances.data)
        birth = covariances.frame
        covariances.derived = Lane(factors.essence(), birth), Lane(factors.log_peak, birth), factors.moderate
    root, log_peak, moderate = covariances.derived
    return Roots(root.at(frame), lambda: log_peak.at(frame), moderate)


def shape_in_lane(part: Any) -> tuple[int, ...]:
    """The shape of a parameter in one lane."""
    if type(part) is Lane:
        return part.data.shape[:-1]
    return part.shape if type(part) is np.ndarray else ()


def log_density(source: Any, value: Any, wanted: str) -> Any:
    """The log density of a value under a distribution, as a number or a Lane; `wanted` is said of anything else."""
    kind = type(source)
    if kind is Mix:
        return by_option(source, lambda option: log_density(option, value, wanted))
    if type(value) is Mix:
        return by_option(value, lambda option: log_density(source, option, wanted))
    if kind is Dist:
        density = source.log_density(observable(source, value))
    elif kind is Dirac:
        holds = raw(eq(source.parts[0], value))
        density = np.where(holds, 0.0, -np.inf) if type(holds) is np.ndarray else 0.0 if holds else -np.inf
    elif isinstance(source, Derived):
        density = source.log_density(value)
    else:
        raise refused(wanted, source)
    return Lane(density, here.frame) if type(density) is np.ndarray else density


def fits(source: Dist | ProcessInstance, value: Any) -> bool:
    """Whether a value is of the kind that a distribution or process gives."""
    kind = source.family.value_kind
    sort = type(value)
    if kind == "boolean":
        return sort is bool or (sort is Lane and value.data.dtype.kind == "b")
    if kind in ("vector", "matrix"):
        if sort is not np.ndarray and sort is not Lane:
            return False
        return bool(shape_in_lane(value) == source.family.event_shape(*map(shape_in_lane, source.parts)))
    return sort is float or sort is int or (sort is Lane and value.data.ndim == 1 and value.data.dtype.kind != "b")


def observable(source: Any, value: Any) -> Any:
    """A value as the family of a distribution or process takes it; an error if it is of another kind."""
    kind = source.family.value_kind
    sort = type(value)
    if sort is Lane:
        rank = value.data.ndim - 1
        boolean = value.data.dtype.kind == "b"
        if kind == "boolean" and boolean and rank == 0:
            return value
        if not boolean and rank == {"vector": 1, "matrix": 2, "boolean": -1}.get(kind, 0):
            if kind == "integer" and value.data.dtype.kind == "f" and type(source) is ProcessInstance:
                return Lane(np.where(value.data % 1 == 0, value.data, -1).astype(np.int64), value.frame)
            return value
    elif kind == "boolean":
        if sort is bool:
            return value
    elif kind in ("number", "integer"):
        if sort is int:
            return value
        if sort is float:
            return _label(value) if kind == "integer" and type(source) is ProcessInstance else value
    else:
        if sort is np.ndarray and value.ndim == (1 if kind == "vector" else 2):
            return value
        if sort is tuple or sort is List:
            array = vector(*(vector(*item) if type(item) in (tuple, List) else item for item in value))
            if type(array) is not tuple:
                return observable(source, array)
    wanted = {"boolean": "true or false", "vector": "a vector", "matrix": "a matrix"}.get(kind, "a number")
    name = source.family.name
    if name.startswith("flip") and sort in (int, float) and value in (0, 1):
        wanted = f"true or false (of 0 and 1 there is {name.replace('flip', 'bernoulli')})"
    error = refused(f"{_spellings(name)}: a value of it is {wanted}", value)
    if wanted == "a number" and sort in (np.ndarray, tuple, List):
        error = ModelError(f"{error}; observe each under a for, or all by (iid distribution n)")
    raise error


def _spellings(name: str) -> str:
    """All that a family may have been called: a distribution does not know by which name it was made."""
    aliases = {**ALIASES, **PROCESS_ALIASES, "categorical": "discrete"}
    return " or ".join([name, *(alias for alias, of in aliases.items() if of == name)])


def _label(value: float) -> int:
    """A label that processes of whole numbers count by; -1, which is impossible, for what is none."""
    return int(value) if value % 1 == 0 else -1


def pick(values: tuple[Any, ...], position: Any) -> Any:
    """The value at a position that may vary by lane."""
    if type(position) is not Lane:
        return values[position]
    frame = here.frame
    data = position.at(frame)
    if type(data) is int:
        return values[data]
    parts = [(frame.part(np.flatnonzero(data == option)), values[option]) for option in np.unique(data).tolist()]
    return join(frame, parts)
