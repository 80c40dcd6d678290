"""Programs in the styles of the paper's own system, old and new, with exact answers.

Old ones are bodies of statements: bare expressions, inner defines, names assumed again. New ones are files of
queries. An answer is the law of the predicts, by label; it is worked out by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any, Final


@dataclass(frozen=True)
class Finite:
    """A program of finitely many executions, and the probability of each value of its predicts."""

    text: str
    answers: dict[str, dict[Any, F]]
    query: str | None = None


def coin(p: F) -> dict[Any, F]:
    return {True: p, False: 1 - p}


def weighed(*weights: F) -> list[F]:
    return [weight / sum(weights) for weight in weights]


def _hmm(data: list[bool]) -> F:
    """P(the last state is 1) of the chain that starts at 0 or 1 alike, stays with 3/4, and shows itself with 4/5."""
    alpha = [F(1, 2), F(1, 2)]
    for n, y in enumerate(data):
        if n:
            alpha = [F(3, 4) * alpha[s] + F(1, 4) * alpha[1 - s] for s in (0, 1)]
        alpha = [alpha[s] * (F(4, 5) if y == bool(s) else F(1, 5)) for s in (0, 1)]
    return alpha[1] / sum(alpha)


HMM: Final = _hmm([True, False, True])
FINITE: Final = {
    "bare expressions": Finite(
        """
        (define bias (if (sample (flip 0.5)) 0.8 0.2))
        (define (see outcome) (observe (flip bias) outcome))
        (see true)
        (map see '(true false))
        ((lambda (x) (see x)) true)
        (+ 1 2)
        (predict (> bias 0.5))
        """,
        {"(> bias 0.5)": coin(weighed(F(4, 5) ** 3 / 5, F(1, 5) ** 3 * 4 / 5)[0])},
    ),
    "a bare let with statements inside": Finite(
        """
        (let [rain (sample (flip 0.25))
              wet (sample (flip (if rain 0.9 0.1)))]
          (observe (flip (if wet 0.5 0.1)) true)
          (predict "rain" rain))
        """,
        {"rain": coin(weighed(F(1, 4) * (F(9, 20) + F(1, 100)), F(3, 4) * (F(1, 20) + F(9, 100)))[0])},
    ),
    "inner defines": Finite(
        """
        [assume flips (lambda (n)
          (define (go i total)
            (define next (if (sample (flip 0.5)) (+ total 1) total))
            (if (= i 1) next (go (- i 1) next)))
          (go n 0))]
        [assume total (flips 3)]
        [observe (flip (/ total 3)) true]
        [predict total]
        """,
        {"total": dict(zip((1, 2, 3), weighed(F(3, 8) / 3, F(3, 8) * 2 / 3, F(1, 8))))},
    ),
    "a name assumed twice": Finite(
        """
        [assume x (sample (flip 0.5))]
        [observe (flip (if x 0.75 0.25)) true]
        [assume former (lambda () x)]
        [assume x (if x (sample (flip 0.9)) false)]
        [observe (flip (if x 0.5 1.0)) true]
        [predict x]
        [predict (former)]
        """,
        {
            "x": coin(weighed(F(3, 4) * F(9, 10) / 2, F(3, 4) / 10 + F(1, 4))[0]),
            "(former)": coin(weighed(F(3, 4) * (F(9, 20) + F(1, 10)), F(1, 4))[0]),
        },
    ),
    "Scheme's forms": Finite(
        """
        [assume total (lambda xs (cond ((empty? xs) 0) (else (+ (first xs) (apply total (rest xs))))))]
        [assume roll (lambda () (begin (let ((a (sample (uniform-discrete 1 3))) (b 1)) (+ a b))))]
        [assume s (total (roll) (roll))]
        [observe (flip (case s (4 5) 0.5 1.0)) true]
        [predict s]
        """,
        {"s": dict(zip((4, 5, 6), weighed(F(1, 8), F(2, 8), F(1, 4))))},
    ),
    "sample*": Finite(
        "[assume x (sample* (flip 0.25))] [observe (flip (if x 0.9 0.3)) true] [predict x]",
        {"x": coin(F(1, 2))},
    ),
    "DPmem": Finite(
        """
        [assume colour (DPmem 3.0 (lambda (kind) (sample (flip 0.5))))]
        [predict (= (colour 'a) (colour 'a))]
        [predict (= (colour 'a) (colour 'b))]
        """,
        {
            "(= (colour 'a) (colour 'a))": coin(F(1, 4) + F(3, 4) / 2),
            "(= (colour 'a) (colour 'b))": coin(F(1, 2)),
        },
    ),
    "CRP, produce and absorb": Finite(
        """
        [assume seat (fn [restaurant n]
          (if (= n 0) '()
              (let [table (sample (produce restaurant))]
                (cons table (seat (absorb restaurant table) (- n 1))))))]
        [predict "tables" (count (distinct (seat (CRP 2.0) 3)))]
        """,
        {"tables": {1: F(1, 3) * F(2, 4), 2: F(1, 3) * F(2, 4) + F(2, 3) * F(2, 4), 3: F(2, 3) * F(2, 4)}},
    ),
    "a process of one's own": Finite(
        """
        [assume urn (fn [black white]
          (fn ([] (flip (/ black (+ black white))))
              ([x] (if x (urn (+ black 1) white) (urn black (+ white 1))))))]
        (define once (absorb (urn 1 1) true))
        [assume x (sample (produce once))]
        [observe (produce (absorb once x)) true]
        [predict x]
        """,
        {"x": coin(weighed(F(2, 3) * F(3, 4), F(1, 3) * F(2, 4))[0])},
    ),
    "a query": Finite(
        """
        (ns sprinkler (:use [anglican core emit runtime]))
        (defquery lawn
          "Is it the rain?"
          []
          (let [cloudy (sample (flip 0.5))
                rain (sample (flip (if cloudy 0.75 0.25)))]
            (observe (flip (if rain 0.8 0.2)) true)
            {:rain rain :clear (not cloudy)}))
        """,
        {":rain": coin(F(4, 5)), ":clear": coin(weighed(F(1, 4) * 4 + F(3, 4), F(3, 4) * 4 + F(1, 4))[0])},
    ),
    "observes in a loop": Finite(
        """
        (def data [true false true])
        (defquery hmm []
          (loop [[y & ys] data state (sample (flip 0.5))]
            (observe (flip (if state 0.8 0.2)) y)
            (if (empty? ys)
              state
              (recur ys (sample (flip (if state 0.75 0.25)))))))
        """,
        {"hmm": coin(HMM)},
    ),
    "observes in a recursion": Finite(
        """
        (defm walk [state ys]
          (if (empty? ys)
            state
            (let [state (sample (flip (if state 3/4 1/4)))]
              (observe (flip (if state 0.8 0.2)) (first ys))
              (walk state (rest ys)))))
        (defquery hmm []
          (let [start (sample (flip 0.5))]
            (observe (flip (if start 0.8 0.2)) true)
            (predict :last (walk start [false true]))))
        """,
        {":last": coin(HMM)},
    ),
    "observes in a reduce": Finite(
        """
        (defquery hmm []
          (reduce (fn [states y]
                    (let [state (sample (if (empty? states) (flip 0.5) (flip (if (peek states) 0.75 0.25))))]
                      (observe (flip (if state 0.8 0.2)) y)
                      (conj states state)))
                  [] [true false true]))
        (defquery last-of-hmm []
          (-> (reduce (fn [states y]
                        (let [state (sample (if (empty? states) (flip 0.5) (flip (if (peek states) 0.75 0.25))))]
                          (observe (flip (if state 0.8 0.2)) y)
                          (conj states state)))
                      [] [true false true])
              peek))
        """,
        {"last-of-hmm": coin(HMM)},
        "last-of-hmm",
    ),
    "a doseq over data, and one over draws": Finite(
        """
        (with-primitive-procedures [rand-nth]
          (def throws '(true true false))
          (defquery coins []
            (let [fair (sample (flip 0.5))
                  n (sample (uniform-discrete 1 3))
                  p (if fair 0.5 0.75)]
              (doseq [x throws] (observe (flip p) x))
              (doseq [i (range n)] (observe (flip p) true))
              (predict :fair fair)
              (predict :n n))))
        """,
        {
            ":fair": coin(weighed(F(1, 8) * (F(1, 2) + F(1, 4)), F(9, 64) * (F(3, 4) + F(9, 16)))[0]),
            ":n": dict(zip((1, 2), weighed(F(1, 8) / 2 + F(9, 64) * F(3, 4), F(1, 8) / 4 + F(9, 64) * F(9, 16)))),
        },
    ),
    "what a query does not need": Finite(
        """
        (ns worksheet (:require [gorilla-plot.core :as plot]))
        (defdist strange [a] [] (sample* [this] (rand a)) (observe* [this v] 0))
        (defmacro twice [x] `(do ~x ~@xs))
        (def letters [\\a \\( \\newline #{1 2} #"[a-z]\\d+" 0xFF @state #'weight])
        (def weight (Math/pow 2 -1))
        (defn unless-zero "No division by zero." ([x] (unless-zero x 1)) ([x y] (if (= x 0) y (/ 1 x))))
        (defquery chosen [] (let [{:keys [p]} {:p weight}] (-> (flip p) sample)))
        (defquery other [] (let [x (sample (strange 1))] (predict :x x)))
        (def samples (doquery :smc chosen [] :number-of-particles 100))
        (plot/histogram (map :x (take 100 samples)))
        """,
        {"chosen": coin(F(1, 2))},
        "chosen",
    ),
    "a query without parameters": Finite(
        """
        (use 'nstools.ns)
        (defquery coin (observe (flip 3/4) true) (predict :x (sample (flip 1/4))))
        """,
        {":x": coin(F(1, 4))},
    ),
    "queries inside of queries": Finite(
        """
        (defquery inner [a]
          (let [c (sample (uniform-discrete 0 4))]
            (condition (> (+ a c) 2))
            (predict :c c)))
        (defquery outer []
          (let [a (sample (uniform-discrete 0 4))
                b (:c (sample ((conditional inner) a)))]
            (condition (= (+ a b) 4))
            a))
        """,
        {"outer": dict(zip((1, 2, 3), weighed(F(1, 2), F(1, 3), F(1, 4))))},
    ),
    "queries without names": Finite(
        """
        (declare bob)
        (defm amy [depth]
          (sample ((conditional (query [d] (let [x (sample (flip 0.6))] (observe (bob d) x) x))) depth)))
        (defm bob [depth] (flip (if (> depth 0) 0.9 0.6)))
        (defquery meets [] (let [there (amy 0)] (observe (bob 1) there) there))
        """,
        {"meets": coin(weighed(F(36, 52) * F(9, 10), F(16, 52) * F(1, 10))[0])},
    ),
    "names of other namespaces": Finite(
        """
        (ns model
          (:require [clojure.core.matrix :as m :refer [add]] [anglican.stat :as stat])
          (:use [anglican core emit runtime]))
        (def rows (m/matrix [[1 2] [3 4]]))
        (defquery dice []
          (let [x (sample (uniform-discrete 0 2))
                sums (m/mmul rows (m/add [1 x] (m/zero-vector 2)))]
            (observe (flip (/ (m/mget sums 0) 4)) true)
            (doall (map (fn [y] (observe (flip (/ y 8)) true)) sums))
            (m/esum sums)))
        """,
        {"dice": dict(zip((4, 10), weighed(F(1, 4) * F(1, 8) * F(3, 8), F(3, 4) * F(3, 8) * F(7, 8))))},
    ),
    "an expression alone": Finite(
        """
        (defn until-success [p n] (if (< n 2) (if (sample (flip p)) n (until-success p (+ n 1))) n))
        (let [p 1/2 n (until-success p 0)]
          (observe (flip (/ (+ n 1) 4)) true)
          n)
        """,
        {"result": dict(zip((0, 1, 2), weighed(F(1, 2) * 1, F(1, 4) * 2, F(1, 4) * 3)))},
    ),
    "the textbook's foreach": Finite(
        """
        (let [shares [0.25 0.75 0.5]
              zs (foreach 2 [p shares y [true false true]]
                   (let [z (sample (flip p))]
                     (observe (flip (if z 0.9 0.3)) y)
                     z))
              more (foreach 2 [] (sample (flip 0.5)))]
          (observe (flip (if (= (get more 0) (get more 1)) 1.0 0.5)) true)
          {:zs zs :same (= (get more 0) (get more 1))})
        """,
        {
            ":zs": {
                (a, b): weighed(F(1, 4) * F(9, 10), F(3, 4) * F(3, 10))[not a]
                * weighed(F(3, 4) * F(1, 10), F(1, 4) * F(7, 10))[not b]
                for a in (True, False)
                for b in (True, False)
            },
            ":same": coin(F(2, 3)),
        },
    ),
    "the textbook's loop": Finite(
        """
        (defn step [turn state stays]
          (let [next-state (sample (flip (if state stays (- 1 stays))))]
            (observe (flip (if next-state 0.8 0.2)) (= turn 1))
            next-state))
        (let [start (sample (flip 0.5))]
          (observe (flip (if start 0.8 0.2)) true)
          (loop 2 start step 0.75))
        """,
        {"result": coin(HMM)},
    ),
    "a file of old bodies": Finite(
        """
        (ns old.hmm (:use [embang emit runtime]))
        (defun stays (state) (if state 3/4 1/4))
        (with-primitive-procedures [join]
          (defanglican hmm
            "A chain, and a procedure that calls itself by the name that let gives it."
            [assume state (mem (lambda (t) (sample (flip (if (<= t 0) 0.5 (stays (state (- t 1))))))))]
            (let ((observes (lambda (t ys)
                              (if (not (empty? ys))
                                (begin
                                  (observe (flip (if (state t) 0.8 0.2)) (first ys))
                                  (observes (+ t 1) (rest ys)))))))
              (observes 0 '(true false true)))
            (predict (state 2)))
          (defanglican other [assume x 1] [predict x]))
        """,
        {"(state 2)": coin(HMM)},
        "hmm",
    ),
    "let names what calls itself": Finite(
        """
        [assume draw (fn [p] (let [go (fn [n] (if (or (> n 1) (sample (flip p))) n (go (+ n 1))))] (go 0)))]
        [assume n (draw 1/2)]
        [observe (flip (/ (+ n 1) 4)) true]
        [predict n]
        [predict "outer" (let [inc (fn [k] (inc k))] (inc 1))]
        """,
        {"n": dict(zip((0, 1, 2), weighed(F(1, 2) * 1, F(1, 4) * 2, F(1, 4) * 3))), "outer": {2: F(1)}},
    ),
}
