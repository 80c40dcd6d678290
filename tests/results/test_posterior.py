"""What the weighted draws say about the posterior."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from pplc_runtime.results import Column, Posterior, Sweep
from pplc_runtime.values import Map, Symbol


def posterior(
    predicts: Sequence[Mapping[str, Column]],
    weights: Sequence[Sequence[float]],
    *,
    is_chain: bool = False,
    chains: int = 1,
) -> Posterior:
    with np.errstate(divide="ignore"):
        logs = [np.log(np.array(w, dtype=np.float64)) for w in weights]
    length = len(predicts) // chains
    sweeps = [Sweep(i // length, i % length, logs[i], p) for i, p in enumerate(predicts)]
    return Posterior("pgas" if is_chain else "smc", 1, len(weights[0]), chains, sweeps, is_chain)


def test_sweeps_combine_by_their_evidence() -> None:
    p = posterior([{"x": np.array([0.0, 1.0])}, {"x": np.array([2.0, 3.0])}], [[0.1, 0.1], [0.3, 0.5]])
    assert p.labels == ("x",)
    assert p.mean("x") == pytest.approx(2.2)
    assert p.variance("x") == pytest.approx(0.1 + 0.3 * 4 + 0.5 * 9 - 2.2**2)
    values, weights = p.values("x")
    assert np.array_equal(values, [0.0, 1.0, 2.0, 3.0]) and weights == pytest.approx([0.1, 0.1, 0.3, 0.5])
    assert p.log_evidence == pytest.approx(math.log(0.5))
    assert p.log_evidence_se == pytest.approx(math.log(4) / 2)
    # The mean is 2.625 without the first sweep and 0.5 without the second, further off than without any one draw.
    assert p.effective_draws("x") == pytest.approx(0.96 / (((2.625 - 2.2) ** 2 + (2.2 - 0.5) ** 2) / 2))
    assert p.rhat("x") is None


def test_weights_far_below_the_smallest_float() -> None:
    sweeps = [Sweep(0, 0, np.array([-2000.0, -2000.0 + math.log(3)]), {"x": np.array([0.0, 1.0])})]
    p = Posterior("importance", 1, 2, 1, sweeps, False)
    assert p.mean("x") == pytest.approx(0.75)
    assert p.log_evidence == pytest.approx(-2000.0 + math.log(4))
    assert p.log_evidence_se is None


def test_vectors_and_matrices_elementwise() -> None:
    x = np.array([[0.0, 4.0], [1.0, 2.0]])
    p = posterior([{"x": x, "m": np.stack([x, -x])}], [[0.25, 0.75]])
    assert p.mean("x") == pytest.approx([3.0, 1.75])
    assert p.mean("m") == pytest.approx(np.array([[3.0, 1.75], [-3.0, -1.75]]))
    assert p.quantile("x", 0.2) == pytest.approx([0.0, 1.0])
    assert p.variance("x") == pytest.approx([3.0, 0.1875])
    values, _ = p.values("m")
    assert np.shape(values) == (2, 2, 2)
    assert p.probabilities("x") == {(4.0, 2.0): pytest.approx(0.75), (0.0, 1.0): pytest.approx(0.25)}


def test_discrete_values() -> None:
    column: list[Any] = ["a", Symbol("b"), None, "a"]
    p = posterior([{"k": column, "b": np.array([True, False, True, False])}], [[0.1, 0.2, 0.3, 0.4]])
    assert p.probabilities("k") == {
        "a": pytest.approx(0.5),
        None: pytest.approx(0.3),
        Symbol("b"): pytest.approx(0.2),
    }
    assert next(iter(p.probabilities("k"))) == "a"
    assert p.probabilities("b") == {True: pytest.approx(0.4), False: pytest.approx(0.6)}
    assert p.mean("b") == pytest.approx(0.4)
    with pytest.raises(TypeError, match="not always a number"):
        p.mean("k")
    with pytest.raises(KeyError, match="did you mean 'kk'"):
        posterior([{"kk": column}], [[1, 1, 1, 1]]).mean("k k")


def test_columns_of_different_kinds_join() -> None:
    p = posterior([{"x": np.array([1, 2])}, {"x": np.array([0.5, 0.5])}, {"x": [1, 2.0]}], [[1, 1], [1, 1], [1, 1]])
    assert p.mean("x") == pytest.approx(7 / 6)
    q = posterior([{"x": np.array([1, 2])}, {"x": np.array([True, False])}], [[1, 1], [1, 1]])
    assert isinstance(q.values("x")[0], list)
    r = posterior([{"x": [np.array([1, 2]), np.array([3.0, 4.0])]}], [[1, 1]])
    assert r.mean("x") == pytest.approx([2.0, 3.0])
    ragged = posterior([{"x": [np.array([1, 2]), np.array([3.0])]}], [[1, 1]])
    assert ragged.probabilities("x") == {(1, 2): 0.5, (3.0,): 0.5}


def test_quantiles_are_those_of_the_weighted_draws() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    p = posterior([{"x": x, "k": rng.integers(0, 5, 4000)}], [np.exp(x).tolist()])
    # Weighting a standard normal by exp(x) moves its mean to 1.
    assert p.quantile("x", 0.5) == pytest.approx(1.0, abs=0.1)
    assert p.quantile("x", 0.05) == pytest.approx(1.0 - 1.645, abs=0.15)
    assert p.quantile("k", 1.0) == 4 and p.quantile("k", 0.0) == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        p.quantile("x", 95)


def test_draws_of_weight_zero_do_not_count() -> None:
    p = posterior([{"x": [1.0, "never"]}], [[1.0, 0.0]])
    assert p.mean("x") == 1.0 and p.probabilities("x") == {1.0: 1.0}


def test_a_chain_has_no_evidence_and_is_worth_its_autocorrelation() -> None:
    rng = np.random.default_rng(2)
    predicts: list[dict[str, Column]] = []
    for _chain in range(2):
        state = 0.0
        for _ in range(2000):
            state = 0.9 * state + rng.normal()
            predicts.append({"x": np.array([state, state]), "s": ["a" if state > 0 else "b"] * 2})
    p = posterior(predicts, [[0.5, 0.5]] * 4000, is_chain=True, chains=2)
    assert p.log_evidence is None and p.log_evidence_se is None
    # An AR(1) chain is worth (1 - r) / (1 + r) of its length, 211 draws here. Measured over 200 seeds, the
    # estimate from two such chains has mean 209 and lies between 115 and 295 in 98 of 100; rhat stays below
    # 1.037 in 999 of 1000.
    assert 115 < p.effective_draws("x") < 295
    assert 120 < p.effective_draws("s") < 1000
    rhat = p.rhat("x")
    assert rhat is not None and 0.99 < rhat < 1.04


def test_the_order_of_sweeps_is_that_of_chains_and_numbers() -> None:
    sweeps = [Sweep(c, n, np.zeros(1), {"x": np.array([10.0 * c + n])}) for c, n in [(1, 0), (0, 1), (0, 0)]]
    p = Posterior("pgas", None, 1, 2, sweeps, True)
    assert np.array_equal(p.values("x")[0], [0.0, 1.0, 10.0])


def test_the_weighted_average_over_the_lines_is_the_mean() -> None:
    rng = np.random.default_rng(3)
    p = posterior(
        [{"x": rng.normal(size=5), "m": [Map.of(iter([("k", 1)]))] * 5} for _ in range(4)],
        rng.random((4, 5)).tolist(),
    )
    file = io.StringIO()
    p.to_jsonl(file)
    *draws, last = map(json.loads, file.getvalue().splitlines())
    weights = [math.exp(draw["log_weight"]) for draw in draws]
    average = sum(w * draw["predict"]["x"] for w, draw in zip(weights, draws)) / sum(weights)
    assert average == pytest.approx(p.mean("x"))
    assert last["log_evidence"] == p.log_evidence and last["log_evidence_se"] == p.log_evidence_se
    assert last["method"] == "smc" and not last["is_chain"]
    assert draws[0]["predict"]["m"] == {"k": 1}


def test_a_posterior_of_nothing() -> None:
    p = Posterior("smc", 1, 10, 1, [], False)
    assert p.labels == () and p.log_evidence is None and len(p) == 0
    assert "no predicts" in str(p)


def test_integers_beyond_floats() -> None:
    """They are exact where they are shown and written, and infinite where a float is asked for."""
    huge = 10**400 + 1
    p = posterior([{"n": [huge, 1, 1], "v": [(huge, 1.0)] * 3, "k": [-(10**5000), huge, 0]}], [[0.25, 0.5, 0.25]])
    assert p.probabilities("n") == {1: pytest.approx(0.75), huge: pytest.approx(0.25)}
    assert p.mean("n") == math.inf and p.quantile("n", 0.75) == 1.0 and p.quantile("n", 0.8) == math.inf
    assert math.isnan(p.mean("k")) and p.quantile("k", 0.1) == -math.inf
    assert p.mean("v").tolist() == [math.inf, 1.0]
    text = p.summary().text(80)
    assert re.search(r"1\.0000000e\+400 +0\.2500", text) and "-1.0000000e+5000" in text
    file = io.StringIO()
    p.to_jsonl(file)
    first = file.getvalue().splitlines()[0]
    assert f'"n": {huge}, "v": [{huge}, 1.0], "k": -1' + "0" * 5000 + "}" in first
