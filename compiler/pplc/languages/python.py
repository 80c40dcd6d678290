"""A Python module before it is written out: syntax trees, with the forms that they were made from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
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
    shared: frozenset[str] = frozenset()
    """The globals that are evaluated once a run."""


def parts(node: ast.AST) -> Sequence[ast.AST]:
    """What is inside of a node that `to_python` makes; `ast.iter_child_nodes` takes ten times as long."""
    match node:
        case ast.Call(_, values, _):
            return values
        case ast.Tuple(values) | ast.Module(values) | ast.While(_, values):
            return values
        case ast.FunctionDef(_, _, statements):
            return statements
        case ast.Return(value) | ast.Assign(_, value) | ast.Expr(value) | ast.Lambda(_, value):
            return () if value is None else (value,)
        case ast.If(test, then, other):
            return (test, *then, *other)
        case _:
            return ()


def calls(tree: ast.AST) -> list[ast.Call]:
    """All calls in a tree, in an order that depends on its structure only."""
    found: list[ast.Call] = []
    stack: list[ast.AST] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Call):
            found.append(item)
        stack.extend(parts(item))
    return found
