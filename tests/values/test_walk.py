"""The walk into values: all kinds go there and back, and a kind that nobody has thought of needs nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane, Mix, holds_lanes, join, per_lane, varies
from pplc_runtime.processes import PROCESSES
from pplc_runtime.program.gaussian_process import GaussianProcess, Known, Point
from pplc_runtime.program.stochastic import Categorical, Dirac, Dist, ProcessInstance
from pplc_runtime.regeneration.same import same
from pplc_runtime.values import Compound, List, Map, Memo, Procedure, Symbol, aligned, children, inside, key_of, rebuild

ROOT = At(None, None)
NORMAL = DISTRIBUTIONS["normal"]


def code(at: Any, x: Any, y: Any) -> Any:
    return x


PROCEDURE = Procedure(code, "f", 1, False, (4,), ROOT)
WITH_CHILDREN: list[Any] = [
    (1, "a"), List((1, (2, 3))), Map.of([("k", 1), (2, "b")]), PROCEDURE, Memo(ROOT, PROCEDURE, True),
    Dist(NORMAL, (0.0, 1.0)), Dirac((7,)), Categorical(Dist(DISTRIBUTIONS["discrete"], ((1, 2),)), ("a", "b")),
    ProcessInstance(PROCESSES["crp"], (1.0,), ROOT), GaussianProcess((PROCEDURE, PROCEDURE), ROOT),
    Point((PROCEDURE, PROCEDURE, 0.5), ROOT), Known((0.5, (1.0,), 1.0, 0.2, 0.3)),
]  # fmt: skip


@pytest.mark.parametrize("value", WITH_CHILDREN, ids=lambda value: type(value).__name__)
def test_there_and_back(value: Any) -> None:
    items = children(value)
    assert items and aligned(value, value) == items
    again = rebuild(value, items)
    assert type(again) is type(value) and children(again) == items and same(again, value, Frame.first(2))
    marks = tuple(object() for _ in items)
    marked = rebuild(value, marks)
    assert type(marked) is type(value) and all(map(lambda a, b: a is b, children(marked), marks))
    assert children(value) == items  # as it was


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "text", Symbol("s"), np.array([1.0, 2.0])], ids=repr)
def test_nothing_is_inside(value: Any) -> None:
    assert children(value) == () == inside(value) and aligned(value, value) is None


def test_what_differs_in_more_than_its_children_is_not_aligned() -> None:
    assert aligned((1, 2), (1, 2, 3)) is None
    assert aligned(Map.of([("a", 1)]), Map.of([("b", 1)])) is None
    assert aligned(Dist(NORMAL, (0.0, 1.0)), Dist(DISTRIBUTIONS["beta"], (1.0, 1.0))) is None
    assert aligned(Memo(ROOT, PROCEDURE), Memo(ROOT[1], PROCEDURE)) is None
    assert aligned(PROCEDURE, Procedure(code, "f", 1, False, (4,), ROOT[1])) is None


def test_maps_are_aligned_by_key() -> None:
    assert aligned(Map.of([("b", 2), ("a", 1)]), Map.of([("a", 3), ("b", 4)])) == (1, 2)


class Pair(Compound):
    """A kind of value that is known here alone."""

    __slots__ = ()

    def with_parts(self, parts: tuple[Any, ...]) -> Pair:
        return Pair(parts)

    def alike(self, other: Any) -> bool:
        return True

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return None, self.parts


def test_a_new_kind_of_value_is_looked_into_everywhere() -> None:
    frame = Frame.first(4)
    low, high = frame.part(np.array([0, 2])), frame.part(np.array([1, 3]))
    joined = join(frame, [(low, Pair((1, "a"))), (high, Pair((2, "b")))])
    assert type(joined) is Pair and type(joined.parts[0]) is Lane and type(joined.parts[1]) is Mix
    assert varies(joined) and holds_lanes(joined) and not varies(Pair((1, 2))) and not holds_lanes(Pair((1, 2)))
    assert [each.parts for each in per_lane(joined, frame)] == [(1, "a"), (2, "b"), (1, "a"), (2, "b")]
    again = join(frame, [(low, Pair((1, "a"))), (high, Pair((2, "b")))])
    assert same(joined, again, frame)
    assert not same(joined, join(frame, [(low, Pair((1, "a"))), (high, Pair((3, "b")))]), frame)
    assert key_of(Pair((1, 2))) == key_of(Pair((1.0, 2))) != key_of(Pair((1, 3)))
