"""Mixing: what the diagnostics of conditional sweeps say."""

from __future__ import annotations

import numpy as np

import pplc
from pplc_runtime.results.mixing import mixing_of
from pplc_runtime.results.sweeps import Sweep

CHAIN = """
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (- t 1)) 1.0)))))]
[for [t (range 1 31)] [observe (normal (x t) 0.2) (* 0.3 t)]]
[predict (x 1)]
"""

FIXED = """
[assume k (sample (uniform-discrete 0 40))]
[assume z (mem (lambda (i) (sample (normal 0.0 1.0))))]
[observe (normal (z k) 0.05) 1.0]
[observe (normal (z (+ k 1)) 0.05) 1.0]
[observe (normal (z (+ k 2)) 0.05) 1.0]
[predict k]
"""


def test_icsmc_is_stuck_where_pgas_is_not() -> None:
    model = pplc.compile_text(CHAIN)
    stuck = model.infer("icsmc", particles=3, sweeps=60, seed=1).mixing()
    free = model.infer("pgas", particles=3, sweeps=60, seed=1).mixing()
    assert stuck is not None and free is not None
    assert stuck.renewed[0] < 0.02 < 0.2 < free.renewed[0]
    assert stuck.ancestors[0] < 1.5 and free.moved is not None and free.moved > 0.2
    assert "use more particles, or pgas" in stuck.sentences()[0]
    assert free.sentences() == [] and free.replays is not None and free.replays <= 2 * 30 + 10


def test_the_line_that_drops_the_ancestors_is_named() -> None:
    mixing = pplc.compile_text(FIXED).infer("pgas", particles=3, sweeps=40, seed=1).mixing()
    assert mixing is not None
    assert max(mixing.dropped, key=lambda line: mixing.dropped[line]) in (5, 6)


def test_methods_without_a_retained_particle_have_no_mixing() -> None:
    sweep = Sweep(0, 0, np.zeros(2), {"x": np.zeros(2)}, 0.0)
    assert mixing_of([sweep]) is None
