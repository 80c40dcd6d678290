"""Numbers over lanes stay in one array: no parting where numpy can do it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.values import ModelError

from .calls import L, V, call

SIZE = 4


@pytest.fixture
def frame() -> Frame:
    run_in(Frame.first(SIZE))
    return here.frame


def test_an_index_for_each_lane(frame: Frame) -> None:
    index = Lane(np.array([0, 2, 1, 2]), frame)
    shared = V(1.0, 2.0, 3.0)
    own = Lane(np.arange(12.0).reshape(3, 4), frame)
    matrix = Lane(np.arange(24.0).reshape(3, 2, 4), frame)
    assert call("nth", shared, index).data.tolist() == [1, 3, 2, 3]
    assert call("nth", L(1.0, 2.0, 3.0), index).data.tolist() == [1, 3, 2, 3]
    assert call("nth", own, index).data.tolist() == [0, 9, 6, 11]
    assert call("nth", matrix, index).data.tolist() == [[0, 17, 10, 19], [4, 21, 14, 23]]
    assert call("nth", V(V(1, 2), V(3, 4), V(5, 6)), index).data.tolist() == [[1, 5, 3, 5], [2, 6, 4, 6]]
    assert call("assoc", shared, index, 0.5).data.tolist() == [
        [0.5, 1, 1, 1], [2, 2, 0.5, 2], [3, 0.5, 3, 0.5]
    ]  # fmt: skip


def test_the_lane_at_fault_is_named(frame: Frame) -> None:
    with pytest.raises(ModelError, match="'nth' of index 7 in a sequence of length 3"):
        call("nth", V(1, 2, 3), Lane(np.array([0, 1, 7, 2]), frame))
    with pytest.raises(ModelError, match=r"'nth' takes a whole number here, not 0\.5"):
        call("nth", V(1, 2, 3), Lane(np.array([0, 1, 0.5, 2]), frame))
    with pytest.raises(ModelError, match=r"'even\?' takes a whole number, not 2\.5"):
        call("even?", Lane(np.array([0, 1, 2.5, 2]), frame))


@pytest.mark.parametrize("left", [(), (3,), (2, 3)])
@pytest.mark.parametrize("right", [(), (3,), (3, 2)])
@pytest.mark.parametrize("over", [(True, False), (False, True), (True, True)])
def test_products_over_lanes(
    frame: Frame, left: tuple[int, ...], right: tuple[int, ...], over: tuple[bool, bool]
) -> None:
    rng = np.random.default_rng(7)
    x: Any = rng.normal(size=(*left, SIZE)) if over[0] else rng.normal(size=left)
    y: Any = rng.normal(size=(*right, SIZE)) if over[1] else rng.normal(size=right)
    arguments = [Lane(v, frame) if o else (v if v.ndim else v.item()) for v, o in zip((x, y), over)]
    arguments = [a if isinstance(a, Lane | np.ndarray) else float(a) for a in arguments]
    result = call("mmul", *arguments)
    for lane in range(SIZE):
        a = x[..., lane] if over[0] else x
        b = y[..., lane] if over[1] else y
        expected = a @ b if a.ndim and b.ndim else a * b
        assert np.allclose(result.data[..., lane], expected)


def test_vectors_grow_in_one_array(frame: Frame) -> None:
    start = Lane(np.arange(4), frame)
    grown = call("conj", call("conj", V(), start), Lane(np.full(4, 0.5), frame))
    assert grown.data.tolist() == [[0, 1, 2, 3], [0.5] * 4]
    assert call("sort", grown)[1].data.tolist() == [0.5, 1, 2, 3]


def test_a_vector_is_not_copied_to_read_an_element(frame: Frame) -> None:
    whole = Lane(np.arange(12.0).reshape(3, 4), frame)
    run_in(frame.resampled(np.array([3, 3, 0, 1])))
    item = call("nth", whole, 1)
    assert np.shares_memory(item.data, whole.data)
    assert item.at(here.frame).tolist() == [7, 7, 4, 5]
