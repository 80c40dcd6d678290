"""Costs: what makes a sweep of pgas take longer than it need, for the warnings of `check`.

After a new prefix, pgas replays what reads a value that has changed. Two ways to write a model make that much:

    [assume s (mem (lambda (t) (+ (s (- t 1)) (sample (normal 0 1)))))]     every later state changes with this one
    [assume s (mem (lambda (t) (sample (normal (s (- t 1)) 1))))]           only the density of the next one does

    [observe (normal (mu (z t)) 1) y]       an entry of mu is drawn by whichever observe asks for it first
"""

from __future__ import annotations

from collections.abc import Iterator

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.traverse import (
    children,
    closure,
    every_expression,
    every_statement,
    expressions,
    globals_in,
    readers_of,
)
from pplc.source import Span

CHAIN = (
    "each entry of '{0}' is computed from the one before and from draws, so that all later ones change with it: a "
    "sweep of pgas takes time quadratic in their number. Where the model allows, draw the entry itself, as in "
    "(sample (normal ({0} (- t 1)) 1))"
)
ENTRIES = (
    "'{0}' draws an entry where it is first asked for, which differs between particles, and pgas replays all that "
    "reads it. If the keys are few and known, draw the values before the first observe and pick one by nth or if"
)


def check_costs(analysis: Analysis) -> list[Diagnostic]:
    """Warnings for a program that observes; without observes nothing is replayed."""
    statements = list(every_statement(analysis.program.statements))
    if not any(isinstance(statement, core.ObserveStatement) for statement in statements):
        return []
    memos = {
        s.name: s.value.procedure
        for s in statements
        if isinstance(s, core.AssumeStatement) and isinstance(s.value, core.Mem) and _draws(s.value)
    }
    chains = [
        Diagnostic(s.value.span, CHAIN.format(s.name), "warning")
        for s in statements
        if isinstance(s, core.AssumeStatement)
        and isinstance(procedure := memos.get(s.name), core.Lambda)
        and _follows(procedure.body, s.name, set())
    ]
    return [*chains, *_entries(statements, set(memos), analysis)]


def _draws(expr: core.Expr) -> bool:
    return any(isinstance(item, core.Sample) for item in every_expression(expr))


def _follows(expr: core.Expr, memo: str, tainted: set[str]) -> bool:
    """Whether the value of an expression changes with an entry of the memo, other than by the law of a draw."""
    match expr:
        case core.Sample():
            return False
        case core.Local(name):
            return name in tainted
        case core.App(core.Global(name), _) if name == memo:
            return True
        case core.Let(name, value, body):
            if _follows(value, memo, tainted):
                tainted.add(name)  # names are unique
            return _follows(body, memo, tainted)
        case _:
            for part in children(expr):  # noqa: SIM110 # any() of a generator would recur on the C stack
                if _follows(part, memo, tainted):
                    return True
            return False


def _entries(statements: list[core.Statement], memos: set[str], analysis: Analysis) -> Iterator[Diagnostic]:
    """Memos that draw and that observes ask for entries by what is random, though all of them could be drawn before."""
    readers = readers_of((s.name, (s.value,)) for s in statements if isinstance(s, core.AssumeStatement))
    open_ended = closure({name for name in analysis.random if _has_open_keys(name, statements)}, readers)
    for s in statements:
        if isinstance(s, core.AssumeStatement):  # asked for by what is known: entries are drawn there
            memos = memos - {name for name, keys, _ in _calls(expressions(s), memos) if not keys & analysis.random}
        elif isinstance(s, core.ObserveStatement):
            for name, keys, span in _calls(expressions(s), memos):
                if name in memos and keys & analysis.random and not keys & open_ended:
                    memos = memos - {name}
                    yield Diagnostic(span, ENTRIES.format(name), "warning")


def _calls(exprs: tuple[core.Expr, ...], memos: set[str]) -> Iterator[tuple[str, set[str], Span]]:
    """The calls of memos, with the globals that decide which entry is asked for: in the keys, and in tests around."""
    stack = [(expr, frozenset[str]()) for expr in reversed(exprs)]
    while stack:
        expr, tests = stack.pop()
        match expr:
            case core.App(core.Global(name), arguments) if name in memos:
                yield name, {*globals_in(arguments), *tests}, expr.span
            case core.If(test, then, other):
                inside = tests.union(globals_in((test,)))
                stack += [(other, inside), (then, inside), (test, tests)]
                continue
        stack += [(child, tests) for child in reversed(children(expr))]


def _has_open_keys(name: str, statements: list[core.Statement]) -> bool:
    """Whether a global may take one of endlessly many values: it draws from something else than a finite family."""
    for s in statements:
        if isinstance(s, core.AssumeStatement) and s.name == name:
            for item in every_expression(s.value):
                match item:
                    case core.Sample(core.App(core.Primitive("flip" | "bernoulli" | "discrete" | "categorical"), _)):
                        continue
                    case core.Sample():
                        return True
    return False
