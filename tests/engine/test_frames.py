"""Frames: index maps to ancestors, to parts, to branches that have been joined, and the place of the kept lane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pplc_runtime.lanes.frames import Frame


def index(*lanes: int) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return np.array(lanes, np.intp)


def test_a_frame_maps_to_itself_by_nothing() -> None:
    frame = Frame.first(3)
    assert frame.map_from(frame) is None


def test_a_frame_of_another_run_is_an_error() -> None:
    with pytest.raises(AssertionError, match="another run"):
        Frame.first(3).map_from(Frame.first(3))


def test_maps_compose_over_generations() -> None:
    first = Frame.first(4)
    second = first.resampled(index(2, 2, 0, 3))
    third = second.resampled(index(1, 3, 3))
    assert second.map_from(first).tolist() == [2, 2, 0, 3]
    assert third.map_from(second).tolist() == [1, 3, 3]
    assert third.map_from(first).tolist() == [2, 3, 3]
    fourth = third.resampled(index(2, 0))
    assert fourth.map_from(first).tolist() == [3, 2], "also after older maps were dropped"
    assert fourth.map_from(second).tolist() == [3, 1]


def test_parts_know_their_place_in_the_generation() -> None:
    top = Frame.first(6).resampled(index(5, 4, 3, 2, 1, 0))
    part = top.part(index(1, 3, 4))
    inner = part.part(index(0, 2))
    assert part.top is inner.top is top
    assert part.to_top is not None and part.to_top.tolist() == [1, 3, 4]
    assert inner.to_top is not None and inner.to_top.tolist() == [1, 4]
    assert inner.map_from(top).tolist() == [1, 4]
    assert top.parent is not None and inner.map_from(top.parent).tolist() == [4, 1]
    assert [inner.position_of(lane) for lane in range(6)] == [None, 0, None, None, 1, None]
    assert top.position_of(5) == 5


def test_a_branch_that_was_joined_is_found_through_its_parent() -> None:
    top = Frame.first(5)
    branch = top.part(index(1, 2, 4))
    # A value made in the branch and read in the parent: lanes 1, 2 and 4 are its lanes 0, 1 and 2.
    assert top.map_from(branch)[[1, 2, 4]].tolist() == [0, 1, 2]
    later = top.resampled(index(4, 1, 1))
    assert later.map_from(branch).tolist() == [2, 0, 0]


def test_a_cousin_sees_the_lanes_that_it_shares() -> None:
    """A value that was made in one part of a generation and is read in another one, or in a part of a later one."""
    top = Frame.first(6)
    inner = top.part(index(0, 2, 3, 5)).part(index(1, 2))
    assert inner.to_top is not None and inner.to_top.tolist() == [2, 3]
    cousin = top.part(index(2, 3, 4))
    assert cousin.map_from(inner)[:2].tolist() == [0, 1]
    later = top.resampled(index(3, 0, 2)).part(index(0, 2))
    assert later.map_from(inner).tolist() == [1, 0]


def test_the_kept_lane_is_the_first() -> None:
    top = Frame.first(4, kept=((0, 0),))
    assert top.part(index(0, 2)).kept and not top.part(index(1, 2)).kept
    assert (
        not top.part(index(1, 2))
        .part(
            index(
                0,
            )
        )
        .kept
    )
    assert top.resampled(index(0, 0, 1, 2), kept=((0, 0),)).kept
    assert not top.resampled(index(0, 0, 1, 2)).kept


def test_a_part_of_no_lanes() -> None:
    top = Frame.first(3, kept=((0, 0),))
    empty = top.part(index())
    assert empty.size == 0 and not empty.kept


class Counted(np.ndarray[Any, np.dtype[np.intp]]):
    """An index that counts how often it is used."""

    uses = 0

    def __getitem__(self, key: Any) -> Any:
        Counted.uses += 1
        return np.asarray(self)[key].view(Counted)


def test_values_of_all_generations_are_found_in_one_walk() -> None:
    """Reading what each of N generations made costs O(N) compositions in all, and gives the lanes of a plain walk."""
    rng = np.random.default_rng(1)
    frames = [Frame.first(5)]
    for _ in range(300):
        frames.append(frames[-1].resampled(rng.integers(0, 5, 5).view(Counted)))
    Counted.uses = 0
    last = frames[-1]
    found = [last.map_from(frame) for frame in frames[:-1]]
    assert Counted.uses <= 10 * len(frames), "about half a stride each, not half of all generations"
    lanes = np.arange(5)
    for frame, parent, there in zip(frames[:0:-1], frames[-2::-1], found[::-1]):
        assert frame.index is not None and frame.parent is parent
        lanes = np.asarray(frame.index)[lanes]
        assert there.tolist() == lanes.tolist()
