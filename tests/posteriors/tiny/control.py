"""Control flow that differs between executions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.posteriors.enumeration import (
    Choose,
    Observe,
    Predicts,
    binomial,
    discrete,
    flip,
    normal_density,
    poisson_mass,
    uniform_discrete,
)
from tests.posteriors.tiny.program import Programs, entered_in

PROGRAMS: Final[Programs] = {}
program = entered_in(PROGRAMS)


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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
