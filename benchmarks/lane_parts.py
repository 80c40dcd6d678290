"""What parts of a sweep by lanes cost: the same sweeps without them, by turns in one process.

    python -m benchmarks.lane_parts
    python -m benchmarks.lane_parts --particles 1000 --batches 40

Numbers by key are those of one stream instead; what is kept of a sweep, and the lines of ancestors, are left out. The
method is smc, which does each of these once a sweep. The least of the batches counts.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from typing import Any, Final
from unittest.mock import patch

import numpy as np

import pplc
from benchmarks.commits import PROGRAMS, ROOT, SWEEPS
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.running import driver

RUNS: Final = "pplc_runtime.inference.runs"
PARTS: Final[dict[str, dict[str, Any]]] = {
    "numbers by key": {
        "pplc_runtime.engine.particles.chance_of": lambda key, size: Stream(np.random.default_rng(key.k0))
    },
    "what is kept": {f"{RUNS}.standing_for": lambda *arguments: None, f"{RUNS}.MOST_PARTICLES": 0},
    "ancestry": {f"{RUNS}.Ancestry.of": lambda particles, forks: Ancestry(particles)},
}


def took(model: pplc.Model, particles: int, seed: int, *without: str) -> float:
    """CPU milliseconds of a sweep without some parts."""
    with ExitStack() as stack:
        for part in without:
            for place, other in PARTS[part].items():
                stack.enter_context(patch(place, other))
        start = time.process_time()
        model.infer("smc", particles=particles, sweeps=SWEEPS, seed=seed)
        return 1e3 * (time.process_time() - start) / SWEEPS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=int, default=10)
    parser.add_argument("--batches", type=int, default=30)
    arguments = parser.parse_args()
    driver.LEAST_SWEEPS = SWEEPS + 1  # by lanes
    print("ms of CPU a sweep of smc")
    for program in PROGRAMS:
        model = pplc.load(ROOT / "programs" / f"{program}.clj")
        ways: dict[str, tuple[str, ...]] = {
            "whole": (),
            **{part: (part,) for part in PARTS},
            "all of these": tuple(PARTS),
        }
        times: dict[str, list[float]] = {way: [] for way in ways}
        for batch in range(arguments.batches):
            for way, without in ways.items():
                times[way].append(took(model, arguments.particles, batch, *without))
        whole = min(times["whole"])
        print(f"{program:17} {whole:7.3f}", flush=True)
        for way in [*PARTS, "all of these"]:
            print(f"  without {way:15} {min(times[way]):7.3f}  {min(times[way]) / whole:5.2f}", flush=True)


if __name__ == "__main__":
    main()
