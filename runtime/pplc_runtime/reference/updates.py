"""Traces of the reference engine: executions that are known by what they drew. An update runs all of the program anew.

So it is what an incremental update is measured by. What is shared with `regeneration/trace` is how an update is told:
what was drawn, from what, with which density; which values are fresh and which are stale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.processes.dp import DirichletProcess
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.reference.comparison import through
from pplc_runtime.reference.draws import Random, States, fits, kind_of, log_density
from pplc_runtime.reference.environment import ByPath, Draw, Handler, Impossible
from pplc_runtime.reference.execution import Particle, Plan, report
from pplc_runtime.reference.methods import columns
from pplc_runtime.regeneration.rerun import REDRAWN, Choice, StatementRecord
from pplc_runtime.regeneration.trace import Update
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import Impossible as ImpossibleError


class ReferenceTrace:
    """An execution: its choices by address, in one record of all that it does."""

    def __init__(self, plan: Plan, values: Mapping[At, Any], rng: np.random.Generator) -> None:
        self.plan = plan
        self.choices: dict[At, Choice] = {}
        self.records = [StatementRecord()]
        if self.update(values, rng, {}).log_ratio == -math.inf:
            raise ImpossibleError("the values of this execution have probability zero")

    @property
    def values(self) -> dict[At, Any]:
        """What was drawn, in the order of execution."""
        return {at: self.choices[at].value for at in self.records[0].draws}

    @property
    def log_density(self) -> float:
        """The log of the product of the densities of all draws and observes."""
        return self.records[0].log_density

    def update(self, changes: Mapping[At, Any], rng: np.random.Generator, moved: Mapping[At, At]) -> Update:
        """Replace values, draw those that are `REDRAWN` and what there is none for, and run everything anew."""
        handler = Rerun(self, changes, rng, moved)
        particle = through(self.plan, self.plan.segments, handler)
        if len(particle.generations) < len(self.plan.segments) or particle.log_weight == -math.inf:
            return Update(self, -math.inf)
        before, record = self.records[0], handler.record
        record.log_density = handler.log_prior + _log_likelihood(particle)
        old, self.choices = self.choices, handler.choices
        self.records = [record]
        fresh = tuple(handler.fresh)
        stale = tuple(at for at in before.draws if (now := moved.get(at, at)) not in self.choices or now in fresh)
        return Update(
            self,
            record.log_density - before.log_density,
            fresh,
            math.fsum(self.choices[at].log_density for at in fresh),
            stale,
            math.fsum(old[at].log_density for at in stale),
            ((0, before),),
            tuple((at, old.get(at)) for at in dict.fromkeys((*before.draws, *record.draws))),
        )

    def replace(self, number: int, new: StatementRecord) -> None:
        """The execution has done something else."""
        self.records[number] = new

    def put(self, at: At, choice: Choice | None) -> None:
        """A choice, or none any more."""
        if choice is None:
            self.choices.pop(at, None)
        else:
            self.choices[at] = choice

    def predicts(self, rng: np.random.Generator) -> dict[str, Column]:
        """What is reported of the execution, by label; what only that draws is drawn anew."""
        paths = {at.path(): value for at, value in self.values.items()}
        particle = through(self.plan, self.plan.segments, ByPath(paths))
        report(particle, self.plan, Draw(Random(rng)))
        return columns([particle], self.plan)


def _log_likelihood(particle: Particle) -> float:
    return math.fsum(generation.log_weight for generation in particle.generations)


class Rerun(Handler):
    """Choices are those of a trace, with some changes; what there is none for is drawn."""

    def __init__(
        self, trace: ReferenceTrace, changes: Mapping[At, Any], rng: np.random.Generator, moved: Mapping[At, At]
    ) -> None:
        super().__init__()
        self.before = {moved.get(at, at): choice for at, choice in trace.choices.items()}
        self.changes = changes
        self.random = Random(rng)
        self.choices: dict[At, Choice] = {}
        self.fresh: list[At] = []
        self.record = StatementRecord()

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        old, given = self.before.get(alpha), self.changes.get(alpha)
        alike = old is None or _is_alike(old, source, states)
        if alpha in self.changes and given is not REDRAWN:
            if not alike or not fits(given, source, states):
                raise Impossible
            value = given
        elif old is not None and alike and given is not REDRAWN:
            value = old.value
            if _is_fresh(source, value, states) is not old.is_fresh_atom:
                raise Impossible  # a mass and a density cannot stand for each other
        else:
            self.fresh.append(alpha)
            value = self.random.choice(alpha, source, states)
        density = log_density(source, value, states)
        if density == -math.inf:
            raise Impossible
        self.log_prior += density
        self.record.draws.append(alpha)
        self.choices[alpha] = Choice(source, value, density, 0, _is_fresh(source, value, states))
        return value

    def observe(self, alpha: At, source: Any, value: Any, states: States) -> float:
        if isinstance(source, ProcessInstance):
            self.record.observed.add(source.at)
        return super().observe(alpha, source, value, states)


def _is_fresh(source: Dist | ProcessInstance, value: Any, states: States) -> bool | None:
    """Of a process that draws old values with a mass and fresh ones with a density: whether a value is fresh."""
    if not isinstance(source.family, DirichletProcess):
        return None
    return kind_of(source, value, states).measure != "counting"


def _is_alike(old: Choice, source: Dist | ProcessInstance, states: States) -> bool:
    """Whether a value may stand where a source is drawn from: the same measure, sort and size."""
    before, now = old.source.family, source.family
    kinds = [(family.measure, family.value_kind) for family in (before, now)]
    return kinds[0] == kinds[1] and fits(old.value, source, states)
