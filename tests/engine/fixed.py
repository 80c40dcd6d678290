"""Random programs of fixed course: whatever is drawn, the same is drawn, observed and called.

Values are numbers; what differs between executions is only what they are. Some observes are impossible in some
executions, some values are whole or boolean, some depend on each other over many statements.
"""

from __future__ import annotations

import numpy as np

CAST = """
[assume walk (mem (lambda (t) (if (< t 1) (sample (normal 0.0 1.0))
                (sample (normal (* 0.8 (walk (- t 1))) (+ 0.3 (abs (* 0.1 (walk (- t 1)))))))))) ]
[assume count (mem (lambda (t) (sample (poisson (+ 1.0 t)))))]
[assume path (mem (lambda (t) (if (< t 1) 0.0 (+ (path (- t 1)) (* 0.1 (walk t))))))]
[assume plane (mem (lambda (t) (if (< t 1) [0.0 1.0]
                (sample (mvn (mmul [[0.9 -0.2] [0.2 0.9]] (plane (- t 1))) [[0.5 0.1] [0.1 0.4]])))))]
[assume shifted (lambda (by) (fn [x] (+ x by)))]
"""


class Programs:
    """One program after another."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.names: list[str] = []

    def one_of(self, *options: str) -> str:
        return options[int(self.rng.integers(len(options)))]

    def time(self) -> int:
        return int(self.rng.integers(4))

    def number(self, depth: int) -> str:
        """An expression whose value is a number."""
        if depth <= 0:
            return self.one_of(*(self.names[-4:] or ["0.5"]), f"{self.rng.uniform(-1, 1):.2f}")
        a, b = (self.number(depth - 1) for _ in range(2))
        x, y = (self.number(0) for _ in range(2))
        return self.one_of(
            f"(+ {a} {b})",
            f"(- {a} (* 0.5 {b}))",
            f"(sin {a})",
            f"(/ {a} (+ 1.0 (square {b})))",
            f"(if (< {a} {b}) {x} (* 0.5 {y}))",
            f"(if (sample (flip 0.3)) {x} {y})",
            f"(if (and (> {a} 0.0) (< {x} 0.0)) 1.0 {y})",
            f"(sample (normal {a} (exp (* 0.1 (sin {b})))))",
            f"(sample (normal (if (< {a} 0.0) {x} 1.0) 0.7))",
            f"(* 0.1 (sample (poisson (+ 0.5 (abs (sin {a}))))))",
            f"(nth [{a} {b} 0.3] (sample (discrete [0.2 0.3 0.5])))",
            f"(walk {self.time()})",
            f"(* 0.2 (count {self.time()}))",
            f"(path {self.time()})",
            f"(nth (plane {self.time()}) 1)",
            f"((shifted {a}) {b})",
            f"(sum (map (fn [x] (* x {a})) [0.1 0.2]))",
            f"(reduce + {a} (list {b} 0.5))",
            f"(first (list {a} {b}))",
            f"(reduce + (map (fn [x y] (* x y)) (plane {self.time()}) (rest [{a} {b} {a}])))",
            f"(let [d (normal {a} 1.0)] (sample d))",
            f"(do (observe (normal {a} 2.0) 0.4) {b})",
            f"(do (factor (sin {a})) {b})",
            f"(do (condition (< (sin {a}) 0.9)) {b})",
        )

    def statement(self, number: int) -> str:
        value = self.number(2)
        observed = f"{self.rng.uniform(-1, 1):.2f}"
        self.names.append(f"v{number}")
        return f"[assume v{number} {value}]\n" + self.one_of(
            f"[observe (normal v{number} 1.0) {observed}]",
            f"[observe (normal {self.number(1)} 0.8) {observed}]",
            f"[observe (flip (if (< v{number} 0.2) 0.7 0.4)) true]",
            f"[factor (- (square v{number}))]",
            f"[condition (< v{number} 2.0)]",
            f"[observe (uniform (- (sin v{number}) 3.0) (+ 0.5 (abs v{number}))) {observed}]",
            "",
        )


def program(seed: int) -> str:
    programs = Programs(seed)
    statements = [programs.statement(number) for number in range(int(programs.rng.integers(3, 8)))]
    return "\n".join([CAST, *statements, f"[predict {programs.names[0]}]", f"[predict {programs.names[-1]}]"])
