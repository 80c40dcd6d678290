"""Expressions of the surface language (part of `expand`): names, patterns, bodies, and what is no special form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.forms import SPECIAL, STATEMENTS, Atom, Form, Group, Name, head_of
from pplc.passes.shapes import literal_of
from pplc.passes.special_forms import SPECIAL_FORMS
from pplc.source import Source, Span
from pplc_runtime.names import primitive_named
from pplc_runtime.values import List, Symbol

DEEPEST: Final = 400
DEEPEST_DATA: Final = 60
RESERVED_WORDS: Final = frozenset({*SPECIAL, *STATEMENTS, "&", "else"})


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
        self.depth = 0
        self.too_deep = False

    # Errors

    def fail(self, form: Form, message: str) -> Bad:
        self.errors.append(Diagnostic(form.span, message))
        return Bad()

    def attempt(self, work: Callable[[], core.Expr], form: Form) -> core.Expr:
        try:
            return work()
        except Bad:
            return core.Const(None, form.span)

    def temporary(self, hint: str) -> str:
        return f"{hint}%{next(self.fresh)}"

    # Names and bodies

    def size(self, form: Form, rest: Sequence[Form], least: int, most: int, usage: str) -> None:
        if not least <= len(rest) <= most:
            raise self.fail(form, f"expected {usage}")

    def binder(self, form: Form) -> str:
        if not isinstance(form, Name) or form.text.startswith(":"):
            raise self.fail(form, "expected a name here")
        if form.text in RESERVED_WORDS:
            raise self.fail(form, f"'{form.text}' is reserved and cannot be a name")
        if "%" in form.text:  # as in the names of temporaries
            raise self.fail(form, f"'{form.text}' cannot be a name: % is reserved")
        return form.text

    def named(self, form: Form, name: str) -> core.Expr:
        """An expression that is bound to a name: a procedure takes it as its own, for messages."""
        value = self.expr(form)
        match value:
            case core.Lambda("fn", parameters, rest, body, span):
                return core.Lambda(name, parameters, rest, body, span)
            case core.Mem(core.Lambda("fn", parameters, rest, body, inner), span):
                return core.Mem(core.Lambda(name, parameters, rest, body, inner), span)
            case _:
                return value

    def body(self, form: Group, forms: Sequence[Form]) -> core.Expr:
        if not forms:
            raise self.fail(form, f"expected ({head_of(form)} expression ...)")
        *effects, last = forms
        values = [(effect, self.expr(effect)) for effect in effects]
        result = self.expr(last)
        for effect, value in reversed(values):
            result = core.Let(core.UNNAMED, value, result, effect.span)
        return result

    def procedure(self, form: Group, header: Form, forms: Sequence[Form], name: str) -> core.Lambda:
        if not isinstance(header, Group) or header.bracket == "{":
            raise self.fail(header, "expected a list of parameters such as [x y]")
        names, rest, parts = self.parameters(header)
        self.loops.append(name if rest is None and not parts else "")
        try:
            body = self.body(form, forms)
        finally:
            self.loops.pop()
        for part, value in reversed(parts):
            body = core.Let(part, value, body, header.span)
        return core.Lambda(name, tuple(names), rest, body, form.span)

    def parameters(self, header: Group) -> tuple[list[str], str | None, list[tuple[str, core.Expr]]]:
        names: list[str] = []
        rest: str | None = None
        parts: list[tuple[str, core.Expr]] = []
        items = list(header.items)
        while items:
            item = items.pop(0)
            if isinstance(item, Name) and item.text == "&":
                if len(items) != 1:
                    raise self.fail(item, "expected one name after &")
                rest = self.binder(items.pop())
            elif isinstance(item, Group) and item.bracket == "[":
                whole = self.temporary("argument")
                names.append(whole)
                parts.extend(self.destructure(item, core.Name(whole, item.span)))
            else:
                name = self.binder(item)
                if name in names and name != "_":
                    raise self.fail(item, f"parameter '{name}' appears twice")
                names.append(self.temporary("_") if name == "_" else name)
        return names, rest, parts

    def destructure(self, pattern: Form, whole: core.Expr) -> list[tuple[str, core.Expr]]:
        """The bindings of a vector pattern `[a [b c] & rest]` to the parts of a value."""
        if not (isinstance(pattern, Group) and pattern.bracket == "["):
            raise self.fail(pattern, "expected a name or a vector of names")
        found: list[tuple[str, core.Expr]] = []
        items = list(pattern.items)
        position = 0
        while items:
            item = items.pop(0)
            if isinstance(item, Name) and item.text == "&":
                if len(items) != 1:
                    raise self.fail(item, "expected one name after &")
                rest = items.pop()
                value = core.primitive_call("drop", item.span, core.Const(position, item.span), whole)
                found.append((self.binder(rest), value))
                break
            part = core.primitive_call("nth", item.span, whole, core.Const(position, item.span))
            if isinstance(item, Group):
                inner = self.temporary("part")
                found.append((inner, part))
                found.extend(self.destructure(item, core.Name(inner, item.span)))
            elif isinstance(item, Name) and item.text == "_":
                pass
            else:
                found.append((self.binder(item), part))
            position += 1
        return found

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
                if text in ("sample", "observe", "mem"):
                    return self.first_class(text, form)
                if text in RESERVED_WORDS and text != "else":
                    raise self.fail(form, f"'{text}' is a special form and not a value")
                return core.Name(text, form.span)
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
        """sample, observe and mem as values, as in (map sample distributions)."""
        span = form.span
        source, value = core.Name("source", span), core.Name("value", span)
        body: core.Expr
        match text:
            case "sample":
                body = core.Sample(source, span)
            case "observe":
                return core.Lambda(text, ("source", "value"), None, core.Observe(source, value, span), span)
            case _:
                body = core.Mem(source, span)
        return core.Lambda(text, ("source",), None, body, span)

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


def _vector(items: list[core.Expr], span: Span) -> core.Expr:
    """A vector of constants is a constant: data in the text need no code."""
    values = [item.value for item in items if isinstance(item, core.Const)]
    if len(values) == len(items) and all(_depth(value) < DEEPEST_DATA for value in values):
        return core.Const(primitive_named("vector").function(*values), span)
    return core.primitive_call("vector", span, *items)


def _depth(value: Any) -> int:
    if isinstance(value, tuple):
        return 1 + max(map(_depth, value), default=0)
    return int(getattr(value, "ndim", 0))
