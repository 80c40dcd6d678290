"""auto: which method is chosen, that it says so, and when it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.posteriors.exact import ANSWERS

from pplc import compile_text, load
from pplc_runtime.composition import MethodError
from pplc_runtime.running.auto import GENERAL, STATIC, choice
from pplc_runtime.values import ModelError

from .sweeps import quietly

PROGRAMS = Path(__file__).parents[2] / "programs"
CHOSEN = {
    "linear_regression": "rw", "logistic_regression": "rw", "change_point": "rw", "kalman": STATIC, "hmm": STATIC,
    "nonlinear_ssm": STATIC, "crp_small": GENERAL, "geometric": GENERAL, "infinite_mixture": GENERAL,
}  # fmt: skip


@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_chosen(name: str) -> None:
    with quietly():
        assert choice(load(PROGRAMS / f"{name}.clj").program.plan({})).method == CHOSEN[name]


def test_a_program_that_draws_nothing() -> None:
    with quietly():
        assert choice(compile_text("[observe (normal 0 1) 1] [predict 2]").program.plan({})).method == "importance"


@pytest.mark.slow
def test_it_goes_on_until_there_is_enough() -> None:
    posterior = load(PROGRAMS / "linear_regression.clj").infer("auto", sweeps=50, seed=2, target_ess=1500)
    assert posterior.chains == 4 and len(posterior.sweeps) > 4 * 50
    for label in posterior.labels:
        assert posterior.effective_draws(label) >= 1500
        spread = float(posterior.sd(label)) / 1500**0.5
        assert posterior.mean(label) == pytest.approx(ANSWERS["linear_regression"].means[label], abs=5 * spread)
    assert "auto: rw, since every execution draws the same things" in str(posterior.summary())


@pytest.mark.slow
def test_composed_methods_go_on() -> None:
    posterior = load(PROGRAMS / "gaussian_chain.clj").infer("auto", sweeps=60, seed=2, target_ess=300)
    assert posterior.method == STATIC and len(posterior.sweeps) > 4 * 60
    for label in posterior.labels:
        spread = float(posterior.sd(label)) / 300**0.5
        assert posterior.mean(label) == pytest.approx(ANSWERS["gaussian_chain"].means[label], abs=5 * spread)


def test_it_says_what_is_lacking_when_the_time_is_over() -> None:
    posterior = load(PROGRAMS / "crp_small.clj").infer("auto", sweeps=60, seed=2, seconds=1, target_ess=10**6)
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
