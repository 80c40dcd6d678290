"""Programs in which a distribution or process stands where a value is wanted, with what they are told.

As in `wrong_programs`: the text, the place, the width of the carets, and the message.
"""

from __future__ import annotations

from typing import Final

from .wrong_programs import Wrong


def _asks(text: str, place: str, width: int, wanted: str, what: str, drawn: str = "(sample ...)") -> Wrong:
    return text, place, width, f"{wanted}, not the {what}; did you mean {drawn}?"


FLIP: Final = "distribution <flip>"
NORMAL: Final = "distribution <normal>"
TEST: Final = "a test takes a truth value"
PREDICT: Final = "a predict reports values"
GP: Final = "[assume f (gp (fn [x] 0.0) (fn [x y] (exp (- (square (- x y))))))]\n"

FORGOTTEN: Final[tuple[Wrong, ...]] = (
    # Tests
    _asks("[assume rain (flip 0.2)]\n[predict (if rain 1 0)]", "2:14", 4, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (if x (exp 1) (exp 2))]", "2:14", 1, TEST, FLIP),
    _asks("[predict (if (flip 0.2) 1)]", "1:14", 10, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (when x 2)]", "2:16", 1, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (when-not x 2)]", "2:20", 1, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (cond false 1 x 2)]", "2:24", 1, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (and x true)]", "2:15", 1, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (or x true)]", "2:14", 1, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (not x)]", "2:10", 7, TEST, FLIP),
    _asks("[assume x (flip 0.2)]\n[predict (boolean x)]", "2:10", 11, TEST, FLIP),
    _asks("[predict (loop [i 0] (if (flip 0.2) i (recur (inc i))))]", "1:26", 10, TEST, FLIP),
    _asks("[assume f (fn [p] (flip p))]\n[predict (if (f 0.5) 1 2)]", "2:14", 7, TEST, FLIP),
    _asks("[predict (filter (fn [p] (flip p)) [0.1 0.2])]", "1:10", 36, TEST, FLIP),
    _asks("[predict (remove flip [0.1 0.2])]", "1:10", 23, TEST, FLIP),
    _asks("[predict (some flip [0.1 0.2])]", "1:10", 21, TEST, FLIP),
    _asks("[predict (every? flip [0.1 0.2])]", "1:10", 23, TEST, FLIP),
    _asks("[assume b (sample (flip 0.5))]\n[assume x (if b (not b) (flip 0.5))]\n[predict (if x 1 2)]",
          "3:14", 1, TEST, FLIP),
    _asks("[assume c (beta-flip 1 1)]\n[predict (if c 1 2)]", "2:14", 1, TEST, "process <beta-flip>"),
    _asks('[predict (if (categorical [["a" 1] ["b" 2]]) 1 2)]', "1:14", 31, TEST, "distribution <categorical>"),
    _asks("[predict (if (dirac true) 1 2)]", "1:14", 12, TEST, "distribution <dirac>"),
    _asks(GP + "[predict (if (f 1) 1 2)]", "2:14", 5, TEST, "process <gp at a point>"),
    # Numbers
    _asks("[assume x (normal 0 1)]\n[predict (+ x 1)]", "2:10", 7, "'+' takes numbers", NORMAL),
    _asks("[assume x (normal 0 1)]\n[predict (* 2 (+ 1 x))]", "2:15", 7, "'+' takes numbers", NORMAL),
    _asks("[assume m (sample (normal 0 1))]\n[assume x (normal m 1)]\n[predict (exp x)]", "3:10", 7,
          "'exp' takes numbers", NORMAL),
    _asks("[assume x (normal 0 1)]\n[predict (< 0 x 1)]", "2:10", 9, "'<' compares numbers", NORMAL),
    _asks("[assume x (normal 0 1)]\n[predict (= x 1)]", "2:10", 7, "'=' compares numbers", NORMAL),
    _asks("[assume x (flip 0.5)]\n[predict (not= true x)]", "2:10", 13, "'=' compares booleans", FLIP),
    _asks("[assume m (sample (normal 0 1))]\n[predict (= (normal m 1) m)]", "2:10", 18, "'=' compares numbers",
          NORMAL),
    _asks("[assume x (flip 0.5)]\n[predict (case x true 1 false 0)]", "2:18", 4, "'=' compares booleans", FLIP),
    _asks("[predict (pos? (normal 0 1))]", "1:10", 19, "'pos?' takes a number", NORMAL),
    _asks("[predict (sort-by flip [0.1 0.2])]", "1:10", 24, "'sort-by' orders numbers", FLIP),
    _asks("[predict (nth [1 2] (bernoulli 0.5))]", "1:10", 27, "'nth' takes a whole number here",
          "distribution <bernoulli>"),
    _asks("[predict (count (poisson 2))]", "1:10", 19, "'count' takes a list or vector", "distribution <poisson>"),
    _asks("[assume c (crp 1.0)]\n[predict (* 2 c)]", "2:10", 7, "'*' takes numbers", "process <crp>"),
    _asks(GP + "[predict (* 2 (f 1))]", "2:10", 11, "'*' takes numbers", "process <gp at a point>"),
    _asks(GP + "[predict (* 2 f)]", "2:10", 7, "'*' takes numbers", "process of functions <gp>", "(sample (f x))"),
    _asks(GP + "[predict (sample f)]", "2:10", 10, "sample takes a distribution or a process",
          "process of functions <gp>", "(sample (f x))"),
    ("[predict (sum [(normal 0 1) 2])]", "1:10", 22,
     "'sum' takes numbers, not [<normal> 2]; did you mean (sample ...)?"),
    ("[predict ((normal 0 1))]", "1:10", 14,
     "<normal> is not a procedure and cannot be called; did you mean (sample ...)?"),
    # Parameters, and what is observed
    _asks("[assume x (normal 0 1)]\n[observe (normal x 1) 2]", "2:10", 12, "normal: mean must be a finite number",
          NORMAL),
    _asks("[assume x (gamma 1 1)]\n[predict (sample (crp x))]", "2:18", 7,
          "crp: alpha must be a positive finite number", "distribution <gamma>"),
    _asks("[assume x (normal 0 1)]\n[observe (normal 0 1) x]", "2:1", 24, "normal: a value of it is a number",
          NORMAL),
    # Predicts
    _asks("[assume rain (flip 0.2)]\n[predict rain]", "2:1", 14, PREDICT, FLIP),
    _asks('[assume rain (flip 0.2)]\n[predict "wet" [1 {:a rain}]]', "2:1", 29, PREDICT, FLIP),
    _asks("[assume m (sample (normal 0 1))]\n[predict (if (> m 0) (normal m 1) (normal 0 1))]", "2:1", 48, PREDICT,
          NORMAL),
    _asks("[predict (map flip [0.1 0.2])]", "1:1", 30, PREDICT, FLIP),
    _asks("[predict (crp 1.0)]", "1:1", 19, PREDICT, "process <crp>"),
)  # fmt: skip

FINE: Final = (
    "[assume d (normal 0 1)]\n[predict (sample d)]",
    "[assume d (normal 0 1)]\n[assume x (sample d)]\n[observe d 1]\n[predict (+ x 1)]",
    "[predict (= (normal 0 1) (normal 0 1))]",
    "[predict (= (normal 0 1) nil)]",
    "[predict (= [(normal 0 1)] [1])]",
    "[predict (if [(flip 0.5)] 1 2)]",
    "[predict (some? (flip 0.5))]",
    "[predict (count [(flip 0.5) (flip 0.2)])]",
    "[predict (map sample (list (flip 0.5) (normal 0 1)))]",
    "[assume d (if true (normal 0 1) 3)]\n[predict (if (number? d) d (sample d))]",
    "[assume pick (fn [i] (if (= i 0) (normal 0 1) (gamma 1 1)))]\n[predict (sample (pick 0))]",
    "[assume h (mem (fn [i] (normal i 1)))]\n[observe (h 1) 2]\n[predict (sample (h 2))]",
    "[assume f (gp (fn [x] 0.0) (fn [x y] (exp (- (square (- x y))))))]\n[observe (f 0) 1]\n[predict (sample (f 1))]",
    "[assume c (crp 1.0)]\n[predict (+ 1 (sample c))]",
    "[predict (sample (sample (dirac (normal 0 1))))]",
    "[assume x (sample (dp 1.0 (normal 0 1)))]\n[predict x]",
    "[predict (fn [x] x)]",
    "[assume b (sample (flip 0.5))]\n[assume d (if b (normal 0 1) (normal 5 1))]\n[predict (sample d)]",
)
"""Programs that hold distributions and use them as such."""
