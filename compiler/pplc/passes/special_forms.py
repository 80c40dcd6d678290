"""Special forms (part of `expand`): one function each, from a form to the core language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from pplc.languages import core
from pplc.languages.forms import SHORT_FN, Form, Group, Name, head_of, instead
from pplc.languages.traverse import mentions
from pplc.passes.binding import bindings, let, letfn, letrec, lets
from pplc.passes.clojure_forms import condp, if_let, if_not, short_fn, thread, thread_as, when_let
from pplc.passes.comprehensions import comprehension, doseq, dotimes
from pplc.passes.first_order import folded, foreach
from pplc.source import Span

if TYPE_CHECKING:
    from pplc.passes.surface import Surface

SpecialForm: TypeAlias = "Callable[[Surface, Group, Sequence[Form]], core.Expr]"


def quote(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 1, 1, "(quote datum)")
    return core.Const(surface.quoted(rest[0]), form.span)


def if_(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 2, 3, "(if test then else)")
    other = surface.expr(rest[2]) if len(rest) == 3 else core.Const(None, form.span)
    return core.If(surface.expr(rest[0]), surface.expr(rest[1]), other, form.span)


def lambda_(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, "expected (lambda (parameter ...) body)")
    header = rest[0]
    if isinstance(header, Name):  # Scheme's: all arguments in a list
        header = Group("(", (Name("&", header.start, header.end), header), header.start, header.end)
    return surface.procedure(form, header, rest[1:], "fn")


def fn(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if rest and isinstance(rest[0], Name):
        name = surface.variable(rest[0])
        if len(rest) < 2:
            raise surface.fail(form, "expected (fn name [parameter ...] body ...)")
        procedure = surface.procedures(form, rest[1:], name, "(fn name [parameter ...] body ...)")
        return core.Letrec(((name, procedure),), core.Name(name, form.span), form.span)
    return surface.procedures(form, rest, "fn", "(fn [parameter ...] body ...)")


def loop(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, "expected (loop [name start ...] body ...)")
    if len(rest) > 2 and not isinstance(rest[0], Group):
        return folded(surface, form, rest)
    name = surface.temporary("loop")
    parameters: list[tuple[str, Form]] = []
    parts: list[tuple[str, core.Expr]] = []
    written: list[core.Expr] = []
    starts: list[core.Expr] = []
    for target, start in bindings(surface, rest[0]):
        written.append(surface.expr(start))
        starts.append(surface.under(written[-1], parts))
        parameter, found = surface.target(target, "argument")
        parameters.append((parameter, target))
        parts.extend(found)
    surface.distinct([*parameters, *parts])
    names = tuple([parameter for parameter, _ in parameters])
    body = surface.looping(name, form, rest[1:])
    for part, value in reversed(parts):
        if not mentions(body, part) and any(mentions(start, part) for start in written):
            part = surface.temporary(part)  # what a later start uses is no name that nobody uses
        body = core.Let(part, value, body, value.span)
    procedure = core.Lambda(name, names, None, body, form.span)
    outer: list[tuple[str, core.Expr, Span]] = []
    if any(mentions(start, earlier) for at, start in enumerate(starts) for earlier in names[:at]):
        outer = [(p, start, target.span) for (p, target), start in zip(parameters, starts)]
        starts = [core.Name(p, target.span) for p, target in parameters]
    call = core.App(core.Name(name, form.span), tuple(starts), form.span)
    return lets(outer, core.Letrec(((name, procedure),), call, form.span))


def recur(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if not surface.loops or not surface.loops[-1]:
        raise surface.fail(form, "recur must stand in a loop, or in a procedure whose parameters are plain names")
    operator = core.Name(surface.loops[-1], form.items[0].span)
    return core.App(operator, tuple([surface.expr(item) for item in rest]), form.span)


def cond(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    clauses: list[tuple[Form, Form]]
    if rest and all(isinstance(c, Group) and c.bracket in "([" and len(c.items) == 2 for c in rest):
        clauses = [(c.items[0], c.items[1]) for c in rest if isinstance(c, Group)]  # Scheme's
    elif len(rest) % 2:
        raise surface.fail(form, "cond needs an even number of forms: test value ...")
    else:
        clauses = list(zip(rest[::2], rest[1::2]))
    result: core.Expr = core.Const(None, form.span)
    for test, value in reversed(clauses):
        if isinstance(test, Name) and test.text in (":else", "else"):
            result = surface.expr(value)
        else:
            result = core.If(surface.expr(test), surface.expr(value), result, Span(test.start, value.end))
    return result


def case(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if not rest:
        raise surface.fail(form, "expected (case expression value result ... default)")
    key = surface.temporary("key")
    clauses = list(rest[1:])
    result: core.Expr
    if len(clauses) % 2:
        result = surface.expr(clauses.pop())
    else:
        result = core.primitive_call("no-case", form.span, core.Name(key, form.span))
    for test, value in reversed(list(zip(clauses[::2], clauses[1::2]))):
        choices = test.items if isinstance(test, Group) and test.bracket == "(" else (test,)
        tests = [
            core.primitive_call("=", c.span, core.Name(key, c.span), core.Const(surface.quoted(c), c.span))
            for c in choices
        ]
        result = core.If(_or(tests, test.span), surface.expr(value), result, Span(test.start, value.end))
    return core.Let(key, surface.expr(rest[0]), result, form.span)


def when(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if len(rest) < 2:
        raise surface.fail(form, f"expected ({head_of(form)} test body ...)")
    nothing = core.Const(None, form.span)
    test, body = surface.expr(rest[0]), surface.body(form, rest[1:])
    if head_of(form) == "when":
        return core.If(test, body, nothing, form.span)
    return core.If(test, nothing, body, form.span)


def and_(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if not rest:
        return core.Const(True, form.span)
    *tests, last = [surface.expr(item) for item in rest]
    for test in reversed(tests):
        name = surface.temporary("and")
        held = core.Name(name, test.span)
        last = core.Let(name, test, core.If(held, last, held, test.span), test.span)
    return last


def or_(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    if not rest:
        return core.Const(None, form.span)
    *tests, last = [surface.expr(item) for item in rest]
    for test in reversed(tests):
        name = surface.temporary("or")
        held = core.Name(name, test.span)
        last = core.Let(name, test, core.If(held, held, last, test.span), test.span)
    return last


def do(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    return surface.body(form, rest)


def sample(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 1, 1, f"(sample distribution){instead(rest, '(sample *)')}")
    return core.Sample(surface.expr(rest[0]), form.span)


def observe(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 2, 2, f"(observe distribution value){instead(rest, '(observe * value)')}")
    return core.Observe(surface.expr(rest[0]), surface.expr(rest[1]), form.span)


def weight(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 1, 1, WEIGHTING[head_of(form)])
    return surface.weight(head_of(form), surface.expr(rest[0]), form.span)


WEIGHTING: Final = {"factor": "(factor log-weight)", "condition": "(condition test)"}


def log_density(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(observe* d v), the log density of a value."""
    surface.size(form, rest, 2, 2, "(observe* distribution value)")
    return core.primitive_call("logpdf", form.span, surface.expr(rest[0]), surface.expr(rest[1]))


def with_primitives(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    """(with-primitive-procedures [f ...] body ...): all procedures can be called anyway."""
    return surface.body(form, rest[1:])


def mem(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    surface.size(form, rest, 1, 1, "(mem procedure)")
    return core.Mem(surface.expr(rest[0]), form.span)


INSTEAD: Final = {
    "predict": "give the value back and predict it there",
    "input": "declare it there",
    "include": "include it there",
}


def defines_nothing(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    word = head_of(form)
    raise surface.fail(
        form, f"'{word}' defines a name for the forms behind it, and here is none; use let, or give the value"
    )


def misplaced(surface: Surface, form: Group, rest: Sequence[Form]) -> core.Expr:
    word = head_of(form)
    message = f"'{word}' starts a statement, which can only stand at the top level; {INSTEAD[word]}"
    raise surface.fail(form, message)


def _or(tests: Sequence[core.Expr], span: Span) -> core.Expr:
    result = tests[-1]
    for test in reversed(tests[:-1]):
        result = core.If(test, core.Const(True, span), result, span)
    return result


SPECIAL_FORMS: Final[dict[str, SpecialForm]] = {
    "quote": quote,
    "if": if_,
    "if-not": if_not,
    "if-let": if_let,
    "lambda": lambda_,
    "fn": fn,
    SHORT_FN: short_fn,
    "let": let,
    "let*": let,
    "letrec": letrec,
    "letfn": letfn,
    "loop": loop,
    "recur": recur,
    "cond": cond,
    "condp": condp,
    "case": case,
    "when": when,
    "when-not": when,
    "when-let": when_let,
    "and": and_,
    "or": or_,
    "do": do,
    "begin": do,
    "->": thread,
    "->>": thread,
    "as->": thread_as,
    "for": comprehension,
    "foreach": foreach,
    "doseq": doseq,
    "dotimes": dotimes,
    "sample": sample,
    "sample*": sample,
    "observe*": log_density,
    "fm": fn,
    "with-primitive-procedures": with_primitives,
    "observe": observe,
    "factor": weight,
    "condition": weight,
    "mem": mem,
    "assume": defines_nothing,
    "define": defines_nothing,
    "def": defines_nothing,
    "defn": defines_nothing,
    "defm": defines_nothing,
    "predict": misplaced,
    "input": misplaced,
    "include": misplaced,
}
