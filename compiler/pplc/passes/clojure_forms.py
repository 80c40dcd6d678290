"""Forms of Clojure that are short for others (part of `expand`): threading, `#(...)`, tests that bind, and `condp`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pplc.languages import core
from pplc.languages.forms import SHORT_FN, Form, Group, Name, head_of
from pplc.passes.binding import bindings, lets
from pplc.source import Span

if TYPE_CHECKING:
    from pplc.passes.surface import Surface

_ARGUMENT: Final = re.compile(r"%(\d{0,2}|&)")
MOST_ARGUMENTS: Final = 20


def thread(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(-> x (f a) g) is (g (f x a)), and (->> x (f a) g) is (g (f a x))."""
    word = head_of(form)
    if not rest:
        raise surface.fail(form, f"expected ({word} value step ...)")
    value, *steps = rest
    for step in steps:
        value = _stepped(step, value, first=word == "->")
    return surface.expr(value)


def _stepped(step: Form, value: Form, first: bool) -> Group:
    is_call = isinstance(step, Group) and step.bracket == "(" and step.items
    if not is_call or (isinstance(step.items[0], Name) and step.items[0].text in (SHORT_FN, "quote")):  # type: ignore[union-attr] # a Group
        return Group("(", (step, value), step.start, step.end)
    assert isinstance(step, Group)
    operator, *arguments = step.items
    items = (operator, value, *arguments) if first else (operator, *arguments, value)
    return Group("(", items, step.start, step.end)


def thread_as(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(as-> e name form ...): each form sees the value of the one before it under the name."""
    if len(rest) < 2:
        raise surface.fail(form, "expected (as-> value name form ...)")
    value, target, *steps = rest
    name, parts = surface.target(target, "whole")
    bound: list[tuple[str, core.Expr, Span]] = []
    for each in (value, *steps[:-1]):
        bound.append((name, surface.expr(each), each.span))
        bound.extend((part, inner, inner.span) for part, inner in parts)
    return lets(bound, surface.expr(steps[-1] if steps else target))


def short_fn(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """#(f % %2) is (fn [a b] (f a b))."""
    found: dict[str, str] = {}

    def renamed(item: Form) -> Form:
        match item:
            case Name(text, start, end) if _ARGUMENT.fullmatch(text):
                key = "%1" if text == "%" else text
                if key not in found:
                    found[key] = surface.written(surface.temporary("argument"))
                return Name(found[key], start, end)
            case Group(bracket, items, start, end) if items:
                if items[0] == Name(SHORT_FN, items[0].start, items[0].end):
                    raise surface.fail(item, "#(...) cannot stand inside of another; write one of them as (fn [x] ...)")
                return Group(bracket, tuple([renamed(each) for each in items]), start, end)
            case _:
                return item

    body = renamed(rest[0])
    most = max([int(key[1:]) for key in found if key != "%&"], default=0)
    if most > MOST_ARGUMENTS or "%0" in found:
        raise surface.fail(form, f"the arguments of #(...) are %1 to %{MOST_ARGUMENTS}")
    names = [found.get(f"%{number}") or surface.temporary("argument") for number in range(1, most + 1)]
    return core.Lambda("fn", tuple(names), found.get("%&"), surface.looping("", form, [body]), form.span)


def if_not(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 2, 3, "(if-not test then else)")
    other = surface.expr(rest[2]) if len(rest) == 3 else core.Const(None, form.span)
    return core.If(surface.expr(rest[0]), other, surface.expr(rest[1]), form.span)


def if_let(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(if-let [x e] a b): the variable can be seen in a only."""
    surface.size(form, rest, 2, 3, "(if-let [name test] then else)")
    other = surface.expr(rest[2]) if len(rest) == 3 else core.Const(None, form.span)
    return _bound_if_true(surface, form, rest[0], rest[1:2], other)


def when_let(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, "expected (when-let [name test] body ...)")
    return _bound_if_true(surface, form, rest[0], rest[1:], core.Const(None, form.span))


def _bound_if_true(surface: Surface, form: Group, header: Form, forms: Sequence[Form], other: core.Expr) -> core.Expr:
    pairs = bindings(surface, header)
    if len(pairs) != 1:
        raise surface.fail(header, f"{head_of(form)} binds one name: [name test]")
    ((target, test),) = pairs
    held = surface.temporary("test")
    name, parts = surface.target(target, "whole")
    bound: list[tuple[str, core.Expr, Span]] = [(name, core.Name(held, target.span), target.span)]
    bound.extend((part, inner, inner.span) for part, inner in parts)
    choice = core.If(core.Name(held, test.span), lets(bound, surface.body(form, forms)), other, form.span)
    return core.Let(held, surface.expr(test), choice, form.span)


def condp(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(condp f e t a u b c): a if (f t e), else b if (f u e), else c."""
    if len(rest) < 2:
        raise surface.fail(form, "expected (condp predicate expression value result ... default)")
    for item in rest:
        if isinstance(item, Name) and item.text == ":>>":
            raise surface.fail(item, "condp has no :>> here; use cond with if-let")
    key, predicate = surface.temporary("key"), surface.temporary("predicate")
    clauses = list(rest[2:])
    result: core.Expr
    if len(clauses) % 2:
        result = surface.expr(clauses.pop())
    else:
        result = core.primitive_call("no-case", form.span, core.Name(key, form.span))
    operator: core.Expr = surface.expr(rest[0]) if isinstance(rest[0], Name) else core.Name(predicate, rest[0].span)
    for test, value in reversed(list(zip(clauses[::2], clauses[1::2]))):
        asked = core.App(operator, (surface.expr(test), core.Name(key, test.span)), test.span)
        result = core.If(asked, surface.expr(value), result, Span(test.start, value.end))
    result = core.Let(key, surface.expr(rest[1]), result, rest[1].span)
    return result if isinstance(rest[0], Name) else core.Let(predicate, surface.expr(rest[0]), result, rest[0].span)
