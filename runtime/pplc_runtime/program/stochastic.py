"""Stochastic values: what `sample` and `observe` take.

A distribution in the language is a family and its parameters, which may vary by lane. A process is a family, its
parameters, and the address at which it was made: that is what tells two processes apart.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pplc_runtime.distributions import ALIASES, DEFAULTS, DISTRIBUTIONS
from pplc_runtime.distributions.base import Family, Parameter
from pplc_runtime.distributions.factors import Roots, factor_lanes
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, join, layout, raw, settle
from pplc_runtime.primitives.arithmetic import vector
from pplc_runtime.processes import ALIASES as PROCESS_ALIASES
from pplc_runtime.processes import PROCESSES
from pplc_runtime.processes.base import Process
from pplc_runtime.processes.dp import DirichletProcess
from pplc_runtime.values import List, ModelError, Stochastic


class Dist(Stochastic):
    """A distribution: a family and its parameters."""

    __slots__ = ("family", "parts")

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

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def alike(self, other: Any) -> bool:
        return True

    def with_parts(self, parts: tuple[Any, ...]) -> Dirac:
        return Dirac(parts)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return None, self.parts

    def __str__(self) -> str:
        return "<dirac>"


class Categorical(Stochastic):
    """One of several values of any kind: a distribution over their positions, and the values."""

    __slots__ = ("parts",)

    def __init__(self, positions: Dist, values: tuple[Any, ...]) -> None:
        self.parts = (positions, *values)

    @property
    def positions(self) -> Dist:
        dist: Dist = self.parts[0]
        return dist

    @property
    def values(self) -> tuple[Any, ...]:
        return self.parts[1:]

    def alike(self, other: Any) -> bool:
        return len(self.parts) == len(other.parts)

    def with_parts(self, parts: tuple[Any, ...]) -> Categorical:
        return Categorical(parts[0], parts[1:])

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return len(self.parts), self.parts

    def __str__(self) -> str:
        return "<categorical>"


class ProcessInstance(Stochastic):
    """An exchangeable process; its state is kept by the run, under its address."""

    __slots__ = ("at", "family", "parts")

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


# Construction


def checked(name: str, parameter: Parameter, value: Any) -> Any:
    """A parameter as the family takes it; an error if some living lane has it outside of its domain."""
    domain = parameter.domain
    kind = type(value)
    if kind is float or kind is int:
        if domain.rank == 0 and domain.holds(value):
            return value
    elif kind is Lane:
        if value.checked is domain:
            return value
        data = value.at(here.frame)
        if value.data.ndim - 1 == domain.rank and value.data.dtype.kind != "b":
            if domain.surely is not None and type(data) is np.ndarray and domain.surely(data):
                if here.frame.to_top is None:
                    value.checked = domain  # every later frame has only lanes of this one
                return value
            holds = domain.holds(data)
            if holds is True or (holds is not False and holds.all()):
                if here.frame.to_top is None:
                    value.checked = domain
                return value
            if holds is not False:
                raise _outside(name, parameter, value, int(np.flatnonzero(~holds)[0]))
    elif kind is np.ndarray:
        if value.ndim == domain.rank:
            if domain.surely is not None and value.dtype == np.float64 and domain.surely(value):
                return value
            if domain.holds(value):
                return value
    elif (kind is tuple or kind is List) and domain.rank:
        array = vector(*(vector(*item) if type(item) in (tuple, List) else item for item in value))
        if type(array) is not tuple:
            return checked(name, parameter, array)
    raise _outside(name, parameter, value)


def _outside(name: str, parameter: Parameter, value: Any, lane: int = 0) -> ModelError:
    return refused(f"{name}: {parameter.name} must be {parameter.domain.text}", value, lane)


def _with_one(arguments: tuple[Any, ...], position: int, build: Callable[..., Any]) -> Callable[[Any], Any]:
    """The constructor as a function of one of its arguments."""
    return lambda option: build(*arguments[:position], option, *arguments[position + 1 :])


def _any_mix(arguments: tuple[Any, ...], build: Callable[..., Any]) -> Any:
    for position, argument in enumerate(arguments):
        if type(argument) is Mix:
            return by_option(argument, _with_one(arguments, position, build))
    return None


def _checks_fit(family: Any, base: Any) -> bool:
    return type(family).problem is not base.problem


def _shape(part: Any) -> Any:
    """The shape of a parameter in one lane."""
    if type(part) is Lane:
        return part.data.shape[:-1]
    return part.shape if type(part) is np.ndarray else ()


def distribution(family: Family, alias: str | None = None) -> Callable[..., Any]:
    """The constructor of a family in the language, by its own name or another."""
    name = alias or family.name
    parameters = family.parameters
    defaults = DEFAULTS.get(family.name, ())
    fits = _checks_fit(family, Family)
    fitting: set[Any] = set()

    domains = [parameter.domain for parameter in parameters]

    def build(*arguments: Any) -> Any:
        if len(arguments) < len(parameters):
            arguments += defaults[len(defaults) - (len(parameters) - len(arguments)) :]
        parts = []
        for parameter, domain, argument in zip(parameters, domains, arguments):
            kind = type(argument)
            if kind is Mix:
                return _any_mix(arguments, build)
            if not (kind is float and domain.number(argument)) and not (kind is Lane and argument.checked is domain):
                argument = checked(name, parameter, argument)
            parts.append(argument)
        if fits:
            shapes = tuple(map(_shape, parts)) if family.fits_by_shape else None
            if shapes is None or shapes not in fitting:
                problem = family.problem(*map(raw, parts))
                if problem is not None:
                    raise ModelError(f"{name}: {problem}")
                if shapes is not None:
                    fitting.add(shapes)
        return Dist(family, tuple(parts))

    build.__name__ = build.__qualname__ = name
    return build


def process(family: Process, alias: str | None = None) -> Callable[..., Any]:
    """The constructor of a process in the language, by its own name or another."""
    name = alias or family.name
    fits = _checks_fit(family, Process)

    def build(at: At, *arguments: Any) -> Any:
        for argument in arguments:
            if type(argument) is Mix:
                return _any_mix(arguments, lambda *settled: build(at, *settled))
        parts = tuple([checked(name, p, a) for p, a in zip(family.parameters, arguments)])
        if fits:
            problem = family.problem(*map(raw, parts))
            if problem is not None:
                raise ModelError(f"{name}: {problem}")
        return ProcessInstance(family, parts, _of_shape(at, parts))

    build.__name__ = build.__qualname__ = name
    return build


def _of_shape(at: At, parts: tuple[Any, ...]) -> At:
    """The address of a process: lanes whose parameters differ in shape have different ones."""
    for part in parts:
        shape = _shape(part)
        if shape:
            at = at[shape]
    return at


def dirac(value: Any) -> Any:
    """(dirac value)"""
    return Dirac((value,))


def categorical(weights: Any) -> Any:
    """(categorical [w0 w1 ...]) over 0, 1, ...; (categorical [[value weight] ...]) over the values."""
    weights = settle(weights)
    if type(weights) is Mix:
        return by_option(weights, categorical)
    pairs = _pairs(weights)
    if pairs is None:
        return _by_weights(weights)
    return Categorical(_by_weights(vector(*(weight for _, weight in pairs))), tuple(value for value, _ in pairs))


def _pairs(weights: Any) -> list[tuple[Any, Any]] | None:
    if type(weights) is np.ndarray and weights.ndim == 2 and weights.shape[1] == 2:
        return [(row[0].item(), row[1].item()) for row in weights]
    if type(weights) is Lane and weights.data.ndim == 3 and weights.data.shape[1] == 2:
        return [(Lane(row[0], weights.frame), Lane(row[1], weights.frame)) for row in weights.data]
    if type(weights) in (tuple, List) and weights:
        found = []
        for item in weights:
            if type(item) is np.ndarray and item.shape == (2,):
                found.append((item[0].item(), item[1].item()))
            elif type(item) is Lane and item.data.ndim == 2 and len(item.data) == 2:
                found.append((Lane(item.data[0], item.frame), Lane(item.data[1], item.frame)))
            elif type(item) in (tuple, List) and len(item) == 2:
                found.append((item[0], item[1]))
            else:
                return None
        return found
    return None


_by_weights = distribution(DISTRIBUTIONS["discrete"], "categorical")

CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    **{name: distribution(family) for name, family in DISTRIBUTIONS.items()},
    "categorical": categorical,
    "dirac": dirac,
}
"""The distributions of the language by their canonical names."""
CONSTRUCTORS.update({alias: distribution(DISTRIBUTIONS[name], alias) for alias, name in ALIASES.items()})

PROCESS_CONSTRUCTORS: dict[str, Callable[..., Any]] = {name: process(family) for name, family in PROCESSES.items()}
"""The processes of the language; each takes the address at which it is made first."""
PROCESS_CONSTRUCTORS.update({alias: process(PROCESSES[name], alias) for alias, name in PROCESS_ALIASES.items()})


_dirichlet_processes: dict[str, Process] = {}


def dp(at: At, alpha: Any, base: Any) -> Any:
    """(dp alpha base): the base is a distribution."""
    base = settle(base)
    if type(base) is Mix:
        return by_option(base, lambda option: dp(at, alpha, option))
    if type(alpha) is Mix:
        return by_option(alpha, lambda option: dp(at, option, base))
    if type(base) is not Dist:
        raise ModelError(f"dp: the base must be a distribution, not {given(base)}")
    family = _dirichlet_processes.setdefault(base.family.name, DirichletProcess(base.family))
    parts = (checked("dp", family.parameters[0], alpha), *base.parts)
    return ProcessInstance(family, parts, _of_shape(at[base.family.name], parts))


PROCESS_CONSTRUCTORS["dp"] = dp


def family_of(name: str) -> Family | Process | None:
    """The family that a constructor always makes; None for dirac, categorical, dp and gp, and what is none."""
    return DISTRIBUTIONS.get(ALIASES.get(name, name)) or PROCESSES.get(PROCESS_ALIASES.get(name, name))


def parameters_of(name: str) -> tuple[str, ...]:
    """What the parameters of a constructor are called; nothing for a name that is none."""
    family = family_of(name)
    if family is not None:
        return tuple(parameter.name for parameter in family.parameters)
    return {"dp": ("alpha", "base"), "gp": ("mean", "kernel")}.get(name, ())


def arity_of(name: str) -> tuple[int, int]:
    """The least and the largest number of arguments of a constructor."""
    if name in ("dp", "gp"):
        return 2, 2
    if name in ("dirac", "categorical"):
        return 1, 1
    canonical = ALIASES.get(name, name)
    if canonical in DISTRIBUTIONS:
        most = len(DISTRIBUTIONS[canonical].parameters)
        return most - len(DEFAULTS.get(canonical, ())), most
    most = len(PROCESSES[PROCESS_ALIASES.get(name, name)].parameters)
    return most, most


# Values that are observed


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
    raise refused(f"{_spellings(name)}: a value of it is {wanted}", value)


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
