"""All programs, methods and engines, and random programs, with a new seed each time: `make exactness`.

Prints a line for each, and the worst p-value of all. With as many tests as that one in a thousand is below 0.001; the
whole fails where the smallest is below 0.001 divided by their number."""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from pathlib import Path

from tests.engine.generate import generate

from pplc.model import Model, compile_text, load
from pplc_runtime.exactness.verdict import Extent, verdict_on
from pplc_runtime.values import ModelError

PROGRAMS = Path(__file__).parents[2] / "programs"
METHODS = ("pgas", "smc", "icsmc", "lmh", "importance", "rw", "slice", "nuts", "pgas + lmh")
ERROR_RATE = 0.001
RANDOM = 40
"""So many random programs."""


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.exactness", description=__doc__)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="default: a new one")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so many")
    parser.add_argument("--simulations", type=int, default=30)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    subjects: list[tuple[str, Model]] = [(file.stem, load(file)) for file in sorted(PROGRAMS.glob("*.clj"))]
    seeds = range(given.seed, given.seed + RANDOM)
    subjects += [(f"random program {seed}", compile_text(generate(seed))) for seed in seeds]
    cases = [
        (number, name, model, method, engine)
        for number, (name, model) in enumerate(subjects)
        for method in given.methods
        for engine in (("lanes", "reference") if method == "pgas" else ("lanes",))
    ]
    random.Random(given.seed).shuffle(cases)  # so that what --seconds leaves of them is a share of all
    begun, count, worst, done = time.monotonic(), 0, (1.0, "none"), 0
    for number, name, model, method, engine in cases:
        if time.monotonic() - begun > given.seconds:
            break
        done += 1
        extent = Extent(given.simulations, rounds=2, steps=2, draws=5)
        try:
            found = verdict_on(
                model.program, method, seed=given.seed + number, extent=extent,
                engine=model.reference if engine == "reference" else None,
            )  # fmt: skip
        except ModelError as error:  # what a method cannot do, it says
            print(f"{name}, {method}, {engine}: {str(error).splitlines()[0]}", flush=True)
            continue
        count += len(found.findings)
        print(f"{name}, {method}, {engine}: {len(found.findings)} tests, smallest p {found.smallest:.3g}", flush=True)
        worst = min(worst, (found.smallest, f"{name}, {method}, {engine}"))
    limit = ERROR_RATE / max(1, count)
    print(f"seed {given.seed}, {done} of {len(cases)} cases: of {count} p-values the smallest is {worst[0]:.3g}")
    print(f"({worst[1]}); the limit is {limit:.2g}")
    return int(worst[0] < limit)


if __name__ == "__main__":
    sys.exit(main())
