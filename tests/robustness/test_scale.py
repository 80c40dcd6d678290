"""Programs that are long, wide, deep, or run for long. (`benchmarks/compile_speed.py` prints how long.)"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import pplc
from pplc.diagnostics import CompileError
from pplc.pipeline import check, compile_source
from pplc.source import Source
from pplc_runtime.values import ModelError


def value(text: str, particles: int = 1, **settings: Any) -> Any:
    posterior = pplc.compile_text(text, "m.clj").infer("importance", particles=particles, sweeps=1, seed=1, **settings)
    *_, column = posterior.sweeps[0].predicts.values()
    return column[0]


# Long


def test_ten_thousand_statements_that_differ_in_literals() -> None:
    rng = Random(1)
    lines = [f"[observe (normal (* mu {i % 7}) 1.5) {rng.gauss(0, 1):.4f}]" for i in range(10_000)]
    text = "[assume mu (sample (normal 0 1))]\n" + "\n".join(lines)
    models: list[pplc.Model] = []
    models.append(pplc.compile_text(text))
    assert models[0].text.count("def ") == 2
    assert models[0].infer("importance", particles=2, sweeps=1, seed=1)


def test_a_thousand_assumes() -> None:
    lines = [f"[assume x{i} (sample (normal {i} 1))]" for i in range(1000)]
    compile_source(Source("m.clj", "\n".join(lines)))


@pytest.mark.parametrize("kind", ["floats", "ints", "matrix"])
def test_a_data_literal_of_a_megabyte(kind: str) -> None:
    rng = Random(2)
    if kind == "ints":
        data = " ".join(str(rng.randrange(-1000, 1000)) for _ in range(250_000))
    elif kind == "floats":
        data = " ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(110_000))
    else:
        rows = [" ".join(f"{rng.gauss(0, 1):.6f}" for _ in range(36)) for _ in range(3000)]
        data = " ".join(f"[{row}]" for row in rows)
    text = f"[assume y [{data}]]\n[predict (first y)]"
    compile_source(Source("m.clj", text))
    first = value(text)
    words = data.replace("[", "").replace("]", "").split()
    assert (list(first) if kind == "matrix" else [first]) == [
        float(word) for word in words[: 36 if kind == "matrix" else 1]
    ]


def test_large_data_come_back_exactly() -> None:
    rng = Random(3)
    numbers = [rng.choice([rng.gauss(0, 1), 1e-300 * rng.random(), -0.0, 1e22, 5e-324]) for _ in range(3000)]
    data = " ".join(map(repr, numbers))
    assert value(f"[predict [{data}]]").tolist() == numbers
    whole = [rng.randrange(-(2**62), 2**62) for _ in range(3000)]
    assert value(f"[predict [{' '.join(map(str, whole))}]]").tolist() == whole


# Wide


def test_a_let_of_many_bindings() -> None:
    bindings = " ".join(f"a{i} (+ {'x' if i == 0 else f'a{i - 1}'} 1)" for i in range(2000))
    assert value(f"[assume f (fn [x] (let [{bindings}] a1999))]\n[predict (f 0)]") == 2000


@pytest.mark.parametrize("last", ["-1", "(f (- x 1))"])
def test_a_cond_of_many_clauses(last: str) -> None:
    clauses = " ".join(f"(= x {i}) {i * i}" for i in range(200))
    text = f"[assume f (fn [x] (cond {clauses} :else {last}))]\n"
    compile_source(Source("m.clj", text))
    assert value(text + "[predict (f 150)]") == 22500
    assert value(text + "[assume x (sample (uniform-discrete 100 190))]\n[predict (= (f x) (* x x))]", 20)


def test_a_case_of_many_clauses() -> None:
    clauses = " ".join(f"{i} :k{i}" for i in range(200))
    assert str(value(f"[predict (case 150 {clauses} :none)]")) == ":k150"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("(+ {})", 1000),
        ("(max {})", 1),
        ("(count [{}])", 1000),
        ("(count (list {}))", 1000),
        ("(and {})", 1),
        ("(do {})", 1),
        ("(= {})", True),
        ("(count (str {}))", 1000),
    ],
)
def test_a_thousand_arguments(form: str, expected: object) -> None:
    assert value(f"[assume a 1]\n[predict {form.format('a ' * 1000)}]") == expected


def test_many_arguments_of_a_procedure() -> None:
    names = " ".join(f"a{i}" for i in range(300))
    text = f"[assume f (fn [{names}] a299)]\n[predict (f {' '.join(map(str, range(300)))})]"
    assert value(text) == 299


# Deep


@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [
        ("(+ 1 ", "1", ")"),
        ("(let [y ", "1", "] y)"),
        ("(let [y 1] ", "1", ")"),
        ("(if x ", "1", " 2)"),
        ("(if x 2 ", "1", ")"),
        ("(if (and x x) (let [y x] (or y x)) ", "1", ")"),
        ("(do (sample (flip 0.5)) ", "1", ")"),
        ("(fn [y] ", "1", ")"),
        ("(loop [i 0] (if (< i 1) (recur (inc i)) ", "1", "))"),
        ("(first [", "1", "])"),
        ("[", "1", "]"),
        ("[", "x", "]"),
        ("{:a ", "x", "}"),
    ],
)
def test_nesting(opening: str, inner: str, closing: str) -> None:
    def text(depth: int) -> str:
        return f"[assume x (sample (flip 0.5))]\n[predict {opening * depth}{inner}{closing * depth}]"

    value(text(190), particles=2)
    (error,) = check(Source("m.clj", text(1000)))
    assert error.message == "expressions are nested too deeply (more than 400 levels)"


@pytest.mark.slow
@pytest.mark.parametrize(("opening", "closing"), [("(+ 1 ", ")"), ("[", "]"), ("(let [y ", "] y)")])
def test_nesting_of_100_000_levels(opening: str, closing: str) -> None:
    (error,) = check(Source("m.clj", f"[predict {opening * 100_000}x{closing * 100_000}]"))
    assert error.message == "expressions are nested too deeply (more than 400 levels)"


def test_the_deepest_expression() -> None:
    assert value(f"[predict {'(+ 1 ' * 399}1{')' * 399}]") == 400
    with pytest.raises(CompileError, match=r"m\.clj:1:2006: error: expressions are nested too deeply"):
        value(f"[predict {'(+ 1 ' * 400}1{')' * 400}]")


def test_the_deepest_data() -> None:
    assert value(f"[predict (count '{'(' * 59}{')' * 59})]") == 1
    with pytest.raises(CompileError, match="quoted data are nested too deeply"):
        value(f"[predict '{'(' * 1000}{')' * 1000}]")


def test_the_deepest_for() -> None:
    def text(depth: int) -> str:
        loops = "".join(f"[for [t{i} [1]] " for i in range(depth))
        return f"{loops}[predict t{depth - 1}]{']' * depth}"

    assert value(text(50)) == 1
    with pytest.raises(CompileError, match="statements are nested too deeply"):
        value(text(1000))


# Long runs


RECURSIVE = "[assume f (fn [n] (if (= n 0) 0 (+ 1 (f (- n 1)))))]\n"


@pytest.mark.parametrize("particles", [1, 3])
def test_recursion_of_100_000_levels(particles: int) -> None:
    assert value(RECURSIVE + "[predict (f 100000)]", particles) == 100_000


def test_recursion_through_lets_branches_and_each_other() -> None:
    text = """[assume x (sample (uniform-continuous 1 2))]
[assume ping (fn [n] (if (< n x) 0 (let [m (- n 1) below (pong m)] (+ below 1))))]
[assume pong (fn [n] (cond (< n x) 0 :else (+ 1 (ping (- n 1)))))]
[predict (ping 50000)]"""
    assert value(text, particles=2) == 49_999


def test_recursion_through_map() -> None:
    text = "[assume f (fn [n] (if (= n 0) 0 (+ 1 (first (map f [(- n 1)])))))]\n[predict (f 10000)]"
    assert value(text) == 10_000


@pytest.mark.slow
@pytest.mark.parametrize("particles", [1, 3])
@pytest.mark.parametrize(
    "text",
    [
        "[predict (loop [i 0 s 0] (if (< i 1000000) (recur (inc i) (+ s 1)) s))]",
        "[assume f (fn [i s] (if (< i 1000000) (f (inc i) (+ s 1)) s))]\n[predict (f 0 0)]",
    ],
)
def test_a_million_rounds(text: str, particles: int) -> None:
    assert value(text, particles) == 1_000_000


def test_recursion_past_the_limit() -> None:
    with pytest.raises(ModelError) as caught:
        value(RECURSIVE + "[predict (f 100000)]", max_depth=1000)
    assert str(caught.value).split("\n")[:3] == [
        "m.clj:1:38: error: the recursion is too deep; raise the limit with --max-depth or max_depth=",
        "  1 | [assume f (fn [n] (if (= n 0) 0 (+ 1 (f (- n 1)))))]",
        "    |                                      ^^^^^^^^^^^",
    ]


@pytest.mark.slow
def test_endless_recursion_fails_by_itself() -> None:
    with pytest.raises(ModelError, match="the recursion is too deep"):
        value(RECURSIVE + "[predict (f -1)]")
