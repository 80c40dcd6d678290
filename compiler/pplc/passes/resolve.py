"""Resolve: every name to a local variable, a global one, or a primitive of the language.

    Name("x-y") -> Local("x_y_2") | Global("x-y") | Primitive("exp")

Local names become Python names that are unique within a statement, so that no later pass has to think of
scopes. Unknown names, wrong numbers of arguments, names defined twice and globals used before they are
assumed are errors here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from pplc.diagnostics import CompileError, Diagnostic
from pplc.languages import core
from pplc.languages.foreign import LITERALS, hint
from pplc.languages.forms import SPECIAL
from pplc.languages.traverse import mentions
from pplc.source import Source, Span
from pplc_runtime.program.names import CONSTANTS, SIGNATURES, STOCHASTIC, identifier

Scope = Mapping[str, str]

_CALL, _DRAWABLE, _VALUE = "call", "drawable", "value"
"""Where a name stands: as an operator, as one of what is drawn from or observed, or anywhere else."""


def resolve(program: core.Program, source: Source) -> tuple[core.Program, list[Diagnostic]]:
    """The program with its names resolved, and the warnings; raises CompileError with every error found."""
    resolver = _Resolver(source)
    resolver.declare(program.statements, {})
    statements = tuple(resolver.statement(statement, {}) for statement in program.statements)
    if resolver.errors:
        raise CompileError(source, resolver.errors)
    return core.Program(statements), resolver.warnings


@dataclass(slots=True)
class _Definition:
    value: core.Expr | None
    span: Span
    done: bool = False


@dataclass(slots=True)
class _Resolver:
    source: Source
    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    globals: dict[str, _Definition] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    """The local names of the statement so far."""
    reserved: set[str] = field(default_factory=set)
    """What procedures of the program are called in Python: no local name, which would hide them."""
    around: tuple[str, ...] = ()
    """The local names of the loops around the statement, also of those whose variable another one hides."""
    used: set[str] = field(default_factory=set)
    shared: dict[int, core.SharedStatement] = field(default_factory=dict)
    inside: int = 0
    """How many procedures enclose the expression: a body runs later, when more globals are there."""
    known: dict[str, core.Lambda] = field(default_factory=dict)
    """The procedures that letrec binds, by their unique names."""

    def error(self, span: Span, message: str) -> None:
        self.errors.append(Diagnostic(span, message))

    def warn(self, span: Span, message: str) -> None:
        self.warnings.append(Diagnostic(span, message, "warning"))

    # Statements

    def declare(self, statements: tuple[core.Statement, ...], loops: Scope) -> None:
        for statement in statements:
            match statement:
                case core.AssumeStatement(name, value, _, span):
                    self.define(name, value, span)
                case core.InputStatement(name, _, span, name_span):
                    self.define(name, None, name_span)
                    if loops:
                        self.error(span, "an input cannot stand inside a for")
                case core.ForStatement(name, _, body):
                    self.declare(body, {**loops, name: name})
                case _:
                    pass

    def define(self, name: str, value: core.Expr | None, span: Span) -> None:
        if name in self.globals:
            line = self.source.line_of(self.globals[name].span.start)
            self.error(span, f"'{name}' is defined twice; the first time is in {line}")
            return
        if name in SIGNATURES or name in CONSTANTS:
            self.warn(span, f"'{name}' takes the place of the primitive of that name")
        self.globals[name] = _Definition(value, span)
        if isinstance(value, core.Lambda):
            self.reserved.add(identifier(name))

    def statement(self, statement: core.Statement, loops: Scope) -> core.Statement:
        self.taken = {*loops.values(), *self.around, *self.reserved}
        self.used.clear()
        self.known.clear()
        match statement:
            case core.AssumeStatement(name, value, span, name_span):
                resolved = self.expr(value, loops)
                if name in self.globals:
                    self.globals[name].done = True
                return core.AssumeStatement(name, resolved, span, name_span)
            case core.ObserveStatement(source, value, span):
                return core.ObserveStatement(self.drawable(source, loops), self.expr(value, loops), span)
            case core.PredictStatement(label, value, span):
                return core.PredictStatement(self.label(label, loops), self.expr(value, loops), span)
            case core.InputStatement(name, default, span, name_span):
                resolved_default = None if default is None else self.expr(default, loops)
                if name in self.globals:
                    self.globals[name].done = True
                return core.InputStatement(name, resolved_default, span, name_span)
            case core.ForStatement(name, sequence, body, span, test):
                resolved_sequence = self.expr(sequence, loops)
                unique = self.fresh(name)
                inner = {**loops, name: unique}
                outside, self.around = self.around, (*self.around, unique)
                resolved_body = tuple(self.statement(part, inner) for part in body)
                self.around = outside
                return core.ForStatement(unique, resolved_sequence, resolved_body, span, test)
            case core.SharedStatement(shape, literals, shared, row, span):
                first = self.shared.get(shape)
                if first is None:
                    names = {name: self.fresh(name.replace("%", "_").rstrip("_")) for name in literals}
                    self.used.update(names.values())
                    resolved_shared = self.keeping(shared, {**loops, **names})
                    first = core.SharedStatement(shape, tuple(names.values()), resolved_shared, row, span)
                    self.shared[shape] = first
                return core.SharedStatement(shape, first.literals, first.statement, row, span)
            case _:
                assert_never(statement)

    def label(self, label: core.Expr, scope: Scope) -> core.Expr:
        """The label of a predict: a bare name is more often meant as the text than as a variable."""
        if isinstance(label, core.Name) and not self.is_known(label.text, scope):
            self.error(label.span, f"unknown name '{label.text}': a label is an expression; write \"{label.text}\"")
            return label
        return self.expr(label, scope)

    def keeping(
        self, statement: core.ObserveStatement | core.PredictStatement, scope: Scope
    ) -> core.ObserveStatement | core.PredictStatement:
        resolved = self.statement(statement, scope)
        assert isinstance(resolved, core.ObserveStatement | core.PredictStatement)
        return resolved

    # Expressions

    def fresh(self, name: str) -> str:
        """A Python name for a local variable."""
        base = identifier(name.split("%")[0])
        unique, number = base, 1
        while unique in self.taken:
            number += 1
            unique = f"{base}_{number}"
        self.taken.add(unique)
        return unique

    def bind(self, name: str, span: Span) -> str:
        if "%" not in name and (name in SIGNATURES or name in CONSTANTS):
            self.warn(span, f"'{name}' takes the place of the primitive of that name")
        return self.fresh(name)

    def first_mention(self, name: str, span: Span) -> Span:
        """Where a name first stands in a procedure: among its parameters."""
        if name not in SIGNATURES and name not in CONSTANTS:
            return span  # nobody will ask
        word = rf"(?<![^\s()\[\]{{}},]){re.escape(name)}(?![^\s()\[\]{{}},])"
        found = re.compile(word).search(self.source.text, span.start, span.end)
        return Span(*found.span()) if found else span

    def unused(self, name: str, unique: str, span: Span) -> None:
        if unique not in self.used and "%" not in name and not name.startswith("_"):
            self.warn(span, f"'{name}' is never used")

    def expr(self, expr: core.Expr, scope: Scope) -> core.Expr:
        match expr:
            case core.Const() | core.Local() | core.Global():
                return expr
            case core.Primitive():
                return expr
            case core.Name(text, span):
                return self.name(text, span, scope, _VALUE)
            case core.App():
                return self.application(expr, scope, _CALL)
            case core.Lambda():
                return self.procedure(expr, scope)
            case core.If(test, then, other, span):
                return core.If(self.expr(test, scope), self.expr(then, scope), self.expr(other, scope), span)
            case core.Let():
                return self.lets(expr, scope)
            case core.Letrec(bindings, body, span):
                inner = dict(scope)
                uniques = []
                for name, procedure in bindings:
                    unique = self.bind(name, procedure.span)
                    uniques.append(unique)
                    inner[name] = unique
                    self.known[unique] = procedure
                resolved_bindings = tuple(
                    [(unique, self.procedure(procedure, inner)) for unique, (_, procedure) in zip(uniques, bindings)]
                )
                return core.Letrec(resolved_bindings, self.expr(body, inner), span)
            case core.Sample(source, span):
                return core.Sample(self.drawable(source, scope), span)
            case core.Observe(source, value, span):
                return core.Observe(self.drawable(source, scope), self.expr(value, scope), span)
            case core.Mem(procedure, span):
                return core.Mem(self.expr(procedure, scope), span)
            case _:
                assert_never(expr)

    def application(self, expr: core.App, scope: Scope, role: str) -> core.Expr:
        match expr.operator:
            case core.Name(text, span):
                resolved = self.name(text, span, scope, role)
            case operator:
                resolved = self.expr(operator, scope)
        values = tuple([self.expr(argument, scope) for argument in expr.arguments])
        self.check_call(resolved, len(values), expr.span)
        return core.App(resolved, values, expr.span)

    def drawable(self, source: core.Expr, scope: Scope) -> core.Expr:
        """What sample and observe take: an unknown name there is one of a distribution."""
        match source:
            case core.App():
                return self.application(source, scope, _DRAWABLE)
            case core.Name(text, span):
                return self.name(text, span, scope, _DRAWABLE)
            case _:
                return self.expr(source, scope)

    def lets(self, expr: core.Expr, scope: Scope) -> core.Expr:
        """A chain of lets, of whatever length."""
        inner = dict(scope)
        bound: list[tuple[str, str, core.Expr, Span]] = []
        while isinstance(expr, core.Let):
            name, span = expr.name, expr.span
            given = expr.value
            if isinstance(given, core.Lambda) and not self.is_known(name, inner) and mentions(given, name):
                given = core.itself(name, given)
            value = self.expr(given, inner)
            if name == core.UNNAMED:
                bound.append((name, name, value, span))
            elif "%" in name and isinstance(value, core.Local):
                inner[name] = value.name  # what has a name needs no other
            else:
                inner[name] = self.bind(name, span)
                if isinstance(expr.value, core.Lambda):
                    self.known[inner[name]] = expr.value
                bound.append((name, inner[name], value, span))
            expr = expr.body
        result = self.expr(expr, inner)
        for name, unique, value, span in reversed(bound):
            result = core.Let(unique, value, result, span)
            self.unused(name, unique, span)
        return result

    def procedure(self, procedure: core.Lambda, scope: Scope) -> core.Lambda:
        inner = dict(scope)
        names = []
        for name in procedure.parameters:
            inner[name] = self.bind(name, self.first_mention(name, procedure.span))
            names.append(inner[name])
        rest = None
        if procedure.rest is not None:
            span = self.first_mention(procedure.rest, procedure.span)
            rest = inner[procedure.rest] = self.bind(procedure.rest, span)
        self.inside += 1
        body = self.expr(procedure.body, inner)
        self.inside -= 1
        return core.Lambda(procedure.name, tuple(names), rest, body, procedure.span)

    def name(self, text: str, span: Span, scope: Scope, role: str) -> core.Expr:
        if text in scope:
            self.used.add(scope[text])
            return core.Local(scope[text], span)
        if text in self.globals:
            definition = self.globals[text]
            if not definition.done and not self.inside:
                line = self.source.line_of(definition.span.start)
                self.error(span, f"'{text.split('%')[0]}' is used before it is defined, in {line}")
            return core.Global(text, span)
        if text in CONSTANTS:
            return core.Const(CONSTANTS[text], span)
        if text in SIGNATURES:
            return core.Primitive(text, span)
        bare = text.removeprefix("Math/")
        if bare != text and (bare in SIGNATURES or bare in ("PI", "E")):
            return self.name(bare.lower(), span, {}, role)
        own = [name for name in (*scope, *self.globals) if "%" not in name]
        self.error(span, f"unknown name '{text}'{hint(text, own, self.ranks(own, role))}")
        return core.Name(text, span)

    def is_known(self, text: str, scope: Scope) -> bool:
        return text in scope or text in self.globals or text in CONSTANTS or text in SIGNATURES

    def ranks(self, own: list[str], role: str) -> tuple[list[str], ...]:
        """The known names, those first that fit where an unknown one stands."""
        if role == _VALUE:
            return [*own, *CONSTANTS, *LITERALS], [*SIGNATURES, *SPECIAL]
        plain = {name for name, definition in self.globals.items() if isinstance(definition.value, core.Const)}
        fitting = [name for name in own if name not in plain]
        if role == _CALL:
            return [*fitting, *SIGNATURES, *SPECIAL], [*plain, *CONSTANTS, *LITERALS]
        return [*fitting, *STOCHASTIC], [*plain, *SIGNATURES, *SPECIAL, *CONSTANTS, *LITERALS]

    def check_call(self, operator: core.Expr, given: int, span: Span) -> None:
        match operator:
            case core.Primitive(name):
                signature = SIGNATURES[name]
                self.check_arity(name, signature.least, signature.most, signature.parameters, given, span)
            case core.Global(name):
                value = self.globals[name].value
                if isinstance(value, core.Mem):
                    value = value.procedure
                self.check_procedure(name, value, given, span)
            case core.Local(name) if name in self.known:
                procedure = self.known[name]
                is_temporary = "%" in procedure.name
                self.check_procedure("recur" if is_temporary else procedure.name, procedure, given, span)
            case core.Lambda(name):
                self.check_procedure(name, operator, given, span)
            case core.Const(value) if value is None or isinstance(value, bool | int | float | str):
                self.error(operator.span, f"{_shown(value)} is not a procedure and cannot be called")
            case _:
                pass

    def check_procedure(self, name: str, value: Any, given: int, span: Span) -> None:
        if isinstance(value, core.Lambda) and value.arities:
            if not any(given == number or (more and given > number) for number, more in value.arities):
                counts = [f"{number}{' or more' if more else ''}" for number, more in value.arities]
                verb = "is" if given == 1 else "are"
                self.error(span, f"'{name}' takes {' or '.join(counts)} arguments, but {given} {verb} given")
        elif isinstance(value, core.Lambda):
            least = len(value.parameters)
            parameters = tuple([parameter.split("%")[0] for parameter in value.parameters])
            if value.rest is not None:
                parameters += ("&", value.rest)
            self.check_arity(name, least, None if value.rest else least, parameters, given, span)
        elif isinstance(value, core.Const) and isinstance(value.value, bool | int | float | str):
            self.error(span, f"'{name}' is {_shown(value.value)}, not a procedure")

    def check_arity(
        self, name: str, least: int, most: int | None, parameters: tuple[str, ...], given: int, span: Span
    ) -> None:
        if given >= least and (most is None or given <= most):
            return
        count = f"{given} {'is' if given == 1 else 'are'} given"
        usage = f": ({' '.join([name, *parameters])})" if parameters and name != "fn" else ""
        subject = "this procedure" if name == "fn" else f"'{name}'"
        self.error(span, f"{subject} takes {arity_text(least, most)}, but {count}{usage}")


def arity_text(least: int, most: int | None) -> str:
    """1 argument, 1 or 2 arguments, at least 2 arguments."""
    if most is None:
        return f"at least {least} argument{'' if least == 1 else 's'}"
    if least == most:
        return f"{least} argument{'' if least == 1 else 's'}"
    return f"{least} {'or' if most == least + 1 else 'to'} {most} arguments"


def _shown(value: bool | int | float | str | None) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)
