"""Rejection: exact, independent draws from the posterior, where what is observed has a probability.

The program is run from the prior, and at each observe goes on with the probability of what is observed; an execution
that comes to the end is a draw from the posterior (J. von Neumann 1951, "Various techniques used in connection with
random digits"). The runs are counted until N have come to the end. If that took T of them, (N - 1) / (T - 1) is an
unbiased estimate of the evidence (J. Haldane 1945, "On a method of estimating frequencies").
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.engine.unweighted import Bounded
from pplc_runtime.inference.base import Engine, Floats, Settings
from pplc_runtime.inference.independent import Stateless
from pplc_runtime.lanes.frames import Index
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.columns import column_of, values_of
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError

MOST_TRIES: Final = 1_000_000
"""Of a sweep."""
AT_ONCE: Final = 10_000


class Rejection(Stateless):
    """Independent sweeps of so many draws as there are particles."""

    def step(
        self, engine: Engine, state: None, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[None, list[Sweep]]:  # fmt: skip
        plan: Any = engine.plan
        wanted = settings.particles + 1  # one more than are reported, so that N is at least 2
        tries = found = 0
        parts: list[dict[str, list[Any]]] = []
        while found < wanted:
            if tries >= MOST_TRIES:
                raise ModelError(
                    f"rejection: of {tries} executions {found} were accepted, and {wanted} are wanted; "
                    "use fewer --particles, or another method"
                )
            size = min(AT_ONCE, max(100, wanted), MOST_TRIES - tries)
            particles, accepted = attempt(plan, key.fold(tries), size)
            accepted = accepted[: wanted - found]
            if len(accepted):
                columns = particles.predicts() if report else {}
                parts.append({label: values_of(column)[: len(accepted)] for label, column in columns.items()})
            found += len(accepted)
            tries += size if found < wanted else int(accepted[-1]) + 1
        log_evidence = float(np.log(wanted - 1) - np.log(tries - 1)) if tries > 1 else 0.0
        log_weights = np.full(settings.particles, log_evidence - np.log(settings.particles))
        drawn = {label: [value for part in parts for value in part[label]] for label in parts[0]}
        predicts = {label: column_of(values[: settings.particles]) for label, values in drawn.items()}
        told = {"evidence_variance": (1.0 - wanted / tries) / wanted}
        return None, [Sweep(settings.chain, number, log_weights, predicts, log_evidence, told)]


def attempt(plan: Plan, key: Key, size: int) -> tuple[Particles, Index]:
    """So many runs: the particles that have come to the end, and their places among the runs."""
    particles = Particles(plan, key, size, handler=Bounded)
    rng = key.fold(1).generator()
    places: Index = np.arange(size)
    for segment in particles.segments:
        particles.extend(segment)
        alive = np.flatnonzero(is_accepted(rng, particles.log_weights))
        places = places[alive]
        if not len(alive):
            break
        particles.fork(alive)
    return particles, places


def is_accepted(rng: np.random.Generator, log_probabilities: Floats) -> Any:
    """By chance, which of some executions are accepted."""
    return np.log1p(-rng.random(len(log_probabilities))) <= log_probabilities
