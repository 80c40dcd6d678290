"""Plain text tables that fit a width."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

GAP = "  "
NARROWEST = 8
"""A flexible column is cut to this before other columns are dropped."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One column; those of the lowest `drop` go first when the table is too wide, those of 0 never."""

    heading: str
    values: list[str]
    left: bool
    flexible: bool
    drop: int
    picture: bool

    def width(self) -> int:
        return max(len(self.heading), *map(len, self.values))

    def aligned(self, cell: str, width: int) -> str:
        return cell.ljust(width) if self.left else cell.rjust(width)


@dataclass(slots=True)
class Table:
    """Columns side by side."""

    columns: list[Cells] = field(default_factory=list)

    def column(
        self,
        heading: str,
        values: list[str],
        *,
        left: bool = False,
        flexible: bool = False,
        drop: int = 0,
        picture: bool = False,
    ) -> None:
        """Add a column on the right."""
        self.columns.append(Cells(heading, values, left, flexible, drop, picture))

    def text(self, width: int, *, ascii_only: bool = False) -> str:
        """The table; columns are dropped and flexible ones cut until it is not wider than `width`."""
        columns = [
            replace(column, values=[printable(value, None, ascii_only) for value in column.values])
            for column in self.columns
            if not (ascii_only and column.picture)
        ]
        while _least_width(columns) > width and any(column.drop for column in columns):
            first = min(column.drop for column in columns if column.drop)
            columns = [column for column in columns if column.drop != first]
        room = width - sum(c.width() for c in columns if not c.flexible) - len(GAP) * (len(columns) - 1)
        flexible = _shared_room([c.width() if c.flexible else 0 for c in columns], room)
        widths = [shared or column.width() for shared, column in zip(flexible, columns)]
        lines = []
        for cells in zip(*([column.heading, *column.values] for column in columns)):
            line = [
                column.aligned(_cut(cell, width, ascii_only), width)
                for cell, column, width in zip(cells, columns, widths)
            ]
            lines.append(GAP.join(line).rstrip())
        return "\n".join(lines)


def _least_width(columns: list[Cells]) -> int:
    widths = [min(c.width(), NARROWEST) if c.flexible else c.width() for c in columns]
    return sum(widths) + len(GAP) * (len(columns) - 1)


def _shared_room(wanted: list[int], room: int) -> list[int]:
    """What each flexible column gets: all it wants, or the room shared out, the narrow ones served first."""
    given = [0] * len(wanted)
    places = sorted((i for i, want in enumerate(wanted) if want), key=lambda i: wanted[i])
    for done, i in enumerate(places):
        given[i] = max(1, min(wanted[i], room // (len(places) - done)))
        room -= given[i]
    return given


def _cut(text: str, width: int, ascii_only: bool) -> str:
    if len(text) <= width:
        return text
    dots = ".." if ascii_only else "…"
    return text[: max(0, width - len(dots))] + dots[:width]


def printable(text: str, width: int | None, ascii_only: bool) -> str:
    """Text without control characters, which could do anything to a terminal, cut to a width."""
    if not text.isprintable() or (ascii_only and not text.isascii()):
        text = "".join(
            c if c.isprintable() and (c.isascii() or not ascii_only) else c.encode("unicode_escape").decode()
            for c in text
        )
    return text if width is None else _cut(text, width, ascii_only)
