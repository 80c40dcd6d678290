"""Steps: a program in continuation-passing style.

Only a top-level observe can suspend, so only the top level is in this style: a flat list of steps, each with
the step that follows it. What a particle does after an observe is its continuation: the label of the next
step and the positions of the loops it is in. Everything below a statement stays in direct style.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pplc.languages import core
from pplc.source import Span


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: its free variables (of for loops, or literals of a shared shape) and what comes next.

    `row` has the literals of a shared statement, after the loop variables among the `variables`. A predict that
    `acts` is run where it stands, any other at the end; what loops assume anew is `kept` for it."""

    statement: core.AssumeStatement | core.ObserveStatement | core.PredictStatement | core.InputStatement
    variables: tuple[str, ...]
    shape: int | None
    row: tuple[Any, ...]
    span: Span
    next: int
    acts: bool = False
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """Goes on at `body` with the next element of the sequence, or at `next` when there is none.

    One that is a `test` stands for one side of an if."""

    name: str
    sequence: core.Expr
    variables: tuple[str, ...]
    span: Span
    body: int
    next: int
    test: bool = False
    together: tuple[str, ...] = ()
    """Inputs that it goes over side by side."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps in order; the label of a step is its position, and the last label means the end."""

    steps: tuple[Step | Loop, ...]
    direct: dict[str, core.Lambda]
    constant: frozenset[str]
    shared: frozenset[str]
