"""Forms: what the reader makes of a text. Each knows the offsets it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from pplc.source import Span

Constant: TypeAlias = bool | int | float | str | None


class Atom(NamedTuple):
    """A literal: a number, a string, true, false or nil."""

    value: Constant
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class Name(NamedTuple):
    """A symbol, or a keyword (whose text starts with a colon)."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class Group(NamedTuple):
    """A bracketed sequence; bracket is the character that opens it: ( [ or {.

    `'e` reads as the group `(quote e)` whose span starts at the quote mark, `#(f %)` as one of `#()` and `(f %)`."""

    bracket: str
    items: tuple[Form, ...]
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


Form: TypeAlias = Atom | Name | Group

SHORT_FN: Final = "#()"
"""What a procedure that is written `#(...)` starts with; no name in a text has brackets in it."""
SPECIAL: Final = (
    "quote", "if", "if-not", "if-let", "lambda", "fn", SHORT_FN, "let", "let*", "letrec", "letfn", "loop", "recur",
    "cond", "condp", "case", "when", "when-not", "when-let", "and", "or", "do", "begin", "->", "->>", "as->", "for",
    "foreach", "doseq", "dotimes", "sample", "sample*", "observe", "observe*", "factor", "condition", "mem", "fm",
    "with-primitive-procedures",
)  # fmt: skip
"""The words that start a special form of an expression."""
STATEMENTS: Final = (
    "assume", "observe", "factor", "condition", "predict", "input", "include", "for", "doseq", "dotimes",
    "define", "def", "defn", "defm",
)  # fmt: skip
"""The words that start a statement."""


def head_of(form: Group) -> str:
    """The word that a form starts with."""
    head = form.items[0]
    assert isinstance(head, Name)
    return head.text


def unnamed(rest: Sequence[Form]) -> str:
    """What to say where a draw is given a name, as other systems want it."""
    is_text = len(rest) > 1 and isinstance(rest[0], Atom) and isinstance(rest[0].value, str)
    is_keyword = len(rest) > 1 and isinstance(rest[0], Name) and rest[0].text.startswith(":")
    return "; a draw or an observe needs no name" if is_text or is_keyword else ""
