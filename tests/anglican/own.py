"""Programs with distributions and processes of their own, and with names as Clojure has them; with exact answers."""

from __future__ import annotations

from fractions import Fraction as F
from math import comb
from typing import Final

from .programs import Finite, coin, weighed


def _coins(n: int, p: F) -> F:
    """P(n heads of two)."""
    return comb(2, n) * p**n * (1 - p) ** (2 - n)


OWN: Final = [
    tuple(
        _coins(x, F(1, 2)) * _coins(x, F(1, 4)) * 3**k * (p if k else _coins(1, p)) ** 2
        for k, p in ((0, F(x + 1, 4)), (1, F(x + 1, 4)))
    )
    for x in range(3)
]
"""The weights of the two kinds of distribution, for each number of heads."""

PROGRAMS: Final = {
    "distributions of one's own": Finite(
        """
        (ns own (:use [anglican core emit runtime]))
        (defdist same "All mass at x." [x] []
          (sample* [this] x)
          (observe* [this value] (if (= x value) 0.0 (- (/ 1.0 0.0)))))
        (defdist factor [] [] (sample* [this] nil) (observe* [this value] value))
        (defdist coins "How many of two are heads." [p] [one (flip p)]
          (sample [this] (+ (if (sample one) 1 0) (if (sample one) 1 0)))
          (observe [this n] (+ (* n (observe one true)) (* (- 2 n) (observe one false)) (if (= n 1) (log 2) 0))))
        (with-primitive-procedures [same coins]
          (defquery counted []
            (let [x (sample (coins 1/2))
                  ds [(coins (/ (+ x 1) 4)) (bernoulli (/ (+ x 1) 4))]
                  k (sample (uniform-discrete 0 2))
                  x' (-> (nth ds k) sample)]
              (observe (coins 1/4) x)
              (observe (nth ds k) 1)
              (observe (factor) (* k (log 3)))
              (observe (same x') 1)
              {:x x :k k
               :logs (= (observe* (nth ds 0) x) (log-sum-exp (observe* (coins (/ (+ x 1) 4)) x) (/ -1. 0.)))})))
        """,
        {
            ":x": dict(zip((0, 1, 2), weighed(*[a + b for a, b in OWN]))),
            ":k": dict(zip((0, 1), weighed(sum(a for a, _ in OWN), sum(b for _, b in OWN)))),
            ":logs": {True: F(1)},
        },
    ),
    "processes of one's own": Finite(
        """
        (defproc urn "Balls that are put back twice." [black] [white 1 drawn 0]
          (produce [this] (flip (/ black (+ black white))))
          (absorb [this x] (if x (urn (+ black 1) white (+ drawn 1)) (urn black (+ white 1) (+ drawn 1)))))
        (defproc stack [depth] (produce [this] (uniform-discrete 0 depth)) (absorb [this x] (stack (+ x 1))))
        (defquery balls []
          (let [x (sample (produce (absorb (urn 2) true)))
                y (sample (produce (absorb (stack 2) 1)))]
            (observe (produce (absorb (urn 1) x)) true)
            (observe (produce (absorb (stack 9) y)) 0)
            {:x x :y y}))
        """,
        {":x": coin(weighed(F(3, 4) * F(2, 3), F(1, 4) * F(1, 3))[0]), ":y": dict(zip((0, 1), weighed(F(1), F(1, 2))))},
    ),
    "a parameter without brackets": Finite(
        """
        (defquery inner N "The text may stand behind it." (sample (uniform-discrete 0 N)))
        (defquery outer [] (let [n (sample ((conditional inner) 3))] (println "n is" n) (condition (> n 0)) (+' n 1)))
        """,
        {"outer": {2: F(1, 2), 3: F(1, 2)}},
    ),
    "a process as the base of DPmem": Finite(
        """
        [assume states (crp 1.0)]
        [assume next-state (mem (lambda (symbol) (DPmem 1.0 states)))]
        [assume a ((next-state 'x))]
        [assume b ((next-state 'y))]
        [predict (= a b)]
        """,
        {"(= a b)": coin(F(1, 2))},
    ),
    "parameters that have the names of definitions, and what the file asks with": Finite(
        """
        (ns asked)
        (defm tilted [x] (if x p (- 1 p)))
        (def p 3/4)
        (def heads [true true])
        (defquery seen [p heads]
          (let [x (sample (flip p))]
            (doseq [head heads] (observe (flip (tilted x)) head))
            {:x x :both [p (tilted true)]}))
        (def samples (->> (doquery :smc seen [(/ p 3) (take 1 heads)] :number-of-particles 100) (take 10)))
        """,
        {":x": coin(F(1, 4) * F(3, 4) / (F(1, 4) * F(3, 4) + F(3, 4) * F(1, 4))), ":both": {(0.25, 0.75): F(1)}},
    ),
    "queries that a let or a def names": Finite(
        """
        (ns held)
        (def outer-one (query [p] (let [x (sample (flip p))] (observe (flip (if x 3/4 1/4)) true) x)))
        (defquery asking []
          (let [inner (query one [p] (let [x (sample (flip p))] (observe (flip (if x 0.9 0.1)) true) x))
                belief (conditional inner)
                a (sample (belief 0.5))
                b (sample ((conditional outer-one :enumerate) 0.5))]
            (observe (flip (if (= a b) 1 0)) true)
            {:a a}))
        """,
        {":a": coin(F(9, 10) * F(3, 4) / (F(9, 10) * F(3, 4) + F(1, 10) * F(1, 4)))},
    ),
    "a for over the entries of a map": Finite(
        """
        [assume x (sample (flip 1/4))]
        [for [[k y] {:a true :b true}] [observe (flip (if x 3/4 1/4)) y]]
        [predict x]
        """,
        {"x": coin(F(1, 4) * F(9, 16) / (F(1, 4) * F(9, 16) + F(3, 4) * F(1, 16)))},
    ),
}
