"""The compiler on one screen: the passes in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pplc.diagnostics import CompileError, Diagnostic
from pplc.include import gathered, spliced
from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.forms import Form
from pplc.languages.show import show_analysis, show_form, show_program, show_steps
from pplc.passes.analyse import analyse
from pplc.passes.costs import check_costs
from pplc.passes.emit import emit
from pplc.passes.endless import endless
from pplc.passes.expand import expand
from pplc.passes.kinds import check_kinds
from pplc.passes.logits import logits
from pplc.passes.queries import within_what_counts
from pplc.passes.read import scanned
from pplc.passes.resolve import resolve
from pplc.passes.sites import sites
from pplc.passes.to_cps import to_cps
from pplc.passes.to_python import to_python
from pplc.room import with_room
from pplc.source import Source, Span
from pplc_runtime.suggestions import suggestion

Result = TypeVar("Result")

PASSES = ("read", "expand", "resolve", "analyse", "cps", "emit")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled program: its source, the core program with what is known of it, and the text of its Python module."""

    source: Source
    analysis: Analysis
    text: str
    warnings: tuple[Diagnostic, ...]


def compile_source(source: Source) -> Compiled:
    """The Python module of a program; raises CompileError with all that is wrong with it."""
    source = gathered(source)
    return _run(source, lambda: _compile(source))


def check(source: Source) -> list[Diagnostic]:
    """All errors of a program, or all warnings if it has none."""
    try:
        source = gathered(source)
        warnings = _run(source, lambda: _warnings(source))
    except CompileError as error:
        return list(error.diagnostics)
    return sorted(dict.fromkeys(warnings), key=lambda warning: warning.span)


def dump_after(source: Source, name: str) -> str:
    """What a program looks like after a pass."""
    source = gathered(source)
    dumps: dict[str, Callable[[], str]] = {
        "read": lambda: "\n".join([show_form(form) for form in _read(source)]),
        "expand": lambda: show_program(expand(_read(source), source)[0]),
        "resolve": lambda: show_program(_resolved(source)[0]),
        "analyse": lambda: show_analysis(_front(source)[0]),
        "cps": lambda: show_steps(to_cps(_front(source)[0])),
        "emit": lambda: _compile(source).text,
    }
    if name not in dumps:
        hint = suggestion(name, PASSES) or f"; there are {', '.join(PASSES)}"
        raise CompileError(source, [Diagnostic(Span(0, 0), f"there is no pass '{name}'{hint}")])
    return _run(source, dumps[name])


def _read(source: Source) -> list[Form]:
    scan, errors = scanned(source)
    forms = spliced(scan, source)
    if wrong := within_what_counts(errors, forms, source.query):
        raise CompileError(source, wrong)
    return forms


def _resolved(source: Source) -> tuple[core.Program, list[Diagnostic]]:
    program, warnings = expand(_read(source), source)
    resolved, more = resolve(program, source)
    return resolved, [*warnings, *more]


def _front(source: Source) -> tuple[Analysis, list[Diagnostic]]:
    resolved, warnings = _resolved(source)
    program, lost = logits(endless(resolved, source))
    analysis, more = analyse(sites(program))
    return analysis, [*warnings, *lost, *more]


def _warnings(source: Source) -> list[Diagnostic]:
    analysis, warnings = _front(source)
    return [*warnings, *check_kinds(analysis, source), *check_costs(analysis)]


def _compile(source: Source) -> Compiled:
    analysis, warnings = _front(source)
    text = emit(to_python(to_cps(analysis)), source)
    return Compiled(source, analysis, text, tuple(warnings))


def _run(source: Source, work: Callable[[], Result]) -> Result:
    try:
        return with_room(work)
    except RecursionError:
        raise CompileError(source, [Diagnostic(Span(0, 0), "the program is nested too deeply")]) from None
