"""Times one peer, in the interpreter that has it.

    python -m benchmarks.peers.worker PEER MODEL PARTICLES SECONDS REPEATS

prints {"cpu": ..., "wall": ...} in milliseconds a sweep.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import benchmarks.threads  # noqa: F401  isort: skip
import numpy as np

from benchmarks import models
from benchmarks.timing import Calls, Effort, measure


def sweep_of(peer: str, model: str, n: int) -> Callable[[Any], Any]:
    arrays = getattr(models, model)().arrays
    if peer == "particles":
        from benchmarks.peers.particles_smc import smc

        return lambda _: smc(model, arrays, n)
    from benchmarks.by_hand import numba_smc

    rng = np.random.default_rng(1)
    if model == "nlss":
        return lambda _: numba_smc.nlss(arrays["y"], n, rng)
    return lambda _: numba_smc.lgss(arrays["C"], arrays["y"], n, rng)


def main() -> None:
    peer, model, n, seconds, repeats = sys.argv[1:]
    sweep = sweep_of(peer, model, int(n))
    sweep(None)
    found = measure({peer: Calls(sweep)}, Effort(float(seconds), int(repeats)))[peer]
    print(json.dumps({"cpu": found.cpu, "wall": found.wall}))


if __name__ == "__main__":
    main()
