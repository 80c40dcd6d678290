"""Two commits side by side: CPU time of a sweep of the lane engine, each in a process of its own, by turns.

    python -m benchmarks.commits 4fa2d31                   # this checkout beside a commit
    python -m benchmarks.commits 4fa2d31 --batches 20 --particles 1000

Programs are those of programs/ in this checkout. Neither side has machine code or straight code for whole sweeps: what
is compared is what every program can fall back on. The least of the batches counts, as in `timing`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PROGRAMS = ("kalman", "hmm", "infinite_mixture")
METHODS = ("smc", "icsmc", "pgas")
SWEEPS = 20
THRESHOLDS = ("pplc_runtime.running.driver", "pplc_runtime.program")
"""Where the number of sweeps stands, or stood, from which on a run is not by lanes."""


def serve(program: Path, method: str, particles: int) -> None:
    """Time a batch of sweeps for every line that comes in."""
    import pplc

    model = pplc.load(program)
    model.infer(method, particles=particles, sweeps=1, seed=1)
    for name in THRESHOLDS:
        module: Any = sys.modules.get(name)
        if hasattr(module, "LEAST_SWEEPS"):
            module.LEAST_SWEEPS = sys.maxsize
    for line in sys.stdin:
        start = time.process_time()
        model.infer(method, particles=particles, sweeps=SWEEPS, seed=int(line))
        print(time.process_time() - start, flush=True)


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """The sources of a commit, in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit, "compiler", "runtime"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        yield Path(folder)


def worker(tree: Path, program: str, method: str, particles: int) -> subprocess.Popen[str]:
    """A process that imports the sources of a tree before those that are installed."""
    path = os.pathsep.join([str(tree / "compiler"), str(tree / "runtime")])
    command = [sys.executable, __file__, "--serve", str(ROOT / "programs" / f"{program}.clj"), method, str(particles)]
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def compare(trees: dict[str, Path], program: str, method: str, particles: int, batches: int) -> dict[str, float]:
    """Milliseconds of a sweep of each, the least of some batches by turns."""
    workers = {name: worker(tree, program, method, particles) for name, tree in trees.items()}
    times: dict[str, list[float]] = {name: [] for name in trees}
    for batch in range(batches):
        for name, process in workers.items():
            assert process.stdin is not None and process.stdout is not None
            print(batch, file=process.stdin, flush=True)
            times[name].append(float(process.stdout.readline()))
    for process in workers.values():
        process.communicate()
    return {name: 1e3 * min(own) / SWEEPS for name, own in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit")
    parser.add_argument("--batches", type=int, default=15)
    parser.add_argument("--particles", type=int, default=10)
    parser.add_argument("--programs", nargs="+", default=PROGRAMS)
    arguments = parser.parse_args()
    with tree_of(arguments.commit) as tree:
        trees = {"before": tree, "now": ROOT}
        print("ms of CPU a sweep     before     now   now / before")
        for program in arguments.programs:
            for method in METHODS:
                took = compare(trees, program, method, arguments.particles, arguments.batches)
                before, now = took["before"], took["now"]
                print(f"{program:12} {method:6}  {before:8.3f} {now:7.3f} {now / before:10.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        main()
