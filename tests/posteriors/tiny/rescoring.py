"""Rescoring: what the suffix reads of the prefix, and observes inside of expressions."""

from __future__ import annotations

import math
from typing import Final

from tests.posteriors.enumeration import (
    Choose,
    Observe,
    Predicts,
    discrete,
    flip,
    flip_mass,
    memo,
    normal_density,
    poisson_mass,
    uniform_discrete,
)
from tests.posteriors.tiny.program import Programs, entered_in

PROGRAMS: Final[Programs] = {}
program = entered_in(PROGRAMS)

# --- rescoring: what the suffix reads of the prefix ---


@program("""
[assume theta (nth [0.1 0.5 0.8] (sample (discrete [0.2 0.5 0.3])))]
[observe (flip theta) true]
[observe (flip theta) false]
[observe (flip theta) true]
[predict theta]
""")
def global_read_by_every_observe(choose: Choose, observe: Observe) -> Predicts:
    theta = [0.1, 0.5, 0.8][choose(discrete([0.2, 0.5, 0.3]))]
    observe(flip_mass(theta, True))
    observe(flip_mass(theta, False))
    observe(flip_mass(theta, True))
    return {"theta": theta}


@program("""
[assume p (if (sample (flip 0.5)) 0.9 0.2)]
[assume m (mem (lambda (k) (sample (flip p))))]
[observe (flip 0.5) true]
[observe (flip (if (m 0) 0.6 0.5)) true]
[observe (flip (if (m 1) 0.7 0.4)) true]
[predict p]
[predict (m 0)]
[predict (m 1)]
[predict (m 2)]
""")
def sample_depends_on_the_prefix(choose: Choose, observe: Observe) -> Predicts:
    p = 0.9 if choose(flip(0.5)) else 0.2
    m = memo(lambda k: choose(flip(p)))
    observe(0.5)
    observe(0.6 if m(0) else 0.5)
    observe(0.7 if m(1) else 0.4)
    return {"p": p, "(m 0)": m(0), "(m 1)": m(1), "(m 2)": m(2)}


@program("""
[assume n (sample (uniform-discrete 1 4))]
[observe (poisson n) 2]
[assume k (sample (uniform-discrete 0 n))]
[observe (poisson (+ k 0.5)) 1]
[assume j (sample (uniform-discrete k 4))]
[observe (poisson (+ j 0.5)) 2]
[predict n]
[predict k]
[predict j]
""")
def support_depends_on_the_prefix(choose: Choose, observe: Observe) -> Predicts:
    n = choose(uniform_discrete(1, 4))
    observe(poisson_mass(n, 2))
    k = choose(uniform_discrete(0, n))
    observe(poisson_mass(k + 0.5, 1))
    j = choose(uniform_discrete(k, 4))
    observe(poisson_mass(j + 0.5, 2))
    return {"n": n, "k": k, "j": j}


@program("""
[assume a (sample (flip 0.3))]
[observe (flip (if a 0.6 0.7)) true]
[assume b (sample (flip 0.5))]
[observe (flip (if (= a b) 1.0 0.0)) true]
[assume c (sample (uniform-discrete 0 3))]
[observe (flip (if (and b (= c 0)) 0.0 (/ (+ c 1) 4))) true]
[predict a]
[predict b]
[predict c]
""")
def hard_constraints(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.3))
    observe(0.6 if a else 0.7)
    b = choose(flip(0.5))
    observe(1.0 if a == b else 0.0)
    c = choose(uniform_discrete(0, 3))
    observe(0.0 if b and c == 0 else (c + 1) / 4)
    return {"a": a, "b": b, "c": c}


@program("""
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.8 0.4)) true]
[assume derived (if a [1 2] [3 4])]
[observe (flip 0.5) true]
[assume b (sample (flip (/ (first derived) 4)))]
[observe (flip (if b 0.3 0.6)) true]
[predict (+ (first derived) (if b 10 0))]
[predict (nth derived 1)]
[predict (sample (flip (if a 0.9 0.1)))]
""")
def derived_values_follow_the_ancestor(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.5))
    observe(0.8 if a else 0.4)
    derived = (1, 2) if a else (3, 4)
    observe(0.5)
    b = choose(flip(derived[0] / 4))
    observe(0.3 if b else 0.6)
    return {
        "(+ (first derived) (if b 10 0))": derived[0] + (10 if b else 0),
        "(nth derived 1)": derived[1],
        "(sample (flip (if a 0.9 0.1)))": choose(flip(0.9 if a else 0.1)),
    }


# --- observes inside expressions ---


@program("""
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.6 0.5)) true]
[assume b (sample (flip 0.5))]
[observe (flip (if b 0.6 0.5)) true]
[assume seen (observe (flip (if (= a b) 0.9 0.1)) true)]
[assume c (sample (flip 0.5))]
[predict a]
[predict b]
[predict (do (observe (flip (if c 0.8 0.3)) false) c)]
""")
def observe_after_the_last(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.5))
    observe(0.6 if a else 0.5)
    b = choose(flip(0.5))
    observe(0.6 if b else 0.5)
    observe(0.9 if a == b else 0.1)
    c = choose(flip(0.5))
    observe(flip_mass(0.8 if c else 0.3, False))
    return {"a": a, "b": b, "(do (observe (flip (if c 0.8 0.3)) false) c)": c}


@program("""
[assume m (mem (lambda (k)
            (let [x (sample (flip 0.5))]
              (observe (flip (if x 0.9 0.3)) true)
              x)))]
[assume a (sample (flip 0.5))]
[observe (flip (if (m (if a 0 1)) 0.2 0.7)) true]
[observe (flip (if (m 0) 0.6 0.8)) true]
[observe (flip (if (and a (m 2)) 0.9 0.4)) true]
[predict a]
[predict (m 0)]
""")
def observe_inside_mem(choose: Choose, observe: Observe) -> Predicts:
    def entry(k: int) -> bool:
        x = choose(flip(0.5))
        observe(0.9 if x else 0.3)
        return x

    m = memo(entry)
    a = choose(flip(0.5))
    observe(0.2 if m(0 if a else 1) else 0.7)
    observe(0.6 if m(0) else 0.8)
    observe(0.9 if a and m(2) else 0.4)
    return {"a": a, "(m 0)": m(0)}


@program("""
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.3 0.7)) true]
[assume b (if a
            (let [x (sample (flip 0.5))]
              (observe (normal (if x 1 0) 0.5) 0.8)
              x)
            (do (observe (flip 0.2) true) false))]
[observe (flip (if b 0.6 0.9)) true]
[assume w (when b (observe (poisson 2.0) 1))]
[observe (flip (if (= w 1) 0.5 0.4)) true]
[predict a]
[predict b]
""")
def observe_in_a_branch(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.5))
    observe(0.3 if a else 0.7)
    b = False
    if a:
        b = choose(flip(0.5))
        observe(normal_density(0.8, 1 if b else 0, 0.5))
    else:
        observe(0.2)
    observe(0.6 if b else 0.9)
    if b:
        observe(poisson_mass(2.0, 1))
    observe(0.5 if b else 0.4)
    return {"a": a, "b": b}


# --- weights that are given as numbers ---


@program("""
[assume level (sample (uniform-discrete 0 3))]
[assume cost (lambda (x) (* -0.7 (abs (- x level))))]
[factor (cost 1)]
[assume a (sample (uniform-discrete 0 3))]
[condition (not= (+ a level) 4)]
[assume b (do (factor (cost a)) (sample (uniform-discrete 0 3)))]
[factor (if (= b level) 0.4 (+ (cost b) (cost a)))]
[condition (or (< b 2) (> level 0))]
[predict level]
[predict a]
[predict b]
""")
def factors_that_depend_on_the_prefix(choose: Choose, observe: Observe) -> Predicts:
    level = choose(uniform_discrete(0, 3))

    def cost(x: int) -> float:
        return -0.7 * abs(x - level)

    observe(math.exp(cost(1)))
    a = choose(uniform_discrete(0, 3))
    observe(1.0 if a + level != 4 else 0.0)
    observe(math.exp(cost(a)))
    b = choose(uniform_discrete(0, 3))
    observe(math.exp(0.4 if b == level else cost(b) + cost(a)))
    observe(1.0 if b < 2 or level > 0 else 0.0)
    return {"level": level, "a": a, "b": b}


@program("""
[assume rain (sample (flip 0.3))]
[factor -0.1]
[assume wet (mem (lambda (k) (let [w (sample (flip (if rain 0.8 0.1)))] (condition (or w (= k 1))) w)))]
[factor (if (wet 1) 0.5 (log (if rain 0 0.5)))]
[condition (if rain (wet 0) 1)]
[predict rain]
[predict (wet 1)]
""")
def conditions_in_memo_entries(choose: Choose, observe: Observe) -> Predicts:
    rain = choose(flip(0.3))
    observe(math.exp(-0.1))

    def entry(k: int) -> bool:
        w = choose(flip(0.8 if rain else 0.1))
        observe(1.0 if w or k == 1 else 0.0)
        return w

    wet = memo(entry)
    observe(math.exp(0.5) if wet(1) else 0.0 if rain else 0.5)
    if rain:
        wet(0)
    return {"rain": rain, "(wet 1)": wet(1)}
