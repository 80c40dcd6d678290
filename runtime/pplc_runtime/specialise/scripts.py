"""Scripts: a specialised program as code over arrays, segment by segment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.specialise.ir import Specialised


class Failed(Exception):
    """Something out of the ordinary: the program itself has to be run."""


@dataclass(frozen=True, slots=True)
class Script:
    """One segment; what it reads and writes is told where the specialised program is (`ir.Segment`)."""

    forward: Callable[..., None]
    constants: tuple[Any, ...]
    replay: Callable[..., Any] | None
    replay_constants: tuple[Any, ...]
    writes: tuple[int, ...]
    renews: tuple[int, ...]
    follows: tuple[tuple[int, frozenset[int]], ...]
    line: int
    """That of the observe that ends it, 0 if there is none."""

    def run(self, particles: Any) -> None:
        """Run particles to the end of the segment."""
        if particles.frame.size == 1:  # a lone lane has plain values
            raise Failed
        self.forward(particles, particles.frame, self.constants)


@dataclass(frozen=True, slots=True)
class Straight:
    """What is reported at the end, as straight code."""

    code: Callable[..., None]
    constants: tuple[Any, ...]

    def run(self, particles: Any) -> None:
        if here.frame.size == 1:
            raise Failed
        self.code(particles, here.frame, self.constants)


@dataclass(frozen=True, slots=True)
class ByProgram:
    """What is reported at the end, by the program itself: its cells are put back before."""

    lanes: tuple[tuple[Any, int], ...]
    """The cells of the program that are a value over lanes, and those of scripts that have it."""
    code: Callable[..., None]
    """Puts the others back."""
    constants: tuple[Any, ...]

    def run(self, particles: Any) -> None:
        store, cells = particles.handler.store, particles.cells
        for cell, number in self.lanes:
            store[cell] = cells[number]
        self.code(store, cells, self.constants)
        particles.run(particles.plan.reports)


@dataclass(slots=True)
class Scripts:
    """A program."""

    written: list[Script]
    """The first segments."""
    write: Callable[[], list[Script]] | None
    """Writes those that are left, if there are some: machine code does without them."""
    reports: Straight | ByProgram
    cells: int
    """How many there are."""
    readers: list[tuple[int, ...]]
    """The segments whose replays read each cell."""
    draws: list[tuple[int, At]]
    """What is drawn: its cell and address."""
    program: Specialised
    """What they are the code of."""
    attempts: int = 0
    """How many sweeps they have been tried on, and on how many they failed."""
    failures: int = 0

    @property
    def segments(self) -> list[Script]:
        if self.write is not None:
            self.written += self.write()
            self.write = None
        return self.written


# What scripts call


def allow(domain: Domain, value: Any) -> None:
    """A parameter must be in its domain, in every lane."""
    if type(value) is np.ndarray and value.ndim > domain.rank and domain.surely is not None and domain.surely(value):
        return
    holds = domain.holds(value)
    if not (holds is True or (holds is not False and holds.all())):
        raise Failed


def allow_lanes(domain: Domain, value: Lane, data: Any) -> None:
    """The same of a value that is kept, which need not be looked at again."""
    allow(domain, data)
    value.checked = domain


def fitting(family: Family, *parts: Any) -> None:
    """The parameters of a distribution must fit together."""
    if family.problem(*parts) is not None:
        raise Failed


def alike(value: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """What a primitive gives in a replay must be of the kind that it was in the trace; all lanes may share it."""
    if type(value) is Lane:
        if value.data.dtype is not dtype or value.data.shape[:-1] != shape:
            raise Failed
    elif not (value.shape == shape if type(value) is np.ndarray else shape == () and type(value) in (float, int, bool)):
        raise Failed


def possible(score: Any) -> Any:
    """A score of which no lane dies: those that go on draw."""
    lowest = score.min() if type(score) is np.ndarray else score
    if not lowest > -np.inf:
        raise Failed
    return score
