"""The statements of one Python function (part of `to_python`).

Evaluation stays left to right: what must be said in a statement of its own is hoisted, and what stood before
it is saved first. A self call in tail position is a loop:

    (loop [i 0 total 0] (if (< i 10) (recur (+ i 1) (+ total i)) total))
    ->  def loop(at, i, total):
            while True:
                test_1 = agreed(lt(i, 10))
                if test_1 is True:
                    at, i, total = (at[1], add(i, 1), add(total, i))
                    continue
                if test_1 is not False:
                    return branch(test_1, lambda: loop(at[1], add(i, 1), add(total, i)), lambda: total)
                return total

Lanes that disagree on a test leave the loop: each side goes on by a call.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, assert_never

from pplc.languages import core
from pplc.passes.python_formula import formula_of, is_arithmetic
from pplc.passes.python_procedures import Known, captured, define_together, lifted, only_draws
from pplc.passes.python_syntax import (
    assign,
    assign_all,
    function,
    height,
    is_atomic,
    is_constant,
    load,
    thunk,
    weight,
)
from pplc.source import Span
from pplc_runtime.program.names import SIGNATURES, python_name

if TYPE_CHECKING:
    from pplc.passes.to_python import Builder

DEEPEST_EXPRESSION: Final = 12
"""Calls inside of calls on one line; Python itself would take some ninety."""
DEEPEST_BLOCK: Final = 8
"""Functions inside of functions; Python would take some twenty."""
DEEPEST_INDENT: Final = 20
"""Choices inside of choices; Python would take a hundred levels."""
LONGEST_THUNK: Final = 10
"""The nodes of a branch that may still be a lambda in its line."""


class Body:
    """The statements of a function, or of a function inside of it that evaluates a branch."""

    def __init__(
        self,
        builder: Builder,
        known: dict[str, Known],
        own: Known | None = None,
        level: int = 0,
        counts: dict[str, int] | None = None,
        careful: bool = False,
    ) -> None:
        self.builder = builder
        self.known = known
        self.own = own
        """The procedure whose self calls in tail position are a loop."""
        self.careful = careful
        """Whether it is the careful way of a formula, in which each operation is a call."""
        self.level = level
        self.indented = 0
        self.counts = {} if counts is None else counts
        self.statements: list[ast.stmt] = []

    def emit(self, statement: ast.stmt) -> None:
        self.statements.append(statement)

    def temporary(self, hint: str) -> str:
        """A variable of the function that no variable of the program is called like."""
        while True:
            self.counts[hint] = self.counts.get(hint, 0) + 1
            name = f"{hint}_{self.counts[hint]}"
            if name not in self.builder.names:
                return name

    # Self calls

    def procedure(self, expr: core.Expr) -> None:
        """The body of a procedure."""
        if not self.calls_itself(expr):
            self.own = None
        self.tail(expr)
        if self.own is not None:
            self.statements = [ast.While(ast.Constant(True), self.statements, [])]

    def calls_itself(self, expr: core.Expr) -> bool:
        """Whether a tail position of an expression is a call of the procedure itself."""
        stack = [expr]
        while stack:
            match stack.pop():
                case core.If(_, then, other):
                    stack += [then, other]
                case core.Let(_, _, body) | core.Letrec(_, body):
                    stack.append(body)
                case core.App(core.Lambda() as operator, arguments) if _is_let(operator, arguments):
                    stack.append(operator.body)
                case core.App(operator) if self.is_own(operator):
                    return True
        return False

    def is_own(self, operator: core.Expr) -> bool:
        return self.own is not None and self.target(operator) is self.own

    def target(self, operator: core.Expr) -> Known | None:
        """The procedure that an operator is known to be."""
        match operator:
            case core.Global(name):
                return self.builder.direct.get(name)
            case core.Local(name):
                return self.known.get(name)
            case _:
                return None

    # Tail positions

    def tail(self, expr: core.Expr) -> None:
        """The statements that return the value of an expression, or go round the loop."""
        expr = self.bind_all(expr)
        match expr:
            case core.If(test, then, other) if self.own is not None and self.calls_itself(expr):
                self.deciding(test, then, other)
            case core.App(operator) if self.is_own(operator):
                self.loop_again(expr)
            case _:
                self.emit(ast.Return(self.value(expr)))

    def bind_all(self, expr: core.Expr) -> core.Expr:
        """Bind the variables that surround an expression; what is left of it."""
        while True:
            match expr:
                case core.Let(name, value, body):
                    self.bind(name, self.value(value))
                    expr = body
                case core.Letrec(bindings, body):
                    define_together(self.builder, self.known, bindings)
                    expr = body
                case core.App(core.Lambda() as operator, arguments) if _is_let(operator, arguments):
                    for name, each in zip(operator.parameters, self.all_values(arguments)):
                        self.bind(name, each)
                    expr = operator.body
                case _:
                    return expr

    def bind(self, name: str, value: ast.expr) -> None:
        if name != core.UNNAMED:
            self.emit(assign(name, value))
        elif not is_atomic(value):
            self.emit(ast.Expr(value))

    def deciding(self, test: core.Expr, then: core.Expr, other: core.Expr) -> None:
        """An if on the way to a self call: lanes that agree stay in the loop, lanes that do not call anew.

        Every block ends with a return or a continue, so that the second choice needs no indentation; that is
        the one which decides again."""
        name = self.temporary("test")
        self.emit(assign(name, self.call("agreed", [self.value(test)], test.span)))
        choices = [(True, then), (False, other)]
        if isinstance(then, core.If) and not isinstance(other, core.If):
            choices.reverse()
        (truth, first), (_, second) = choices
        self.emit(ast.If(is_constant(load(name), truth), self.block(first), []))
        before, self.statements = self.statements, []
        self.tail(second)
        after, self.statements = self.statements, []
        thunks = [self.parting(then, "then"), self.parting(other, "other")]
        self.emit(ast.Return(self.call("branch", [load(name), *thunks], test.span)))
        parting, self.statements = self.statements, before
        self.emit(ast.If(is_constant(load(name), not truth, negated=True), parting, []))
        self.statements.extend(after)

    def block(self, expr: core.Expr) -> list[ast.stmt]:
        """The statements of a choice, one level further in."""
        self.indented += 1
        before, self.statements = self.statements, []
        if self.indented > DEEPEST_INDENT:
            self.emit(ast.Return(self.outlined(expr)))
        else:
            self.tail(expr)
        result, self.statements = self.statements, before
        self.indented -= 1
        return result

    def parting(self, expr: core.Expr, hint: str) -> ast.expr:
        """A branch for the lanes that leave the loop. One that decides again is a function of the module:
        inside of the loop its code is there once more, and copies of copies would double at every level."""
        if isinstance(expr, core.If) and self.calls_itself(expr):
            return thunk(self.outlined(expr))
        return self.thunk(expr, hint)

    def loop_again(self, expr: core.App) -> None:
        assert self.own is not None
        procedure = self.own.procedure
        names = list(procedure.parameters) + ([] if procedure.rest is None else [procedure.rest])
        values = self.arguments(procedure, expr.arguments)
        changed = [
            (name, value)
            for name, value in zip(names, values)
            if not (isinstance(value, ast.Name) and value.id == name)
        ]
        targets = ["at", *[name for name, _ in changed]]
        self.emit(assign_all(targets, [self.builder.site(expr), *[value for _, value in changed]]))
        self.emit(ast.Continue())

    # Values

    def all_values(self, exprs: Sequence[core.Expr]) -> list[ast.expr]:
        """The values of several expressions, evaluated from left to right."""
        values: list[ast.expr] = []
        held = 0
        for expr in exprs:
            mark = len(self.statements)
            value = self.value(expr)
            if any(not isinstance(s, ast.FunctionDef) for s in self.statements[mark:]):
                saved: list[ast.stmt] = []
                for position in range(held, len(values)):
                    if not is_atomic(values[position]):
                        name = self.temporary("held")
                        saved.append(assign(name, values[position]))
                        values[position] = load(name)
                held = len(values)
                self.statements[mark:mark] = saved
            values.append(value)
        return values

    def value(self, expr: core.Expr) -> ast.expr:
        """The Python expression of an expression; what cannot be said in one is in statements before it."""
        result = self.expression(self.bind_all(expr))
        if not isinstance(result, ast.Call) or height(result) < DEEPEST_EXPRESSION:
            return result
        name = self.temporary("held")
        self.emit(assign(name, result))
        return load(name)

    def expression(self, expr: core.Expr) -> ast.expr:
        builder = self.builder
        match expr:
            case core.Const(value):
                return builder.constant(value)
            case core.Local(name):
                if name in self.known:
                    return self.spanned(builder.procedure_value(self.known[name], expr), expr.span)
                return load(name)
            case core.Global(name):
                if name in builder.direct:
                    return builder.procedure_value(builder.direct[name], expr)
                return self.call("read", [ast.Constant(name)], expr.span)
            case core.Primitive(name):
                return self.call("primitive", [ast.Constant(name)], expr.span)
            case core.App():
                return self.application(expr)
            case core.Lambda():
                return self.spanned(builder.procedure_value(lifted(builder, self.known, expr), expr), expr.span)
            case core.If(test, then, other):
                value = self.value(test)
                if _is_simple(then) and _is_simple(other):
                    return self.call("choose", [value, self.value(then), self.value(other)], test.span)
                return self.call("branch", [value, self.thunk(then, "then"), self.thunk(other, "other")], test.span)
            case core.Sample(source, span):
                value = self.value(source)
                return self.call("sample", [builder.site(expr), value], span)
            case core.Observe(source, observed, span):
                values = self.all_values((source, observed))
                return self.call("observe", [builder.site(expr), *values], span)
            case core.Mem(procedure, span):
                value = self.value(procedure)
                name = "mem_by_lane" if only_draws(procedure) else "mem"
                return self.call(name, [builder.site(expr), value], span)
            case core.Let() | core.Letrec():
                return self.value(expr)
            case core.Name():
                raise AssertionError(f"{expr.text} is not resolved")
            case _:
                assert_never(expr)

    def call(self, name: str, arguments: list[ast.expr], span: Span) -> ast.expr:
        """A call of a function of the runtime."""
        return self.spanned(ast.Call(self.builder.runtime(name), arguments, []), span)

    def spanned(self, node: ast.expr, span: Span) -> ast.expr:
        self.builder.module.spans[id(node)] = span
        return node

    # Calls

    def application(self, expr: core.App) -> ast.expr:
        operator, arguments, span = expr.operator, expr.arguments, expr.span
        if isinstance(operator, core.Primitive):
            if is_arithmetic(expr) and not self.careful:
                made = self.formula(expr)
                if made is not None:
                    return made
            return self.primitive_call(operator.name, expr)
        known = self.target(operator)
        if known is None:
            values = self.all_values((operator, *arguments))
            return self.call("call", [self.builder.site(expr), *values], span)
        values = self.arguments(known.procedure, arguments)
        captured = [load(name) for name in known.captured]
        return self.spanned(ast.Call(load(known.function), [self.builder.site(expr), *values, *captured], []), span)

    def arguments(self, procedure: core.Lambda, arguments: tuple[core.Expr, ...]) -> list[ast.expr]:
        """The arguments as the function takes them: what is beyond the parameters comes in a list."""
        values = self.all_values(arguments)
        if procedure.rest is None:
            return values
        own = len(procedure.parameters)
        rest = ast.Tuple(values[own:], ast.Load())
        return [*values[:own], ast.Call(self.builder.runtime("List"), [rest], [])]

    def primitive_call(self, name: str, expr: core.App) -> ast.expr:
        arguments, span = expr.arguments, expr.span
        signature = SIGNATURES[name]
        values = self.all_values(arguments)
        if signature.folds and len(values) > 2:
            result = values[0]
            for position, value in enumerate(values[1:], 2):
                result = self.call(python_name(name, 2), [result, value], span)
                if position % DEEPEST_EXPRESSION == 0 and position < len(values):
                    held = self.temporary("held")
                    self.emit(assign(held, result))
                    result = load(held)
            return result
        if signature.addressed:
            values.insert(0, self.builder.site(expr))
        return self.call(python_name(name, len(arguments)), values, span)

    def formula(self, expr: core.App) -> ast.expr | None:
        """Arithmetic as a call of one function; None where there is too little or too much of it."""
        formula = formula_of(expr)
        if formula is None:
            return None
        if isinstance(formula.body, core.Const):
            return self.builder.constant(formula.body.value)
        name = self.builder.formula(formula, expr)
        return ast.Call(load(name), self.all_values(formula.arguments), [])  # its operations have their places

    # Branches and procedures

    def thunk(self, expr: core.Expr, hint: str) -> ast.expr:
        """A function of no arguments that evaluates a branch."""
        if self.level >= DEEPEST_BLOCK or id(expr) in self.builder.parts:
            return thunk(self.outlined(expr))
        inner = Body(self.builder, dict(self.known), level=self.level + 1, counts=self.counts)
        inner.tail(expr)
        first = inner.statements[0]
        if isinstance(first, ast.Return) and weight(first, LONGEST_THUNK) <= LONGEST_THUNK:
            assert first.value is not None
            return thunk(first.value)
        name = self.temporary(hint)
        self.emit(function(name, [], inner.statements))
        return load(name)

    def outlined(self, expr: core.Expr) -> ast.expr:
        """A call of a function of the module that evaluates a branch."""
        known = self.builder.parts.get(id(expr))
        if known is None:
            procedure = core.Lambda("part", (), None, expr, expr.span)
            known = Known(self.builder.unique("part", numbered=True), procedure, captured(self.known, expr, ()))
            self.builder.parts[id(expr)] = known
            self.builder.function(known, self.known)
        variables = [load(name) for name in known.captured]
        return ast.Call(load(known.function), [load("at"), *variables], [])


def _is_let(operator: core.Lambda, arguments: tuple[core.Expr, ...]) -> bool:
    return operator.rest is None and len(arguments) == len(operator.parameters)


def _is_simple(expr: core.Expr) -> bool:
    """Whether an expression is there already, so that both sides of a choice may be looked at."""
    return isinstance(expr, core.Const | core.Local)
