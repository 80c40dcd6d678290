"""Excerpts: a line of source with carets under a form, as messages show it."""

from __future__ import annotations

from typing import Final

WIDEST_LINE: Final = 120


def excerpt(text: str, line: int, column: int, width: int) -> str:
    """A line of source, and carets under so many characters from a column on, as far as they are on it."""
    shift = max(0, column - 1 - WIDEST_LINE // 2) if len(text) > WIDEST_LINE else 0
    shown = text[shift : shift + WIDEST_LINE]
    start = column - 1 - shift
    width = max(1, min(width, len(shown) - start))
    # Tabs stay tabs under the line, so that the caret lines up however wide they are shown.
    indent = "".join("\t" if c == "\t" else " " for c in shown[:start])
    # Control characters would act on the terminal, and half a surrogate pair cannot be encoded.
    shown = "".join(c if c == "\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    return f"  {line} | {shown}\n  {' ' * len(str(line))} | {indent}{'^' * width}"
