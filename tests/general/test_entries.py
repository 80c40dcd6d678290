"""Entries of a memo by whole numbers: each particle has those that its line has made, whatever others make."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pplc_runtime.general.assembly import LIBRARY
from pplc_runtime.general.values import ZEROS
from pplc_runtime.machine.machine import Interpreted

FUNCTIONS = Interpreted(LIBRARY, frozenset({"found_near", "kept_near", "new_node"}))
MEMO = 99
PLACES = 2


def memory(words: int) -> SimpleNamespace:
    arena = np.zeros(words, np.int64)
    fields: dict[str, Any] = {"H": arena.view(np.float64), "I": arena, "Q": np.zeros(64, np.int64)}
    numbers = {"top": ZEROS + 64, "limit": words, "bin": ZEROS, "root": 0, "mark": 0, "g": 0, "fail": 0}
    state: SimpleNamespace = Interpreted.record(FUNCTIONS, "State", fields | numbers)
    state.root = FUNCTIONS["new_node"](state)
    return state


def keep(state: SimpleNamespace, k: int, value: int) -> None:
    state.I[FUNCTIONS["kept_near"](state, MEMO, 0, k) + 1] = value


def value_of(state: SimpleNamespace, k: int) -> int | None:
    leaf = FUNCTIONS["found_near"](state, MEMO, 0, k)
    return state.I[leaf + 1] if leaf else None


@pytest.mark.parametrize("highest", (12, 40, 400))
def test_particles_have_what_their_line_has_made(highest: int) -> None:
    """Eight particles add entries, mostly in increasing order, and are forked."""
    chance, state, made = random.Random(highest), memory(1 << 17), 0
    lines: list[tuple[int, dict[int, int]]] = [(state.root, {}) for _ in range(8)]
    for _ in range(40):
        parents = [chance.randrange(8) for _ in range(8)]
        before = state.Q.data.copy()
        lines = [(lines[parent][0], dict(lines[parent][1])) for parent in parents]
        for i, parent in enumerate(parents):
            state.Q.data[PLACES * i : PLACES * (i + 1)] = before[PLACES * parent : PLACES * (parent + 1)]
        for i, (root, known) in enumerate(lines):
            state.root, state.g, state.mark = root, PLACES * i, state.top
            for _ in range(chance.randrange(3)):
                k = (
                    chance.randrange(highest)
                    if chance.random() < 0.3
                    else max(known, default=0) + chance.randrange(1, 4)
                )
                if k not in known:
                    made += 1
                    keep(state, k, made)
                    known[k] = made
            lines[i] = state.root, known
        for i, (root, known) in enumerate(lines):
            state.root, state.g = root, PLACES * i
            for k in (*known, *(chance.randrange(highest + 100) for _ in range(5))):
                assert value_of(state, k) == known.get(k)


def test_an_entry_is_found_in_logarithmic_time() -> None:
    state, count = memory(1 << 14), 1000
    for k in range(16, 16 + count):
        state.mark = state.top
        keep(state, k, k)
    assert state.top < ZEROS + 64 + 16 + 4 * count + 1  # nothing was copied
    for k in range(16, 16 + count):
        p, steps = state.Q[1], 0
        while state.I[p] >> 20 != k:
            far = state.I[p + 3]
            p, steps = far if state.I[far] >> 20 >= k else state.I[p + 2], steps + 1
        assert steps <= 3 * math.log2(count)
        assert value_of(state, k) == k
