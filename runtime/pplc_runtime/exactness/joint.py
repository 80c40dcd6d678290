"""The joint test: an execution and its data, moved by a method, have the law that they had.

J. Geweke 2004, "Getting it right: joint distribution tests of posterior simulators". An execution with its data is
drawn from the program; given the data it is an exact draw from the posterior. A method that leaves the posterior
invariant is applied to it, and where the data do not reach later draws they are drawn anew given the execution, again
and again.
The pair has the law of the program all along. Whether it has is seen by comparison with further draws from the
program; the repetitions are independent, so that the error rate is what it is said to be, however slowly chains mix.
(As A. Gandy and J. Scott 2020, "Unit testing for MCMC and other Monte Carlo methods", do.)

importance and smc give weighted draws, which are exact in the sense of C. Andrieu, A. Doucet and R. Holenstein 2010,
"Particle Markov chain Monte Carlo methods": as proposals of a Metropolis-Hastings chain that accepts by their
evidence. The evidence of the execution that it starts from is that of a conditional sweep around it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pplc_runtime.composed import offer_of
from pplc_runtime.composition import Composition
from pplc_runtime.engine.observed import Replaced
from pplc_runtime.exactness.simulate import Simulated, log_likelihood, redrawn, simulate
from pplc_runtime.exactness.statistics import Draw, Finding, draw_in, same_law, statistics
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.blocks import Sweeps
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.program import DEEPEST, Program

PRIOR = 2000
"""So many further draws from the program are compared with."""
_SIMULATED, _MOVED, _TIES = 1, 2, 3
"""Whom random numbers are for."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is tested: a method on a program, with its settings and the values of the inputs."""

    program: Program
    method: str | Composition
    is_chain: bool
    settings: Settings
    data: Any
    max_depth: int = DEEPEST

    def options(self) -> dict[str, Any]:
        """Its settings beside the particles, sweeps and burn-in, as they are told to a run."""
        own = {"resampling", "ess_threshold", "strict", "proposals"} & set(offer_of(self.method).own)
        return {name: getattr(self.settings, name) for name in sorted(own)}

    def simulated(self, key: Key, size: int) -> Simulated:
        """Executions and data from the program."""
        values = self.program.data(self.data)
        return self.program.once(lambda: simulate(self.program.plan(values), key, size), self.max_depth)

    def sweeps(self, data: Replaced, key: Key, count: int, start: Kept | None, method: Any = None) -> list[Sweep]:
        """Sweeps of the method with other data, from an execution on."""
        program = self.program.with_data(data)
        settings = replace(self.settings, sweeps=count, burn_in=0)
        after = [] if start is None else [Sweep(0, -1, np.zeros(1), {}, kept=start)]
        values = program.data(self.data)
        return list(Sweeps(program.chains(method or self.method, [settings], key, values, 1, self.max_depth, after)))

    def scored(self, data: Replaced, kept: Kept) -> float:
        """The log density of data given an execution."""
        plan = self.program.plan(self.program.data(self.data))
        return float(log_likelihood(plan, [kept], [(at, [value]) for at, value in data])[0])


def joint_test(subject: Subject, key: Key, size: int, rounds: int, steps: int) -> list[Finding]:
    """The test with so many executions, each moved by so many steps in each of some rounds."""
    start = subject.simulated(key.fold(_SIMULATED), size)
    rounds, steps = (rounds, steps) if start.independent else (1, rounds * steps)
    draws: list[Draw] = []
    kept: list[Kept] = []
    data: list[Replaced] = []
    for number in range(size):
        own, seen = start.kept[number], start.data(number)
        draw: Draw = draw_in(start.predicts, number)
        for turn in range(rounds):
            its = key.fold(_MOVED).fold(number * rounds + turn)
            if turn:
                seen = subject.program.once(partial(_redrawn, subject, own, its), subject.max_depth)
            draw, own = _moved(subject, seen, its, steps, draw, own)
        draws.append(draw)
        kept.append(own)
        data.append(seen)
    others = subject.simulated(key.fold(_SIMULATED).fold(1), max(PRIOR, size))
    columns = [(at, [seen[place][1] for seen in data]) for place, (at, _) in enumerate(start.columns)]
    likelihood = subject.program.once(
        lambda: log_likelihood(subject.program.plan(subject.program.data(subject.data)), kept, columns),
        subject.max_depth,
    )
    others_draws = [draw_in(others.predicts, number) for number in range(len(others.kept))]
    rng = key.fold(_TIES).generator()
    return [
        same_law("joint", each.label, each.values[:size], each.values[size:], rng)
        for each in statistics([*draws, *others_draws], np.concatenate([likelihood, others.log_likelihood]))
    ]


def _redrawn(subject: Subject, kept: Kept, key: Key) -> Replaced:
    plan = subject.program.plan(subject.program.data(subject.data))
    return redrawn(plan, kept, key.fold(1))


def _moved(subject: Subject, data: Replaced, key: Key, steps: int, draw: Draw, kept: Kept) -> tuple[Draw, Kept]:
    """An execution after some steps of the method with the data."""
    if subject.is_chain:
        last = subject.sweeps(data, key, steps, kept)[-1]
        assert last.kept is not None
        return draw_in(last.predicts, int(last.kept.particles[0])), last.kept
    rng = key.fold(2).generator()
    evidence = _conditional_evidence(subject, data, key.fold(3), kept)
    for sweep in subject.sweeps(data, key, steps, None):
        assert sweep.kept is not None and sweep.log_evidence is not None
        if not len(sweep.kept.particles) or not np.log(rng.random()) < sweep.log_evidence - evidence:
            continue
        evidence = sweep.log_evidence
        place = int(rng.integers(len(sweep.kept.particles)))
        draw, kept = draw_in(sweep.predicts, int(sweep.kept.particles[place])), sweep.kept.one(place)
    return draw, kept


def _conditional_evidence(subject: Subject, data: Replaced, key: Key, kept: Kept) -> float:
    """The estimate of the evidence by a sweep that has an execution among its particles."""
    if subject.method == "smc":
        found = subject.sweeps(data, key, 1, kept, "icsmc")[0].log_evidence
        assert found is not None
        return found
    size = subject.settings.particles
    own = subject.program.once(lambda: subject.scored(data, kept), subject.max_depth)
    if size == 1:
        return own
    others = Subject(
        subject.program, subject.method, False, replace(subject.settings, particles=size - 1), subject.data
    )
    among = others.sweeps(data, key, 1, None)[0].log_evidence
    assert among is not None
    return float(np.logaddexp(own, among + np.log(size - 1)) - np.log(size))
