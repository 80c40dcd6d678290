"""Every place at which a special form, or a procedure that calls procedures, evaluates something.

A template is the use of a form with places in it, each of a type. A place is filled with an expression of its type,
and what fills it may be an event: it draws, observes, and asks for a memo entry that observes, before it has its
value. `TEMPLATES` has an entry for every form of the tables; a test holds it to that. Programs of them: `placed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

WHOLE, BOOLEAN, LIST, MAP, F0, F1, F2, TEST = "whole", "boolean", "list", "map", "f0", "f1", "f2", "test"
SOURCE, PROBABILITY = "source", "probability"
EVENT: Final = "(do (observe (flip (if (sample (flip 0.4)) 0.9 0.2)) true) (seen 0) {})"
"""Draws, observes, and is perhaps the first to ask for a memo entry."""


@dataclass
class Filler:
    """Fills the places of templates. Which are events is told by the number of the place, and by chance."""

    rng: np.random.Generator
    event_at: int | None = None
    """The number of the one place that is an event; None for any, by chance."""
    depth: int = 0
    places: int = 0
    events: int = 0
    scope: tuple[str, ...] = ()

    def at(self, type_: str, *names: str) -> str:
        """A place of a type, where also some variables that are numbers can be seen."""
        return self.put(lambda: self.filled(type_), *names)

    def just(self, text: str) -> str:
        """A place whose expression is given."""
        return self.put(lambda: text)

    def put(self, fill: Callable[[], str], *names: str) -> str:
        number = self.places
        self.places += 1
        before, self.scope = self.scope, (*self.scope, *names)
        text = fill()
        self.scope = before
        chosen = self.rng.random() < 0.15 and self.events < 4 if self.event_at is None else number == self.event_at
        self.events += chosen
        return self.event(text) if chosen else text

    def event(self, text: str) -> str:
        if self.event_at is not None:
            return EVENT.format(text)
        p, q, r = (f"{x:.2f}" for x in self.rng.uniform(0.1, 0.9, 3))
        return (
            f"(do (observe (flip {p}) true) {text})",
            f"(do (observe (flip (if (sample (flip {p})) {q} {r})) true) {text})",
            f"(do (seen {int(self.rng.integers(2))}) {text})",
            f"(do (observe coin (sample (flip {p}))) {text})",
        )[int(self.rng.integers(4))]

    def filled(self, type_: str) -> str:
        """An expression of a type: a template, or where it is deep enough the simplest there is."""
        options = [template for uses in TEMPLATES.values() for template in uses if template.type == type_]
        if self.depth > 0 and options and self.rng.random() < 0.6:
            self.depth -= 1
            text = options[int(self.rng.integers(len(options)))].use(self)
            self.depth += 1
            return text
        if type_ == WHOLE and self.scope and (self.event_at is not None or self.rng.random() < 0.8):
            return self.scope[int(self.rng.integers(len(self.scope)))]
        return self.simple(type_)

    def simple(self, type_: str) -> str:
        small = str(int(self.rng.integers(1, 4)))
        match type_:
            case "whole":
                return small
            case "boolean":
                return f"(< {small} 2)"
            case "list":
                return f"(list {small} 2)"
            case "map":
                return f"{{0 {small} 1 2}}"
            case "f0":
                return f"(fn [] {self.at(WHOLE)})"
            case "f1":
                return f"(fn [u] {self.at(WHOLE, 'u')})"
            case "f2":
                return f"(fn [u w] (- u {self.at(WHOLE, 'u', 'w')}))"
            case "test":
                return f"(fn [u] (< {self.at(WHOLE, 'u')} 2))"
            case "source":
                return f"(flip {self.at(PROBABILITY)})"
        return "0.6"


class Template(NamedTuple):
    """The use of a form, and the type of its value."""

    type: str
    use: Callable[[Filler], str]


def _of(type_: str, *uses: Callable[[Filler], str]) -> list[Template]:
    return [Template(type_, use) for use in uses]


def _few(g: Filler) -> str:
    """A number of calls."""
    return f"(mod {g.at(WHOLE)} 3)"


def _let(word: str) -> list[Template]:
    return _of(
        WHOLE,
        lambda g: f"({word} [x {g.at(WHOLE)} y {g.at(WHOLE, 'x')}] {g.at(WHOLE, 'x', 'y')} {g.at(WHOLE, 'x', 'y')})",
        lambda g: f"({word} ((x {g.at(WHOLE)}) (y {g.at(WHOLE, 'x')})) {g.at(WHOLE, 'x', 'y')})",
        lambda g: f"({word} [[x y] {g.just('(list 1 2)')}] {g.at(WHOLE, 'x', 'y')})",
        lambda g: f"({word} [{{x 0 y 5 :or {{y {g.at(WHOLE)}}}}} {g.at(MAP)}] {g.at(WHOLE, 'x', 'y')})",
    )


def _body(word: str) -> list[Template]:
    return _of(WHOLE, lambda g: f"({word} {g.at(BOOLEAN)} {g.at(LIST)} {g.at(WHOLE)})")


def _maps(word: str) -> list[Template]:
    return _of(
        LIST,
        lambda g: f"({word} {g.at(F1)} {g.at(LIST)})",
        lambda g: f"({word} {g.at(F2)} {g.at(LIST)} {g.at(LIST)})",
    )


def _both(word: str) -> list[Template]:
    return _of(
        BOOLEAN,
        lambda g: f"({word} {g.at(BOOLEAN)} {g.at(BOOLEAN)})",
        lambda g: f"({word} {g.at(BOOLEAN)} {g.at(BOOLEAN)} {g.at(BOOLEAN)})",
    )


def _source(text: Callable[[Filler], str]) -> list[Template]:
    """A process: made, drawn from twice, and observed."""
    return _of(
        WHOLE,
        lambda g: f"(let [p {text(g)}] (+ (sample p) {g.at(WHOLE)} (sample p)))",
        lambda g: f"(let [p {text(g)}] (sample p) (observe p {g.just('0')}) {g.at(WHOLE)})",
    )


_LOOP: Final = _of(
    WHOLE,
    lambda g: (
        f"(loop [x {_few(g)} y {g.at(WHOLE)}] (if {g.just('(< x 1)')} {g.at(WHOLE, 'x', 'y')} "
        f"(recur {g.just('(- x 1)')} {g.at(WHOLE, 'x', 'y')})))"
    ),
)

TEMPLATES: Final[dict[str, list[Template]]] = {
    # Special forms
    "quote": _of(LIST, lambda g: "'(1 2)"),
    "if": _of(WHOLE, lambda g: f"(if {g.at(BOOLEAN)} {g.at(WHOLE)} {g.at(WHOLE)})"),
    "lambda": _of(WHOLE, lambda g: f"({g.just('(lambda (x & r) (+ x (count r)))')} {g.at(WHOLE)} {g.at(WHOLE)})")
    + _of(F1, lambda g: f"(lambda (x) {g.at(WHOLE, 'x')})"),
    "fn": _of(
        WHOLE,
        lambda g: f"((fn go [x] (if {g.just('(< x 1)')} {g.at(WHOLE, 'x')} (go {g.just('(- x 1)')}))) {_few(g)})",
        lambda g: f"((fn ([x] {g.at(WHOLE, 'x')}) ([x & y] {g.at(WHOLE, 'x')})) {g.at(WHOLE)} {g.at(WHOLE)})",
        lambda g: f"((fn [[x y] z] {g.at(WHOLE, 'x', 'y', 'z')}) {g.just('(list 1 2)')} {g.at(WHOLE)})",
        lambda g: f"((fn [x] (if {g.just('(< x 1)')} {g.at(WHOLE, 'x')} (recur {g.just('(- x 1)')}))) {_few(g)})",
    ),
    "#()": _of(F1, lambda g: f"#(+ % {g.at(WHOLE)})")
    + _of(WHOLE, lambda g: f"(#(- %2 (+ {g.at(WHOLE)} %1)) {g.at(WHOLE)} {g.at(WHOLE)})"),
    "if-not": _of(WHOLE, lambda g: f"(if-not {g.at(BOOLEAN)} {g.at(WHOLE)} {g.at(WHOLE)})"),
    "if-let": _of(WHOLE, lambda g: f"(if-let [x (if {g.at(BOOLEAN)} {g.at(WHOLE)})] {g.at(WHOLE, 'x')} {g.at(WHOLE)})"),
    "when-let": _of(
        WHOLE,
        lambda g: f"(count (list (when-let [[x] (if {g.at(BOOLEAN)} {g.just('(list 1)')})] {g.at(WHOLE, 'x')})))",
    ),
    "condp": _of(
        WHOLE,
        lambda g: f"(condp < {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)})",
        lambda g: f"(condp {g.just('(fn [u w] (< u w))')} {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)} {g.at(WHOLE)})",
    ),
    "->": _of(WHOLE, lambda g: f"(-> {g.at(WHOLE)} (- {g.at(WHOLE)}) inc)"),
    "->>": _of(WHOLE, lambda g: f"(->> {g.at(LIST)} (map {g.at(F1)}) (reduce + {g.at(WHOLE)}))"),
    "as->": _of(WHOLE, lambda g: f"(as-> {g.at(WHOLE)} x {g.at(WHOLE, 'x')} (+ {g.at(WHOLE, 'x')} x))"),
    "for": _of(
        LIST,
        lambda g: f"(for [x {g.at(LIST)}] {g.at(WHOLE, 'x')} {g.at(WHOLE, 'x')})",
        lambda g: (
            f"(for [x {g.at(LIST)} :when {g.at(BOOLEAN)} :let [y {g.at(WHOLE, 'x')}] z {g.just('(list x y)')}] "
            f"{g.at(WHOLE, 'x', 'y', 'z')})"
        ),
        lambda g: f"(for [x {g.at(LIST)} :while (< {g.at(WHOLE, 'x')} 3)] {g.at(WHOLE, 'x')})",
    ),
    "doseq": _of(WHOLE, lambda g: f"(do (doseq [x {g.at(LIST)}] {g.at(WHOLE, 'x')}) {g.at(WHOLE)})"),
    "dotimes": _of(WHOLE, lambda g: f"(do (dotimes [x {_few(g)}] {g.at(WHOLE, 'x')}) {g.at(WHOLE)})"),
    "let": _let("let"),
    "let*": _let("let*"),
    "letrec": _of(
        WHOLE,
        lambda g: (
            f"(letrec [g (fn [x] (if (< x 1) {g.at(WHOLE, 'x')} (h {g.just('(- x 1)')}))) "
            f"h (fn [x] (+ {g.at(WHOLE, 'x')} (g x)))] (g {_few(g)}))"
        ),
        lambda g: (
            f"(letrec [g (mem (fn [x] (if (< x 1) {g.at(WHOLE, 'x')} (h {g.just('(- x 1)')})))) "
            f"h (fn [x] (+ {g.at(WHOLE, 'x')} (g x)))] (+ (g {_few(g)}) (g {_few(g)})))"
        ),
        lambda g: (
            f"(do (define y {g.at(WHOLE)}) (define (g x) (if (< x 1) {g.at(WHOLE, 'x', 'y')} (g {g.just('(- x 1)')}))) "
            f"{g.at(WHOLE, 'y')} (g {_few(g)}))"
        ),
    ),
    "letfn": _of(
        WHOLE,
        lambda g: f"(letfn [(g [x] (if (< x 1) {g.at(WHOLE, 'x')} (g {g.just('(- x 1)')})))] (g {_few(g)}))",
    ),
    "foreach": _of(
        WHOLE, lambda g: f"(reduce + 0 (foreach 2 [x (list {g.at(WHOLE)} {g.at(WHOLE)})] {g.at(WHOLE, 'x')}))"
    ),
    "loop": _LOOP,
    "recur": _LOOP,
    "cond": _of(
        WHOLE,
        lambda g: f"(cond {g.at(BOOLEAN)} {g.at(WHOLE)} {g.at(BOOLEAN)} {g.at(WHOLE)} :else {g.at(WHOLE)})",
        lambda g: f"(cond ({g.at(BOOLEAN)} {g.at(WHOLE)}) (else {g.at(WHOLE)}))",
    ),
    "case": _of(WHOLE, lambda g: f"(case {g.at(WHOLE)} 1 {g.at(WHOLE)} (2 3) {g.at(WHOLE)} {g.at(WHOLE)})"),
    "when": _of(WHOLE, lambda g: f"(count (list (when {g.at(BOOLEAN)} {g.at(LIST)} {g.at(WHOLE)})))"),
    "when-not": _of(WHOLE, lambda g: f"(count (list (when-not {g.at(BOOLEAN)} {g.at(LIST)} {g.at(WHOLE)})))"),
    "and": _both("and"),
    "or": _both("or"),
    "do": _body("do"),
    "begin": _body("begin"),
    "sample*": _of(BOOLEAN, lambda g: f"(sample* {g.at(SOURCE)})"),
    "observe*": [],
    "fm": _of(F1, lambda g: f"(fm [x] {g.at(WHOLE, 'x')})"),
    "with-primitive-procedures": _of(WHOLE, lambda g: f"(with-primitive-procedures [f] {g.at(WHOLE)} {g.at(WHOLE)})"),
    "sample": _of(BOOLEAN, lambda g: f"(sample {g.at(SOURCE)})")
    + _of(LIST, lambda g: f"(map (fn [x] (if x 1 0)) (map sample (list {g.at(SOURCE)} {g.at(SOURCE)})))"),
    "observe": _of(BOOLEAN, lambda g: f"(observe {g.at(SOURCE)} {g.at(BOOLEAN)})"),
    "factor": _of(WHOLE, lambda g: f"(count (list (factor (- {g.at(PROBABILITY)} {g.at(WHOLE)}))))")
    + _of(WHOLE, lambda g: f"(count (map factor (list {g.just('-0.5')} {g.at(PROBABILITY)})))"),
    "condition": _of(WHOLE, lambda g: f"(do [condition (or {g.at(BOOLEAN)} (sample (flip 0.5)))] {g.at(WHOLE)})")
    + _of(WHOLE, lambda g: f"(count (list (condition {g.at(LIST)}) (map condition (list (sample {g.at(SOURCE)})))))"),
    "mem": _of(WHOLE, lambda g: f"(let [m (mem {g.at(F1)})] (+ (m {g.at(WHOLE)}) (m {g.at(WHOLE)}) (m {g.at(WHOLE)})))")
    + _of(F1, lambda g: f"(mem {g.at(F1)})"),
    # Procedures that call procedures
    "map": _maps("map"),
    "mapv": _maps("mapv"),
    "mapcat": _of(
        LIST,
        lambda g: f"(mapcat {g.just('(fn [x] (list x 1))')} {g.at(LIST)})",
        lambda g: f"(mapcat (fn [x] {g.at(LIST, 'x')}) {g.at(LIST)})",
    ),
    "map-indexed": _of(LIST, lambda g: f"(map-indexed {g.at(F2)} {g.at(LIST)})"),
    "filter": _of(LIST, lambda g: f"(filter {g.at(TEST)} {g.at(LIST)})"),
    "remove": _of(LIST, lambda g: f"(remove {g.at(TEST)} {g.at(LIST)})"),
    "reduce": _of(
        WHOLE,
        lambda g: f"(reduce {g.at(F2)} (cons {g.at(WHOLE)} {g.at(LIST)}))",
        lambda g: f"(reduce {g.at(F2)} {g.at(WHOLE)} {g.at(LIST)})",
        lambda g: f"(reduce {g.at(F2)} {g.at(WHOLE)} {g.just('(list)')})",
        lambda g: f"(reduce {g.just('+')} {g.just('(list)')})",
    ),
    "reductions": _of(
        LIST,
        lambda g: f"(reductions {g.at(F2)} {g.at(LIST)})",
        lambda g: f"(reductions {g.at(F2)} {g.at(WHOLE)} {g.at(LIST)})",
    ),
    "take-while": _of(LIST, lambda g: f"(take-while {g.at(TEST)} {g.at(LIST)})"),
    "drop-while": _of(LIST, lambda g: f"(drop-while {g.at(TEST)} {g.at(LIST)})"),
    "group-by": _of(LIST, lambda g: f"(map count (vals (group-by {g.at(F1)} {g.at(LIST)})))"),
    "repeatedly": _of(
        LIST,
        lambda g: f"(repeatedly {_few(g)} {g.at(F0)})",
        lambda g: f"(take {_few(g)} (repeatedly {g.at(F0)}))",
        lambda g: f"(map {g.at(F2)} {g.at(LIST)} (repeatedly {g.at(F0)}))",
    )
    + _of(WHOLE, lambda g: f"(nth (repeatedly {g.at(F0)}) {_few(g)})"),
    "iterate": _of(
        LIST,
        lambda g: f"(take {_few(g)} (iterate {g.at(F1)} {g.at(WHOLE)}))",
        lambda g: f"(take-while {g.just('(fn [u] (< u 5))')} (iterate {g.just('(fn [u] (+ 2 u))')} {g.at(WHOLE)}))",
        lambda g: f"(take {_few(g)} (map {g.at(F1)} (iterate {g.just('inc')} {g.at(WHOLE)})))",
    )
    + _of(
        WHOLE,
        lambda g: f"(first (filter (fn [u] (< {g.just('2')} u)) (iterate {g.just('inc')} {g.at(WHOLE)})))",
        lambda g: f"(first (drop-while (fn [u] (< u {g.just('3')})) (map {g.just('inc')} (range))))",
        lambda g: f"(some (fn [u] (if (< {g.just('2')} u) u)) (cycle (cons 3 {g.at(LIST)})))",
    ),
    "some": _of(BOOLEAN, lambda g: f"(some {g.at(TEST)} {g.at(LIST)})"),
    "every?": _of(BOOLEAN, lambda g: f"(every? {g.at(TEST)} {g.at(LIST)})"),
    "sort-by": _of(WHOLE, lambda g: f"(first (sort-by {g.at(F1)} (cons {g.at(WHOLE)} {g.at(LIST)})))"),
    "apply": _of(
        WHOLE,
        lambda g: f"(apply {g.at(F2)} {g.just('(list 1 2)')})",
        lambda g: f"(apply {g.at(F2)} {g.at(WHOLE)} {g.just('(list 2)')})",
        lambda g: f"(apply {g.just('+')} {g.at(WHOLE)} {g.at(LIST)})",
    ),
    "update": _of(
        MAP,
        lambda g: f"(update {g.at(MAP)} {g.just('0')} {g.at(F1)})",
        lambda g: f"(update {g.at(MAP)} {g.just('1')} {g.at(F2)} {g.at(WHOLE)})",
    ),
    "update-in": _of(
        MAP,
        lambda g: f"(update-in {g.at(MAP)} {g.just('[0]')} {g.at(F1)})",
        lambda g: f"(get-in (update-in {{5 {g.at(MAP)}}} [5 1] {g.at(F2)} {g.at(WHOLE)}) [5])",
    ),
    "comp": _of(F1, lambda g: f"(comp {g.at(F1)} {g.at(F1)})", lambda g: f"(comp {g.at(F1)})", lambda g: "(comp)"),
    "partial": _of(F1, lambda g: f"(partial {g.at(F2)} {g.at(WHOLE)})", lambda g: f"(partial {g.at(F1)})"),
    "constantly": _of(F1, lambda g: f"(constantly {g.at(WHOLE)})"),
    "complement": _of(TEST, lambda g: f"(complement {g.at(TEST)})"),
    "identity": _of(WHOLE, lambda g: f"(identity {g.at(WHOLE)})"),
    "no-case": _of(WHOLE, lambda g: f"(if {g.at(BOOLEAN)} {g.at(WHOLE)} (case {g.just('1')} 1 {g.at(WHOLE)}))"),
    "no-arity": _of(
        WHOLE, lambda g: f"(if {g.at(BOOLEAN)} {g.at(WHOLE)} ((fn ([] 1) ([x] {g.at(WHOLE, 'x')})) {g.at(WHOLE)}))"
    ),
    "procedure?": _of(BOOLEAN, lambda g: f"(procedure? {g.at(F1)})", lambda g: f"(procedure? {g.at(WHOLE)})"),
    # Nested inference
    "conditional": _of(
        WHOLE,
        lambda g: f"(sample (conditional {g.at(F0)}))",
        lambda g: (
            f"(let [d (conditional (fn [] (let [heads (sample (flip 0.3)) n {g.at(WHOLE)}] "
            f"(condition (or heads (sample (flip {g.at(PROBABILITY)})))) (if heads n (inc n)))))] "
            "(+ (sample d) (sample d)))"
        ),
        lambda g: f"(let [n {g.at(WHOLE)} d (conditional (fn [] (seen (if (sample (flip 0.4)) n 0))))] (sample d))",
        lambda g: f"(let [d (conditional (fn [] (sample {g.at(SOURCE)})))] (observe d true) (if (sample d) 1 2))",
    ),
    # Processes, which are made at an address
    "crp": _source(lambda g: f"(crp {g.at(PROBABILITY)})")
    + _source(lambda g: f"(crp {g.at(PROBABILITY)} {g.at(PROBABILITY)})"),
    "polya-urn": _source(lambda g: f"(polya-urn [{g.at(PROBABILITY)} 0.5])"),
    "dirichlet-discrete": _source(lambda g: f"(dirichlet-discrete [{g.at(PROBABILITY)} 0.5])"),
    "beta-flip": _of(
        BOOLEAN,
        lambda g: f"(let [p (beta-flip {g.at(PROBABILITY)} {g.at(PROBABILITY)})] (= (sample p) (sample p)))",
        lambda g: f"(let [p (beta-flip 1.0 {g.at(PROBABILITY)})] (observe p {g.just('true')}) (sample p))",
    ),
}
"""The uses of each form, with all of its places. The other processes are in `CONTINUOUS`."""


def _mean(g: Filler) -> str:
    return f"(fn [x] {g.just('0.0')})"


def _kernel(g: Filler) -> str:
    return f"(fn [x y] (exp (- (abs {g.just('(- x y)')}))))"


def _continuous(of: Callable[[Filler], str], one: str = "p", other: str = "p") -> list[Template]:
    return _of(
        WHOLE,
        lambda g: (
            f"(let [p {of(g)}] (observe {g.just(other)} {g.just('0.3')}) "
            f"(if (< (sample {one}) 0.5) {g.at(WHOLE)} (int (* 9 (sample {one})))))"
        ),
    )


CONTINUOUS: Final[dict[str, list[Template]]] = {
    "normal-normal": _continuous(lambda g: f"(normal-normal {g.at(PROBABILITY)} 1.0 {g.at(PROBABILITY)})"),
    "dp": _continuous(lambda g: f"(dp {g.at(PROBABILITY)} {g.just('(normal 0 1)')})")
    + _of(
        WHOLE,
        lambda g: (
            f"(let [p (dp {g.at(PROBABILITY)} (fn [] (if (< (sample (normal 0 1)) 0) {g.at(WHOLE)} 2)))] "
            "(+ (sample p) (sample p)))"
        ),
    ),
    "gp": _continuous(lambda g: f"(gp {g.put(partial(_mean, g))} {g.put(partial(_kernel, g))})", "(p 0)", "(p 1)"),
}
"""What cannot be enumerated."""
