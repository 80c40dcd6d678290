"""Memoised variables first touched in one generation or another."""

from __future__ import annotations

from collections.abc import Callable
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
    uniform_discrete,
)
from tests.posteriors.tiny.program import Programs, entered_in

PROGRAMS: Final[Programs] = {}
program = entered_in(PROGRAMS)


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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
