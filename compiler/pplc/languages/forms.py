"""Forms: what the reader makes of a text. Each knows the offsets it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
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


def indexed(forms: Sequence[Form]) -> str:
    """What to say where a name has an index behind it, as other languages write an element."""
    for name, index in pairwise(forms):
        if (
            isinstance(name, Name)
            and isinstance(index, Group)
            and index.bracket == "["
            and index.span[0] == name.span[1]
        ):
            return f"; an element of '{name.text}' is written (nth {name.text} i)"
    return ""


def instead(rest: Sequence[Form], usage: str) -> str:
    """What to say where a draw or an observe has more parts than it takes: a distribution without brackets around it,
    or a name, as other systems want it. In the usage there is a place for the distribution."""
    first = rest[0] if len(rest) > 1 else None
    is_text = isinstance(first, Atom) and isinstance(first.value, str)
    if is_text or (isinstance(first, Name) and first.text.startswith(":")):
        return "; a draw or an observe needs no name"
    if isinstance(first, Name) and len(rest) > usage.count(" "):
        return f"; did you mean {usage.replace('*', f'({first.text} ...)')}?"
    return ""
