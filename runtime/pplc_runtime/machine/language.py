"""The middle language: a restricted Python, for which `llvm_code` writes LLVM IR and which CPython runs as well.

    def total(n: int, x: floats) -> float:
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

A module is a text of functions. Parameters and results have types: `int` (64 bits, which wrap where they are masked
by `MASK`), `float`, `floats` and `ints` (arrays, of which `x[i:]` is the rest). `x[i : i + 4]` are four reals, which
are added, subtracted and multiplied at once, also by a real; `four(a)` is four times the same, and `v[k]` one of
them. A class with typed fields is a record, which is passed by reference. A variable has the type of its first
assignment. There are `if`, `while`, `for ... in range`, `for ... in apart` (a loop whose turns are independent, which
LLVM may take together), `break`, `continue`, `return`, calls, and the functions of `FUNCTIONS`. `//` and `%` are for
whole numbers that are not negative, `>>` shifts zeros in.

Nothing here is unsafe: programs of users never reach this language but as names and numbers that `emit` writes.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Final, NamedTuple

MASK: Final = (1 << 64) - 1
ELEMENTS: Final = {"floats": "float", "ints": "int"}
INTRINSICS: Final = {
    "sqrt": "llvm.sqrt.f64",
    "floor": "llvm.floor.f64",
    "ceil": "llvm.ceil.f64",
    "fabs": "llvm.fabs.f64",
}
LIBM: Final = (
    "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "erfc",
    "lgamma",
)  # fmt: skip
FUNCTIONS: Final = {**INTRINSICS, **{name: name for name in LIBM}}
"""The functions of one real number."""


class Signature(NamedTuple):
    """The types of a function."""

    parameters: tuple[str, ...]
    result: str


@lru_cache(4)
def parsed(source: str) -> ast.Module:
    """A module as syntax, which nobody changes."""
    return ast.parse(source)


def reachable(source: str, exported: frozenset[str]) -> list[ast.FunctionDef]:
    """The functions that the exported call, and these, in the order of the text."""
    functions = {node.name: node for node in parsed(source).body if isinstance(node, ast.FunctionDef)}
    found: set[str] = set()
    pending = list(exported)
    while pending:
        name = pending.pop()
        if name in functions and name not in found:
            found.add(name)
            calls = (node.func for node in ast.walk(functions[name]) if isinstance(node, ast.Call))
            pending.extend(called.id for called in calls if isinstance(called, ast.Name))
    return [node for name, node in functions.items() if name in found]


def signatures(source: str) -> dict[str, Signature]:
    """The types of all functions of a module."""
    return {node.name: signature(node) for node in parsed(source).body if isinstance(node, ast.FunctionDef)}


def records(source: str) -> dict[str, dict[str, str]]:
    """The fields of all records of a module, with their types."""
    return {
        node.name: {
            field.target.id: type_name(field.annotation)
            for field in node.body
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        }
        for node in parsed(source).body
        if isinstance(node, ast.ClassDef)
    }


def signature(node: ast.FunctionDef) -> Signature:
    result = node.returns.id if isinstance(node.returns, ast.Name) else "None"
    return Signature(tuple(type_name(argument.annotation) for argument in node.args.args), result)


def type_name(annotation: ast.expr | None) -> str:
    assert isinstance(annotation, ast.Name), annotation and ast.unparse(annotation)
    return annotation.id
