"""The schedule of a sweep: what is replayed at each boundary, and by which map every value is read.

A program of static structure reads, writes and replays the same in every sweep, so that all of this is known before.
The generation that wrote a cell last is its stamp. In generation n a cell with stamp g is read by the map from the
slots of n to those of g, which are the ancestors from n to g; a cell that nobody has written yet has what is retained,
the same in all slots. A map lives as long as something is read by it, and has a row of `M`; row 0 is the identity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pplc_runtime.native.values import Unsupported
from pplc_runtime.regeneration.scores import in_order
from pplc_runtime.specialise.ir import Specialised, Var

MOST_REPLAYS: Final = 30_000
"""More replays in a sweep than this have tables that take long to write; beside a few of each segment."""
NEVER: Final = -1
"""The stamp of what is retained."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay: its segment, the generation of its score before (None: it had none), the stamps of what it reads."""

    segment: int
    before: int | None
    stamps: dict[Var, int]


@dataclass(slots=True)
class Boundary:
    """What is done before a generation: the stamp of the score that ends with the one before, and the replays."""

    ends: int | None = None
    replays: list[Replayed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A sweep: by generation what is done before it, and the maps by which it reads."""

    boundaries: list[Boundary]
    reads: list[dict[Var, int]]
    """The stamps of what each segment reads when it is run; and of what is reported."""
    reported: dict[Var, int]
    rows: list[dict[int, int]]
    """By generation: the row of the map to each earlier one that is needed there."""
    forks: list[list[tuple[int, bool]]]
    """By generation: the rows that the fork before it makes anew, or carries on."""
    maps: int

    def row(self, generation: int, stamp: int | None) -> int:
        """The row of a map."""
        if stamp is None or stamp in (NEVER, generation):
            return 0
        return self.rows[generation][stamp]


def schedule(program: Specialised, rescored: bool, reported: list[Var], full: bool = False) -> Schedule:
    """The schedule of a sweep; `full` replays all of what is retained at every boundary, which tests compare."""
    cells = {cell: var for var, cell in program.cell_of.items()}
    stamps: dict[Var, int] = dict.fromkeys(program.cell_of, NEVER)
    scores: dict[int, int] = {}
    boundaries: list[Boundary] = []
    reads: list[dict[Var, int]] = []
    count = 0
    for number, segment in enumerate(program.segments):
        boundary = Boundary()
        if number > 0 and rescored:
            boundary = _rescored(program, number, stamps, scores, cells, full)
        boundaries.append(boundary)
        count += len(boundary.replays)
        if count > MOST_REPLAYS + 3 * len(program.segments):
            raise Unsupported("so many replays in a sweep")
        used = {var for operation in segment.forward for var in operation.uses if var.segment < number}
        reads.append({var: stamps[var] for var in used})
        for cell in segment.writes:
            stamps[cells[cell]] = number
    found = {var: stamps[var] for var in reported}
    return _with_maps(boundaries, reads, found)


def _rescored(
    program: Specialised, number: int, stamps: dict[Var, int], scores: dict[int, int], cells: dict[int, Var], full: bool
) -> Boundary:
    """What is replayed before a generation; as `specialise.suffix` has it, where it is found out in each sweep."""
    now = number - 1
    boundary = Boundary(scores.pop(now, None))
    changed = set(program.segments[now].renews)

    def replay(segment: int) -> list[int]:
        own = program.segments[segment]
        if not own.replay:
            return []
        drawn = {cells[cell] for cell in own.writes}
        used = {var for operation in own.replay for var in operation.uses if var.segment < segment}
        boundary.replays.append(
            Replayed(
                segment, scores.get(segment), {**{var: stamps[var] for var in used}, **dict.fromkeys(drawn, NEVER)}
            )
        )
        scores[segment] = now
        found = [cell for cell, needs in own.follows if not needs.isdisjoint(changed)]
        changed.update(found)
        for cell, _ in own.follows:
            stamps[cells[cell]] = now
        return [reader for cell in found for reader in program.readers[cell]]

    if full:
        dirty = list(range(number, len(program.segments)))
    else:
        dirty = [reader for cell in changed for reader in program.readers[cell]]
    in_order(dirty, number, replay)
    return boundary


def _with_maps(boundaries: list[Boundary], reads: list[dict[Var, int]], reported: dict[Var, int]) -> Schedule:
    """Rows for the maps that are needed, as few as will do."""
    last: dict[int, int] = {}

    def use(generation: int, stamp: int | None) -> None:
        if stamp is not None and NEVER < stamp < generation:
            last[stamp] = max(last.get(stamp, NEVER), generation)

    for number, (boundary, own) in enumerate(zip(boundaries, reads)):
        use(number - 1, boundary.ends)
        for each in boundary.replays:
            use(number - 1, each.before)
            for stamp in each.stamps.values():
                use(number - 1, stamp)
        for stamp in own.values():
            use(number, stamp)
    for stamp in reported.values():
        use(len(reads) - 1, stamp)
    rows: list[dict[int, int]] = []
    forks: list[list[tuple[int, bool]]] = []
    live: dict[int, int] = {}
    free: list[int] = []
    maps = 1
    for number in range(len(reads)):
        made: list[tuple[int, bool]] = []
        for stamp in [stamp for stamp in live if last[stamp] < number]:
            free.append(live.pop(stamp))
        made.extend((row, False) for row in live.values())
        if last.get(number - 1, NEVER) >= number:
            if not free:
                free.append(maps)
                maps += 1
            live[number - 1] = free.pop()
            made.append((live[number - 1], True))
        forks.append(made)
        rows.append(dict(live))
    return Schedule(boundaries, reads, reported, rows, forks, maps)
