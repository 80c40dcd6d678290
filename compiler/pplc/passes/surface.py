"""Expressions of the surface language (part of `expand`): names, patterns, bodies, and what is no special form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import Any, Final, TypeGuard

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.forms import SPECIAL, STATEMENTS, Atom, Form, Group, Name, head_of, indexed
from pplc.languages.traverse import mentions
from pplc.passes.binding import defining, is_definition
from pplc.passes.patterns import REST, after, destructure, rest_target
from pplc.passes.procedures import is_clause, several_arities, undocumented
from pplc.passes.shapes import literal_of
from pplc.passes.special_forms import SPECIAL_FORMS
from pplc.source import Source, Span
from pplc_runtime.program.names import primitive
from pplc_runtime.values import List, Symbol

DEEPEST: Final = 400
DEEPEST_DATA: Final = 60
FIRST_CLASS: Final = ("sample", "observe", "factor", "condition", "mem")
"""The special forms that are values too."""
OBSERVING: Final = {"observe": 3, "factor": 2, "condition": 2}
"""The statements that may stand in an expression, and how long they are."""
INFINITE: Final = {"Double/POSITIVE_INFINITY": True, "Double/NEGATIVE_INFINITY": False}
"""Java's names, and whether each is above zero."""
RESERVED_WORDS: Final = frozenset({*SPECIAL, *STATEMENTS, *REST, "else"})

_TEMPORARY: Final = re.compile(r"%\d")
"""In the names of temporaries, and of the literals of a shape."""


class Bad(Exception):
    """A form that cannot be expanded; the diagnostic is recorded already."""


class Surface:
    """Expands expressions; errors are collected in `errors`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.errors: list[Diagnostic] = []
        self.fresh = count(1)
        self.loops: list[str] = []
        """What `recur` calls, innermost last; an empty name where it may not stand."""
        self.literals: tuple[str, ...] = ()
        """The names that stand for the literals of the shape that is being expanded."""
        self.own: set[str] = set()
        """The temporaries that stand in forms, put there by what rewrites them."""
        self.depth = 0
        self.too_deep = False

    # Errors

    def fail(self, form: Form | core.Expr, message: str) -> Bad:
        self.errors.append(Diagnostic(form.span, message))
        return Bad()

    def attempt(self, work: Callable[[], core.Expr], form: Form) -> core.Expr:
        try:
            return work()
        except Bad:
            return core.Const(None, form.span)

    def temporary(self, hint: str) -> str:
        return f"{hint.split('%')[0]}%{next(self.fresh)}"

    def written(self, temporary: str) -> str:
        """A temporary that may stand in a form."""
        self.own.add(temporary)
        return temporary

    # Names and bodies

    def size(self, form: Form, rest: Sequence[Form], least: int, most: int, usage: str) -> None:
        if not least <= len(rest) <= most:
            raise self.fail(form, f"expected {usage}{indexed(rest)}")

    def binder(self, form: Form) -> str:
        if not isinstance(form, Name) or form.text.startswith(":"):
            raise self.fail(form, "expected a name here")
        if form.text in RESERVED_WORDS:
            raise self.fail(form, f"'{form.text}' is reserved and cannot be a name")
        if "%" in form.text:  # as in the names of temporaries
            raise self.fail(form, f"'{form.text}' cannot be a name: % is reserved")
        return form.text

    def variable(self, form: Form) -> str:
        """The name of a variable; a temporary one for `_`, which nothing can read."""
        name = self.binder(form)
        return self.temporary(name) if name == "_" else name

    def named(self, form: Form, name: str) -> core.Expr:
        """An expression that is bound to a name: a procedure takes it as its own, for messages."""
        value = self.expr(form)
        match value:
            case core.Lambda("fn"):
                return replace(value, name=name)
            case core.Mem(core.Lambda("fn") as procedure, span):
                return core.Mem(replace(procedure, name=name), span)
            case _:
                return value

    def body(self, form: Group, forms: Sequence[Form]) -> core.Expr:
        if not forms:
            raise self.fail(form, f"expected ({head_of(form)} expression ...)")
        *effects, last = forms
        if is_definition(last):
            raise self.fail(last, "a definition at the end of a body defines nothing; its value stands there alone")
        # A vector there is of no use, so that it means the statement whatever its length.
        effects = [_called(effect) if _starts(effect, tuple(OBSERVING)) else effect for effect in effects]
        pieces = [(is_defined, list(some)) for is_defined, some in groupby(effects, is_definition)]
        result = self.expr(last)
        for is_defined, some in reversed(pieces):
            if is_defined:
                result = defining(self, some, result)
                continue
            values = [(effect, self.expr(effect)) for effect in some]
            for effect, value in reversed(values):
                result = core.Let(core.UNNAMED, value, result, effect.span)
        return result

    def definition(self, form: Group) -> list[tuple[str, core.Expr, Span]]:
        """What a definition binds: a name, or the parts of a pattern."""
        word, rest = head_of(form), form.items[1:]
        if word == "define" and rest and isinstance(rest[0], Group) and rest[0].bracket == "(":
            named, parameters = self.scheme_header(form, rest)
            name = self.variable(named)
            return [(name, self.attempt(lambda: self.procedure(form, parameters, rest[1:], name), form), form.span)]
        if word in ("defn", "defm", "defn-"):
            usage = f"({word} name [parameter ...] body ...)"
            if len(rest) < 2:
                raise self.fail(form, f"expected {usage}")
            name = self.variable(rest[0])
            value = self.attempt(lambda: self.procedures(form, undocumented(rest[1:]), name, usage), form)
            return [(name, value, form.span)]
        rest = (*rest[:1], *undocumented(rest[1:]))
        self.size(form, rest, 2, 2, f"[{word} name expression]" if form.bracket == "[" else f"({word} name expression)")
        name, parts = self.target(rest[0], "whole")
        return [(name, self.named(rest[1], name), form.span), *[(part, value, value.span) for part, value in parts]]

    def scheme_header(self, form: Group, rest: Sequence[Form]) -> tuple[Form, Group]:
        """The name and the parameters of (define (name parameter ...) body ...)."""
        header = rest[0]
        assert isinstance(header, Group)
        if not header.items or len(rest) < 2:
            raise self.fail(form, "expected (define (name parameter ...) body ...)")
        return header.items[0], Group("(", header.items[1:], header.start, header.end)

    def looping(self, target: str, form: Group, forms: Sequence[Form]) -> core.Expr:
        """A body in which `recur` calls the target; it cannot stand there if that is empty."""
        self.loops.append(target)
        try:
            return self.body(form, forms)
        finally:
            self.loops.pop()

    def procedures(self, form: Group, rest: Sequence[Form], name: str, usage: str) -> core.Lambda:
        """[x] body ..., or ([x] body ...) ([x y] body ...) for several numbers of arguments."""
        if rest and all(is_clause(item) for item in rest):
            return several_arities(self, form, [item for item in rest if isinstance(item, Group)], name)
        if len(rest) < 2:
            raise self.fail(form, f"expected {usage}")
        return self.procedure(form, rest[0], rest[1:], name)

    def procedure(self, form: Group, header: Form, forms: Sequence[Form], name: str) -> core.Lambda:
        """(fn [x] body); where recur calls it, (fn [x'] (loop [x x'] body)), so that no name can come between."""
        if not isinstance(header, Group) or header.bracket == "{":
            every = f"; all arguments in a list are [& {header.text}]" if isinstance(header, Name) else ""
            raise self.fail(header, f"expected a list of parameters such as [x y]{every}")
        names, rest, parts = self.parameters(header)
        again = self.temporary("recur")
        body = self.looping(again if rest is None and not parts else "", form, forms)
        if mentions(body, again):
            given = [self.temporary(parameter) for parameter in names]
            inner = core.Lambda(again, tuple(names), None, body, form.span)
            arguments = tuple([core.Name(parameter, header.span) for parameter in given])
            call = core.App(core.Name(again, form.span), arguments, form.span)
            body, names = core.Letrec(((again, inner),), call, form.span), given
        for part, value in reversed(parts):
            body = core.Let(part, value, body, value.span)
        return core.Lambda(name, tuple(names), rest, body, form.span)

    def parameters(self, header: Group) -> tuple[list[str], str | None, list[tuple[str, core.Expr]]]:
        names: list[str] = []
        rest: str | None = None
        parts: list[tuple[str, core.Expr]] = []
        places: list[tuple[str, Form | core.Expr]] = []
        items = list(header.items)
        while items:
            item = items.pop(0)
            if isinstance(item, Name) and item.text in REST:
                item = after(self, item, items)
                rest, found = rest_target(self, item)
                parts.extend(found)
                places += [(rest, item), *found]
            else:
                name, found = self.target(item, "argument")
                names.append(name)
                parts.extend(found)
                places += [(name, item), *found]
        self.distinct(places)
        return names, rest, parts

    def distinct(self, places: Sequence[tuple[str, Form | core.Expr]]) -> None:
        seen: set[str] = set()
        for name, place in places:
            if name in seen:
                raise self.fail(place, f"parameter '{name}' appears twice")
            seen.add(name)

    def target(self, form: Form, hint: str) -> tuple[str, list[tuple[str, core.Expr]]]:
        """The variable that takes a value, and the parts of it that a pattern in its place names."""
        if isinstance(form, Name):
            return self.variable(form), []
        whole = self.temporary(hint)
        return whole, destructure(self, form, core.Name(whole, form.span))

    def under(self, expr: core.Expr, parts: Sequence[tuple[str, core.Expr]]) -> core.Expr:
        """An expression with those parts of patterns bound around it that it uses."""
        for name, value in reversed(parts):
            if mentions(expr, name):
                expr = core.Let(name, value, expr, value.span)
        return expr

    # Expressions

    def expr(self, form: Form) -> core.Expr:
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                if self.too_deep:
                    raise Bad  # its neighbours are too deep as well: once is enough
                self.too_deep = True
                raise self.fail(form, f"expressions are nested too deeply (more than {DEEPEST} levels)")
            return self.expression(form)
        except Bad:
            if self.depth > DEEPEST:
                raise
            return core.Const(None, form.span)
        finally:
            self.depth -= 1

    def expression(self, form: Form) -> core.Expr:
        match form:
            case Atom(value):
                return core.Const(value, form.span)
            case Name(text):
                if text.startswith(":"):
                    return core.Const(Symbol(text), form.span)
                if text in FIRST_CLASS:
                    return self.first_class(text, form)
                if text in RESERVED_WORDS and text != "else":
                    raise self.fail(form, f"'{text}' is a special form and not a value")
                if text == "_":
                    raise self.fail(form, "'_' takes a value and gives it no name: it cannot be read")
                if _TEMPORARY.search(text) and text not in self.literals and text not in self.own:
                    raise self.fail(form, f"'{text}' cannot be a name: % is reserved")
                if text in INFINITE:
                    return _infinity(INFINITE[text], form.span)
                return core.Name(text, form.span)
            case Group("(", (Name("/"), Atom(float() | int() as over), Atom(float(under)))) if not under and over:
                return _infinity(over > 0, form.span)
            case Group("[") if _is_statement(form):
                return self.expression(_called(form))
            case Group("["):
                literal = literal_of(form)
                if literal is not None:
                    return core.Const(literal, form.span)
                return _vector([self.expr(item) for item in form.items], form.span)
            case Group("{"):
                if len(form.items) % 2:
                    raise self.fail(form, "a map literal needs a value for every key")
                return core.primitive_call("hash-map", form.span, *[self.expr(item) for item in form.items])
            case Group():
                if not form.items:
                    return core.Const(List(), form.span)
                head = form.items[0]
                if isinstance(head, Name) and head.text in SPECIAL_FORMS:
                    return SPECIAL_FORMS[head.text](self, form, form.items[1:])
                if isinstance(head, Name) and head.text.startswith(":"):
                    self.size(form, form.items[1:], 1, 2, f"({head.text} map) or ({head.text} map default)")
                    key = core.Const(Symbol(head.text), head.span)
                    whole, *default = [self.expr(item) for item in form.items[1:]]
                    return core.primitive_call("get", form.span, whole, key, *default)
                operator = self.expr(head)
                return core.App(operator, tuple([self.expr(item) for item in form.items[1:]]), form.span)

    def first_class(self, text: str, form: Form) -> core.Expr:
        """sample, observe, factor, condition and mem as values, as in (map sample distributions)."""
        span = form.span
        source, value = core.Name("source", span), core.Name("value", span)
        body: core.Expr
        match text:
            case "sample":
                body = core.Sample(source, span)
            case "observe":
                return core.Lambda(text, ("source", "value"), None, core.Observe(source, value, span), span)
            case "mem":
                body = core.Mem(source, span)
            case _:
                body = self.weight(text, source, span)
        return core.Lambda(text, ("source",), None, body, span)

    def weighted(self, word: str, given: core.Expr, span: Span) -> tuple[core.Expr, core.Expr]:
        """What `factor` or `condition` observes, and as what: a density that is the given number, or 1 or 0."""
        if word == "condition":
            given = core.primitive_call("boolean", given.span, given)
        return core.primitive_call(word, span, given), core.Const(True, span)

    def weight(self, word: str, given: core.Expr, span: Span) -> core.Expr:
        """The same as an expression, whose value is nil."""
        return core.Let(
            core.UNNAMED, core.Observe(*self.weighted(word, given, span), span), core.Const(None, span), span
        )

    def quoted(self, form: Form, depth: int = 1) -> Any:
        if depth > DEEPEST_DATA:
            raise self.fail(form, f"quoted data are nested too deeply (more than {DEEPEST_DATA} levels)")
        match form:
            case Atom(value):
                return value
            case Name(text):
                return Symbol(text)
            case Group("["):
                literal = literal_of(form)
                if literal is not None:
                    return literal
                return tuple([self.quoted(item, depth + 1) for item in form.items])
            case Group("{"):
                raise self.fail(form, "a map cannot be quoted; write it without the quote")
            case Group():
                return List([self.quoted(item, depth + 1) for item in form.items])


def _starts(form: Form, words: Sequence[str]) -> TypeGuard[Group]:
    """Whether a form is a vector that starts with one of the words."""
    if not (isinstance(form, Group) and form.bracket == "[" and form.items):
        return False
    head = form.items[0]
    return isinstance(head, Name) and head.text in words


def _is_statement(form: Group) -> bool:
    """Whether a vector in an expression is meant as a statement.

    `observe` is a value too, so that a vector may hold it; with a distribution and a value behind it, it is the
    observe. So are `factor` and `condition`. The other words are no values."""
    if _starts(form, tuple(OBSERVING)):
        return len(form.items) == OBSERVING[head_of(form)]
    return _starts(form, STATEMENTS)


def _called(form: Group) -> Group:
    """[observe d v] as (observe d v)."""
    return form._replace(bracket="(")


def _vector(items: list[core.Expr], span: Span) -> core.Expr:
    """A vector of constants is a constant: data in the text need no code."""
    values = [item.value for item in items if isinstance(item, core.Const)]
    if len(values) == len(items) and all(_depth(value) < DEEPEST_DATA for value in values):
        return core.Const(primitive("vector").function(*values), span)
    return core.primitive_call("vector", span, *items)


def _infinity(above: bool, span: Span) -> core.Expr:
    """What (/ 1.0 0.0) or (/ -1.0 0.0) is meant for."""
    below = core.primitive_call("log", span, core.Const(0, span))
    return core.primitive_call("-", span, below) if above else below


def _depth(value: Any) -> int:
    if isinstance(value, tuple):
        return 1 + max(map(_depth, value), default=0)
    return int(getattr(value, "ndim", 0))
