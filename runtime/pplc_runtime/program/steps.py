"""Steps: the top level of a compiled program, a flat list in which each step has the label of the one that follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from pplc_runtime.values import Place


@dataclass(frozen=True, slots=True)
class Input:
    """A value that is given from outside, or else the default."""

    name: str
    default: Callable[..., Any] | None
    loops: tuple[str, ...]
    next: int
    place: Place
    row: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Assume:
    """Defines a global; a closed procedure, which is a function of the module, needs no run-time step.

    A `constant` has the same value in every execution, and is evaluated once a run. What a `shared` one draws is read
    by many statements."""

    name: str
    function: Callable[..., Any] | None
    loops: tuple[str, ...]
    next: int
    place: Place
    row: tuple[Any, ...] = ()
    constant: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Observe:
    """Suspends: the function gives the distribution and the value that was seen."""

    function: Callable[..., Any]
    loops: tuple[str, ...]
    next: int
    place: Place
    row: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Predict:
    """Reports: the function gives the label and the value.

    One that `acts` may observe, or draw from a process, and is run where it stands. Any other is run when the particles
    are finished; the globals that loops assume anew, as they are where it stands, are `kept` for it."""

    function: Callable[..., Any]
    loops: tuple[str, ...]
    next: int
    place: Place
    row: tuple[Any, ...] = ()
    acts: bool = False
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """Goes on at `body` with the next element of a sequence, or at `next` when there is none.

    One that is a `test` has one turn or none: it stands for one side of an if."""

    function: Callable[..., Any]
    loops: tuple[str, ...]
    name: str
    body: int
    next: int
    place: Place
    test: bool = False
    together: tuple[str, ...] = ()
    """Inputs that it goes over side by side: data of one length."""


Step: TypeAlias = Input | Assume | Observe | Predict | Loop
