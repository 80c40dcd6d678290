"""What both engines must agree on, for one program: densities, predicts and ancestor weights."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pplc_runtime.reference import ancestor_log_weights, replay
from pplc_runtime.results.json_values import to_json

from .sweeps import Compiled, boundaries, close, executions, quietly


def densities_agree(program: Compiled, lanes: int) -> None:
    """Executions drawn by the lane engine have the same densities and predicts in the reference engine."""
    with quietly():
        for execution in executions(program.plan, lanes, seed=3):
            expected = replay(program.reference, list(execution.choices.values()))
            assert execution.log_likelihood == pytest.approx(expected.log_likelihood, rel=1e-9, abs=1e-9)
            assert execution.log_prior == pytest.approx(expected.log_prior, rel=1e-9, abs=1e-9)
            assert list(execution.predicts) == list(expected.predicts)
            for label, value in execution.predicts.items():
                assert same_value(value, expected.predicts[label]), label


def same_value(one: Any, other: Any) -> bool:
    """Equal when written as JSON, numbers up to rounding."""
    a, b = _flat(json.loads(to_json(one))), _flat(json.loads(to_json(other)))
    return len(a) == len(b) and all(
        x == (pytest.approx(y, rel=1e-9, abs=1e-9) if isinstance(y, float) else y) for x, y in zip(a, b)
    )


def _flat(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in _flat(item)] if isinstance(value, list) else [value]


def ancestor_weights_agree(program: Compiled, sweeps: int, strict: bool = False) -> None:
    """At every boundary of some sweeps of pgas, both engines weigh the ancestors alike."""
    for boundary in boundaries(program.plan, 5, sweeps, seed=7, strict=strict):
        expected = ancestor_log_weights(
            program.reference, boundary.generation, boundary.prefixes, boundary.retained, strict=strict
        )
        assert boundary.suffix_scores[0] > -np.inf, "the retained particle can always stay"
        assert close(boundary.ancestor_log_weights, expected), (
            f"generation {boundary.generation}, retained {boundary.retained}, prefixes {boundary.prefixes}: "
            f"{boundary.ancestor_log_weights}, not {expected}"
        )
