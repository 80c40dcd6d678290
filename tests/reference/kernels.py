"""The exact transition kernel of a sampler: a sweep is run once for every way that chance may go.

The engine asks a `Random` for choices and indices. This one enumerates them, depth first, so that the law of
what a sweep retains comes out exactly, and invariance of the posterior can be asserted to rounding error.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.reference.draws import Random, States, log_density
from pplc_runtime.reference.environment import Draw
from pplc_runtime.reference.execution import Particle, Plan, extend, start
from pplc_runtime.reference.methods import Settings, conditional, one_lane
from pplc_runtime.values import key_of

T = TypeVar("T")
Trajectory: TypeAlias = Hashable
Law: TypeAlias = dict[Trajectory, float]


class Enumerating(Random):
    """One run: follows a path of decisions, and takes the first possibility after its end."""

    def __init__(self, path: list[int]) -> None:
        super().__init__(np.random.default_rng(0))
        self.path = path
        self.taken: list[int] = []
        self.others: list[list[int]] = []
        self.probability = 1.0

    def fold(self, number: int) -> Enumerating:
        """As a key is folded: decisions come one after the other."""
        return self

    def generator(self) -> Enumerating:
        return self

    def decide(self, weights: list[float]) -> int:
        possible = [i for i, weight in enumerate(weights) if weight > 0.0]
        place = len(self.taken)
        if place < len(self.path):
            chosen = self.path[place]
        else:
            chosen = 0
            self.others += [[*self.taken, other] for other in range(1, len(possible))]
        self.taken.append(chosen)
        self.probability *= weights[possible[chosen]] / math.fsum(weights)
        return possible[chosen]

    def choice(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        values: list[Any] = [True, False] if source.family.value_kind == "boolean" else list(range(8))
        return values[self.decide([math.exp(log_density(source, value, states)) for value in values])]

    def of_sweep(self, generation: int, purpose: int) -> Any:
        return self

    def index(self, weights: NDArray[np.float64]) -> int:
        return self.decide(weights.tolist())


def every_run(work: Callable[[Enumerating], T]) -> list[tuple[T, float]]:
    """What some work comes to, for every way that chance may go, with its probability."""
    results = []
    pending: list[list[int]] = [[]]
    with one_lane():
        while pending:
            random = Enumerating(pending.pop())
            results.append((work(random), random.probability))
            pending += random.others
    return results


def trajectory(particle: Particle) -> Trajectory:
    """What a particle has drawn, by address."""
    return frozenset((alpha.path(), key_of(choice.value)) for alpha, choice in particle.choices().items())


def executions(run: Plan) -> list[tuple[Particle, float]]:
    """All complete executions, each with its probability times its weight."""

    def forward(random: Enumerating) -> Particle:
        particle = start(run)
        for segment in run.segments:
            extend(particle, segment, Draw(random))
            if particle.log_weight == -math.inf:
                break
        return particle

    found = [(p, prior * math.exp(sum(g.log_weight for g in p.generations))) for p, prior in every_run(forward)]
    return [(particle, weight) for particle, weight in found if weight > 0.0]


def posterior(run: Plan) -> dict[Trajectory, tuple[Particle, float]]:
    """All complete executions with their posterior probabilities."""
    found = {trajectory(particle): (particle, weight) for particle, weight in executions(run)}
    total = math.fsum(weight for _, weight in found.values())
    return {key: (particle, weight / total) for key, (particle, weight) in found.items()}


def after_one_sweep(run: Plan, size: int, settings: Settings) -> tuple[Law, Law]:
    """The posterior, and the law of the retained particle one sweep after a draw from it."""
    exact = posterior(run)
    after: defaultdict[Trajectory, float] = defaultdict(float)
    for particle, probability in exact.values():

        def one(random: Enumerating, retained: Particle = particle) -> Particle:
            return conditional(run, size, random, 0, retained, settings)[1]

        for chosen, transition in every_run(one):
            after[trajectory(chosen)] += probability * transition
    return {key: probability for key, (_, probability) in exact.items()}, dict(after)


def distance(one: Law, other: Law) -> float:
    """Total variation."""
    return 0.5 * math.fsum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in {*one, *other})
