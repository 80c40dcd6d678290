"""Effective draws a CPU second of parameters that many observes read, beside NUTS of numpyro in the same run.

    python -m benchmarks.effective [MODEL ...]
    python -m benchmarks.effective --reference [MODEL ...]

The worst statistic of each model counts. Compiling and warm-up count for neither: what is timed are the draws after
them. One chain each; `effective draws` are computed by the same function. Means are checked against those of a long run
by another method, which `--reference` writes to effective_reference.json: `off` is the largest difference in standard
errors of both. NUTS runs in benchmarks/peers_env (or the interpreter that NUTS_PYTHON names), if numpyro is installed
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
from typing import Any, Final

import numpy as np

import pplc
from benchmarks.effective_models import MODELS, PROGRAMS, Model
from pplc_runtime.results.convergence import effective_draws

HERE: Final = Path(__file__).parent
REFERENCE: Final = HERE / "effective_reference.json"
MOST_OFF: Final = 5.0
"""Standard errors."""


def by_pplc(model: Model, data: dict[str, Any]) -> tuple[float, dict[str, list[float]]]:
    """The CPU seconds of the draws after the burn-in, and these, by label."""
    compiled = pplc.compile_text(model.text)

    def run(number: int) -> tuple[float, Any]:
        start = time.process_time()
        posterior = compiled.infer(
            model.method, data=data, sweeps=number, burn_in=model.burn_in, seed=1, progress=False
        )
        return time.process_time() - start, posterior

    run(1)
    before, _ = run(1)
    after, posterior = run(model.sweeps)
    return after - before, draws_of(posterior, model)


def draws_of(posterior: Any, model: Model) -> dict[str, list[float]]:
    return {label: [float(sweep.predicts[label][0]) for sweep in posterior.sweeps] for label in model.labels}


def by_nuts(name: str, data: dict[str, Any]) -> tuple[float, dict[str, list[float]]] | None:
    """The same of NUTS; None where there is no numpyro."""
    python = os.environ.get("NUTS_PYTHON") or str(HERE / "peers_env" / "bin" / "python")
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


def told(draws: dict[str, list[float]]) -> dict[str, tuple[float, float]]:
    """The mean of each label and its standard error."""
    return {
        label: (float(np.mean(x)), float(np.std(x) / np.sqrt(effective_draws(np.array([x])))))
        for label, x in draws.items()
    }


def off(draws: dict[str, list[float]], reference: dict[str, tuple[float, float]]) -> float:
    """The largest difference to the means of a reference, in standard errors of both."""
    own = told(draws)
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
        known[name] = {"method": method, "sweeps": sweeps, "means": told(draws_of(posterior, model))}
        REFERENCE.write_text(json.dumps(known, indent=1) + "\n")


def main(arguments: list[str]) -> None:
    """One line a model."""
    names = [each for each in arguments if not each.startswith("--")]
    chosen = {name: model for name, model in MODELS.items() if not names or name.split(",")[0] in names}
    if "--reference" in arguments:
        write_reference(chosen)
        return
    references = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
    print(f"{'':30} {'method':30} {'eff. draws/CPU s':>17} {'NUTS':>9} {'ratio':>7} {'off':>5}   means (pplc | NUTS)")
    wrong = []
    for name, model in chosen.items():
        data = model.data(np.random.default_rng(7))
        seconds, draws = by_pplc(model, data)
        rate = worst(draws) / seconds
        other = by_nuts(name, data)
        means = " ".join(f"{mean:.3g}" for mean, _ in told(draws).values())
        nuts = ratio = ""
        if other is not None:
            nuts, ratio = f"{worst(other[1]) / other[0]:,.0f}", f"{rate * other[0] / worst(other[1]):.1f}"
            means += " | " + " ".join(f"{np.mean(other[1][label]):.3g}" for label in model.labels)
        far = off(draws, references[name]["means"]) if name in references else float("nan")
        if far > MOST_OFF:
            wrong.append(name)
        print(
            f"{name:30} {model.method:30} {rate:17,.0f} {nuts or 'none':>9} {ratio:>7} {far:5.1f}   {means}", flush=True
        )
    if wrong:
        raise SystemExit(f"other means than the reference: {', '.join(wrong)}")


if __name__ == "__main__":
    main(sys.argv[1:])
