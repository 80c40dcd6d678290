"""Every primitive over lanes beside each lane alone: the same values, or an error where one of them has one.

A whole number that shares an array with floats is a float from there on, so that results beyond 2^53 may differ
(docs/design.md, Lanes); the arguments of one call are therefore either whole numbers of any size, or numbers that
floats hold. What stands in the lanes is random, by seed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import chance_of
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import join, per_lane
from pplc_runtime.numerics.keys import Key
from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.primitives.text import written
from pplc_runtime.results.json_values import to_json
from pplc_runtime.values import List, Map, ModelError, Symbol

LANES: Final = 3
CALLS: Final = 40
SILENT: Final = {name: p for name, p in PRIMITIVES.items() if "print" not in name and name != "no-arity"}
"""All but those that print, and one that the compiler calls with numbers only."""
WHOLE: Final = (0, 1, 2, 3, -1, 7, 100, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**63, 10**30, -(10**25), 10**400)
REAL: Final = (0, 1, 2, 3, -1, 7, 0.5, -2.5, 1.0, 2.0, 100.0, 1e300, -1e300, 1e-320, math.inf, math.nan, 0.1)
PROCEDURES: Final = ("inc", "+", "str", "even?", "list", "neg?", "identity", "max", "-")
OTHERS: Final = (
    None, True, False, "", "a", "12", "1.5", Symbol("a"), Symbol(":k"), List(()), List((1, 2)), List((1, "a")),
    np.array([1, 2]), (1, "a"), ("x",), Map({}), Map.of([(1, 2)]), Map.of([("a", 0), (2, 1)]),
    Map.of([(2, 1), ("a", 0)]),
    List((List((1, 2)), List((3, 4)))), (np.array([1, 2]), np.array([3, 4])), np.array([[1, 2], [3, 4]]),
)  # fmt: skip


def argument(chance: random.Random, numbers: tuple[Any, ...]) -> Any:
    kind = chance.random()
    if kind < 0.15:
        return List(chance.choice(numbers) for _ in range(chance.randint(1, 3)))
    return chance.choice(numbers) if kind < 0.6 else chance.choice(OTHERS)


def calls(primitive: Primitive, chance: random.Random) -> list[tuple[Any, ...]]:
    """The arguments of a call in each lane."""
    numbers = chance.choice((WHOLE, REAL))
    most = primitive.least + 2 if primitive.most is None else primitive.most
    count = chance.randint(primitive.least, most)
    first = [argument(chance, numbers) for _ in range(count)]
    if primitive.addressed and count:
        first[0] = PRIMITIVES[chance.choice(PROCEDURES)]
    fixed = 1 if primitive.addressed else 0
    return [
        tuple(x if k < fixed or chance.random() < 0.4 else argument(chance, numbers) for k, x in enumerate(first))
        for _ in range(LANES)
    ]


def shown(value: Any) -> tuple[str, str]:
    """A value as the language writes it, and as files have it, where 1.0 is 1."""
    try:
        return written(value), to_json(value).replace(".0", "")
    except ModelError:
        return "too long to be written", ""


def outcome(work: Callable[[], Any], frame: Frame) -> list[tuple[str, str]] | None:
    """What comes out in each lane; None for an error."""
    run_in(frame)
    run_in(frame, Forward(chance_of(Key.of(0), frame.size), {}))
    try:
        value = work()
        assert here.frame is frame, "nobody has parted"
        return [shown(each) for each in per_lane(value, frame)]
    except (ModelError, OverflowError):  # both are messages at a place of the program
        return None


def together(function: Callable[..., Any], rows: list[tuple[Any, ...]]) -> list[tuple[str, str]] | None:
    frame = Frame.first(LANES)
    parts = [frame.part(np.array([lane])) for lane in range(LANES)]
    return outcome(lambda: function(*(join(frame, list(zip(parts, column))) for column in zip(*rows))), frame)


@pytest.mark.parametrize("name", sorted(SILENT))
def test_lanes_do_what_each_does_alone(name: str) -> None:
    before = here.frame, here.handler
    primitive = SILENT[name]
    function = partial(primitive.function, At()) if primitive.addressed else primitive.function
    chance = random.Random(name)
    try:
        with np.errstate(all="ignore"):
            for _ in range(CALLS):
                rows = calls(primitive, chance)
                alone = [outcome(lambda row=row: function(*row), Frame.first(1)) for row in rows]  # type: ignore[misc]
                expected = None if None in alone else [each[0] for each in alone if each is not None]
                assert together(function, rows) == expected, rows
    finally:
        run_in(*before)
