"""Analyse: what the later passes want to know of a resolved program.

- `direct`: the globals that are closed procedures. A call of one needs no look-up, and none of them is a cell
  that regeneration has to watch.
- `constant`: the globals that every execution gives the same value, since evaluating them neither draws nor
  observes, nor reads a global that does. They are evaluated once a run, not once a sweep.
- `random`: the globals whose value may depend on a random choice. An observe that nothing random reaches is
  worth a warning: it changes no posterior.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pplc_runtime.names import SIGNATURES
from pplc_runtime.stochastic import PROCESS_CONSTRUCTORS

from pplc.diagnostics import Diagnostic
from pplc.languages import core


PROCESSES = frozenset({*PROCESS_CONSTRUCTORS, "gp"})


CALLED = {"repeatedly": 1, "update": 2}
"""Which argument of a primitive is the procedure that it calls, where it is not the first."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A program with what is known of it."""

    program: core.Program
    direct: dict[str, core.Lambda]
    random: frozenset[str]
    constant: frozenset[str]


def analyse(program: core.Program) -> tuple[Analysis, list[Diagnostic]]:
    """The facts about a program, and the warnings that follow from them."""
    assumes = [s for s in every_statement(program.statements) if isinstance(s, core.AssumeStatement)]
    direct = {
        s.name: s.value for s in assumes if isinstance(s.value, core.Lambda) and not free_locals(s.value)
    }
    random: set[str] = set()
    changed = True
    while changed:
        changed = False
        for statement in assumes:
            if statement.name not in random and _is_random(statement.value, random):
                random.add(statement.name)
                changed = True
    warnings = [
        Diagnostic(s.span, "no random value reaches this observe; it changes no posterior", "warning")
        for s in every_statement(program.statements)
        if isinstance(s, core.ObserveStatement) and not _is_random(s.source, random) and not _is_random(s.value, random)
    ]
    return Analysis(program, direct, frozenset(random), _constants(program, direct)), warnings


def _constants(program: core.Program, direct: dict[str, core.Lambda]) -> frozenset[str]:
    constant = {s.name for s in program.statements if isinstance(s, core.AssumeStatement | core.InputStatement)}
    values = {s.name: s.value for s in program.statements if isinstance(s, core.AssumeStatement)}
    quiet = set(direct)
    """The closed procedures whose calls are constant for constant arguments."""
    changed = True
    while changed:
        changed = False
        for name in [n for n in quiet if not _is_constant(direct[n].body, constant | quiet, quiet)]:
            quiet.discard(name)
            changed = True
        for name, value in values.items():
            if name in constant and not _is_constant(value, constant | quiet, quiet):
                constant.discard(name)
                changed = True
    return frozenset(constant)


def _is_constant(expr: core.Expr, constant: set[str], quiet: set[str]) -> bool:
    """Whether evaluating an expression is free of draws and observes, and reads constants only."""
    match expr:
        case core.Sample() | core.Observe():
            return False
        case core.Global(name):
            return name in constant
        case core.Lambda():
            return True  # its body is not evaluated here
        case core.Mem(core.Lambda()):
            return True
        case core.Letrec(bindings, body):
            return all(_is_constant(p.body, constant, quiet) for _, p in bindings) and _is_constant(
                body, constant, quiet
            )
        case core.App(operator, arguments):
            if not all(_is_constant(argument, constant, quiet) for argument in arguments):
                return False
            match operator:
                case core.Primitive(name):
                    if not SIGNATURES[name].addressed or name.removesuffix("-dist") in PROCESSES:
                        return True
                    position = CALLED.get(name, 0)
                    return position < len(arguments) and _is_quiet(arguments[position], constant, quiet)
                case core.Lambda(body=body):
                    return _is_constant(body, constant, quiet)
                case core.Global(name):
                    return name in quiet
                case _:
                    return False
        case _:
            return all(_is_constant(child, constant, quiet) for child in children(expr))


def _is_quiet(argument: core.Expr, constant: set[str], quiet: set[str]) -> bool:
    """Whether calling a procedure that is handed to a primitive is constant for constant arguments."""
    match argument:
        case core.Lambda(body=body):
            return _is_constant(body, constant, quiet)
        case core.Global(name):
            return name in quiet
        case core.Primitive(name):
            return not SIGNATURES[name].addressed
        case _:
            return False


def every_statement(statements: tuple[core.Statement, ...]) -> Iterator[core.Statement]:
    """All statements, those inside for loops too; a shared one only once, as what it shares."""
    seen: set[int] = set()
    for statement in statements:
        match statement:
            case core.ForStatement(body=body):
                yield statement
                yield from every_statement(body)
            case core.SharedStatement(shape=shape, statement=shared):
                if shape not in seen:
                    seen.add(shape)
                    yield shared
            case _:
                yield statement


def children(expr: core.Expr) -> tuple[core.Expr, ...]:
    """The expressions directly inside of an expression."""
    match expr:
        case core.App(operator, arguments):
            return (operator, *arguments)
        case core.Lambda(body=body):
            return (body,)
        case core.If(test, then, other):
            return (test, then, other)
        case core.Let(_, value, body):
            return (value, body)
        case core.Letrec(bindings, body):
            return (*(procedure for _, procedure in bindings), body)
        case core.Sample(source) | core.Mem(source):
            return (source,)
        case core.Observe(source, value):
            return (source, value)
        case _:
            return ()


def free_locals(expr: core.Expr) -> tuple[str, ...]:
    """The local variables that an expression uses and does not bind, in order of first use."""
    free: dict[str, None] = {}
    bound: set[str] = set()
    stack: list[Any] = [expr]
    while stack:
        item = stack.pop()
        match item:
            case core.Local(name):
                free.setdefault(name)
            case core.Lambda(_, parameters, rest, _):
                bound.update(parameters, [rest] if rest else [])
            case core.Let(name, _, _):
                bound.add(name)
            case core.Letrec(bindings, _):
                bound.update(name for name, _ in bindings)
        stack.extend(reversed(children(item)))
    return tuple(name for name in free if name not in bound)  # names are unique, so one set does


def _is_random(expr: core.Expr, random: set[str]) -> bool:
    stack: list[core.Expr] = [expr]
    while stack:
        item = stack.pop()
        match item:
            case core.Sample():
                return True
            case core.Global(name) if name in random:
                return True
            case core.Primitive(name) if name.removesuffix("-dist") in PROCESSES:
                return True
        stack.extend(children(item))
    return False
