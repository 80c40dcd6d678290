"""A Python module before it is written out: functions as syntax trees, each with the form it was made from."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from pplc.languages.steps import Loop, Step
from pplc.source import Span


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function of the module and the form it was made from."""

    definition: ast.FunctionDef
    span: Span


@dataclass(slots=True)
class Module:
    """The functions, constants and table of a compiled program."""

    functions: list[Function] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    """Quoted data, vectors and matrices, by the names that the functions call them by."""
    procedures: list[ast.stmt] = field(default_factory=list)
    """The values of closed procedures, defined after the functions."""
    table: list[tuple[Step | Loop, str]] = field(default_factory=list)
    """Each step with the name of its function."""
    spans: dict[int, Span] = field(default_factory=dict)
    """The form that a call was made from, by the id of its node."""
    imports: set[str] = field(default_factory=set)
    constant: frozenset[str] = frozenset()
    """The globals that are evaluated once a run."""
