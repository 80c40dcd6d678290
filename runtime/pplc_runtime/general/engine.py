"""Runs the sweeps of a program in general in blocks, by machine code: arrays that grow, keys, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.general.assembly import Assembled
from pplc_runtime.general.types import NIL, NOTHING, REAL, TEXT, TRUTH, WHOLE, Maybe, Scalar, Type, Untyped, Vector
from pplc_runtime.general.values import ZEROS
from pplc_runtime.general.writer import NIL_REAL, NIL_WHOLE
from pplc_runtime.machine.halting import halting
from pplc_runtime.machine.machine import Interpreted, Machine, made
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import List, Symbol

METHODS: Final = {"importance": 0, "smc": 1, "icsmc": 2, "pgas": 3}
SLACK: Final = 70_000
"""Words behind the log, for a value that is written where there is no room any more."""
MOST_WORDS: Final = 1 << 27
"""The arena grows up to 1 GB."""
_ENTRIES: Final = frozenset({"sweeps"})
NOTED: Final = (
    "CK", "CH", "CW", "EN", "ES", "PK", "WS", "WI", "WV", "WK", "WP", "WN", "AS", "AC", "AW", "ZS", "ZA", "ZK", "MZ",
    "FO", "LG", "LA", "FK",
)  # fmt: skip
NUMBERS: Final = (
    "seg", "bound", "watched", "all", "odd", "cells", "edges", "noted", "seats", "z", "zw", "first", "fn",
)  # fmt: skip
"""The fields of a particle that are for replays of what has changed, beside the arrays before."""


Words: TypeAlias = NDArray[np.int64]


class Stopped(Exception):
    """A sweep that could not be done: why, in which generation, and by which particle; those before it were done."""

    def __init__(self, code: int, generation: int, particle: int, done: Block | None) -> None:
        super().__init__(code)
        self.code = code
        self.generation = generation
        self.particle = particle
        self.done = done


@dataclass(frozen=True, slots=True)
class Block:
    """What some sweeps come to, by sweep first."""

    log_weights: NDArray[np.float64]
    """Normalised: those of a sweep sum to one."""
    log_evidence: NDArray[np.float64]
    words: NDArray[np.int64]
    """What is predicted: by sweep, particle and predict."""
    chosen: NDArray[np.int64]
    moved: NDArray[np.int64]
    ancestors: NDArray[np.int64]
    """By sweep, generation and particle; those of the first generation mean nothing."""
    due: NDArray[np.int64]
    """Whether particles were resampled before a generation, by sweep and generation."""
    weakest: NDArray[np.float64]
    drawn: list[NDArray[np.int64] | None]
    """What was retained after each sweep, as words; None where there was no room for it."""
    heap: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a particle has drawn: words, for each value the hash of its address, its measure and size, and itself."""

    words: NDArray[np.int64]

    def places(self) -> list[int]:
        """Where the values begin."""
        found = [0]
        while found[-1] < len(self.words):
            found.append(found[-1] + 2 + (int(self.words[found[-1] + 1]) & 65535))
        return found[:-1]


class GeneralEngine:
    """The sweeps of one method over one program."""

    def __init__(
        self,
        program: Assembled,
        segments: int,
        method: str,
        particles: int,
        machine: type[Machine] | type[Interpreted],
        even: bool = True,
        threshold: float = 1.0,
        entries: frozenset[str] = _ENTRIES,
    ) -> None:
        self.program = program
        found: Any = machine
        self.machine = made(found, program.text, entries)
        self.method = METHODS[method]
        self.even = method == "pgas" and program.even and even
        self.notes = self.even or (method == "pgas" and program.has_seats)
        self.particles = particles
        self.threshold = threshold
        self.segments = segments
        self.predicts = len(program.labels)
        self.own = program.slots + self.predicts
        self.arena_words = max(1 << 16, 2 * len(program.words))
        self.log_words = 1 << 12
        self.table = 1 << 10
        self.retained: Drawn | None = None
        self.lengths = 0, 0
        """Of what is retained: words, and values."""
        self.allocate()

    def allocate(self) -> None:
        """Arrays of the sizes that are known to be needed."""
        size, length, segments = self.particles, self.log_words, self.segments
        self.arena = np.zeros(self.arena_words, np.int64)
        words = np.array(self.program.words, np.uint64).view(np.int64)
        self.arena[: len(words)] = words
        self.globals = np.zeros((2 * size + 1) * self.own + 1, np.int64)
        self.log = np.zeros(length + SLACK, np.int64)
        self.kept = np.zeros(length + SLACK, np.int64)
        self.used = np.zeros(length + SLACK, np.int64)
        self.places = np.zeros(self.table, np.int64)
        integers: dict[str, int] = {"A": segments * size, "LS": 2 * segments * size, "ROOTS": 2 * size,
                                    "PATH": segments, "G": 4 * size + 1, "E": 5}  # fmt: skip
        self.arrays: dict[str, Any] = {name: np.zeros(length + 1, np.int64) for name, length in integers.items()}
        self.arrays |= {name: np.zeros(size + 1) for name in ("LW", "W", "C", "X")}
        self.noting()
        if self.retained is not None:
            self.retain(self.retained)

    def noting(self) -> None:
        """Arrays for replays of what has changed (`incremental`)."""
        size, segments = self.particles, self.segments
        even = self.even
        table, words, pairs = (self.table, self.log_words + SLACK, 4 * self.table) if even else (1, 1, 1)
        lengths = dict.fromkeys(("CK", "CH", "CW", "WS", "WI", "WK", "WP", "WN", "MZ", "FO"), table)
        lengths |= dict.fromkeys(("ZA", "ZK"), self.table if self.notes else 1)
        lengths |= dict.fromkeys(("EN", "ES", "PK"), pairs) | dict.fromkeys(("AS", "FK"), words)
        lengths |= dict.fromkeys(("AC", "AW", "ZS", "DM"), segments) | dict.fromkeys(("ODD", "FS"), 2 * size)
        self.arrays |= {name: np.zeros(length + 2, np.int64) for name, length in lengths.items()}
        self.arrays |= {
            "LG": np.zeros(table + 2),
            "LA": np.zeros(table + 2),
            "SC": np.zeros(2 * size * segments * even + 1),
        }
        self.arrays["WV"] = self.arrays["WI"].view(np.float64)

    def retain(self, drawn: Drawn) -> None:
        """Go on from an execution."""
        self.retained = drawn
        words, places = len(drawn.words), drawn.places()
        if words > self.log_words or 2 * len(places) > self.table - 1:
            self.log_words, self.table = 2 * self.log_words, 2 * self.table
            self.allocate()
            return
        self.kept[:words] = drawn.words
        self.places[:] = 0
        mask = self.table - 1
        for position in places:
            j = int(drawn.words[position]) & mask
            while self.places[j]:
                j = (j + 1) & mask
            self.places[j] = position + 1
        self.lengths = words, len(places)

    def drawn(self) -> Drawn:
        """What is retained now."""
        return Drawn(self.kept[: self.lengths[0]].copy())

    def run(self, keys: list[tuple[int, int]], logging: bool) -> Block:
        """A sweep for each key; `Stopped` after those that could be done. What lacks room is done again with more."""
        before = 0
        blocks: list[Block] = []
        while before < len(keys):
            done, code, block = self.attempt(keys[before:], logging)
            before += done
            if done:
                blocks.append(block)
                if logging:
                    self.retained = self.drawn()
            if code:
                self.grow(code, blocks)
        return blocks[0] if len(blocks) == 1 else _joined(blocks)

    def grow(self, code: int, blocks: list[Block]) -> None:
        """More room, if that is what a sweep lacks."""
        if code == 1 and self.arena_words < MOST_WORDS:
            self.arena_words *= 2
        elif code == 2:
            self.log_words, self.table = 2 * self.log_words, 2 * self.table
        else:
            wrong = self.arrays["E"]
            raise Stopped(code, int(wrong[1]), int(wrong[2]), _joined(blocks) if blocks else None)
        self.allocate()

    def attempt(self, keys: list[tuple[int, int]], logging: bool) -> tuple[int, int, Block]:
        """As many sweeps as can be done: how many, what is wrong with the next one, and what they come to."""
        count, size, segments, predicts = len(keys), self.particles, self.segments, self.predicts
        given = np.array([word for key in keys for word in key] or [0], np.uint64).view(np.int64)
        block = Block(
            np.zeros((count, size)), np.zeros(count), np.zeros((count, size, predicts), np.int64),
            np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, segments, size), np.int64),
            np.ones((count, segments), np.int64), np.zeros((count, 3)), [], self.arena,
        )  # fmt: skip
        room = max(1 << 14, min(count * 2 * (self.lengths[0] + 64), 1 << 22)) if logging else 1
        drawn, ends = np.zeros(room, np.int64), np.full(count, -1)
        outcomes = np.zeros(2 * count, np.int64)
        out = np.zeros(block.words.size + 1, np.int64)
        first, second = self.records(block, given, drawn, ends, outcomes, out, logging)
        with halting(first):
            done = int(self.machine["sweeps"](first, second, count))
        code = int(self.arrays["E"][0])
        self.lengths = int(self.arrays["E"][3]), int(self.arrays["E"][4])
        block.words[:] = out[:-1].reshape(block.words.shape)
        block.chosen[:], block.moved[:] = outcomes[::2], outcomes[1::2]
        start = 0
        for end in ends[:done].tolist():
            block.drawn.append(drawn[start:end] if end >= 0 else None)
            start = max(start, end)
        return done, code, block if done == count else _first(block, done)

    def records(
        self, block: Block, keys: Words, drawn: Words, ends: Words, outcomes: Words, out: Words, logging: bool
    ) -> tuple[Any, Any]:
        """A particle, and what a block of sweeps works on."""
        size, segments, predicts, program = self.particles, self.segments, self.predicts, self.program
        state = {
            "H": self.arena.view(np.float64), "I": self.arena, "top": 0, "limit": self.arena_words, "bin": ZEROS,
            "texts": program.texts, "segments": program.segments, "root": 0, "mark": 0,
            "P": self.globals.view(np.float64), "Q": self.globals, "g": 0, "lw": 0.0, "fail": 0, "halt": 0, "depth": 0,
            "mode": 0, "logging": int(logging), "k0": 0, "k1": 0, "c1": 0, "LV": self.log.view(np.float64),
            "LI": self.log, "ln": 0, "lc": self.log_words, "RV": self.kept.view(np.float64), "RI": self.kept,
            "RT": self.places, "rmask": self.table - 1, "RU": self.used, "left": 0, "used": 0, "cmask": self.table - 1,
            "pmask": 4 * self.table - 1, "za": 0.0, "zd": 0.0,
        }  # fmt: skip
        state |= {name: self.arrays[name] for name in NOTED}
        state |= dict.fromkeys(NUMBERS, 0)
        run = {
            "method": self.method, "L": size, "T": segments, "threshold": float(self.threshold),
            "NG": self.own, "NP": predicts,
            "base": len(program.words), "now": 0, "A": self.arrays["A"], "LS": self.arrays["LS"],
            "ROOTS": self.arrays["ROOTS"], "LW": self.arrays["LW"], "W": self.arrays["W"], "C": self.arrays["C"],
            "X": self.arrays["X"], "G": self.arrays["G"],
            "PATH": self.arrays["PATH"], "words": self.lengths[0], "entries": self.lengths[1], "K": keys,
            "OW": block.log_weights.reshape(-1), "OE": block.log_evidence, "OQ": out, "OM": outcomes,
            "OA": block.ancestors.reshape(-1), "OF": block.due.reshape(-1),
            "OX": block.weakest.reshape(-1), "OD": drawn, "OS": ends, "od": 0,
            "oc": len(drawn), "E": self.arrays["E"], "noting": int(self.notes), "even": int(self.even),
            "SC": self.arrays["SC"], "ODD": self.arrays["ODD"], "FS": self.arrays["FS"], "DM": self.arrays["DM"],
        }  # fmt: skip
        return self.machine.record("State", state), self.machine.record("Run", run)

    def lines(self, places: list[int]) -> list[NDArray[np.int64]]:
        """What some final particles of the last sweep drew, as words; it must have been logged."""
        size, found = self.particles, []
        for place in places:
            parts = []
            for n in range(self.segments - 1, -1, -1):
                start, end = self.arrays["LS"][2 * (n * size + place) : 2 * (n * size + place) + 2]
                parts.append(self.log[start:end])
                place = int(self.arrays["A"][n * size + place]) if n and self.method else place
            found.append(np.concatenate(parts[::-1]))
        return found

    def columns(self, block: Block, sweep: int, living: NDArray[np.bool_]) -> dict[str, Column]:
        """What the particles of a sweep predict, by label; of those that are dead it means nothing."""
        return {
            label: self.column(block, block.words[sweep, :, place], type_, living)
            for place, (label, type_) in enumerate(zip(self.program.labels, self.program.predicted))
        }

    def column(self, block: Block, words: NDArray[np.int64], type_: Type, living: NDArray[np.bool_]) -> Column:
        if type_ == WHOLE:
            return words.copy()
        if type_ == REAL:
            return words.view(np.float64).copy() if words.flags.c_contiguous else words.copy().view(np.float64)
        if type_ == TRUTH:
            return words.astype(np.bool_)
        plain: list[Any] = [
            self.plain(block.heap, int(word), type_) if alive else None for word, alive in zip(words, living)
        ]
        if isinstance(type_, Vector) and type_.kind == "array" and living.all() and len({len(v) for v in plain}) == 1:
            return np.array(plain).T.copy()
        return plain

    def plain(self, heap: NDArray[np.int64], word: int, type_: Type) -> Any:
        """A plain value from a word."""
        match type_:
            case Maybe(of):
                nil = NIL_REAL if of == REAL else NIL_WHOLE
                return None if word == nil else self.plain(heap, word, of)
            case Vector(element, kind):
                items = [self.plain(heap, int(each), element) for each in heap[word + 1 : word + 1 + heap[word]]]
                return np.array(items) if kind == "array" else List(items) if kind == "list" else tuple(items)
            case Scalar():
                if type_ == REAL:
                    return float(np.int64(word).view(np.float64))
                if type_ == TRUTH:
                    return bool(word)
                if type_ in (NIL, NOTHING):
                    return None
                if type_ == WHOLE:
                    return word
                kind_of, text = list(self.program.whole.constants.texts)[word]
                return text if type_ == TEXT else Symbol(text) if kind_of is Symbol else text
        raise Untyped(f"a predict of a {type_}")

    @property
    def has_references(self) -> bool:
        """Whether what is predicted is in the arena, which the next sweep uses anew."""
        return any(not isinstance(type_, Scalar) for type_ in self.program.predicted)


def _first(block: Block, count: int) -> Block:
    return Block(
        block.log_weights[:count], block.log_evidence[:count], block.words[:count], block.chosen[:count],
        block.moved[:count], block.ancestors[:count], block.due[:count], block.weakest[:count], block.drawn, block.heap,
    )  # fmt: skip


def _joined(blocks: list[Block]) -> Block:
    return Block(
        np.concatenate([each.log_weights for each in blocks]), np.concatenate([each.log_evidence for each in blocks]),
        np.concatenate([each.words for each in blocks]), np.concatenate([each.chosen for each in blocks]),
        np.concatenate([each.moved for each in blocks]), np.concatenate([each.ancestors for each in blocks]),
        np.concatenate([each.due for each in blocks]), np.concatenate([each.weakest for each in blocks]),
        [own for each in blocks for own in each.drawn],
        blocks[-1].heap,
    )  # fmt: skip
