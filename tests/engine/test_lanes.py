"""Values over lanes: reading them in other frames, parting by them, joining them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import (
    Lane,
    Mix,
    by_option,
    by_value,
    grouped,
    join,
    one_by_one,
    part,
    per_lane,
    plain,
    raw,
    settle,
    varies,
)
from pplc_runtime.values import List, Map


def index(*lanes: int) -> Any:
    return np.array(lanes, np.intp)


@pytest.fixture
def frame() -> Iterator[Frame]:
    before = here.frame, here.handler
    run_in(Frame.first(4))
    yield here.frame
    run_in(*before)


def lane(*values: Any) -> Lane:
    return Lane(np.array(values), here.frame)


# Reading


def test_a_value_is_gathered_where_it_is_read(frame: Frame) -> None:
    value = lane(1.0, 2.0, 3.0, 4.0)
    later = frame.resampled(index(3, 3, 0))
    assert value.at(later).tolist() == [4.0, 4.0, 1.0]
    assert value.at(later.resampled(index(2, 0))).tolist() == [1.0, 4.0]
    assert value.at(frame).tolist() == [1.0, 2.0, 3.0, 4.0], "and stays as it is"


def test_one_lane_reads_plain_values(frame: Frame) -> None:
    alone = frame.part(index(2))
    assert type(lane(1.5, 2.5, 3.5, 4.5).at(alone)) is float
    assert type(lane(1, 2, 3, 4).at(alone)) is int
    assert type(lane(True, False, True, True).at(alone)) is bool
    vectors = Lane(np.arange(8.0).reshape(2, 4), frame)
    assert vectors.at(alone).tolist() == [2.0, 6.0]


def test_per_lane(frame: Frame) -> None:
    number = lane(1, 2, 3, 4)
    mix = Mix(lane(0, 1, 0, 1), ["a", number])
    assert per_lane(number, frame) == [1, 2, 3, 4]
    assert per_lane(7, frame) == [7, 7, 7, 7]
    assert per_lane(mix, frame) == ["a", 2, "a", 4]
    assert per_lane(List([number, 0]), frame) == [List([k, 0]) for k in (1, 2, 3, 4)]
    assert per_lane((mix, number), frame)[3] == (4, 4)
    maps = per_lane(Map.of([("k", number)]), frame)
    assert [map_.get("k") for map_ in maps] == [1, 2, 3, 4]
    vectors = Lane(np.arange(8.0).reshape(2, 4), frame)
    assert [v.tolist() for v in per_lane(vectors, frame)] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    alone = frame.part(index(1))
    assert per_lane(number, alone) == [2]
    assert per_lane(mix, alone) == [2]


def test_settle_and_plain(frame: Frame) -> None:
    mix = Mix(lane(0, 1, 1, 1), ["a", List([lane(1, 2, 3, 4)])])
    assert settle(mix) is mix
    run_in(frame.part(index(1, 3)))
    assert settle(mix) is mix.options[1]
    run_in(frame.part(index(0)))
    assert settle(mix) == "a"
    run_in(frame.part(index(2)))
    assert plain(mix) == List([3])


def test_varies(frame: Frame) -> None:
    assert varies(lane(1, 2, 3, 4)) and varies((1, List([lane(1, 2, 3, 4)])))
    assert varies(Map.of([("k", lane(1, 2, 3, 4))]))
    assert not varies((1, "a", List([2.0]))) and not varies(Map.of([("k", 1)]))


# Parting


def test_parts_work_in_their_own_lanes(frame: Frame) -> None:
    number = lane(1.0, 2.0, 3.0, 4.0)

    def work(which: int) -> Any:
        return Lane(raw(number) * (10.0 if which else -1.0), here.frame)

    joined = part([index(0, 3), index(1, 2)], work)
    assert here.frame is frame
    assert per_lane(joined, frame) == [-1.0, 20.0, 30.0, -4.0]


def test_by_value_and_grouped(frame: Frame) -> None:
    key = lane(2, 0, 2, 1)
    seen: list[Any] = []

    def work(value: Any) -> Any:
        seen.append((value, here.frame.size))
        return value * 100

    assert per_lane(by_value(key, work), frame) == [200, 0, 200, 100]
    assert seen == [(0, 1), (1, 1), (2, 2)]
    text = Mix(lane(0, 1, 0, 1), ["a", "b"])
    result = grouped((key, text), lambda values: f"{values[0]}{values[1]}")
    assert per_lane(result, frame) == ["2a", "0b", "2a", "1b"]


def test_by_option(frame: Frame) -> None:
    mix = Mix(lane(0, 1, 0, 2), ["a", "bb", lane(1, 2, 3, 4)])
    result = by_option(mix, lambda option: len(option) if isinstance(option, str) else option)
    assert per_lane(result, frame) == [1, 2, 1, 4]


def test_one_by_one(frame: Frame) -> None:
    number = lane(3, 1, 2, 0)
    result = one_by_one(lambda: "x" * plain(number))
    assert per_lane(result, frame) == ["xxx", "x", "xx", ""]


# Joining


def parted(frame: Frame) -> tuple[Frame, Frame]:
    return frame.part(index(0, 2)), frame.part(index(1, 3))


def test_what_all_share_stays_shared(frame: Frame) -> None:
    one, other = parted(frame)
    assert join(frame, [(one, 5), (other, 5)]) == 5
    same = List([1])
    assert join(frame, [(one, same), (other, same)]) is same


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [(1, 2, "i"), (1, 2.5, "f"), (True, False, "b"), (np.array([1.0, 2.0]), np.array([3.0, 4.0]), "f")],
)
def test_numbers_become_one_array(frame: Frame, a: Any, b: Any, kind: str) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, a), (other, b)])
    assert type(joined) is Lane and joined.data.dtype.kind == kind
    for value, expected in zip(per_lane(joined, frame), [a, b, a, b]):
        assert np.array_equal(value, expected)


def test_lanes_of_parts_and_of_cousins(frame: Frame) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, Lane(np.array([1.0, 2.0]), one)), (other, Lane(np.arange(4.0), frame))])
    assert per_lane(joined, frame) == [1.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("a", "b"), [(1, True), (1, "a"), (None, 2.0), (List([1]), List([1, 2])), (np.zeros(2), np.zeros(3)), ("a", "b")]
)
def test_what_no_array_holds_is_mixed(frame: Frame, a: Any, b: Any) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, a), (other, b)])
    assert type(joined) is Mix
    for value, expected in zip(per_lane(joined, frame), [a, b, a, b]):
        assert type(value) is type(expected) and np.array_equal(value, expected)


def test_mixes_of_mixes(frame: Frame) -> None:
    one, other = parted(frame)
    inner = Mix(Lane(index(0, 1), one), ["a", "b"])
    joined = join(frame, [(one, inner), (other, "b")])
    assert per_lane(joined, frame) == ["a", "b", "b", "b"]
    assert len(joined.options) == 2, "equal options are one"
    again = join(frame, [(one, joined), (other, None)])
    assert per_lane(again, frame) == ["a", None, "b", None]


def test_structures_join_leaf_by_leaf(frame: Frame) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, List([1, "a", (2.0, 3)])), (other, List([4, "a", (5.0, 3)]))])
    assert type(joined) is List and type(joined[0]) is Lane
    assert joined[1] == "a" and joined[2][1] == 3
    assert per_lane(joined, frame)[1] == List([4, "a", (5.0, 3)])
    maps = join(frame, [(one, Map.of([("k", 1), ("l", 2)])), (other, Map.of([("k", 1), ("l", 3)]))])
    assert maps.get("k") == 1 and per_lane(maps.get("l"), frame) == [2, 3, 2, 3]
    ordered = join(frame, [(one, Map.of([("k", 1), ("l", 2)])), (other, Map.of([("l", 3), ("k", 1)]))])
    assert type(ordered) is Mix, "each is written in its own order"
    assert type(join(frame, [(one, Map.of([("k", 1)])), (other, Map.of([("l", 1)]))])) is Mix


def test_whole_numbers_of_any_size(frame: Frame) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, 2**80), (other, 1)])
    assert per_lane(joined, frame) == [2**80, 1, 2**80, 1]


def test_a_joined_value_is_read_later(frame: Frame) -> None:
    one, other = parted(frame)
    joined = join(frame, [(one, "a"), (other, List([lane(1, 2, 3, 4)]))])
    later = frame.resampled(index(3, 0, 3))
    assert per_lane(joined, later) == [List([4]), "a", List([4])]
