"""Whether `auto` has the exact answer on every program of programs/models, and what it takes.

    python -m benchmarks.judged [--seed N] [MODEL ...]

The answers are those in the head of each program, which tests compute anew. `worst z` is the largest difference of a
mean to its answer, in standard errors of the run; of an answer that is written to four digits the rounding is part of
the error. `settled` tells whether auto found the effective draws that it wants, in chains that agree; where it did
not, it says so, and the table has what it says. CPU seconds count everything, from compiling on.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any, Final

import pplc

MODELS: Final = Path(__file__).parents[1] / "programs" / "models"
MOST_OFF: Final = 5.0
"""Standard errors."""
MOST_SECONDS: Final = 30.0
_ANSWER: Final = re.compile(r"^;\s+E\[(.*)\] = (-?[\d.]+)$", re.MULTILINE)
_ROUNDING: Final = 0.5e-4


def answers(text: str) -> dict[str, float]:
    """The known answers in the head of a program, by label."""
    return {label: float(value) for label, value in _ANSWER.findall(text)}


def worst(posterior: Any, known: dict[str, float]) -> tuple[float, str]:
    """The answer that the run is farthest from, in standard errors, and its label."""
    found = []
    for label, value in known.items():
        error = posterior.sd(label) / posterior.effective_draws(label) ** 0.5
        found.append((abs(posterior.mean(label) - value) / (error + _ROUNDING), label))
    return max(found)


def main(arguments: list[str]) -> None:
    """One line a model."""
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 1
    names = [each for each in arguments if not each.startswith("--") and not each.isdigit()]
    print(f"{'model':20} {'method':26} {'CPU s':>6} {'settled':>8} {'worst z':>8}  of")
    wrong = []
    for path in sorted(MODELS.glob("*.clj")):
        if names and path.stem not in names:
            continue
        text = path.read_text(encoding="utf-8")
        begun = time.process_time()
        posterior = pplc.compile_text(text).infer(seed=seed, progress=False)
        seconds = time.process_time() - begun
        off, label = worst(posterior, answers(text))
        lacking = next((each for each in posterior.remarks if " give it more by --seconds" in each), "")
        told = "no" if lacking else "yes"
        print(f"{path.stem:20} {posterior.method:26} {seconds:6.1f} {told:>8} {off:8.1f}  {label}", flush=True)
        if lacking:
            print(f"{'':20} {lacking}", flush=True)
        if off > MOST_OFF or seconds > MOST_SECONDS:
            wrong.append(path.stem)
    if wrong:
        raise SystemExit(f"not the answer in time: {', '.join(wrong)}")


if __name__ == "__main__":
    main(sys.argv[1:])
