"""lmh by machine code is the kernel of lmh: by exact transition kernels, and wrong variants are none."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pytest
from scipy import stats
from tests.engine.kernels import Enumerating, Kernel, Law, distance, every_run, paths
from tests.engine.sweeps import compiled, quietly
from tests.general.enumerated import Point, Unknown
from tests.share import share

from pplc import compile_text
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.moving import ByMover
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.library import PROPOSALS
from pplc_runtime.native.mover import Mover
from pplc_runtime.native.parts import Part
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.running.driver import Driver
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced
from pplc_runtime.values import ModelError

from .test_moves import LAWS, LEVELS, WORST, deviations

EXACT = 1e-12
SITE, DECISION = 1 << 16, 1 << 17

COINS = """
[assume a (sample (flip 0.3))] [assume b (sample (flip (if a 0.8 0.25)))]
[observe (flip (if b 0.9 0.2)) true]
[assume c (sample (flip (if (= a b) 0.4 0.7)))]
[observe (flip (if c 0.35 0.6)) false]
"""
PLACES = """
[assume k (sample (discrete [0.2 0.3 0.5]))]
[assume j (sample (discrete (if (= k 1) [1.0 2.0 1.0] [0.5 0.0 3.0])))]
[assume n (sample (uniform-discrete 0 2))]
[observe (normal (+ k (* 2 j) (* n j)) 1.5) 2.5]
[observe (poisson (+ 0.5 n)) 1]
"""
WALK = """
[assume x (mem (lambda (t) (sample (flip (if (= t 0) 0.5 (if (x (dec t)) 0.8 0.3))))))]
[for [[t y] [[0 true] [1 false] [2 true]]] [observe (flip (if (x t) 0.9 0.2)) y]]
"""
IMPOSSIBLE = """
[assume a (sample (uniform-discrete 0 3))] [assume b (sample (uniform-discrete 0 3))]
[condition (not= a b)] [observe (normal (+ a b) 1) 2.2]
"""
PROGRAMS = {"coins": COINS, "places": PLACES, "walk": WALK, "impossible": IMPOSSIBLE}


class Decision:
    """A number between 0 and 1 whose logarithm is compared with a ratio."""

    def __init__(self, chance: Enumerating) -> None:
        self.chance = chance

    def __lt__(self, log_ratio: float) -> bool:
        if log_ratio >= 0.0:
            return True
        probability = math.exp(log_ratio)
        return self.chance.decide([probability, 1.0 - probability]) == 0


class Chance(Interpreted):
    """The middle language by CPython, with chance decided by `by`."""

    by: Enumerating
    sites: int

    def __init__(self, source: str, exported: frozenset[str]) -> None:
        super().__init__(source, exported)
        log = self.space["log"]
        self.space |= {
            "uniform": self.uniform, "log": lambda x: x if isinstance(x, Decision) else log(x),
            "draw_uniform_discrete": lambda *given: given[4] + self.by.decide([1.0] * int(given[5] - given[4])),
        }  # fmt: skip

    def uniform(self, k0: int, k1: int, c0: int, c1: int) -> Any:
        counter = c1 & 0x3FFFF  # the rest is the number of the proposal
        if counter == SITE:
            return (self.by.decide([1.0] * self.sites) + 0.5) / self.sites
        return Decision(self.by) if counter == DECISION else Point(Unknown(self.by))


def kernels(source: str, proposals: int = 1, covers: Any = lambda at: True) -> tuple[dict[Any, Any], ...]:
    """By start: its posterior probability, where machine code takes it, and where proposals one by one do."""
    plan = compiled(source).plan
    exact = Kernel(plan)
    with exact.enumerated():
        starts = exact.posterior()
    with quietly():
        joint = Joint(specialised(traced(plan)), Chance, fresh=True)
        mover = Mover(plan, lambda *_: joint, (Part("lmh", covers, number=proposals),), dict(starts[0][0]))
    machine: Any = joint.machine
    machine.sites = len(mover.running[0].fields["OFF"])
    prior: dict[Any, float] = {}
    native: dict[Any, Law] = {}
    traces: dict[Any, Law] = {}

    def by_machine(chance: Enumerating) -> Any:
        machine.by = chance
        mover.start(dict(start))
        mover.run(1, 0, 0, Key(0, 0), report=False)
        return paths(mover.held)

    def by_traces(chance: Enumerating) -> Any:
        rng: Any = chance
        kernel = Lmh(covers, proposals)
        state, _ = kernel.step(exact.engine, Retained([dict(start)]), settings, 0, rng, report=False)
        return paths(state.held[0])

    settings = Settings(1, 1)
    for start, _, probability in starts:
        prior[paths(start)] = probability
        native[paths(start)] = _law(by_machine)
        with exact.enumerated():
            traces[paths(start)] = _law(by_traces)
    return prior, native, traces


def _law(work: Any) -> Law:
    found: defaultdict[Any, float] = defaultdict(float)
    with quietly():
        for result, probability in every_run(work):
            found[result] += probability
    return dict(found)


def bias(prior: dict[Any, float], kernel: dict[Any, Law]) -> float:
    """How far a sweep takes the chain from the posterior, in total variation."""
    after: defaultdict[Any, float] = defaultdict(float)
    for start, probability in prior.items():
        for result, transition in kernel[start].items():
            after[result] += probability * transition
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(prior, dict(after))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_the_kernel_of_lmh(name: str) -> None:
    prior, native, traces = kernels(PROGRAMS[name])
    assert bias(prior, native) < EXACT
    assert max(distance(native[start], traces[start]) for start in prior) < EXACT


def test_two_proposals() -> None:
    prior, native, traces = kernels(COINS, 2)
    assert bias(prior, native) < EXACT
    assert max(distance(native[start], traces[start]) for start in prior) < EXACT


def test_some_choices_only() -> None:
    prior, native, traces = kernels(WALK, 1, lambda at: "1" in str(at.path()))
    assert max(distance(native[start], traces[start]) for start in prior) < EXACT


WRONG = {
    "its own density twice": ("if k > own:", "if k >= own:"),
    "a value that is not taken back": ("    restore(m, j)\n    return 0.0", "    return 0.0"),
    "densities that stay": ("SC[AF[k]] = NEW[k]", "SC[AF[k]] = SC[AF[k]]"),
    "the last reader left out": (
        "for k in range(own, AF[j + 1]):\n        d", "for k in range(own, AF[j + 1] - 1):\n        d",
    ),
    "an impossible one that is taken": ("ratio = -inf\n            break", "break"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", share(WRONG, 2))
def test_wrong_proposals_are_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, other = WRONG[wrong]
    assert PROPOSALS.count(right) == 1
    monkeypatch.setattr("pplc_runtime.native.joint.PROPOSALS", PROPOSALS.replace(right, other))
    source, proposals = (IMPOSSIBLE, 1) if "impossible" in wrong else (COINS, 2)
    try:
        prior, native, _ = kernels(source, proposals)
    except (IndexError, ModelError):
        return  # an execution of probability zero
    assert bias(prior, native) > 0.001


VECTORS = """
[assume m (sample (mvn [0 1] [[2 0.5] [0.5 1]]))] [assume s (sample (gamma 3 2))]
[assume w (sample (mvn m [[1 0.3] [0.3 (+ 0.2 s)]]))] [assume d (sample (dirichlet [0.3 2 3.5]))]
[observe (normal 0 1) 0]
[predict (nth d 0)] [predict s] [predict (/ (nth m 0) (sqrt 2))] [predict (- (nth w 0) (nth m 0))]
"""


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("vectors", [False, True])
def test_priors(vectors: bool) -> None:
    laws: dict[str, Any] = {
        "(nth d 0)": stats.beta(0.3, 5.5), "s": stats.gamma(3, scale=0.5), "(/ (nth m 0) (sqrt 2))": stats.norm(),
        "(- (nth w 0) (nth m 0))": stats.norm(),
    }  # fmt: skip
    source, laws = (VECTORS, laws) if vectors else (LEVELS, LAWS)
    assert max(deviations(source, laws, "lmh", 10_000).values()) < WORST


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for most in (1000, 7):
        monkeypatch.setattr("pplc_runtime.native.mover.MOST_SWEEPS", most)
        posterior = compile_text(LEVELS).infer("lmh", sweeps=300, burn_in=20, seed=3)
        found.append([float(sweep.predicts["s"][0]) for sweep in posterior.sweeps])
        assert [sweep.diagnostics["proposed"] for sweep in posterior.sweeps] == [8] * 300
    assert found[0] == found[1] and len(set(found[0])) > 3


def test_what_has_no_code_is_proposed_one_by_one() -> None:
    """A program whose structure changes, a family without a sampler in machine code, and few proposals."""
    grows = "[assume a (sample (flip 0.3))] [assume b (if a (sample (normal 0 1)) 0)] [observe (normal b 1) 1]"
    family = "[assume w (sample (wishart 3 [[1 0] [0 1]]))] [observe (normal (nth (nth w 0) 0) 1) 1]"
    static = "[assume a (sample (normal 0 1))] [observe (normal a 1) 1]"
    cases = [(grows, 10_000, False), (family, 10_000, False), (static, 10, False), (static, 10_000, True)]
    for source, sweeps, by_machine in cases:
        with quietly():
            driver = Driver.of(Lmh(), compile_text(source).program.plan({}), Settings(1, sweeps))
        assert isinstance(driver.kernel, ByMover) is by_machine, source
