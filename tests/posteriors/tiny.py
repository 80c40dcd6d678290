"""Tiny programs aimed at breaking particle Gibbs with ancestor sampling, each with its exact posterior.

Every program has two or more top-level observes and discrete latents only, so that its twin can be
enumerated; each one is aimed at one way in which a suffix may be attached wrongly to a prefix.

    for name, program in TINY.items():
        evidence, marginals = enumerate_posterior(program.twin)

Labels are the source text of the predicted expressions. Conventions that the twins rely on: crp labels are
0, 1, 2, ... in order of appearance; `(polya-urn [a b])` gives indices; `(beta-flip a b)` gives booleans;
`(discrete [w ...])` gives an index; observing a process seats the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .enumeration import (
    BetaFlip,
    Choose,
    Crp,
    Observe,
    PolyaUrn,
    Predicts,
    Twin,
    binomial,
    discrete,
    enumerate_joint,
    enumerate_posterior,
    flip,
    flip_mass,
    memo,
    normal_density,
    poisson_mass,
    uniform_discrete,
)

__all__ = ["TINY", "TinyProgram", "enumerate_joint", "enumerate_posterior"]


@dataclass(frozen=True, slots=True)
class TinyProgram:
    """A program's text, and the same model as a Python function."""

    source: str
    twin: Twin


TINY: Final[dict[str, TinyProgram]] = {}


def _program(source: str) -> Callable[[Twin], Twin]:
    """Enter the decorated twin in TINY beside its source."""

    def enter(twin: Twin) -> Twin:
        TINY[twin.__name__] = TinyProgram(source.strip() + "\n", twin)
        return twin

    return enter


# --- memoised variables first touched in one generation or another ---


@_program("""
[assume m (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample (flip 0.5))]
[observe (flip (if a (if (m 0) 0.9 0.2) 0.5)) true]
[assume b (sample (flip 0.4))]
[observe (flip (if b (if (m 0) 0.7 0.1) 0.6)) true]
[observe (flip (if (m 0) 0.8 0.3)) true]
[predict a]
[predict b]
[predict (m 0)]
""")
def memo_first_touched_by_branch(choose: Choose, observe: Observe) -> Predicts:
    m = memo(lambda k: choose(flip(0.3)))
    a = choose(flip(0.5))
    observe((0.9 if m(0) else 0.2) if a else 0.5)
    b = choose(flip(0.4))
    observe((0.7 if m(0) else 0.1) if b else 0.6)
    observe(0.8 if m(0) else 0.3)
    return {"a": a, "b": b, "(m 0)": m(0)}


@_program("""
[assume z (mem (lambda (i) (sample (uniform-discrete 0 2))))]
[assume p (mem (lambda (k) (if (sample (flip 0.5)) 0.9 0.2)))]
[observe (flip (p (z 0))) true]
[observe (flip (p (z 1))) false]
[observe (flip (p (z 2))) true]
[predict (= (z 0) (z 2))]
[predict (= (z 0) (z 1))]
[predict (p 0)]
[predict (p 1)]
""")
def memo_key_is_random(choose: Choose, observe: Observe) -> Predicts:
    z = memo(lambda i: choose(uniform_discrete(0, 2)))
    p = memo(lambda k: 0.9 if choose(flip(0.5)) else 0.2)
    observe(flip_mass(p(z(0)), True))
    observe(flip_mass(p(z(1)), False))
    observe(flip_mass(p(z(2)), True))
    return {
        "(= (z 0) (z 2))": z(0) == z(2),
        "(= (z 0) (z 1))": z(0) == z(1),
        "(p 0)": p(0),
        "(p 1)": p(1),
    }


@_program("""
[assume x (mem (lambda (t) (if (< t 1)
                             0
                             (let [before (x (- t 1))]
                               (sample (discrete (if (= before 0) [0.7 0.3] [0.4 0.6])))))))]
[assume ahead (sample (flip 0.5))]
[observe (normal (x (if ahead 3 1)) 1.0) 0.8]
[observe (normal (x 2) 1.0) 1.2]
[observe (normal (x 3) 1.0) -0.3]
[predict ahead]
[predict (x 1)]
[predict (x 3)]
""")
def memo_chain_read_ahead(choose: Choose, observe: Observe) -> Predicts:
    def step(t: int) -> int:
        if t < 1:
            return 0
        before = x(t - 1)
        return choose(discrete([0.7, 0.3] if before == 0 else [0.4, 0.6]))

    x = memo(step)
    ahead = choose(flip(0.5))
    observe(normal_density(0.8, x(3 if ahead else 1), 1.0))
    observe(normal_density(1.2, x(2), 1.0))
    observe(normal_density(-0.3, x(3), 1.0))
    return {"ahead": ahead, "(x 1)": x(1), "(x 3)": x(3)}


@_program("""
[assume g (mem (lambda (k) (sample (flip 0.4))))]
[assume f (mem (lambda (k) (if (g k) (sample (flip 0.8)) false)))]
[assume direct (sample (flip 0.5))]
[observe (flip (if (if direct (g 0) (f 0)) 0.9 0.3)) true]
[observe (flip (if (f 0) 0.2 0.7)) true]
[observe (flip (if (g 1) 0.6 0.4)) false]
[predict direct]
[predict (g 0)]
[predict (f 0)]
[predict (f 1)]
""")
def memo_calls_memo(choose: Choose, observe: Observe) -> Predicts:
    g = memo(lambda k: choose(flip(0.4)))
    f = memo(lambda k: choose(flip(0.8)) if g(k) else False)
    direct = choose(flip(0.5))
    observe(0.9 if (g(0) if direct else f(0)) else 0.3)
    observe(0.2 if f(0) else 0.7)
    observe(flip_mass(0.6 if g(1) else 0.4, False))
    return {"direct": direct, "(g 0)": g(0), "(f 0)": f(0), "(f 1)": f(1)}


@_program("""
[assume row (mem (lambda (i)
              (let [bias (if (sample (flip 0.5)) 0.8 0.3)]
                (mem (lambda (j) (sample (flip bias)))))))]
[assume i (sample (uniform-discrete 0 2))]
[observe (flip (if ((row i) 0) 0.9 0.2)) true]
[observe (flip (if ((row 0) 0) 0.3 0.8)) true]
[observe (flip (if ((row 1) 1) 0.7 0.4)) true]
[predict i]
[predict ((row 0) 0)]
[predict ((row 1) 1)]
[predict ((row i) 1)]
""")
def mem_inside_mem(choose: Choose, observe: Observe) -> Predicts:
    def make_row(i: int) -> Callable[..., bool]:
        bias = 0.8 if choose(flip(0.5)) else 0.3
        return memo(lambda j: choose(flip(bias)))

    row = memo(make_row)
    i = choose(uniform_discrete(0, 2))
    observe(0.9 if row(i)(0) else 0.2)
    observe(0.3 if row(0)(0) else 0.8)
    observe(0.7 if row(1)(1) else 0.4)
    return {
        "i": i,
        "((row 0) 0)": row(0)(0),
        "((row 1) 1)": row(1)(1),
        "((row i) 1)": row(i)(1),
    }


@_program("""
[assume m (mem (lambda (k) (sample (flip 0.6))))]
[observe (flip (if (or (m 0) (m 1)) 0.5 0.9)) true]
[observe (flip (if (and (m 1) (m 2)) 0.9 0.3)) true]
[observe (flip (if (or (m 2) (m 0)) 0.4 0.8)) true]
[predict (m 0)]
[predict (m 1)]
[predict (m 2)]
""")
def memo_behind_and_or(choose: Choose, observe: Observe) -> Predicts:
    m = memo(lambda k: choose(flip(0.6)))
    observe(0.5 if m(0) or m(1) else 0.9)
    observe(0.9 if m(1) and m(2) else 0.3)
    observe(0.4 if m(2) or m(0) else 0.8)
    return {"(m 0)": m(0), "(m 1)": m(1), "(m 2)": m(2)}


@_program("""
[assume m (mem (lambda (k) (sample (flip 0.4))))]
[assume a (sample (flip 0.5))]
[observe (flip (if (m (if a 1 1.0)) 0.8 0.3)) true]
[observe (flip (if (m (if a true [1 2])) 0.2 0.7)) true]
[observe (flip (if (and (m 1) (m [1 2])) 0.9 0.4)) true]
[predict a]
[predict (m 1)]
[predict (m true)]
[predict (m [1 2.0])]
""")
def memo_keys_by_value(choose: Choose, observe: Observe) -> Predicts:
    m = memo(lambda k: choose(flip(0.4)))
    a = choose(flip(0.5))
    observe(0.8 if m(1) else 0.3)
    observe(0.2 if m(True if a else (1, 2)) else 0.7)
    observe(0.9 if m(1) and m((1, 2)) else 0.4)
    return {"a": a, "(m 1)": m(1), "(m true)": m(True), "(m [1 2.0])": m((1, 2))}


# --- control flow ---


@_program("""
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.7 0.5)) true]
[assume b (if a (sample (flip 0.2)) true)]
[observe (flip (if b 0.9 0.1)) true]
[assume c (if b true (sample (flip 0.6)))]
[observe (flip (if c 0.3 0.8)) true]
[predict a]
[predict b]
[predict c]
""")
def sample_in_one_branch(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.4))
    observe(0.7 if a else 0.5)
    b = choose(flip(0.2)) if a else True
    observe(0.9 if b else 0.1)
    c = True if b else choose(flip(0.6))
    observe(0.3 if c else 0.8)
    return {"a": a, "b": b, "c": c}


@_program("""
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.6 0.4)) true]
[assume n (if a
            (sample (discrete [0.1 0.2 0.7]))
            (sample (discrete [0.5 0.5])))]
[observe (poisson (+ n 0.5)) 1]
[assume k (if (< n 1) (sample (binomial 2 0.5)) (sample (binomial 2 0.1)))]
[observe (poisson (+ k 0.5)) 2]
[predict a]
[predict n]
[predict k]
""")
def samples_in_both_branches(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.5))
    observe(0.6 if a else 0.4)
    n = choose(discrete([0.1, 0.2, 0.7])) if a else choose(discrete([0.5, 0.5]))
    observe(poisson_mass(n + 0.5, 1))
    k = choose(binomial(2, 0.5)) if n < 1 else choose(binomial(2, 0.1))
    observe(poisson_mass(k + 0.5, 2))
    return {"a": a, "n": n, "k": k}


@_program("""
[assume grow (lambda (n) (if (< n 4) (if (sample (flip 0.5)) (grow (+ n 1)) n) n))]
[assume n1 (grow 0)]
[observe (poisson (+ n1 0.5)) 1]
[assume n2 (grow n1)]
[observe (poisson (+ n2 0.5)) 3]
[assume n3 (grow (- n2 n1))]
[observe (poisson (+ n3 0.5)) 2]
[predict n1]
[predict n2]
[predict n3]
""")
def recursion_across_observes(choose: Choose, observe: Observe) -> Predicts:
    def grow(n: int) -> int:
        return grow(n + 1) if n < 4 and choose(flip(0.5)) else n

    n1 = grow(0)
    observe(poisson_mass(n1 + 0.5, 1))
    n2 = grow(n1)
    observe(poisson_mass(n2 + 0.5, 3))
    n3 = grow(n2 - n1)
    observe(poisson_mass(n3 + 0.5, 2))
    return {"n1": n1, "n2": n2, "n3": n3}


@_program("""
[assume n (+ 1 (sample (binomial 2 0.5)))]
[observe (poisson n) 2]
[assume hits (loop [i 0 total 0]
               (if (< i n)
                 (recur (+ i 1) (+ total (if (sample (flip 0.3)) 1 0)))
                 total))]
[observe (poisson (+ hits 0.5)) 2]
[assume more (loop [i 0] (if (and (< i hits) (sample (flip 0.5))) (recur (+ i 1)) i))]
[observe (flip (if (= more hits) 0.8 0.4)) true]
[predict n]
[predict hits]
[predict more]
""")
def loop_of_random_count(choose: Choose, observe: Observe) -> Predicts:
    n = 1 + choose(binomial(2, 0.5))
    observe(poisson_mass(n, 2))
    hits = sum(1 if choose(flip(0.3)) else 0 for _ in range(n))
    observe(poisson_mass(hits + 0.5, 2))
    more = 0
    while more < hits and choose(flip(0.5)):
        more += 1
    observe(0.8 if more == hits else 0.4)
    return {"n": n, "hits": hits, "more": more}


@_program("""
[assume a (sample (flip 0.5))]
[assume pick (if a
               (lambda (p) (sample (flip p)))
               (lambda (p) (> p 0.5)))]
[observe (flip (if (pick 0.4) 0.9 0.4)) true]
[assume b (pick 0.7)]
[observe (flip (if b 0.3 0.8)) true]
[observe (flip (if (and a b) 0.7 0.2)) true]
[predict a]
[predict b]
[predict (pick 0.6)]
""")
def closure_chosen_at_random(choose: Choose, observe: Observe) -> Predicts:
    a = choose(flip(0.5))

    def pick(p: float) -> bool:
        return choose(flip(p)) if a else p > 0.5

    observe(0.9 if pick(0.4) else 0.4)
    b = pick(0.7)
    observe(0.3 if b else 0.8)
    observe(0.7 if a and b else 0.2)
    return {"a": a, "b": b, "(pick 0.6)": pick(0.6)}


@_program("""
[assume make (lambda (p) (let [bias (if (sample (flip p)) 0.8 0.1)]
                           (fn [x] (if (sample (flip bias)) (+ x 1) x))))]
[assume step (make 0.5)]
[assume x1 (step 0)]
[observe (normal x1 1.0) 0.9]
[assume x2 (step x1)]
[observe (normal x2 1.0) 0.2]
[assume x3 ((make 0.3) x2)]
[observe (normal x3 1.0) 1.7]
[predict x1]
[predict x2]
[predict x3]
""")
def closure_over_random_value(choose: Choose, observe: Observe) -> Predicts:
    def make(p: float) -> Callable[[int], int]:
        bias = 0.8 if choose(flip(p)) else 0.1
        return lambda x: x + 1 if choose(flip(bias)) else x

    step = make(0.5)
    x1 = step(0)
    observe(normal_density(0.9, x1, 1.0))
    x2 = step(x1)
    observe(normal_density(0.2, x2, 1.0))
    x3 = make(0.3)(x2)
    observe(normal_density(1.7, x3, 1.0))
    return {"x1": x1, "x2": x2, "x3": x3}


@_program("""
[assume n (sample (uniform-discrete 0 3))]
[assume xs (repeatedly n (lambda () (sample (uniform-discrete 0 2))))]
[observe (poisson (+ 0.5 (count xs))) 2]
[assume ys (filter (lambda (x) (= x 1)) xs)]
[assume zs (map (lambda (y) (sample (flip 0.3))) ys)]
[observe (normal (sum xs) 1.0) 1.0]
[observe (flip (if (= (count (filter (lambda (z) z) zs)) 0) 0.2 0.9)) true]
[predict (count xs)]
[predict (sum xs)]
[predict (count (filter (lambda (z) z) zs))]
""")
def list_of_random_length(choose: Choose, observe: Observe) -> Predicts:
    n = choose(uniform_discrete(0, 3))
    xs = [choose(uniform_discrete(0, 2)) for _ in range(n)]
    observe(poisson_mass(0.5 + len(xs), 2))
    zs = [choose(flip(0.3)) for x in xs if x == 1]
    observe(normal_density(1.0, sum(xs), 1.0))
    observe(0.2 if sum(zs) == 0 else 0.9)
    return {
        "(count xs)": len(xs),
        "(sum xs)": sum(xs),
        "(count (filter (lambda (z) z) zs))": sum(zs),
    }


# --- rescoring: what the suffix reads of the prefix ---


@_program("""
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


@_program("""
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


@_program("""
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


@_program("""
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


@_program("""
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


@_program("""
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


@_program("""
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


@_program("""
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


# --- exchangeable processes shared by prefix and suffix ---


@_program("""
[assume class-prior (crp 1.0)]
[assume class (mem (lambda (n) (sample class-prior)))]
[assume bias (mem (lambda (k) (if (sample (flip 0.5)) 0.9 0.2)))]
[observe (flip (bias (class 0))) true]
[observe (flip (bias (class 1))) true]
[observe (flip (bias (class 2))) false]
[predict (class 1)]
[predict (class 2)]
[predict (= (class 1) (class 2))]
[predict (bias 0)]
""")
def crp_indexes_memo(choose: Choose, observe: Observe) -> Predicts:
    prior = Crp(1.0)
    label = memo(lambda n: prior.sample(choose))
    bias = memo(lambda k: 0.9 if choose(flip(0.5)) else 0.2)
    observe(bias(label(0)))
    observe(bias(label(1)))
    observe(1.0 - bias(label(2)))
    return {
        "(class 1)": label(1),
        "(class 2)": label(2),
        "(= (class 1) (class 2))": label(1) == label(2),
        "(bias 0)": bias(0),
    }


@_program("""
[assume c (crp 0.7)]
[assume early (sample (flip 0.5))]
[assume x (if early (sample c) 0)]
[observe (flip (if early 0.4 0.6)) true]
[assume y (sample c)]
[observe (poisson (+ y 0.5)) 1]
[observe c 0]
[assume z (sample c)]
[observe (poisson (+ z 0.5)) 1]
[predict early]
[predict x]
[predict y]
[predict z]
""")
def crp_drawn_in_a_branch(choose: Choose, observe: Observe) -> Predicts:
    c = Crp(0.7)
    early = choose(flip(0.5))
    x = c.sample(choose) if early else 0
    observe(0.4 if early else 0.6)
    y = c.sample(choose)
    observe(poisson_mass(y + 0.5, 1))
    c.observe(observe, 0)
    z = c.sample(choose)
    observe(poisson_mass(z + 0.5, 1))
    return {"early": early, "x": x, "y": y, "z": z}


@_program("""
[assume coin (beta-flip 1.0 2.0)]
[assume a (sample coin)]
[observe (flip (if a 0.7 0.4)) true]
[assume b (if a (sample coin) false)]
[observe coin true]
[assume c (sample coin)]
[observe (flip (if (= b c) 0.8 0.3)) true]
[predict a]
[predict b]
[predict c]
[predict (sample coin)]
""")
def beta_flip_shared(choose: Choose, observe: Observe) -> Predicts:
    coin = BetaFlip(1.0, 2.0)
    a = coin.sample(choose)
    observe(0.7 if a else 0.4)
    b = coin.sample(choose) if a else False
    coin.observe(observe, True)
    c = coin.sample(choose)
    observe(0.8 if b == c else 0.3)
    return {"a": a, "b": b, "c": c, "(sample coin)": coin.sample(choose)}


@_program("""
[assume urn (polya-urn [1.0 0.5 0.5])]
[assume x (mem (lambda (t) (sample urn)))]
[observe (poisson (+ (x 1) 0.5)) 1]
[observe (poisson (+ (x (x 1)) 0.5)) 0]
[observe urn 2]
[observe (poisson (+ (x 2) 0.5)) 2]
[predict (x 0)]
[predict (x 1)]
[predict (x 2)]
""")
def polya_urn_shared(choose: Choose, observe: Observe) -> Predicts:
    urn = PolyaUrn([1.0, 0.5, 0.5])
    x = memo(lambda t: urn.sample(choose))
    observe(poisson_mass(x(1) + 0.5, 1))
    observe(poisson_mass(x(x(1)) + 0.5, 0))
    urn.observe(observe, 2)
    observe(poisson_mass(x(2) + 0.5, 2))
    return {"(x 0)": x(0), "(x 1)": x(1), "(x 2)": x(2)}


@_program("""
[assume row (mem (lambda (s) (polya-urn [0.5 0.5])))]
[assume state (mem (lambda (t) (if (< t 1) 0 (sample (row (state (- t 1)))))))]
[observe (flip (if (= (state 1) 0) 0.8 0.3)) true]
[observe (flip (if (= (state 2) 0) 0.8 0.3)) false]
[observe (flip (if (= (state 3) 0) 0.8 0.3)) false]
[predict (state 1)]
[predict (state 2)]
[predict (state 3)]
[predict (state 4)]
""")
def process_for_every_memo_key(choose: Choose, observe: Observe) -> Predicts:
    row = memo(lambda s: PolyaUrn([0.5, 0.5]))

    def step(t: int) -> int:
        if t < 1:
            return 0
        return row(state(t - 1)).sample(choose)

    state = memo(step)
    observe(0.8 if state(1) == 0 else 0.3)
    observe(0.2 if state(2) == 0 else 0.7)
    observe(0.2 if state(3) == 0 else 0.7)
    return {f"(state {t})": state(t) for t in (1, 2, 3, 4)}


@_program("""
[assume fresh (lambda () (let [c (beta-flip 1.0 1.0)] [(sample c) (sample c)]))]
[assume a (fresh)]
[observe (flip (if (= (nth a 0) (nth a 1)) 0.3 0.8)) true]
[assume b (if (nth a 0) (fresh) [true false])]
[observe (flip (if (nth b 1) 0.7 0.4)) true]
[predict (nth a 0)]
[predict (nth a 1)]
[predict (nth b 0)]
[predict (nth b 1)]
""")
def process_instance_for_every_call(choose: Choose, observe: Observe) -> Predicts:
    def fresh() -> tuple[bool, bool]:
        coin = BetaFlip(1.0, 1.0)
        return coin.sample(choose), coin.sample(choose)

    a = fresh()
    observe(0.3 if a[0] == a[1] else 0.8)
    b = fresh() if a[0] else (True, False)
    observe(0.7 if b[1] else 0.4)
    return {"(nth a 0)": a[0], "(nth a 1)": a[1], "(nth b 0)": b[0], "(nth b 1)": b[1]}


@_program("""
[assume alpha (if (sample (flip 0.4)) 0.5 2.0)]
[assume c (crp alpha 0.6)]
[assume a (sample c)]
[assume b (sample c)]
[observe (flip (if (= a b) 0.8 0.3)) true]
[assume d (if (= b 0) (sample c) 1)]
[observe c 1]
[assume e (sample c)]
[observe (flip (if (= d e) 0.3 0.7)) true]
[predict alpha]
[predict b]
[predict d]
[predict e]
""")
def crp_with_a_discount(choose: Choose, observe: Observe) -> Predicts:
    alpha = 0.5 if choose(flip(0.4)) else 2.0
    c = Crp(alpha, 0.6)
    a = c.sample(choose)
    b = c.sample(choose)
    observe(0.8 if a == b else 0.3)
    d = c.sample(choose) if b == 0 else 1
    c.observe(observe, 1)
    e = c.sample(choose)
    observe(0.3 if d == e else 0.7)
    return {"alpha": alpha, "b": b, "d": d, "e": e}


@_program("""
[assume size (sample (uniform-discrete 1 3))]
[assume shape (lambda () (let [s (sample (flip (/ size 3)))]
                           (observe (flip (if s 0.9 0.5)) true)
                           [s (sample (flip 0.5))]))]
[assume shapes (dp 0.8 shape)]
[assume early (sample (flip 0.5))]
[assume x (if early (sample shapes) [true true])]
[observe (flip (if (first x) 0.4 0.7)) true]
[assume y (sample shapes)]
[observe (flip (if (= x y) 0.8 0.3)) true]
[assume z (sample shapes)]
[observe (flip (if (second z) 0.6 0.2)) true]
[predict size]
[predict early]
[predict y]
[predict (= y z)]
""")
def dp_of_a_procedure(choose: Choose, observe: Observe) -> Predicts:
    size = choose(uniform_discrete(1, 3))
    tables = Crp(0.8)

    def base(table: int) -> tuple[bool, bool]:
        s = choose(flip(size / 3))
        observe(0.9 if s else 0.5)
        return s, choose(flip(0.5))

    atoms = memo(base)
    early = choose(flip(0.5))
    x = atoms(tables.sample(choose)) if early else (True, True)
    observe(0.4 if x[0] else 0.7)
    y = atoms(tables.sample(choose))
    observe(0.8 if x == y else 0.3)
    z = atoms(tables.sample(choose))
    observe(0.6 if z[1] else 0.2)
    return {"size": size, "early": early, "y": y, "(= y z)": y == z}


# --- weights that are given as numbers ---


@_program("""
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


@_program("""
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


# --- statement loops ---


@_program("""
[assume stay (if (sample (flip 0.5)) 0.8 0.4)]
[assume x (mem (lambda (t) (if (< t 1)
                             true
                             (if (sample (flip stay)) (x (- t 1)) (not (x (- t 1)))))))]
[for [t (range 1 5)]
  [observe (normal (if (x t) 1 -1) 1.0) (nth [0.0 0.7 -0.9 -1.1 0.4] t)]]
[predict stay]
[predict (x 1)]
[predict (x 4)]
""")
def statement_loop_over_memo(choose: Choose, observe: Observe) -> Predicts:
    stay = 0.8 if choose(flip(0.5)) else 0.4

    def step(t: int) -> bool:
        if t < 1:
            return True
        return x(t - 1) if choose(flip(stay)) else not x(t - 1)

    x = memo(step)
    for t in range(1, 5):
        observe(normal_density([0.0, 0.7, -0.9, -1.1, 0.4][t], 1 if x(t) else -1, 1.0))
    return {"stay": stay, "(x 1)": x(1), "(x 4)": x(4)}


def _labels() -> dict[str, set[str]]:
    """Name to predict labels, from the sources: what the twins must return."""
    labels: dict[str, set[str]] = {}
    for name, program in TINY.items():
        lines = [line for line in program.source.splitlines() if line.startswith("[predict ")]
        labels[name] = {" ".join(line.removeprefix("[predict ").removesuffix("]").split()) for line in lines}
    return labels


LABELS: Final = _labels()
