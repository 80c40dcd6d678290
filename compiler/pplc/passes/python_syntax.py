"""Pieces of Python syntax trees that `to_python` builds again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pplc.languages.python import parts


def load(name: str) -> ast.Name:
    """A variable that is read."""
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """name = value"""
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


def assign_all(names: list[str], values: list[ast.expr]) -> ast.stmt:
    """a, b = (c, d)"""
    if len(names) == 1:
        return assign(names[0], values[0])
    targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
    return ast.Assign([targets], ast.Tuple(values, ast.Load()), lineno=0)


def function(name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """def name(parameter, ...): body"""
    return ast.FunctionDef(name, arguments(parameters), body, [], lineno=0)


def thunk(value: ast.expr) -> ast.expr:
    """lambda: value"""
    return ast.Lambda(arguments(()), value)


def arguments(names: Iterable[str]) -> ast.arguments:
    """The parameters of a function."""
    parameters = [ast.arg(name) for name in names]
    return ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])


def is_constant(value: ast.expr, constant: bool, negated: bool = False) -> ast.expr:
    """value is True"""
    return ast.Compare(value, [ast.IsNot() if negated else ast.Is()], [ast.Constant(constant)])


def is_atomic(value: ast.expr) -> bool:
    """Whether evaluating an expression again, or later, makes no difference."""
    return isinstance(value, ast.Name | ast.Constant)


def number(value: int | float) -> ast.expr:
    """A number as Python reads it back: a sign is an operator of its own."""
    if value < 0 or (value == 0 and str(value).startswith("-")):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def weight(node: ast.AST, most: int) -> int:
    """How many parts a tree has, counted up to a bound: a measure of how long a line it makes."""
    count = 0
    stack: list[ast.AST] = [node]
    while stack and count <= most:
        inner = parts(stack.pop())
        count += 1
        stack.extend(inner)
    return count


def height(node: ast.AST) -> int:
    """How many calls are inside of each other in an expression."""
    inner = parts(node)
    if not inner:
        return int(isinstance(node, ast.Call))
    return max([height(child) for child in inner]) + isinstance(node, ast.Call)
