"""Vectors of independent components of one family: `iid`, and families that are given vectors as parameters."""

from __future__ import annotations

import numpy as np

from pplc_runtime.distributions.base import Domain, Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.lanewise import INF, number_of_lanes, spread


class Independent(Family):
    """n independent draws as a vector; of vectors, as the rows of a matrix. A parameter is shared by all of them, or
    a vector with one element for each, as `varying` tells."""

    def __init__(self, base: Family, size: int, varying: tuple[bool, ...]) -> None:
        self.base = base
        self.size = size
        self.varying = varying
        self.name = f"{base.name} of {size}"  # type: ignore[misc] # by its base
        self.parameters = tuple(  # type: ignore[misc] # by its base
            Parameter(parameter.name, _each(parameter.domain)) if varies else parameter
            for parameter, varies in zip(base.parameters, varying)
        )
        self.discrete = base.discrete  # type: ignore[misc] # by its base
        self.fits_by_shape = base.fits_by_shape or type(base).problem is Family.problem  # type: ignore[misc]
        self.event_rank = base.event_rank + 1  # type: ignore[misc] # by its base
        self.value_kind = "vector" if base.event_rank == 0 else "matrix"  # type: ignore[misc] # by its base

    @property
    def measure(self) -> str:
        return self.base.measure

    def event_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        own = [shape[:-1] if varies else shape for shape, varies in zip(shapes, self.varying)]
        return (self.size, *self.base.event_shape(*own))

    def problem(self, *parameters: Raw) -> str | None:
        if any(varies and len(x) != self.size for x, varies in zip(parameters, self.varying)):
            return f"vectors of different lengths do not fit: one has {self.size} elements"
        return self.base.problem(*self._flat(parameters, number_of_lanes(self, None, parameters)))

    def _flat(self, parameters: tuple[Raw, ...], lanes: int | None) -> list[Raw]:
        """The parameters with one lane for each component of each lane, component by component."""
        flat = []
        for x, parameter, varies in zip(parameters, self.base.parameters, self.varying):
            rank = parameter.domain.rank + varies
            over_lanes = isinstance(x, np.ndarray) and x.ndim > rank
            if varies and lanes is not None:
                x = np.broadcast_to(x if over_lanes else x[:, None], (self.size, lanes)).ravel()
            elif over_lanes:
                x = np.repeat(x[..., None, :], self.size, -2).reshape(*x.shape[:-1], -1)
            flat.append(x)
        return flat

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        count = self.size * (1 if lanes is None else lanes)
        draws = self.base.sample(rng, count, *self._flat(parameters, lanes))
        if lanes is not None:
            draws = draws.reshape(*draws.shape[:-1], self.size, lanes)
        return np.ascontiguousarray(np.moveaxis(draws, self.base.event_rank, 0))

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        if value.shape[0] != self.size:
            return spread(-INF, self, value, parameters)
        lanes = number_of_lanes(self, value, parameters)
        rows = np.moveaxis(value, 0, self.base.event_rank)
        if lanes is not None:
            over_lanes = value.ndim > self.event_rank
            rows = np.broadcast_to(rows if over_lanes else rows[..., None], (*rows.shape[: self.event_rank], lanes))
            rows = rows.reshape(*rows.shape[:-2], -1)
        densities: Lanes = np.broadcast_to(
            self.base.log_density(np.ascontiguousarray(rows), *self._flat(parameters, lanes)), rows.shape[-1:]
        ).reshape(self.size, -1)
        impossible = (densities == -INF).any(0)
        total: Raw = np.where(impossible, -INF, np.add.reduce(np.where(impossible, 0.0, densities)))
        return float(total[0]) if lanes is None else total


_domains: dict[int, tuple[Domain, Domain]] = {}


def _each(domain: Domain) -> Domain:
    """Vectors all of whose elements are in a domain of numbers."""

    def holds(x: Raw) -> Raw:
        if not (isinstance(x, np.ndarray) and x.ndim in (1, 2) and x.size):
            return False
        good = domain.holds(x.ravel())
        if good is False or good is True:
            return good
        return bool(good.all()) if x.ndim == 1 else good.reshape(x.shape).all(0)

    known = _domains.get(id(domain))
    if known is None:
        known = _domains[id(domain)] = domain, Domain(f"{domain.text}, in every element", 1, holds)
    return known[1]


def domain_of_elements(domain: Domain) -> Domain | None:
    """The domain of the elements, of one of vectors that was made for it."""
    return next((base for base, each in _domains.values() if each is domain), None)
