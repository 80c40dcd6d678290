"""Procedures that call procedures: at which addresses, in which lanes, and how far."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Dead, Lane, Mix, join, plain
from pplc_runtime.primitives import PRIMITIVES, higher
from pplc_runtime.values import List, Procedure

from .calls import L, V, call

CALLS: list[tuple[Any, int]] = []


def _noted(at: At, value: Any) -> Any:
    """Gives its argument back, and notes where and in how many lanes it was called."""
    CALLS.append((at.path(), here.frame.size))
    return value


def _doomed(at: At, value: Any) -> Any:
    """Ends the execution of the lanes that get here second."""
    CALLS.append((at.path(), here.frame.size))
    if len(CALLS) > 1:
        raise Dead
    return value


NOTED = Procedure(_noted, "noted", 1, False)
DOOMED = Procedure(_doomed, "doomed", 1, False)


def booleans(*values: bool) -> Lane:
    return Lane(np.array(values), here.frame)


def lanes_of(value: Any) -> list[Any]:
    frame = here.frame
    result = []
    for position in range(frame.size):
        run_in(frame.part(np.array([position])))
        result.append(plain(value))
    run_in(frame)
    return result


def test_each_element_has_its_own_address() -> None:
    CALLS.clear()
    higher.map_over(At()["here"], NOTED, L("a", "b"))
    assert CALLS == [(("here", 0), 1), (("here", 1), 1)]


def test_some_stops_lane_by_lane() -> None:
    CALLS.clear()
    run_in(Frame.first(3))
    tests = L(booleans(False, True, False), booleans(True, True, False), False, booleans(True, True, True))
    result = higher.some(At(), NOTED, tests)
    assert lanes_of(result) == [True, True, True]
    assert [size for _, size in CALLS] == [3, 2, 1, 1]


def test_every_stops_lane_by_lane() -> None:
    CALLS.clear()
    run_in(Frame.first(3))
    result = higher.every(At(), NOTED, L(booleans(True, False, True), booleans(False, True, True), True))
    assert lanes_of(result) == [False, False, True]
    assert [size for _, size in CALLS] == [3, 2, 1]
    assert here.frame.size == 3


def test_lanes_that_die_do_not_take_the_others_with_them() -> None:
    CALLS.clear()
    run_in(Frame.first(2))
    result = higher.some(At(), DOOMED, L(booleans(True, False), True))
    assert lanes_of(result)[0] is True
    assert here.frame.size == 2


def test_filter_parts_lanes_by_what_they_keep() -> None:
    frame = Frame.first(3)
    run_in(frame)
    items = L(Lane(np.array([1, -1, 2]), frame), "kept", Lane(np.array([-5, -6, 7]), frame))
    result = call("filter", Procedure(_positive, "positive", 1, False), items)
    assert type(result) is Mix
    assert lanes_of(result) == [L(1, "kept"), L("kept"), L(2, "kept", 7)]


def _positive(at: At, value: Any) -> Any:
    return value == "kept" or call("pos?", value)


def test_procedures_made_of_procedures_are_joined() -> None:
    frame = Frame.first(2)
    run_in(frame)
    left, right = frame.part(np.array([0])), frame.part(np.array([1]))
    plus, minus = PRIMITIVES["+"], PRIMITIVES["-"]
    adding = join(frame, [(left, call("partial", plus, 1)), (right, call("partial", plus, 5))])
    assert type(adding) is Procedure
    assert lanes_of(call("map", adding, V(10, 20))) == [L(11, 21), L(15, 25)]
    longer = join(frame, [(left, call("partial", minus)), (right, call("partial", minus, 1, 2))])
    assert lanes_of(call("apply", longer, L(10))) == [-10, -11]
    either = join(frame, [(left, call("comp", PRIMITIVES["inc"])), (right, call("comp"))])
    assert lanes_of(call("apply", either, L(10))) == [11, 10]


def test_a_number_of_calls_that_varies() -> None:
    frame = Frame.first(3)
    run_in(frame)
    result = call("repeatedly", Lane(np.array([2, 0, 2]), frame), PRIMITIVES["list"])
    assert lanes_of(result) == [L(L(), L()), List(), L(L(), L())]
