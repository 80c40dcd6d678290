"""Parameters of distributions and processes: checked, settled, and vectors where numbers are wanted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pplc_runtime.distributions.base import Family, Parameter
from pplc_runtime.distributions.independent import Independent
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, raw
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.program.stochastic import Dist, shape_in_lane
from pplc_runtime.values import List, ModelError


def checked(name: str, parameter: Parameter, value: Any) -> Any:
    """A parameter as the family takes it; an error if some living lane has it outside of its domain."""
    domain = parameter.domain
    kind = type(value)
    if kind is float or kind is int:
        if domain.rank == 0 and domain.holds(value):
            return value
    elif kind is bool:
        if domain.boolean:
            return value
    elif kind is Lane:
        if value.checked is domain:
            return value
        data = value.at(here.frame)
        if value.data.ndim - 1 == domain.rank and (value.data.dtype.kind == "b") == domain.boolean:
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


def by_mix(arguments: tuple[Any, ...], build: Callable[..., Any]) -> Any:
    """What is built of each option of the first argument that is a Mix; None where none is."""
    for position, argument in enumerate(arguments):
        if type(argument) is Mix:
            return by_option(argument, _with_one(arguments, position, build))
    return None


def is_vector(argument: Any) -> bool:
    """Whether a parameter is a vector of numbers, shared or one a lane."""
    kind = type(argument)
    if kind is Lane:
        return bool(argument.data.ndim == 2)
    if kind is np.ndarray:
        return bool(argument.ndim == 1)
    return (kind is tuple or kind is List) and type(vector(*argument)) is not tuple


@cache
def independent(base: Family, size: int, varying: tuple[bool, ...]) -> Independent:
    """The family of vectors of independent components, one for all that ask."""
    return Independent(base, size, varying)


def components(family: Family, name: str, arguments: tuple[Any, ...]) -> Any:
    """A family of numbers that is given vectors as parameters: a vector of independent components."""
    if family.value_kind not in ("number", "integer") or any(p.domain.rank for p in family.parameters):
        raise ModelError(f"{name}: its values are no numbers, so that its parameters cannot be vectors")
    values = tuple(vector(*x) if type(x) in (tuple, List) else x for x in arguments)
    varying = tuple(map(is_vector, values))
    size = next(shape_in_lane(x)[0] for x, varies in zip(values, varying) if varies)
    if not size:
        raise ModelError(f"{name}: a vector of parameters has no elements")
    own = independent(family, size, varying)
    parts = tuple(checked(name, parameter, x) for parameter, x in zip(own.parameters, values))
    problem = own.problem(*map(raw, parts))
    if problem is not None:
        raise ModelError(f"{name}: {problem}")
    return Dist(own, parts)
