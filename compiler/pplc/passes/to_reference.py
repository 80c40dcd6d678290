"""To reference: from the resolved core language to the syntax of the reference engine.

    AssumeStatement("f", Lambda("f", ("x",), None, App(Primitive("+"), ...)))
    -> Assume("f", Lambda("f", ("x",), None, Application(Primitive("+"), ...), free=(), site=1))

The two are nearly the same language: spans become places, lambdas are given their free variables, statements
their labels, which are those of `to_cps`, and statements that share a shape are written out again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any, assert_never

from pplc.languages import core
from pplc.languages.traverse import free_locals, inputs_of, side_by_side
from pplc.source import Source, Span
from pplc_runtime.reference import syntax


def to_reference(
    program: core.Program, source: Source, acting: Container[Span] | None = None, shared: Container[str] = ()
) -> syntax.Program:
    """The program of the reference engine. `acting` are the predicts that are run where they stand, None for all;
    `shared` the globals whose choices many statements read."""
    translator = _Translator(source, acting, shared, inputs_of(program))
    statements = tuple([translator.statement(statement, {}) for statement in program.statements])
    return syntax.Program(statements, source.name)


@dataclass(slots=True)
class _Translator:
    source: Source
    acting: Container[Span] | None
    shared: Container[str]
    inputs: frozenset[str]
    labels: count[int] = field(default_factory=count)
    ifs: count[int] = field(default_factory=count)
    shapes: dict[int, core.ObserveStatement | core.PredictStatement] = field(default_factory=dict)
    """The first statement of each shape: the others have its sites."""
    outside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What the procedures of a letrec close over together, by their names."""

    def place(self, span: Span) -> syntax.Place:
        line, column = self.source.place(span.start)
        return line, column, max(1, span.end - span.start)

    def statement(self, statement: core.Statement, row: Mapping[str, Any]) -> syntax.Statement:
        if isinstance(statement, core.SharedStatement):
            first = self.shapes.setdefault(statement.shape, statement.statement)
            row = {**row, **dict(zip(statement.literals, statement.row))}
            return self.statement(replace(first, span=statement.span), row)
        place, label = self.place(statement.span), next(self.labels)
        match statement:
            case core.AssumeStatement(name, value):
                return syntax.Assume(name, self.expr(value, row), place, label, name in self.shared)
            case core.ObserveStatement(source, value):
                return syntax.Observe(self.expr(source, row), self.expr(value, row), place, label=label)
            case core.PredictStatement(name_, value, span):
                waits = self.acting is not None and span not in self.acting
                return syntax.Predict(self.expr(name_, row), self.expr(value, row), place, label, waits)
            case core.InputStatement(name, default):
                return syntax.Input(name, None if default is None else self.expr(default, row), place, label)
            case core.ForStatement(name, sequence, body, _, test):
                inner = tuple([self.statement(part, row) for part in body])
                together = side_by_side(sequence, self.inputs)
                return syntax.For(name, self.expr(sequence, row), inner, place, label, test, together)
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
                return syntax.Application(self.expr(operator, row), values, place, 0 if _is_let(expr) else expr.site)
            case core.Lambda():
                return self.procedure(expr, row)
            case core.If(test, then, other):
                parts = [self.expr(part, row) for part in (test, then, other)]
                return syntax.If(parts[0], parts[1], parts[2], next(self.ifs), place)
            case core.Let(name, value, body):
                return syntax.Let(name, self.expr(value, row), self.expr(body, row), place)
            case core.Letrec(bindings, body):
                self.outside.update((name, ()) for name, _ in bindings)
                closed = [self.variables(self.free(procedure, row)) for _, procedure in bindings]
                self.outside.update((name, tuple(chain(*closed))) for name, _ in bindings)
                procedures = tuple([(name, self.procedure(procedure, row)) for name, procedure in bindings])
                return syntax.Letrec(procedures, self.expr(body, row), place)
            case core.Sample(source):
                return syntax.Sample(self.expr(source, row), place, expr.site)
            case core.Observe(source, value):
                return syntax.Observe(self.expr(source, row), self.expr(value, row), place, expr.site)
            case core.Mem(procedure):
                return syntax.Mem(self.expr(procedure, row), place, expr.site)
            case core.Name(text):
                raise AssertionError(f"the name {text} is not resolved")
            case _:
                assert_never(expr)

    def procedure(self, procedure: core.Lambda, row: Mapping[str, Any]) -> syntax.Lambda:
        body, free = self.expr(procedure.body, row), self.free(procedure, row)
        name = procedure.name.split("%")[0]
        place = self.place(procedure.span)
        constant = not self.variables(free_locals(procedure))
        return syntax.Lambda(name, procedure.parameters, procedure.rest, body, free, place, procedure.site, constant)

    @staticmethod
    def free(procedure: core.Lambda, row: Mapping[str, Any]) -> tuple[str, ...]:
        """The local variables that a procedure closes over; a literal is none."""
        return tuple([name for name in free_locals(procedure) if name not in row])

    def variables(self, names: tuple[str, ...]) -> list[str]:
        """The variables among some names; a procedure of a letrec stands for those that it closes over."""
        return [other for name in names for other in self.outside.get(name, (name,))]


def _is_let(expr: core.App) -> bool:
    """Whether an application only binds variables: its body is evaluated where it stands."""
    operator = expr.operator
    return (
        isinstance(operator, core.Lambda) and operator.rest is None and len(operator.parameters) == len(expr.arguments)
    )
