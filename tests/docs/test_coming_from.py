"""Every row of the tables in docs/coming-from.md: what is written here has the density of what is written there."""

from __future__ import annotations

import math
import re
from typing import Final

import pytest
from scipy import stats
from tests.posteriors.answer import Answer
from tests.posteriors.brought_models import SOLVERS
from tests.posteriors.test_methods import check

import pplc

from .blocks import ROOT

TEXT: Final = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
ROWS: Final = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", TEXT, re.MULTILINE)


def _choice(one: str, other: str) -> dict[str, float]:
    return {one: math.log(1 / 4), other: math.log(3 / 4)}


def _at(density: object, *points: float) -> dict[str, float]:
    log = getattr(density, "logpdf", None) if hasattr(getattr(density, "dist", None), "pdf") else None
    log = log or density.logpmf  # type: ignore[attr-defined] # a frozen distribution of scipy
    return {str(point): float(log(point)) for point in points}


THERE: Final[dict[str, dict[str, float]]] = {
    "(normal 1 2)": _at(stats.norm(1, 2), 0.5, 4),
    "(gamma 2 3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "(uniform-discrete 0 3)": {"0": -math.log(3), "2": -math.log(3)},
    "(categorical {:a 1 :b 3})": _choice(":a", ":b"),
    "Gaussian({mu: 1, sigma: 2})": _at(stats.norm(1, 2), 0.5, 4),
    "Gamma({shape: 2, scale: 4})": _at(stats.gamma(2, scale=4), 0.5, 9),
    "Exponential({a: 2})": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "Binomial({p: 0.3, n: 5})": _at(stats.binom(5, 0.3), 0, 4),
    "RandomInteger({n: 4})": {"0": -math.log(4), "3": -math.log(4)},
    "Categorical({vs: ['a', 'b'], ps: [1, 3]})": _choice('"a"', '"b"'),
    "Discrete({ps: [1, 3]})": _choice("0", "1"),
    "StudentT({df: 3, location: 1, scale: 2})": _at(stats.t(3, 1, 2), 0.5, 4),
    "Delta({v: 2})": {"2": 0.0},
    "normal(1, 2)": _at(stats.norm(1, 2), 0.5, 4),
    "gamma(2, 3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "inv_gamma(2, 3)": _at(stats.invgamma(2, scale=3), 0.5, 2),
    "student_t(3, 1, 2)": _at(stats.t(3, 1, 2), 0.5, 4),
    "weibull(2, 3)": _at(stats.weibull_min(2, scale=3), 0.5, 4),
    "double_exponential(1, 2)": _at(stats.laplace(1, 2), 0.5, 4),
    "neg_binomial(2, 3)": _at(stats.nbinom(2, 3 / 4), 0, 3),  # mean 2 / 3, which is a / b
    "neg_binomial_2(2, 3)": _at(stats.nbinom(3, 3 / 5), 0, 3),  # mean 2, variance 2 + 4 / 3
    "categorical([0.25, 0.75])": _choice("0", "1"),
    "bernoulli_logit(0.5)": _at(stats.bernoulli(1 / (1 + math.exp(-0.5))), 0, 1),
    "Normal(mu=1, sigma=2)": _at(stats.norm(1, 2), 0.5, 4),
    "Gamma(alpha=2, beta=3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "Gamma(mu=2, sigma=4)": _at(stats.gamma(1 / 4, scale=8), 0.5, 2),
    "Exponential(lam=2)": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "Exponential(scale=2)": _at(stats.expon(scale=2), 0.5, 3),
    "DiscreteUniform(lower=1, upper=6)": {"1": -math.log(6), "6": -math.log(6)},
    "NegativeBinomial(mu=2, alpha=3)": _at(stats.nbinom(3, 3 / 5), 0, 3),
    "Binomial(n=5, p=0.3)": _at(stats.binom(5, 0.3), 0, 4),
    "StudentT(nu=3, mu=1, sigma=2)": _at(stats.t(3, 1, 2), 0.5, 4),
    "Weibull(alpha=2, beta=3)": _at(stats.weibull_min(2, scale=3), 0.5, 4),
}  # fmt: skip


def test_every_row_is_tested() -> None:
    assert {there for there, _ in ROWS} == set(THERE)


@pytest.mark.parametrize(("there", "here"), ROWS)
def test_the_densities_are_the_same(there: str, here: str) -> None:
    """The evidence of one observe that nothing random reaches is the density."""
    for value, expected in THERE[there].items():
        posterior = pplc.compile_text(f"[observe {here} {value}]\n[predict 1]").infer(
            "importance", particles=1, sweeps=1, seed=1
        )
        assert posterior.log_evidence == pytest.approx(expected, abs=1e-9), value


THREE: Final = {
    "A Poisson regression": ("poisson_regression", {":intercept": "intercept", ":slope": "slope"}),
    "Varying intercepts": ("varying_intercepts", {":mu": "mu", ":between": "between"}),
    "A mixture of two": ("finite_mixture", {":weight": "weight", ":third": "(class 2)"}),
}
"""The models that stand side by side, by their headings: where their answers are, and what Anglican's predicts are."""


@pytest.mark.parametrize("heading", THREE)
def test_models_side_by_side_have_one_answer(heading: str) -> None:
    """All that is run of a model against its exact answer: 20 sweeps, whose errors pass the limit of the table of
    tests/posteriors/test_methods.py in one of a thousand such tables."""
    stem, names = THREE[heading]
    section = TEXT.split(f"### {heading}\n")[1].split("\n##")[0]
    programs = re.findall(r"^```clojure\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(programs) >= 2
    for program in programs:
        answer = SOLVERS[stem](1.0)
        labels = pplc.compile_text(program).infer("importance", particles=2, sweeps=1, seed=1).labels
        means = {label: answer.means[names.get(label, label)] for label in labels}
        check(program, "smc", {"particles": 1000, "sweeps": 20}, Answer(means, answer.log_evidence), seed=1)
