"""Walks over the core language: what is inside of an expression, and which variables it binds and uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pplc.languages import core


def children(expr: core.Expr) -> tuple[core.Expr, ...]:
    """The expressions directly inside of an expression."""
    match expr:
        case core.App(operator, arguments):
            return (operator, *arguments)
        case core.Lambda(body=body):
            return (body,)
        case core.If(test, then, other):
            return (test, then, other)
        case core.Let(_, value, body):
            return (value, body)
        case core.Letrec(bindings, body):
            return (*[procedure for _, procedure in bindings], body)
        case core.Sample(source) | core.Mem(source):
            return (source,)
        case core.Observe(source, value):
            return (source, value)
        case _:
            return ()


def rebuilt(expr: core.Expr, part: Callable[[core.Expr], core.Expr]) -> core.Expr:
    """An expression with another in place of each that is directly inside of it."""
    match expr:
        case core.App(operator, arguments):
            return replace(expr, operator=part(operator), arguments=tuple([part(each) for each in arguments]))
        case core.Lambda(body=body):
            return replace(expr, body=part(body))
        case core.If(test, then, other):
            return replace(expr, test=part(test), then=part(then), other=part(other))
        case core.Let(_, value, body):
            return replace(expr, value=part(value), body=part(body))
        case core.Letrec(bindings, body):
            return replace(expr, bindings=tuple([(n, _procedure(part(p))) for n, p in bindings]), body=part(body))
        case core.Sample(source):
            return replace(expr, source=part(source))
        case core.Mem(procedure):
            return replace(expr, procedure=part(procedure))
        case core.Observe(source, value):
            return replace(expr, source=part(source), value=part(value))
        case _:
            return expr


def _procedure(expr: core.Expr) -> core.Lambda:
    assert isinstance(expr, core.Lambda)
    return expr


def every_expression(expr: core.Expr) -> Iterator[core.Expr]:
    """An expression and all that is inside of it, from left to right."""
    stack = [expr]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(reversed(children(item)))


def binders(expr: core.Expr) -> tuple[str, ...]:
    """The local variables that an expression itself binds."""
    match expr:
        case core.Lambda(_, parameters, rest):
            return parameters if rest is None else (*parameters, rest)
        case core.Let(name):
            return (name,)
        case core.Letrec(bindings):
            return tuple([name for name, _ in bindings])
        case _:
            return ()


def mentions(expr: core.Expr, name: str) -> bool:
    """Whether an expression uses a variable by a name that is not resolved yet; its own variables do not count."""
    stack = [expr]
    while stack:
        item = stack.pop()
        if isinstance(item, core.Name) and item.text == name:
            return True
        if name not in binders(item):
            stack.extend(children(item))
        elif isinstance(item, core.Let):
            stack.append(item.value)  # it is outside of the let's scope
    return False


def free_locals(expr: core.Expr) -> tuple[str, ...]:
    """The local variables that an expression uses and does not bind, in order of first use."""
    free: dict[str, None] = {}
    bound: set[str] = set()
    for item in every_expression(expr):
        if isinstance(item, core.Local):
            free.setdefault(item.name)
        else:
            bound.update(binders(item))
    return tuple([name for name in free if name not in bound])  # names are unique, so one set does


def every_statement(statements: tuple[core.Statement, ...]) -> Iterator[core.Statement]:
    """All statements, those inside for loops too; a shared one only once, as what it shares."""
    seen: set[int] = set()
    for statement in statements:
        match statement:
            case core.ForStatement(body=body):
                yield statement
                yield from every_statement(body)
            case core.SharedStatement(shape=shape, statement=shared):
                if shape not in seen:
                    seen.add(shape)
                    yield shared
            case _:
                yield statement


def expressions(statement: core.Statement) -> tuple[core.Expr, ...]:
    """The expressions directly inside of a statement."""
    match statement:
        case core.AssumeStatement(_, value):
            return (value,)
        case core.ObserveStatement(first, second) | core.PredictStatement(first, second):
            return (first, second)
        case core.InputStatement(_, default):
            return () if default is None else (default,)
        case core.ForStatement(_, sequence):
            return (sequence,)
        case core.SharedStatement(statement=shared):
            return expressions(shared)


def with_expressions(
    statements: tuple[core.Statement, ...], expr: Callable[[core.Expr], core.Expr]
) -> tuple[core.Statement, ...]:
    """Statements with another expression in place of each that is directly inside; what they share only once."""
    shared: dict[int, core.Statement] = {}

    def of(statement: core.Statement) -> core.Statement:
        match statement:
            case core.AssumeStatement(value=value):
                return replace(statement, value=expr(value))
            case core.ObserveStatement(source, value):
                return replace(statement, source=expr(source), value=expr(value))
            case core.PredictStatement(label, value):
                return replace(statement, label=expr(label), value=expr(value))
            case core.InputStatement(default=default):
                return statement if default is None else replace(statement, default=expr(default))
            case core.ForStatement(sequence=sequence, body=body):
                return replace(statement, sequence=expr(sequence), body=tuple([of(part) for part in body]))
            case core.SharedStatement(shape=shape, statement=own):
                if shape not in shared:
                    shared[shape] = of(own)
                made = shared[shape]
                assert isinstance(made, core.ObserveStatement | core.PredictStatement)
                return replace(statement, statement=made)

    return tuple([of(statement) for statement in statements])


def inputs_of(program: core.Program) -> frozenset[str]:
    """The names of the values that are given from outside."""
    return frozenset(s.name for s in every_statement(program.statements) if isinstance(s, core.InputStatement))


def side_by_side(sequence: core.Expr, inputs: frozenset[str]) -> tuple[str, ...]:
    """The inputs that a sequence goes over at once, as x and y in (map vector x y): users mean data of one length."""
    match sequence:
        case core.App(core.Primitive("map" | "mapv"), (_, *others)):
            names = [each.name for each in others if isinstance(each, core.Global) and each.name in inputs]
            return tuple(dict.fromkeys(names)) if len(names) == len(others) else ()
        case _:
            return ()


def globals_in(exprs: Iterable[core.Expr]) -> Iterator[str]:
    """The globals that stand in some expressions."""
    return (item.name for expr in exprs for item in every_expression(expr) if isinstance(item, core.Global))


def readers_of(definitions: Iterable[tuple[str, Iterable[core.Expr]]]) -> dict[str, list[str]]:
    """For each global, those whose definitions read it."""
    readers: dict[str, list[str]] = {}
    for name, exprs in definitions:
        for read in globals_in(exprs):
            readers.setdefault(read, []).append(name)
    return readers


def closure(names: set[str], readers: dict[str, list[str]], known: Iterable[str] = ()) -> set[str]:
    """Some globals and all whose definitions read them, through whatever globals; not those that are known already."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found and name not in known:
            found.add(name)
            pending.extend(readers.get(name, ()))
    return found
