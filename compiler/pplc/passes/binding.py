"""Bindings (part of `expand`): let and letrec, and definitions in bodies, which are one or the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pplc.languages import core
from pplc.languages.forms import Form, Group, Name
from pplc.source import Span

if TYPE_CHECKING:
    from pplc.passes.surface import Surface

Bound = list[tuple[str, core.Expr, Span]]


def bindings(surface: Surface, form: Form) -> list[tuple[Form, Form]]:
    """Clojure's [a 1 b 2] or Scheme's ((a 1) (b 2))."""
    if isinstance(form, Group) and form.bracket == "(":
        pairs = []
        for item in form.items:
            if not (isinstance(item, Group) and len(item.items) == 2):
                raise surface.fail(item, "expected (name expression)")
            pairs.append((item.items[0], item.items[1]))
        return pairs
    if not isinstance(form, Group) or form.bracket != "[":
        raise surface.fail(form, "expected a vector of bindings [name expression ...]")
    if len(form.items) % 2:
        raise surface.fail(form.items[-1], "this name has no expression to be bound to")
    return list(zip(form.items[::2], form.items[1::2]))


def bound_by(surface: Surface, form: Form) -> Bound:
    """What bindings bind, in order: names, and the parts of patterns."""
    bound: Bound = []
    for target, value in bindings(surface, form):
        name, parts = surface.target(target, "whole")
        bound.append((name, surface.named(value, name), target.span))
        bound.extend((part, inner, inner.span) for part, inner in parts)
    return bound


def lets(bound: Sequence[tuple[str, core.Expr, Span]], body: core.Expr) -> core.Expr:
    """Each seen by the next."""
    for name, value, span in reversed(bound):
        body = core.Let(name, value, body, span)
    return body


def let(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, "expected (let [name expression ...] body ...)")
    bound = bound_by(surface, rest[0])
    return lets(bound, surface.body(form, rest[1:]))


def letrec(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, "expected (letrec [name procedure ...] body ...)")
    found: Bound = []
    for target, value in bindings(surface, rest[0]):
        name = surface.variable(target)
        if name in [other for other, _, _ in found]:
            raise surface.fail(target, f"'{name}' is bound twice")
        procedure = surface.named(value, name)
        if not is_recursive(procedure):
            raise surface.fail(value, "letrec binds procedures: expected (fn ...) or (mem (fn ...)) here")
        found.append((name, procedure, value.span))
    return recursive(surface, found, surface.body(form, rest[1:]), form.span)


def letfn(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(letfn [(f [x] body ...)] e) is (letrec [f (fn [x] body ...)] e)."""
    usage = "expected (letfn [(name [parameter ...] body ...) ...] body ...)"
    if len(rest) < 2 or not isinstance(rest[0], Group):
        raise surface.fail(form, usage)
    pairs: list[Form] = []
    for each in rest[0].items:
        if not isinstance(each, Group) or len(each.items) < 3:
            raise surface.fail(each, usage)
        pairs += (each.items[0], each._replace(items=(Name("fn", each.start, each.start), *each.items[1:])))
    return letrec(surface, form, (rest[0]._replace(items=tuple(pairs)), *rest[1:]))


def is_recursive(value: core.Expr) -> bool:
    """Whether a value can refer to itself: a procedure, or a memoised one."""
    return isinstance(value, core.Lambda) or (isinstance(value, core.Mem) and isinstance(value.procedure, core.Lambda))


def recursive(surface: Surface, bound: Bound, body: core.Expr, span: Span) -> core.Expr:
    """Procedures that can call each other, memoised ones among them.

    A memoised procedure cannot close over itself. It is handed itself, and all others with it, as arguments:

        (letrec [f (mem (fn [n] ... (f (- n 1))))] body)
        -> (let [f' (mem (fn [f'' n] (letrec [f (fn [n] (f'' f'' n))] ... (f (- n 1)))))]
             (letrec [f (fn [n] (f' f' n))] body))

    Its entries go by the arguments and by itself, which is always the same."""
    memos = {name: value.procedure for name, value, _ in bound if isinstance(value, core.Mem)}
    raw = {name: surface.temporary(name) for name in memos}
    own = {name: surface.temporary(name) for name in memos}

    def procedures(through: dict[str, str]) -> tuple[tuple[str, core.Lambda], ...]:
        found = []
        for name, value, _ in bound:
            if isinstance(value, core.Mem):
                value = _calling(surface, name, value.procedure, through)
            assert isinstance(value, core.Lambda)
            found.append((name, value))
        return tuple(found)

    result: core.Expr = core.Letrec(procedures(raw), body, span)
    for name, procedure in reversed(memos.items()):
        assert isinstance(procedure, core.Lambda)
        given = tuple([surface.temporary(parameter) for parameter in procedure.parameters])
        rest = None if procedure.rest is None else surface.temporary(procedure.rest)
        call = _call(procedure, [core.Name(each, span) for each in given], rest, span)
        made = core.Lambda(
            name, (*own.values(), *given), rest, core.Letrec(procedures(own), call, span), procedure.span
        )
        result = core.Let(raw[name], core.Mem(made, procedure.span), result, procedure.span)
    return result


def _calling(surface: Surface, name: str, memoised: core.Expr, through: dict[str, str]) -> core.Lambda:
    """A procedure that calls a memoised one, which it hands all of them."""
    assert isinstance(memoised, core.Lambda)
    span = memoised.span
    given = [surface.temporary(parameter) for parameter in memoised.parameters]
    rest = None if memoised.rest is None else surface.temporary(memoised.rest)
    arguments = [core.Name(each, span) for each in (*through.values(), *given)]
    return core.Lambda(name, tuple(given), rest, _call(core.Name(through[name], span), arguments, rest, span), span)


def _call(operator: core.Expr, arguments: Sequence[core.Expr], rest: str | None, span: Span) -> core.Expr:
    if rest is None:
        return core.App(operator, tuple(arguments), span)
    return core.primitive_call("apply", span, operator, *arguments, core.Name(rest, span))


# Definitions in bodies


def is_definition(form: Form) -> bool:
    """Whether a form of a body defines a name for those behind it."""
    if not (isinstance(form, Group) and form.bracket in "([" and form.items):
        return False
    head = form.items[0]
    return isinstance(head, Name) and head.text in ("define", "def", "defn", "defm", "assume")


def defining(surface: Surface, definitions: Sequence[Form], body: core.Expr) -> core.Expr:
    """Definitions that stand one after the other, around a body: procedures can call those that follow."""
    groups: list[Bound] = []
    for form in definitions:
        assert isinstance(form, Group)
        found = surface.definition(form)
        last = groups[-1] if groups else None
        joins = last is not None and is_recursive(last[-1][1]) and len(found) == 1 and is_recursive(found[0][1])
        if last is not None and joins and found[0][0] not in [name for name, _, _ in last]:
            last.extend(found)
        else:
            groups.append(found)
    for group in reversed(groups):
        together = all(is_recursive(value) for _, value, _ in group)
        body = recursive(surface, group, body, group[0][2]) if together else lets(group, body)
    return body
