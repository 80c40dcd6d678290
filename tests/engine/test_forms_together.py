"""Forms that people bring, several in one program: three evaluators have one law, lmh leaves it invariant, and machine
code does the sweeps of lanes. All programs are finite, and nothing here is left to chance."""

from __future__ import annotations

import pytest
from tests.general.test_engines import METHODS, assert_same, by_both

from pplc_runtime.running import general

from .test_lmh import bias
from .test_places import agree, check_laws

PROGRAMS = {
    "weights in a memo, by a table": """
        [assume tables (crp 1.5)]
        [assume table (mem (fn [i] (sample tables)))]
        [assume good (mem (fn [k] (let [g (sample (flip 0.4))] (factor (if g 0.7 -0.2)) g)))]
        [condition (or (good (table 0)) (good (table 1)))]
        [predict (good (table 0))] [predict (= (table 0) (table 1))]""",
    "conditions in branches": """
        [assume a (sample (uniform-discrete 0 4))]
        [assume b (if (even? a)
                    (let [x (sample (flip 0.3))] (condition (or x (= a 2))) (if x 1 0))
                    (do (factor (* -0.5 a)) (sample (uniform-discrete 0 3))))]
        [factor (- (abs (- b 1.3)))]
        [predict a] [predict b]""",
    "numbers of arguments": """
        [assume f (fn ([] (if (sample (flip 0.2)) 1 0)) ([a] (+ a (f))) ([a b & more] (+ a b (count more) (f))))]
        [assume n (sample (uniform-discrete 0 4))]
        [assume v (apply f (repeat n 1))]
        [factor (- (abs (- v 2)))]
        [predict n] [predict v]""",
    "comprehensions": """
        [assume n (sample (uniform-discrete 1 4))]
        [assume xs (for [i (range n) :let [p (/ (+ i 1) 4)] :when (sample (flip p)) j (range 2) :while (< j n)]
                     (do (factor (* -0.1 j)) (+ (* 10 i) j)))]
        [observe (flip (/ (count xs) 8)) true]
        [predict n] [predict (reduce + 0 xs)]""",
    "who reasons of whom": """
        [assume heard (fn [u] (conditional (fn []
          (let [s (sample (uniform-discrete 0 3))] (condition (if (= u 0) (>= s 1) (= s 2))) s))))]
        [assume said (fn [s] (conditional (fn [] (let [u (sample (uniform-discrete 0 2))] (observe (heard u) s) u))))]
        [assume alpha (if (sample (flip 0.3)) 1 2)]
        [assume s (sample (discrete [1 2 3]))]
        [condition (> s 0)]
        [factor (* alpha (logpdf (said s) 0))]
        [predict s] [predict alpha]""",
    "loops for what they observe": """
        [assume p (if (sample (flip 0.5)) 0.3 0.8)]
        [assume n (sample (uniform-discrete 1 4))]
        [assume seen (do (doseq [i (range n) :when (odd? i)] (observe (flip p) true))
                         (dotimes [j n] (factor (* -0.3 j)))
                         n)]
        [predict p] [predict seen]""",
    "tests that bind": """
        [assume m (if (sample (flip 0.4)) {:a (sample (uniform-discrete 0 3))} {})]
        [assume v (if-let [x (:a m)] (+ 1 x) (condp = (sample (uniform-discrete 0 2)) 0 10 1 20))]
        [factor (* -0.5 (case v (1 2) 1 3 2 10 3 0))]
        [predict v] [predict (count m)]""",
    "patterns": """
        (defn make [& {:keys [p n] :or {p 0.5 n 2}}] {:k (sample (binomial n p)) :pair [n p]})
        [assume {:keys [k] [n q] :pair} (make :n (sample (uniform-discrete 1 3)))]
        [assume [a {b :k} & more] [1 (make :p 0.25) (make :n 1)]]
        [factor (- (abs (- 3 (+ k b (count more)))))]
        [predict k] [predict n] [predict b] [predict "m" (:k (first more))]""",
    "threads": """
        [assume t (-> (sample (uniform-discrete 0 4)) (- 1) (* 2))]
        [assume u (->> (range 3) (map #(+ % (sample (uniform-discrete 0 2)))) (filter even?) count)]
        [assume w (as-> t x (+ x u) (if (> x 2) (do (factor -0.4) x) x))]
        [observe (flip (/ (+ w 3) 16)) true]
        [predict t] [predict u]""",
    "impossible entries of a memo": """
        [assume f (mem (fn [i]
          (let [x (sample (uniform-discrete 0 3))] (factor (if (= x i) (/ -1.0 0.0) (* 0.2 x))) x)))]
        [assume i (sample (uniform-discrete 0 3))]
        [assume j (sample (uniform-discrete 0 3))]
        [factor (- (abs (- 2 (+ (f i) (f j)))))]
        [predict i] [predict (= (f i) (f j))]""",
    "a name of many meanings": """
        [assume x (sample (uniform-discrete 0 3))]
        [observe (flip (/ (+ x 1) 4)) true]
        [assume g (fn [y] (+ x y))]
        [assume x (+ x (sample (uniform-discrete 0 2)))]
        [condition (< x 3)]
        [assume x (g x)]
        [observe (flip (/ 1 (+ 1 x))) true]
        [predict x] [predict (g 0)]""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_law(name: str) -> None:
    check_laws(PROGRAMS[name])
    agree(PROGRAMS[name])
    assert bias(PROGRAMS[name]) < 1e-12


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_sweep(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "LEAST_WORK", 0)
    for method in METHODS:
        assert_same(*by_both(PROGRAMS[name], method, monkeypatch, particles=24, sweeps=4))
