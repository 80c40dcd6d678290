"""The compiler on one screen: the passes in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pplc.diagnostics import CompileError, Diagnostic, suggestion
from pplc.languages import core
from pplc.languages.show import show_form, show_program, show_steps
from pplc.passes.analyse import Analysis, analyse
from pplc.passes.emit import emit
from pplc.passes.expand import expand
from pplc.passes.read import read
from pplc.passes.resolve import resolve
from pplc.passes.to_cps import to_cps
from pplc.passes.to_python import to_python
from pplc.source import Source, Span

PASSES = ("read", "expand", "resolve", "analyse", "cps", "emit")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled program: its source, the resolved core program, and the text of its Python module."""

    source: Source
    core: core.Program
    text: str
    warnings: tuple[Diagnostic, ...]


def front(source: Source) -> tuple[Analysis, list[Diagnostic]]:
    """Read, expand, resolve and analyse a program."""
    program, warnings = resolve(expand(read(source), source), source)
    analysis, more = analyse(program)
    return analysis, [*warnings, *more]


def compile_source(source: Source) -> Compiled:
    """The Python module of a program; raises CompileError with all that is wrong with it."""
    analysis, warnings = front(source)
    text = emit(to_python(to_cps(analysis)), source)
    return Compiled(source, analysis.program, text, tuple(warnings))


def check(source: Source) -> list[Diagnostic]:
    """All errors of a program, or all warnings if it has none."""
    try:
        _, warnings = front(source)
    except CompileError as error:
        return list(error.diagnostics)
    return sorted(warnings, key=lambda warning: warning.span)


def dump_after(source: Source, name: str) -> str:
    """What a program looks like after a pass."""
    def analysis_text() -> str:
        analysis, _ = front(source)
        return (
            show_program(analysis.program)
            + f"\ndirect: {' '.join(sorted(analysis.direct))}"
            + f"\nconstant: {' '.join(sorted(analysis.constant))}"
            + f"\nrandom: {' '.join(sorted(analysis.random))}"
        )

    dumps: dict[str, Callable[[], str]] = {
        "read": lambda: "\n".join(map(show_form, read(source))),
        "expand": lambda: show_program(expand(read(source), source)),
        "resolve": lambda: show_program(resolve(expand(read(source), source), source)[0]),
        "analyse": analysis_text,
        "cps": lambda: show_steps(to_cps(front(source)[0])),
        "emit": lambda: compile_source(source).text,
    }
    if name not in dumps:
        known = ", ".join(PASSES)
        raise CompileError(
            source, [Diagnostic(Span(0, 0), f"there is no pass '{name}'{suggestion(name, PASSES)}; passes are {known}")]
        )
    return dumps[name]()
