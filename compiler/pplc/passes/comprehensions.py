"""Sequences gone through inside of expressions (part of `expand`): `for`, `doseq` and `dotimes`.

(for [x xs :when (odd? x) y ys] (+ x y))
-> (mapcat (fn [x] (if (odd? x) (map (fn [y] (+ x y)) ys) ())) xs)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pplc.languages import core
from pplc.languages.forms import Form, Group, Name, head_of
from pplc.passes.binding import bindings, bound_by, lets
from pplc_runtime.values import List

if TYPE_CHECKING:
    from pplc.passes.surface import Surface


def comprehension(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(for [x xs :let [y e] :when p] e): the list of the values of e."""
    word = head_of(form)
    if len(rest) < 2 or not (isinstance(rest[0], Group) and rest[0].bracket == "["):
        raise surface.fail(form, f"expected ({word} [name sequence ...] body ...)")
    pairs = bindings(surface, rest[0])
    if not pairs or _modifier(pairs[0][0]):
        raise surface.fail(rest[0], f"expected ({word} [name sequence ...] body ...)")
    return _over(surface, form, pairs, rest[1:])


def doseq(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(doseq [x xs] body ...): for what the body does; gives nil."""
    return core.Let(core.UNNAMED, comprehension(surface, form, rest), core.Const(None, form.span), form.span)


def dotimes(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(dotimes [i n] body ...): doseq over (range n)."""
    name, number = counted(surface, form, rest)
    parameter = surface.variable(name)
    body = surface.looping("", form, rest[1:])
    procedure = core.Lambda("dotimes", (parameter,), None, body, form.span)
    calls = core.primitive_call("map", form.span, procedure, times(surface, number))
    return core.Let(core.UNNAMED, calls, core.Const(None, form.span), form.span)


def counted(surface: Surface, form: Group, rest: Sequence[Form]) -> tuple[Form, Form]:
    """The variable of a dotimes, and its number of turns."""
    if len(rest) < 2 or not isinstance(rest[0], Group) or len(rest[0].items) != 2:
        usage = "[dotimes [name number] statement ...]" if form.bracket == "[" else "(dotimes [name number] body ...)"
        raise surface.fail(form, f"expected {usage}")
    name, number = rest[0].items
    return name, number


def times(surface: Surface, number: Form) -> core.Expr:
    return core.primitive_call("range", number.span, surface.expr(number))


def _modifier(target: Form) -> str:
    return target.text if isinstance(target, Name) and target.text.startswith(":") else ""


def _over(surface: Surface, form: Group, pairs: Sequence[tuple[Form, Form]], forms: Sequence[Form]) -> core.Expr:
    """The list of the values of a body, for what is left of the bindings."""
    if not pairs:
        return core.primitive_call("list", form.span, surface.looping("", form, forms))
    (target, value), *further = pairs
    match _modifier(target):
        case ":when":
            then = _over(surface, form, further, forms)
            return core.If(surface.expr(value), then, core.Const(List(), value.span), value.span)
        case ":let":
            return lets(bound_by(surface, value), _over(surface, form, further, forms))
        case "":
            pass
        case ":while":
            raise surface.fail(target, ":while goes behind the binding that it ends")
        case word:
            raise surface.fail(target, f"{head_of(form)} knows :when, :let and :while, not {word}")
    name, parts = surface.target(target, "element")
    sequence = surface.expr(value)

    def each(body: core.Expr) -> core.Lambda:
        return core.Lambda(head_of(form), (name,), None, lets([(p, e, e.span) for p, e in parts], body), form.span)

    while further and _modifier(further[0][0]) == ":while":
        test = further.pop(0)[1]
        inner = core.Lambda(head_of(form), (name,), None, surface.under(surface.expr(test), parts), test.span)
        sequence = core.primitive_call("take-while", test.span, inner, sequence)
    if further:
        return core.primitive_call("mapcat", form.span, each(_over(surface, form, further, forms)), sequence)
    return core.primitive_call("map", form.span, each(surface.looping("", form, forms)), sequence)
