"""Exact posteriors of small discrete models by running a Python twin of the program once for every execution.

A twin is a plain function `twin(choose, observe)` that returns its predicts, label to value:

    def twin(choose, observe):
        a = choose(flip(0.3))
        observe(0.9 if a else 0.2)
        return {"a": a}

    enumerate_posterior(twin) == (0.41, {"a": {True: 0.27 / 0.41, False: 0.14 / 0.41}})

`choose` takes the outcomes of one draw with their probabilities, `observe` a likelihood. Nothing here knows
of particles, traces or the compiler: executions are found depth first, by replaying a prefix of choices.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

T = TypeVar("T")
Outcomes: TypeAlias = Sequence[tuple[T, float]]
Value: TypeAlias = bool | int | float | str | tuple["Value", ...]
Predicts: TypeAlias = Mapping[str, Value]
Joint: TypeAlias = dict[tuple[tuple[str, Value], ...], float]
Marginals: TypeAlias = dict[str, dict[Value, float]]


class Choose(Protocol):
    """Draws one of the outcomes."""

    def __call__(self, outcomes: Outcomes[T], /) -> T: ...


Observe: TypeAlias = Callable[[float], None]
Twin: TypeAlias = Callable[[Choose, Observe], Predicts]


class Impossible(Exception):
    """The execution has weight zero and ends there."""


class _Execution:
    """One run that follows `prefix` and takes the first outcome of every choice after it."""

    def __init__(self, prefix: Sequence[int]) -> None:
        self.prefix = prefix
        self.path: list[int] = []
        self.branches: list[list[int]] = []
        self.weight = 1.0

    def choose(self, outcomes: Outcomes[T]) -> T:
        possible = [(value, p) for value, p in outcomes if p > 0.0]
        position = len(self.path)
        if position < len(self.prefix):
            chosen = self.prefix[position]
        else:
            chosen = 0
            self.branches += [[*self.path, other] for other in range(1, len(possible))]
        self.path.append(chosen)
        value, probability = possible[chosen]
        self.weight *= probability
        return value

    def observe(self, likelihood: float) -> None:
        self.weight *= likelihood
        if likelihood == 0.0:
            raise Impossible


def enumerate_joint(twin: Twin) -> tuple[float, Joint]:
    """The evidence, and the posterior probability of every combination of predicts."""
    mass: defaultdict[tuple[tuple[str, Value], ...], float] = defaultdict(float)
    pending: list[list[int]] = [[]]
    while pending:
        execution = _Execution(pending.pop())
        try:
            predicts = twin(execution.choose, execution.observe)
        except Impossible:
            pass
        else:
            mass[tuple(predicts.items())] += execution.weight
        pending += execution.branches
    evidence = math.fsum(mass.values())
    return evidence, {outcome: weight / evidence for outcome, weight in mass.items()}


def enumerate_posterior(twin: Twin) -> tuple[float, Marginals]:
    """The evidence, and for every predict the posterior probability of every value."""
    evidence, joint = enumerate_joint(twin)
    marginals: defaultdict[str, defaultdict[Value, float]] = defaultdict(lambda: defaultdict(float))
    for outcome, probability in joint.items():
        for label, value in outcome:
            marginals[label][value] += probability
    return evidence, {label: dict(values) for label, values in marginals.items()}


def sample_posterior(twin: Twin, runs: int, seed: int) -> tuple[float, Marginals]:
    """The same by likelihood weighting: a check that shares nothing with the enumeration but the twin."""
    rng = np.random.default_rng(seed)
    weights: list[float] = []
    mass: defaultdict[str, defaultdict[Value, float]] = defaultdict(lambda: defaultdict(float))

    def choose(outcomes: Outcomes[T]) -> T:
        probabilities = np.array([p for _, p in outcomes])
        # A cumulative sum and one uniform: much faster than Generator.choice on a few outcomes.
        chosen = int(np.searchsorted(np.cumsum(probabilities), rng.random(), side="right"))
        return outcomes[min(chosen, len(outcomes) - 1)][0]

    for _ in range(runs):
        likelihoods: list[float] = []

        def observe(likelihood: float, seen: list[float] = likelihoods) -> None:
            seen.append(likelihood)
            if likelihood == 0.0:
                raise Impossible

        try:
            predicts = twin(choose, observe)
        except Impossible:
            continue
        weights.append(math.prod(likelihoods))
        for label, value in predicts.items():
            mass[label][value] += weights[-1]
    total = math.fsum(weights)
    return total / runs, {
        label: {value: weight / total for value, weight in values.items()} for label, values in mass.items()
    }


def means(marginals: Marginals) -> dict[str, float]:
    """The posterior mean of every predict that is a number or a boolean."""
    return {
        label: math.fsum(float(value) * p for value, p in values.items() if isinstance(value, (int, float)))
        for label, values in marginals.items()
        if all(isinstance(value, (int, float)) for value in values)
    }


# --- outcomes and likelihoods, in the language's parametrisation ---


def flip(p: float) -> list[tuple[bool, float]]:
    return [(True, p), (False, 1.0 - p)]


def discrete(weights: Sequence[float]) -> list[tuple[int, float]]:
    """An index, with probability proportional to its weight."""
    total = math.fsum(weights)
    return [(index, weight / total) for index, weight in enumerate(weights)]


def uniform_discrete(low: int, high: int) -> list[tuple[int, float]]:
    return [(value, 1.0 / (high - low)) for value in range(low, high)]


def binomial(n: int, p: float) -> list[tuple[int, float]]:
    return [(k, math.comb(n, k) * p**k * (1.0 - p) ** (n - k)) for k in range(n + 1)]


def flip_mass(p: float, value: bool) -> float:
    return p if value else 1.0 - p


def poisson_mass(rate: float, k: int) -> float:
    return math.exp(k * math.log(rate) - rate - math.lgamma(k + 1))


def normal_density(x: float, mean: float, sd: float) -> float:
    return math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2.0 * math.pi))


def memo(procedure: Callable[..., T]) -> Callable[..., T]:
    """mem: one entry for each tuple of arguments; true and 1 are two keys, 1 and 1.0 are one."""
    entries: dict[Hashable, T] = {}

    def call(*arguments: Hashable) -> T:
        key = tuple((isinstance(argument, bool), argument) for argument in arguments)
        if key not in entries:
            entries[key] = procedure(*arguments)
        return entries[key]

    return call


# --- exchangeable processes: the next draw given those seated so far ---


class Crp:
    """Chinese restaurant process; labels are 0, 1, 2, ... in the order in which they first appear."""

    def __init__(self, alpha: float, discount: float = 0.0) -> None:
        self.alpha = alpha
        self.discount = discount
        self.counts: list[int] = []

    def outcomes(self) -> list[tuple[int, float]]:
        if not self.counts:
            return [(0, 1.0)]
        return discrete([*(c - self.discount for c in self.counts), self.alpha + self.discount * len(self.counts)])

    def seat(self, label: int) -> None:
        if label == len(self.counts):
            self.counts.append(0)
        self.counts[label] += 1

    def sample(self, choose: Choose) -> int:
        label = choose(self.outcomes())
        self.seat(label)
        return label

    def observe(self, observe: Observe, label: int) -> None:
        observe(dict(self.outcomes()).get(label, 0.0))
        self.seat(label)


class PolyaUrn:
    """A Dirichlet-multinomial on indices: `weights` are the initial counts."""

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = list(weights)

    def sample(self, choose: Choose) -> int:
        index = choose(discrete(self.weights))
        self.weights[index] += 1.0
        return index

    def observe(self, observe: Observe, index: int) -> None:
        observe(discrete(self.weights)[index][1])
        self.weights[index] += 1.0


class BetaFlip:
    """A coin whose bias has a beta(a, b) prior, integrated out."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b

    def _seat(self, value: bool) -> None:
        self.a, self.b = (self.a + 1.0, self.b) if value else (self.a, self.b + 1.0)

    def sample(self, choose: Choose) -> bool:
        value = choose(flip(self.a / (self.a + self.b)))
        self._seat(value)
        return value

    def observe(self, observe: Observe, value: bool) -> None:
        observe(flip_mass(self.a / (self.a + self.b), value))
        self._seat(value)
