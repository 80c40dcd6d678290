"""Which predicts can wait until the particles are finished (part of `analyse`).

A predict that only computes and draws from distributions changes nothing that others read, so that it can be run when
all else is done. One that may observe, or draw from a process, is run where it stands, and so is one that may read a
global which is assumed after it. What a loop assumes anew, and a waiting predict reads, is kept for it. A memo entry
that depends on what a loop assumes anew has the law of the moment at which it is asked for first: who may ask for one
is run where it stands, too.

    [for [y ys] [assume x (sample (normal x 1))] [observe (normal x 1) y] [predict x]]     waits; keeps x
    [predict (sample c)]                                                                   acts, if c is a process
    [predict (m 1)]                                           acts, if m is (mem (lambda (k) (sample (normal x 1))))
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from pplc.languages import core
from pplc.languages.traverse import closure, every_expression, expressions, globals_in, readers_of
from pplc.source import Span


def waiting(
    program: core.Program, direct: Container[str], acts: Callable[[core.Expr], bool]
) -> tuple[frozenset[Span], dict[Span, tuple[str, ...]]]:
    """The predicts that cannot wait, and for those that can the globals that have to be kept for them, if any.

    A procedure that is called directly has no value that could be kept."""
    rows = list(_rows(program.statements, (), False))
    readers = readers_of(
        (statement.name, exprs)
        for statement, exprs, _ in rows
        if isinstance(statement, core.AssumeStatement | core.InputStatement)
    )
    acting: set[str] = set()
    remembering: set[str] = set()
    last: dict[str, int] = {}
    anew: dict[str, set[str]] = {}
    for statement, exprs, _ in rows:
        if isinstance(statement, core.AssumeStatement | core.InputStatement):
            if _any(exprs, acts):
                acting.add(statement.name)
            if _any(exprs, lambda item: isinstance(item, core.Mem)):
                remembering.add(statement.name)
    for place, (statement, _, in_loop) in reversed(list(enumerate(rows))):
        if isinstance(statement, core.AssumeStatement):
            for name in closure({statement.name}, readers, last):
                last[name] = place
            if in_loop and statement.name not in direct:
                anew[statement.name] = closure(set(readers.get(statement.name, ())), readers)
    acting = closure(acting | (remembering & set().union(*anew.values())), readers)
    standing: set[Span] = set()
    kept: dict[Span, tuple[str, ...]] = {}
    for place, (statement, exprs, _) in enumerate(rows):
        if not isinstance(statement, core.PredictStatement | core.SharedStatement):
            continue
        read = set(globals_in(exprs))
        if _any(exprs, acts) or read & acting or any(last.get(name, 0) > place for name in read):
            standing.add(statement.span)
        else:
            names = tuple([name for name, users in anew.items() if name in read or read & users])
            if names:
                kept[statement.span] = names
    return frozenset(standing), kept


Row = tuple[core.Statement, tuple[core.Expr, ...], bool]


def _rows(statements: tuple[core.Statement, ...], around: tuple[core.Expr, ...], in_loop: bool) -> Iterator[Row]:
    """Every statement in order, with its expressions and those that the loops around it run over."""
    for statement in statements:
        exprs = (*expressions(statement), *around)
        if isinstance(statement, core.ForStatement):
            yield from _rows(statement.body, exprs, True)
        else:
            yield statement, exprs, in_loop


def _any(exprs: Iterable[core.Expr], holds: Callable[[core.Expr], bool]) -> bool:
    return any(holds(item) for expr in exprs for item in every_expression(expr))
