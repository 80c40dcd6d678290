"""To reference: from the resolved core language to the syntax of the reference engine.

    AssumeStatement("f", Lambda("f", ("x",), None, App(Primitive("+"), ...)))
    -> Assume("f", Lambda("f", ("x",), None, Application(Primitive("+"), ...), free=(), number=1))

The two are nearly the same language: spans become places, lambdas are numbered and given their free
variables, and statements that share a shape are written out again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, assert_never

from pplc.languages import core
from pplc.source import Source, Span
from pplc_runtime.reference import syntax


def to_reference(program: core.Program, source: Source) -> syntax.Program:
    """The program of the reference engine."""
    translator = _Translator(source)
    statements = tuple([translator.statement(statement, {}) for statement in program.statements])
    return syntax.Program(statements, source.name)


@dataclass(slots=True)
class _Translator:
    source: Source
    numbers: count[int] = field(default_factory=lambda: count(1))

    def place(self, span: Span) -> syntax.Place:
        line, column = self.source.place(span.start)
        return line, column, max(1, span.end - span.start)

    def statement(self, statement: core.Statement, row: Mapping[str, Any]) -> syntax.Statement:
        place = self.place(statement.span)
        match statement:
            case core.AssumeStatement(name, value):
                return syntax.Assume(name, self.expr(value, row), place)
            case core.ObserveStatement(source, value):
                return syntax.Observe(self.expr(source, row), self.expr(value, row), place)
            case core.PredictStatement(label, value):
                return syntax.Predict(self.expr(label, row), self.expr(value, row), place)
            case core.InputStatement(name, default):
                return syntax.Input(name, None if default is None else self.expr(default, row), place)
            case core.ForStatement(name, sequence, body, _, test):
                inner = tuple([self.statement(part, row) for part in body])
                return syntax.For(name, self.expr(sequence, row), inner, place, test)
            case core.SharedStatement(_, literals, shared, own_row, span):
                return self.statement(_moved(shared, span), {**row, **dict(zip(literals, own_row))})
            case _:
                assert_never(statement)

    def expr(self, expr: core.Expr, row: Mapping[str, Any]) -> syntax.Expression:
        """The expression; `row` has the literals of a shared statement by their names."""
        place = self.place(expr.span)
        match expr:
            case core.Const(value):
                return syntax.Constant(value, place)
            case core.Local(name):
                return syntax.Constant(row[name], place) if name in row else syntax.Local(name, place)
            case core.Global(name):
                return syntax.Global(name, place)
            case core.Primitive(name):
                return syntax.Primitive(name, place)
            case core.App(operator, arguments):
                values = tuple([self.expr(argument, row) for argument in arguments])
                return syntax.Application(self.expr(operator, row), values, place)
            case core.Lambda():
                return self.procedure(expr, row)
            case core.If(test, then, other):
                return syntax.If(self.expr(test, row), self.expr(then, row), self.expr(other, row), place)
            case core.Let(name, value, body):
                return syntax.Let(name, self.expr(value, row), self.expr(body, row), place)
            case core.Letrec(bindings, body):
                procedures = tuple([(name, self.procedure(procedure, row)) for name, procedure in bindings])
                return syntax.Letrec(procedures, self.expr(body, row), place)
            case core.Sample(source):
                return syntax.Sample(self.expr(source, row), place)
            case core.Observe(source, value):
                return syntax.Observe(self.expr(source, row), self.expr(value, row), place)
            case core.Mem(procedure):
                return syntax.Mem(self.expr(procedure, row), place)
            case core.Name(text):
                raise AssertionError(f"the name {text} is not resolved")
            case _:
                assert_never(expr)

    def procedure(self, procedure: core.Lambda, row: Mapping[str, Any]) -> syntax.Lambda:
        number = next(self.numbers)
        body = self.expr(procedure.body, row)
        bound = {*procedure.parameters, procedure.rest}
        free = tuple([name for name in free_variables(body) if name not in bound])
        name = procedure.name.split("%")[0]
        place = self.place(procedure.span)
        return syntax.Lambda(name, procedure.parameters, procedure.rest, body, free, number, place)


def free_variables(expr: syntax.Expression) -> tuple[str, ...]:
    """The local variables that an expression uses and does not bind, in order of first use."""
    free: dict[str, None] = {}
    bound: set[str] = set()  # names are unique, so one set does
    stack: list[syntax.Expression] = [expr]
    while stack:
        match stack.pop():
            case syntax.Local(name):
                free.setdefault(name)
            case syntax.Lambda(free=inner):
                free.update(dict.fromkeys(inner))
            case syntax.Application(operator, arguments):
                stack += [*reversed(arguments), operator]
            case syntax.If(test, then, other):
                stack += [other, then, test]
            case syntax.Let(name, value, body):
                bound.add(name)
                stack += [body, value]
            case syntax.Letrec(bindings, body):
                bound.update(name for name, _ in bindings)
                stack += [body, *(procedure for _, procedure in bindings)]
            case syntax.Sample(source) | syntax.Mem(source):
                stack.append(source)
            case syntax.Observe(source, value):
                stack += [value, source]
            case syntax.Constant() | syntax.Global() | syntax.Primitive():
                pass
    return tuple([name for name in free if name not in bound])


def _moved(
    statement: core.ObserveStatement | core.PredictStatement, span: Span
) -> core.ObserveStatement | core.PredictStatement:
    match statement:
        case core.ObserveStatement(source, value):
            return core.ObserveStatement(source, value, span)
        case core.PredictStatement(label, value):
            return core.PredictStatement(label, value, span)
