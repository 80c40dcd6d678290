"""Messages show the line, and carets under the span."""

from __future__ import annotations

import pytest

from pplc.diagnostics import CompileError, Diagnostic, render
from pplc.source import Source, Span
from pplc_runtime.excerpt import WIDEST_LINE


def shown(text: str, start: int, end: int) -> list[str]:
    return render(Source("m.clj", text), Diagnostic(Span(start, end), "wrong")).split("\n")


@pytest.mark.parametrize(
    ("text", "span", "place", "line", "carets"),
    [
        ("(f x)\n", (3, 4), "1:4", "1 | (f x)", "  |    ^"),
        ("a\n(f xyz)", (5, 8), "2:4", "2 | (f xyz)", "  |    ^^^"),
        ("\t(f\tx)", (4, 5), "1:5", "1 | \t(f\tx)", "  | \t  \t^"),
        ("(a\n b)\n", (0, 6), "1:1", "1 | (a", "  | ^^"),
        ("(a\r\n b)\r\n", (0, 7), "1:1", "1 | (a", "  | ^^"),
        ("abc", (3, 3), "1:4", "1 | abc", "  |    ^"),
        ("abc\n", (4, 4), "2:1", "2 | ", "  | ^"),
        ("", (0, 0), "1:1", "1 | ", "  | ^"),
        ("\ufeffab c", (4, 5), "1:4", "1 | ab c", "  |    ^"),
        ("\ufeff", (0, 0), "1:1", "1 | ", "  | ^"),
        ("a\x1b[2J\ud800 b", (7, 8), "1:8", "1 | a\ufffd[2J\ufffd b", "  |        ^"),
        ("\n" * 9 + "x", (9, 10), "10:1", "10 | x", "   | ^"),
    ],
)  # fmt: skip
def test_render(text: str, span: tuple[int, int], place: str, line: str, carets: str) -> None:
    assert shown(text, *span) == [f"m.clj:{place}: error: wrong", "  " + line, "  " + carets]


@pytest.mark.parametrize("start", [0, 50, 100, 500, 997])
def test_long_lines_are_cut_around_the_span(start: int) -> None:
    text = "." * start + "xyz" + "." * (997 - start)
    message, line, carets = shown(text, start, start + 3)
    assert message == f"m.clj:1:{start + 1}: error: wrong"
    assert len(line) <= WIDEST_LINE + len("  1 | ")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "xyz"


def test_a_span_beyond_the_cut_is_underlined_to_the_end_of_what_is_shown() -> None:
    _, line, carets = shown("x" * 1000, 500, 1000)
    assert len(carets) == len(line)


def test_all_diagnostics_are_shown_in_source_order() -> None:
    source = Source("m.clj", "a b")
    first, second = Diagnostic(Span(0, 1), "first", "warning"), Diagnostic(Span(2, 3), "second")
    error = CompileError(source, [second, first])
    assert str(error).split("\n")[::3] == ["m.clj:1:1: warning: first", "m.clj:1:3: error: second"]
