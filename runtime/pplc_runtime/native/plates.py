"""Plates: factors of one form at one value of the draw that is summed out, as a loop over what they differ in.

The observes of a mixture are the same but for their data. Where the label is given, none reads anything that the others
write: what they share, such as the logarithm of a deviation, is computed once before the loop.

    def fill_0(m, begin, end):          the log densities, added to the table of each draw
        v1 = X[4 + 0]
        for k in range(begin, end):
            UT[...] += lp_normal(KF[...], v1, ...)

`give` adds the derivatives, each weighted by how probable the value is. Where nothing is summed out, `both` goes over
the pieces of which no other reads anything, such as the observes of a regression: density and derivatives at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pplc_runtime.native.forms import Tables, code_of, dispatch, filled, grouped, indented
from pplc_runtime.native.scalar import Row, Scalar

LEAST: Final = 4
"""So many factors are worth a loop."""
MOST: Final = 60
"""Loops in a program."""
_READ: Final = re.compile(r"v\d+ = X\[\d+ \+ \d+\]")
_ADDED: Final = re.compile(r"( *)G\[(\d+) \+ (\d+)\] \+= (.*)")
_HEAD: Final = [f"{name} = m.{name}" for name in ("X", "S", "E", "KI", "KF", "KA", "G", "DS", "UT", "BT", "ROWS")]


@dataclass(frozen=True, slots=True)
class Member:
    """A factor at a value of its draw, and the code of both ways."""

    factor: int
    value: int
    there: Scalar
    back: Scalar | None


@dataclass(frozen=True, slots=True)
class Plates:
    """The text of the loops; and for each of them its factors: which, at which value, and their rows of constants."""

    text: list[str]
    rows: list[list[tuple[int, int, int, int]]]
    scratch: int = 0

    @property
    def factors(self) -> frozenset[int]:
        return frozenset(factor for rows in self.rows for factor, *_ in rows)


def plates(members: list[Member], values: dict[int, int], tables: Tables) -> Plates:
    """The loops over factors that have one; `values` has how many values the draw of each has."""
    groups: dict[Any, list[Member]] = {}
    for member in members:
        codes = [code for code in (member.there, member.back) if code is not None]
        key = (member.value, *((*code.lines, *(each.kind for each in code.constants)) for code in codes))
        groups.setdefault(key, []).append(member)
    found = [group for group in groups.values() if len(group) >= LEAST][:MOST]
    counts: dict[int, int] = {}
    for member in (member for group in found for member in group):
        counts[member.factor] = counts.get(member.factor, 0) + 1
    whole = {factor for factor, count in counts.items() if count == values[factor]}
    text: list[str] = []
    rows: list[list[tuple[int, int, int, int]]] = []
    number = 0
    for group in ([member for member in group if member.factor in whole] for group in found):
        if not group:
            continue
        there, places = _loop(f"fill_{number}", [member.there for member in group], tables, _FILL)
        text += there
        if group[0].back is not None:
            back, again = _loop(f"give_{number}", [member.back for member in group if member.back], tables, _GIVE)
            text += back
        else:
            again = places
        rows.append([(member.factor, member.value, *here) for member, here in zip(group, places)])
        rows.append([(member.factor, member.value, *here) for member, here in zip(group, again)])
        number += 1
    kinds = ("fill", "give") if members and members[0].back is not None else ("fill",)
    for name in kinds if number else ():
        text += dispatch(name, "m: Moves, begin: int, end: int) -> float", "m, begin, end", number, "nan")
    codes = [code for member in members for code in (member.there, member.back) if code is not None]
    return Plates(text, rows, max((code.scratch for code in codes), default=0))


def plate_fields(found: Plates, places: dict[tuple[int, int], int]) -> dict[str, Any]:
    """The fields of `execution.Moves` that tell of loops; `places` has where factors are in the tables of draws."""
    rows = [[i0, f0, places[factor, value]] for plate in found.rows for factor, value, i0, f0 in plate]
    ends = np.concatenate([[0], np.cumsum([len(plate) for plate in found.rows])])
    return {
        "plates": len(found.rows) // 2,
        "PLATES": ends.astype(np.int64),
        "ROWS": np.array([*(each for row in rows for each in row), 0], np.int64),
    }


@dataclass(frozen=True, slots=True)
class Leaves:
    """The text of loops over pieces; and for each of them its pieces: which, and their rows of constants."""

    text: list[str]
    rows: list[list[tuple[int, int, int]]]
    scratch: int = 0


def leaves(codes: dict[int, Scalar | Row], tables: Tables) -> Leaves:
    """The loops over pieces of which no other reads anything."""
    known: dict[int, Any] = {}
    groups: dict[Any, list[int]] = {}
    for piece, code in ((piece, code_of(each)) for piece, each in codes.items()):
        key = known.get(id(code))
        if key is None:
            key = known[id(code)] = (*code.lines, *(each.kind for each in code.constants))
        groups.setdefault(key, []).append(piece)
    text: list[str] = []
    rows: list[list[tuple[int, int, int]]] = []
    for group in [group for group in groups.values() if len(group) >= LEAST][:MOST]:
        found, places = _loop(f"both_{len(rows)}", [codes[piece] for piece in group], tables, _BOTH)
        text += found
        rows.append([(piece, *here) for piece, here in zip(group, places)])
    if rows:
        text += dispatch("both", "m: Moves, begin: int, end: int) -> float", "m, begin, end", len(rows), "nan")
    return Leaves(text, rows, max((code_of(each).scratch for each in codes.values()), default=0))


def leaf_fields(found: Leaves, affected: list[int]) -> dict[str, Any]:
    """The fields of `execution.Moves` that tell of loops over the pieces that some sites affect, and of the others."""
    wanted = set(affected)
    rows = [[row for row in plate if row[0] in wanted] for plate in found.rows]
    inside = {row[0] for plate in rows for row in plate}
    others = [piece for piece in affected if piece not in inside]
    ends = np.concatenate([[0], np.cumsum([len(plate) for plate in rows])])
    return {
        "plates": len(rows),
        "PLATES": ends.astype(np.int64),
        "ROWS": np.array([*(each for plate in rows for piece, i0, f0 in plate for each in (i0, f0, 0)), 0], np.int64),
        "OTHERS": np.array([len(others), *others], np.int64),
    }


_FILL: Final = ("lp = 0.0", "UT[ROWS[3 * k + 2]] += lp", "")
_GIVE: Final = ("weight = BT[ROWS[3 * k + 2]]", "", "if weight > 0.0:")
_BOTH: Final = ("weight = 1.0", "", "")
"""What stands before and after the code of a factor, and whether there is something to do."""


def _loop(
    name: str, codes: Sequence[Scalar | Row], tables: Tables, around: tuple[str, str, str]
) -> tuple[list[str], list[tuple[int, int]]]:
    """A function over factors of one form, and where the rows of their constants begin."""
    literals, unpack, places = grouped(codes, tables)
    once: list[str] = []
    body: list[str] = []
    sums: dict[str, str] = {}
    for line in (filled(line, literals) for line in code_of(codes[0]).lines):
        if _READ.fullmatch(line):
            once.append(line)
        elif added := _ADDED.fullmatch(line):
            indent, start, element, term = added.groups()
            total = f"g{start}_{element}"
            sums[total] = f"G[{start} + {element}] += {total}"
            body.append(f"{indent}{total} += {term}")
        else:
            body.append(line)
    before, after, condition = around
    text = [f"def {name}(m: Moves, begin: int, end: int) -> float:"]
    text += indented("\n".join([*_HEAD, "lp = 0.0", *once, *(f"{total} = 0.0" for total in sums)]), 1)
    text += ["    for k in range(begin, end):"]
    text += indented("\n".join(["i0 = ROWS[3 * k]", "f0 = ROWS[3 * k + 1]", before, condition]), 2)
    text += indented("\n".join([*unpack, *body]), 3 if condition else 2)
    text += indented(after, 2)
    text += [*indented("\n".join(sums.values()), 1), "    return lp" if around is _BOTH else "    return 0.0", ""]
    return text, places
