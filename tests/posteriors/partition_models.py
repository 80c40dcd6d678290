"""Exact answers for Dirichlet process mixtures, by summing over all partitions of the data.

The sum runs over subsets, not over partitions: with w(B) = alpha (|B| - 1)! times the marginal likelihood of
the points in B, the total over partitions of S is f(S) = sum of w(B) f(S - B) over the blocks B that hold the
first point of S, 3^n terms in all; and P(B is a block) = w(B) f(S - B) / f(S).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from .answer import Answer, Array, from_twin, literal
from .enumeration import Choose, Crp, Observe, Predicts, memo, normal_density


def subsets(mask: int) -> Iterator[int]:
    """All subsets of a bit mask, itself and the empty one included."""
    part = mask
    while True:
        yield part
        if part == 0:
            return
        part = (part - 1) & mask


def blocks(n: int, alpha: float, log_marginal: Callable[[list[int]], float]) -> tuple[dict[int, float], float]:
    """The posterior probability of every block, as a bit mask, and the log evidence."""
    everything = (1 << n) - 1
    weight = [0.0] * (everything + 1)
    for block in range(1, everything + 1):
        members = [i for i in range(n) if block >> i & 1]
        weight[block] = alpha * math.exp(math.lgamma(len(members)) + log_marginal(members))
    total = [1.0] + [0.0] * everything
    for mask in range(1, everything + 1):
        first = mask & -mask
        total[mask] = sum(weight[rest | first] * total[mask ^ first ^ rest] for rest in subsets(mask ^ first))
    seating = math.lgamma(alpha + n) - math.lgamma(alpha)
    probability = {
        block: weight[block] * total[everything ^ block] / total[everything] for block in range(1, everything + 1)
    }
    return probability, math.log(total[everything]) - seating


class NormalBlock:
    """Points that share a mean with a N(0, prior_sd^2) prior and noise of known sd."""

    def __init__(self, y: Array, prior_sd: float, sd: float) -> None:
        self.y, self.prior, self.noise = y, prior_sd**2, sd**2

    def log_marginal(self, members: list[int]) -> float:
        y, n = self.y[members], len(members)
        precision = 1.0 / self.prior + n / self.noise
        quadratic = float((y**2).sum()) / self.noise - float(y.sum() / self.noise) ** 2 / precision
        return -0.5 * (n * math.log(2.0 * math.pi * self.noise) + math.log(self.prior * precision) + quadratic)

    def mean(self, members: list[int]) -> float:
        return float(self.y[members].sum() / self.noise) / (1.0 / self.prior + len(members) / self.noise)


def together(probability: dict[int, float], *points: int) -> float:
    """The probability that the points are in one block."""
    wanted = sum(1 << i for i in points)
    return math.fsum(p for block, p in probability.items() if block & wanted == wanted)


def infinite_mixture() -> Answer:
    y = literal("infinite_mixture", "y")
    probability, evidence = blocks(len(y), 1.0, NormalBlock(y, 1.0, 1.0).log_marginal)
    shared = {f"(= (class 0) (class {j}))": together(probability, 0, j) for j in (1, 2, 3)}
    return Answer({**shared, "classes": math.fsum(probability.values())}, evidence)


def dp_mixture() -> Answer:
    y = literal("dp_mixture", "y")
    model = NormalBlock(y, 3.0, 0.7)
    probability, evidence = blocks(len(y), 1.0, model.log_marginal)
    thetas = dict.fromkeys((0, 3, 7), 0.0)
    for block, p in probability.items():
        members = [i for i in range(len(y)) if block >> i & 1]
        for i in thetas:
            if i in members:
                thetas[i] += p * model.mean(members)
    return Answer(
        {
            **{f"(theta {i})": theta for i, theta in thetas.items()},
            "(= (theta 0) (theta 1))": together(probability, 0, 1),
            "(= (theta 3) (theta 7))": together(probability, 3, 7),
        },
        evidence,
    )


def infinite_hmm_twin(choose: Choose, observe: Observe) -> Predicts:
    """The means are integrated out: each point is observed from its state's predictive distribution."""
    dishes = Crp(1.0)
    row = memo(lambda s: Crp(1.0))
    dish = memo(lambda s, table: dishes.sample(choose))
    seen: dict[int, list[float]] = {}
    states = [dishes.sample(choose)]
    for y in literal_of_infinite_hmm():
        before = states[-1]
        states.append(dish(before, row(before).sample(choose)))
        points = seen.setdefault(states[-1], [])
        precision = 1.0 / 4.0 + len(points) / 0.64
        observe(normal_density(y, sum(points) / 0.64 / precision, math.sqrt(1.0 / precision + 0.64)))
        points.append(y)
    pairs = [(1, 2), (1, 3), (1, 5), (4, 6)]
    same: dict[str, bool] = {f"(= (state {i}) (state {j}))": states[i] == states[j] for i, j in pairs}
    return {**same, "(state 6)": states[6]}


@memo
def literal_of_infinite_hmm() -> list[float]:
    return [float(v) for v in np.asarray(literal("infinite_hmm", "y"))]


def infinite_hmm() -> Answer:
    return from_twin(infinite_hmm_twin)
