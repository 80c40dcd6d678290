"""Facts about primitives are true of them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.primitives.facts import FACTS


def test_facts_are_of_primitives() -> None:
    assert FACTS.keys() <= PRIMITIVES.keys()


def test_what_calls_procedures_says_which() -> None:
    assert {name for name, facts in FACTS.items() if facts.calls is not None} == {
        name for name, primitive in PRIMITIVES.items() if primitive.addressed
    }


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.calls is not None])
def test_the_argument_that_is_called(name: str) -> None:
    """It is the one that the function names so."""
    parameters = list(inspect.signature(PRIMITIVES[name].function).parameters)[1:]
    position = FACTS[name].calls
    assert position is not None
    assert parameters[position] in ("procedure", "test", "key", "predicate")


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.bare])
def test_bare_arithmetic_is_that_of_the_language(name: str) -> None:
    for count, bare in FACTS[name].bare.items():
        rows = np.array([0.3, 0.7])[:, None] if count == 2 else np.array([0.4])[:, None]
        plain = PRIMITIVES[name].function(*rows[:, 0].tolist())
        np.testing.assert_allclose(bare(*np.repeat(rows, 3, 1)), plain, rtol=1e-15)
        assert bare(*rows[:, 0].tolist()) == pytest.approx(plain, rel=1e-15)
        if FACTS[name].keeps_whole:
            assert type(bare(3)) is int
