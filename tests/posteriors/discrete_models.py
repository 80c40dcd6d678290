"""Exact answers by enumeration or by summing a series."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import poisson

from .answer import Answer, from_marginals, from_twin
from .enumeration import (
    BetaFlip,
    Choose,
    Crp,
    Observe,
    Predicts,
    binomial,
    discrete,
    flip,
    memo,
    normal_density,
    poisson_mass,
    uniform_discrete,
)


def bayes_net_twin(choose: Choose, observe: Observe) -> Predicts:
    cloudy = choose(flip(0.5))
    sprinkler = choose(flip(0.1 if cloudy else 0.5))
    rain = choose(flip(0.8 if cloudy else 0.2))
    observe([0.05, 0.9, 0.99][sprinkler + rain])
    observe(0.3 if rain else 0.8)
    return {"cloudy": cloudy, "sprinkler": sprinkler, "rain": rain}


def crp_small_twin(choose: Choose, observe: Observe) -> Predicts:
    tables = Crp(0.8)
    table = memo(lambda i: tables.sample(choose))
    bias = memo(lambda k: [0.1, 0.5, 0.9][choose(discrete([0.3, 0.4, 0.3]))])
    observe(bias(table(0)))
    observe(1.0 - bias(table(1)))
    observe(bias(table(2)))
    observe(bias(table(3)))
    return {
        "(table 1)": table(1),
        "(table 2)": table(2),
        "(table 3)": table(3),
        "(bias 0)": bias(0),
        "(= (table 1) (table 3))": table(1) == table(3),
    }


def coin_process_twin(choose: Choose, observe: Observe) -> Predicts:
    coin = BetaFlip(2.0, 1.0)
    for toss in (True, True, False):
        coin.observe(observe, toss)
    unseen = coin.sample(choose)
    observe(0.4 if unseen else 0.9)
    for toss in (True, False, True):
        coin.observe(observe, toss)
    return {"unseen": unseen, "next": coin.sample(choose)}


def scalar_implicature_twin(choose: Choose, observe: Observe) -> Predicts:
    n = choose(uniform_discrete(0, 4))
    literal = {"none": n == 0, "some": (n > 0) / 3, "all": n == 3}
    observe(literal["some"] / sum(literal.values()))
    return {"n": n, "(= n 3)": n == 3}


THINGS = (("blue", "square"), ("blue", "circle"), ("green", "square"))


def said(word: str, thing: int, alpha: float) -> float:
    """The probability of a word from a speaker who thinks of a literal listener."""

    def weight(other: str) -> float:
        return (1 / sum(other in each for each in THINGS)) ** alpha if other in THINGS[thing] else 0.0

    return weight(word) / sum(weight(other) for other in ("blue", "green", "square", "circle"))


def reference_game_twin(choose: Choose, observe: Observe) -> Predicts:
    alpha = choose(uniform_discrete(1, 5))
    observe(said("circle", 1, alpha) ** 2)
    thing = choose(uniform_discrete(0, 3))
    observe(said("blue", thing, alpha))
    return {"alpha": alpha, "(= thing 0)": thing == 0}


def scalar_implicature() -> Answer:
    return from_twin(scalar_implicature_twin)


def reference_game() -> Answer:
    return from_twin(reference_game_twin)


def bayes_net() -> Answer:
    return from_twin(bayes_net_twin)


def crp_small() -> Answer:
    return from_twin(crp_small_twin)


def coin_process() -> Answer:
    return from_twin(coin_process_twin)


def geometric() -> Answer:
    n = np.arange(1, 200)
    weights = 0.5**n * poisson.pmf(3, n)
    evidence = float(weights.sum())
    posterior = weights / evidence
    return from_marginals({"n": {int(k): float(p) for k, p in zip(n, posterior)}}, math.log(evidence))


def pcfg() -> Answer:
    """A tree of binary rules with n leaves has n - 1 of them, and there are Catalan(n - 1) such trees;
    given n, the words are independent and each is "a" with probability 4/7."""
    evidence = 0.0
    totals = dict.fromkeys(("(count sentence)", "a-words", '(= (first sentence) "a")'), 0.0)
    for n in range(1, 60):
        trees = math.comb(2 * (n - 1), n - 1) // n * 0.3 ** (n - 1) * 0.7**n
        for first_is_a in (True, False):
            for others in range(n):
                a_words = others + first_is_a
                weight = (
                    trees
                    * (4 / 7 if first_is_a else 3 / 7)
                    * binomial(n - 1, 4 / 7)[others][1]
                    * poisson_mass(n, 4)
                    * normal_density(2.0, a_words, 1.0)
                    * (0.2 if first_is_a else 0.9)
                )
                evidence += weight
                totals["(count sentence)"] += weight * n
                totals["a-words"] += weight * a_words
                totals['(= (first sentence) "a")'] += weight * first_is_a
    return Answer({label: total / evidence for label, total in totals.items()}, math.log(evidence))
