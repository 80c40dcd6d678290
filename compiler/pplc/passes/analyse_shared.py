"""Which globals many statements share, so that a move of one touches them all (part of `analyse`).

The target `globals` of an inference method is what these draw, `paths` is all else. The rule looks at the text only:

- An assume outside of loops that draws when it is evaluated is shared if more than two statements read it that draw or
  observe; one in a loop counts as many. It is read also through what only computes from it, and through procedures and
  memos that mention it, but not through what is drawn given it.
- A memo is shared if as many statements read it, and every call of it asks for a key that is random: the parameters of
  a class, or the row of a state. Where some key is not random, as the time of a state, its entries are paths.

    [assume q (sample (gamma 1 1))]                                                   shared, if x is observed in a loop
    [assume x (mem (lambda (t) (if (< t 1) 0 (sample (normal (x (dec t)) q)))))]      not shared
    [assume mu (mem (lambda (k) (sample (normal 0 1))))]                              shared, if asked for (mu (z i))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from pplc.languages import core
from pplc.languages.traverse import children, every_expression, every_statement, expressions, globals_in

MANY = 3
"""So many statements share what they read."""


def shared_globals(
    program: core.Program, is_random: Callable[[core.Expr, set[str]], bool], random: set[str]
) -> frozenset[str]:
    """The globals whose choices many statements read."""
    definitions = {s.name: s.value for s in every_statement(program.statements) if isinstance(s, core.AssumeStatement)}
    readers: Counter[str] = Counter()
    for statement, weight in _weighted(program.statements, 1):
        if isinstance(statement, core.AssumeStatement) and not _draws(statement.value):
            continue
        for name in _read_through(expressions(statement), definitions):
            readers[name] += weight
    outside = [s for s in program.statements if isinstance(s, core.AssumeStatement)]
    asked_in_order = _asked_for_in_order(program, is_random, random)
    return frozenset(
        s.name
        for s in outside
        if readers[s.name] >= MANY
        and (_draws(s.value) if not isinstance(s.value, core.Mem) else s.name in random - asked_in_order)
    )


def _weighted(statements: tuple[core.Statement, ...], weight: int) -> Iterator[tuple[core.Statement, int]]:
    """The statements that may draw or observe, with how many readers each counts for."""
    for statement in statements:
        match statement:
            case core.ForStatement(body=body):
                yield from _weighted(body, MANY)
            case core.SharedStatement(statement=shared):
                yield from _weighted((shared,), weight)
            case core.AssumeStatement() | core.ObserveStatement():
                yield statement, weight
            case _:
                pass


def _draws(expr: core.Expr) -> bool:
    """Whether an expression draws, or calls what may, when it is evaluated: a procedure or memo in it is made only."""
    stack = [expr]
    while stack:
        item = stack.pop()
        match item:
            case core.Sample():
                return True
            case core.Lambda() | core.Mem():
                continue
            case core.App(core.Global() | core.Local()):
                return True
            case _:
                stack.extend(children(item))
    return False


def _read_through(exprs: tuple[core.Expr, ...], definitions: dict[str, core.Expr]) -> set[str]:
    """The globals that some expressions read, through what computes, procedures and memos, not through what draws."""
    found: set[str] = set()
    pending = list(globals_in(exprs))
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        value = definitions.get(name)
        if value is not None and not _draws(value):
            pending.extend(globals_in((value,)))
    return found


def _asked_for_in_order(
    program: core.Program, is_random: Callable[[core.Expr, set[str]], bool], random: set[str]
) -> set[str]:
    """The globals that are called with a first argument that is not random, or mentioned without being called."""
    found: set[str] = set()
    for statement in every_statement(program.statements):
        if isinstance(statement, core.PredictStatement):
            continue
        for expr in expressions(statement):
            random_locals = _random_locals(expr, is_random, random)
            called = 0
            for item in every_expression(expr):
                match item:
                    case core.App(core.Global(name) as operator, arguments):
                        called = id(operator)
                        if not any(_is_random_key(key, random_locals, is_random, random) for key in arguments):
                            found.add(name)
                    case core.Global(name) if id(item) != called:
                        found.add(name)
    return found


def _random_locals(expr: core.Expr, is_random: Callable[[core.Expr, set[str]], bool], random: set[str]) -> set[str]:
    """The variables that a let binds to something random."""
    found: set[str] = set()
    for item in every_expression(expr):
        if isinstance(item, core.Let) and _is_random_key(item.value, found, is_random, random):
            found.add(item.name)
    return found


def _is_random_key(
    key: core.Expr, random_locals: set[str], is_random: Callable[[core.Expr, set[str]], bool], random: set[str]
) -> bool:
    return is_random(key, random) or any(
        isinstance(item, core.Local) and item.name in random_locals for item in every_expression(key)
    )
