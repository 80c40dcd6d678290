"""The programs that are timed, at any length, with their data as arrays for the samplers beside them.

`lgss` and `nlss` of 100 steps are programs/kalman.clj and programs/nonlinear_ssm.clj as they stand; other
lengths are the same programs with other data. The others are here, with placeholders for the data.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
PROGRAMS = HERE.parents[1] / "programs"
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Program:
    """The text of a program and the arrays in it, by name."""

    name: str
    text: str
    arrays: dict[str, Array]


def _span(text: str, name: str) -> tuple[int, int]:
    """Where the literal that the program assumes as `name` begins and ends."""
    start = re.search(rf"\[assume {re.escape(name)}\s+(?=\[)", text)
    if start is None:
        raise KeyError(f"no literal {name}")
    depth, end = 0, start.end()
    while True:
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            return start.end(), end


def literal(text: str, name: str) -> Array:
    """The vector or matrix that the program assumes as `name`."""
    start, end = _span(text, name)
    return np.array(json.loads(re.sub(r"\s+", ",", text[start:end])), dtype=float)


def _written(values: Array) -> str:
    if values.ndim == 1:
        return "[" + " ".join(f"{v:.4f}" for v in values) + "]"
    return "[" + "\n   ".join(_written(row) for row in values) + "]"


def replaced(text: str, name: str, values: Array) -> str:
    """The text with other values for the literal that it assumes as `name`."""
    start, end = _span(text, name)
    return text[:start] + _written(values) + text[end:]


def lgss(steps: int = 100) -> Program:
    """The linear Gaussian state-space model: a rotating state in two dimensions, seen in 36."""
    text = (PROGRAMS / "kalman.clj").read_text()
    c, y = literal(text, "C"), literal(text, "y")
    if steps != len(y):
        rng = np.random.default_rng(steps)
        omega = 4.0 * math.pi / steps
        rotation = np.array([[math.cos(omega), -math.sin(omega)], [math.sin(omega), math.cos(omega)]])
        z, rows = np.array([1.0, 0.0]), []
        for _ in range(steps):
            z = rotation @ z + math.sqrt(0.1) * rng.standard_normal(2)
            rows.append(c @ z + 0.1 * rng.standard_normal(len(c)))
        y = np.array(rows).round(4)
        text = replaced(text, "y", y).replace("[assume T 100]", f"[assume T {steps}]")
    return Program(f"lgss-{steps}", text, {"C": c, "y": y})


def nlss(steps: int = 100) -> Program:
    """The nonlinear state-space model of Gordon, Salmond and Smith (1993)."""
    text = (PROGRAMS / "nonlinear_ssm.clj").read_text()
    y = literal(text, "y")
    if steps != len(y):
        rng = np.random.default_rng(steps)
        x, seen = rng.normal(0.0, math.sqrt(5.0)), []
        for t in range(1, steps + 1):
            x = x / 2 + 25 * x / (1 + x * x) + 8 * math.cos(1.2 * t) + rng.normal(0.0, math.sqrt(10.0))
            seen.append(x * x / 20 + rng.normal())
        y = np.array(seen).round(4)
        text = replaced(text, "y", y).replace("(range 1 101)", f"(range 1 {steps + 1})")
        text = text.replace("(x 50)", f"(x {steps // 2})").replace("(x 100)", f"(x {steps})")
    return Program(f"nlss-{steps}", text, {"y": y})


def crp(points: int = 100) -> Program:
    """The paper's infinite mixture, alpha = 1, of normals with means from N(0, 3^2) and sd 1."""
    rng = np.random.default_rng(points)
    means = np.array([-4.0, 0.0, 3.5, 6.0])
    y = (means[rng.choice(4, size=points, p=[0.3, 0.4, 0.2, 0.1])] + rng.standard_normal(points)).round(4)
    text = (HERE / "crp_mixture.clj").read_text()
    text = text.replace("POINTS", str(points)).replace("LAST", str(points - 1)).replace("DATA", _written(y))
    return Program(f"crp-{points}", text, {"y": y})


def hmm(steps: int = 100) -> Program:
    """The hidden Markov model of programs/hmm.clj, longer."""
    template = (HERE / "hmm.clj").read_text()
    transition, means = literal(template, "transition"), literal(template, "means")
    rng = np.random.default_rng(steps)
    state, seen = 0, []
    for _ in range(steps):
        seen.append(means[state] + rng.normal())
        state = rng.choice(3, p=transition[state])
    return _hmm(f"hmm-{steps}", np.array(seen).round(4))


def pcfg() -> Program:
    """The grammar of programs/pcfg.clj: recursion to a random depth."""
    return Program("pcfg", (PROGRAMS / "pcfg.clj").read_text(), {})


def chain() -> Program:
    """The same model of three steps, whose posterior is a sum over 27 paths."""
    return _hmm("chain", np.array([0.0, 0.0, 2.0]))


def _hmm(name: str, y: Array) -> Program:
    text = (HERE / "hmm.clj").read_text()
    text = text.replace("STEPS", str(len(y))).replace("LAST", str(len(y) - 1)).replace("DATA", _written(y))
    return Program(name, text, {field: literal(text, field) for field in ("initial", "transition", "means", "y")})


def history(values: int, observes: int) -> Program:
    """A program that holds so many random values and then observes, and so forks, so many times."""
    text = (HERE / "history.clj").read_text()
    return Program(
        f"history-{values}-{observes}",
        text.replace("VALUES", str(values)).replace("OBSERVES", str(observes)),
        {},
    )


def walk(steps: int = 2000) -> Program:
    """A scalar random walk seen with noise: long, and with as little else as can be."""
    rng = np.random.default_rng(steps)
    y = (rng.standard_normal(steps).cumsum() + rng.standard_normal(steps)).round(4)
    text = (HERE / "walk.clj").read_text()
    text = text.replace("STEPS", str(steps)).replace("LAST", str(steps - 1)).replace("DATA", _written(y))
    return Program(f"walk-{steps}", text, {"y": y})
