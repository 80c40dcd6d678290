"""A deterministic program has the same value after every pass whose result can be run.

After `resolve` that is the reference engine, which evaluates the resolved program as it stands; after `emit` it is
the Python module, by one lane and by several."""

from __future__ import annotations

import json
from typing import Any

import pytest

import pplc
from pplc_runtime.results.json_values import to_json
from pplc_runtime.results.posterior import Posterior

from .values import VALUES


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    model = pplc.compile_text(text, "m.clj")
    runs = {
        "after resolve": model.infer("importance", engine="reference", particles=1, sweeps=1, seed=1),
        "after emit": model.infer("importance", particles=1, sweeps=1, seed=1),
        "after emit, in lanes": model.infer("importance", particles=3, sweeps=1, seed=1),
    }
    values = {name: last(posterior) for name, posterior in runs.items()}
    assert values == dict.fromkeys(runs, VALUES[text])


def last(posterior: Posterior) -> Any:
    """The last value that a run reports, as JSON has it."""
    *_, column = posterior.sweeps[0].predicts.values()
    return json.loads(to_json(column[0]))
