"""A row for every special form of an expression, and for every statement."""

from __future__ import annotations

from math import exp
from typing import Final

from .rows import Row

EXPRESSIONS: Final[dict[str, Row]] = {
    "quote": Row("(nth '(3 1 2) a)", lambda a, b: (3, 1, 2)[a]),
    "if": Row("(if b a (if (= a 1) 5 -1))", lambda a, b: a if b else 5 if a == 1 else -1),
    "if-not": Row("(if-not b a 4)", lambda a, b: 4 if b else a),
    "if-let": Row("(if-let [x (if b a nil)] (+ x 1) -2)", lambda a, b: a + 1 if b else -2),
    "when-let": Row("(count (str (when-let [x (if b a nil)] (+ x 10))))", lambda a, b: 2 if b else 0),
    "lambda": Row("((lambda (x . more) (+ x (* 10 (count more)))) a b b)", lambda a, b: a + 20),
    "fn": Row(
        "((fn down [n] (if (= n 0) 0 (+ (if (sample (flip 0.5)) 1 0) (down (- n 1))))) a)",
        lambda a, b: [[(1.0, 0)], [(0.5, 0), (0.5, 1)], [(0.25, 0), (0.5, 1), (0.25, 2)]][a],
    ),
    "#()": Row("(#(- (* 3 %1) (if %2 1 0) (count %&)) a b a a)", lambda a, b: 3 * a - b - 2),
    "let": Row("(let [[x & more] [a b a] y (+ x 1)] (* y (count more)))", lambda a, b: 2 * (a + 1)),
    "let*": Row("(let* ((x a) (y (+ x 1)) (x 7)) (- x y))", lambda a, b: 6 - a),
    "letrec": Row(
        "(letrec [f (mem (fn [n] (if (= n 0) 0 (+ (g n) (f (- n 1)))))) g (fn [n] (if (sample (flip 0.5)) n 0))]"
        " (- (* 2 (f a)) (f a)))",
        lambda a, b: [[(1.0, 0)], [(0.5, 0), (0.5, 1)], [(0.25, k) for k in range(4)]][a],
    ),
    "letfn": Row(
        "(letfn [(ev [n] (if (= n 0) 1 (od (- n 1)))) (od [n] (if (= n 0) 2 (ev (- n 1))))] (ev a))",
        lambda a, b: 1 + a % 2,
    ),
    "loop": Row(
        "(loop [i 0 t 0] (if (< i a) (do (factor -0.5) (recur (+ i 1) (+ t i 1))) t))",
        lambda a, b: [(exp(-0.5 * a), a * (a + 1) // 2)],
    ),
    "recur": Row("((fn [n t] (if (= n 0) t (recur (- n 1) (+ t n)))) a (if b 1 0))", lambda a, b: a * (a + 1) // 2 + b),
    "cond": Row("(cond b 5 (= a 0) 1 (> a 1) -1 :else 2)", lambda a, b: 5 if b else (1, 2, -1)[a]),
    "condp": Row("(condp < a 1 4 (if b 0 -1) 3 -2)", lambda a, b: 4 if a == 2 else 3 if a > (0 if b else -1) else -2),
    "case": Row("(case a 0 3 (1 7) (if b 1 2) -1)", lambda a, b: (3, 1 if b else 2, -1)[a]),
    "when": Row("(count (str (when b (= a 0))))", lambda a, b: (4 if a == 0 else 5) if b else 0),
    "when-not": Row("(count (str (when-not b (= a 0))))", lambda a, b: 0 if b else 4 if a == 0 else 5),
    "and": Row(
        "(if (and b (sample (flip 0.25)) (> a 0)) 2 -1)",
        lambda a, b: [(0.25, 2), (0.75, -1)] if b and a else -1,
    ),
    "or": Row(
        "(or (and b a) (if (sample (flip 0.25)) 4 nil) -1)", lambda a, b: a if b else [(0.25, 4), (0.75, -1)]
    ),
    "do": Row("(do (observe (flip (if b 0.9 0.2)) true) (factor (- a)) a)",
              lambda a, b: [((0.9 if b else 0.2) * exp(-a), a)]),
    "begin": Row("(begin (observe (binomial 2 (if b 0.5 0.1)) a) (if b 1 a))",
                 lambda a, b: [(((0.25, 0.5, 0.25) if b else (0.81, 0.18, 0.01))[a], 1 if b else a)]),
    "->": Row("(-> a (- 5) (* 2) (- (if b 1 0)))", lambda a, b: 2 * (a - 5) - b),
    "->>": Row("(->> (range 4) (map (fn [x] (* x a))) (reduce +) (- (if b 1 0)))", lambda a, b: b - 6 * a),
    "as->": Row("(as-> a x (+ x 1) (if b (- 3 x) x) (- 10 x))", lambda a, b: 10 - (2 - a if b else a + 1)),
    "for": Row(
        "(reduce + 0 (for [x (range 3) :let [y (* x a)] :when (not= x 1) z [1 10] :while (or b (< z 5))] (+ y z)))",
        lambda a, b: sum(x * a + z for x in (0, 2) for z in ((1, 10) if b else (1,))),
    ),
    "foreach": Row("(reduce + (foreach 2 [x [a 3 9] y [1 (if b 1 0) 5]] (* x y)))", lambda a, b: a + 3 * b),
    "doseq": Row(
        "(do (doseq [x (range a) y [1 2] :when (odd? y)] (observe (flip (if b 0.8 0.3)) true)) a)",
        lambda a, b: [((0.8 if b else 0.3) ** a, a)],
    ),
    "dotimes": Row("(do (dotimes [i (+ a 1)] (factor (* -0.2 i))) (if b a 0))",
                   lambda a, b: [(exp(-0.2 * a * (a + 1) / 2), a if b else 0)]),
    "sample": Row("(sample (if b (uniform-discrete 0 (+ a 1)) (binomial 1 0.2)))",
                  lambda a, b: [(1 / (a + 1), k) for k in range(a + 1)] if b else [(0.8, 0), (0.2, 1)]),
    "sample*": Row("(if (sample* (flip (if b 0.9 0.1))) a 3)",
                   lambda a, b: [(0.9 if b else 0.1, a), (0.1 if b else 0.9, 3)]),
    "observe": Row("(observe (poisson (+ a 1)) (if b 1 2))",
                   lambda a, b: [(exp(-a - 1) * ((a + 1) if b else (a + 1) ** 2 / 2), 1 if b else 2)]),
    "observe*": Row("(exp (observe* (flip 0.25) b))", lambda a, b: 0.25 if b else 0.75),
    "factor": Row("(if (nil? (factor (if b (- a) 0.5))) a 9)", lambda a, b: [(exp(-a if b else 0.5), a)]),
    "condition": Row("(do (condition (or b (> a 0))) (if b (do (condition (< a 2)) 1) a))",
                     lambda a, b: [(float(a < 2 if b else a > 0), 1 if b else a)]),
    "mem": Row(
        "(let [f (mem (fn [k] (sample (uniform-discrete 0 2))))] (+ (f a) (* 2 (f (if b a 1))) (* 4 (f a))))",
        lambda a, b: [(0.5, 0), (0.5, 7)] if b or a == 1 else [(0.25, 5 * x + 2 * y) for x in (0, 1) for y in (0, 1)],
    ),
    "fm": Row("((fm [x y] (- x (if y 3 0))) a b)", lambda a, b: a - 3 * b),
    "with-primitive-procedures": Row("(with-primitive-procedures [square] (square (- a (if b 2 0))))",
                                     lambda a, b: (a - 2 * b) ** 2),
}  # fmt: skip

STATEMENTS: Final[dict[str, Row]] = {
    "assume": Row("[assume [x {:keys [y z] :or {z 2}}] [a {:y (if b 1 0)}]]\n[assume v (+ x (* 10 y) z)]",
                  lambda a, b: a + 10 * b + 2),
    "observe": Row("[observe (flip (if b 0.9 0.2)) (= a 1)]\n[assume v (if b a 3)]",
                   lambda a, b: [((0.9 if b else 0.2) if a == 1 else (0.1 if b else 0.8), a if b else 3)]),
    "factor": Row("[factor (if b (- a) 0)]\n[assume v a]", lambda a, b: [(exp(-a if b else 0), a)]),
    "condition": Row("[condition (or b (> a 0))]\n[assume v a]", lambda a, b: [(float(b or a > 0), a)]),
    "predict": Row("[assume a (sample (uniform-discrete 0 3))] [factor (- a)] [predict \"a\" (* 2 a)]",
                   lambda a, b: [(exp(-a), 2 * a)], whole=True),
    "input": Row("[input p 0.25]\n[observe (flip (if b p 0.5)) true]\n[assume v (if b a 0)]",
                 lambda a, b: [(0.25 if b else 0.5, a if b else 0)]),
    "include": Row("[include \"part.clj\"]\n[assume v (from-part a)]", lambda a, b: 3 * a + 1),
    "for": Row("[for [[i y] [[0 true] [1 false]] j [1 2]] [observe (flip (/ (+ a i j) 6)) y]]\n[assume v (if b a 3)]",
               lambda a, b: [((a + 1) * (a + 2) * (4 - a) * (3 - a) / 6**4, a if b else 3)]),
    "doseq": Row("[doseq [y [true true false]] [observe (flip (if b 0.8 0.3)) y]]\n[assume v (if b a 3)]",
                 lambda a, b: [(0.128 if b else 0.063, a if b else 3)]),
    "dotimes": Row("[dotimes [i 3] [factor (if b (* -0.1 i) 0)]]\n[assume v a]",
                   lambda a, b: [(exp(-0.3) if b else 1.0, a)]),
    "define": Row("(define (f x) (define y (* 2 x)) (+ y 1))\n(define w (f a))\n[assume v (if b w 0)]",
                  lambda a, b: 2 * a + 1 if b else 0),
    "def": Row("(def w (* a a))\n[assume v (- w (if b 1 0))]", lambda a, b: a * a - b),
    "defn": Row("(defn f \"Of one, two or more.\" ([x] x) ([x y] (- x y)) ([x y & more] (count more)))\n"
                "[assume v (+ (f a) (f a 5) (apply f (repeat (+ a 1) 2)))]",
                lambda a, b: a + a - 5 + (2, 0, 1)[a]),
    "defm": Row("(defm f [x] (if (sample (flip 0.5)) x 0))\n[assume v (+ (f a) (if b (f 1) 0))]",
                lambda a, b: [(0.5 * q, x + y) for x in (0, a) for q, y in ([(0.5, 0), (0.5, 1)] if b else [(1, 0)])]),
    "if": Row("[if (> 2 1) [observe (flip (if b 0.9 0.2)) true] [factor 1000]]\n[assume v a]",
              lambda a, b: [(0.9 if b else 0.2, a)]),
    "if-not": Row("[if-not (> 2 1) [factor 1000] [factor (if b -1 0)]]\n[assume v a]",
                  lambda a, b: [(exp(-1) if b else 1.0, a)]),
    "when": Row("[input n 3]\n[when (> n 2) [assume w (* 2 a)] [factor (if b -1 0)]]\n[assume v w]",
                lambda a, b: [(exp(-1) if b else 1.0, 2 * a)]),
    "when-not": Row("[when-not false [factor (if b -1 0)]]\n[assume v a]", lambda a, b: [(exp(-1) if b else 1.0, a)]),
    "cond": Row("[for [k [0 1 2]] [cond (= k 0) [factor (- a)] (= k 1) [condition (or b (> a 0))] :else [factor 2]]]\n"
                "[assume v a]", lambda a, b: [(exp(2 - a) * (b or a > 0), a)]),
    "let": Row("[let [p (if b 0.9 0.2) [q] [(sample (flip p))]] [observe (flip (if q 0.7 0.4)) true] [assume w q]]\n"
               "[assume v (if w a 3)]",
               lambda a, b: [((0.9 if b else 0.2) * 0.7, a), ((0.1 if b else 0.8) * 0.4, 3)]),
    "do": Row("[do [factor (- a)] [condition (or b (< a 2))]]\n[assume v a]",
              lambda a, b: [(exp(-a) * (b or a < 2), a)]),
}  # fmt: skip
