"""Formulas: arithmetic as one function of its variables (part of `to_python`).

    (+ (/ x 2.0) (* 8.0 (cos t)))
    ->  @formula(lambda x, t: x / 2.0 + 8.0 * raw.cos(t))
        def formula_1(x, t):
            return add(div(x, 2.0), mul(8.0, cos(t)))

Over lanes of real numbers the first line is evaluated, on bare arrays; for all other values, and to say what is
wrong, the function below it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from pplc.languages import core
from pplc.passes.python_syntax import load, number
from pplc_runtime.program.formulas import FUNCTIONS, KEEP_KIND, OPERATORS, raw
from pplc_runtime.values import ModelError

MOST_OPERATIONS: Final = 40
DEEPEST_FORMULA: Final = 12
LARGEST_CONSTANT: Final = 1e300

_SYNTAX: Final[dict[str, type[ast.operator]]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}


@dataclass(frozen=True, slots=True)
class Formula:
    """Arithmetic over variables, and the arguments that they stand for."""

    body: core.Expr
    names: tuple[str, ...]
    arguments: tuple[core.Expr, ...]


def is_arithmetic(expr: core.Expr) -> bool:
    match expr:
        case core.App(core.Primitive(name), arguments):
            return (name in OPERATORS and len(arguments) > 0) or (name in FUNCTIONS and len(arguments) == 1)
        case _:
            return False


def formula_of(expr: core.Expr) -> Formula | None:
    """The formula of an expression; None where there is too little or too much of it."""
    if _depth(expr) > DEEPEST_FORMULA:
        return None
    made = _Maker()
    body = made.body(expr)
    if isinstance(body, core.App) and not 2 <= made.operations <= MOST_OPERATIONS:
        return None
    return Formula(body, tuple(made.arguments), tuple(made.arguments.values()))


class _Maker:
    """Makes a formula: what is not arithmetic in an expression is an argument."""

    def __init__(self) -> None:
        self.arguments: dict[str, core.Expr] = {}
        self.operations = 0

    def body(self, expr: core.Expr) -> core.Expr:
        match expr:
            case core.Const(value) if type(value) in (int, float):
                return expr
            case core.App(operator, arguments, span) if is_arithmetic(expr):
                result = core.App(operator, tuple([self.body(each) for each in arguments]), span)
                value = _constant(result)
                if value is not None:
                    return core.Const(value, span)
                self.operations += max(1, len(arguments) - 1)
                return result
            case core.Local(name):
                self.arguments[name] = expr
                return expr
            case _:
                name = f"value_{len(self.arguments) + 1}"
                self.arguments[name] = expr
                return core.Local(name, expr.span)


def _constant(expr: core.App) -> int | float | None:
    """The value of an operation on constants; None where it has none, and the run has to say why."""
    if not all(isinstance(each, core.Const) for each in expr.arguments):
        return None
    code = compile(ast.fix_missing_locations(ast.Expression(quickly(expr)[0])), "formula", "eval")
    try:
        value = eval(code, {"raw": raw, "__builtins__": {}})
    except (ArithmeticError, ModelError):
        return None
    return value if type(value) in (int, float) and abs(value) < LARGEST_CONSTANT else None


def _depth(expr: core.Expr) -> int:
    """How many operations are inside of each other; those of a sum are, too."""
    if not is_arithmetic(expr):
        return 0
    assert isinstance(expr, core.App)
    return max(map(_depth, expr.arguments)) + max(1, len(expr.arguments) - 1)


def quickly(expr: core.Expr) -> tuple[ast.expr, bool]:
    """The Python expression of bare numbers and arrays, and whether it is known to be real, not whole."""
    match expr:
        case core.Const(value):
            return number(value), type(value) is float
        case core.Local(name):
            return load(name), False
        case core.App(core.Primitive(name), arguments):
            terms = [quickly(each) for each in arguments]
            if name in FUNCTIONS:
                (term, real) = terms[0]
                return _called(name, term), real if name in KEEP_KIND else True
            operator = OPERATORS[name]
            if len(terms) == 1:
                return _alone(operator, *terms[0])
            result, real = terms[0]
            for term, also in terms[1:]:
                result = _joined(operator, result, term, real, also)
                real = real or also
            return result, real
        case _:
            raise AssertionError(expr)


def _alone(operator: str, term: ast.expr, real: bool) -> tuple[ast.expr, bool]:
    match operator:
        case "-":
            return ast.UnaryOp(ast.USub(), term), real
        case "/":
            return _joined("/", ast.Constant(1), term, False, real), real
        case _:
            return term, real


def _joined(operator: str, left: ast.expr, right: ast.expr, real_left: bool, real_right: bool) -> ast.expr:
    """Two terms. Whole numbers divide in a way of their own, and nothing divides by zero."""
    if operator != "/":
        return ast.BinOp(left, _SYNTAX[operator](), right)
    if isinstance(right, ast.Constant) and right.value != 0 and (real_left or real_right):
        return ast.BinOp(left, ast.Div(), right)
    return _called("divide", left, right)


def _called(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(load("raw"), name, ast.Load()), list(arguments), [])
