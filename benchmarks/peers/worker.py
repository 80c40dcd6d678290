"""Times one peer, in the interpreter that has it.

    python -m benchmarks.peers.worker PEER MODEL METHOD PARTICLES SECONDS REPEATS

prints {"cpu": ..., "wall": ...} in milliseconds a sweep; with `peak` for the last two, the megabytes of one sweep.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import benchmarks.threads  # noqa: F401  isort: skip
import numpy as np

from benchmarks import models
from benchmarks.processes import peak
from benchmarks.timing import Calls, Effort, measure


def sweep_of(peer: str, model: str, method: str, n: int) -> tuple[Callable[[Any], Any], Any]:
    """A sweep, and what the first one is given."""
    first: Any
    arrays = getattr(models, model)().arrays
    if peer == "particles":
        from benchmarks.peers import particles_smc

        if method == "smc":
            return lambda _: particles_smc.smc(model, arrays, n), None
        return lambda old: particles_smc.icsmc(model, arrays, n, old), particles_smc.start(model, arrays)
    rng = np.random.default_rng(1)
    given = [
        arrays[name] for name in {"lgss": ("C", "y"), "hmm": ("initial", "transition", "means", "y")}.get(model, ("y",))
    ]
    if method == "smc":
        from benchmarks.by_hand import numba_smc

        sweep = getattr(numba_smc, model)
        return lambda _: sweep(*given, n, rng), None
    from benchmarks.by_hand import hmm, lgss, nlss, numba_chain

    sweep = getattr(numba_chain, model)
    if model == "crp":  # all in one class
        first = np.zeros(len(given[0]), dtype=np.int64), np.zeros(numba_chain.MOST)
        return lambda old: sweep(*given, n, rng, *old)[-2:], sweep(*given, 1000, rng, *first)[-2:]
    first = {"lgss": lgss, "nlss": nlss, "hmm": hmm}[model].start(arrays, rng)
    if model == "lgss":  # the path after omega and q
        first = np.array([(first.omega, first.q), *first.path[1:]])
    return lambda old: sweep(*given, n, rng, old, method == "pgas")[-1], first


def main() -> None:
    peer, model, method, n, *effort = sys.argv[1:]
    sweep, first = sweep_of(peer, model, method, int(n))
    sweep(first)
    if effort == ["peak"]:
        print(peak())
        return
    seconds, repeats = effort
    found = measure({peer: Calls(sweep, first)}, Effort(float(seconds), int(repeats)))[peer]
    print(json.dumps({"cpu": found.cpu, "wall": found.wall}))


if __name__ == "__main__":
    main()
