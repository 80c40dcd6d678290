"""Write programs/kalman.clj: the paper's Kalman program with data simulated as its section 5 says.

Run from the root of the repository: python -m benchmarks.make_kalman
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.posteriors.kalman_model import answer

SEED = 2015
DIMS, STEPS = 36, 100
OMEGA, Q, ALPHA, R = 4.0 * math.pi / STEPS, 0.1, 0.1, 0.01

PROGRAM = """\
; A linear dynamical system (van de Meent et al. 2015, section 5): a two-dimensional state that rotates by an
; unknown angle omega with unknown noise q, seen {steps} times through a known map C to {dims} dimensions.
; The data were drawn with omega = 4 pi / {steps} = {omega:.5f} and q = {q}; this file is written by
; benchmarks/make_kalman.py.
; Known answer, by integrating the states out with a Kalman filter on a grid of omega and q:
{known}
[assume T {steps}]
[assume C
  {c}]
[assume R (* (eye {dims}) {r})]
[assume y
  {y}]
[assume omega (* (sample (gamma-dist 10. 2.5))
                 (/ pi T))]
[assume A [[(cos omega) (* -1 (sin omega))]
           [(sin omega) (cos omega)       ]]]
[assume q (sample (gamma-dist 10. 100.))]
[assume Q (* (eye 2) q)]
[assume x
  (mem (lambda (t)
    (if (< t 1)
      [1. 0.]
      (sample (mvn-dist (mmul A (x (dec t))) Q)))))]
[for [t (range 1 (inc T))]
  [observe (mvn-dist (mmul C (x t)) R) (nth y (dec t))]]
[predict omega]
[predict q]
"""


def simulate(seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """C, its columns from a symmetric Dirichlet, and the observations, as rounded in the program."""
    rng = np.random.default_rng(seed)
    c = rng.dirichlet(np.full(DIMS, ALPHA), size=2).T.round(5)
    rotation = np.array([[math.cos(OMEGA), -math.sin(OMEGA)], [math.sin(OMEGA), math.cos(OMEGA)]])
    z, rows = np.array([1.0, 0.0]), []
    for _ in range(STEPS):
        z = rotation @ z + math.sqrt(Q) * rng.standard_normal(2)
        rows.append(c @ z + math.sqrt(R) * rng.standard_normal(DIMS))
    return c, np.array(rows).round(4)


def matrix(values: NDArray[np.float64], digits: int) -> str:
    rows = ["[" + " ".join(f"{v + 0.0:.{digits}f}" for v in row) + "]" for row in values]
    return "[" + "\n   ".join(rows) + "]"


def main() -> None:
    c, y = simulate(SEED)
    exact = answer(c, y)
    known = [f";   E[{label}] = {mean:.5f}" for label, mean in exact.means.items()]
    known.append(f";   log evidence = {exact.log_evidence:.4f}")
    text = PROGRAM.format(
        known="\n".join(known), steps=STEPS, dims=DIMS, omega=OMEGA, q=Q, r=R, c=matrix(c, 5), y=matrix(y, 4)
    )
    (Path(__file__).parents[1] / "programs" / "kalman.clj").write_text(text)


if __name__ == "__main__":
    main()
