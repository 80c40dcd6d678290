"""Forms of the first-order language of the textbook (part of `expand`): `foreach`, and `loop` with a number of turns.

(foreach 3 [x xs] (f x))   ->   (mapv (fn [x] (f x)) (take 3 xs))
(loop 3 start f a)         ->   (reduce (fn [v i] (f i v a)) start (range 3))

J.-W. van de Meent, B. Paige, H. Yang and F. Wood (2018), An Introduction to Probabilistic Programming, section 2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pplc.languages import core
from pplc.languages.forms import Form, Group, Name
from pplc.passes.binding import bindings, lets
from pplc.source import Span

if TYPE_CHECKING:
    from pplc.passes.surface import Surface


def foreach(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(foreach n [name sequence ...] body ...): a vector of the values of the body, for the first n elements."""
    number, header, *body = rest if len(rest) > 2 else (form, form)
    if not body or not isinstance(header, Group):
        raise surface.fail(form, "expected (foreach n [name sequence ...] body ...)")
    pairs = bindings(surface, header) if header.items else []
    names = Group("[", tuple([target for target, _ in pairs]), *header.span)
    procedure = surface.expr(Group("(", (Name("fn", form.start, form.start), names, *body), *form.span))
    call, span = core.primitive_call, form.span
    if not pairs:
        return call("vec", span, call("repeatedly", span, surface.expr(number), procedure))
    first, *further = [surface.expr(sequence) for _, sequence in pairs]
    return call("mapv", span, procedure, call("take", span, surface.expr(number), first), *further)


def folded(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(loop n start f argument ...): what f gives for a number from 0, what it gave before, and the arguments."""
    number, start, *called = rest
    span = form.span
    given = [(surface.temporary("loop"), surface.expr(each), each.span) for each in called]
    value, turn = surface.temporary("value"), surface.temporary("turn")
    operator, *arguments = [_name(name, span) for name, _, _ in given]
    body = core.App(operator, (_name(turn, span), _name(value, span), *arguments), span)
    step = core.Lambda("loop", (value, turn), None, body, span)
    turns = core.primitive_call("range", span, surface.expr(number))
    return lets(given, core.primitive_call("reduce", span, step, surface.expr(start), turns))


def _name(text: str, span: Span) -> core.Expr:
    return core.Name(text, span)
