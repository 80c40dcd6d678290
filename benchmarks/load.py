"""Large runs, each in a process of its own: seconds, and the peak of memory.

`python -m benchmarks.load [WORD ...]` does all, or those whose names have one of the words.

The model is a chain of Gaussian states, each observed once, of any length."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

CHAIN: Final = """
[input y]
[assume x (mem (lambda (t) (sample (normal (if (= t 0) 0 (* 0.9 (x (- t 1)))) 1))))]
[for [t (range (count y))] [observe (normal (x t) 1) (nth y t)]]
[predict (x 0)]
"""


def chain(length: int, method: str, **settings: Any) -> None:
    """A run of the chain of states."""
    from pplc.model import compile_text

    data = {"y": [((7 * t) % 11 - 5) / 3 for t in range(length)]}
    settings |= {"data": data, "seed": 1, "progress": False, "keep": False, "on_sweep": lambda sweep: None}
    compile_text(CHAIN).infer(method, **settings)


def ten_minutes(seconds: int) -> None:
    """Chains that go on and on: the memory after a tenth of the time, and at the end."""
    from pplc.model import compile_text
    from pplc_runtime.running.limits import memory_used

    begun, count, used = time.monotonic(), 0, []

    def on_sweep(sweep: Any) -> None:
        nonlocal count
        count += 1
        if count % 10_000 == 0:
            used.append((time.monotonic() - begun, memory_used() >> 20))

    data = {"y": [((7 * t) % 11 - 5) / 3 for t in range(10)]}
    compile_text(CHAIN).infer(
        "pgas", chains=64, sweeps=1_000_000_000, max_seconds=seconds, data=data, seed=1, keep=False, progress=False,
        on_sweep=on_sweep,
    )  # fmt: skip
    early = next(memory for after, memory in used if after > seconds / 10)
    print(f"{count} sweeps, {early} MB after {seconds // 10} s, {used[-1][1]} MB at the end", end="  ")


def rows(number: int, method: str, **settings: Any) -> None:
    """A linear regression of so many rows."""
    from benchmarks.moves import REGRESSION, regression
    from pplc.model import compile_text

    settings |= {
        "data": regression(number),
        "seed": 1,
        "progress": False,
        "keep": False,
        "on_sweep": lambda sweep: None,
    }
    compile_text(REGRESSION).infer(method, sweeps=10, **settings)


def written(sweeps: int) -> None:
    """Draws that are written, and not held."""
    from pplc.cli import main

    model = Path(os.environ.get("TMPDIR", "/tmp")) / f"load-{os.getpid()}.clj"
    model.write_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x]", encoding="utf-8")
    try:
        run = [
            "infer",
            str(model),
            "--method",
            "smc",
            "--particles",
            "1000",
            "--sweeps",
            str(sweeps),
            "--seed",
            "1",
            "--quiet",
        ]
        assert main([*run, "--out", os.devnull]) == 0
    finally:
        model.unlink()


CASES: Final[dict[str, Callable[[], None]]] = {
    "smc, 10 observes, 100,000 particles": lambda: chain(10, "smc", particles=100_000, sweeps=1),
    "smc, 10 observes, 1,000,000 particles": lambda: chain(10, "smc", particles=1_000_000, sweeps=1),
    "pgas, 1,000 observes, 10 sweeps": lambda: chain(1_000, "pgas", sweeps=10),
    "pgas, 10,000 observes, 10 sweeps": lambda: chain(10_000, "pgas", sweeps=10),
    "pgas, 10,000 observes, 40 sweeps": lambda: chain(10_000, "pgas", sweeps=40),
    "pgas, 100,000 observes, 10 sweeps": lambda: chain(100_000, "pgas", sweeps=10),
    "rw, 100,000 rows of a regression, 10 sweeps": lambda: rows(100_000, "rw", burn_in=10),
    "nuts, 100,000 rows of a regression, 10 sweeps": lambda: rows(100_000, "nuts", burn_in=10),
    "smc, 100,000 rows of a regression, 10 sweeps": lambda: rows(100_000, "smc", particles=10),
    "pgas, 100,000 rows of a regression, 10 sweeps": lambda: rows(100_000, "pgas", particles=10),
    "100,000 draws to a file": lambda: written(100),
    "1,000,000 draws to a file": lambda: written(1000),
    "64 chains of pgas, 10 observes, 100 sweeps": lambda: chain(10, "pgas", chains=64, sweeps=100),
    "64 chains of pgas, 10 observes, 1,000 sweeps": lambda: chain(10, "pgas", chains=64, sweeps=1_000),
    "64 chains of pgas, 10 observes, for ten minutes": lambda: ten_minutes(600),
}


def main() -> None:
    wanted = sys.argv[1:]
    if len(wanted) == 2 and wanted[0] == "--one":
        begun = time.perf_counter()
        CASES[wanted[1]]()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        used = time.process_time()  # from the start of Python on
        print(f"{time.perf_counter() - begun:.1f} s  {used:.1f} s CPU  {peak:.0f} MB", flush=True)
        return
    for name in CASES:
        if not wanted or any(word in name for word in wanted):
            print(f"{name}: ", end="", flush=True)
            subprocess.run([sys.executable, "-m", "benchmarks.load", "--one", name], check=False)


if __name__ == "__main__":
    main()
