"""pimh leaves the law of smc runs weighted by their evidence invariant, by enumeration of all runs."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from tests.posteriors.answer import PROGRAMS
from tests.posteriors.exact import ANSWERS

from pplc import compile_text, load
from pplc_runtime.composition import MethodError, parsed
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.pimh import Pimh
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import key_of

from .kernels import Kernel, Law, distance, every_run, paths
from .sweeps import compiled
from .test_compose import BRANCH
from .test_evidence import PERISHING

SHORT = """
    [assume a (sample (flip 0.4))]
    [observe (flip (if a 0.7 0.4)) true]
    [assume b (sample (flip (if a 0.9 0.2)))]
    [observe (flip (if (= a b) 0.3 0.6)) true]
    [predict a]"""
PIMH = Pimh(Icsmc())
Runs: TypeAlias = list[tuple[Sweep, float]]


class Extended:
    """The law of runs of smc, weighted by their evidence, before and after a step."""

    def __init__(self, source: str, ess_threshold: float = 1.0) -> None:
        self.kernel = Kernel(compiled(source).plan)
        self.settings = Settings(2, 1, resampling="enumerated", ess_threshold=ess_threshold)
        with self.kernel.enumerated():
            self.posterior = self.kernel.posterior()
            self.evidence = math.fsum(weight for *_, weight in self.kernel.executions())
            self.groups: defaultdict[float, Runs] = defaultdict(list)
            """All runs by their estimates, on which alone a step depends."""
            for run, probability in every_run(self.run):
                if run.log_evidence is not None and run.log_evidence > -math.inf:
                    self.groups[run.log_evidence].append(
                        (chosen_one(run), probability * math.exp(run.log_evidence) / self.evidence)
                    )
            self.after: Runs = []
            self.inverse = 0.0
            for runs in self.groups.values():
                total = math.fsum(probability for _, probability in runs)
                for found, transition in every_run(partial(self.step, runs[0][0])):
                    self.inverse += total * transition * math.exp(-(found.log_evidence or 0.0))
                    stays = [(run, probability * transition) for run, probability in runs]
                    self.after += [(found, total * transition)] if found.diagnostics["accepted"] else stays

    def run(self, chance: Any) -> Sweep:
        _, (found,) = Pimh.runs.step(self.kernel.engine, None, self.settings, 0, chance)
        return found

    def step(self, state: Sweep, chance: Any) -> Sweep:
        return PIMH.step(self.kernel.engine, state, self.settings, 0, chance)[0]

    def by_weight(self) -> Law:
        """The law of what a particle by weight predicts after a step."""
        law: defaultdict[Any, float] = defaultdict(float)
        for run, probability in self.after:
            for lane, weight in enumerate(np.exp(run.log_weights)):
                if weight > 0.0:
                    law[predicted(run, lane)] += probability * float(weight)
        return law

    def kept(self) -> Law:
        """The law of what the kept particle has drawn after a step."""
        law: defaultdict[Any, float] = defaultdict(float)
        for run, probability in self.after:
            assert run.kept is not None
            for slot in range(len(run.kept.particles)):
                law[paths(run.kept.one(slot).first(self.kernel.run.root))] += probability / len(run.kept.particles)
        return law

    def off(self) -> float:
        """How far a step takes what is predicted from the posterior, in total variation."""
        before: defaultdict[Any, float] = defaultdict(float)
        for _, values, probability in self.posterior:
            before[values] += probability
        return distance(before, self.by_weight())


def chosen_one(run: Sweep) -> Sweep:
    """A run as the state of a chain, with all particles that might be kept."""
    assert run.log_evidence is not None
    return replace(run, log_weights=run.log_weights - run.log_evidence)


def predicted(run: Sweep, lane: int) -> Any:
    return tuple((label, key_of(column[lane])) for label, column in run.predicts.items())


@pytest.mark.parametrize(
    ("source", "threshold"),
    [(SHORT, 1.0), (SHORT, 0.7), (PERISHING + "[predict b]", 1.0), (BRANCH + "[predict b]", 1.0)],
)
def test_the_extended_target_is_invariant(source: str, threshold: float) -> None:
    extended = Extended(source, threshold)
    assert math.fsum(probability for _, probability in extended.after) == pytest.approx(1.0)
    assert extended.off() < 1e-12
    if "condition" not in source:
        assert 1 / extended.inverse == pytest.approx(extended.evidence)


def test_what_is_kept() -> None:
    """What stands for a run is drawn by a comb that is the same here in all runs: up to that, the posterior."""
    extended = Extended(SHORT)
    before: defaultdict[Any, float] = defaultdict(float)
    for drawn, _, probability in extended.posterior:
        before[paths(drawn)] += probability
    assert set(before) == set(extended.kept()) and distance(before, extended.kept()) < 0.2


def test_without_the_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong: every run is taken."""
    right = Pimh.decided
    wrong: Any = lambda self, state, *more: right(self, replace(state, log_evidence=-1e9), *more)  # noqa: E731
    monkeypatch.setattr(Pimh, "decided", wrong)
    assert Extended(SHORT).off() > 1e-3


def test_evidence_from_above() -> None:
    """One of ten thousand runs is further off, if the standard error is right."""
    exact = ANSWERS["hmm"].log_evidence
    posterior = load(PROGRAMS / "hmm.clj").infer("pimh", particles=30, sweeps=400, burn_in=20, seed=1)
    assert posterior.log_evidence is not None and posterior.log_evidence_se is not None
    assert abs(posterior.log_evidence - exact) < 4 * posterior.log_evidence_se < 0.6
    assert posterior.mean_log_evidence is not None and posterior.mean_log_evidence > exact
    assert "not to be trusted" not in str(posterior.summary())
    stuck = load(PROGRAMS / "nonlinear_ssm.clj").infer("pimh", particles=5, sweeps=30, seed=1)
    assert "the log evidence is not to be trusted: of 30 runs" in str(stuck.summary())
    lost = compile_text(PERISHING + "[predict a]").infer("pimh", particles=2, sweeps=50, seed=1)
    assert lost.log_evidence is None, "the mean of the inverses misses the runs that are lost"


def test_taken_up_again(tmp_path: Path) -> None:
    model = load(PROGRAMS / "hmm.clj")
    given: dict[str, Any] = {"particles": 5, "burn_in": 3, "seed": 2, "chains": 2}
    whole = model.infer("pimh", sweeps=40, **given)
    begun = model.infer("pimh", sweeps=15, **given)
    longer = begun.extend(25)
    file = tmp_path / "run.journal"
    model.infer("pimh", sweeps=40, checkpoint=file, **given)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]))
    again = model.infer("pimh", sweeps=40, resume=file, **given)
    for posterior in again, longer:
        for one, other in zip(whole.sweeps, posterior.sweeps, strict=True):
            assert one.log_evidence == other.log_evidence
            assert all((np.asarray(one.predicts[label]) == other.predicts[label]).all() for label in one.predicts)
    accepted = [sweep.diagnostics["accepted"] for sweep in whole.sweeps]
    assert 0 < sum(accepted) < len(accepted)
    assert model.infer("pimh", sweeps=40, cores=2, **given).mean("(state 3)") == whole.mean("(state 3)")


def test_it_stands_alone() -> None:
    for text in "pimh(10)", "pimh + lmh", "pimh(x)", "smc | pimh":
        with pytest.raises(MethodError, match="pimh"):
            parsed(text)


def test_from_an_execution() -> None:
    """A chain that goes on from an execution takes it for a particle of a run around it."""
    kernel = Kernel(compiled(PERISHING + "[predict a]").plan)
    settings = Settings(2, 1, resampling="enumerated")
    law: defaultdict[Any, float] = defaultdict(float)
    before: defaultdict[Any, float] = defaultdict(float)
    with kernel.enumerated():
        for drawn, values, probability in kernel.posterior():
            before[values] += probability
            step = lambda rng, own=drawn: PIMH.step(kernel.engine, Retained([dict(own)]), settings, 0, rng)[0]  # noqa: E731
            for run, transition in every_run(step):
                for lane, weight in enumerate(np.exp(run.log_weights)):
                    if weight > 0.0:
                        law[predicted(run, lane)] += probability * transition * float(weight)
    assert distance(before, law) < 1e-12
