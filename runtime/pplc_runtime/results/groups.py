"""A posterior as groups of named arrays, the layout that ArviZ and its files have.

    posterior              draws of equal weight, by chain and draw: numbers and booleans
    posterior_text         those that are neither, as text; only where there are some
    sample_stats           the sweep that each draw is of, and its chain in the run
    log_likelihood         of each observe: `observe`, by chain, draw and observe
    posterior_predictive   the observes drawn anew
    observed_data          what was observed
    weighted               all particles by run, sweep and particle, with `log_weight`; -inf for one that there is not

The last is no group of ArviZ's: it has the draws as the method gave them. Nor is `posterior_text`: ArviZ computes with
all that is in a posterior, and fails on text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.columns import Draws
from pplc_runtime.results.export import WITHOUT_DRAWS
from pplc_runtime.results.flat import plain_text
from pplc_runtime.version import VERSION

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

DRAWS = ("chain", "draw")
PARTICLES = ("run", "sweep", "particle")
Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Variable:
    """An array, and the names of its axes."""

    dims: tuple[str, ...]
    data: Array


@dataclass(slots=True)
class Group:
    """Variables by name, and what is said of all of them."""

    variables: dict[str, Variable] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    coordinates: dict[str, Variable] = field(default_factory=dict)

    def add(self, name: str, data: Array, dims: tuple[str, ...]) -> None:
        """A variable whose further axes are its own."""
        name = name.replace("/", "∕")  # which would be a group inside of this one
        more = tuple(f"{name}_dim_{k}" for k in range(data.ndim - len(dims)))
        self.variables[name] = Variable((*dims, *more), data)
        for dim, size in zip((*dims, *more), data.shape):
            self.coordinates.setdefault(dim, Variable((dim,), np.arange(size)))


def groups_of(posterior: Posterior, observes: bool | None = None) -> dict[str, Group]:
    """The groups of a posterior; where particles were not kept, those of the observes only if they are asked for."""
    found = {**_draws(posterior), "sample_stats": _stats(posterior)}
    if observes is not False:
        try:
            found.update(_observes(posterior))
        except ValueError:
            if observes:
                raise
    found["weighted"] = _weighted(posterior)
    for group in found.values():
        group.attributes = {**_attributes(posterior), **group.attributes}
    return found


def _attributes(posterior: Posterior) -> dict[str, Any]:
    told: dict[str, Any] = {
        "inference_library": "pplc", "inference_library_version": VERSION, "pplc": json.dumps(about(posterior)),
    }  # fmt: skip
    more = {"log_evidence": posterior.log_evidence, "log_evidence_se": posterior.log_evidence_se}
    return {**told, **{name: value for name, value in more.items() if value is not None}}


def about(posterior: Posterior) -> dict[str, Any]:
    """What a file tells of the run, beside its draws."""
    told: dict[str, Any] = {
        "method": posterior.method, "seed": posterior.seed, "particles": posterior.particles,
        "chains": posterior.chains, "is_chain": posterior.is_chain,
    }  # fmt: skip
    none = [[s.chain, s.number] for s in posterior.sweeps if not (s.log_weights > -np.inf).any()]
    return {**told, WITHOUT_DRAWS: none} if none else told


def _draws(posterior: Posterior) -> dict[str, Group]:
    found = {"posterior": Group()}
    for label in posterior.labels:
        data = storable(posterior[label])
        group = "posterior_text" if data.dtype.kind == "O" else "posterior"
        found.setdefault(group, Group()).add(label, data, DRAWS)
    return found


def _stats(posterior: Posterior) -> Group:
    group = Group()
    places = posterior.equal.sweeps
    for name, of in (
        ("sweep", [s.number for s in posterior.sweeps]),
        ("run_chain", [s.chain for s in posterior.sweeps]),
    ):
        group.add(name, np.array(of, np.int64)[places].reshape(places.shape), DRAWS)
    return group


def _observes(posterior: Posterior) -> Iterator[tuple[str, Group]]:
    likelihood, predictive, seen = Group(), Group(), Group()
    likelihood.add("observe", posterior.log_likelihood(), (*DRAWS, "observe_id"))
    for named in posterior.predicted():
        dim = "observe_id" if named.name == "observe" else f"{named.name}_id"
        predictive.add(named.name, storable(named.drawn), (*DRAWS, dim))
        if named.seen is not None:
            seen.add(named.name, storable(named.seen), (dim,))
    lines = posterior.observes().lines
    likelihood.coordinates["line"] = Variable(("observe_id",), np.array(lines, np.int64))
    yield "log_likelihood", likelihood
    yield "posterior_predictive", predictive
    yield "observed_data", seen


def _weighted(posterior: Posterior) -> Group:
    group = Group()
    by_chain: dict[int, list[int]] = {}
    for place, sweep in enumerate(posterior.sweeps):
        by_chain.setdefault(sweep.chain, []).append(place)
    chains = list(by_chain.values())
    shape = (
        len(chains),
        max(map(len, chains), default=0),
        max((len(s.log_weights) for s in posterior.sweeps), default=0),
    )
    logs = np.full(shape, -np.inf)
    slots = {place: (run, nth) for run, places in enumerate(chains) for nth, place in enumerate(places)}
    for place, sweep in enumerate(posterior.sweeps):
        logs[(*slots[place], slice(len(sweep.log_weights)))] = sweep.log_weights
    group.add("log_weight", logs, PARTICLES)
    for label in posterior.labels:
        gathered = posterior.gathered(label)
        values = storable(_as_array(gathered.values))
        data = np.zeros((*shape, *values.shape[1:]), values.dtype)
        if values.dtype.kind == "f":
            data[:] = np.nan
        elif values.dtype.kind == "O":
            data[:] = ""
        for place in np.unique(gathered.sweeps).tolist():
            alive = np.flatnonzero(posterior.sweeps[place].log_weights != -np.inf)
            data[slots[place]][alive] = values[gathered.sweeps == place]
        group.add(label, data, PARTICLES)
    return group


def _as_array(values: Draws) -> Array:
    if isinstance(values, np.ndarray):
        return values
    found = np.empty(len(values), object)
    found[:] = values
    return found


def storable(array: Array) -> Array:
    """Numbers and booleans as they are; other values as text, in an array of objects."""
    if array.dtype.kind in "biuf":
        return array
    flat = np.empty(array.size, object)
    flat[:] = ["nil" if value is None else str(plain_text(value)) for value in array.ravel()]
    return flat.reshape(array.shape)
