"""Peers, each in its own process: where they are, and what a sweep takes them.

`particles` needs an older numpy than pplc has, so it is looked for in benchmarks/peers_env first and then in
the interpreter that runs the benchmark; likewise numba. WebPPL is looked for in benchmarks/node_modules.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from benchmarks import models
from benchmarks.timing import Effort, Time

HERE = Path(__file__).parents[1]
MISSING = "missing"


class Amount(Protocol):
    """How many chains, and how many sweeps of each count, after those that do not."""

    chains: int
    sweeps: int
    burn_in: int


@cache
def interpreter_with(package: str) -> str | None:
    """An interpreter that can import the package."""
    own = HERE / "peers_env" / "bin" / "python"
    for python in (os.environ.get("PEERS_PYTHON"), str(own), sys.executable):
        if python and Path(python).exists():
            tried = subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False)
            if tried.returncode == 0:
                return python
    return None


@cache
def version_of(package: str) -> str:
    python = interpreter_with(package)
    if python is None:
        return MISSING
    code = f"import importlib.metadata as m; print(m.version('{package}'), 'numpy', m.version('numpy'))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@cache
def webppl() -> Path | None:
    folder = Path(os.environ.get("WEBPPL", str(HERE / "node_modules" / "webppl")))
    return folder if shutil.which("node") and (folder / "src" / "main.js").exists() else None


def versions() -> dict[str, str]:
    """What there is, by name."""
    folder = webppl()
    found = json.loads((folder / "package.json").read_text())["version"] if folder else MISSING
    return {"particles": version_of("particles"), "numba": version_of("numba"), "webppl": found}


def timed(peer: str, model: str, method: str, n: int, effort: Effort) -> Time | str:
    """The time of a sweep, or why there is none."""
    if peer == "webppl":
        found = _webppl("webppl_smc.js", model, str(n), str(max(0.5, effort.seconds * effort.repeats)))
    else:
        found = _python(peer, "worker", peer, model, method, str(n), str(effort.seconds), str(effort.repeats))
    return found if isinstance(found, str) else Time(found["cpu"], found["wall"])


def peak(peer: str, model: str, n: int) -> float | str:
    """The most memory that a process with one sweep of smc has, in megabytes, or why there is none."""
    return _python(peer, "worker", peer, model, "smc", str(n), "peak")


def particles_chain(n: int, threshold: float, amount: Amount) -> list[list[float]] | str:
    """Shares of the first state by chain, or why there are none."""
    sizes = (n, threshold, amount.chains, amount.sweeps, amount.burn_in)
    return _python("particles", "particles_chain", *map(str, sizes))


def webppl_chain(n: int, amount: Amount) -> list[list[float]] | str:
    return _webppl("webppl_chain.js", "chain", *map(str, (n, amount.chains, amount.sweeps)))


def _python(package: str, module: str, *arguments: str) -> Any:
    """What a module of this folder prints in the interpreter that has the package, or why there is nothing."""
    python = interpreter_with(package)
    if python is None:
        return MISSING
    return _printed([python, "-m", f"benchmarks.peers.{module}", *arguments])


def _webppl(script: str, model: str, *arguments: str) -> Any:
    folder = webppl()
    if folder is None:
        return MISSING
    arrays = {name: values.tolist() for name, values in getattr(models, model)().arrays.items()}
    names = [model, *arguments] if script == "webppl_smc.js" else arguments
    os.environ["WEBPPL"] = str(folder)
    return _printed(["node", str(HERE / "peers" / script), *names], json.dumps(arrays))


def _printed(command: list[str], given: str | None = None) -> Any:
    """The last line that the command prints, as JSON."""
    ran = subprocess.run(command, input=given, capture_output=True, text=True, cwd=HERE.parent, check=False)
    if ran.returncode != 0:
        return "failed"
    return json.loads(ran.stdout.strip().splitlines()[-1])
