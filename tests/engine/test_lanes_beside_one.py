"""Every special form and procedure that calls procedures, over lanes beside each lane alone, with the same draws.

What stands at the places of a template differs from lane to lane: numbers, texts, sequences, procedures, and now and
then what is wrong there. Many lanes together give what each gives alone: its predicts, its weight to the last bits,
or its end by weight zero; and an error where one of them has one. Primitives by themselves are compared in
tests/primitives/test_lanes_beside_one.py. More of the random programs: PPLC_LONG=1.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pytest
from tests.share import share

from pplc_runtime.engine import particles
from pplc_runtime.engine.numbers import Chance, Numbers
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.importance import Importance
from pplc_runtime.numerics.keys import Key
from pplc_runtime.primitives.text import written
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.results.json_values import to_json
from pplc_runtime.values import Impossible, ModelError

from .placed import CAST
from .places import BOOLEAN, CONTINUOUS, F0, F1, F2, LIST, MAP, PROBABILITY, SOURCE, TEMPLATES, TEST, WHOLE, Filler
from .sweeps import compiled, quietly

LANES: Final = 5
RANDOM = range(2000 if os.environ.get("PPLC_LONG") else 64)
WILD: Final = (
    "nil", '"a"', ":k", "2.5", "1.0", "-1", "0", "9007199254740993", "(list)", "(list 1 2)", "[1 2]", "{1 2}", "inc",
    "true", "(/ 1.0 0.0)",
)  # fmt: skip
VARIED: Final[dict[str, tuple[str, ...]]] = {
    WHOLE: ("0", "1", "2", "3", "1.0", "2.0", "0.5", "-1", "7", "true"),
    BOOLEAN: ("true", "false", "nil", "0", '""', "(list)"),
    LIST: ("(list 1 2)", "[1 2]", "(list)", "[3]", "(list 0.5 1)", "(range 3)", "(list 1 2 3 1)", "nil"),
    MAP: ("{0 1 1 2}", "{1 2 0 1}", "{0.0 1 1.0 2}", "{0 2 1 0.5 5 3}"),
    F0: ("(fn [] 1)", "(fn [] (sample (flip 0.5)))", "(constantly 2)", "(fn [] 2.0)"),
    F1: ("inc", "(fn [u] (* 2 u))", "(partial + 1)", "identity", "(fn [u] (sample (flip 0.5)))", "(comp inc -)"),
    F2: ("+", "-", "(fn [u w] u)", "(fn [u w] (* u w))", "max", "(fn [u w] (+ w (/ u 2)))"),
    TEST: ("even?", "(fn [u] (< u 2))", "(fn [u] (sample (flip 0.5)))", "(constantly true)", "(fn [u] nil)"),
    SOURCE: ("(flip 0.3)", "(flip 0.8)", "(bernoulli 0.5)", "(flip 1)", "coin"),
    PROBABILITY: ("0.6", "0.25", "1", "0.9", "(/ 1 3)"),
}


class Varied(Filler):
    """Fills places with what differs from lane to lane."""

    wild = 0.03

    def simple(self, type_: str) -> str:
        if self.rng.random() < 0.3:
            return super().simple(type_)
        options = [str(each) for each in self.rng.choice(VARIED[type_], 3)]
        if self.rng.random() < self.wild:
            options[0] = str(self.rng.choice(WILD))
        return f"(nth (list {' '.join(options)}) (sample (uniform-discrete 0 3)))"


class OfSlots(Numbers):
    """The numbers of a generation are those of the first: where many lanes are parted at an observe inside of an
    expression no generation ends, and one alone is never parted."""

    def drawn(self, bulk: Any, size: Any, *parameters: Any) -> Any:
        self.generation = 0
        return super().drawn(bulk, size, *parameters)


def program(text: str) -> str:
    return f'{CAST.strip()}\n[assume a {text}]\n[observe (flip 0.5) true]\n[predict "a" a]\n[predict "text" (str a)]\n'


Found = tuple[str, float]


def outcomes(engine: LaneEngine, slots: list[int], monkeypatch: pytest.MonkeyPatch) -> list[Found] | None:
    """What the particles in some slots give that do not end, each with its weight; None for an error."""

    def numbers(key: Key, size: int) -> Chance:
        chance = OfSlots(key, size)
        chance.slots = np.array(slots)
        return chance

    monkeypatch.setattr(particles, "chance_of", numbers)
    try:
        with quietly():
            sweep = Importance().once(engine, Settings(len(slots), 1), 0, Key.of(1))
    except Impossible:
        return []
    except ModelError:
        return None
    weights = (sweep.log_weights + math.log(len(slots))).tolist()
    return [(shown(sweep.predicts, place), weight) for place, weight in enumerate(weights)]


def shown(predicts: Mapping[str, Any], place: int) -> str:
    """Predicts as the language writes them, and as files have them, where 1.0 is 1."""
    own = [column[place] if isinstance(column, list) else column[..., place] for column in predicts.values()]
    values = [each.item() if isinstance(each, np.generic | np.ndarray) and each.ndim == 0 else each for each in own]
    return "; ".join(written(value) + " " + to_json(value).replace(".0", "") for value in values)


def compare(source: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it came to values in some lanes."""
    engine = LaneEngine(compiled(source).plan)
    alone = [outcomes(engine, [slot], monkeypatch) for slot in range(LANES)]
    together = outcomes(engine, list(range(LANES)), monkeypatch)
    if None in alone:
        assert together is None, source
        return False
    expected = [found for each in alone if each is not None for found in each]
    assert together is not None, source
    assert [text for text, _ in together] == [text for text, _ in expected], source
    assert [weight for _, weight in together] == pytest.approx([weight for _, weight in expected], 1e-13, 1e-13), source
    return len(expected) > 0


def nested(seed: int) -> str:
    """A program of nested templates."""
    filler = Varied(np.random.default_rng(seed), depth=2)
    uses = [template for uses in TEMPLATES.values() for template in uses]
    return program(uses[int(filler.rng.integers(len(uses)))].use(filler))


@pytest.mark.parametrize("name", share([*TEMPLATES, *CONTINUOUS], 4))
def test_every_form(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for template in (TEMPLATES | CONTINUOUS)[name]:
        came = [compare(program(template.use(Varied(np.random.default_rng(k)))), monkeypatch) for k in range(4)]
        assert any(came), "some programs come to values"


@pytest.mark.parametrize("seed", share(RANDOM, 8))
def test_nested_forms(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(nested(seed), monkeypatch)
