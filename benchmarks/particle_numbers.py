"""How many particles pgas is best run with: effective draws a CPU second of the worst predict, by their number.

    python -m benchmarks.particle_numbers [PROGRAM ...]

Each cell is some CPU seconds of one chain, without compiling and the first sweeps. A dash: fewer than ten.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Final

import pplc

PROGRAMS: Final = Path(__file__).parents[1] / "programs"
NAMES: Final = (
    "gaussian_chain", "nonlinear_ssm", "stochastic_volatility", "hmm", "kalman", "infinite_mixture", "infinite_hmm",
    "pcfg", "models/hmm_unknown", "models/finite_mixture",
)  # fmt: skip
NUMBERS: Final = (5, 10, 20, 50, 100)
SECONDS: Final = 2.0


def rate(model: Any, particles: int) -> float:
    """Effective draws a CPU second."""

    def run(sweeps: int) -> tuple[float, Any]:
        start = time.process_time()
        found = model.infer("pgas", particles=particles, sweeps=sweeps, burn_in=20, seed=1, progress=False)
        return time.process_time() - start, found

    run(100)
    few, many = run(20)[0], run(120)[0]
    sweeps = max(100, int(SECONDS * 100 / max(1e-4, many - few)))
    seconds, posterior = run(min(sweeps, 20_000))
    found = min(posterior.effective_draws(label) for label in posterior.labels)
    return float(found) / seconds if found >= 10 else float("nan")


def main(names: list[str]) -> None:
    print(f"{'':26}" + "".join(f"{number:>9}" for number in NUMBERS))
    for name in names or NAMES:
        model = pplc.load(PROGRAMS / f"{name}.clj")
        cells = [rate(model, number) for number in NUMBERS]
        print(f"{name:26}" + "".join(f"{cell:9,.0f}" if cell == cell else f"{'—':>9}" for cell in cells), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
