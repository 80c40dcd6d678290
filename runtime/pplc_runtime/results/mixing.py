"""How a conditional sampler moves: what was renewed, where lineages meet, and which line keeps a run stuck.

For every generation (the segment up to one observe): the share of sweeps in which the values that the retained
particle drew there were renewed, and how many distinct ancestors the final particles have there. For pgas also
how often the retained particle took another ancestor, how many candidates were dropped because the suffix does not
fit them, at which line, and the replays a sweep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.ancestry import NO_OUTLINE, Outline, Weakest
from pplc_runtime.results.degeneracy import ALONE, worst_observe
from pplc_runtime.results.sweeps import Sweep

STUCK = 0.02
"""A generation that is renewed in fewer sweeps than this share is stuck."""
MANY_DROPPED = 0.5


@dataclass(frozen=True, slots=True)
class Mixing:
    """What the sweeps of a chain did to the retained particle."""

    renewed: NDArray[np.float64]
    """By generation: the share of sweeps that renewed what the retained particle drew there."""
    ancestors: NDArray[np.float64]
    """By generation: the mean number of distinct ancestors of the final particles."""
    moved: float | None
    """pgas: the share of boundaries at which the retained particle took another ancestor."""
    dropped: dict[int, float]
    """pgas: the share of candidate ancestors that the suffix did not fit, by the line where that showed."""
    replays: float | None
    """pgas: segments replayed in a sweep."""

    particles: int = 0
    outline: Outline = NO_OUTLINE
    weakest: Weakest | None = None
    """In a typical sweep: the observe after which the fewest particles count."""

    def sentences(self) -> list[str]:
        """What is wrong, and what to do about it; nothing if all is well."""
        if not len(self.renewed) or self.renewed.min() >= STUCK:
            return []
        worst = int(self.renewed.argmin())
        said = (
            f"note: stuck: what is drawn before {self.outline.observe(worst)} was renewed in "
            f"{100 * self.renewed[worst]:.1f}% of the sweeps"
        )
        line, share = max(self.dropped.items(), key=lambda item: item[1], default=(0, 0.0))
        if share >= MANY_DROPPED:
            return [f"{said}; line {line} keeps it: {100 * share:.0f}% of the ancestors fail there"]
        if worst == 0 and self.outline.first is not None:
            return [said, *self.before_the_first_observe()]
        return [f"{said}; use more particles{', or pgas' if self.moved is None else ''}"]

    @property
    def is_alone(self) -> bool:
        """Whether hardly a particle fits the first observe beside the retained one."""
        weakest = self.weakest
        return weakest is not None and weakest.generation == 0 and weakest.effective < ALONE < self.particles

    def before_the_first_observe(self) -> list[str]:
        """Why what is drawn there stays as it is, and what would help."""
        if not self.outline.is_observed(0):
            return []  # there is none
        count = sum(line > 0 for line in self.outline.observes)
        fits = "the observe" if count == 1 else f"all {count} observes"
        said = [
            f"note: line {self.outline.first} draws before the first observe: such a value is renewed only where a "
            f"fresh one from the prior fits {fits}"
        ]
        if self.is_alone and self.weakest is not None:
            said.append(
                f"note: {worst_observe(self.outline, self.weakest, self.particles)}; a narrower prior helps, a few "
                "more particles do not"
            )
        else:
            said[0] += "; use a narrower prior, or many more particles (smc shows by its effective draws how many)"
        return said


def _by_generation(rows: list[list[float]]) -> NDArray[np.float64]:
    """The means over sweeps, generation by generation: those of the sweeps that had so many."""
    if len({len(row) for row in rows}) <= 1:
        return np.atleast_1d(np.mean(rows, axis=0, dtype=float))
    longest = max(map(len, rows))
    return np.array([np.mean([row[number] for row in rows if number < len(row)]) for number in range(longest)])


def mixing_of(sweeps: Sequence[Sweep]) -> Mixing | None:
    """The mixing of conditional sweeps; None for methods that retain no particle."""
    told: list[Any] = [sweep.diagnostics for sweep in sweeps if "renewed" in sweep.diagnostics]
    if not told:
        return None
    renewed = _by_generation([d["renewed"] for d in told])
    ancestors = _by_generation([d["ancestors"] for d in told if "ancestors" in d])
    watched = sorted((d for d in told if d.get("weakest")), key=lambda d: d["weakest"].effective)
    typical = watched[len(watched) // 2] if watched else {}
    outline, weakest = typical.get("outline", NO_OUTLINE), typical.get("weakest")
    particles = sweeps[0].log_weights.size
    if "moved" not in told[0]:
        return Mixing(renewed, ancestors, None, {}, None, particles, outline, weakest)
    dropped: Counter[int] = Counter()
    for d in told:
        for (line, _), number in d["dropped"].items():
            dropped[line] += number
    candidates = max(1, sum(d["candidates"] for d in told))
    return Mixing(
        renewed,
        ancestors,
        float(np.mean([d["moved"] for d in told])),
        {line: number / candidates for line, number in sorted(dropped.items())},
        float(np.mean([d["replays"] for d in told])),
        particles,
        outline,
        weakest,
    )
