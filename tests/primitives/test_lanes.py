"""Over lanes, every primitive gives each lane what it gives for that lane's plain arguments.

Random arguments, some shared and some different in every lane, are joined to values over lanes. The result is
read lane by lane, and the same is done in a part of the frame, after resampling, and in a frame of one lane.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import join, plain
from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.values import ModelError, shown

from .calls import call, same
from .signatures import SIGNATURES
from .sources import Source

LANES = 6


def test_every_primitive_has_a_signature() -> None:
    assert set(SIGNATURES) == set(PRIMITIVES)


def outcome(name: str, arguments: list[Any]) -> Any:
    """The value of a call, or the error itself."""
    try:
        result = call(name, *arguments)
    except ModelError as error:
        return error
    return result


def agree(name: str, whole: list[Any], expected: list[Any], lanes: list[int]) -> None:
    """The call over the lanes of the running frame against the plain outcomes of those lanes."""
    frame = here.frame
    result = outcome(name, whole)
    wanted = [expected[lane] for lane in lanes]
    if any(isinstance(value, ModelError) for value in wanted):
        assert isinstance(result, ModelError), f"no error over lanes, but {wanted}"
        return
    assert not isinstance(result, ModelError), f"error over lanes only: {result}"
    for position, value in enumerate(wanted):
        if frame.size > 1:
            run_in(frame.part(np.array([position])))
        found = plain(result)
        assert same(found, value), f"lane {lanes[position]}: {shown(found)}, plain {shown(value)}"
    run_in(frame)


def check(name: str, kinds: tuple[str, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = bool(rng.integers(2))
    form_seed = int(rng.integers(2**32))
    alike, shared = rng.random() < 0.5, rng.random(len(kinds)) < 0.25
    columns: list[list[Any]] = []
    for number, kind in enumerate(kinds):
        column = []
        for lane in range(LANES):
            form = np.random.default_rng([form_seed, number] if alike else [form_seed, number, lane])
            column.append(getattr(Source(form, rng, whole), kind)())
        columns.append([column[0]] * LANES if shared[number] else column)

    expected = [outcome(name, [column[lane] for column in columns]) for lane in range(LANES)]
    frame = Frame.first(LANES)
    singles = [frame.part(np.array([lane])) for lane in range(LANES)]
    arguments = [join(frame, list(zip(singles, column))) for column in columns]

    run_in(frame)
    agree(name, arguments, expected, list(range(LANES)))
    run_in(frame.part(np.array([1, 2, 5])))
    agree(name, arguments, expected, [1, 2, 5])
    run_in(frame.resampled(np.array([0, 3, 3, 4])))
    agree(name, arguments, expected, [0, 3, 3, 4])
    run_in(singles[2])
    agree(name, arguments, expected, [2])


CALLS = [(name, kinds) for name, all_kinds in SIGNATURES.items() for kinds in all_kinds]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "kinds"), CALLS, ids=[f"{name}({','.join(k)})" for name, k in CALLS])
def test_lanes_agree_with_plain_calls(name: str, kinds: tuple[str, ...]) -> None:
    for repetition in range(4):
        check(name, kinds, crc32(f"{name} {kinds} {repetition}".encode()))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_arguments_of_any_kind_give_a_value_or_an_error_of_the_model(name: str) -> None:
    primitive = PRIMITIVES[name]
    most = 3 if primitive.most is None else min(primitive.most, 3)
    for repetition in range(6):
        for arity in range(primitive.least, most + 1):
            check(name, ("any",) * arity, crc32(f"any {name} {arity} {repetition}".encode()))
