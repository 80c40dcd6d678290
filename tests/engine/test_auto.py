"""auto: which method is chosen, that it says so, and when it ends."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.posteriors.exact import ANSWERS

from pplc import compile_text, load
from pplc_runtime.composition import MethodError
from pplc_runtime.results.convergence import rank_rhat
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.running import auto
from pplc_runtime.running.auto import lacking, piloted
from pplc_runtime.running.choices import GENERAL, STATIC, Choice, choices
from pplc_runtime.values import ModelError

from .sweeps import quietly

PROGRAMS = Path(__file__).parents[2] / "programs"
CHOSEN = {
    "linear_regression": ["nuts", "slice"], "logistic_regression": ["nuts", "slice"],
    "change_point": ["sum(when-changed) + nuts", STATIC], "kalman": ["smc", "nuts", STATIC], "hmm": ["sum(state)"],
    "nonlinear_ssm": ["smc", "nuts", STATIC], "list_length": ["smc", "pgas", GENERAL],
    "infinite_mixture": ["smc", "slice", "pgas", GENERAL], "nested_observe": [GENERAL],
}  # fmt: skip


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_chosen(name: str) -> None:
    with quietly():
        assert [each.method for each in choices(load(PROGRAMS / f"{name}.clj").program.plan({}))] == CHOSEN[name]


LABELS = """[assume w (sample (beta 2 2))] [assume m (sample (normal 2 1))]
[assume z (mem (lambda (i) (sample (flip w))))] [assume g (sample (uniform-discrete 0 60))]
[for [[i y] (map-indexed vector [0.1 2.2 1.9 -0.4])] [observe (normal (if (z i) m 0.0) 1) y]]
[observe (normal g 20) 30] EXTRA
[predict m]"""


@pytest.mark.parametrize("extra, chosen", [
    ("", "sum(z g) + nuts"),
    ("[observe (flip (if (z 0) (if (z 1) 0.3 (/ g 60)) 0.6)) true]", "sum(z) + slice"),  # three tied together
    ("[for [i (range 80)] [observe (poisson (+ g 1)) i]]", "sum(z) + slice"),  # each has 60 densities
    ("[assume k (sample (poisson 3))] [observe (normal k 1) 2]", "sum(z g) + slice"),
])  # fmt: skip
def test_finite_draws_are_summed_out_where_that_can_be_done(extra: str, chosen: str) -> None:
    with quietly():
        found = choices(compile_text(LABELS.replace("EXTRA", extra)).program.plan({}))
    assert found[0].method == chosen and "'z'" in found[0].reason


def test_a_pilot_tells_in_which_coordinates() -> None:
    """A hierarchy of which the data say little is moved by its noise, one of which they say much as it is."""
    text = """[input s] [assume t (sample (half-cauchy 1))] [assume x (mem (lambda (i) (sample (normal 0 t))))]
    [for [i (range 8)] [observe (normal (x i) s) (- i 3.5)]] [predict t] [predict (x 0)]"""
    program, choice = compile_text(text).program, Choice("nuts", "", ("nuts(noise)",))
    ways = [piloted(program, choice, {"data": {"s": s}, "seed": 1}) for s in (20.0, 0.05)]
    assert ways == ["nuts(noise)", "nuts"]


def test_chains_in_modes_of_their_own_do_not_agree() -> None:
    """Each chain has the sign of a square root; what is reported is the same for both."""
    text = """[assume x (sample (normal 0 3))] [observe (normal (* x x) 0.1) 9] [predict (* x x)]"""
    posterior = compile_text(text).infer("nuts", sweeps=500, chains=4, seed=3)
    assert lacking(posterior, 100) is None
    told = lacking(posterior, 100, everywhere=True)
    assert told is not None and "do not agree on something that is drawn" in told


def test_a_program_that_draws_nothing() -> None:
    with quietly():
        assert choices(compile_text("[observe (normal 0 1) 1] [predict 2]").program.plan({}))[0].method == "importance"


def test_it_is_the_default_and_enumerates_what_is_finite() -> None:
    posterior = load(PROGRAMS / "bayes_net.clj").infer(seed=1)
    assert posterior.is_exact and posterior.log_evidence == pytest.approx(ANSWERS["bayes_net"].log_evidence)
    assert "auto: enumerate, since executions are few; by hand --method enumerate" in str(posterior.summary())


def test_smc_is_kept_where_it_is_enough() -> None:
    source = "[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [assume y (sample (normal x 1))] [predict y]"
    posterior = compile_text(source).infer(seed=1)
    assert posterior.method == "smc" and posterior.mean("y") == pytest.approx(0.5, abs=0.1)
    assert posterior.log_evidence == pytest.approx(-0.25 - 0.5 * math.log(4 * math.pi), abs=0.05)


@pytest.mark.slow
def test_where_a_method_fails_the_next_is_tried() -> None:
    posterior = load(PROGRAMS / "kalman.clj").infer(seed=1, seconds=1)
    assert posterior.method in ("smc", "nuts", STATIC)
    assert "note: smc: " in str(posterior.summary()) and "so another method was tried" in str(posterior.summary())


def test_the_same_seed_gives_the_same_draws() -> None:
    model = load(PROGRAMS / "gaussian_chain.clj")
    one, two = (model.infer(seed=5, seconds=30) for _ in range(2))
    assert one.method == two.method and one.mean("(x 1)") == pytest.approx(two.mean("(x 1)"), rel=1e-9)


def test_chains_that_differ_in_place_or_spread() -> None:
    rng = np.random.default_rng(1)
    apart = np.array([[0], [0], [0], [1]])
    alike = rng.normal(size=(4, 500))
    assert rank_rhat(alike) < 1.01 < 1.1 < rank_rhat(alike + apart)
    assert rank_rhat(alike * (1 + 3 * apart)) > 1.1 and math.isnan(rank_rhat(alike[:1]))
    heavy = rng.standard_cauchy(size=(4, 500))
    assert rank_rhat(heavy) < 1.02 and rank_rhat(heavy + 5 * apart) > 1.1


@pytest.mark.slow
def test_it_goes_on_until_there_is_enough() -> None:
    posterior = load(PROGRAMS / "linear_regression.clj").infer("auto", sweeps=50, seed=2, target_ess=1500)
    assert posterior.chains == 4 and len(posterior.sweeps) > 4 * 50
    for label in posterior.labels:
        assert posterior.effective_draws(label) >= 1500
        spread = float(posterior.sd(label)) / 1500**0.5
        assert posterior.mean(label) == pytest.approx(ANSWERS["linear_regression"].means[label], abs=5 * spread)
    assert "auto: nuts, since every execution draws the same things" in str(posterior.summary())


@pytest.mark.slow
def test_smc_goes_on() -> None:
    posterior = load(PROGRAMS / "gaussian_chain.clj").infer("auto", seed=2, target_ess=300)
    assert posterior.method == "smc"
    for label in posterior.labels:
        spread = float(posterior.sd(label)) / 300**0.5
        assert posterior.mean(label) == pytest.approx(ANSWERS["gaussian_chain"].means[label], abs=5 * spread)


def test_it_says_what_is_lacking_when_the_time_is_over() -> None:
    posterior = load(PROGRAMS / "geometric.clj").infer("auto", sweeps=50, seed=2, seconds=1, target_ess=10**6)
    assert "of 1000000 effective draws" in str(posterior.summary()) or "do not agree" in str(posterior.summary())


def test_it_is_no_part_of_others() -> None:
    model = load(PROGRAMS / "linear_regression.clj")
    with pytest.raises(MethodError, match="auto chooses a method by itself"):
        model.infer("auto + rw")
    with pytest.raises(ValueError, match="the reference engine has no auto"):
        model.infer("auto", engine="reference")


def test_errors_are_those_of_the_program() -> None:
    with pytest.raises(ModelError, match=r"m.clj:1:19: error: normal: sd must be a positive number"):
        compile_text("[assume x (sample (normal 0 -1))] [predict x]", "m.clj").infer("auto", seed=1)


def test_an_end_before_there_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that a limit or an interrupt ends gives what was drawn, and says what that lacks."""

    def ended(posterior: Posterior, *others: object) -> str:
        posterior.interrupted = True
        return "too few effective draws"

    monkeypatch.setattr(auto, "until_enough", ended)
    model = compile_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 0.5] [predict x]")
    posterior = model.infer("auto", seed=1)
    assert sum("too few effective draws" in remark for remark in posterior.remarks) == 1
