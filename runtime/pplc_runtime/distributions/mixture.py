"""Several distributions by weights: mixtures, and counts with more zeros than a distribution has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.discrete import Discrete
from pplc_runtime.distributions.domains import PROBABILITY, WEIGHTS

_DISCRETE: Final = Discrete()


class Mixture(Family):
    """A component is drawn by its weight, and a value from it. The parameters are the weights, and those of the
    components one after the other; all components have one measure."""

    def __init__(self, components: tuple[Family, ...]) -> None:
        first = components[0]
        self.components = components
        self.name = f"mixture of {', '.join(each.name for each in components)}"  # type: ignore[misc] # by its parts
        self.parameters = (  # type: ignore[misc] # by its components
            Parameter("weights", WEIGHTS),
            *(parameter for each in components for parameter in each.parameters),
        )
        self.discrete = first.discrete  # type: ignore[misc] # by its components
        self.fits_by_shape = all(map(_fits_by_shape, components))  # type: ignore[misc] # by its components
        self.event_rank = first.event_rank  # type: ignore[misc] # by its components
        self.value_kind = first.value_kind  # type: ignore[misc] # by its components

    @property
    def measure(self) -> str:
        return self.components[0].measure

    def split(self, parts: tuple[Raw, ...]) -> list[tuple[Raw, ...]]:
        """The parameters of each component."""
        found, start = [], 1
        for component in self.components:
            end = start + len(component.parameters)
            found.append(tuple(parts[start:end]))
            start = end
        return found

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        return self.components[0].event_shape(*self.split(shapes)[0])

    def problem(self, *parameters: Raw) -> str | None:
        for component, own in zip(self.components, self.split(parameters)):
            found = component.problem(*own)
            if found is not None:
                return found
        number = len(self.components)
        return None if len(parameters[0]) == number else f"{len(parameters[0])} weights do not fit {number} components"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw] | None:
        values: dict[Raw, None] = {}
        for component, own in zip(self.components, self.split(parameters)):
            found = component.outcomes(*own) if self.event_rank == 0 else None
            if found is None:
                return None
            values.update(dict.fromkeys(found))
        return tuple(values)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        chosen = _DISCRETE.sample(rng, lanes, parameters[0])
        of_components = self.split(parameters)
        if lanes is None:
            draws = [own.sample(rng, None, *given) for own, given in zip(self.components, of_components)]
            return draws[chosen]  # all are drawn, as over lanes: so what is drawn does not depend on who runs together
        draw: Raw = None
        for number, (component, own) in enumerate(zip(self.components, of_components)):
            fresh = component.sample(rng, lanes, *own)
            draw = fresh if draw is None else np.where(chosen == number, fresh, draw)
        return draw

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        total: Raw = -np.inf
        for number, (component, own) in enumerate(zip(self.components, self.split(parameters))):
            log_weight = _DISCRETE.log_density(number, parameters[0])
            density = np.where(np.equal(log_weight, -np.inf), 0.0, component.log_density(value, *own))
            total = np.logaddexp(total, log_weight + density)
        return total if any(type(x) is ndarray for x in self._raws(value, parameters)) else float(total)

    def _raws(self, value: Raw, parameters: tuple[Raw, ...]) -> list[Raw]:
        """What varies by lane."""
        ranks = (self.event_rank, *(parameter.domain.rank for parameter in self.parameters))
        return [x for x, rank in zip((value, *parameters), ranks) if type(x) is ndarray and x.ndim > rank]


class ZeroInflated(Family):
    """Zero with a probability, its first parameter, else a count of another family, which may be zero too."""

    def __init__(self, base: Family) -> None:
        self.base = base
        self.name = f"zero-inflated {base.name}"  # type: ignore[misc] # by its base
        self.parameters = (Parameter("p", PROBABILITY), *base.parameters)  # type: ignore[misc] # by its base
        self.discrete = True  # type: ignore[misc] # all counts are
        self.fits_by_shape = _fits_by_shape(base)  # type: ignore[misc] # by its base
        self.value_kind = "integer"  # type: ignore[misc] # all counts are

    def problem(self, *parameters: Raw) -> str | None:
        return self.base.problem(*parameters[1:])

    def outcomes(self, *parameters: Raw) -> Sequence[Raw] | None:
        found = self.base.outcomes(*parameters[1:])
        return None if found is None else tuple(dict.fromkeys((0, *found)))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        p, *own = parameters
        zero = rng.random(lanes) < p
        draw = self.base.sample(rng, lanes, *own)
        return np.where(zero, 0, draw) if lanes is not None else 0 if zero else draw

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        p, *own = parameters
        with np.errstate(divide="ignore"):
            rest = np.log1p(-p) + self.base.log_density(value, *own)
            result = np.where(np.equal(value, 0), np.logaddexp(np.log(p), rest), rest)
        return result if any(type(x) is ndarray for x in (value, *parameters)) else float(result)


def _fits_by_shape(family: Family) -> bool:
    return family.fits_by_shape or type(family).problem is Family.problem
