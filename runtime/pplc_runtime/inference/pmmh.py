"""Particle marginal Metropolis-Hastings: parameters walk, and smc weighs each place of theirs by all the rest.

With theta the values of the targets, a run of smc in which all particles have theta, whose density is part of their
weight, has an estimate Z^(theta) of p(theta, y). From theta another theta' is proposed by a symmetric walk on scales
without bounds, z, and a run of smc given it. Both are taken with probability

    min(1,  Z^(theta') |dtheta'/dz'|  /  Z^(theta) |dtheta/dz|),

else the chain stays with theta and its run. That is as if p(theta, y) were known: what is invariant is the law of theta
and of a particle of the run that is chosen by weight. (C. Andrieu, A. Doucet and R. Holenstein 2010, "Particle Markov
chain Monte Carlo methods", section 2.4.2.)

The state is theta with its run. Where there is only an execution, at the start or after another kernel of a cycle, a
run is drawn around it: a conditional sweep that holds theta, a draw from the law of runs given the execution.

Executions in which the targets are other draws, or of other families, have no place in a run: steps stay among those
that are alike, as when values are held (`engine/held`). A chain of such steps alone would never leave them, so there it
is an error if a particle comes to others; in a cycle another kernel may lead there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pplc_runtime.composed import Target
from pplc_runtime.composition import GLOBALS
from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.inference.base import Engine, Kernel, Settings
from pplc_runtime.inference.independent import lost
from pplc_runtime.inference.runs import chosen, comb_of, independent
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.targets import Covers, covering, everything, statement_of
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.modes import Asked, Mode
from pplc_runtime.numerics.adaptive_walk import AdaptiveWalk
from pplc_runtime.numerics.free import Floats, Free, free_of
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.numerics.metropolis import accepts
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import Impossible, ModelError

AROUND, TRACE, STEP, RUN, ACCEPTANCE = range(START + 3, START + 8)
"""The parts of the key of a sweep."""
Conditional = Callable[[Holds, int | None], Kernel]
"""Makes conditional sweeps that hold some values, with so many particles."""


@dataclass(slots=True)
class OfFamilies(Held):
    """Held values that are of the same families in all executions."""

    names: Mapping[At, str] = field(default_factory=dict)

    def fits(self, at: At, source: Dist | ProcessInstance) -> bool:
        return Held.fits(self, at, source) and source.family.name == self.names[at]


@dataclass(slots=True)
class Marginal(Retained):
    """What a chain retains, with the run that it is a particle of."""

    run: Sweep | None = None

    def between_sweeps(self) -> Retained:
        return Retained(self.held)


@dataclass(frozen=True, slots=True)
class Form:
    """The targets of an execution: where they were drawn, from which families, and how they move."""

    names: Mapping[At, str]
    kinds: Mapping[At, str]
    """The measures of their densities."""
    free: Mapping[At, Free]

    def numbers(self, values: Mapping[At, Any]) -> tuple[Floats, float]:
        """Values as numbers without bounds, and the log of the Jacobian."""
        found = [free.numbers(values[at]) for at, free in self.free.items()]
        return np.concatenate([np.zeros(0), *(z for z, _ in found)]), math.fsum(jacobian for _, jacobian in found)

    def values(self, z: Floats) -> dict[At, Any]:
        ends = np.cumsum([free.size for free in self.free.values()])[:-1]
        return {at: free.value(own) for (at, free), own in zip(self.free.items(), np.split(z, ends))}


@dataclass(frozen=True, slots=True)
class Pmmh:
    """A chain of the targets and of runs given them."""

    conditional: Conditional
    covers: Covers | None = None
    particles: int | None = None
    """Those of a run, if not those of the settings."""
    alone: bool = True
    """Whether no other kernel leads to executions in which the targets are other draws."""
    typical: Mapping[At, Any] = field(default_factory=dict)
    """An execution, from which the walk has its first steps."""
    forms: list[Form] = field(default_factory=list)
    """The last one."""
    walks: dict[Any, AdaptiveWalk] = field(default_factory=dict)
    """What is learnt in the burn-in, by where the targets were drawn and from which families."""

    def bound(self, engine: Engine, settings: Settings) -> Pmmh:
        plan: Any = engine.plan
        covers = covering(plan, Target(frozenset({GLOBALS}))) if self.covers is None else self.covers
        if (self.particles or settings.particles) > MOST_PARTICLES:
            raise ModelError(f"pmmh has at most {MOST_PARTICLES} particles, since one of them is kept")
        typical = first_retained(engine, settings, Key.of(0))
        if self.covers is None and not any(map(covers, typical)):
            covers = everything
        return replace(self, covers=covers, typical=typical, forms=[], walks={})

    def beside_others(self) -> Pmmh:
        return replace(self, alone=False)

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        return Retained([first_retained(engine, settings, key)])

    def resumed(self, engine: Engine, after: Sweep) -> Retained:
        """The state after a sweep, which may be one of another chain."""
        plan: Any = engine.plan
        assert after.kept is not None
        if "log_estimate" not in after.diagnostics:
            return Retained([after.kept.first(plan.root)])
        return Marginal(
            [after.kept.first(plan.root)], run=replace(after, log_evidence=after.diagnostics["log_estimate"])
        )

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Marginal, list[Sweep]]:  # fmt: skip
        settings = replace(settings, particles=self.particles or settings.particles)
        now = state if isinstance(state, Marginal) else self.around(engine, state, settings, number, key.fold(AROUND))
        assert now.run is not None and now.run.log_evidence is not None
        form = self.form(engine, now.held[0], settings, key)
        walk = self.walk(form)
        z, jacobian = form.numbers(now.held[0])
        proposed = walk.step(z, key.fold(STEP).generator())
        values = form.values(proposed)
        run = self.run(engine, {**now.held[0], **values}, form, settings, number, key.fold(RUN))
        assert run.log_evidence is not None
        log_ratio = run.log_evidence + form.numbers(values)[1] - now.run.log_evidence - jacobian
        log_ratio = log_ratio if run.log_evidence > -math.inf else -math.inf
        taken = accepts(key.fold(ACCEPTANCE).generator(), log_ratio)
        if taken:
            plan: Any = engine.plan
            assert run.kept is not None
            now = Marginal([run.kept.first(plan.root)], run=run)
        if number < 0:
            walk.learn(proposed if taken else z, math.exp(min(0.0, log_ratio)))
        assert now.run is not None
        told = {**now.run.diagnostics, "accepted": int(taken), "log_estimate": now.run.log_evidence}
        return now, [replace(now.run, number=number, log_evidence=None, diagnostics=told, whole=True)]

    def around(self, engine: Engine, state: Retained, settings: Settings, number: int, key: Key) -> Marginal:
        """A run around an execution, drawn given it."""
        assert self.covers is not None
        kernel = self.conditional(self.covers, self.particles)
        retained, (sweep,) = kernel.step(engine, Retained([dict(state.held[0])]), settings, number, key)
        return Marginal(retained.held, run=sweep)

    def form(self, engine: Engine, values: Mapping[At, Any], settings: Settings, key: Key) -> Form:
        """The targets of an execution; where the structure is static, those of all."""
        is_static = engine.blocks(self.asked(settings)) is not None
        if not is_static or not self.forms:
            self.forms[:] = [self.traced(engine, values, key)]
        return self.forms[0]

    def traced(self, engine: Engine, values: Mapping[At, Any], key: Key) -> Form:
        assert self.covers is not None
        choices = engine.trace(values, key.fold(TRACE).generator()).choices  # which draws nothing
        names, kinds, found = {}, {}, {}
        plan: Any = engine.plan
        for at, choice in choices.items():
            if self.covers(at):
                name = choice.source.family.name
                free = free_of(name, choice.value) if type(choice.source) is Dist else None
                if free is None:
                    of, _ = plan.assumed.get(statement_of(plan, at), ("", False))
                    what = f"of '{of}' from {name}" if of else f"from {name}"
                    raise ModelError(f"pmmh: there is no walk for draws {what}; use pgas or lmh for them")
                names[at], kinds[at], found[at] = name, choice.source.family.measure, free
        return Form(names, kinds, found)

    def walk(self, form: Form) -> AdaptiveWalk:
        """The walk through the targets; its first steps go by a typical execution."""
        key = tuple((at, form.names[at], free.shape) for at, free in form.free.items())
        if key not in self.walks:
            starts = []
            for at, free in form.free.items():
                like = self.typical.get(at)
                fits = like is not None and np.shape(like) == free.shape
                starts.append(free.numbers(like)[0] if fits else np.zeros(free.size))
            self.walks[key] = AdaptiveWalk(list(form.free.values()), np.concatenate([np.zeros(0), *starts]))
        return self.walks[key]

    def run(
        self, engine: Engine, values: dict[At, Any], form: Form, settings: Settings, number: int, key: Key
    ) -> Sweep:
        """A run given the targets, as the sweep of a chain."""
        if not math.isfinite(form.numbers(values)[1]):  # a number that has become 0 or 1, or has no end
            return lost(settings, number)
        # What stands for a run is found by a comb, whose position goes by the chain: here it is one by chance.
        combed = replace(settings, chain=comb_of(key))
        found = self.drawn(engine, values, form, combed, number, key)
        assert found.log_evidence is not None
        return replace(chosen(found, key) if found.log_evidence > -math.inf else found, chain=settings.chain)

    def drawn(
        self, engine: Engine, values: dict[At, Any], form: Form, settings: Settings, number: int, key: Key
    ) -> Sweep:
        blocks = engine.blocks(self.asked(settings))
        if blocks is not None:
            blocks.hold(values)
            done, block = blocks.run(settings.chain, number, 1, key, None, 0, report=True, predict=True)
            if done and block is not None:
                return block[0]
            engine = blocks.below
        assert self.covers is not None
        held = OfFamilies(self.covers, {at: values[at] for at in form.names}, form.kinds, names=form.names)
        try:
            found = independent(engine.with_held(key, settings.particles, held), settings, number)
        except Impossible:
            found = lost(settings, number)
        if self.alone and held.missed:
            raise ModelError(
                "pmmh: executions differ in what it moves, and it would never go from one kind to another; add a part "
                "that does, as in 'pmmh + lmh', or give it targets that are drawn in every execution"
            )
        return found

    def asked(self, settings: Settings) -> Asked:
        """What is asked of an engine that does whole runs."""
        sweeps = settings.sweeps + settings.burn_in
        return Asked(Mode(), settings.particles, sweeps, settings.resampling, settings.ess_threshold, self.covers)

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None
