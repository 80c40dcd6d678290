"""Analyse: what the later passes want to know of a resolved program.

- `direct`: the globals that are closed procedures. A call of one needs no look-up, and none of them is a cell
  that regeneration has to watch.
- `constant`: the globals that every execution gives the same value, since evaluating them neither draws nor
  observes, nor reads a global that does. They are evaluated once a run, not once a sweep.
- `random`: the globals whose value may depend on a random choice. An observe that nothing random reaches is
  worth a warning: it changes no posterior.
- `shared`: the globals whose choices many statements read (see `analyse_shared`).
- `acting`, `kept`: the predicts that have to be run where they stand, and what has to be kept for the others (see
  `analyse_predicts`).

A form in the middle of a body that neither draws nor observes is worth a warning too.

    [assume f (lambda (p) (flip p))]    direct, constant
    [assume p 0.5]                      constant
    [assume x (sample (f p))]           random
"""

from __future__ import annotations

from collections import Counter

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.traverse import (
    children,
    closure,
    every_expression,
    every_statement,
    expressions,
    free_locals,
    readers_of,
)
from pplc.passes.analyse_predicts import waiting
from pplc.passes.analyse_shared import shared_globals
from pplc.source import Span
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.program.constructors import PROCESS_CONSTRUCTORS
from pplc_runtime.program.names import SIGNATURES

PROCESSES = frozenset({*PROCESS_CONSTRUCTORS, "gp"})

RANDOM_LOOP = (
    "what a for runs over must not be random: go over what is known, as in [for [i (range 3)] ...], and take random "
    "elements by (nth xs i)"
)
DROPPED = "this value is computed and dropped: only the last form of a body gives its value, and a predict reports one"


def analyse(program: core.Program) -> tuple[Analysis, list[Diagnostic]]:
    """The facts about a program, and the warnings that follow from them."""
    assumes = [s for s in every_statement(program.statements) if isinstance(s, core.AssumeStatement)]
    direct = {s.name: s.value for s in assumes if isinstance(s.value, core.Lambda) and not free_locals(s.value)}
    random = _random(assumes)
    loops = [s for s in every_statement(program.statements) if isinstance(s, core.ForStatement)]
    loops = [s for s in loops if _is_random(s.sequence, random)]
    under = {id(inner) for s in loops for inner in every_statement(s.body)}
    warnings = [Diagnostic(s.sequence.span, RANDOM_LOOP, "warning") for s in loops if not s.test]
    warnings += [
        Diagnostic(s.span, "no random value reaches this observe, so that it changes no posterior", "warning")
        for s in every_statement(program.statements)
        if isinstance(s, core.ObserveStatement) and id(s) not in under
        if not any(_is_random(e, random) for e in expressions(s))
    ]
    warnings += [Diagnostic(span, DROPPED, "warning") for span in _dropped(program, direct)]
    warnings += _forgotten_memos(program, direct)
    acting, kept = waiting(program, direct, _acts)
    shared = shared_globals(program, _is_random, random)
    return Analysis(program, direct, _constants(program, direct), frozenset(random), shared, acting, kept), warnings


def _forgotten_memos(program: core.Program, direct: dict[str, core.Lambda]) -> list[Diagnostic]:
    """Procedures that draw whatever they are called with, and that are called at several places: users mean one value
    for each argument, as a `mem` would give it."""
    aimless = {
        name: procedure
        for name, procedure in direct.items()
        if procedure.parameters and not {*procedure.parameters} & {*free_locals(procedure.body)}
        if not any(parameter.startswith("_") for parameter in procedure.parameters)
        if any(isinstance(item, core.Sample) for item in every_expression(procedure.body))
    }
    calls = Counter(
        item.operator.name
        for statement in (every_statement(program.statements) if aimless else ())
        for expr in expressions(statement)
        for item in every_expression(expr)
        if isinstance(item, core.App) and isinstance(item.operator, core.Global)
    )
    return [
        Diagnostic(
            procedure.span,
            f"each call of '{name}' draws anew, whatever its arguments; (mem (fn ...)) would remember a value for each",
            "warning",
        )
        for name, procedure in aimless.items()
        if calls[name] > 1
    ]


def _is_process(expr: core.Expr) -> bool:
    return isinstance(expr, core.Primitive) and expr.name.removesuffix("-dist") in PROCESSES


def _acts(expr: core.Expr) -> bool:
    return isinstance(expr, core.Observe) or _is_process(expr)


def _dropped(program: core.Program, direct: dict[str, core.Lambda]) -> list[Span]:
    """The forms of bodies that could be there for an effect only and have none: they neither draw nor observe."""
    statements = list(every_statement(program.statements))
    effects = [
        item
        for statement in statements
        for expr in expressions(statement)
        for item in every_expression(expr)
        if isinstance(item, core.Let) and item.name == core.UNNAMED
    ]
    bare = [s for s in statements if isinstance(s, core.AssumeStatement) and s.name.startswith("dropped%")]
    if not effects and not bare:
        return []
    names = {s.name for s in statements if isinstance(s, core.AssumeStatement | core.InputStatement)}
    quiet = set(direct)
    while loud := [name for name in quiet if not _is_constant(direct[name].body, names, quiet)]:
        quiet.difference_update(loud)
    values = [(effect.span, effect.value) for effect in effects] + [(s.span, s.value) for s in bare]
    return [span for span, value in values if _is_constant(value, names, quiet) and not _prints(value)]


def _prints(expr: core.Expr) -> bool:
    return any(isinstance(item, core.Primitive) and item.name == "print" for item in every_expression(expr))


def _random(assumes: list[core.AssumeStatement]) -> set[str]:
    """The globals that a random choice reaches, through whatever globals."""
    readers = readers_of((s.name, (s.value,)) for s in assumes)
    return closure({s.name for s in assumes if _is_random(s.value, set())}, readers)


def _is_random(expr: core.Expr, random: set[str]) -> bool:
    for item in every_expression(expr):
        match item:
            case core.Sample():
                return True
            case core.Global(name) if name in random:
                return True
            case core.Primitive() if _is_process(item):
                return True
    return False


def _constants(program: core.Program, direct: dict[str, core.Lambda]) -> frozenset[str]:
    values = {s.name: s.value for s in program.statements if isinstance(s, core.AssumeStatement)}
    inputs = {s.name for s in program.statements if isinstance(s, core.InputStatement)}
    constant = inputs | values.keys() | direct.keys()  # a closed procedure is a constant, whatever it does
    quiet = set(direct)
    """The closed procedures whose calls are constant for constant arguments."""
    changed = True
    while changed:
        changed = False
        for name in [n for n in quiet if not _is_constant(direct[n].body, constant, quiet)]:
            quiet.discard(name)
            changed = True
        for name, value in values.items():
            if name in constant and not _is_constant(value, constant, quiet):
                constant.discard(name)
                changed = True
    return frozenset(constant & (inputs | values.keys()))


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
            return _all_constant((*[p.body for _, p in bindings], body), constant, quiet)
        case core.App(operator, arguments):
            if not _all_constant(arguments, constant, quiet):
                return False
            match operator:
                case core.Primitive(name):
                    if not SIGNATURES[name].addressed or _is_process(operator):
                        return True
                    position = (FACTS[name].calls if name in FACTS else None) or 0
                    return position < len(arguments) and _is_quiet(arguments[position], constant, quiet)
                case core.Lambda(body=body):
                    return _is_constant(body, constant, quiet)
                case core.Global(name):
                    return name in quiet
                case _:
                    return False
        case _:
            return _all_constant(children(expr), constant, quiet)


def _all_constant(exprs: tuple[core.Expr, ...], constant: set[str], quiet: set[str]) -> bool:
    for expr in exprs:  # noqa: SIM110 # all() of a generator would recur on the C stack
        if not _is_constant(expr, constant, quiet):
            return False
    return True


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
