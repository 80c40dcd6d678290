"""What a chain retains goes through a file, and the chain goes on in another process as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.share import share

from pplc import load
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.states import from_json, to_json
from pplc_runtime.running.driver import Driver
from pplc_runtime.values import ModelError, Symbol

from .sweeps import quietly

PROGRAMS = Path(__file__).parents[2] / "programs"
NAMES = ("kalman", "hmm", "crp_small", "infinite_hmm", "lazy_memo", "dp_mixture", "gp_regression", "memo_branch")
SETTINGS = Settings(5, 6)
HALF = 3


def driver(name: str, method: str) -> Driver:
    program = load(PROGRAMS / f"{name}.clj").program
    return Driver.of(METHODS[method].kernel, program.plan({}), SETTINGS)


def told(sweeps: Any) -> list[Any]:
    """What is compared of sweeps: the weights and all that is predicted."""
    return [
        [sweep.log_weights.tolist(), *(np.asarray(column, float).tolist() for column in sweep.predicts.values())]
        for sweep in sweeps
    ]


def first_half(name: str, method: str) -> str:
    key = Key.of(4)
    with quietly():
        run = driver(name, method)
        state = run.start(key, None)
        for number in range(HALF):
            state, _ = run.step(state, number, key)
    return to_json(state)


def second_half(name: str, method: str, saved: str) -> list[Any]:
    with quietly():
        run = driver(name, method)
        assert isinstance(run.engine, LaneEngine)
        return told(run.steps(from_json(saved, run.engine.plan.root), Key.of(4), HALF))


@pytest.mark.parametrize("method", ["icsmc", "pgas", "lmh"])
@pytest.mark.parametrize("name", share(NAMES, 4))
def test_a_chain_goes_on_in_another_process(name: str, method: str) -> None:
    with quietly():
        whole = told(driver(name, method).chain(Key.of(4)))
    code = (
        "import json, sys; from tests.engine.test_states import second_half; "
        "print(json.dumps(second_half(sys.argv[1], sys.argv[2], json.load(sys.stdin))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name, method], input=json.dumps(first_half(name, method)), text=True,
        capture_output=True, cwd=PROGRAMS.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for one, other in zip(json.loads(done.stdout), whole[HALF:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_every_kind_of_site_and_value() -> None:
    root = At()
    sites = (3, "a", None, 2.5, float("inf"), ("bool", True), ("seq", 1, ("nan",)), ("map", frozenset({("k", 1)})))
    values = (1, True, -0.5, float("-inf"), np.array([1.0, 2.0]), np.eye(2), np.array([1, 2]), 10**30)
    held = {root[1][site][0]: value for site, value in zip(sites, values)}
    held[root[2][(Symbol(":x"), root[1])]] = 0.1
    (found,) = from_json(to_json(Retained([held])), root).held
    assert list(found) == list(held), "the same nodes"
    for at, value in held.items():
        assert type(found[at]) is type(value)
        np.testing.assert_array_equal(found[at], value)


def test_what_cannot_be_written() -> None:
    with pytest.raises(ModelError, match="cannot be written"):
        to_json(Retained([{At()[(print, 1)]: 1.0}]))
