"""Every name means what the nearest form around it that binds it says, in both engines: against an evaluator with
explicit environments, on random programs. More of them: PPLC_LONG=1."""

from __future__ import annotations

import json
import os
from random import Random

import pytest
from tests.share import share

import pplc
from pplc.passes.read import read
from pplc.source import Source
from pplc_runtime.results.json_values import to_json

from .environments import Evaluator
from .scopes import Generator

SEEDS = range(3000 if os.environ.get("PPLC_LONG") else 150)


@pytest.mark.parametrize("seed", share(SEEDS, 8))
def test_random_program(seed: int) -> None:
    text = Generator(Random(seed)).program()
    expected = Evaluator()
    expected.run(read(Source("m.clj", text)), {})
    model = pplc.compile_text(text, "m.clj")
    for engine, particles in (("lanes", 1), ("lanes", 5), ("reference", 2)):
        posterior = model.infer("importance", engine=engine, particles=particles, sweeps=1, seed=1)
        found = {
            label: [json.loads(to_json(value)) for value in posterior.values(label)[0]] for label in posterior.labels
        }
        assert found == {label: [value] * particles for label, value in expected.predicts.items()}, (engine, text)
        assert posterior.log_evidence == pytest.approx(expected.log_weight, abs=1e-9), (engine, particles, text)
