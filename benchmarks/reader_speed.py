"""How fast the reader is, in MB/s, on the texts that are large in practice: data.

python benchmarks/reader_speed.py
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from pplc.passes.read import read
from pplc.source import Source

SIZE = 10_000_000
REPEATS = 5


def vector(rng: random.Random) -> str:
    return "[" + " ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(SIZE // 10)) + "]"


def integers(rng: random.Random) -> str:
    return "[" + " ".join(str(rng.randrange(-10_000, 10_000)) for _ in range(SIZE // 6)) + "]"


def mixed(rng: random.Random) -> str:
    return "[" + ", ".join(rng.choice(("0", "1e-3", "-2.5", "17.25")) for _ in range(SIZE // 6)) + "]"


def matrix(columns: int) -> Callable[[random.Random], str]:
    def text(rng: random.Random) -> str:
        def row() -> str:
            return "[" + " ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(columns)) + "]"

        return "[" + "\n ".join(row() for _ in range(SIZE // (10 * columns))) + "]"

    return text


def program(rng: random.Random) -> str:
    function = """(defn step [state y] ; one step
  (let [x (sample (normal (* 0.9 state) 1.0))]
    (observe (normal x 2) y)
    x))
"""
    return function * (SIZE // len(function))


TEXTS: dict[str, Callable[[random.Random], str]] = {
    "vector of floats": vector,
    "vector of integers": integers,
    "vector of both": mixed,
    "matrix, 3 columns": matrix(3),
    "matrix, 10 columns": matrix(10),
    "matrix, 100 columns": matrix(100),
    "program": program,
}


def main() -> None:
    for label, make in TEXTS.items():
        source = Source(label, make(random.Random(1)))
        best = float("inf")
        for _ in range(REPEATS):
            begun = time.perf_counter()
            forms = read(source)
            best = min(best, time.perf_counter() - begun)
            del forms
        print(f"{label:20} {len(source.text) / 1e6:6.1f} MB {len(source.text) / 1e6 / best:6.1f} MB/s")


if __name__ == "__main__":
    main()
