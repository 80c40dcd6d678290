"""To Python: every statement and procedure as a Python function.

    (lambda (p) (if (sample (flip p)) 1 (+ 1 (geom p))))
    ->  def geom(at, p):
            return branch(sample(at[1], flip(p)), lambda: 1, lambda: add(1, geom(at[2], p)))

- `at` is the address of the running evaluation; each call and each draw has its own number in it.
- A procedure is a function of the module; what it closes over comes in as further parameters (lambda lifting),
  so that a closure is its code and a tuple of values.
- Evaluation stays left to right: what must be said in a statement of its own is hoisted, and what stood before
  it is saved first.
- A self call in tail position is a loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, assert_never

import numpy as np
from pplc_runtime.names import SIGNATURES, identifier, python_name
from pplc_runtime.values import List, Symbol

from pplc.languages import core
from pplc.languages.steps import Loop, Step, Steps
from pplc.passes.analyse import free_locals
from pplc.source import Span

DEEPEST_EXPRESSION: Final = 12
DEEPEST_BLOCK: Final = 8


@dataclass(slots=True)
class Function:
    """A Python function of the module and what it was made from."""

    definition: ast.FunctionDef
    span: Span


@dataclass(slots=True)
class Module:
    """The functions, constants and table of a compiled program."""

    functions: list[Function] = field(default_factory=list)
    constants: list[ast.stmt] = field(default_factory=list)
    procedures: list[ast.stmt] = field(default_factory=list)
    """The values of closed procedures, defined after the functions."""
    table: list[tuple[Step | Loop, str]] = field(default_factory=list)
    """Each step with the name of its function."""
    spans: dict[int, Span] = field(default_factory=dict)
    """The source span of an AST node, by its id."""
    imports: set[str] = field(default_factory=set)
    constant: frozenset[str] = frozenset()


def to_python(steps: Steps) -> Module:
    """The Python functions of all steps."""
    return _Builder(steps).build()


@dataclass(frozen=True, slots=True)
class _Known:
    """A procedure whose code is known where it is called."""

    function: str
    procedure: core.Lambda
    captured: tuple[str, ...]


class _Builder:
    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.module = Module(constant=steps.constant)
        self.temporaries = count(1)
        self.numbers: dict[int, tuple[int, core.Expr]] = {}
        """The number of every call and draw in its addresses, by the identity of its node (kept alive here)."""
        self.names: set[str] = set()
        self.constants: dict[Any, str] = {}
        self.direct: dict[str, _Known] = {}
        self.values: dict[str, str] = {}

    def build(self) -> Module:
        for name, procedure in self.steps.direct.items():
            self.direct[name] = _Known(self.unique(name), procedure, ())
        for known in self.direct.values():
            self.function(known, known.procedure.span)
        shapes: dict[int, str] = {}
        for step in self.steps.steps:
            if isinstance(step, Step) and step.shape is not None and step.shape in shapes:
                self.module.table.append((step, shapes[step.shape]))
                continue
            name = self.step(step)
            self.module.table.append((step, name))
            if isinstance(step, Step) and step.shape is not None:
                shapes[step.shape] = name
        return self.module

    def step(self, step: Step | Loop) -> str:
        match step:
            case Loop(name, sequence, variables, span):
                return self.statement(f"for_{name}", variables, (sequence,), span)
            case Step(core.AssumeStatement(name), _, _, _, _) if name in self.direct:
                return "None"
            case Step(core.AssumeStatement(name, value), variables, _, _, span):
                return self.statement(f"assume_{name}", variables, (value,), span)
            case Step(core.ObserveStatement(source, value), variables, _, _, span):
                return self.statement("observe", variables, (source, value), span)
            case Step(core.PredictStatement(label, value), variables, _, _, span):
                return self.statement("predict", variables, (label, value), span)
            case Step(core.InputStatement(name, default), variables, _, _, span):
                if default is None:
                    return "None"
                return self.statement(f"input_{name}", variables, (default,), span)
            case _:
                raise AssertionError(step)

    def statement(self, hint: str, variables: tuple[str, ...], values: tuple[core.Expr, ...], span: Span) -> str:
        name = self.unique(hint, numbered=hint in ("observe", "predict"))
        body = _Body(self, {})
        if len(values) == 1:
            body.tail(values[0])
        else:
            body.emit(ast.Return(ast.Tuple(body.all_values(values), ast.Load())))
        self.define(name, variables, body.statements, span)
        return name

    def function(self, known: _Known, span: Span, scope: dict[str, _Known] | None = None) -> None:
        """Define the function of a procedure, as a loop where it calls itself in tail position."""
        procedure = known.procedure
        own = _Self(known, procedure.name)
        body = _Body(self, dict(scope or {}), own=own)
        body.own_names = {name for name, other in body.known.items() if other is known}
        if own_global := next((g for g, other in self.direct.items() if other is known), None):
            body.own_global = own_global
        body.looping = body.calls_itself(procedure.body)
        body.tail(procedure.body)
        statements = body.statements
        if body.looping:
            statements = [ast.While(ast.Constant(True), statements, [])]
        parameters = (*procedure.parameters, *([procedure.rest] if procedure.rest else []), *known.captured)
        self.define(known.function, parameters, statements, span)

    def define(self, name: str, parameters: Iterable[str], body: list[ast.stmt], span: Span) -> None:
        arguments = ast.arguments(
            posonlyargs=[],
            args=[ast.arg("at"), *(ast.arg(identifier(p)) for p in parameters)],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[],
        )
        definition = ast.FunctionDef(name, arguments, body, [], lineno=0)
        self.module.functions.append(Function(definition, span))

    # Names and constants

    def unique(self, hint: str, numbered: bool = False) -> str:
        base = identifier(hint)
        number = 1
        name = f"{base}_{number}" if numbered else base
        while name in self.names:
            number += 1
            name = f"{base}_{number}"
        self.names.add(name)
        return name

    def runtime(self, name: str) -> ast.expr:
        self.module.imports.add(name)
        return ast.Name(name, ast.Load())

    def site(self, expr: core.Expr) -> ast.expr:
        """The address of an evaluation inside the running one: the same number wherever an expression is copied."""
        number, _ = self.numbers.setdefault(id(expr), (len(self.numbers) + 1, expr))
        return ast.Subscript(ast.Name("at", ast.Load()), ast.Constant(number), ast.Load())

    def constant(self, value: Any) -> ast.expr:
        if value is None or isinstance(value, bool | str):
            return ast.Constant(value)
        if isinstance(value, int | float):
            return number(value)
        key = repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)
        name = self.constants.get(key)
        if name is None:
            kind = {List: "list", Symbol: "symbol"}.get(type(value), "vector")
            name = self.constants[key] = self.unique(f"{kind}_", numbered=True)
            target = ast.Name(name, ast.Store())
            self.module.constants.append(ast.Assign([target], self.data(value), lineno=0))
        return ast.Name(name, ast.Load())

    def data(self, value: Any) -> ast.expr:
        """The expression that builds a constant."""
        match value:
            case np.ndarray():
                return ast.Call(self.runtime("numbers"), [literal(value.tolist())], [])
            case Symbol(name):
                return ast.Call(self.runtime("Symbol"), [ast.Constant(name)], [])
            case List():
                items = ast.Tuple([self.data(item) for item in value], ast.Load())
                return ast.Call(self.runtime("List"), [items], [])
            case tuple():
                return ast.Tuple([self.data(item) for item in value], ast.Load())
            case int() | float() if not isinstance(value, bool):
                return number(value)
            case _:
                return ast.Constant(value)

    def procedure_value(self, known: _Known, expr: core.Expr) -> ast.expr:
        """A procedure as a value: its code, name, arity and what it closes over."""
        lam = known.procedure
        shown = lam.name.split("%")[0]
        least = len(lam.parameters)
        arguments: list[ast.expr] = [
            ast.Name(known.function, ast.Load()),
            ast.Constant(shown),
            ast.Constant(least),
            ast.Constant(lam.rest is not None),
        ]
        if known.captured:
            captured = [ast.Name(identifier(name), ast.Load()) for name in known.captured]
            arguments.append(ast.Tuple(captured, ast.Load()))  # type: ignore[arg-type] # Name is an expr
            arguments.append(self.site(expr))
            return ast.Call(self.runtime("Procedure"), arguments, [])
        name = self.values.get(known.function)
        if name is None:
            name = self.values[known.function] = self.unique(f"{known.function}_procedure")
            target = ast.Name(name, ast.Store())
            value = ast.Call(self.runtime("Procedure"), arguments, [])
            self.module.procedures.append(ast.Assign([target], value, lineno=0))
        return ast.Name(name, ast.Load())


@dataclass(frozen=True, slots=True)
class _Self:
    known: _Known
    name: str


class _Body:
    """The statements of one Python function, or of one branch of it."""

    def __init__(
        self, builder: _Builder, known: dict[str, _Known], own: _Self | None = None, level: int = 0
    ) -> None:
        self.builder = builder
        self.known = known
        self.own = own
        self.own_names: set[str] = set()
        self.own_global: str | None = None
        self.looping = False
        self.level = level
        self.depth = 0
        self.statements: list[ast.stmt] = []

    def emit(self, statement: ast.stmt) -> None:
        self.statements.append(statement)

    def nested(self) -> _Body:
        """The body of a branch, which runs inside this one and cannot continue its loop."""
        return _Body(self.builder, dict(self.known), level=self.level + 1)

    def is_self_call(self, expr: core.Expr) -> bool:
        match expr:
            case core.App(core.Local(name)):
                return name in self.own_names
            case core.App(core.Global(name)):
                return name == self.own_global
            case _:
                return False

    def calls_itself(self, expr: core.Expr) -> bool:
        """Whether a tail position of an expression is a call of the procedure itself."""
        match expr:
            case core.If(_, then, other):
                return self.calls_itself(then) or self.calls_itself(other)
            case core.Let(_, _, body) | core.Letrec(_, body):
                return self.calls_itself(body)
            case core.App(operator, arguments):
                if isinstance(operator, core.Lambda) and _is_let(operator, arguments):
                    return self.calls_itself(operator.body)
                return self.is_self_call(expr)
            case _:
                return False

    # Tail positions

    def tail(self, expr: core.Expr) -> None:
        """The statements that return the value of an expression."""
        match expr:
            case core.Let(name, value, body):
                self.assign(name, self.value(value))
                self.tail(body)
            case core.Letrec(bindings, body):
                self.letrec(bindings, expr.span)
                self.tail(body)
            case core.If(test, then, other, span) if self.looping and self.calls_itself(expr):
                self.deciding(test, then, other, span)
            case core.App(core.Lambda() as operator, arguments) if _is_let(operator, arguments):
                self.bind_arguments(operator, arguments)
                self.tail(operator.body)
            case core.App(_, arguments) if self.looping and self.is_self_call(expr):
                self.loop_again(expr)
            case _:
                self.emit(ast.Return(self.value(expr)))

    def deciding(self, test: core.Expr, then: core.Expr, other: core.Expr, span: Span) -> None:
        """An if on the way to a self call: lanes that agree stay in the loop, lanes that do not call anew."""
        name = self.builder_temporary("test")
        call = self.call("agreed", [self.value(test)], span)
        self.emit(_assign(name, call))
        load: ast.expr = ast.Name(name, ast.Load())
        parting = ast.Return(self.call("branch", [load, *self.thunks(then, other)], span))
        before, self.statements = self.statements, []
        self.tail(then)
        taken, self.statements = self.statements, []
        self.tail(other)
        refused, self.statements = self.statements, before
        # The thunks of the parting case were hoisted into `before`; they are only defined there, not run.
        self.emit(ast.If(_is(load, True), taken, [ast.If(_is(load, False), refused, [parting])]))

    def loop_again(self, expr: core.Expr) -> None:
        assert isinstance(expr, core.App) and self.own is not None
        procedure = self.own.known.procedure
        values = self.arguments(procedure, expr.arguments)
        names = ["at", *map(identifier, procedure.parameters)]
        if procedure.rest is not None:
            names.append(identifier(procedure.rest))
        targets = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        again = ast.Tuple([self.builder.site(expr), *values], ast.Load())
        if len(names) == 1:
            self.emit(ast.Assign([targets.elts[0]], again.elts[0], lineno=0))
        else:
            self.emit(ast.Assign([targets], again, lineno=0))
        self.emit(ast.Continue())

    # Values

    def builder_temporary(self, hint: str) -> str:
        return f"{hint}_{next(self.builder.temporaries)}_"

    def assign(self, name: str, value: ast.expr) -> None:
        if name.startswith("__"):
            self.emit(ast.Expr(value))
        else:
            self.emit(_assign(identifier(name), value))

    def all_values(self, exprs: Sequence[core.Expr]) -> list[ast.expr]:
        """The values of several expressions, evaluated from left to right."""
        values: list[ast.expr] = []
        for expr in exprs:
            mark = len(self.statements)
            value = self.value(expr)
            if any(not isinstance(s, ast.FunctionDef) for s in self.statements[mark:]):
                for position, earlier in enumerate(values):
                    if not isinstance(earlier, ast.Name | ast.Constant):
                        name = self.builder_temporary("held")
                        self.statements.insert(mark, _assign(name, earlier))
                        mark += 1
                        values[position] = ast.Name(name, ast.Load())
            values.append(value)
        return values

    def value(self, expr: core.Expr) -> ast.expr:
        """The Python expression of an expression; what cannot be said in one is put in statements before it."""
        self.depth += 1
        try:
            result = self.expression(expr)
            if self.depth >= DEEPEST_EXPRESSION and not isinstance(result, ast.Name | ast.Constant):
                name = self.builder_temporary("held")
                self.emit(_assign(name, result))
                return ast.Name(name, ast.Load())
            return result
        finally:
            self.depth -= 1

    def expression(self, expr: core.Expr) -> ast.expr:
        builder = self.builder
        match expr:
            case core.Const(value):
                return builder.constant(value)
            case core.Local(name):
                if name in self.known:
                    return self.spanned(builder.procedure_value(self.known[name], expr), expr.span)
                return ast.Name(identifier(name), ast.Load())
            case core.Global(name):
                if name in builder.direct:
                    return builder.procedure_value(builder.direct[name], expr)
                return self.call("read", [ast.Constant(name)], expr.span)
            case core.Primitive(name):
                return self.call("primitive", [ast.Constant(name)], expr.span)
            case core.App():
                return self.application(expr)
            case core.Lambda():
                return self.spanned(builder.procedure_value(self.lift(expr), expr), expr.span)
            case core.If(test, then, other, span):
                value = self.value(test)
                if _is_simple(then) and _is_simple(other):
                    return self.call("choose", [value, self.value(then), self.value(other)], span)
                mark = len(self.statements)
                thunks = self.thunks(then, other)
                if len(self.statements) > mark and not isinstance(value, ast.Name | ast.Constant):
                    name = self.builder_temporary("test")
                    self.statements.insert(mark, _assign(name, value))
                    value = ast.Name(name, ast.Load())
                return self.call("branch", [value, *thunks], span)
            case core.Let(name, value, body):
                self.assign(name, self.value(value))
                return self.value(body)
            case core.Letrec(bindings, body, span):
                self.letrec(bindings, span)
                return self.value(body)
            case core.Sample(source, span):
                value = self.value(source)
                return self.call("sample", [builder.site(expr), value], span)
            case core.Observe(source, observed, span):
                values = self.all_values((source, observed))
                return self.call("observe", [builder.site(expr), *values], span)
            case core.Mem(procedure, span):
                value = self.value(procedure)
                return self.call("mem", [builder.site(expr), value], span)
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

    def application(self, expr: core.App) -> ast.expr:
        builder = self.builder
        operator, arguments, span = expr.operator, expr.arguments, expr.span
        match operator:
            case core.Primitive(name):
                return self.primitive_call(name, expr)
            case core.Lambda() if _is_let(operator, arguments):
                self.bind_arguments(operator, arguments)
                return self.value(operator.body)
            case core.Global(name) if name in builder.direct:
                return self.known_call(builder.direct[name], expr)
            case core.Local(name) if name in self.known:
                return self.known_call(self.known[name], expr)
            case _:
                values = self.all_values((operator, *arguments))
                return self.call("call", [builder.site(expr), *values], span)

    def bind_arguments(self, operator: core.Lambda, arguments: tuple[core.Expr, ...]) -> None:
        for name, value in zip(operator.parameters, self.all_values(arguments)):
            self.assign(name, value)

    def known_call(self, known: _Known, expr: core.App) -> ast.expr:
        values = self.arguments(known.procedure, expr.arguments)
        captured = [ast.Name(identifier(name), ast.Load()) for name in known.captured]
        function = ast.Name(known.function, ast.Load())
        return self.spanned(ast.Call(function, [self.builder.site(expr), *values, *captured], []), expr.span)

    def arguments(self, procedure: core.Lambda, arguments: tuple[core.Expr, ...]) -> list[ast.expr]:
        """The arguments as the function of a procedure takes them: what is beyond its parameters in a list."""
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
                    held = self.builder_temporary("held")
                    self.emit(_assign(held, result))
                    result = ast.Name(held, ast.Load())
            return result
        if signature.addressed:
            values.insert(0, self.builder.site(expr))
        return self.call(python_name(name, len(arguments)), values, span)

    # Branches and procedures

    def thunks(self, then: core.Expr, other: core.Expr) -> list[ast.expr]:
        return [self.thunk(then, "then"), self.thunk(other, "other")]

    def thunk(self, expr: core.Expr, hint: str) -> ast.expr:
        """A function of no arguments that evaluates a branch."""
        if self.level >= DEEPEST_BLOCK:
            return _lambda(self.outlined(expr))
        inner = self.nested()
        inner.tail(expr)
        if len(inner.statements) == 1 and isinstance(inner.statements[0], ast.Return):
            value = inner.statements[0].value
            assert value is not None
            return _lambda(value)
        name = self.builder_temporary(hint)
        self.emit(ast.FunctionDef(name, _no_arguments(), inner.statements, [], lineno=0))
        return ast.Name(name, ast.Load())

    def outlined(self, expr: core.Expr) -> ast.expr:
        """A branch that is nested too deep for Python's blocks, as a function of the module."""
        captured = self.captured(expr, ())
        procedure = core.Lambda("part", (), None, expr, expr.span)
        known = _Known(self.builder.unique("part", numbered=True), procedure, captured)
        self.builder.function(known, expr.span, self.known)
        variables = [ast.Name(identifier(name), ast.Load()) for name in captured]
        return ast.Call(ast.Name(known.function, ast.Load()), [ast.Name("at", ast.Load()), *variables], [])

    def captured(self, expr: core.Expr, group: tuple[str, ...]) -> tuple[str, ...]:
        """The variables that an expression closes over; for a known procedure, those that it closes over."""
        names: dict[str, None] = {}
        for name in free_locals(expr):
            if name in group:
                continue
            for each in self.known[name].captured if name in self.known else (name,):
                names.setdefault(each)
        return tuple(names)

    def lift(self, procedure: core.Lambda) -> _Known:
        name = self.builder.unique(procedure.name.split("%")[0])
        known = _Known(name, procedure, self.captured(procedure, ()))
        self.builder.function(known, procedure.span, self.known)
        return known

    def letrec(self, bindings: tuple[tuple[str, core.Lambda], ...], span: Span) -> None:
        group = tuple(name for name, _ in bindings)
        names: dict[str, None] = {}
        for _, procedure in bindings:
            names.update(dict.fromkeys(self.captured(procedure, group)))
        captured = tuple(names)
        for name, procedure in bindings:
            function = self.builder.unique(procedure.name.split("%")[0])
            self.known[name] = _Known(function, procedure, captured)
        for name, procedure in bindings:
            self.builder.function(self.known[name], procedure.span, self.known)


def _is_let(operator: core.Lambda, arguments: tuple[core.Expr, ...]) -> bool:
    return operator.rest is None and len(arguments) == len(operator.parameters)


def _is_simple(expr: core.Expr) -> bool:
    """Whether an expression is there already, so that both sides of a choice may be looked at."""
    return isinstance(expr, core.Const | core.Local)


def _is(value: ast.expr, constant: bool) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [ast.Constant(constant)])


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _lambda(value: ast.expr) -> ast.expr:
    return ast.Lambda(_no_arguments(), value)


def number(value: int | float) -> ast.expr:
    """A number as Python reads it back: a sign is an operator of its own."""
    if value < 0 or (value == 0 and str(value).startswith("-")):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def literal(value: Any) -> ast.expr:
    """A list of numbers, nested or not."""
    if isinstance(value, list):
        return ast.List([literal(item) for item in value], ast.Load())
    return number(value)

