"""Finite draws that are summed out: against all of their values one by one."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.posteriors.exact import ANSWERS
from tests.posteriors.test_methods import LIMIT, estimates
from tests.share import share

from pplc import compile_text, load
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.library import TEXT
from pplc_runtime.native.mover import Mover
from pplc_runtime.native.parts import Part
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.native.sums import sum_fields
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.ir import Draw
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced
from pplc_runtime.values import ModelError

from .test_joint import MACHINE

pytestmark = pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
PROGRAMS = Path(__file__).parents[2] / "programs"
PRIOR = """[assume a (sample (dirichlet [1 2 1]))] [assume b (sample (dirichlet [2 1 1]))]
[assume c (sample (dirichlet [1 1 2]))] [assume m (sample (normal 0 1))] [assume s (sample (gamma 3 2))]"""
MODELS = {
    "a chain": f"""{PRIOR} [assume rows [a b c]]
    [assume z (mem (lambda (t) (if (< t 1) (sample (discrete [1 2 1])) (sample (discrete (nth rows (z (- t 1))))))))]
    [for [t (range 4)] [observe (normal (nth [(- m) 0 m] (z t)) s) (- t 1.5)]] [predict (z 2)]""",
    "each alone": f"""{PRIOR} [assume z (mem (lambda (i) (sample (discrete a))))]
    [for [i (range 4)] [observe (normal (nth [-1 m (+ 1 m)] (z i)) s) (* 0.7 i)]] [predict (z 1)]""",
    "drawn before all observes": f"""{PRIOR} [assume z1 (sample (discrete a))] [assume z2 (sample (flip (nth b 0)))]
    [assume z3 (sample (uniform-discrete 2 5))]
    [observe (normal (* m z1) s) 1] [observe (normal (if z2 m 0) s) 1] [observe (normal z3 s) 3] [predict z1]""",
    "a tree": f"""{PRIOR} [assume root (sample (discrete a))]
    [assume one (sample (discrete (if (= root 0) b c)))] [assume two (sample (discrete (if (= root 1) b c)))]
    [assume three (sample (flip (if (= two 2) 0.2 0.7)))]
    [observe (normal one s) 1] [observe (normal (if three m 0) s) 1] [observe (flip (if (= root 2) 0.9 0.3)) true]
    [predict root]""",
    "some values are impossible": f"""{PRIOR} [assume z (mem (lambda (i) (sample (uniform-discrete 0 4))))]
    [for [i (range 5)] [observe (uniform-continuous (- (z i) 1.1) (+ 1 s (z i))) i]
      [observe (normal (if (= (z i) 2) m s) s) 1]] [predict (z 0)]""",
    "what is computed from a draw": f"""{PRIOR} [assume z (sample (discrete a))] [assume w (sample (discrete b))]
    [assume mean (+ m (* z s))] [assume both (+ mean 1)]
    [observe (normal mean s) 1] [observe (normal (* mean both) s) 2] [observe (normal (+ both w) 1) 0.5] [predict z]""",
}


class Case:
    """A program at a draw from its prior, with its finite draws summed out."""

    def __init__(self, source: str, gradient: bool = False, machine: Any = MACHINE) -> None:
        with np.errstate(all="ignore"):
            self.plan = compile_text(source).program.plan({})
            program = specialised(traced(self.plan))
            draws = [each for segment in program.segments for each in segment.forward if isinstance(each, Draw)]
            ats = frozenset(draw.at for draw in draws if draw.result.dtype.kind != "f")
            self.joint = Joint(program, machine, False, gradient, ats)
            self.values = Trace(self.plan, {}, np.random.default_rng(3)).values
        self.finite = [draw for draw in self.joint.layout.draws if draw.result.dtype.kind != "f"]
        self.x = self.joint.layout.written(self.values)
        self.covers = ats.__contains__
        sites = sites_of(self.joint, lambda at: at not in ats, "nuts")
        self.sites = sites
        sums = sum_fields(self.joint, self.covers)
        self.fields = {**self.joint.fields(self.x), **site_fields(self.joint, sites, "nuts"), **sums}

    def summed(self) -> float:
        """The log density that is used."""
        machine = Interpreted(self.joint.text, frozenset({"summed"}))
        return float(machine["summed"](machine.record("Moves", self.fields)))

    def by_enumeration(self) -> tuple[float, dict[tuple[Any, ...], float]]:
        """The log of the sum over all values, and how probable each of them is."""
        found = {}
        for values in product(*(range(2 if draw.result.dtype.kind == "b" else 5) for draw in self.finite)):
            x = self.x.copy()
            for draw, value in zip(self.finite, values):
                x[self.joint.layout.offsets[draw.result]] = value
            found[values] = self.joint.log_density(x)
        total = float(np.logaddexp.reduce(list(found.values())))
        return total, {values: math.exp(lp - total) for values, lp in found.items() if lp > -np.inf}


def test_factors_of_one_form_are_a_loop() -> None:
    """Those of the labels of a mixture, at each of three values; a tree has none."""
    assert [len(rows) for rows in Case(MODELS["each alone"]).joint.plates.rows] == [4] * 6
    assert not Case(MODELS["a tree"]).joint.plates.rows


@pytest.mark.parametrize("name", MODELS)
def test_the_density(name: str) -> None:
    case = Case(MODELS[name])
    with np.errstate(all="ignore"):
        assert case.summed() == pytest.approx(case.by_enumeration()[0], rel=1e-12)


@pytest.mark.parametrize("name", share(MODELS, 5))
def test_the_gradient(name: str) -> None:
    """Against differences of what was summed."""
    case = Case(MODELS[name], gradient=True)
    with np.errstate(all="ignore"):
        machine = MACHINE(case.joint.text, frozenset({"summed", "gradient"}))
        record = machine.record("Moves", case.fields)
        machine["summed"](record)
        machine["gradient"](record)
        found = case.fields["G"].copy()
        for site in case.sites:
            if site.scale.kind != 6:
                now, step = case.x[site.place], 1e-5
                sides = []
                for way in (step, -step):
                    case.x[site.place] = now + way
                    sides.append(float(machine["summed"](record)))
                case.x[site.place] = now
                assert found[site.place] == pytest.approx((sides[0] - sides[1]) / (2 * step), rel=2e-5, abs=2e-5)


DRAWS = 4000


def off(name: str, monkeypatch: pytest.MonkeyPatch | None = None, wrong: tuple[str, str] | None = None) -> float:
    """How improbable the values are that were drawn, by the test of Pearson, if they are drawn from their law."""
    if monkeypatch is not None and wrong is not None:
        assert TEXT.count(wrong[0]) == 1
        monkeypatch.setattr("pplc_runtime.native.joint.TEXT", TEXT.replace(*wrong))
    case = Case(MODELS[name])
    with np.errstate(all="ignore"):
        law = case.by_enumeration()[1]
        mover = Mover(case.plan, lambda *_: case.joint, (Part("sum", case.covers),), case.values)
        counts = dict.fromkeys(law, 0)
        for number in range(DRAWS):
            mover.run(1, number, 0, Key(5, 6), report=False)
            places = [case.joint.layout.offsets[draw.result] for draw in case.finite]
            counts[tuple(int(mover.x[place]) for place in places)] += 1
    common = [values for values, p in law.items() if DRAWS * p >= 5]
    rest = 1.0 - sum(law[values] for values in common)
    seen = [*(counts[values] for values in common), DRAWS - sum(counts[values] for values in common)]
    expected = [*(DRAWS * law[values] for values in common), DRAWS * rest]
    if expected[-1] < 5:
        seen, expected = [*seen[:-2], seen[-2] + seen[-1]], [*expected[:-2], expected[-2] + expected[-1]]
    return float(stats.chisquare(seen, expected).pvalue)


@pytest.mark.parametrize("name", share(MODELS, 3))
def test_what_is_drawn(name: str) -> None:
    """Fails in one of 100,000 runs."""
    assert off(name) > 1e-5


WRONG = {
    "drawn without its neighbour": (
        "law = m.PT[m.PO[i] + int(m.X[m.ZO[p]] - m.ZLO[p]) * n :]",
        "law = m.PT[m.PO[i] :]",
    ),
    "nothing is told": ("m.UT[m.UO[p] + w] += message", "m.UT[m.UO[p] + w] += 0.0"),
    "the sum of a neighbour's row is not divided by": ("P[v] *= share", "P[v] *= 1.0"),
}


@pytest.mark.parametrize("wrong", share(WRONG, 2))
def test_wrong_sums_are_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert off("a chain", monkeypatch, WRONG[wrong]) < 1e-5


@pytest.mark.parametrize("method", ["sum"])
def test_posteriors(method: str) -> None:
    posterior = load(PROGRAMS / "hmm.clj").infer(method, sweeps=4_000, seed=7)
    for estimate in estimates(list(posterior.sweeps), ANSWERS["hmm"], chain=True):
        assert abs(estimate.off) < LIMIT * estimate.error, estimate


JOINED = """[assume p (sample (beta 2 3))] [assume q (sample (beta 3 2))]
[assume z (mem (lambda (t) (if (< t 1) (sample (flip 0.5)) (sample (flip (if (z (- t 1)) p q))))))]
[for [t (range 4)] [observe (flip (if (z t) 0.9 0.2)) (< t 2)]] [predict p] [predict q] [predict (if (z 3) 1 0)]"""


@pytest.mark.parametrize("method", share(("sum(z) + nuts", "sum(z) + rw", "sum(z) + slice", "sum(z) + rw(noise)"), 2))
def test_parameters_and_draws(method: str) -> None:
    """Their means, against sums over a grid; within 6 standard errors of batches."""
    grid = (np.arange(200) + 0.5) / 200
    p, q = np.meshgrid(grid, grid, indexing="ij")
    weights = stats.beta(2, 3).pdf(p) * stats.beta(3, 2).pdf(q)
    likes = [np.array([0.2, 0.9]) if t < 2 else np.array([0.8, 0.1]) for t in range(4)]
    forward = [0.5 * likes[0][0] * np.ones_like(p), 0.5 * likes[0][1] * np.ones_like(p)]
    for t in range(1, 4):
        no, yes = forward
        forward = [likes[t][0] * (no * (1 - q) + yes * (1 - p)), likes[t][1] * (no * q + yes * p)]
    evidence = (weights * (forward[0] + forward[1])).sum()
    expected = {
        "p": (weights * p * (forward[0] + forward[1])).sum() / evidence,
        "q": (weights * q * (forward[0] + forward[1])).sum() / evidence,
        "(if (z 3) 1 0)": (weights * forward[1]).sum() / evidence,
    }
    posterior = compile_text(JOINED).infer(method, sweeps=5_000, burn_in=500, seed=2)
    for label, mean in expected.items():
        batches = np.array([float(s.predicts[label][0]) for s in posterior.sweeps]).reshape(50, -1).mean(1)
        assert abs(batches.mean() - mean) < 6 * batches.std(ddof=1) / math.sqrt(50), label


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("[assume x (sample (normal 0 1))] [observe (normal x 1) 1]", "no move by sum for a draw from normal: it sums"),
        (
            "[assume x (sample (flip 0.5))] [assume y (sample (flip 0.5))] [assume z (sample (flip (if x 0.2 0.7)))]"
            "[observe (flip (if y 0.2 0.7)) z] [observe (flip (if (= x y) 0.2 0.7)) true]",
            "no move by sum for draws that are tied together in a circle",
        ),
        (
            "[assume x (mem (fn [i] (if (sample (flip 0.5)) 1 0)))][observe (poisson (+ 1 (x 0) (x 1) (x 2))) 2]",
            "no move by sum for draws of which more than two are tied together at once",
        ),
    ],
)
def test_draws_that_cannot_be_summed_out(source: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        compile_text(f"{source} [predict 1]").infer("sum", sweeps=20, seed=1)
