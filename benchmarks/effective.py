"""Effective draws a CPU second of parameters that many observes read, beside NUTS of numpyro in the same run.

    python -m benchmarks.effective [MODEL ...]
    python -m benchmarks.effective --reference [MODEL ...]

The method is what `auto` chooses for the model and its data. The worst statistic of each model counts. Compiling and
warm-up count for neither: what is timed are the draws after them. One chain each, or independent sweeps;
`effective draws` of chains are computed by the same function. Means are checked against those of a long run
by another method, which `--reference` writes to effective_reference.json: `off` is the largest difference in standard
errors of both. NUTS runs in benchmarks/nuts_env (or the interpreter that NUTS_PYTHON names), if numpyro is installed
there; it has the states and labels summed out by hand. Processes of a changing structure and discrete parameters it
cannot do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import pplc
from benchmarks.effective_models import MODELS, PROGRAMS, Model
from pplc_runtime.results.convergence import effective_draws

HERE: Final = Path(__file__).parent
REFERENCE: Final = HERE / "effective_reference.json"
MOST_OFF: Final = 5.0
"""Standard errors."""
INDEPENDENT: Final = 300
"""Sweeps of a method whose sweeps are independent."""


class Timed(NamedTuple):
    """What was measured: the method, the CPU seconds of the draws after the burn-in, how many draws they are worth, and
    the mean of each label with its standard error."""

    method: str
    seconds: float
    effective: float
    means: dict[str, tuple[float, float]]


def by_pplc(model: Model, data: dict[str, Any]) -> Timed:
    """What `auto` chooses, in a run by itself."""
    compiled = pplc.compile_text(model.text)
    method = compiled.infer(data=data, seed=1, progress=False).method
    chain = {} if method == "smc" else {"burn_in": model.burn_in}
    sweeps = INDEPENDENT if method == "smc" else model.sweeps

    def run(number: int) -> tuple[float, Any]:
        start = time.process_time()
        posterior = compiled.infer(method, data=data, sweeps=number, seed=1, progress=False, **chain)
        return time.process_time() - start, posterior

    run(10)
    before, _ = run(1)
    after, posterior = run(sweeps)
    means = told(posterior, model)
    return Timed(method, after - before, min(posterior.effective_draws(label) for label in model.labels), means)


def told(posterior: Any, model: Model) -> dict[str, tuple[float, float]]:
    """The mean of each label and its standard error."""
    return {
        label: (float(posterior.mean(label)), float(posterior.sd(label) / posterior.effective_draws(label) ** 0.5))
        for label in model.labels
    }


def by_nuts(name: str, data: dict[str, Any]) -> tuple[float, dict[str, list[float]]] | None:
    """The same of NUTS; None where there is no numpyro."""
    python = os.environ.get("NUTS_PYTHON") or str(HERE / "nuts_env" / "bin" / "python")
    given = json.dumps(kalman_data() if name.startswith("kalman") else data)
    try:
        done = subprocess.run(
            [python, str(HERE / "peers" / "nuts.py"), name], input=given, capture_output=True, text=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
    except (OSError, ValueError, IndexError):
        return None
    return found["seconds"], found["draws"]


def kalman_data() -> dict[str, Any]:
    """The arrays in the text of programs/kalman.clj."""
    text = (PROGRAMS / "kalman.clj").read_text(encoding="utf-8")
    found = {}
    for name, width in (("C", 2), ("y", 36)):
        part = text[text.index(f"[assume {name}") :]
        numbers = [float(each) for each in re.findall(r"-?\d+\.\d+", part[: part.index("]]")])]
        found[name] = np.array(numbers).reshape(-1, width).tolist()
    return found


def worst(draws: dict[str, list[float]]) -> float:
    """The fewest effective draws of a label."""
    return min(effective_draws(np.array([values])) for values in draws.values())


def off(own: dict[str, tuple[float, float]], reference: dict[str, tuple[float, float]]) -> float:
    """The largest difference to the means of a reference, in standard errors of both."""
    return max(
        abs(own[label][0] - mean) / float(np.hypot(own[label][1], error)) for label, (mean, error) in reference.items()
    )


def write_reference(chosen: dict[str, Model]) -> None:
    """Long runs by other methods."""
    known = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
    for name, model in chosen.items():
        method, sweeps = model.reference
        data = model.data(np.random.default_rng(7))
        posterior = pplc.compile_text(model.text).infer(method, data=data, sweeps=sweeps, burn_in=1000, seed=11)
        known[name] = {"method": method, "sweeps": sweeps, "means": told(posterior, model)}
        REFERENCE.write_text(json.dumps(known, indent=1) + "\n")


def main(arguments: list[str]) -> None:
    """One line a model."""
    names = [each for each in arguments if not each.startswith("--")]
    chosen = {name: model for name, model in MODELS.items() if not names or name.split(",")[0] in names}
    if "--reference" in arguments:
        write_reference(chosen)
        return
    references = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
    print(f"{'':30} {'method':16} {'eff. draws/CPU s':>17} {'NUTS':>9} {'ratio':>7} {'off':>5}   means (pplc | NUTS)")
    wrong = []
    for name, model in chosen.items():
        data = model.data(np.random.default_rng(7))
        own = by_pplc(model, data)
        rate = own.effective / own.seconds
        other = by_nuts(name, data)
        means = " ".join(f"{mean:.3g}" for mean, _ in own.means.values())
        nuts = ratio = ""
        if other is not None:
            nuts, ratio = f"{worst(other[1]) / other[0]:,.0f}", f"{rate * other[0] / worst(other[1]):.1f}"
            means += " | " + " ".join(f"{np.mean(other[1][label]):.3g}" for label in model.labels)
        far = off(own.means, references[name]["means"]) if name in references else float("nan")
        if far > MOST_OFF:
            wrong.append(name)
        print(
            f"{name:30} {own.method:16} {rate:17,.0f} {nuts or 'none':>9} {ratio:>7} {far:5.1f}   {means}", flush=True
        )
    if wrong:
        raise SystemExit(f"other means than the reference: {', '.join(wrong)}")


if __name__ == "__main__":
    main(sys.argv[1:])
