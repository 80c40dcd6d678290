"""A row for each word of programs that were written for other systems, and for what they are made of."""

from __future__ import annotations

from math import exp
from typing import Final

from .rows import Row

DRAWN: Final = "a (sample (uniform-discrete 0 3)) b (sample (flip 0.3))"

PROGRAMS: Final[dict[str, Row]] = {
    "defquery": Row(
        f"(defm weigh [a b] (if b (* 2 a) 1))\n"
        f"(defquery q [k] (let [{DRAWN}] (observe (flip (/ k 5)) b) (factor (- (weigh a b))) a))\n(doquery :smc q [2])",
        lambda a, b: [((0.4 if b else 0.6) * exp(-(2 * a if b else 1)), a)],
        whole=True,
    ),
    "doquery": Row(
        f"(defquery q [k] (let [{DRAWN}] (observe (flip k) b) a))\n(def s (take 3 (doquery :lmh q [0.25])))",
        lambda a, b: [(0.25 if b else 0.75, a)],
        whole=True,
    ),
    "ns": Row(
        f"(ns x.y (:require [clojure.core.matrix :as m]) (:use [anglican core emit runtime]))\n"
        f"(defquery q (let [{DRAWN}] (condition (or b (> a 0))) (m/mget (m/mmul [[1 2] [3 4]] [a 1]) (if b 0 1))))",
        lambda a, b: [(float(b or a > 0), a + 2 if b else 3 * a + 4)],
        whole=True,
    ),
    "defanglican": Row(
        "(defanglican q [assume a (sample (uniform-discrete 0 3))] [assume b (sample (flip 0.3))]"
        " [observe (flip (if b 0.9 0.2)) true] [predict a])",
        lambda a, b: [(0.9 if b else 0.2, a)],
        whole=True,
    ),
    "defun": Row(
        f"(defun f (x y) (+ x (* 10 y)))\n"
        f"(defquery q (let [{DRAWN}] (observe (flip (if b 0.9 0.2)) true) (f a (if b 1 0))))",
        lambda a, b: [(0.9 if b else 0.2, a + 10 * b)],
        whole=True,
    ),
    "defn-": Row("(defn- f [x] (* 2 x))\n[assume v (if b (f a) 1)]", lambda a, b: 2 * a if b else 1),
    "Math/exp": Row("(* (Math/abs (- a 3)) (Math/exp (if b 0 -1)))", lambda a, b: abs(a - 3) * exp(0 if b else -1)),
    "defdist": Row(
        "(defdist odd [p] [d (binomial 2 p)] (sample* [this] (+ 1 (* 2 (sample* d))))"
        " (observe* [this x] (observe* d (/ (- x 1) 2))))\n"
        "[observe (odd (if b 0.5 0.1)) (+ 1 (* 2 a))]\n[assume v (sample (odd 0.5))]",
        lambda a, b: [
            (p * ((0.25, 0.5, 0.25) if b else (0.81, 0.18, 0.01))[a], x) for p, x in ((0.25, 1), (0.5, 3), (0.25, 5))
        ],
    ),
    "defproc": Row(
        "(defproc urn [t] [f 1] (produce [this] (flip (/ t (+ t f))))"
        " (absorb [this x] (if x (urn (+ t 1) f) (urn t (+ f 1)))))\n"
        "[assume u (absorb (urn (+ a 1)) b)]\n[observe (produce u) true]\n[assume v a]",
        lambda a, b: [((a + 1 + b) / (a + 3), a)],
    ),
    "produce": Row(
        "[assume r (absorb (absorb (CRP 0.5) 0) (if b 1 0))]\n[assume v (+ a (* 3 (sample (produce r))))]",
        lambda a, b: [(1 / 2.5, a), (1 / 2.5, a + 3), (0.5 / 2.5, a + 6)] if b else [(0.8, a), (0.2, a + 3)],
    ),
    "CRP": Row(
        "(exp (logpdf (produce (absorb (CRP (+ a 1)) 0)) (if b 0 1)))", lambda a, b: (1 if b else a + 1) / (a + 2)
    ),
    "GP": Row(
        "(let [f (absorb (GP (fn [x] 0.0) (fn [x y] (if (= x y) 2.0 1.0))) [a 1.0])]"
        " (* (if b 2 1) (sample ((produce f) a))))",
        lambda a, b: 2.0 if b else 1.0,
    ),
    "DPmem": Row(
        "(let [f (DPmem 0.5 (fn [k] (+ k (sample (uniform-discrete 0 2)))))] (+ (f a) (* 10 (f a))))",
        lambda a, b: (
            [(1 / 1.5 / 2, 11 * (a + x)) for x in (0, 1)]
            + [(0.5 / 1.5 / 4, a + x + 10 * (a + y)) for x in (0, 1) for y in (0, 1)]
        ),
    ),
    "assumed twice": Row(
        "[assume x a]\n[assume f (fn [y] (+ x y))]\n[assume x (if b (+ x 5) 0)]\n[assume v (+ x (f 10))]",
        lambda a, b: (a + 5 if b else 0) + a + 10,
    ),
    "bare expression": Row(
        "(define (see n) (if (> n 0) (do (observe (flip (if b 0.8 0.3)) true) (see (- n 1))) n))\n(see (+ a 1))\n"
        "[assume v a]",
        lambda a, b: [((0.8 if b else 0.3) ** (a + 1), a)],
    ),
    "a program that is an expression": Row(
        f"(let [{DRAWN}] (observe (flip (if b 0.9 0.2)) true) (+ a (if b 10 0)))",
        lambda a, b: [(0.9 if b else 0.2, a + 10 * b)],
        whole=True,
    ),
    "inner define": Row(
        "(define (g x)\n  (define y (+ x 1))\n  (defn h [z] (* y z))\n  (h 3))\n[assume v (if b (g a) 0)]",
        lambda a, b: 3 * (a + 1) if b else 0,
    ),
    "conditional": Row(
        "(sample (conditional (fn [] (let [x (sample (uniform-discrete 0 3)) y (sample (flip 0.5))]"
        " (condition (or y (= x a))) (if b x (- x))))))",
        lambda a, b: [((0.5 if x == a else 0.25), x if b else -x) for x in range(3)],
    ),
    "query": Row(
        "(defquery inner [k] (let [x (sample (uniform-discrete 0 3))] (condition (>= x k)) x))\n"
        f"(defquery outer (let [{DRAWN} c (sample ((conditional inner) a))] (condition (= c 2)) (+ a (* 10 c))))",
        lambda a, b: [(1 / (3 - a), a + 20)],
        whole=True,
    ),
    "print": Row('(+ a (print "b" (if b 5 0)))', lambda a, b: a + 5 * b),
    "for over a map": Row(
        "[for [[k n] {true 2 false 1}] [observe (binomial 3 (if b 0.5 0.2)) n]]\n[assume v (if b a 3)]",
        lambda a, b: [(9 / 64 if b else 0.096 * 0.384, a if b else 3)],
    ),
    "a list of pairs as data": Row(
        "[for [{:keys [n k]} [{:n 1 :k 1} {:n 2 :k 0}]] [observe (binomial n (/ (+ a 1) 4)) k]]\n[assume v a]",
        lambda a, b: [((a + 1) / 4 * ((3 - a) / 4) ** 2, a)],
    ),
}
