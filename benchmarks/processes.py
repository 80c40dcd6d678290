"""What is measured in processes of their own: start-up, the first draw, and the peak of memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import models
from benchmarks.timing import Time

ROOT = Path(__file__).parents[1]

PEAK = """
import sys
import pplc
from benchmarks.processes import peak
pplc.load(sys.argv[1]).infer(sys.argv[2], particles=int(sys.argv[3]), sweeps=1, seed=1)
print(peak())
"""
PEAK_BY_HAND = """
import sys
import numpy
from benchmarks import models
from benchmarks.processes import peak
from importlib import import_module
sampler = import_module("benchmarks.by_hand." + sys.argv[1])
sampler.smc(getattr(models, sys.argv[1])().arrays, int(sys.argv[2]), numpy.random.default_rng(1))
print(peak())
"""
NEW_PROGRAM = """
import sys, time
import pplc
from pplc_runtime.native import engine
from pplc_runtime.results.blocks import Block
from pplc_runtime.running import general
engine.LEAST_WORK = general.LEAST_WORK = 0
def swept(text):
    began = time.process_time()
    found = pplc.compile_text(text).infer("pgas", particles=10, sweeps=10, seed=1)
    return time.process_time() - began, found
swept("[assume x (sample (normal 0 1))] [observe (normal x 1) 1.0] [predict x]")
spent, found = swept(open(sys.argv[1]).read())
assert any(isinstance(part, Block) for part in found.sweeps.parts), "no machine code"
print(1e3 * spent)
"""
FIRST_DRAW = "import sys, pplc; pplc.load(sys.argv[1]).infer('smc', particles=10, sweeps=1, seed=1)"


def spent(command: list[str], repeats: int) -> Time:
    """The least CPU and wall time of a process, in milliseconds."""
    best = Time(float("inf"), float("inf"))
    for _ in range(repeats):
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            error = process.stderr.read().decode() if process.stderr else ""
            raise RuntimeError(error.strip().splitlines()[-1] if error.strip() else "failed")
        if process.stderr:
            process.stderr.close()
        best = Time(min(best.cpu, 1e3 * (usage.ru_utime + usage.ru_stime)), min(best.wall, 1e3 * wall))
    return best


def bare_python(repeats: int) -> Time:
    return spent([sys.executable, "-c", "pass"], repeats)


def help_text(repeats: int) -> Time:
    return spent([str(Path(sys.executable).with_name("pplc")), "--help"], repeats)


def numpy_import(repeats: int) -> Time:
    return spent([sys.executable, "-c", "import numpy"], repeats)


def first_draw(program: models.Program, repeats: int) -> Time:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.clj"
        path.write_text(program.text)
        return spent([sys.executable, "-c", FIRST_DRAW, str(path)], repeats)


def new_program(program: models.Program, repeats: int) -> tuple[float, float]:
    """The least CPU time, in milliseconds, from the text of a program to its first ten sweeps by machine code, in a
    process that has swept another one: with nothing kept of it, and with its code in the cache."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.clj"
        path.write_text(program.text)
        cold, warm = float("inf"), float("inf")
        for number in range(repeats):
            own = {**os.environ, "XDG_CACHE_HOME": str(Path(folder) / str(number))}
            cold, warm = (min(best, _number_of(NEW_PROGRAM, str(path), own=own)) for best in (cold, warm))
    return cold, warm


def peak() -> float:
    """The most memory that this process has had, in megabytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20)


def peak_megabytes(program: models.Program, method: str, particles: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.clj"
        path.write_text(program.text)
        return _number_of(PEAK, str(path), method, str(particles))


def peak_by_hand(model: str, particles: int) -> float:
    return _number_of(PEAK_BY_HAND, model, str(particles))


def _number_of(code: str, *arguments: str, own: dict[str, str] | None = None) -> float:
    command = [sys.executable, "-c", code, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, env=own)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr.strip().splitlines()[-1])
    return float(ran.stdout)
