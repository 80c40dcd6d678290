"""Messages that point at the source: errors and warnings, with the line and a caret."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pplc.source import Source, Span

WIDEST_LINE = 120


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
    width = max(1, min(diagnostic.span.end - diagnostic.span.start, len(text) - column + 1))
    shift = max(0, column - 1 - WIDEST_LINE // 2) if len(text) > WIDEST_LINE else 0
    shown = text[shift : shift + WIDEST_LINE]
    caret = column - 1 - shift
    width = max(1, min(width, len(shown) - caret))
    # Tabs stay tabs under the line, so that the caret lines up however wide they are shown.
    indent = "".join("\t" if c == "\t" else " " for c in shown[:caret])
    # Control characters would act on the terminal, and half a surrogate pair cannot be encoded.
    shown = "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    name, number = source.where(diagnostic.span.start)
    return (
        f"{name}:{number}:{column}: {diagnostic.severity}: {diagnostic.message}\n"
        f"  {number} | {shown}\n"
        f"  {' ' * len(str(number))} | {indent}{'^' * width}"
    )


def render_all(source: Source, diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics in source order."""
    return "\n".join(render(source, d) for d in sorted(diagnostics, key=lambda d: (d.span, d.message)))
