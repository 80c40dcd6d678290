"""Effective draws of importance and smc: units, lines of ancestors, and what is said where few are left."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pplc
from pplc_runtime.results import Posterior, Sweep
from pplc_runtime.results.ancestry import Ancestry, Lines
from pplc_runtime.results.effective import Units

WIDE = """
[assume a (sample (normal 0 1000000.0))]
[assume b (sample (normal 0 1000000.0))]
[for [[x y] [[0 1.0] [1 2.0] [2 3.1] [3 4.0]]]
  [observe (normal (+ a (* b x)) 0.1) y]]
[predict a]
"""

INSIDE = """
[assume m (sample (normal 0 100))]
[assume seen (lambda (n)
  (if (= n 0)
      0
      (do (observe (normal m 0.1) 3.0)
          (seen (- n 1)))))]
[assume r (seen 5)]
[observe (normal m 5) 3.0]
[predict m]
"""
PARTED = INSIDE.replace("(lambda (n)", "(mem (lambda (n)").replace("(- n 1)))))]", "(- n 1))))))]")
"""The same by a memo, in which particles are not resampled."""


def test_units_are_left_out_one_by_one() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=40), rng.random(40) ** 4
    weights /= weights.sum()
    codes = rng.integers(0, 7, 40)
    mean = weights @ values
    without = [np.average(values[codes != unit], weights=weights[codes != unit]) for unit in range(7)]
    expected = sum((each - mean) ** 2 for each in without) * 6 / 7
    assert Units(weights, codes).variance(weights * (values - mean)) == pytest.approx(expected)


def test_one_unit_with_all_of_the_weight() -> None:
    """The others' weight is lost in 1 - W, but not how far away they are."""
    weights = np.array([1.0, 1e-20, 1e-20])
    values = np.array([0.0, 3.0, 3.0])
    found = Units(weights, None).variance(weights * (values - weights @ values))
    assert found == pytest.approx(9.0 * 2 / 3, rel=1e-6)


def test_a_value_that_hardly_varies_where_the_weight_is() -> None:
    """Ten sweeps that each kept one value, nine of them true, and one of next to no evidence: not a million draws."""
    sweeps = [
        Sweep(0, n, np.full(50, 0.0 if n else -30.0), {"b": np.full(50, n > 0)}, None,
              {"ancestry": Ancestry(50, 3, (Lines(0, np.zeros(50, np.uint8)),))})
        for n in range(10)
    ]  # fmt: skip
    assert Posterior("smc", 1, 50, 1, sweeps, False).effective_draws("b") < 20


@pytest.mark.parametrize("particles", [2, 7, 300])
@pytest.mark.parametrize("generations", [1, 2, 6, 40])
def test_ancestry_looks_at_lines_at_growing_distance(particles: int, generations: int) -> None:
    rng = np.random.default_rng(particles)
    forks = [(n, rng.integers(0, particles, particles)) for n in range(generations - 2, -1, -1)]
    found = Ancestry.of(particles, forks)
    assert found.forks == generations - 1
    places, by_generation = np.arange(particles), {}
    for n, ancestors in forks:
        places = ancestors[places]
        by_generation[n] = places
    for lines in found.lines:
        assert np.array_equal(lines.places, by_generation[lines.generation])
        assert lines.left() == len(np.unique(by_generation[lines.generation]))
    if generations > 1:
        last = found.lines[-1]
        assert last.generation == 0 or last.left() == 1
        assert all(lines.left() > 1 for lines in found.lines[:-1])
    else:
        assert found.lines == ()


@pytest.mark.parametrize("options", [{}, {"ess_threshold": 0.5}, {"resampling": "systematic"}])
def test_lines_of_a_sweep_are_those_of_its_genealogy(options: dict[str, Any]) -> None:
    model = pplc.compile_text("""
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (- t 1)) 1.0)))))]
[for [t (range 1 21)] [observe (normal (x t) 1.0) (* 0.3 t)]]
[predict (x 20)]""")
    for sweeps in (2, 12):  # by the program, and by scripts
        posterior = model.infer("smc", particles=40, sweeps=sweeps, seed=1, genealogy=1, **options)
        tree = posterior.genealogies()[0, sweeps - 1]
        ancestry = posterior.sweeps[-1].diagnostics["ancestry"]
        assert ancestry.forks == len(tree.ancestors) and ancestry.particles == 40
        first = [int(tree.line(particle)[0]) for particle in range(40)]
        last = ancestry.lines[-1]
        assert last.left() == 1 or last.places.tolist() == first
        assert len(set(first)) <= last.left()


def test_a_prior_that_is_far_too_wide() -> None:
    posterior = pplc.compile_text(WIDE).infer("smc", particles=1000, sweeps=3, seed=1)
    assert not posterior.effective_draws("a") >= 1
    notes = "\n".join(posterior.summary().notes)
    assert "descend from 1 at observe 1 (line 5); what is drawn from line 2 up to there has one value left" in notes
    assert "observe 1 (line 5) leaves 1.0 of 1000 particles" in notes
    assert "a narrower prior helps, more particles do not" in notes and "decades" in notes
    assert "the log evidence is not to be trusted: the sweeps' estimates lie between" in notes
    error = posterior.log_evidence_se
    assert error is not None and error > 1000, "the sweeps' estimates are that far apart"


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_chains_do_not_move_what_the_prior_hardly_ever_hits(method: str) -> None:
    notes = "\n".join(pplc.compile_text(WIDE).infer(method, particles=20, sweeps=300, seed=1).summary().notes)
    assert "line 2 draws before the first observe: such a value is renewed only where a fresh one" in notes
    assert "fits all 4 observes" in notes and "observe 1 (line 5) leaves 1.0 of 20 particles" in notes
    assert "a narrower prior helps" in notes and "use more" not in notes


def test_importance_says_how_far_apart_the_weights_are() -> None:
    posterior = pplc.compile_text(WIDE).infer("importance", particles=1000, sweeps=2, seed=1)
    notes = "\n".join(posterior.summary().notes)
    assert "note: 1.0 of 2000 draws have the weight, which spans" in notes
    assert "a narrower prior helps, or smc, which resamples at each of the 4 observes" in notes


@pytest.mark.parametrize("method", ["smc", "icsmc", "pgas"])
def test_observes_inside_of_procedures_are_named(method: str) -> None:
    model = pplc.compile_text(PARTED)
    posterior = model.infer(method, particles=20, sweeps=20, seed=1)
    assert posterior.inside == (6,)
    assert any("that only some of them come to, or in a memo (line 6)" in note for note in posterior.summary().notes)
    assert pplc.compile_text(INSIDE).infer(method, particles=20, sweeps=20, seed=1).inside == (), "all come to them"
    assert pplc.compile_text(WIDE).infer(method, particles=2, sweeps=1, seed=1).inside == ()


@pytest.mark.parametrize(("method", "particles", "sweeps"), [("smc", 1000, 10), ("icsmc", 10, 400), ("pgas", 10, 400)])
def test_notes_name_no_observe_where_all_are_parted(method: str, particles: int, sweeps: int) -> None:
    posterior = pplc.compile_text("""
[assume walk (mem (fn [t] (if (= t 0) 0 (sample (normal (walk (dec t)) 1)))))]
[assume run (mem (fn [t] (if (> t 60) 0 (do (observe (normal (walk t) 0.5) (* 5 (sin (* 0.2 t)))) (run (inc t))))))]
[assume done (run 1)]
[predict (walk 60)]""").infer(method, particles=particles, sweeps=sweeps, seed=1)
    notes = "\n".join(posterior.summary().notes)
    assert "before the end of the program" in notes and "in a memo (line 3); lift it out of there" in notes
    assert "observe 1" not in notes and "all 0 observes" not in notes and "prior" not in notes


def test_a_run_that_is_well_has_no_notes() -> None:
    posterior = pplc.compile_text("""
[assume p (sample (beta 1 1))]
[for [heads [true true false true]] [observe (flip p) heads]]
[predict p]""").infer("smc", particles=500, seed=1)
    assert posterior.summary().notes == ()
    error = posterior.log_evidence_se
    assert error is not None and 0 < error < 0.1


def test_one_sweep_knows_its_error_by_its_lines() -> None:
    lines = Lines(0, np.array([0, 0, 1, 3], np.uint8))
    sweep = Sweep(0, 0, np.log([0.1, 0.2, 0.3, 0.4]), {}, 0.0, {"ancestry": Ancestry(4, 1, (lines,))})
    posterior = Posterior("smc", 1, 4, 1, [sweep], False)
    assert posterior.log_evidence_se == pytest.approx(math.sqrt((4 * (0.09 + 0.09 + 0.16) - 1) / 3))
    alone = Sweep(0, 0, np.log([0.1, 0.2, 0.3, 0.4]), {}, 0.0)
    assert Posterior("smc", 1, 4, 1, [alone], False).log_evidence_se is None


def test_smc_that_resamples_nothing_says_what_importance_says() -> None:
    model = pplc.compile_text(PARTED.replace("[observe (normal m 5) 3.0]\n", "").replace("100", "1e5"))
    notes = "\n".join(model.infer("smc", particles=20, sweeps=300, seed=1).summary().notes)
    assert "of 6000 draws have the weight" in notes and "decades" in notes and "smc" not in notes
    assert "in a memo (line 6); lift it out of there" in notes


def test_no_more_effective_draws_than_draws() -> None:
    model = pplc.compile_text("[assume p (sample (beta 1 1))] [observe (flip p) true] [predict p]")
    for seed in range(20):
        assert model.infer("smc", particles=1, sweeps=10, seed=seed).effective_draws("p") <= 10
