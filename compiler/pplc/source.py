"""Source text and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of character offsets in one source text."""

    start: int
    end: int


class Place(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """A program text with the name that messages call it by."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, compare=False, repr=False)

    def place(self, offset: int) -> Place:
        """The line and column of a character offset."""
        if not self._starts:
            # A byte order mark is no column of the first line.
            self._starts.append(1 if self.text.startswith("\ufeff") else 0)
            at = self.text.find("\n")
            while at >= 0:
                self._starts.append(at + 1)
                at = self.text.find("\n", at + 1)
        line = max(1, bisect_right(self._starts, offset))
        return Place(line, max(1, offset - self._starts[line - 1] + 1))

    def line(self, number: int) -> str:
        """The text of a line, without its end."""
        self.place(0)
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def slice(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]
