"""Programs by scripts beside the programs themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import ModelError

from .sweeps import chain, compiled, quietly


def with_scripts(source: str) -> Plan:
    with quietly():
        return scripted(compiled(source).plan)


def assert_same(one: list[Sweep], other: list[Sweep]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-11, atol=1e-11)
        assert a.predicts.keys() == b.predicts.keys()
        living = a.log_weights > -np.inf  # what has ended on the way reports nothing that counts
        for label, column in a.predicts.items():
            values, others = np.asarray(column, float), np.asarray(b.predicts[label], float)
            np.testing.assert_allclose(values[..., living], others[..., living], rtol=1e-11)
        told = [{**sweep.diagnostics, "replays": None, "weakest": None} for sweep in (a, b)]
        assert told[0] == told[1]


def assert_both(run: Plan, straight: Plan, method: str, seed: int, size: int) -> None:
    """Both do the same sweeps, or end with the same error."""
    found: list[Any] = []
    for each in (run, straight):
        try:
            found.append(chain(each, method, seed, particles=size, sweeps=6))
        except ModelError as error:
            found.append((type(error), str(error)))
    if isinstance(found[0], list):
        assert_same(*found)
    else:
        assert found[0] == found[1]
