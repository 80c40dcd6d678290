"""docs/choosing.md: effective draws a CPU second, by model and method.

    python -m benchmarks.choosing [--page] [--seconds S] [PROGRAM ...]

What counts is the worst predict of a program. Every cell runs four chains, or sweeps of smc, and more of them until
a run takes S CPU seconds; the first run, in which machine code is made, does not count. A method is said not to have
settled where its chains disagree by then (rhat above 1.1), or fewer than 20 effective draws came of it.
"""

from __future__ import annotations

import argparse
import time
from math import nan
from pathlib import Path
from typing import Final

import benchmarks.threads  # noqa: F401 # before numpy
import pplc
from benchmarks.page import markdown, rewrite
from pplc_runtime.composition import MethodError
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.settings import OFFERS
from pplc_runtime.values import ModelError

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "choosing.md"
METHODS: Final = ("smc", "pgas", "pgas + lmh", "rw", "slice", "nuts", "pgas + rw*20")
PROGRAMS: Final = {
    "linear_regression": "a regression",
    "models/robust_regression": "a regression with heavy tails",
    "models/poisson_regression": "counts by a regression",
    "models/varying_intercepts": "groups about a common mean",
    "models/item_response": "persons and items",
    "models/survival": "times, some of them censored",
    "models/sir": "a system of equations with noise",
    "models/gp_scale": "a Gaussian process of unknown scale",
    "models/finite_mixture": "a mixture of a few components",
    "models/topics": "words and topics",
    "hmm": "discrete states in time",
    "models/hmm_unknown": "the same, of unknown parameters",
    "stochastic_volatility": "states in time",
    "models/volatility_unknown": "the same, of unknown parameters",
    "kalman": "many states, few parameters",
    "infinite_mixture": "a mixture of unboundedly many components",
    "infinite_hmm": "unboundedly many states in time",
    "pcfg": "a grammar: recursion to any depth",
}
"""Programs, and what each stands for."""
FIRST: Final = 50
"""Sweeps of the first run of a chain."""
FEWEST, AGREEING = 20, 1.1


def worst(posterior: Posterior) -> float:
    """The effective draws of the worst predict; NaN where the run has not settled."""
    rhats = [value for label in posterior.labels if (value := posterior.rhat(label)) is not None]
    found = [value for label in posterior.labels if (value := posterior.effective_draws(label)) == value]
    least = min(found, default=nan)
    return least if least >= FEWEST and max(rhats, default=1.0) <= AGREEING else nan


def rate(model: pplc.Model, method: str, seconds: float) -> float | None:
    """Effective draws a CPU second; NaN where it did not settle, None where the method cannot run the program."""
    offer = OFFERS.get(method)
    is_chain = offer is None or offer.is_chain
    sweeps, first = FIRST if is_chain else 1, True
    while True:
        begun = time.process_time()
        try:
            posterior = model.infer(method, sweeps=sweeps, chains=4 if is_chain else 1, seed=1, progress=False)
        except (ModelError, MethodError, ValueError):
            return None
        used = time.process_time() - begun
        if used >= seconds and not first:
            return worst(posterior) / used
        more = 1.3 * seconds / max(used, 1e-3)
        sweeps, first = round(sweeps * (max(1.0, min(16.0, more)) if first else max(2.0, min(16.0, more)))), False


def shown(found: float | None, best: float) -> str:
    """A cell of the table."""
    if found is None:
        return "—"
    if found != found:
        return "not settled"
    text = f"{found:.0f}" if found >= 10 else f"{found:.1f}"
    return f"**{text}**" if found == best else text


def row(name: str, about: str, seconds: float) -> list[str]:
    """A program with what each method gives of it."""
    model = pplc.load(ROOT / "programs" / f"{name}.clj")
    found = [rate(model, method, seconds) for method in METHODS]
    best = max((value for value in found if value is not None and value == value), default=nan)
    cells = [about, f"`{name}.clj`", *(shown(value, best) for value in found)]
    print("  ".join(cells), flush=True)
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="some of the programs")
    parser.add_argument("--seconds", type=float, default=0.7, help="CPU seconds of a cell (default: 0.7)")
    parser.add_argument("--page", action="store_true", help="write docs/choosing.md")
    arguments = parser.parse_args()
    chosen = {name: about for name, about in PROGRAMS.items() if not arguments.programs or name in arguments.programs}
    rows = [row(name, about, arguments.seconds) for name, about in chosen.items()]
    if arguments.page:
        rewrite(PAGE, {"rates": markdown(["your model", "program", *(f"`{method}`" for method in METHODS)], rows)})


if __name__ == "__main__":
    main()
