"""The models of programs/ once more, as vectorised likelihood weighting in numpy; see also `filters`.

Written from the program texts and not from the exact solutions, to check these: `WEIGHTED[stem](rng, n)`
gives log weights and predicts of n independent runs from the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from .answer import Array, literal, normal_log_density

Rng: TypeAlias = np.random.Generator
Weighted: TypeAlias = tuple[Array, Mapping[str, NDArray[np.generic]]]


def flip_log_mass(p: Array, value: bool) -> Array:
    return np.log(p if value else 1.0 - p)


def conditional_mean(rng: Rng, n: int) -> Weighted:
    random = rng.random(n) < 0.5
    mu = np.where(random, rng.standard_normal(n), 0.0)
    return normal_log_density(0.1, mu, 1.0), {"random?": random, "mu": mu}


def geometric(rng: Rng, n: int) -> Weighted:
    k = rng.geometric(0.5, n)
    return np.asarray(poisson.logpmf(3, k)), {"n": k}


def linear_regression(rng: Rng, n: int) -> Weighted:
    slope, intercept = rng.normal(0.0, 3.0, n), rng.normal(0.0, 3.0, n)
    total = np.zeros(n)
    for x, y in zip(literal("linear_regression", "xs"), literal("linear_regression", "ys")):
        total += normal_log_density(y, intercept + slope * x, 0.5)
    return total, {"slope": slope, "intercept": intercept, "(line 6.0)": intercept + slope * 6.0}


def logistic_regression(rng: Rng, n: int) -> Weighted:
    weight, bias = rng.normal(0.0, 2.0, n), rng.normal(0.0, 2.0, n)

    def chance(x: float) -> Array:
        return np.asarray(1.0 / (1.0 + np.exp(-(bias + weight * x))))

    total = np.zeros(n)
    for x, outcome in zip(literal("logistic_regression", "hours"), literal("logistic_regression", "passed")):
        total += flip_log_mass(chance(x), bool(outcome))
    return total, {"weight": weight, "bias": bias, "(pass 1.0)": chance(1.0)}


def change_point(rng: Rng, n: int) -> Weighted:
    change = rng.integers(1, 16, n)
    before, after = rng.gamma(2.0, 2.0, n), rng.gamma(2.0, 2.0, n)
    total = np.zeros(n)
    for t, y in enumerate(literal("change_point", "counts")):
        total += poisson.logpmf(y, np.where(t < change, before, after))
    return total, {"when-changed": change, "before": before, "after": after}


def branching(rng: Rng, n: int) -> Weighted:
    rate = rng.gamma(12.0, 0.1, n)
    sizes: list[NDArray[np.int64]] = [np.full(n, 3)]
    total = np.zeros(n)
    for y in literal("branching", "counts"):
        sizes.append(rng.poisson(sizes[-1] * rate))
        total += poisson.logpmf(y, 0.2 + sizes[-1])
    return total, {"rate": rate, "(size 1)": sizes[1], "(size 4)": sizes[4]}


def epidemic(rng: Rng, n: int) -> Weighted:
    beta = rng.gamma(6.0, 1.0 / 6.0, n)
    susceptible, infected = np.full(n, 27), np.full(n, 3)
    total, infected_at = np.zeros(n), []
    for y in literal("epidemic", "cases"):
        caught = rng.binomial(susceptible, 1.0 - np.exp(-beta * infected / 30.0))
        recovered = rng.binomial(infected, 0.4)
        susceptible, infected = susceptible - caught, infected + caught - recovered
        total += poisson.logpmf(y, 0.1 + 0.7 * caught)
        infected_at.append(infected)
    return total, {"beta": beta, "(nth (state 4) 1)": infected_at[3], "(nth (state 8) 0)": susceptible}


def tug_of_war(rng: Rng, n: int) -> Weighted:
    strength = {name: rng.standard_normal(n) for name in ("ann", "bob", "cat")}
    lazy: dict[tuple[str, int], NDArray[np.bool_]] = {}

    def pull(team: list[str], match: int) -> Array:
        total = np.zeros(n)
        for name in team:
            lazy[name, match] = rng.random(n) < 0.25
            total += strength[name] - lazy[name, match]
        return total

    matches = [(["ann"], ["bob"], True), (["ann"], ["cat"], True), (["bob", "cat"], ["ann"], True)]
    total = np.zeros(n)
    for match, (home, away, won) in enumerate([*matches, (["bob"], ["cat"], False)], start=1):
        lead = pull(home, match) - pull(away, match)
        total += flip_log_mass(1.0 / (1.0 + np.exp(-2.0 * lead)), won)
    predicts = {f'(strength "{name}")': values for name, values in strength.items()}
    return total, {**predicts, '(lazy "ann" 3)': lazy["ann", 3]}


def gp_regression(rng: Rng, n: int) -> Weighted:
    xs, ys = literal("gp_regression", "xs"), literal("gp_regression", "ys")
    points = np.array([*xs, 0.7, 2.2])
    covariance = 2.0 * np.exp(-0.5 * np.subtract.outer(points, points) ** 2)
    f = 0.5 + np.linalg.cholesky(covariance) @ rng.standard_normal((len(points), n))
    total = sum(normal_log_density(y, f[i], 0.3) for i, y in enumerate(ys))
    return np.asarray(total), {"(value 0.0)": f[2], "(value 0.7)": f[5], "(value 2.2)": f[6]}


def memo_branch(rng: Rng, n: int) -> Weighted:
    early, shift = rng.random(n) < 0.5, rng.standard_normal((2, n))
    total = normal_log_density(1.2, np.where(early, shift[0], 0.0), 1.0)
    total = total + normal_log_density(0.8, shift[0], 1.0)
    total = total + normal_log_density(-0.5, shift[0] + shift[1], 1.0)
    return total, {"early": early, "(shift 0)": shift[0], "(shift 1)": shift[1]}


def nested_observe(rng: Rng, n: int) -> Weighted:
    mu = rng.normal(0.0, 2.0, n)
    total = normal_log_density(1.0, mu, 1.0) + normal_log_density(-0.5, mu, 1.0)
    total = total + np.where(mu > 0.0, normal_log_density(1.0, mu, 0.5), 0.0)
    total = total + normal_log_density(-1.5, mu, 1.0) + normal_log_density(1.0, mu, 2.0)
    return total, {"mu": mu, "(> mu 0.0)": mu > 0.0}


def random_depth(rng: Rng, n: int) -> Weighted:
    steps = rng.geometric(0.4, (2, n)) - 1
    first = rng.normal(0.0, np.sqrt(steps[0]))
    second = first + rng.normal(0.0, np.sqrt(steps[1]))
    labels = ("(nth first-walk 0)", "(nth first-walk 1)", "(nth second-walk 0)", "(nth second-walk 1)")
    total = normal_log_density(1.0, first, 0.5) + normal_log_density(3.0, second, 0.5)
    return total, dict(zip(labels, (steps[0], first, steps[1], second)))


def lazy_memo(rng: Rng, n: int) -> Weighted:
    theta = np.array([[-1.0], [0.0], [1.0]]) + rng.standard_normal((3, n))
    y = literal("lazy_memo", "y")
    z = rng.choice(3, p=[0.5, 0.3, 0.2], size=(len(y), n))
    total = sum(normal_log_density(v, theta[z[i], np.arange(n)], 0.6) for i, v in enumerate(y))
    thetas = {f"(theta {k})": theta[k] for k in range(3)}
    return np.asarray(total), {"(z 0)": z[0], "(z 2)": z[2], **thetas}


def poly_closure(rng: Rng, n: int) -> Weighted:
    degree = rng.choice(3, p=[0.4, 0.3, 0.3], size=n)
    a, b, c = rng.normal(0.0, 2.0, n), rng.normal(0.0, 1.0, n), rng.normal(0.0, 0.5, n)

    def f(x: float) -> Array:
        return np.asarray(a + np.where(degree > 0, b, 0.0) * x + np.where(degree > 1, c, 0.0) * x * x)

    seen = {-1.0: 0.9, 0.0: 0.2, 1.0: 0.6, 2.0: 1.4}
    total = sum(normal_log_density(y, f(x), 0.7) for x, y in seen.items())
    return np.asarray(total), {"degree": degree, "(f 3.0)": f(3.0)}


def list_length(rng: Rng, n: int) -> Weighted:
    size = rng.poisson(3.0, n)
    total_of = rng.normal(size, np.sqrt(size))
    marks = rng.binomial(size, 0.3)
    total = normal_log_density(4.2, total_of, 0.5) + poisson.logpmf(2, 0.5 + marks)
    return total, {"(count xs)": size, "(sum xs)": total_of, "marks": marks}


def collapsed_mean(rng: Rng, n: int) -> Weighted:
    level = rng.normal(1.0, 2.0, n)
    unseen = rng.normal(level, 0.5)
    total = sum(normal_log_density(y, level, 0.5) for y in (2.3, 1.9, 2.2))
    total = total + normal_log_density(2.8, unseen, 0.4)
    return np.asarray(total), {"unseen": unseen, "next": rng.normal(level, 0.5)}


def pcfg(rng: Rng, n: int) -> Weighted:
    # All derivations at once: `open_count` nonterminals are left to expand, the leftmost first.
    open_count, words, a_words = np.ones(n, dtype=int), np.zeros(n, dtype=int), np.zeros(n, dtype=int)
    first_is_a = np.zeros(n, dtype=bool)
    while (open_count > 0).any():
        rule = rng.choice(3, p=[0.3, 0.4, 0.3], size=n)
        live = open_count > 0
        emits_a = live & (rule == 1)
        first_is_a |= emits_a & (words == 0)
        a_words += emits_a
        words += live & (rule > 0)
        open_count += np.where(live, np.where(rule == 0, 1, -1), 0)
    total = poisson.logpmf(4, words) + normal_log_density(2.0, a_words, 1.0)
    total = total + np.log(np.where(first_is_a, 0.2, 0.9))
    return total, {"(count sentence)": words, "a-words": a_words, '(= (first sentence) "a")': first_is_a}


def crp_draw(rng: Rng, counts: Array, alpha: float) -> NDArray[np.int64]:
    """The next label in n restaurants side by side, with `counts` customers at each of the tables (rows)."""
    runs = np.arange(counts.shape[1])
    weights = counts.copy()
    weights[(counts > 0).sum(axis=0), runs] = alpha
    threshold = rng.random(len(runs)) * (counts.sum(axis=0) + alpha)
    return np.asarray((np.cumsum(weights, axis=0) <= threshold).sum(axis=0))


def crp_labels(rng: Rng, customers: int, n: int, alpha: float) -> NDArray[np.int64]:
    """n independent restaurants, side by side."""
    labels, counts = np.zeros((customers, n), dtype=np.int64), np.zeros((customers + 1, n))
    runs = np.arange(n)
    for i in range(customers):
        labels[i] = crp_draw(rng, counts, alpha)
        counts[labels[i], runs] += 1.0
    return labels


def infinite_mixture(rng: Rng, n: int) -> Weighted:
    y = literal("infinite_mixture", "y")
    label, means = crp_labels(rng, len(y), n, 1.0), rng.standard_normal((len(y), n))
    total = sum(normal_log_density(v, means[label[i], np.arange(n)], 1.0) for i, v in enumerate(y))
    shared = {f"(= (class 0) (class {j}))": label[0] == label[j] for j in (1, 2, 3)}
    return np.asarray(total), {**shared, "classes": 1 + label.max(axis=0)}


def dp_mixture(rng: Rng, n: int) -> Weighted:
    """Means from the prior would hardly ever fit: only the seating is drawn from it. Each point is weighed by
    its table's predictive density, and a table's mean is drawn from its posterior, at the end."""
    y, runs = literal("dp_mixture", "y"), np.arange(n)
    label = crp_labels(rng, len(y), n, 1.0)
    precision, scaled = np.full((len(y), n), 1.0 / 9.0), np.zeros((len(y), n))
    total = np.zeros(n)
    for i, v in enumerate(y):
        table = label[i], runs
        mean, variance = scaled[table] / precision[table], 1.0 / precision[table] + 0.49
        total += normal_log_density(v, mean, np.sqrt(variance))
        precision[table] += 1.0 / 0.49
        scaled[table] += v / 0.49
    means = rng.normal(scaled / precision, np.sqrt(1.0 / precision))
    thetas = {f"(theta {i})": means[label[i], runs] for i in (0, 3, 7)}
    shared = {f"(= (theta {i}) (theta {j}))": label[i] == label[j] for i, j in ((0, 1), (3, 7))}
    return total, {**thetas, **shared}


def infinite_hmm(rng: Rng, n: int) -> Weighted:
    y, runs = literal("infinite_hmm", "y"), np.arange(n)
    size = len(y) + 2
    dishes, rows = np.zeros((size, n)), np.zeros((size, size, n))
    served = np.full((size, size, n), -1)
    mu = rng.normal(0.0, 2.0, (size, n))
    states, total = [np.zeros(n, dtype=np.int64)], np.zeros(n)
    dishes[0] = 1.0
    for v in y:
        before = states[-1]
        table = crp_draw(rng, rows[before, :, runs].T, 1.0)
        rows[before, table, runs] += 1.0
        new = served[before, table, runs] < 0
        dish = crp_draw(rng, dishes, 1.0)
        dishes[dish[new], runs[new]] += 1.0
        served[before[new], table[new], runs[new]] = dish[new]
        states.append(served[before, table, runs])
        total += normal_log_density(v, mu[states[-1], runs], 0.8)
    pairs = [(1, 2), (1, 3), (1, 5), (4, 6)]
    same = {f"(= (state {i}) (state {j}))": states[i] == states[j] for i, j in pairs}
    return total, {**same, "(state 6)": states[6]}


def crp_small(rng: Rng, n: int) -> Weighted:
    table = crp_labels(rng, 4, n, 0.8)
    bias = np.array([0.1, 0.5, 0.9])[rng.choice(3, p=[0.3, 0.4, 0.3], size=(4, n))]
    total = np.zeros(n)
    for i, toss in enumerate((True, False, True, True)):
        total += flip_log_mass(bias[table[i], np.arange(n)], toss)
    tables = {f"(table {i})": table[i] for i in (1, 2, 3)}
    return total, {**tables, "(bias 0)": bias[0], "(= (table 1) (table 3))": table[1] == table[3]}


def coin_process(rng: Rng, n: int) -> Weighted:
    bias = rng.beta(2.0, 1.0, n)
    unseen = rng.random(n) < bias
    total = np.log(np.where(unseen, 0.4, 0.9)) + 4.0 * np.log(bias) + 2.0 * np.log(1.0 - bias)
    return total, {"unseen": unseen, "next": rng.random(n) < bias}


def bayes_net(rng: Rng, n: int) -> Weighted:
    cloudy = rng.random(n) < 0.5
    sprinkler = rng.random(n) < np.where(cloudy, 0.1, 0.5)
    rain = rng.random(n) < np.where(cloudy, 0.8, 0.2)
    wet = np.where(sprinkler & rain, 0.99, np.where(sprinkler | rain, 0.9, 0.05))
    total = np.log(wet) + np.log(np.where(rain, 0.3, 0.8))
    return total, {"cloudy": cloudy, "sprinkler": sprinkler, "rain": rain}


def scalar_implicature(rng: Rng, n: int) -> Weighted:
    """The listener's belief by Bayes' rule, word by word, in tables: rows are words, columns numbers."""
    truth = np.array([[1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 1]], float)
    literal = truth / truth.sum(1, keepdims=True)
    speaker = literal / literal.sum(0)
    red = rng.integers(0, 4, n)
    with np.errstate(divide="ignore"):
        return np.log(speaker[1, red]), {"n": red, "(= n 3)": red == 3}


def reference_game(rng: Rng, n: int) -> Weighted:
    truth = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 0]], float)
    literal = truth / truth.sum(1, keepdims=True)
    alpha, thing = rng.integers(1, 5, n), rng.integers(0, 3, n)
    powers = literal[..., None] ** np.arange(5)
    speaker = powers * truth[..., None]
    speaker /= speaker.sum(0)
    with np.errstate(divide="ignore"):
        total = 2 * np.log(speaker[3, 1, alpha]) + np.log(speaker[0, thing, alpha])
    return total, {"alpha": alpha, "(= thing 0)": thing == 0}


WEIGHTED: Final[Mapping[str, Callable[[Rng, int], Weighted]]] = {
    simulate.__name__: simulate
    for simulate in (
        bayes_net,
        branching,
        change_point,
        coin_process,
        collapsed_mean,
        conditional_mean,
        crp_small,
        dp_mixture,
        epidemic,
        geometric,
        gp_regression,
        infinite_hmm,
        infinite_mixture,
        lazy_memo,
        linear_regression,
        list_length,
        logistic_regression,
        memo_branch,
        nested_observe,
        pcfg,
        poly_closure,
        random_depth,
        reference_game,
        scalar_implicature,
        tug_of_war,
    )
}
