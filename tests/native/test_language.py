"""The middle language: machine code does what CPython does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pplc_runtime.machine.llvm_code import llvm_text
from pplc_runtime.machine.machine import Interpreted, Machine, array, is_available

SOURCE = """
class Pair:
    x: floats
    n: int
    total: float

def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps

def mixed(p: Pair, k: int) -> float:
    s = 0.0
    for i in range(k, p.n, 2):
        if p.x[i] > 0.5 and not (p.x[i] > 0.9) or i == 1:
            continue
        if i > 20:
            break
        s += sqrt(p.x[i]) if i < 10 else -exp(p.x[i])
        p.x[i] = float(i) / 3
    p.total += s
    rest = p.x[2:]
    return s + rest[0] + pow(2.0, 0.5) + float(int(3.7)) + floor(-1.5) + inf * 0.0 if s != s else s + rest[0]

def words(a: int, b: int) -> int:
    return ((a * 6364136223846793005 + b) ^ (a << 7)) & MASK

def shifted(a: int) -> int:
    return (a & MASK) >> 60

def fours(n: int, x: floats, a: float) -> float:
    total = four(0.5)
    for i in range(0, n, 4):
        off = x[i : i + 4] - (2 * x[i + 1 : i + 5] * a + 1.0)
        total = total + off * off
    return (total[0] - total[1]) * (total[2] - 3.0 * total[3])

def mixed_words(n: int, x: ints, a: int) -> None:
    for i in apart(n):
        x[i] = words(a, i) ^ shifted(i << 60)
"""
NAMES = frozenset({"collatz", "mixed", "words", "shifted", "fours", "mixed_words"})


@pytest.fixture(scope="module")
def both() -> tuple[Machine, Interpreted]:
    if not is_available():
        pytest.skip("no llvmlite")
    return Machine(SOURCE, NAMES), Interpreted(SOURCE, NAMES)


def test_four_at_once_are_to_the_last_bit_what_each_is(both: tuple[Machine, Interpreted]) -> None:
    x = np.random.default_rng(1).normal(size=13)
    machine, interpreted = both
    assert machine["fours"](12, array(x), 0.3) == interpreted["fours"](12, x, 0.3)
    with pytest.raises(IndexError):
        interpreted["fours"](12, x[:12], 0.3)


@pytest.mark.parametrize("count", [0, 3, 4, 11])
def test_turns_that_are_independent(count: int, both: tuple[Machine, Interpreted]) -> None:
    one, other = np.zeros(12, np.int64), np.zeros(12, np.int64)
    both[0]["mixed_words"](count, array(one), 12345)
    both[1]["mixed_words"](count, other, 12345)
    assert one.tolist() == other.tolist() and not one[count:].any()


def test_loops_and_branches(both: tuple[Machine, Interpreted]) -> None:
    assert [engine["collatz"](27) for engine in both] == [111, 111]


def test_records_and_arrays(both: tuple[Machine, Interpreted]) -> None:
    found: list[Any] = []
    for engine in both:
        x = np.linspace(0.05, 1.0, 30)
        record = engine.record("Pair", {"x": x, "n": 30, "total": 1.5})
        found.append((engine["mixed"](record, 1), x.tolist()))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-15)
    assert found[0][1] == found[1][1]


def test_words_wrap(both: tuple[Machine, Interpreted]) -> None:
    for a, b in ((5, 7), (1 << 62, 3), (-3, 9)):
        one, other = (engine["words"](a, b) & ((1 << 64) - 1) for engine in both)
        assert one == other
    assert [engine["shifted"](-1) for engine in both] == [15, 15]


@pytest.mark.parametrize(
    "body", ["import os", "return x.y", "with x: pass", "return [1]", "lambda: 1", "return unknown(1)"]
)
def test_what_is_not_in_the_language(body: str) -> None:
    with pytest.raises((TypeError, KeyError)):
        llvm_text(f"def f(x: int) -> int:\n    {body}\n    return 1\n", frozenset({"f"}))


def test_indices_are_checked_by_cpython() -> None:
    engine = Interpreted("def f(x: floats) -> float:\n    return x[3]\n", frozenset({"f"}))
    with pytest.raises(IndexError):
        engine["f"](np.zeros(3))


def test_arrays_are_passed_by_their_place() -> None:
    values = np.zeros(2)
    assert array(values) == values.ctypes.data
