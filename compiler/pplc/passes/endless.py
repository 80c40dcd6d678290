"""Endless: sequences without an end, of which a part is taken where they stand.

    (take n (iterate f x))      ->  (take n (reductions (fn [v _] (f v)) x (range 1 n)))
    (map f xs (range))          ->  (map f xs (range (count xs)))
    (take-while p (range))      ->  a loop

There is no lazy value: what is taken is computed at once, and as much as is taken. `(range)`, `(repeat x)`,
`(cycle xs)`, `(iterate f x)`, `(repeatedly f)` and `(map f s)` of such an s are endless; anywhere else they are errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pplc.diagnostics import CompileError, Diagnostic
from pplc.languages import core
from pplc.languages.traverse import binders, every_expression, every_statement, expressions, rebuilt, with_expressions
from pplc.source import Source, Span
from pplc_runtime.program.names import identifier

SOURCES: Final = {"range": 0, "repeat": 1, "repeatedly": 1, "iterate": 2, "cycle": 1}
"""With so many arguments these have no end."""
MAPS: Final = ("map", "mapv", "mapcat", "map-indexed", "zipmap")
"""What is as long as the shortest of its sequences; the first argument is a procedure, but of zipmap."""
UNTIL: Final = ("take-while", "some")
Make = Callable[..., core.Expr]


def endless(program: core.Program, source: Source) -> core.Program:
    """The program without endless sequences; raises CompileError where one has no end."""
    exprs = [item for s in every_statement(program.statements) for e in expressions(s) for item in every_expression(e)]
    if not any(_is_source(item) for item in exprs):
        return program
    taken = {name for item in exprs for name in binders(item)} | _names(program.statements)
    pass_ = _Endless(taken)
    statements = with_expressions(program.statements, pass_.expr)
    if pass_.errors:
        raise CompileError(source, pass_.errors)
    return core.Program(statements)


def _names(statements: Sequence[core.Statement]) -> set[str]:
    """What globals and loop variables are called in Python."""
    names: set[str] = set()
    for statement in every_statement(tuple(statements)):
        match statement:
            case core.AssumeStatement(name) | core.InputStatement(name):
                names.add(identifier(name))
            case core.ForStatement(name):
                names.add(name)
    for statement in statements:
        if isinstance(statement, core.SharedStatement):
            names.update(statement.literals)
    return names


def _is_source(expr: core.Expr) -> bool:
    match expr:
        case core.App(core.Primitive(name), arguments):
            return SOURCES.get(name) == len(arguments)
    return False


def _is_endless(expr: core.Expr) -> bool:
    match expr:
        case core.App(core.Primitive("map"), (_, first, *further)):
            return _is_endless(first) and all(map(_is_endless, further))
    return _is_source(expr)


@dataclass(slots=True)
class _Endless:
    taken: set[str]
    errors: list[Diagnostic] = field(default_factory=list)

    def fresh(self, base: str) -> str:
        name, number = identifier(base), 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name

    def expr(self, expr: core.Expr) -> core.Expr:
        match expr:
            case core.App(core.Primitive("take"), (number, sequence), span) if _is_endless(sequence):
                return self.held((number,), span, lambda n: self.taking(n, sequence, span))
            case core.App(core.Primitive("nth"), (sequence, number), span) if _is_endless(sequence):
                return self.held((number,), span, lambda n: self.element(n, sequence, span))
            case core.App(core.Primitive("first" | "second" as name), (sequence,), span) if _is_endless(sequence):
                return self.element(core.Const(int(name == "second"), span), sequence, span)
            case core.App(
                core.Primitive("first"),
                (core.App(core.Primitive("filter" | "drop-while" as name), (test, sequence)),),
                span,
            ) if _is_endless(sequence):
                return self.search("first" if name == "filter" else "not", test, sequence, span)
            case core.App(core.Primitive(name), (test, sequence), span) if name in UNTIL and _is_endless(sequence):
                return self.search(name, test, sequence, span)
            case core.App(core.Primitive(name), arguments, span) if (
                name in MAPS and any(map(_is_endless, arguments)) and not _is_endless(expr)
            ):
                return self.mapped(name, arguments, span)
        if _is_endless(expr):
            message = "this sequence has no end: take a part of it where it stands, as in (take n (range))"
            self.errors.append(Diagnostic(expr.span, message))
            return expr
        return rebuilt(expr, self.expr)

    def held(self, exprs: Sequence[core.Expr], span: Span, make: Make) -> core.Expr:
        """What is made of some expressions, each evaluated once, in order."""
        bound: list[tuple[str, core.Expr]] = []
        values: list[core.Expr] = []
        for each in exprs:
            value = self.expr(each)
            if not isinstance(value, core.Const | core.Local | core.Primitive):
                bound.append((self.fresh("endless"), value))
                value = core.Local(bound[-1][0], each.span)
            values.append(value)
        result = make(*values)
        for name, value in reversed(bound):
            result = core.Let(name, value, result, value.span)
        return result

    def mapped(self, name: str, arguments: tuple[core.Expr, ...], span: Span) -> core.Expr:
        """(map f xs (range)): as long as the shortest that has an end."""
        finite = [each for each in arguments if not _is_endless(each)]
        procedures = 0 if name == "zipmap" else 1

        def make(*values: core.Expr) -> core.Expr:
            counts = [core.primitive_call("count", span, each) for each in values[procedures:]]
            return self.held((core.primitive_call("min", span, *counts),), span, lambda n: put(n, list(values)))

        def put(number: core.Expr, values: list[core.Expr]) -> core.Expr:
            parts = [self.taking(number, each, span) if _is_endless(each) else values.pop(0) for each in arguments]
            return core.primitive_call(name, span, *parts)

        return self.held(finite, span, make)

    def taking(self, number: core.Expr, sequence: core.Expr, span: Span) -> core.Expr:
        """The first elements of an endless sequence, as a list."""
        assert isinstance(sequence, core.App) and isinstance(sequence.operator, core.Primitive)
        call = core.primitive_call
        match sequence.operator.name:
            case "range":
                return call("take", span, number, call("range", span, number))
            case "repeat" | "repeatedly" as name:
                return self.held(sequence.arguments, span, lambda x: call(name, span, number, x))
            case "cycle":
                return self.held(
                    sequence.arguments,
                    span,
                    lambda xs: call("map", span, self.turning(xs, span), call("range", span, number)),
                )
            case "iterate":

                def iterated(f: core.Expr, start: core.Expr) -> core.Expr:
                    rest = call("range", span, core.Const(1, span), number)
                    return call("take", span, number, call("reductions", span, self.stepping(f, span), start, rest))

                return self.held(sequence.arguments, span, iterated)
        procedure, *parts = sequence.arguments
        return self.held(
            (procedure,), span, lambda f: call("map", span, f, *[self.taking(number, part, span) for part in parts])
        )

    def element(self, number: core.Expr, sequence: core.Expr, span: Span) -> core.Expr:
        more = core.primitive_call("inc", span, number)
        return core.primitive_call("nth", span, self.taking(more, sequence, span), number)

    def stepping(self, f: core.Expr, span: Span) -> core.Lambda:
        """(fn [v _] (f v))"""
        value, ignored = self.fresh("value"), self.fresh("ignored")
        body = core.App(f, (core.Local(value, span),), span)
        return core.Lambda("iterate", (value, ignored), None, body, span)

    def turning(self, xs: core.Expr, span: Span) -> core.Lambda:
        """(fn [i] (nth xs (mod i (count xs))))"""
        index = self.fresh("index")
        return core.Lambda("cycle", (index,), None, _turned(xs, core.Local(index, span), span), span)

    def search(self, kind: str, test: core.Expr, sequence: core.Expr, span: Span) -> core.Expr:
        """A loop over the elements, until the test of one decides."""
        return self.held((test,), span, lambda p: self.starting(sequence, span, lambda *s: self.loop(kind, p, s, span)))

    def starting(self, sequence: core.Expr, span: Span, make: Make) -> core.Expr:
        """What is made of an endless sequence: its first state, and how an element and the next state come of one."""
        assert isinstance(sequence, core.App) and isinstance(sequence.operator, core.Primitive)
        call = core.primitive_call
        none = core.Const(None, span)
        match sequence.operator.name:
            case "range":
                return make(core.Const(0, span), lambda s: s, lambda s: call("inc", span, s))
            case "repeat":
                return self.held(sequence.arguments, span, lambda x: make(x, lambda s: s, lambda s: s))
            case "repeatedly":
                return self.held(
                    sequence.arguments, span, lambda f: make(none, lambda s: core.App(f, (), span), lambda s: none)
                )
            case "cycle":
                return self.held(
                    sequence.arguments,
                    span,
                    lambda xs: make(
                        core.Const(0, span), lambda s: _turned(xs, s, span), lambda s: call("inc", span, s)
                    ),
                )
            case "iterate":
                return self.held(
                    sequence.arguments, span, lambda f, x: make(x, lambda s: s, lambda s: core.App(f, (s,), span))
                )
        procedure, *parts = sequence.arguments
        if len(parts) > 1:
            self.errors.append(Diagnostic(span, "of endless sequences map takes one here; take a part of each"))
            return sequence
        inner = parts[0]

        def through(f: core.Expr) -> core.Expr:
            return self.starting(
                inner, span, lambda start, element, step: make(start, lambda s: core.App(f, (element(s),), span), step)
            )

        return self.held((procedure,), span, through)

    def loop(self, kind: str, test: core.Expr, stream: tuple[core.Expr, ...], span: Span) -> core.Expr:
        start, element, step = stream
        name, state, found, item = [self.fresh(base) for base in ("search", "state", "found", "item")]
        s, out, x = [core.Local(each, span) for each in (state, found, item)]
        asked = core.App(test, (x,), span)
        more = core.primitive_call("conj", span, out, x) if kind == "take-while" else out
        again = core.App(core.Local(name, span), (step(s), more), span)  # type: ignore[operator] # a procedure
        body: core.Expr
        match kind:
            case "take-while":
                body = core.If(asked, again, core.primitive_call("concat", span, out), span)
            case "first":
                body = core.If(asked, x, again, span)
            case "not":
                body = core.If(asked, again, x, span)
            case _:
                answer = self.fresh("answer")
                held = core.Local(answer, span)
                body = core.Let(answer, asked, core.If(held, held, again, span), span)
        body = core.Let(item, element(s), body, span)  # type: ignore[operator] # a procedure
        procedure = core.Lambda(name, (state, found), None, body, span)
        nothing = core.primitive_call("vector", span)
        return core.Letrec(((name, procedure),), core.App(core.Local(name, span), (start, nothing), span), span)


def _turned(xs: core.Expr, index: core.Expr, span: Span) -> core.Expr:
    around = core.primitive_call("mod", span, index, core.primitive_call("count", span, xs))
    return core.primitive_call("nth", span, xs, around)
