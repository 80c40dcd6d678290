"""Which finite draws can be summed out, and in which order: the factors of a program that depend on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.forms import Tables
from pplc_runtime.native.once import put
from pplc_runtime.native.piece_code import Away, There
from pplc_runtime.native.plates import Member, Plates, plate_fields, plates
from pplc_runtime.native.reverse import Turned
from pplc_runtime.native.sites import ranges
from pplc_runtime.native.values import Unsupported, size_of
from pplc_runtime.numerics.scales import FINITE, Scale, scales_of
from pplc_runtime.specialise.ir import Compute, Draw, Operation, Score, Var

if TYPE_CHECKING:
    from pplc_runtime.native.joint import Joint


@dataclass(slots=True)
class Sums:
    """Draws that are summed out, in an order in which each has at most one neighbour after it, and their factors."""

    joint: Joint
    draws: list[Draw]
    scopes: dict[int, set[int]] = field(init=False)
    """The draws that each piece depends on."""
    factors: dict[int, list[int]] = field(init=False)
    """The pieces that draw or observe, and those that compute what they need; and below where that stands."""
    cells: dict[int, list[int]] = field(init=False)
    order: list[int] = field(init=False)
    parents: list[int] = field(init=False)
    place: dict[int, int] = field(init=False)
    lows: list[float] = field(init=False)
    counts: list[int] = field(init=False)
    """By place: the least value of each, and how many there are."""
    shared: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        scales = [_scale(draw) for draw in self.draws]
        self.scopes, self.factors, self.cells = _factors(self.joint, self.draws)
        pairs = [scope for scope in self.scopes.values() if len(scope) == 2]
        self.order, self.parents = _forest(len(self.draws), pairs)
        self.place = {z: k for k, z in enumerate(self.order)}
        self.lows = [scales[z].low for z in self.order]
        self.counts = [int(scales[z].high - scales[z].low) for z in self.order]
        self.shared = _shared(self.joint, self.draws, self.scopes, self.factors, self.place, self.counts)

    def where(self, piece: int) -> list[int]:
        """The places of the draws that a piece depends on."""
        return sorted(self.place[z] for z in self.scopes[piece])


def sum_fields(joint: Joint, covers: Callable[[At], bool]) -> dict[str, Any]:
    """The fields of `execution.Moves` that tell of draws that are summed out."""
    draws = [draw for draw in joint.layout.draws if covers(draw.at)]
    sums = Sums(joint, draws)
    counts, scopes, factors = sums.counts, sums.scopes, sums.factors
    alone: list[list[int]] = [[] for _ in draws]
    pairs: list[list[int]] = [[] for _ in draws]
    for number, piece in enumerate(factors):
        where = sums.where(piece)
        if piece not in joint.plates.factors:
            (pairs if len(where) == 2 else alone)[where[0]].append(number)
    next_counts = [counts[parent] if parent >= 0 else 0 for parent in sums.parents]
    starts = [
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        for sizes in (counts, [a * b for a, b in zip(counts, next_counts)])
    ]
    places = {
        (piece, value): int(starts[0][sums.where(piece)[0]]) + value
        for piece in joint.plates.factors
        for value in range(counts[sums.where(piece)[0]])
    }
    free = [number for number in range(len(joint.pieces)) if number not in scopes]
    rooms = [np.zeros(int(each[-1]) + 1) for each in starts]
    return {
        "zs": len(draws),
        "ZO": np.array([joint.layout.offsets[draws[z].result] for z in sums.order] or [0], np.int64),
        "ZLO": np.array(sums.lows or [0.0]),
        "ZN": np.array(counts or [0], np.int64),
        "ZP": np.array(sums.parents or [0], np.int64),
        "FREE": np.array([len(free), *free], np.int64),
        "FR": ranges(list(factors.values())),
        "FC": ranges([sums.cells[piece] for piece in factors]),
        "UF": ranges(alone),
        "PF": ranges(pairs),
        "UO": starts[0],
        "PO": starts[1],
        "UT": rooms[0],
        "PT": rooms[1],
        "BT": np.zeros_like(rooms[0]),
        "SUM": np.zeros(2),
        **_group_fields(sums.shared, [sums.where(piece) for piece in factors], counts),
        **plate_fields(joint.plates, places),
    }


def plates_of(joint: Joint, summed: frozenset[At], noise: bool, gradient: bool, tables: Tables) -> Plates:
    """Loops over the factors that depend on one draw alone, for each of its values."""
    sums = Sums(joint, [draw for draw in joint.layout.draws if draw.at in summed])
    several = {number for group in sums.shared for number in group}
    members: list[Member] = []
    values: dict[int, int] = {}
    turned: Turned = {}
    for number, (piece, needed) in enumerate(sums.factors.items()):
        where = sums.where(piece)
        if number in several or len(where) > 1:
            continue
        var = sums.draws[sums.order[where[0]]].result
        found: list[Member] = []
        try:
            for value in range(sums.counts[where[0]]):
                known = var.dtype.type(sums.lows[where[0]] + value).item()
                done = [_given(each, var, known) for k in needed for each in joint.pieces[k].operations]
                there = There(piece, joint.layout, noise)
                back = Away(piece, joint.layout, noise, turned) if gradient else None
                for code in (there, back) if back is not None else (there,):
                    for operation in done:
                        code.write(operation)
                if back is not None:
                    back.end()
                found.append(Member(piece, value, there, back))
        except Unsupported:  # it is computed as any other is
            continue
        members += found
        values[piece] = len(found)
    return plates(members, values, tables)


def _given(operation: Operation, var: Var, value: Any) -> Operation:
    """What is done with a draw whose value is known."""
    operation = put(operation, {var: value})
    if isinstance(operation, Draw) and operation.result is var:
        return Score(operation.family, operation.parts, value)
    return operation


def _shared(
    joint: Joint,
    draws: list[Draw],
    scopes: dict[int, set[int]],
    factors: dict[int, list[int]],
    place: dict[int, int],
    counts: list[int],
) -> list[list[int]]:
    """The factors of which several have the same densities: their code is the same but for where the draws stand."""
    groups: dict[Any, list[int]] = {}
    for number, (piece, needed) in enumerate(factors.items()):
        if len(needed) > 1:
            continue
        where = sorted(scopes[piece], key=place.__getitem__)
        offsets = {joint.layout.offsets[draws[z].result]: ("draw", k) for k, z in enumerate(where)}
        code = joint.codes[piece]
        constants: list[Any] = []
        for constant in code.constants:
            match constant.kind:
                case "segment":
                    constants.append(None)
                case "array":
                    constants.append(constant.value.tobytes())
                case "whole":
                    constants.append(offsets.get(constant.value, constant.value))
                case _:
                    constants.append(constant.value)
        key = (*code.lines, *constants, *(counts[place[z]] for z in where))
        groups.setdefault(key, []).append(number)
    return [group for group in groups.values() if len(group) > 1]


def _group_fields(shared: list[list[int]], where: list[list[int]], counts: list[int]) -> dict[str, Any]:
    sizes = [int(np.prod([counts[z] for z in where[group[0]]])) for group in shared]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    begin = np.full(len(where) + 1, -1, np.int64)
    for start, group in zip(starts, shared):
        begin[group] = start
    pairs = [(group[0], where[group[0]][0], where[group[0]][-1]) for group in shared]
    return {
        "gs": len(shared),
        "GF": np.array([first for first, _, _ in pairs] or [0], np.int64),
        "GZ": np.array([one for _, one, _ in pairs] or [0], np.int64),
        "GP": np.array([two if two != one else -1 for _, one, two in pairs] or [0], np.int64),
        "GO": starts,
        "FG": begin,
        "GT": np.zeros(int(starts[-1]) + 1),
        "GE": np.zeros(int(starts[-1]) + 1),
        "GB": np.zeros(int(starts[-1]) + 1),
    }


def is_finite(draw: Draw) -> bool:
    """Whether a draw has one of finitely many values, the same in every execution."""
    scales = scales_of(draw.family.name, draw.parts, draw.result.shape)
    return scales is not None and all(scale.kind == FINITE for scale in scales)


def _scale(draw: Draw) -> Scale:
    scales = scales_of(draw.family.name, draw.parts, draw.result.shape)
    if scales is None or not is_finite(draw):
        raise Unsupported(f"a draw from {draw.family.name}: it sums over those of finitely many values")
    return scales[0]


def _factors(joint: Joint, draws: list[Draw]) -> tuple[dict[int, set[int]], dict[int, list[int]], dict[int, list[int]]]:
    """For each piece the draws that it depends on; and for those that draw or observe the pieces that compute what they
    need, themselves last, and where that stands."""
    pieces, offsets = joint.pieces, joint.layout.offsets
    scopes: dict[int, set[int]] = {}
    for z, draw in enumerate(draws):
        for piece in pieces.affected(draw.result, joint.following)[0]:
            scopes.setdefault(piece, set()).add(z)
    factors: dict[int, list[int]] = {}
    cells: dict[int, list[int]] = {}
    for piece in sorted(scopes):
        if len(scopes[piece]) > 2:
            raise Unsupported("draws of which more than two are tied together at once")
        if not any(isinstance(each, Draw | Score) for each in pieces[piece].operations):
            continue
        needed, pending = {piece}, [piece]
        while pending:
            for operation in pieces[pending.pop()].operations:
                for var in operation.uses:
                    home = pieces.home[var]
                    if home in scopes and home not in needed and not _is_draw(joint, home):
                        needed.add(home)
                        pending.append(home)
        factors[piece] = sorted(needed)
        results = [each.result for k in needed - {piece} for each in pieces[k].operations if isinstance(each, Compute)]
        cells[piece] = [offsets[var] + k for var in results if var in offsets for k in range(size_of(var))]
    return scopes, factors, cells


def _is_draw(joint: Joint, piece: int) -> bool:
    """Whether a piece draws: it is given. What it draws must then not follow its noise."""
    for operation in joint.pieces[piece].operations:
        if isinstance(operation, Draw | Score):
            if isinstance(operation, Draw) and operation.result in joint.following:
                raise Unsupported("draws that follow their noise beside them")
            return True
    return False


def _forest(count: int, pairs: list[set[int]]) -> tuple[list[int], list[int]]:
    """An order in which each draw has at most one neighbour after it, and the place of that or -1."""
    near: list[set[int]] = [set() for _ in range(count)]
    for pair in pairs:
        one, two = pair
        near[one].add(two)
        near[two].add(one)
    order: list[int] = []
    parent: dict[int, int] = {}
    for root in range(count):
        if root in parent:
            continue
        parent[root] = -1
        found = [root]
        for z in found:  # which grows
            for other in sorted(near[z] - {parent[z]}):
                if other in parent:
                    raise Unsupported("draws that are tied together in a circle")
                parent[other] = z
                found.append(other)
        order += found[::-1]
    place = {z: k for k, z in enumerate(order)}
    return order, [place[parent[z]] if parent[z] >= 0 else -1 for z in order]
