"""Sweeps that lose all their particles: each counts with the estimate zero, in every engine, so that E[Z^] = Z."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc import compile_text
from pplc_runtime.composed import method_in
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Settings
from pplc_runtime.machine.machine import is_available
from pplc_runtime.native import engine as native_engine
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.results.reading import read_draws
from pplc_runtime.running import driver, general
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import Impossible

from .kernels import Kernel, every_run

STATIC = """
[assume a (sample (flip 0.3))]
[observe (flip (if a 0.9 0.0)) true]
[assume b (sample (flip 0.4))]
[observe (flip (if b 0.5 0.0)) true]
[assume c (sample (flip 0.5))]
[predict c]
[observe (flip (if c 0.8 0.2)) true]
"""
CHANGING = STATIC.replace("[assume b (sample (flip 0.4))]", "[assume b (if a (sample (flip 0.4)) false)]")
EVIDENCE = 0.3 * 0.9 * 0.4 * 0.5 * 0.5
MEAN = 0.8
"""Of c, which is true with 0.5 * 0.8 of 0.5 * (0.8 + 0.2)."""
SHORT = """
[assume a (sample (flip 0.2))]
[observe (flip (if a 0.9 0.0)) true]
[assume c (sample (flip (if a 0.5 0.1)))]
[predict c]
[observe (flip (if c 0.8 0.2)) true]
"""
SHORT_EVIDENCE = 0.2 * 0.9 * 0.5
TEXTS = {"static": STATIC, "changing": CHANGING}
NEVER = "[assume a (sample (normal 0 1))]\n[observe (flip (if (< a 50) 0.0 1.0)) true]\n[predict a]"


def by(engine: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings with which a run is done by an engine."""
    monkeypatch.setattr(native_engine, "LEAST_WORK", 0 if engine == "machine" else 10**12)
    monkeypatch.setattr(general, "LEAST_WORK", 0 if engine == "machine" else 10**12)
    monkeypatch.setattr(driver, "scripted", (lambda plan: plan) if engine == "lanes" else scripted)
    return {"engine": "reference"} if engine == "reference" else {}


ENGINES = ["lanes", "scripts", "reference", *(["machine"] if is_available() else [])]


@pytest.mark.parametrize(
    ("text", "method"),
    [*((text, method) for text in TEXTS for method in ("importance", "smc")), ("short", "smc | lmh")],
)
def test_the_estimate_is_unbiased_over_all_runs(text: str, method: str) -> None:
    """Every way that chance may go: sums of Z^, and of Z^ times the mean of c; most runs lose all particles."""
    evidence = SHORT_EVIDENCE if text == "short" else EVIDENCE
    run = compile_text(SHORT if text == "short" else TEXTS[text]).program.plan({})
    settings = Settings(2, 1, resampling="enumerated")
    kernel = method_of(method_in(method)).kernel

    def sweep(chance: Any) -> tuple[float, float]:
        engine = LaneEngine(run)
        _, (found,) = kernel.bound(engine, settings).step(engine, None, settings, 0, chance)
        weights = np.exp(found.log_weights)
        assert (len(found.predicts) == 0) == (found.log_evidence == -math.inf)
        trues = np.asarray(found.predicts["c"]) if found.predicts else np.zeros(len(weights))
        assert weights.sum() == pytest.approx(math.exp(found.log_evidence or 0.0))
        return float(weights.sum()), float(weights[trues == True].sum())  # noqa: E712

    with Kernel(run).enumerated():
        found = [(*result, probability) for result, probability in every_run(sweep)]
    assert math.fsum(p for *_, p in found) == pytest.approx(1.0)
    assert math.fsum(p for z, _, p in found if z == 0.0) > 0.5
    assert math.fsum(z * p for z, _, p in found) == pytest.approx(evidence, rel=1e-12)
    assert math.fsum(c * p for _, c, p in found) == pytest.approx(evidence * MEAN, rel=1e-12)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("method", ["importance", "smc"])
def test_every_engine_loses_the_same_sweeps(text: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text(TEXTS[text])
    found = {}
    for engine in ENGINES:
        own = by(engine, monkeypatch)
        posterior = model.infer(method, particles=2, sweeps=40, seed=5, progress=False, **own)
        found[engine] = posterior.log_estimates()[0], posterior.mean("c"), posterior.log_evidence_se
        assert [sweep.kept is None for sweep in posterior.sweeps] == [
            engine == "reference" or sweep.log_evidence == -math.inf for sweep in posterior.sweeps
        ]
        assert all(bool(sweep.predicts) == (sweep.log_evidence != -math.inf) for sweep in posterior.sweeps)
    logs, mean, error = found["lanes"]
    assert 0 < int((logs == -math.inf).sum()) < 40
    for others in found.values():
        np.testing.assert_allclose(others[0], logs, rtol=1e-12)
        assert others[1:] == pytest.approx((mean, error))


@pytest.mark.parametrize(
    ("engine", "method", "sweeps"),
    [("lanes", "smc", 2000), ("scripts", "smc", 2000), ("machine", "smc", 20_000), ("lanes", "smc | lmh", 400)],
)
@pytest.mark.parametrize("text", TEXTS)
def test_evidence_and_posterior(
    text: str, engine: str, method: str, sweeps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the central limit theorem off by 4 standard errors once in 15,000; seeded."""
    posterior = compile_text(TEXTS[text]).infer(
        method, particles=2, sweeps=sweeps, seed=11, progress=False, **by(engine, monkeypatch)
    )
    estimates = np.exp(posterior.log_estimates()[0])
    assert abs(estimates.mean() - EVIDENCE) < 4 * estimates.std() / math.sqrt(sweeps)
    assert posterior.log_evidence == pytest.approx(math.log(estimates.mean()))
    assert abs(posterior.mean("c") - MEAN) < 4 * math.sqrt(MEAN * (1 - MEAN) / posterior.effective_draws("c"))
    lost = int((estimates == 0).sum())
    assert f"note: {lost} of {sweeps} sweeps have lost all particles" in str(posterior.summary())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("method", ["importance", "smc"])
@pytest.mark.parametrize("text", [NEVER, NEVER.replace("0.0", "(if (sample (flip 0.5)) 0.0 (sample (dirac 0.0)))")])
def test_all_sweeps_lost_are_an_error(method: str, engine: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line and a caret; one that chance could have helped is not told before all sweeps are done."""
    with pytest.raises(
        Impossible, match=r":2:1: error: all weights are zero: in no particle is the value true possible"
    ):
        compile_text(text).infer(
            method, particles=2, sweeps=20, chains=2, seed=1, progress=False, **by(engine, monkeypatch)
        )


def test_what_is_impossible_whatever_is_drawn_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text("[assume a (sample (normal 0 1))]\n[observe (flip 0.0) true]\n[predict a]")
    for engine in ENGINES[:2] + ENGINES[3:]:
        own = by(engine, monkeypatch)
        for method in ("importance", "smc", "smc | lmh"):
            swept: list[Any] = []
            with pytest.raises(Impossible, match=":2:1: error: all weights are zero"):
                model.infer(method, particles=2, sweeps=3000, seed=1, progress=False, on_sweep=swept.append, **own)
            assert swept == []


@pytest.mark.parametrize("method", ["importance", "smc", "smc | lmh"])
def test_a_chain_may_lose_all_its_sweeps_if_another_does_not(method: str) -> None:
    """An error there would count only those runs in which every chain finds something."""
    posterior = compile_text(STATIC).infer(method, particles=2, sweeps=1, chains=60, seed=2, progress=False)
    estimates = np.exp(posterior.log_estimates()[0])
    assert len(estimates) == 60 and 0 < (estimates == 0).sum() < 60
    longer = posterior.extend(1)
    assert len(longer.sweeps) == 120


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".nc"])
def test_files_know_of_lost_sweeps(ending: str, tmp_path: Path) -> None:
    """A CSV tells of those that others come after."""
    posterior = compile_text(CHANGING).infer("smc", particles=2, sweeps=40, seed=2, progress=False)
    assert posterior.sweeps[39].predicts
    posterior.save(tmp_path / f"draws{ending}")
    again = read_draws(tmp_path / f"draws{ending}")
    assert again.log_evidence == pytest.approx(posterior.log_evidence)
    assert again.mean("c") == pytest.approx(posterior.mean("c"))
    assert len(again.sweeps) == 40
    assert "sweeps have lost all particles" in str(again.summary())


def test_what_is_made_of_a_posterior(tmp_path: Path) -> None:
    posterior = compile_text(CHANGING).infer("smc", particles=2, sweeps=40, seed=5, progress=False, genealogy=40)
    posterior.report(tmp_path / "page.html")
    assert "sweeps have lost all particles" in (tmp_path / "page.html").read_text(encoding="utf-8")
    living = sum(sweep.log_evidence != -math.inf for sweep in posterior.sweeps)
    assert len(posterior.genealogies()) == living
    tree = posterior.to_arviz()
    assert float(np.mean(tree.posterior["c"].values)) == pytest.approx(float(np.mean(posterior["c"])))
    frame = posterior.to_dataframe(weighted=True)
    assert float((frame["weight"] * frame["c"]).sum()) == pytest.approx(posterior.mean("c"))
    assert posterior.log_likelihood().shape[-1] == 3
    assert np.isfinite(posterior.log_likelihood()).all()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_run_is_taken_up_behind_a_lost_sweep(seed: int, tmp_path: Path) -> None:
    model = compile_text(CHANGING)
    whole = model.infer("smc", particles=2, sweeps=40, seed=seed, progress=False)
    told: dict[str, Any] = {"particles": 2, "sweeps": 40, "seed": seed, "progress": False}
    for number in np.flatnonzero(whole.log_estimates()[0] == -math.inf)[:2].tolist():

        def stop(sweep: Any, last: int = number) -> None:
            if sweep.number == last:
                raise KeyboardInterrupt

        path = tmp_path / f"journal{number}"
        with suppress(KeyboardInterrupt):  # if nothing was found by then
            model.infer("smc", checkpoint=path, every=0, on_sweep=stop, **told)
        again = model.infer("smc", resume=path, **told)
        np.testing.assert_array_equal(again.log_estimates()[0], whole.log_estimates()[0])
        assert again.mean("c") == whole.mean("c")


def test_by_several_cores() -> None:
    model = compile_text(CHANGING)
    told: dict[str, Any] = {"particles": 2, "sweeps": 30, "chains": 3, "seed": 3, "progress": False}
    one, other = model.infer("smc", **told), model.infer("smc", cores=2, **told)
    np.testing.assert_array_equal(one.log_estimates()[0], other.log_estimates()[0])
    assert one.mean("c") == other.mean("c")
