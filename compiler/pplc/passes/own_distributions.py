"""Distributions and processes of one's own (part of `expand`): `defdist` and `defproc`, as Anglican has them.

    (defdist near [x] [noise (normal x 1)]         (defn near [x]
      (sample* [this] (sample* noise))        ->     (let [noise (normal x 1)]
      (observe* [this y] (observe* noise y)))          {:draw (fn [] ...) :score (fn [y] ...)}))

Such a distribution is a map of two procedures: one that draws, whose random choices are those of the program, and one
that gives the log density of a value. To draw from it is to call the first, and to observe it is a `factor` of what the
second gives. Only where something is drawn from or observed that may be such a map is it asked whether it is one.

    (defproc urn [black] [white 1]                 (defn urn ([black] (urn black 1))
      (produce [this] (flip ...))             ->     ([black white] (fn ([] (flip ...)) ([x] (urn ...)))))
      (absorb [this x] (urn ...)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from pplc.languages import core
from pplc.languages.forms import SPECIAL, Atom, Form, Group, Name
from pplc.languages.traverse import rebuilt
from pplc.passes.namespaces import mapped_forms
from pplc.source import Span
from pplc_runtime.program.names import STOCHASTIC
from pplc_runtime.values import Symbol

Fail = Callable[[Form, str], Exception]
USAGES: Final = {
    "defdist": "(defdist name [parameter ...] [name value ...] (sample* [this] draw) (observe* [this x] log-density))",
    "defproc": "(defproc name [parameter ...] [name value ...] (produce [this] source) (absorb [this x] process))",
}
METHODS: Final = {"defdist": ("sample*", "observe*"), "defproc": ("produce", "absorb")}
OLD: Final = {"sample": "sample*", "observe": "observe*"}
"""What the methods of a distribution were called before, and mean inside of them."""
DRAW, SCORE = ":draw", ":score"


def renamed(forms: Sequence[Form]) -> Sequence[Form]:
    """Forms in which a distribution of one's own that is called like a special form has another name."""
    taken = {name.text for form in forms if (name := _defined(form)) is not None and name.text in SPECIAL}

    def other(form: Form) -> Form:
        if (
            isinstance(form, Group)
            and len(form.items) > 1
            and _head(form) in ("observe", "observe*", "sample", "sample*")
        ):
            source = form.items[1]
            if _head(source) in taken and isinstance(source, Group):
                items = (form.items[0], source._replace(items=(_other(source.items[0]), *source.items[1:])))
                return form._replace(items=(*items, *form.items[2:]))
        name = _defined(form)
        if name is not None and isinstance(form, Group) and name.text in taken:
            return form._replace(items=(form.items[0], _other(name), *form.items[2:]))
        return form

    return [mapped_forms(form, other) for form in forms] if taken else forms


def defined_names(forms: Sequence[Form]) -> frozenset[str]:
    """The names of the distributions that a program defines."""
    return frozenset([name.text for form in forms if (name := _defined(form)) is not None])


def definition(form: Group, fail: Fail) -> Group:
    """What a defdist or a defproc defines, as a procedure."""
    word = _head(form)
    named, *rest = form.items[1:] or (form,)
    if rest and isinstance(rest[0], Atom) and isinstance(rest[0].value, str):
        rest = rest[1:]
    vectors = [item for item in rest[:2] if isinstance(item, Group) and item.bracket == "["]
    methods = [item for item in rest[len(vectors) :] if isinstance(item, Group)]
    if not isinstance(named, Name) or not vectors:
        raise fail(form, f"expected {USAGES[word]}")
    own = {OLD.get(_head(method), _head(method)): method for method in methods}
    first, second = [_method(form, own.get(each), count, fail) for count, each in enumerate(METHODS[word], start=1)]
    parameters, bindings = vectors[0], vectors[1].items if len(vectors) > 1 else ()
    if len(bindings) % 2:
        raise fail(vectors[1], "expected a name and a value, and so on")
    names = [Name(text, *form.span) for text in (DRAW, SCORE)]
    if word == "defdist":
        procedures = [Group("(", (Name("fn", *each.span), *each.items), *each.span) for each in (first, second)]
        value: Form = Group("{", (names[0], procedures[0], names[1], procedures[1]), *form.span)
        if bindings:
            value = _form("let", (Group("[", bindings, *form.span), value), form)
        return _form("defn", (named, parameters, value), form)
    value = _form("fn", (first, second), form)
    if not bindings:
        return _form("defn", (named, parameters, value), form)
    start = Group("(", (named, *parameters.items, *bindings[1::2]), *form.span)
    whole = Group("[", (*parameters.items, *bindings[::2]), *form.span)
    clauses = [Group("(", clause, *form.span) for clause in ((parameters, start), (whole, value))]
    return _form("defn", (named, *clauses), form)


def _method(form: Group, method: Group | None, count: int, fail: Fail) -> Group:
    """(observe* [this x] body ...) as ([x] body ...)."""
    header = method.items[1] if method is not None and len(method.items) > 2 else None
    if method is None or not isinstance(header, Group) or len(header.items) != count:
        raise fail(form if method is None else method, f"expected {USAGES[_head(form)]}")
    body = [mapped_forms(each, _as_density) if count == 2 else each for each in method.items[2:]]
    return Group("(", (Group("[", header.items[1:], *header.span), *body), *method.span)


def _as_density(form: Form) -> Form:
    """Inside of a log density, `observe` is the log density of another distribution."""
    if _head(form) != "observe" or not isinstance(form, Group):
        return form
    return form._replace(items=(Name("observe*", *form.items[0].span), *form.items[1:]))


def _defined(form: Form) -> Name | None:
    if _head(form) == "defdist" and isinstance(form, Group) and len(form.items) > 1:
        named = form.items[1]
        return named if isinstance(named, Name) else None
    return None


def _other(name: Form) -> Form:
    return name._replace(text=f"{name.text}-distribution") if isinstance(name, Name) else name


def _head(form: Form) -> str:
    if isinstance(form, Group) and form.bracket in "([" and form.items and isinstance(form.items[0], Name):
        return form.items[0].text
    return ""


def _form(word: str, rest: Iterable[Form], at: Form) -> Group:
    return Group("(", (Name(word, *at.span), *rest), *at.span)


class Choices:
    """Statements in which what is drawn from, or observed, may be a distribution of the program's own."""

    def __init__(self, own: frozenset[str], temporary: Callable[[str], str]) -> None:
        self.own = own
        self.temporary = temporary

    def statements(self, statements: Iterable[core.Statement]) -> list[core.Statement]:
        return [made for statement in statements for made in self.statement(statement)]

    def statement(self, statement: core.Statement) -> list[core.Statement]:
        match statement:
            case core.AssumeStatement(value=value):
                return [replace(statement, value=self.expr(value))]
            case core.PredictStatement(label, value):
                return [replace(statement, label=self.expr(label), value=self.expr(value))]
            case core.ForStatement(sequence=sequence, body=body):
                return [replace(statement, sequence=self.expr(sequence), body=tuple(self.statements(body)))]
            case core.ObserveStatement(source, value, span):
                seen, shown = self.expr(source), self.expr(value)
                if self.is_plain(source):
                    return [replace(statement, source=seen, value=shown)]
                if self.is_own(source):
                    return [core.ObserveStatement(*_weighed(seen, shown, span), span)]
                held, given = [core.Name(self.temporary(hint), span) for hint in ("source", "value")]
                pairs = ((held, seen), (given, shown))
                assumes = [core.AssumeStatement(name.text, bound, span, span) for name, bound in pairs]
                return [*assumes, core.ObserveStatement(*_either(held, given, span), span)]
            case _:
                return [statement]

    def expr(self, expr: core.Expr) -> core.Expr:
        match expr:
            case core.Sample(source, span) if self.is_own(source):
                return _call(self.expr(source), DRAW, (), span)
            case core.Sample(source, span) if not self.is_plain(source):
                return self.held(source, span, lambda held: self.drawn(held, span))
            case core.Observe(source, value, span) if not self.is_plain(source):
                given = self.expr(value)
                return self.held(source, span, lambda held: self.observed(held, given, span))
            case core.App(core.Name("logpdf") | core.Primitive("logpdf"), (source, value), span) if not self.is_plain(
                source
            ):
                given = self.expr(value)
                return self.held(source, span, lambda held: _density_of(held, given, span))
            case _:
                return rebuilt(expr, self.expr)

    def drawn(self, held: core.Expr, span: Span) -> core.Expr:
        other = core.primitive_call("identity", span, held)  # of which nobody says that it is a map
        return core.If(_is_own(held, span), _call(held, DRAW, (), span), core.Sample(other, span), span)

    def observed(self, held: core.Expr, value: core.Expr, span: Span) -> core.Expr:
        """An observe, whose value is what is observed."""
        given = core.Name(self.temporary("value"), span)
        seen = core.Observe(*_either(held, given, span), span)
        return core.Let(given.text, value, core.Let(core.UNNAMED, seen, given, span), span)

    def held(self, source: core.Expr, span: Span, body: Callable[[core.Expr], core.Expr]) -> core.Expr:
        name = self.temporary("source")
        return core.Let(name, self.expr(source), body(core.Name(name, span)), span)

    def is_own(self, source: core.Expr) -> bool:
        return (
            isinstance(source, core.App) and isinstance(source.operator, core.Name) and source.operator.text in self.own
        )

    def is_plain(self, source: core.Expr) -> bool:
        """Whether something surely is a distribution of the language."""
        match source:
            case core.App(core.Primitive(text)):
                return text in STOCHASTIC
            case core.App(core.Name(text)):
                return text not in self.own and text in STOCHASTIC
            case _:
                return False


def _is_own(held: core.Expr, span: Span) -> core.Expr:
    return core.primitive_call("map?", span, held)


def _call(held: core.Expr, key: str, arguments: tuple[core.Expr, ...], span: Span) -> core.Expr:
    return core.App(core.primitive_call("get", span, held, core.Const(Symbol(key), span)), arguments, span)


def _density_of(held: core.Expr, value: core.Expr, span: Span) -> core.Expr:
    plain = core.primitive_call("logpdf", span, core.primitive_call("identity", span, held), value)
    return core.If(_is_own(held, span), _call(held, SCORE, (value,), span), plain, span)


def _weighed(held: core.Expr, value: core.Expr, span: Span) -> tuple[core.Expr, core.Expr]:
    """The observe of a `factor`: of what it is, and the value that says nothing."""
    return core.primitive_call("factor", span, _call(held, SCORE, (value,), span)), core.Const(True, span)


def _either(held: core.Expr, value: core.Expr, span: Span) -> tuple[core.Expr, core.Expr]:
    """What is observed, and as what, by whether it is a distribution of the program's own."""
    own = _is_own(held, span)
    source, nothing = _weighed(held, value, span)
    return core.If(own, source, held, span), core.If(own, nothing, value, span)
