"""Exchangeable processes that prefix and suffix share, and loops over statements."""

from __future__ import annotations

from typing import Final

from tests.posteriors.enumeration import (
    BetaFlip,
    Choose,
    Crp,
    Observe,
    PolyaUrn,
    Predicts,
    flip,
    memo,
    normal_density,
    poisson_mass,
    uniform_discrete,
)
from tests.posteriors.tiny.program import Programs, entered_in

PROGRAMS: Final[Programs] = {}
program = entered_in(PROGRAMS)

# --- exchangeable processes shared by prefix and suffix ---


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


@program("""
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


# --- statement loops ---


@program("""
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
