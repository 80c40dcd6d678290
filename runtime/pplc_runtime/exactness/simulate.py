"""Simulate: executions and data from the joint law of a program, in which what is observed is drawn as well.

Given the data, each execution is an exact draw from the posterior. That needs no method, so it is what methods are
tested by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.weighting import Factor
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.observed import Replaced
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Mix, per_lane
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.stochastic import Derived, Dirac, Dist
from pplc_runtime.regeneration.kept_runs import KeptRuns
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import ModelError

WEIGHTS = "factor and condition weigh executions by what is no data, so that data cannot be simulated"
SOMETIMES = "which observes are made depends on what is drawn, so that data cannot be simulated"


class NotSimulated(ModelError):
    """Data of a program cannot be simulated."""


class Simulator(Forward):
    """Draws every sample, and every observe."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.data: dict[At, Any] = {}
        self.independent = True
        """Whether each observe is drawn from a distribution, and not from a process that remembers it."""

    def score(self, at: At, source: Any, value: Any) -> Any:
        self.simulated(at, source)
        return 0.0

    def observe(self, at: At, source: Any, value: Any) -> Any:
        self.independent = False  # what it gives back may decide what is drawn later
        return self.simulated(at, source)

    def simulated(self, at: At, source: Any) -> Any:
        """A value for an observe. It is no choice of the execution, so nobody remembers it as one."""
        if type(at) is Addresses or here.frame.to_top is not None:
            raise NotSimulated(SOMETIMES)
        options = source.options if type(source) is Mix else [source]
        if any(isinstance(option, Dist) and isinstance(option.family, Factor) for option in options):
            raise NotSimulated(WEIGHTS)
        if not all(isinstance(option, Dist | Dirac | Derived) for option in options):
            self.independent = False
        remembered, self.draws = self.draws, None
        value = self.data[at] = self.sample(at, source)
        self.draws = remembered
        return value


class _Redrawing(KeptRuns):
    """Runs an execution again, with its observes drawn anew."""

    def __init__(self, plan: Plan, kept: Kept, rng: np.random.Generator) -> None:
        self.anew_by = rng
        self.data: list[tuple[At, Any]] = []
        super().__init__(plan, [kept])

    def observe(self, at: At, source: Any, value: Any) -> Any:
        value = Forward(Stream(self.anew_by), self.store).sample(at, source)
        self.data.append((at, value))
        return value


def redrawn(plan: Plan, kept: Kept, key: Key) -> Replaced:
    """The data of an execution drawn anew, where they are independent of what is drawn after them."""
    return _Redrawing(plan, kept, key.generator()).data


@dataclass(frozen=True, slots=True)
class Simulated:
    """Executions with their data."""

    predicts: dict[str, Column]
    kept: list[Kept]
    """What each execution drew."""
    columns: tuple[tuple[At, list[Any]], ...]
    """The observes in the order of the program, with a value for each execution."""
    log_likelihood: NDArray[np.float64]
    independent: bool
    """Whether the data are independent of what is drawn after them, so that they can be drawn anew given the rest."""

    def data(self, number: int) -> Replaced:
        """The data of one execution."""
        return tuple((at, values[number]) for at, values in self.columns)


def simulate(plan: Plan, key: Key, size: int) -> Simulated:
    """So many executions and their data."""
    plan = plan.without_scripts()
    particles = Particles(plan, key, max(2, size), remember=True, handler=Simulator)
    simulator = particles.handler
    assert isinstance(simulator, Simulator)
    for segment in plan.segments:
        particles.extend(segment)
    frame = particles.frame
    predicts = {label: _cut(column, size) for label, column in particles.predicts().items()}
    columns = tuple((at, per_lane(value, frame)[:size]) for at, value in simulator.data.items())
    kept = [particles.drawn_by(np.array([lane])) for lane in range(size)]
    found = [own for own in kept if own is not None]
    return Simulated(predicts, found, columns, log_likelihood(plan, found, columns), simulator.independent)


def log_likelihood(plan: Plan, kept: Sequence[Kept], columns: Sequence[tuple[At, list[Any]]]) -> NDArray[np.float64]:
    """The log density of the data given each of some executions, which have data of their own."""
    total: NDArray[np.float64] = KeptRuns(plan, kept, columns).observes().log_likelihood.sum(1)
    return total


def _cut(column: Column, size: int) -> Column:
    return column[:size] if isinstance(column, list) else column[..., :size]
