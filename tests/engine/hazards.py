"""Programs of few executions in which one run can hardly continue another: entries that are there already, recursion to
a random depth, processes in other states, conditions in memos, observes in random number, keys of two kinds."""

from __future__ import annotations

from typing import Final

HAZARDS: Final = {
    "an entry that another key has made": """
        [assume f (mem (fn [k] (sample (flip (if (= k 0) 0.3 0.6)))))]
        [assume k (if (sample (flip 0.4)) 1 0)]
        [observe (flip (if (f k) 0.8 0.3)) true]
        [observe (flip (if (f 0) 0.9 0.5)) true]
        [predict (f 1)]""",
    "a branch that ancestors take otherwise": """
        [assume a (sample (flip 0.4))]
        [observe (flip (if a 0.7 0.4)) true]
        [assume b (if a (sample (flip 0.2)) (not (sample (flip 0.5))))]
        [observe (flip (if b 0.8 0.2)) true]
        [predict (list a b)]""",
    "recursion to a random depth": """
        [assume g (fn [n] (if (or (> n 1) (sample (flip 0.5))) n (g (+ n 1))))]
        [assume a (g 0)]
        [observe (flip (/ (+ a 1) 6)) true]
        [assume b (g a)]
        [observe (flip (if (= a b) 0.2 0.7)) true]
        [predict (list a b)]""",
    "a process of another parameter": """
        [assume p (if (sample (flip 0.5)) (crp 0.5) (crp 3.0))]
        [observe (flip (if (= (sample p) (sample p)) 0.8 0.3)) true]
        [observe p 1]
        [predict 1]""",
    "labels of a Pitman-Yor process as keys": """
        [assume p (crp 0.8 0.4)]
        [assume z (mem (fn [i] (sample p)))]
        [assume good (mem (fn [k] (sample (flip 0.3))))]
        [observe (flip (if (= (z 0) (z 1)) 0.9 0.2)) true]
        [observe (flip (if (good (z 1)) 0.7 0.4)) true]
        [predict (good 0)]""",
    "an urn that some draw from first": """
        [assume u (polya-urn [1.0 2.0])]
        [assume f (mem (fn [k] (sample u)))]
        [observe (flip (if (sample (flip 0.4)) (if (= (f 0) 0) 0.8 0.3) 0.5)) true]
        [observe u 0]
        [observe (flip (if (= (f 0) (f 1)) 0.7 0.2)) true]
        [predict (f 1)]""",
    "observes in random number": """
        [assume n (if (sample (flip 0.4)) 1 0)]
        [assume go (fn [k] (if (= k 0) 0 (let [x (sample (flip 0.4))]
                             (observe (flip (if x 0.9 0.3)) true) (+ (if x 1 0) (go (- k 1))))))]
        [assume s (go n)]
        [observe (flip (/ (+ 1 s) 5)) true]
        [assume m (go (- 1 n))]
        [observe (flip (if (> m s) 0.8 0.4)) true]
        [predict m]""",
    "a condition in a memo": """
        [assume f (mem (fn [k] (let [x (sample (flip 0.4))] (condition (or x (> k 0))) x)))]
        [assume k (sample (flip 0.3))]
        [observe (flip (if (f (if k 1 0)) 0.8 0.3)) true]
        [observe (flip (if (= (f 0) k) 0.3 0.8)) true]
        [predict (f 1)]""",
    "impossible in some branches": """
        [assume a (sample (flip 0.5))]
        [factor (if a 0.2 -0.3)]
        [assume b (sample (flip 0.5))]
        [factor (if (and b a) (/ -1.0 0.0) 0)]
        [assume c (if b (sample (flip 0.3)) a)]
        [factor (if (= c a) -0.1 (if b (/ -1.0 0.0) -1.0))]
        [predict (list a b c)]""",
    "memoised closures": """
        [assume make (mem (fn [k] (let [p (if (sample (flip 0.4)) 0.8 0.2)] (fn [x] (if x p (- 1 p))))))]
        [assume i (sample (flip 0.5))]
        [observe (flip ((make i) true)) true]
        [observe (flip ((make true) i)) true]
        [predict i]""",
    "memos that call each other": """
        [assume a (mem (fn [n] (if (= n 0) (sample (flip 0.5)) (sample (flip (if (b (- n 1)) 0.7 0.2))))))]
        [assume b (mem (fn [n] (if (= n 0) (sample (flip 0.3)) (not (a (- n 1))))))]
        [observe (flip (if (a 1) 0.8 0.3)) true]
        [observe (flip (if (b 1) 0.7 0.4)) true]
        [predict (a 1)]""",
    "memos in a memo": """
        [assume row (mem (fn [i] (mem (fn [j] (sample (flip (if i 0.8 0.3)))))))]
        [assume i (sample (flip 0.5))]
        [observe (flip (if ((row i) 0) 0.9 0.4)) true]
        [observe (flip (if ((row true) 0) 0.6 0.5)) true]
        [predict i]""",
    "keys that are whole, and real": """
        [assume f (mem (fn [k] (sample (flip 0.5))))]
        [assume i (if (sample (flip 0.3)) 1.0 (if (sample (flip 0.5)) 1 0.5))]
        [observe (flip (if (f i) 0.8 0.4)) true]
        [observe (flip (if (f 1) 0.3 0.6)) true]
        [predict i]""",
    "errors in impossible executions": """
        [assume n (sample (uniform-discrete 0 3))]
        [condition (> n 0)]
        [assume x (sample (flip (/ 1 n)))]
        [observe (flip (if x 0.8 0.3)) true]
        [assume m (if x (sample (flip (/ 1 (* 2 n)))) true)]
        [observe (flip (if m 0.4 0.9)) true]
        [predict n] [predict m]""",
    "a support that depends on the past": """
        [assume a (sample (uniform-discrete 1 3))]
        [observe (flip (/ a 4)) true]
        [assume b (sample (uniform-discrete 0 a))]
        [observe (flip (/ (+ b 1) 4)) true]
        [predict (list a b)]""",
    "draws that entries leave or use up": """
        [assume f (mem (fn [k] (sample (flip 0.5))))]
        [assume n (if (sample (flip 0.3)) 2 1)]
        [observe (flip 0.5) true]
        [observe (flip (/ (+ 1 (count (filter f (range n)))) 4)) true]
        [observe (flip (/ (+ 1 (count (filter f (range 2)))) 5)) false]
        [predict n]""",
}
