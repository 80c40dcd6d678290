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


class Piece(NamedTuple):
    """The text of an included file, as part of a larger one: where it starts, and the form that includes it."""

    name: str
    start: int
    by: Span


@dataclass(frozen=True, slots=True)
class Source:
    """A program text with the name that messages call it by.

    The texts of included files follow its own, one after the other: offsets and lines are counted through."""

    name: str
    text: str
    folder: str | None = None
    """The folder of the file that it is in; what it includes is in there."""
    pieces: tuple[Piece, ...] = ()
    query: str | None = None
    """Which query of the file is meant, where it has several."""
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

    def piece(self, offset: int) -> Piece | None:
        """The included file that an offset is in; None for the text itself."""
        found = None
        for piece in self.pieces:
            if piece.start <= offset:
                found = piece
        return found

    def where(self, offset: int) -> tuple[str, int]:
        """The name of the file that an offset is in, and the line there."""
        piece, line = self.piece(offset), self.place(offset).line
        return (self.name, line) if piece is None else (piece.name, line - self.place(piece.start).line + 1)

    def line_of(self, offset: int) -> str:
        """The line of an offset, in words."""
        name, line = self.where(offset)
        return f"line {line}" if name == self.name else f"line {line} of {name}"

    def statement_place(self, offset: int) -> Place:
        """The place of a statement in the text itself: what is included stands where it is included."""
        piece = self.piece(offset)
        while piece is not None:
            offset = piece.by.start
            piece = self.piece(offset)
        return self.place(offset)

    @property
    def files(self) -> tuple[tuple[int, str], ...]:
        """The included files, each with its first line in the count of all."""
        return tuple([(self.place(piece.start).line, piece.name) for piece in self.pieces])

    def slice(self, span: Span) -> str:
        """The text of a span."""
        return self.text[span.start : span.end]
