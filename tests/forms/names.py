"""A row for each procedure that people bring by its name."""

from __future__ import annotations

from math import erf, exp, lgamma, log, sqrt
from typing import Final

from .rows import Row

NAMES: Final[dict[str, Row]] = {
    "logpdf": Row("(logpdf (normal a (if b 1 2)) 0.5)",
                  lambda a, b: -0.5 * ((0.5 - a) / (s := 1 if b else 2)) ** 2 - log(s) - 0.9189385332046727),
    "cdf": Row("(cdf (binomial 2 (if b 0.5 0.1)) a)", lambda a, b: ((0.25, 0.75, 1.0) if b else (0.81, 0.99, 1.0))[a]),
    "quantile": Row("(quantile (uniform-discrete 0 (+ a 2)) (if b 0.5 0.9))",
                    lambda a, b: (0, 1, 1)[a] if b else a + 1),
    "support": Row("(count (support (binomial a (if b 0.5 0))))", lambda a, b: a + 1 if b else 1),
    "expectation": Row("(expectation (categorical {1 a 5 1}) (fn [x] (if b x (- x))))",
                       lambda a, b: (a + 5) / (a + 1) * (1 if b else -1)),
    "erf": Row("(erf (if b a (- a)))", lambda a, b: erf(a if b else -a)),
    "erfc": Row("(erfc (if b a (- a)))", lambda a, b: 1 - erf(a if b else -a)),
    "Phi": Row("(Phi (- a (if b 1 0)))", lambda a, b: 0.5 * (1 + erf((a - b) / sqrt(2)))),
    "lgamma": Row("(lgamma (+ a (if b 0.5 1)))", lambda a, b: lgamma(a + (0.5 if b else 1))),
    "softmax": Row("(nth (softmax [a 1 (if b 2 0)]) 0)",
                   lambda a, b: exp(a) / (exp(a) + exp(1) + exp(2 if b else 0))),
    "logsumexp": Row("(logsumexp [a 1 (if b 2 0)])", lambda a, b: log(exp(a) + exp(1) + exp(2 if b else 0))),
    "iterate": Row("(nth (vec (take 4 (iterate (fn [x] (+ (* 2 x) (if b 1 0))) a))) (+ a 1))",
                   lambda a, b: 2 ** (a + 1) * a + (2 ** (a + 1) - 1) * b),
    "take-while": Row("(count (take-while #(< % (if b 9 3)) (iterate #(* 2 %) (+ a 1))))",
                      lambda a, b: ((4, 3, 2) if b else (2, 1, 0))[a]),
    "drop-while": Row("(first (drop-while #(< % (if b 9 3)) (iterate #(* 2 %) (+ a 1))))",
                      lambda a, b: ((16, 16, 12) if b else (4, 4, 3))[a]),
    "group-by": Row("(count (get (group-by (fn [x] (< x a)) (range 5)) b))", lambda a, b: a if b else 5 - a),
    "update-in": Row("(get-in (update-in {:p {:q a}} [:p (if b :q :r)] (fn [x y] (if x (* x y) y)) 5) [:p :q])",
                     lambda a, b: 5 * a if b else a),
    "update": Row("(:q (update {:q a} :q - (if b 1 5)))", lambda a, b: a - (1 if b else 5)),
    "range": Row("(reduce + (take (+ a 2) (map (fn [k] (if b k 1)) (range))))",
                 lambda a, b: (a + 1) * (a + 2) // 2 if b else a + 2),
    "repeat": Row("(reduce + (take a (repeat (if b 3 1))))", lambda a, b: a * (3 if b else 1)),
    "repeatedly": Row("(count (take-while identity (repeatedly a (fn [] (sample (flip 0.5))))))",
                      lambda a, b: [[(1.0, 0)], [(0.5, 0), (0.5, 1)], [(0.5, 0), (0.25, 1), (0.25, 2)]][a]),
    "filter": Row("(first (filter #(> (* % %) (+ a 3)) (range)))", lambda a, b: (2, 3, 3)[a]),
    "reductions": Row("(reduce + (reductions (fn [x y] (+ x (* a y))) 0 [1 2]))", lambda a, b: 4 * a),
    "partition-by": Row("(count (partition-by odd? [a 1 (if b 2 3)]))", lambda a, b: (a != 1) + 1 + b),
    "merge-with": Row("(:k (merge-with - {:k a} {:k (if b 1 5)}))", lambda a, b: a - (1 if b else 5)),
    "juxt": Row("(apply * ((juxt inc (fn [x] (if b x 1))) a))", lambda a, b: (a + 1) * (a if b else 1)),
    "frequencies": Row("(get (frequencies [a (if b 1 0) 1]) 1)", lambda a, b: (a == 1) + b + 1),
}  # fmt: skip
