"""Constructors: distributions and processes as procedures of the language, with their names and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pplc_runtime.distributions import ALIASES, DEFAULTS, DISTRIBUTIONS, WEIGHTING
from pplc_runtime.distributions.base import Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import Lane, Mix, by_option, raw, settle
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.processes import ALIASES as PROCESS_ALIASES
from pplc_runtime.processes import PROCESSES
from pplc_runtime.processes.base import Process
from pplc_runtime.processes.dp import DirichletProcess
from pplc_runtime.processes.pitman_yor import PitmanYor
from pplc_runtime.program.composites import COMPOSITES
from pplc_runtime.program.parameters import by_mix, checked, components, is_vector
from pplc_runtime.program.procedural_dp import ProceduralDp
from pplc_runtime.program.stochastic import Categorical, Dirac, Dist, ProcessInstance, shape_in_lane
from pplc_runtime.values import List, Map, Memo, ModelError, Procedure


def _checks_fit(family: Any, base: Any) -> bool:
    return type(family).problem is not base.problem


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
                return by_mix(arguments, build)
            if not (kind is float and domain.number(argument)) and not (kind is Lane and argument.checked is domain):
                if not domain.rank and is_vector(argument):
                    mixed = by_mix(arguments, build)
                    return components(family, name, arguments) if mixed is None else mixed
                argument = checked(name, parameter, argument)
            parts.append(argument)
        if fits:
            shapes = tuple(map(shape_in_lane, parts)) if family.fits_by_shape else None
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
                return by_mix(arguments, lambda *settled: build(at, *settled))
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
        shape = shape_in_lane(part)
        if shape:
            at = at[shape]
    return at


def dirac(value: Any) -> Any:
    """(dirac value)"""
    return Dirac((value,))


def categorical(weights: Any) -> Any:
    """(categorical [w0 w1 ...]) over 0, 1, ...; by [[value weight] ...] or {value weight} over values."""
    weights = settle(weights)
    if type(weights) is Mix:
        return by_option(weights, categorical)
    pairs = _pairs(weights)
    if pairs is None:
        return _by_weights(weights)
    return Categorical(_by_weights(vector(*(weight for _, weight in pairs))), tuple(value for value, _ in pairs))


def _pairs(weights: Any) -> list[tuple[Any, Any]] | None:
    if type(weights) is Map and len(weights):
        return list(weights.items())
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
    **{name: composite.build for name, composite in COMPOSITES.items()},
}
"""The distributions of the language by their canonical names."""
CONSTRUCTORS.update({alias: distribution(DISTRIBUTIONS[name], alias) for alias, name in ALIASES.items()})

WEIGHTING_CONSTRUCTORS: dict[str, Callable[..., Any]] = {name: distribution(f) for name, f in WEIGHTING.items()}
"""What `factor` and `condition` observe."""

PROCESS_CONSTRUCTORS: dict[str, Callable[..., Any]] = {name: process(family) for name, family in PROCESSES.items()}
"""The processes of the language; each takes the address at which it is made first."""
PROCESS_CONSTRUCTORS.update({alias: process(PROCESSES[name], alias) for alias, name in PROCESS_ALIASES.items()})


_plain_crp = PROCESS_CONSTRUCTORS["crp"]
_discounted_crp = process(PitmanYor())


def crp(at: At, alpha: Any, discount: Any = None) -> Any:
    """(crp alpha) or (crp alpha discount)"""
    discount = settle(discount)
    if type(discount) is Mix:
        return by_option(discount, lambda option: crp(at, alpha, option))
    return _plain_crp(at, alpha) if discount is None else _discounted_crp(at["discount"], alpha, discount)


PROCESS_CONSTRUCTORS["crp"] = crp
_dirichlet_processes: dict[Family, Process] = {}


def dp(at: At, alpha: Any, base: Any) -> Any:
    """(dp alpha base): the base is a distribution, or a procedure without arguments."""
    base = settle(base)
    if type(base) is Mix:
        return by_option(base, lambda option: dp(at, alpha, option))
    if type(alpha) is Mix:
        return by_option(alpha, lambda option: dp(at, option, base))
    if type(base) in (Procedure, Memo, Primitive):
        own = at["procedure"]
        return ProceduralDp.of(_plain_crp(own, checked("dp", PROCESSES["crp"].parameters[0], alpha)), base, own)
    if type(base) is not Dist:
        raise ModelError(f"dp: the base must be a distribution or a procedure, not {given(base)}")
    family = _dirichlet_processes.setdefault(base.family, DirichletProcess(base.family))
    parts = (checked("dp", family.parameters[0], alpha), *base.parts)
    return ProcessInstance(family, parts, _of_shape(at[base.family.name], parts))


PROCESS_CONSTRUCTORS["dp"] = dp


def family_of(name: str) -> Family | Process | None:
    """The family that a constructor always makes; None for what is made of others, dirac, categorical, dp and gp."""
    return (
        DISTRIBUTIONS.get(ALIASES.get(name, name))
        or WEIGHTING.get(name)
        or PROCESSES.get(PROCESS_ALIASES.get(name, name))
    )


def parameters_of(name: str) -> tuple[str, ...]:
    """What the parameters of a constructor are called; nothing for a name that is none."""
    family = PitmanYor() if name == "crp" else family_of(name)
    if family is not None:
        return tuple(parameter.name for parameter in family.parameters)
    if name in COMPOSITES:
        return COMPOSITES[name].parameters
    others = {"dp": ("alpha", "base"), "gp": ("mean", "kernel"), "categorical": ("[[value weight] ...]",)}
    return others.get(name, ())


def arity_of(name: str) -> tuple[int, int]:
    """The least and the largest number of arguments of a constructor."""
    if name in ("dp", "gp"):
        return 2, 2
    if name == "crp":
        return 1, 2
    if name in ("dirac", "categorical"):
        return 1, 1
    if name in COMPOSITES:
        return COMPOSITES[name].least, len(COMPOSITES[name].parameters)
    if name in WEIGHTING:
        return 1, 1
    canonical = ALIASES.get(name, name)
    if canonical in DISTRIBUTIONS:
        most = len(DISTRIBUTIONS[canonical].parameters)
        return most - len(DEFAULTS.get(canonical, ())), most
    most = len(PROCESSES[PROCESS_ALIASES.get(name, name)].parameters)
    return most, most


# Values that are observed
