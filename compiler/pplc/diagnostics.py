"""Messages that point at the source: errors and warnings, with the line and a caret."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pplc.source import Source, Span
from pplc_runtime.excerpt import excerpt


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message about one span of the source."""

    span: Span
    message: str
    severity: str = "error"


class CompileError(Exception):
    """The program cannot be compiled; carries every diagnostic that was found."""

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = tuple(diagnostics)
        super().__init__(render_all(source, diagnostics))


def render(source: Source, diagnostic: Diagnostic) -> str:
    """file:line:column: severity: message, the source line, and a caret under the form."""
    line, column = source.place(diagnostic.span.start)
    text = source.line(line)
    width = min(diagnostic.span.end - diagnostic.span.start, len(text) - column + 1)
    name, number = source.where(diagnostic.span.start)
    head = f"{name}:{number}:{column}: {diagnostic.severity}: {diagnostic.message}"
    return f"{head}\n{excerpt(text, number, column, width)}"


def render_all(source: Source, diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics in source order."""
    return "\n".join(render(source, d) for d in sorted(diagnostics, key=lambda d: (d.span, d.message)))
