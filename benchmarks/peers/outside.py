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

from benchmarks import models
from benchmarks.timing import Effort, Time

HERE = Path(__file__).parents[1]
MISSING = "missing"


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


def timed(peer: str, model: str, n: int, effort: Effort) -> Time | str:
    """The time of a sweep, or why there is none."""
    if peer == "webppl":
        return _webppl(model, n, effort)
    python = interpreter_with(peer)
    if python is None:
        return MISSING
    arguments = [peer, model, str(n), str(effort.seconds), str(effort.repeats)]
    command = [python, "-m", "benchmarks.peers.worker", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, check=False)
    return _time_in(ran)


def _webppl(model: str, n: int, effort: Effort) -> Time | str:
    folder = webppl()
    if folder is None:
        return MISSING
    arrays = {name: values.tolist() for name, values in getattr(models, model)().arrays.items()}
    script = str(HERE / "peers" / "webppl_smc.js")
    seconds = max(1.0, effort.seconds * effort.repeats)
    ran = subprocess.run(
        ["node", script, model, str(n), str(seconds)],
        input=json.dumps(arrays),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "WEBPPL": str(folder)},
    )
    return _time_in(ran)


def _time_in(ran: subprocess.CompletedProcess[str]) -> Time | str:
    if ran.returncode != 0:
        return "failed"
    found = json.loads(ran.stdout.strip().splitlines()[-1])
    return Time(found["cpu"], found["wall"])
