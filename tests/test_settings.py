"""The settings of a run from Python: what they may be, and what is said of those that may not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import pplc
from pplc_runtime.settings import OFFERS, SETTINGS

MODEL = pplc.compile_text("[input y 1.0] [assume x (sample (normal 0 1))] [observe (normal x 1) y] [predict x]")
FINITE = pplc.compile_text("[assume x (sample (flip 0.5))] [observe (flip (if x 0.5 0.2)) true] [predict x]")


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8])
def test_a_whole_number_may_be_of_numpy(kind: Any) -> None:
    posterior = MODEL.infer("smc", particles=kind(30), sweeps=kind(2), seed=kind(7), chains=kind(1))
    assert posterior.particles == 30 and type(posterior.particles) is int and posterior.seed == 7
    again = MODEL.infer("smc", particles=30, sweeps=2, seed=7)
    assert np.array_equal(posterior.values("x")[0], again.values("x")[0])


WRONG: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("smc", {"particles": "10"}, TypeError, "particles: must be a whole number, not '10'; write 10"),
    ("smc", {"particles": 1e3}, TypeError, "particles: must be a whole number, not 1000.0; write 1000"),
    ("smc", {"particles": np.float64(30)}, TypeError, "particles: must be a whole number, not 30.0; write 30"),
    ("smc", {"sweeps": 2.0}, TypeError, "sweeps: must be a whole number, not 2.0; write 2"),
    ("smc", {"seed": float("nan")}, TypeError, "seed: must be a whole number, not nan"),
    ("smc", {"particles": 10.5}, TypeError, "particles: must be a whole number, not 10.5"),
    ("smc", {"particles": True}, TypeError, "particles: must be a whole number, not True"),
    ("smc", {"particles": float("inf")}, TypeError, "particles: must be a whole number, not inf"),
    ("smc", {"particles": [3]}, TypeError, "particles: must be a whole number, not [3]"),
    ("smc", {"particles": 0}, ValueError, "particles: must be at least 1, not 0"),
    ("smc", {"sweeps": -2}, ValueError, "sweeps: must be at least 1, not -2"),
    ("smc", {"chains": 0}, ValueError, "chains: must be at least 1, not 0"),
    ("smc", {"cores": "all"}, TypeError, "cores: must be a whole number, not 'all'"),
    ("smc", {"seed": -1}, ValueError, "seed: must be at least 0, not -1"),
    ("smc", {"seed": "x"}, TypeError, "seed: must be a whole number, not 'x'"),
    ("smc", {"max_depth": 0}, ValueError, "max_depth: must be at least 1, not 0"),
    ("smc", {"ess_threshold": 2}, ValueError, "ess_threshold: must be between 0 and 1, not 2"),
    ("smc", {"ess_threshold": "0.5"}, TypeError, "ess_threshold: must be a number, not '0.5'"),
    ("smc", {"resampling": "systemtic"}, ValueError, "unknown scheme 'systemtic'; did you mean 'systematic'?"),
    ("pgas", {"strict": 1}, TypeError, "strict: must be True or False, not 1"),
    ("pgas", {"burn_in": 1.5}, TypeError, "burn_in: must be a whole number, not 1.5"),
    ("smc", {"particels": 10}, TypeError, "infer has no setting 'particels'; did you mean 'particles'?"),
    ("smc", {"zzz": 10}, TypeError, "infer has no setting 'zzz'"),
    ("smcc", {}, ValueError, "unknown method 'smcc'; did you mean 'smc'?"),
    ("vi", {}, ValueError, "unknown method 'vi'; there are importance, smc, icsmc, pgas, lmh"),
    ("smc", {"burn_in": 3}, ValueError, "burn_in: smc has none; use icsmc, pgas, lmh, rw"),
    ("importance", {"strict": True}, ValueError, "strict: importance has none; use pgas"),
    ("importance", {"genealogy": 1}, ValueError, "genealogy: importance has none; use smc, icsmc, pgas or pimh"),
    ("smc", {"engine": "refrence"}, ValueError, "unknown engine 'refrence'; did you mean 'reference'?"),
    ("rw", {"engine": "reference"}, ValueError, "method: the reference engine has no rw; use the engine lanes"),
    ("pgas + rw", {"engine": "reference"}, ValueError, "method: the reference engine has no pgas + rw; use the"),
    ("pgas", {"proposals": 3}, ValueError, "proposals: pgas has none; use lmh"),
    ("smc", {"waste_free": True}, ValueError, "waste_free: smc has none; use smc with moves, as in 'smc | rw*5'"),
    ("lmh", {"proposals": 0}, ValueError, "proposals: must be at least 1, not 0"),
    ("smc", {"data": {"yy": 1}}, ValueError, "data: the model has no input 'yy'; did you mean 'y'?"),
    ("smc", {"data": 3}, TypeError, "data: must map the names of inputs to their values, as in {'y': ...}, or be"),
]


@pytest.mark.parametrize(("method", "settings", "kind", "message"), WRONG)
def test_wrong_settings(method: str, settings: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        MODEL.infer(method, **settings)


@pytest.mark.parametrize("method", OFFERS)
def test_every_setting_is_of_use_or_refused(method: str) -> None:
    """No setting is ignored in silence: a method has it, or says that it has none."""
    model = FINITE if method in ("enumerate", "rejection", "gibbs", "sum") else MODEL
    others: dict[str, Any] = {
        "resampling": "residual",
        "ess_threshold": 0.5,
        "burn_in": 2,
        "genealogy": 1,
        "strict": True,
        "proposals": 4,
        "delayed": True,
        "nodes": 4,
        "target_ess": 5,
        "seconds": 1,
    }
    assert set(others) == {name for offer in OFFERS.values() for name in offer.own}
    for name, value in others.items():
        assert value != SETTINGS[name].default
        if method == "auto" and name in OFFERS[method].own:
            assert len(model.infer(method, sweeps=100, seed=1, **{"target_ess": 5, name: value})) >= 100
        elif name in OFFERS[method].own:
            assert len(model.infer(method, particles=5, sweeps=3, seed=1, **{name: value})) == 3
        else:
            with pytest.raises(ValueError, match=f"{name}: {method} has none"):
                model.infer(method, particles=5, sweeps=3, seed=1, **{name: value})
        quickly = {"target_ess": 5} if method == "auto" else {}
        model.infer(method, particles=5, sweeps=3, seed=1, **{name: SETTINGS[name].default, **quickly})
