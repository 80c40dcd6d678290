"""A row for every distribution and process: what it weighs by where it is observed and, if it is finite, draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, exp
from typing import Any, Final

import numpy as np
from scipy import special, stats

from .rows import Row


def seen(call: str, value: str, density: Callable[[int, bool], Any]) -> Row:
    """An observe, with parameters by a and b; then a and b are predicted together."""
    return Row(f"[observe {call} {value}]\n[assume v (+ a (if b 10 0))]", lambda a, b: [(density(a, b), a + 10 * b)])


def drawn(call: str, ways: Callable[[int, bool], Sequence[tuple[float, float]]]) -> Row:
    """A draw from what is finite, and an observe of the same at its first value."""
    return Row(
        f"[assume v (sample {call})]\n[observe {call} v]", lambda a, b: [(p * p, value) for p, value in ways(a, b)]
    )


def _lkj(n: int, eta: float, r: float) -> float:
    """The density of a 2 by 2 correlation matrix: that of its correlation r."""
    return float((1 - r * r) ** (eta - 1) / (special.beta(eta, eta) * 2 ** (2 * eta - 1)))


def _mass(distribution: Any, lower: float, upper: float) -> float:
    return float(distribution.cdf(upper) - distribution.cdf(lower))


CONTINUOUS: Final[dict[str, Row]] = {
    "normal": seen("(normal a (if b 1 2))", "0.7", lambda a, b: stats.norm(a, 1 if b else 2).pdf(0.7)),
    "half-normal": seen(
        "(half-normal (+ a 1))", "(if b 0.7 1)", lambda a, b: stats.halfnorm(0, a + 1).pdf(0.7 if b else 1)
    ),
    "lognormal": seen("(lognormal a (if b 1 2))", "1.4", lambda a, b: stats.lognorm(1 if b else 2, 0, exp(a)).pdf(1.4)),
    "gamma": seen("(gamma (+ a 1) (if b 1 2))", "0.7", lambda a, b: stats.gamma(a + 1, 0, 1 if b else 0.5).pdf(0.7)),
    "inverse-gamma": seen(
        "(inverse-gamma (+ a 1) (if b 1 2))", "0.7", lambda a, b: stats.invgamma(a + 1, 0, 1 if b else 2).pdf(0.7)
    ),
    "chi-squared": seen("(chi-squared (+ a (if b 1 2)))", "0.7", lambda a, b: stats.chi2(a + (1 if b else 2)).pdf(0.7)),
    "beta": seen("(beta (+ a 1) (if b 1 2))", "0.7", lambda a, b: stats.beta(a + 1, 1 if b else 2).pdf(0.7)),
    "exponential": seen(
        "(exponential (+ a 1))", "(if b 0.7 1)", lambda a, b: (a + 1) * exp(-(a + 1) * (0.7 if b else 1))
    ),
    "weibull": seen(
        "(weibull (+ a 1) (if b 1 2))", "0.7", lambda a, b: stats.weibull_min(a + 1, 0, 1 if b else 2).pdf(0.7)
    ),
    "pareto": seen("(pareto (if b 1 2) (+ a 1))", "2.7", lambda a, b: stats.pareto(a + 1, 0, 1 if b else 2).pdf(2.7)),
    "laplace": seen("(laplace a (if b 1 2))", "0.7", lambda a, b: stats.laplace(a, 1 if b else 2).pdf(0.7)),
    "logistic": seen("(logistic a (if b 1 2))", "0.7", lambda a, b: stats.logistic(a, 1 if b else 2).pdf(0.7)),
    "student-t": seen("(student-t 3 a (if b 1 2))", "0.7", lambda a, b: stats.t(3, a, 1 if b else 2).pdf(0.7)),
    "cauchy": seen("(cauchy a (if b 1 2))", "0.7", lambda a, b: stats.cauchy(a, 1 if b else 2).pdf(0.7)),
    "half-cauchy": seen(
        "(half-cauchy (+ a 1))", "(if b 0.7 1)", lambda a, b: stats.halfcauchy(0, a + 1).pdf(0.7 if b else 1)
    ),
    "von-mises": seen("(von-mises a (if b 1 2))", "0.7", lambda a, b: stats.vonmises(1 if b else 2, a).pdf(0.7)),
    "uniform": seen("(uniform 0 (+ a 1))", "(if b 0.5 1.5)", lambda a, b: (b or a > 0) / (a + 1)),
    "uniform-continuous": seen("(uniform-continuous (- a) 1)", "(if b 0.5 -0.5)", lambda a, b: (b or a > 0) / (a + 1)),
    "dirichlet": seen(
        "(dirichlet [(+ a 1) 2 (if b 1 3)])",
        "[0.2 0.3 0.5]",
        lambda a, b: stats.dirichlet([a + 1, 2, 1 if b else 3]).pdf([0.2, 0.3, 0.5]),
    ),
    "mvn": seen(
        "(mvn [a 0] [[2 1] [1 (if b 1 3)]])",
        "[0.5 1.5]",
        lambda a, b: stats.multivariate_normal([a, 0], [[2, 1], [1, 1 if b else 3]]).pdf([0.5, 1.5]),
    ),
    "wishart": seen(
        "(wishart (+ a 2) [[1 0] [0 (if b 1 2)]])",
        "[[2 0.5] [0.5 1]]",
        lambda a, b: stats.wishart(a + 2, np.diag([1, 1 if b else 2])).pdf(np.array([[2, 0.5], [0.5, 1]])),
    ),
    "inverse-wishart": seen(
        "(inverse-wishart (+ a 2) [[1 0] [0 (if b 1 2)]])",
        "[[2 0.5] [0.5 1]]",
        lambda a, b: stats.invwishart(a + 2, np.diag([1, 1 if b else 2])).pdf(np.array([[2, 0.5], [0.5, 1]])),
    ),
    "lkj": seen(
        "(lkj 2 (+ a 1))", "(if b [[1 0.5] [0.5 1]] [[1 0] [0 1]])", lambda a, b: _lkj(2, a + 1, 0.5 if b else 0)
    ),
    "lkj-cholesky": seen(
        "(lkj-cholesky 2 (+ a 1))",
        "(if b (cholesky [[1 0.6] [0.6 1]]) (eye 2))",
        lambda a, b: _lkj(2, a + 1, 0.6 if b else 0),
    ),
    "truncated": seen(
        "(truncated (normal a 1) (if b 0 nil) 2)",
        "0.5",
        lambda a, b: stats.norm(a).pdf(0.5) / (stats.norm(a).cdf(2) - (stats.norm(a).cdf(0) if b else 0)),
    ),
    "censored": seen(
        "(censored (weibull (+ a 1) 2) nil 1.5)",
        "(if b 1.5 0.5)",
        lambda a, b: getattr(stats.weibull_min(a + 1, 0, 2), "sf" if b else "pdf")(1.5 if b else 0.5),
    ),
    "mixture": seen(
        "(mixture [0.2 (if b 1 3)] [(normal 0 1) (laplace a 2)])",
        "0.7",
        lambda a, b: (0.2 * stats.norm.pdf(0.7) + (1 if b else 3) * stats.laplace(a, 2).pdf(0.7)) / (1.2 if b else 3.2),
    ),
    "iid": seen(
        "(iid (gamma (+ a 1) (if b 1 2)) 2)",
        "[0.7 1.1]",
        lambda a, b: np.prod(stats.gamma(a + 1, 0, 1 if b else 0.5).pdf([0.7, 1.1])),
    ),
    "vectors": seen(
        "(normal [a 0 1] (if b 1 [1 2 3]))",
        "[0.5 1.5 2]",
        lambda a, b: np.prod(stats.norm([a, 0, 1], 1 if b else [1, 2, 3]).pdf([0.5, 1.5, 2])),
    ),
}


def _table(a: int, b: bool, weights: Sequence[float]) -> list[tuple[float, float]]:
    total = sum(weights)
    return [(weight / total, k) for k, weight in enumerate(weights)]


def _bits(p: float) -> list[tuple[float, float]]:
    return [(1 - p, 0), (p, 1)]


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x))


def _binomial(n: int, p: float) -> list[tuple[float, float]]:
    return [(comb(n, k) * p**k * (1 - p) ** (n - k), k) for k in range(n + 1)]


def _flip(p: float, call: str) -> str:
    return f"[assume w (sample {call})]\n[observe {call} w]\n[assume v (if w 1 0)]"


DISCRETE: Final[dict[str, Row]] = {
    "flip": Row(
        _flip(0, "(flip (if b 0.9 (/ a 4)))"), lambda a, b: [(p * p, x) for p, x in _bits(0.9 if b else a / 4)]
    ),
    "flip-logit": Row(
        _flip(0, "(flip-logit (if b a -1))"), lambda a, b: [(p * p, x) for p, x in _bits(_logistic(a if b else -1))]
    ),
    "bernoulli": drawn("(bernoulli (if b 0.9 (/ a 4)))", lambda a, b: _bits(0.9 if b else a / 4)),
    "bernoulli-logit": drawn("(bernoulli-logit (if b a -1))", lambda a, b: _bits(_logistic(a if b else -1))),
    "uniform-discrete": drawn(
        "(uniform-discrete a (if b 3 5))",
        lambda a, b: [(1 / ((3 if b else 5) - a), k) for k in range(a, 3 if b else 5)],
    ),
    "discrete": drawn("(discrete [1 a (if b 3 1)])", lambda a, b: _table(a, b, [1, a, 3 if b else 1])),
    "categorical": drawn(
        "(categorical {5 1 7 a -1 (if b 3 1)})",
        lambda a, b: [(w / (1 + a + (3 if b else 1)), x) for w, x in ((1, 5), (a, 7), (3 if b else 1, -1))],
    ),
    "categorical by pairs": drawn("(categorical [[5 1] [7 a]])", lambda a, b: [(1 / (1 + a), 5), (a / (1 + a), 7)]),
    "dirac": drawn("(dirac (if b a 3))", lambda a, b: [(1.0, a if b else 3)]),
    "binomial": drawn("(binomial (+ a 1) (if b 0.9 0.2))", lambda a, b: _binomial(a + 1, 0.9 if b else 0.2)),
    "binomial-logit": drawn("(binomial-logit 2 (if b a -1))", lambda a, b: _binomial(2, _logistic(a if b else -1))),
    "beta-binomial": drawn(
        "(beta-binomial 3 (+ a 1) (if b 1 2))",
        lambda a, b: [(stats.betabinom(3, a + 1, 1 if b else 2).pmf(k), k) for k in range(4)],
    ),
    "hypergeometric": drawn(
        "(hypergeometric (+ a 1) 2 (if b 1 2))",
        lambda a, b: [(stats.hypergeom(a + 3, a + 1, 1 if b else 2).pmf(k), k) for k in range(3)],
    ),
    "poisson": seen("(poisson (+ a 0.5))", "(if b 1 2)", lambda a, b: stats.poisson(a + 0.5).pmf(1 if b else 2)),
    "negative-binomial": seen(
        "(negative-binomial (+ a 0.5) 0.3)", "(if b 1 2)", lambda a, b: stats.nbinom(a + 0.5, 0.3).pmf(1 if b else 2)
    ),
    "geometric": seen(
        "(geometric (/ (+ a 1) 4))", "(if b 1 2)", lambda a, b: (a + 1) / 4 * ((3 - a) / 4) ** (1 if b else 2)
    ),
    "multinomial": seen(
        "(multinomial 3 [1 a (if b 1 2)])",
        "[1 0 2]",
        lambda a, b: 3 * (1 if b else 2) ** 2 / (1 + a + (1 if b else 2)) ** 3,
    ),
    "zero-inflated": drawn(
        "(zero-inflated (if b 0.5 0) (binomial 1 (/ a 4)))",
        lambda a, b: [((0.5 if b else 0) + (0.5 if b else 1) * (1 - a / 4), 0), ((0.5 if b else 1) * a / 4, 1)],
    ),
    "truncated counts": drawn(
        "(truncated (binomial 3 0.5) a (if b 2 3))",
        lambda a, b: [(comb(3, k) / sum(comb(3, j) for j in range(a, 4 - b)), k) for k in range(a, 4 - b)],
    ),
    "censored counts": drawn(
        "(censored (binomial 3 0.5) (if b 1 nil) 2)",
        lambda a, b: [(0.5, 1), (0.5, 2)] if b else [(1 / 8, 0), (3 / 8, 1), (0.5, 2)],
    ),
}

PROCESSES: Final[dict[str, Row]] = {
    "crp": Row(
        "[assume c (crp (+ a 0.5) (if b 0.25 0))]\n[observe c 0]\n"
        "[assume x (sample c)]\n[assume v (+ x (* 3 (sample c)))]",
        lambda a, b: [
            (p * q, x + 3 * y)
            for d in [0.25 if b else 0.0]
            for p, x in [((1 - d) / (a + 1.5), 0), ((a + 0.5 + d) / (a + 1.5), 1)]
            for counts in [[2] if x == 0 else [1, 1]]
            for q, y in [
                *(((c - d) / (a + 2.5), k) for k, c in enumerate(counts)),
                ((a + 0.5 + d * len(counts)) / (a + 2.5), len(counts)),
            ]
        ],
    ),
    "polya-urn": Row(
        "[assume u (polya-urn [1 (+ a 1)])]\n[observe u (if b 1 0)]\n[assume v (sample u)]",
        lambda a, b: [
            ((a + 1 if b else 1) / (a + 2) * ((1 + (not b)) if x == 0 else a + 1 + b) / (a + 3), x) for x in (0, 1)
        ],
    ),
    "dirichlet-discrete": Row(
        "[assume u (dirichlet-discrete [0.5 (+ a 1)])]\n[observe u (if b 1 0)]\n[observe u 1]\n[assume v a]",
        lambda a, b: [((a + 1 if b else 0.5) / (a + 1.5) * (a + 1 + b) / (a + 2.5), a)],
    ),
    "beta-flip": Row(
        "[assume c (beta-flip (+ a 1) 2)]\n[observe c b]\n[assume v (if (sample c) 4 0)]",
        lambda a, b: [
            ((a + 1 if b else 2) / (a + 3) * ((a + 1 + b) if x else 2 + (not b)) / (a + 4), x) for x in (4, 0)
        ],
    ),
    "normal-normal": Row(
        "[assume c (normal-normal a 2 1)]\n[observe c 0.5]\n[observe c (if b 1.5 -1)]\n[assume v a]",
        lambda a, b: [(stats.multivariate_normal([a, a], [[5, 4], [4, 5]]).pdf([0.5, 1.5 if b else -1]), a)],
    ),
    "dp": Row(
        "[assume c (dp (+ a 1) (fn [] (sample (flip 0.25))))]\n[assume x (sample c)]\n[assume y (sample c)]\n"
        "[assume v (if (= x y b) a 3)]",
        lambda a, b: (
            [(p, a), (1 - p, 3)] if (p := (q := 0.25 if b else 0.75) * (1 / (a + 2) + (a + 1) / (a + 2) * q)) else []
        ),
    ),
    "gp": Row(
        "[assume f (gp (fn [x] a) (fn [x y] (if (= x y) 2 1)))]\n[observe (f 0) 0.5]\n[observe (f (if b 1 2)) 1.5]\n"
        "[observe (f 1) 1.5]\n[assume v a]",
        lambda a, b: [
            (
                stats.multivariate_normal([a] * 2, np.eye(2) + 1).pdf([0.5, 1.5])
                if b
                else stats.multivariate_normal([a] * 3, np.eye(3) + 1).pdf([0.5, 1.5, 1.5]),
                a,
            )
        ],
    ),
}
