"""The tests of exactness: an exact method passes, and wrong ones are found. Error rates are 0.001 a test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pplc_runtime.inference.sweep as shared
from pplc.cli import main
from pplc.model import compile_text
from pplc_runtime.exactness.statistics import Finding, as_expected, same_law, statistics, uniform_ranks
from pplc_runtime.exactness.verdict import Extent, Verdict, verdict_on

WALK = """
[assume a (sample (normal 0 1))] [observe (normal a 0.5) 1]
[assume b (sample (normal a 1))] [observe (normal b 0.5) 1]
[assume c (sample (normal b 1))] [observe (normal c 0.5) 1]
[predict a] [predict c]
"""
QUICK = Extent(simulations=20, rounds=2, steps=2, draws=5)


def verdict_of(text: str, method: str, seed: int, extent: Extent = QUICK, **settings: Any) -> Verdict:
    return verdict_on(compile_text(text).program, method, seed=seed, extent=extent, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pgas", "smc", "lmh", "rw"])
def test_exact_methods_pass(method: str) -> None:
    particles = {"pgas": 3, "smc": 5}.get(method)
    assert verdict_of(WALK, method, 1, particles=particles).passes


def test_importance_with_few_particles_passes() -> None:
    text = "[assume a (sample (flip 0.3))] [observe (normal (if a 1 0) 1) 1] [predict a]"
    for particles in (1, 2):
        assert verdict_of(text, "importance", 2, particles=particles).passes


def by_weight_alone(particles: Any, scheme: Any, weights: Any, suffix_scores: Any) -> Any:
    """A wrong way to draw the ancestor of the retained particle: the suffix has no say."""
    if not particles.kept:
        particles.fork_by(scheme, weights)
        return 0
    ancestors = particles.pick(weights)
    particles.fork_around(scheme, weights, ancestors)
    return ancestors != 0


def without_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps are those of Python, of which a part is made wrong."""
    monkeypatch.setattr("pplc_runtime.native.engine.LEAST_WORK", 10**12)
    monkeypatch.setattr("pplc_runtime.running.general.LEAST_WORK", 10**12)


@pytest.mark.slow
def test_a_wrong_kernel_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    [assume x (mem (lambda (t) (sample (normal (if (= t 0) 0 (x (- t 1))) 0.2))))]
    [for [t (range 5)] [observe (normal (x t) 1) 1]]
    [predict "length" (sum (map (lambda (t) (abs (- (x t) (x (+ t 1))))) (range 4)))]
    """
    monkeypatch.setattr(shared, "resample", by_weight_alone)
    without_machine_code(monkeypatch)
    found = verdict_of(text, "pgas", 1, Extent(200, 2, 3, 5), particles=4)
    assert not found.passes
    assert "joint" in {finding.test for finding in found.findings if finding.p < found.limit}


@pytest.mark.slow
def test_a_wrong_evidence_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """smc whose weights are not those of the observes: it forgets the last one."""
    right = shared.sweep

    def wrong(particles: Any, *more: Any) -> Any:
        swept = right(particles, *more)
        particles.handler.log_weights[:] = 0.0
        return swept

    monkeypatch.setattr("pplc_runtime.inference.runs.sweep", wrong)
    without_machine_code(monkeypatch)
    assert not verdict_of(WALK, "smc", 1, Extent(200, 2, 3), particles=20).passes


FINITE = """
[assume a (sample (flip 0.3))] [assume b (sample (categorical [["x" 0.5] ["y" 0.3] ["z" 0.2]]))]
[factor (if a (if (= b "x") 1 0) 0)] [predict [a b]]
"""


@pytest.mark.slow
def test_finite_programs() -> None:
    """Also where data cannot be simulated."""
    found = verdict_of(FINITE, "pgas", 1, Extent(200))
    assert found.passes and {finding.test for finding in found.findings} == {"enumeration"} and found.notes
    law = np.array([0.5, 0.5])
    assert as_expected("", "", np.array([130, 70]), law, np.random.default_rng(0)).p < 0.001


def test_nothing_to_test() -> None:
    found = verdict_of("[assume x (sample (normal 0 1))] [factor (- x)] [predict x]", "lmh", 1)
    assert not found.tested and "no data" in str(found)


def test_uniform_p_values() -> None:
    """The tests have the error rates that they state: of 200 p-values about 5% are below 0.05, within 4 deviations."""
    rng = np.random.default_rng(5)
    found: dict[str, list[float]] = {"two": [], "ranks": [], "counts": []}
    law = np.array([0.5, 0.3, 0.2])

    def words(shape: Any) -> Any:
        return rng.integers(0, 3, shape).astype(np.float64)

    for _ in range(200):
        found["two"].append(same_law("", "", words(30), words(200), rng).p)
        found["ranks"].append(uniform_ranks("", "", words(40), words((40, 6)), rng).p)
    for _ in range(40):
        found["counts"].append(as_expected("", "", rng.multinomial(50, law), law, rng).p)
    for values in found.values():
        low = np.mean(np.array(values) < 0.05)
        assert low < 0.05 + 4 * np.sqrt(0.05 * 0.95 / len(values))


def test_statistics_of_any_value() -> None:
    draws = [{"w": "a", "v": np.array([1.0, 2.0]), "c": 1}, {"w": "b", "v": np.array([3.0, 1.0]), "c": 1}]
    found = {each.label: each.values.tolist() for each in statistics(draws, np.array([0.0, 1.0]))}
    assert found == {"w": [0, 1], "v[0]": [1, 3], "v[1]": [2, 1], "log likelihood": [0, 1]}


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "m.clj"
    model.write_text('[assume p (sample (beta 1 1))] [observe (flip p) true] [predict "$p_<b>" p]', encoding="utf-8")
    picture = tmp_path / "ranks.png"
    given = ["--simulations", "10", "--seed", "1", "--method", "pgas", "--plot", str(picture)]
    assert main(["test", str(model), *given]) == 0
    assert "passes: the smallest of" in capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = Verdict("pgas", "m.clj", 1, QUICK, [Finding("joint", "p", 1e-9, np.empty(0))])
    assert "FAILS" in str(found) and "too small" in str(found)
    monkeypatch.setattr("pplc_runtime.exactness.verdict.verdict_on", lambda *_, **__: found)
    assert main(["test", str(model)]) == 1
    assert main(["test", str(model), "--method", "auto"]) == 2
