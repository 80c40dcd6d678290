"""Procedures for several numbers of arguments, and their documentation (part of `expand`).

(fn ([x] (f x 1)) ([x y] (* x y)))
-> (fn [& xs] (let [n (count xs)] (cond (= n 1) ((fn [x] ...) (nth xs 0)) (= n 2) ... :else error)))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pplc.languages import core
from pplc.languages.forms import Atom, Form, Group
from pplc.source import Span

if TYPE_CHECKING:
    from pplc.passes.surface import Surface


def undocumented(forms: Sequence[Form]) -> Sequence[Form]:
    """The forms of a definition behind its name, without a text that describes it and a map of remarks."""
    if len(forms) > 1 and isinstance(forms[0], Atom) and isinstance(forms[0].value, str):
        forms = forms[1:]
    if len(forms) > 1 and isinstance(forms[0], Group) and forms[0].bracket == "{":
        forms = forms[1:]
    return forms


def is_clause(form: Form) -> bool:
    """Whether a form is ([x ...] body ...), a procedure for one number of arguments."""
    if not (isinstance(form, Group) and form.bracket == "(" and form.items):
        return False
    header = form.items[0]
    return isinstance(header, Group) and header.bracket == "["


def several_arities(surface: Surface, form: Group, clauses: Sequence[Group], name: str) -> core.Lambda:
    """The procedure that calls the one that is meant for its number of arguments."""
    found: list[core.Lambda] = []
    for clause in clauses:
        if len(clause.items) < 2:
            raise surface.fail(clause, "expected ([parameter ...] body ...)")
        procedure = surface.procedure(clause, clause.items[0], clause.items[1:], name)
        for other in found:
            if _arity(other) == _arity(procedure):
                raise surface.fail(clause.items[0], "there is a body for this number of arguments already")
            if other.rest is not None and procedure.rest is not None:
                raise surface.fail(clause.items[0], "one body only may take any number of further arguments")
        found.append(procedure)
    if len(found) == 1:
        return found[0]
    found.sort(key=_arity)
    if any(p.rest is not None and len(p.parameters) < len(found[-1].parameters) for p in found):
        raise surface.fail(form, "the body that takes any number of further arguments must have the most parameters")
    arguments, number = surface.temporary("arguments"), surface.temporary("number")
    span = form.span
    expected = " or ".join([f"{len(p.parameters)}{' or more' if p.rest else ''}" for p in found])
    body: core.Expr = core.primitive_call(
        "no-arity", span, core.Const(name, span), core.Const(expected, span), core.Name(number, span)
    )
    for procedure in reversed(found):
        test = core.primitive_call(
            "=" if procedure.rest is None else ">=",
            procedure.span,
            core.Name(number, span),
            core.Const(len(procedure.parameters), span),
        )
        body = core.If(test, _call(procedure, arguments), body, procedure.span)
    counted = core.primitive_call("count", span, core.Name(arguments, span))
    arities = tuple([_arity(p) for p in found])
    return core.Lambda(name, (), arguments, core.Let(number, counted, body, span), span, arities)


def _arity(procedure: core.Lambda) -> tuple[int, bool]:
    return len(procedure.parameters), procedure.rest is not None


def _call(procedure: core.Lambda, arguments: str, /) -> core.Expr:
    span = procedure.span
    taken = [_element(arguments, position, span) for position in range(len(procedure.parameters))]
    if procedure.rest is None:
        return core.App(procedure, tuple(taken), span)
    left = core.primitive_call("drop", span, core.Const(len(taken), span), core.Name(arguments, span))
    return core.primitive_call("apply", span, procedure, *taken, left)


def _element(arguments: str, position: int, span: Span) -> core.Expr:
    return core.primitive_call("nth", span, core.Name(arguments, span), core.Const(position, span))
