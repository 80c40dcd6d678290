"""What chains on a cluster cost: pgas on programs/kalman.clj, by 1 and 2 workers; and a plan for many machines.

`python -m benchmarks.cluster` prints the tables of docs/trust.md. The cluster is of this machine: workers are
processes, and the scheduler is in the process of the client. A worker does s ms a sweep, the client with its scheduler
a + b B ms a block of B sweeps: both are differences between a long run and a short one, so that what is done once
(compiling, connecting) is not in them."""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from pplc_runtime.running.executors import BLOCKS, IN_FLIGHT

KALMAN: Final = Path(__file__).parents[1] / "programs" / "kalman.clj"
SHORT: Final = 100
"""Sweeps of a chain that is one block."""
LONG: Final = 10_000
"""Sweeps of a chain of which each block has a tenth."""
RUNS: Final = ((0, 110, SHORT), (1, 110, SHORT), (2, 110, SHORT), (2, 1000, SHORT), (2, 4, LONG), (2, 12, LONG))
"""Workers, chains, sweeps of each. Without workers chains are run here, one after the other."""
MACHINES: Final = 100
CORES: Final = 8


def one(workers: int, chains: int, sweeps: int) -> dict[str, float]:
    """One run: chains a second, CPU seconds of workers and here, the peak of memory here."""
    from pplc.model import load

    settings: dict[str, Any] = {"chains": chains, "sweeps": sweeps, "seed": 1, "keep": False, "progress": False}
    settings["on_sweep"] = lambda sweep: None
    model = load(KALMAN)
    if not workers:
        begun, used = time.perf_counter(), time.process_time()
        model.infer("pgas", **settings)
        found = {"there": time.process_time() - used, "here": 0.0}
    else:
        import distributed

        with (
            distributed.LocalCluster(workers, threads_per_worker=1, dashboard_address=None, protocol="tcp://") as made,
            distributed.Client(made) as client,
        ):
            begun, used = time.perf_counter(), time.process_time()
            there = sum(client.run(time.process_time).values())
            model.infer("pgas", executor=client.get_executor(), **settings)
            here = time.process_time() - used
            found = {"there": sum(client.run(time.process_time).values()) - there, "here": here}
    found["seconds"] = time.perf_counter() - begun
    return found | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def sizes() -> tuple[float, float]:
    """What goes over the network, in kB: a block to a worker without its draws, and a sweep back."""
    from pplc.model import load
    from pplc_runtime.inference.base import Settings
    from pplc_runtime.numerics.keys import Key
    from pplc_runtime.running.executors import Task, next_block, packed

    program = load(KALMAN).program
    key = Key.of(1).fold(0)
    run = packed(program, "pgas", program.data(None))
    task = Task(run, (Settings(10, SHORT, 0),), (key,), 250_000, SHORT, True)
    found = next_block(task, [None])
    assert found is not None
    return len(pickle.dumps((task, found.last))) / 1000, len(pickle.dumps(found)) / 1000 / SHORT


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(*map(int, sys.argv[2:]))))
        return
    found: dict[tuple[int, int, int], dict[str, float]] = {}
    print(
        "| run | chains a second | CPU a chain on workers | CPU a chain in client and scheduler | peak of the client |"
    )
    print("|---|---|---|---|---|")
    for run in RUNS:
        command = [sys.executable, "-m", "benchmarks.cluster", "--one", *map(str, run)]
        own = found[run] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        workers, chains, sweeps = run
        name = f"{workers or 'no'} worker{'s' * (workers != 1)}, {chains:,} chains of {sweeps:,} sweeps"
        there, here = (f"{own[where] / chains * 1000:,.0f} ms" for where in ("there", "here"))
        print(f"| {name} | {chains / own['seconds']:.1f} | {there} | {here} | {own['peak']:.0f} MB |", flush=True)
    plan(found)


def plan(found: dict[tuple[int, int, int], dict[str, float]]) -> None:
    """The constants, and how many cores a client keeps at work."""
    few, many, less, more = RUNS[2:]
    short = (found[many]["here"] - found[few]["here"]) / (many[1] - few[1]) * 1000
    long = (found[more]["here"] - found[less]["here"]) / (more[1] - less[1]) / BLOCKS * 1000
    sweep = (found[more]["there"] - found[less]["there"]) / (more[1] - less[1]) / LONG * 1000
    size = LONG // BLOCKS
    slope = max(0.0, (long - short) / (size - SHORT))
    once = short - slope * SHORT
    there, back = sizes()
    print(f"\na sweep {sweep:.2f} ms; a block {short:.1f} ms of {SHORT} sweeps and {long:.1f} of {size}: "
          f"{once:.1f} + {slope:.4f} B; {there:.0f} kB a block there, {back:.2f} a sweep back\n")  # fmt: skip
    blocks = (SHORT, size, LONG)
    print("| a sweep takes |" + "".join(f" B = {block:,} |" for block in blocks) + "\n|---|---|---|---|")
    for times in (1, 10, 100):
        cores = [times * sweep * block / (once + slope * block) for block in blocks]
        print(f"| {times * sweep:.3g} ms |" + "".join(f" {each:,.0f} |" for each in cores))
    clients = -(-MACHINES * CORES // IN_FLIGHT)
    print(f"\n{MACHINES} machines of {CORES} cores: {clients} clients of at most {IN_FLIGHT} chains on their way")


if __name__ == "__main__":
    main()
