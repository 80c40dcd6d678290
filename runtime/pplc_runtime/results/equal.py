"""Equally weighted draws by chain and sweep, and what their particles say of the observes.

Of a chain they are the retained particles, one a sweep: each is chosen with probability proportional to its weight, so
that it has the posterior as its law whenever the sweep has. Sweeps of importance and smc count by their estimates of
the evidence: what stands for each of them is drawn once more by that, by systematic resampling, and is one row of
draws. An average over the draws has the weighted average as its expectation, given the particles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.blocks import Some
from pplc_runtime.results.columns import joined
from pplc_runtime.results.evidence import estimate_of
from pplc_runtime.results.kept import MOST_PARTICLES, Kept, Places, equal_places, systematic
from pplc_runtime.results.observes import Observes
from pplc_runtime.results.sweeps import Column, Sweep

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from pplc_runtime.results.journal import Journal
    from pplc_runtime.results.posterior import Posterior
    from pplc_runtime.results.report import Facts


class Again(Protocol):
    """The run that draws come from: what can be done with it once more."""

    def observes(self, kept: Sequence[Kept]) -> Observes:
        """The observes of particles that are run again."""

    def anew(self, kept: Sequence[Kept], seed: int) -> tuple[Observes, list[Column]]:
        """The same, and the observes drawn anew."""

    def facts(self) -> Facts:
        """What a report tells of the model."""

    def more(
        self,
        posterior: Posterior,
        sweeps: int,
        on_sweeps: Callable[[Some], None],
        progress: bool,
        executor: Executor | None = ...,
        journal: Journal | None = ...,
    ) -> None:
        """Further sweeps of all chains, with a progress bar if asked for."""


@dataclass(frozen=True)
class EqualDraws:
    """The particles that the draws are of, by chain and draw."""

    all_sweeps: Sequence[Sweep]
    sweeps: Places
    """The place of each draw's sweep in the list of sweeps."""
    slots: Places
    """Which it is of those that stand for the sweep."""
    standing: list[Places]
    """The particles that stand for each sweep."""

    @classmethod
    def of(cls, posterior: Posterior) -> EqualDraws:
        """The draws of a posterior."""
        sweeps, is_chain = posterior.sweeps, posterior.is_chain
        standing = [
            equal_places(s.log_weights, s.chain, s.number, is_chain) if s.kept is None else s.kept.particles
            for s in sweeps
        ]
        if is_chain:
            rows = _of_chains(sweeps)
            return cls(sweeps, rows, np.zeros_like(rows), standing)
        counts = [len(own) for own in standing]
        place = np.repeat(np.arange(len(sweeps)), counts)
        slot = np.concatenate([np.arange(count) for count in counts] or [np.empty(0, np.intp)])
        chosen = np.empty(0, np.intp)
        if len(place):
            logs = np.array([estimate_of(sweep).log for sweep in sweeps])
            weights = np.exp(logs - logs.max()) / np.maximum(counts, 1)
            chosen = systematic(weights[place], len(place), len(place))
        return cls(sweeps, place[chosen][None], slot[chosen].astype(np.intp)[None], standing)

    @property
    def shape(self) -> tuple[int, int]:
        """How many chains, and how many draws of each."""
        return self.sweeps.shape[0], self.sweeps.shape[1]

    @cached_property
    def particles(self) -> Places:
        """The place of each draw among the particles of its sweep."""
        pairs = zip(self.sweeps.ravel().tolist(), self.slots.ravel().tolist())
        return np.array([self.standing[s][slot] for s, slot in pairs], np.intp).reshape(self.shape)

    def column(self, label: str) -> NDArray[Any]:
        """The draws of a predict, by chain and draw; values that are no numbers as objects."""
        parts: list[Column] = []
        for place, particle in zip(self.sweeps.ravel().tolist(), self.particles.ravel().tolist()):
            column = self.all_sweeps[place].predicts[label]
            own = slice(particle, particle + 1)
            parts.append(column[own] if isinstance(column, list) else column[..., own])
        return self.arranged(joined(parts))

    def arranged(self, values: Any) -> NDArray[Any]:
        """Values one a draw, by chain and draw."""
        if not isinstance(values, np.ndarray):
            held = np.empty(len(values), object)
            held[:] = values
            values = held
        arranged: NDArray[Any] = values.reshape(*self.shape, *values.shape[1:])
        return arranged

    def again(self) -> tuple[list[Kept], Places]:
        """What is to be run again, and which of its lanes the draws are."""
        used = np.unique(self.sweeps)
        kept = [self.all_sweeps[place].kept for place in used.tolist()]
        if any(own is None for own in kept) or not kept:
            raise ValueError(
                "the particles of this run were not kept, so that they cannot be run again: they are for runs of "
                f"at most {MOST_PARTICLES} particles by the engine lanes, and not in files of draws"
            )
        found = [own for own in kept if own is not None]
        starts = np.cumsum([0, *(len(own.particles) for own in found)])
        return found, (starts[np.searchsorted(used, self.sweeps)] + self.slots).ravel()


def _of_chains(sweeps: Sequence[Sweep]) -> Places:
    """The places of the sweeps of each chain; as chains of one length, which after an interrupt they may not be."""
    by_chain: dict[int, list[int]] = {}
    for place, sweep in enumerate(sweeps):
        by_chain.setdefault(sweep.chain, []).append(place)
    longest = max(map(len, by_chain.values()), default=0)
    chains = [places for places in by_chain.values() if 2 * len(places) >= longest]
    length = min(map(len, chains), default=0)
    return np.array([places[len(places) - length :] for places in chains], np.intp).reshape(len(chains), length)


@dataclass(frozen=True, slots=True)
class Named:
    """An observe, or all of them, under one name: values by chain and draw, and by observe."""

    name: str
    lines: tuple[int, ...]
    drawn: NDArray[Any]
    seen: NDArray[Any] | None
    """What was observed, where it is not random."""


def named_observes(draws: EqualDraws, observes: Observes, columns: list[Column], lanes: Places) -> Iterator[Named]:
    """The observes drawn anew: all under one name if their values are of one kind and shape, else line by line."""
    taken = []
    for column in columns:
        own = [column[lane] for lane in lanes] if isinstance(column, list) else column[..., lanes]
        taken.append(draws.arranged(joined([own])))
    kinds = [(array.shape, "n" if array.dtype.kind in "iuf" else array.dtype.kind) for array in taken]
    for name, numbers in _groups(observes.lines, kinds):
        values = [observes.values[number] for number in numbers]
        seen = None if any(value is None for value in values) else _array(values)
        yield Named(
            name, tuple(observes.lines[n] for n in numbers), np.stack([taken[n] for n in numbers], axis=2), seen
        )


def _groups(lines: Sequence[int], kinds: Sequence[Any]) -> Iterator[tuple[str, list[int]]]:
    if len(set(kinds)) <= 1:
        if kinds:
            yield "observe", list(range(len(kinds)))
        return
    by_line: dict[int, list[int]] = {}
    for number, line in enumerate(lines):
        by_line.setdefault(line, []).append(number)
    for line, numbers in by_line.items():
        if len({kinds[number] for number in numbers}) == 1:
            yield f"observe, line {line}", numbers
        else:
            yield from ((f"observe, line {line}#{nth}", [number]) for nth, number in enumerate(numbers, 1))


def _array(values: list[Any]) -> NDArray[Any]:
    """Values one an observe: an array of numbers or booleans where they are that, else of objects."""
    found = joined([list(values)])
    if isinstance(found, np.ndarray):
        return found
    held = np.empty(len(values), object)
    held[:] = values
    return held
