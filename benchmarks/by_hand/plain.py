"""One particle at a time in plain Python: icsmc for NLSS and smc for the CRP mixture."""

from __future__ import annotations

import math
from bisect import bisect
from itertools import accumulate
from random import Random

LOG_ROOT = 0.5 * math.log(2 * math.pi)
START, PROCESS = math.sqrt(5.0), math.sqrt(10.0)


def _weighed(log_weights: list[float]) -> tuple[list[float], float]:
    """Cumulative weights, and the log of their mean."""
    top = max(log_weights)
    cumulative = list(accumulate([math.exp(w - top) for w in log_weights]))
    return cumulative, top + math.log(cumulative[-1] / len(log_weights))


def nlss_start(y: list[float], rng: Random) -> list[float]:
    path = [rng.gauss(0.0, START)]
    for t in range(1, len(y) + 1):
        x = path[-1]
        path.append(x / 2 + 25 * x / (1 + x * x) + 8 * math.cos(1.2 * t) + rng.gauss(0.0, PROCESS))
    return path


def nlss_icsmc(y: list[float], n: int, rng: Random, old: list[float]) -> tuple[float, list[float]]:
    """The log evidence that the weights estimate, and the path to retain next."""
    gauss, random = rng.gauss, rng.random
    xs = [old[0], *(gauss(0.0, START) for _ in range(n - 1))]
    generations: list[tuple[list[float], list[int]]] = [(xs, [])]
    log_evidence, ancestors, cumulative = 0.0, list(range(n)), [0.0]
    for t, seen in enumerate(y, 1):
        if t > 1:
            total = cumulative[-1]
            ancestors = [0, *(bisect(cumulative, random() * total) for _ in range(n - 1))]
        shift = 8 * math.cos(1.2 * t)
        moved = [old[t]]
        for a in ancestors[1:]:
            x = xs[a]
            moved.append(x / 2 + 25 * x / (1 + x * x) + shift + gauss(0.0, PROCESS))
        xs = moved
        generations.append((xs, ancestors))
        cumulative, log_mean = _weighed([-0.5 * (x * x / 20 - seen) ** 2 - LOG_ROOT for x in xs])
        log_evidence += log_mean
    lane = bisect(cumulative, random() * cumulative[-1])
    path = []
    for values, before in reversed(generations):
        path.append(values[lane])
        if before:
            lane = before[lane]
    return log_evidence, path[::-1]


Particle = tuple[list[int], list[float], tuple]


def crp_smc(y: list[float], n: int, rng: Random, prior_sd: float = 3.0) -> tuple[float, list[Particle]]:
    """The log evidence and the particles: counts and means of the classes, and labels, the last one first."""
    gauss, random = rng.gauss, rng.random
    particles: list[Particle] = [([], [], ())] * n
    log_evidence = 0.0
    for i, seen in enumerate(y):
        log_weights, moved = [], []
        for counts, means, labels in particles:
            point = random() * (i + 1.0)
            for label, count in enumerate(counts):
                point -= count
                if point < 0.0:
                    counts = counts.copy()
                    counts[label] += 1
                    break
            else:
                label = len(counts)
                counts = [*counts, 1]
                means = [*means, gauss(0.0, prior_sd)]
            moved.append((counts, means, (label, labels)))
            log_weights.append(-0.5 * (means[label] - seen) ** 2 - LOG_ROOT)
        cumulative, log_mean = _weighed(log_weights)
        log_evidence += log_mean
        if i + 1 < len(y):
            total = cumulative[-1]
            moved = [moved[bisect(cumulative, random() * total)] for _ in range(n)]
        particles = moved
    return log_evidence, particles
