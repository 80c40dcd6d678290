"""Random programs: well typed, always ending, the same for the same seed.

An expression is generated for one of four types: boolean, whole number from 0 to 5, number, and list of whole
numbers. What it may use are the variables in scope and a fixed cast of procedures: memoised ones whose keys are
random, processes, a recursion of random depth, a closure over a random value, a loop, an observe inside of an
expression. Statements interleave assumes and observes, so that who is first to touch a memo entry or a process
differs from execution to execution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

BOOLEAN, WHOLE, NUMBER, LIST = "boolean", "whole", "number", "list"
CAST: Final = """
[assume seats (crp {alpha})]
[assume urn (polya-urn [1.0 0.5 1.5])]
[assume coin (beta-flip 1.0 2.0)]
[assume table (mem (lambda (n) (sample seats)))]
[assume row (mem (lambda (k) (beta-flip 1.0 1.0)))]
[assume pick (mem (lambda (k) (sample (discrete [0.5 0.3 0.2]))))]
[assume level (mem (lambda (k) (sample (normal (if (< k 2) 0.0 1.0) 1.0))))]
[assume pair (mem (lambda (i j) (if (= i j) 0.5 (sample (uniform 0.0 1.0)))))]
[assume walk (mem (lambda (t) (if (< t 1) 0 (let [before (walk (- t 1))]
                (if (sample (flip (if (< before 2) 0.6 0.3))) (min 5 (+ before 1)) before)))))]
[assume geom (lambda (n most) (if (< n most) (if (sample (flip 0.5)) (geom (+ n 1) most) n) n))]
[assume make (lambda (p) (let [bias (if (sample (flip p)) 0.8 0.3)]
                (fn [x] (if (sample (flip bias)) (min 5 (+ x 1)) x))))]
[assume step (make 0.5)]
[assume seen (mem (lambda (k) (let [x (sample (flip 0.4))] (observe (flip (if x 0.7 0.4)) true) x)))]
[assume grid (mem (lambda (i) (let [bias (if (sample (flip 0.5)) 0.8 0.3)]
                (mem (lambda (j) (sample (flip bias)))))))]
[assume tally (lambda (n p) (loop [i 0 total 0]
                (if (< i n) (recur (+ i 1) (+ total (if (sample (flip p)) 1 0))) total)))]
"""
"""The procedures that expressions may call."""


@dataclass
class Generator:
    """The state of one generation: where chance comes from, and what is in scope."""

    rng: np.random.Generator
    continuous: bool
    scope: dict[str, list[str]]

    def one_of(self, options: list[str]) -> str:
        return options[int(self.rng.integers(len(options)))]

    def probability(self) -> str:
        return f"{self.rng.uniform(0.1, 0.9):.2f}"

    def of(self, type_: str, depth: int) -> str:
        """An expression of a type."""
        known = self.scope[type_]
        if known and self.rng.random() < (0.7 if depth <= 0 else 0.25):
            return self.one_of(known)
        if self.rng.random() < 0.15 and depth > 0:
            return f"(if {self.of(BOOLEAN, depth - 1)} {self.of(type_, depth - 1)} {self.of(type_, depth - 1)})"
        makers = _MAKERS[type_]
        simple = makers[: _SIMPLE[type_]]
        chosen = simple if depth <= 0 else makers
        return chosen[int(self.rng.integers(len(chosen)))](self, depth - 1)


Maker = Callable[[Generator, int], str]


def _number_sample(g: Generator, d: int) -> str:
    if g.continuous:
        return f"(sample (normal {g.of(NUMBER, d)} 1.0))" if d > 0 else "(sample (normal 0.0 1.0))"
    return f"(+ 0.5 (sample (discrete [0.2 0.5 {g.probability()}])))"


_MAKERS: Final[dict[str, list[Maker]]] = {
    BOOLEAN: [
        lambda g, d: f"(sample (flip {g.probability()}))",
        lambda g, d: f"(seen {g.of(WHOLE, 0)})",
        lambda g, d: "(sample coin)",
        lambda g, d: f"(< {g.of(WHOLE, d)} {int(g.rng.integers(1, 4))})",
        lambda g, d: f"(= {g.of(WHOLE, d)} {g.of(WHOLE, d)})",
        lambda g, d: f"(and {g.of(BOOLEAN, d)} {g.of(BOOLEAN, d)})",
        lambda g, d: f"(or {g.of(BOOLEAN, d)} {g.of(BOOLEAN, d)})",
        lambda g, d: f"(sample (row {g.of(WHOLE, d)}))",
        lambda g, d: f"((grid {g.of(WHOLE, d)}) {g.of(WHOLE, 0)})",
        lambda g, d: f"(> {g.of(NUMBER, d)} 0.5)",
        lambda g, d: f"(let [seen (observe (flip {g.probability()}) {g.of(BOOLEAN, d)})] (not seen))",
    ],
    WHOLE: [
        lambda g, d: str(int(g.rng.integers(0, 4))),
        lambda g, d: f"(sample (discrete [0.4 0.4 {g.probability()}]))",
        lambda g, d: "(sample seats)",
        lambda g, d: "(sample urn)",
        lambda g, d: f"(pick {g.of(WHOLE, d)})",
        lambda g, d: f"(table {g.of(WHOLE, d)})",
        lambda g, d: f"(walk {g.of(WHOLE, d)})",
        lambda g, d: f"(min 5 (+ {g.of(WHOLE, d)} {g.of(WHOLE, d)}))",
        lambda g, d: f"(geom 0 {g.of(WHOLE, d)})",
        lambda g, d: f"(step {g.of(WHOLE, d)})",
        lambda g, d: f"((make {g.probability()}) {g.of(WHOLE, d)})",
        lambda g, d: f"(tally {g.of(WHOLE, d)} {g.probability()})",
        lambda g, d: f"(min 5 (count {g.of(LIST, d)}))",
        lambda g, d: f"(min 5 (sum {g.of(LIST, d)}))",
        lambda g, d: f"(observe (binomial 5 {g.probability()}) {g.of(WHOLE, d)})",
        lambda g, d: f"(sample (uniform-discrete 0 (+ 1 {g.of(WHOLE, d)})))",
        lambda g, d: (
            f"((if {g.of(BOOLEAN, d)} (lambda (x) (sample (binomial x 0.5))) (lambda (x) x)) {g.of(WHOLE, d)})"
        ),
    ],
    NUMBER: [
        _number_sample,
        lambda g, d: g.probability(),
        lambda g, d: f"(level {g.of(WHOLE, d)})" if g.continuous else g.probability(),
        lambda g, d: f"(pair {g.of(WHOLE, d)} {g.of(WHOLE, d)})" if g.continuous else g.probability(),
        lambda g, d: f"(* 0.5 {g.of(WHOLE, d)})",
        lambda g, d: f"(+ {g.of(NUMBER, d)} {g.of(WHOLE, d)})",
    ],
    LIST: [
        lambda g, d: f"(list {g.of(WHOLE, d)} {g.of(WHOLE, d)})",
        lambda g, d: f"(range 0 {g.of(WHOLE, d)})",
        lambda g, d: f"(repeatedly {g.of(WHOLE, d)} (lambda () (sample (discrete [0.5 0.5]))))",
        lambda g, d: f"(map (lambda (x) (pick x)) {g.of(LIST, d)})",
        lambda g, d: f"(map (lambda (x) (if (sample (flip 0.5)) x 0)) {g.of(LIST, d)})",
        lambda g, d: f"(filter (lambda (x) (< x {int(g.rng.integers(1, 4))})) {g.of(LIST, d)})",
        lambda g, d: f"(conj {g.of(LIST, d)} {g.of(WHOLE, d)})",
    ],
}
_SIMPLE: Final = {BOOLEAN: 2, WHOLE: 4, NUMBER: 2, LIST: 2}
"""How many of the makers, the first ones, end an expression that is deep enough."""


def _observe(g: Generator) -> str:
    kind = int(g.rng.integers(6))
    if kind == 0:
        return f"[observe (flip (if {g.of(BOOLEAN, 2)} {g.probability()} {g.probability()})) true]"
    if kind == 1:
        return f"[observe (poisson (+ 0.5 {g.of(WHOLE, 2)})) {int(g.rng.integers(0, 4))}]"
    if kind == 2:
        return f"[observe (normal {g.of(NUMBER, 2)} 1.0) {g.rng.normal():.2f}]"
    if kind == 3:
        return "[observe seats 0]"
    if kind == 4:
        return f"[observe (if {g.of(BOOLEAN, 1)} coin (row {g.of(WHOLE, 1)})) {g.one_of(['true', 'false'])}]"
    return f"[observe urn {g.one_of(['0', '1', f'(min 2 {g.of(WHOLE, 0)})'])}]"


def generate(seed: int, continuous: bool = True) -> str:
    """A program of three to six observes."""
    return generated(np.random.default_rng(seed), continuous)


def generated(rng: np.random.Generator, continuous: bool = True) -> str:
    """A program by what a generator of random numbers says."""
    g = Generator(rng, continuous, {BOOLEAN: [], WHOLE: [], NUMBER: [], LIST: []})
    lines = [CAST.strip().format(alpha=f"{g.rng.uniform(0.5, 2.0):.2f}")]
    names: list[str] = []
    for number in range(int(g.rng.integers(3, 7))):
        for letter in "ab"[: int(g.rng.integers(0, 3))]:
            type_ = g.one_of([BOOLEAN, WHOLE, WHOLE, NUMBER, LIST])
            name = f"{letter}{number}"
            lines.append(f"[assume {name} {g.of(type_, 3)}]")
            g.scope[type_].append(name)
            names.append(name)
        lines.append(_observe(g))
    lines += [f"[predict {name}]" for name in names]
    lines.append(f'[predict "last" {g.of(WHOLE, 2)}]')
    if g.rng.random() < 0.3:
        lines.append(f"[assume after {g.of(BOOLEAN, 2)}]")
    return "\n".join(lines) + "\n"
