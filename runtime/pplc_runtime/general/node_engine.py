"""Runs sweeps of moves of an execution in nodes, in blocks, by machine code; and tells what executions predict."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.general.assembly import Assembled
from pplc_runtime.general.engine import MOST_WORDS, NOTED, NUMBERS, SLACK, Block, Drawn, GeneralEngine, Stopped
from pplc_runtime.general.node_code import MOST_ARGUMENTS, NodeProgram
from pplc_runtime.general.values import ZEROS
from pplc_runtime.machine.halting import halting
from pplc_runtime.machine.machine import Interpreted, Machine, made

Words = NDArray[np.int64]
_MOVES: Final = frozenset({"sweeps_of_nodes", "begin_nodes"})
_BY_NODE: Final = ("NK", "NF", "NS", "NW", "NZ", "NQ", "NL", "NJ", "NC", "NU", "NE", "NT", "NR", "JN", "JW", "MD", "ML")
_BY_TABLE: Final = ("TN", "TC", "TM", "TB")
_BY_WORD: Final = ("RU", "AS", "RK", "RN", "RL", "RS", "SO", "FV", "LI", "LB", "RI")
_BY_LINK: Final = ("GA", "GB", "GC", "GD", "GE", "ZL")
_COUNTS: Final = (
    "source", "vtop", "values", "so", "sp", "op", "lb", "fresh", "fv", "tables", "named", "seated", "nodes", "links",
    "node", "count", "making", "recording", "taint", "force", "trial", "turn", "jn", "md", "mn", "zn", "zeros",
    "unlike",
)  # fmt: skip


class NodeEngine:
    """Moves of an execution, which it keeps from block to block: what it has drawn, in the order of execution."""

    def __init__(self, program: NodeProgram, machine: type[Machine] | type[Interpreted]) -> None:
        self.program = program
        found: Any = machine
        self.machine = made(found, program.text, _MOVES)
        self.arena_words = max(1 << 14, 2 * len(program.words))
        self.size = 1 << 8
        """Of tables, and of a fourth of the words of values."""
        self.words: Words = np.zeros(0, np.int64)
        self.impossible = 0
        """How many seats and finite values were impossible that were tried in the last block."""
        self.unlike = 0
        """How many values of any kind were tried with which something else would have been drawn."""

    def begin(self, drawn: Drawn) -> None:
        """Go on from an execution. `Stopped` if it cannot be, or draws something that only predicts ask for."""
        self.words = drawn.words
        places = len(drawn.places())
        while len(drawn.words) > 4 * self.size or 2 * places + 4 > self.size:
            self.size *= 2
        while True:
            state, _ = self.record()
            code = int(self.machine["begin_nodes"](state))
            if code == 0:
                listed = int(self.told[1])
                if listed != len(drawn.words):
                    raise Stopped(UNASKED, 0, 0, None)
                self.words = self.list[:listed].copy()
                return
            self.grow(code)

    def places(self) -> list[int]:
        """Where the values begin."""
        return Drawn(self.words).places()

    def grow(self, code: int) -> None:
        """More room, if that is what was lacking."""
        if code == 1 and self.arena_words < MOST_WORDS:
            self.arena_words *= 2
        elif code == 2 and self.size < MOST_WORDS >> 6:
            self.size *= 2
        else:
            raise Stopped(code, 0, 0, None)

    def run(self, keys: list[tuple[int, int]], parts: list[int]) -> tuple[Words, Words]:
        """A sweep for each key: what each draws, one after the other, and where it ends."""
        found: list[Words] = []
        self.impossible = self.unlike = 0
        while len(found) < len(keys):
            left = keys[len(found) :]
            given = np.array([word for key in left for word in key], np.uint64).view(np.int64)
            room = min(len(left) * 2 * (len(self.words) + 64), 1 << 22) + len(self.words)
            drawn, ends = np.zeros(room, np.int64), np.zeros(len(left), np.int64)
            state, listed = self.record()
            listed[: len(self.words)] = self.words
            chosen = np.array(parts, np.int64)
            with halting(state):
                done = int(
                    self.machine["sweeps_of_nodes"](
                        state, *map(self.given, (given, chosen)), len(parts), *map(self.given, (drawn, ends)), room,
                        len(left),
                    )
                )  # fmt: skip
            starts = [0, *ends[: max(0, done - 1)].tolist()]
            found += [drawn[start:end] for start, end in zip(starts, ends[:done].tolist())]
            self.words = listed[: int(self.told[1])].copy()
            self.impossible += int(self.told[2])
            self.unlike += int(self.told[3])
            if code := int(self.told[0]):
                self.grow(code)
        return np.concatenate(found), np.cumsum([len(each) for each in found])

    def given(self, array: Words) -> Any:
        """An array as a function takes it."""
        return array if self.machine.__class__ is Interpreted else int(array.ctypes.data)

    def record(self) -> tuple[Any, Words]:
        """What the moves work on, and the list of what is drawn in it."""
        size, program, segments = self.size, self.program, self.program.count
        length, nodes, links = 4 * size, size + segments + 1, 64 * size + 16 * segments
        arena = np.zeros(self.arena_words, np.int64)
        arena[: len(program.words)] = np.array(program.words, np.uint64).view(np.int64)
        globals_ = np.zeros(program.slots + 1, np.int64)
        arrays: dict[str, Any] = {name: np.zeros(1, np.int64) for name in NOTED}
        arrays |= {name: np.zeros(nodes, np.int64) for name in _BY_NODE}
        arrays |= {name: np.zeros(nodes) for name in ("LD", "LO", "JD", "JO")}
        arrays |= {name: np.zeros(size, np.int64) for name in _BY_TABLE}
        arrays |= {name: np.zeros(size) for name in ("TW", "TX")}
        arrays |= {name: np.zeros(length + SLACK, np.int64) for name in _BY_WORD}
        arrays |= {name: np.zeros(links, np.int64) for name in _BY_LINK}
        arrays |= {name: np.zeros(1) for name in ("WV", "LG", "LA", "LV")}
        arrays["NA"] = np.zeros(MOST_ARGUMENTS * nodes, np.int64)
        arrays["RT"] = np.zeros(size, np.int64)
        arrays["XW"], arrays["EV"], arrays["GS"] = np.zeros(1, np.int64), np.zeros(4, np.int64), globals_.copy()
        self.told = arrays["EV"]
        self.list: Words = arrays["LI"]
        views = (("NAV", "NA"), ("NWV", "NW"), ("XV", "XW"), ("RV", "RI"))
        arrays |= {view: arrays[name].view(np.float64) for view, name in views}
        numbers: dict[str, Any] = dict.fromkeys((*NUMBERS, *_COUNTS), 0)
        numbers |= dict.fromkeys(("za", "zd", "ld", "delta", "lw"), 0.0)
        numbers |= dict.fromkeys(("root", "mark", "g", "fail", "halt", "depth", "mode", "logging", "k0", "k1", "c1"), 0)
        numbers |= dict.fromkeys(("left", "used", "cmask", "pmask"), 0)
        values = {
            **arrays, **numbers, "H": arena.view(np.float64), "I": arena, "bin": ZEROS, "top": len(program.words),
            "base": len(program.words), "limit": self.arena_words, "texts": program.texts,
            "segments": program.segments, "P": globals_.view(np.float64), "Q": globals_, "ln": len(self.words),
            "lc": length, "rmask": size - 1, "nmask": size - 1, "T": segments, "globals": program.slots,
            "tmax": size, "glimit": links,
        }  # fmt: skip
        self.fill(values)
        return self.machine.record("State", values), self.list

    def fill(self, values: dict[str, Any]) -> None:
        """The table of values, by address."""
        places = Drawn(self.words).places()
        values["RI"][: len(self.words)] = self.words
        table, mask = values["RT"], values["rmask"]
        for place in places:
            j = int(self.words[place]) & mask
            while table[j]:
                j = (j + 1) & mask
            table[j] = place + 1
            values["RU"][place] = 1
        values["vtop"], values["values"] = len(self.words), len(places)


UNASKED: Final = 25
"""An execution draws what only predicts ask for."""


class Reporter(GeneralEngine):
    """What executions predict that are known by what they draw."""

    def __init__(self, program: Assembled, segments: int, machine: type[Machine] | type[Interpreted]) -> None:
        super().__init__(program, segments, "icsmc", 1, machine, entries=frozenset({"retold"}))

    def predicted(self, drawn: Words, ends: Words, keys: list[tuple[int, int]]) -> Block:
        """What is predicted of some executions, one after the other."""
        count = len(ends)
        given = np.array([word for key in keys for word in key], np.uint64).view(np.int64)
        while True:
            block = Block(
                np.zeros((count, 1)), np.zeros(count), np.zeros((count, 1, self.predicts), np.int64),
                np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, self.segments, 1), np.int64),
                np.zeros((count, self.segments), np.int64), np.zeros((count, 3)), [], self.arena,
            )  # fmt: skip
            out = np.zeros(block.words.size + 1, np.int64)
            first, second = self.records(block, given, drawn, ends, np.zeros(2 * count, np.int64), out, False)
            given_arrays = [a if isinstance(self.machine, Interpreted) else int(a.ctypes.data) for a in (drawn, ends)]
            with halting(first):
                self.machine["retold"](first, second, *given_arrays, count)
            code = int(self.arrays["E"][0])
            if code == 0:
                block.words[:] = out[:-1].reshape(block.words.shape)
                return block
            self.grow(code, [])
