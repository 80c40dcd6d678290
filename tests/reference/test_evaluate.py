"""Traced evaluation: values, and the components of the traces of the paper's programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.smc import Smc
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.constructors import PROCESS_CONSTRUCTORS
from pplc_runtime.program.names import SIGNATURES
from pplc_runtime.reference import executed, log_joint, replay
from pplc_runtime.reference.engine import ReferenceEngine
from pplc_runtime.reference.execution import Particle
from pplc_runtime.reference.higher_order import HIGHER_ORDER
from pplc_runtime.reference.methods import one_lane, planned
from pplc_runtime.reference.trace import Entry, Lookup, PrimitiveCall, Trace, Value
from pplc_runtime.values import Impossible, List, ModelError, key_of

from .programs import infer, program_of


def value_of(expression: str, choices: Sequence[Any] = ()) -> Any:
    return replay(program_of(f'[predict "v" {expression}]'), choices).predicts["v"]


def log_normal(x: float, mean: float, sd: float = 1.0) -> float:
    return -0.5 * ((x - mean) / sd) ** 2 - math.log(sd) - 0.5 * math.log(2.0 * math.pi)


def trace_of(particle: Particle, generation: int, statement: int) -> Trace:
    (tau,) = particle.generations[generation].traces[statement]
    return tau


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(+ 1 2 3)", 6),
        ("(if nil 1 2)", 2),
        ("(if 0 1 2)", 1),
        ("(let [x 1 y (+ x 1)] (* x y))", 2),
        ("((fn [x & ys] (count ys)) 1 2 3)", 2),
        ("(loop [i 0 total 0] (if (< i 5) (recur (+ i 1) (+ total i)) total))", 10),
        (
            """(letrec [even (lambda (n) (if (= n 0) true (odd (- n 1))))
                        odd (lambda (n) (if (= n 0) false (even (- n 1))))]
                 (even 7))""",
            False,
        ),
        (
            """(let [k 3]
                 (letrec [f (lambda (n) (if (= n 0) k (g (- n 1))))
                          g (lambda (n) (+ 1 (f n)))]
                   (f 2)))""",
            5,
        ),
        ("(map (lambda (x y) (+ x y)) [1 2 3] [10 20])", List((11, 22))),
        ("(mapv inc [1 2])", (2, 3)),
        ("(mapcat (lambda (x) [x x]) [1 2])", List((1, 1, 2, 2))),
        ("(map-indexed (lambda (i x) (* i x)) [5 6])", List((0, 6))),
        ("(filter (lambda (x) (> x 1)) [1 2 3])", List((2, 3))),
        ("(remove (lambda (x) (> x 1)) [1 2 3])", List((1,))),
        ("(reduce + [1 2 3])", 6),
        ("(reduce (lambda (a x) (- a x)) 10 [1 2])", 7),
        ("(some (lambda (x) (if (> x 1) x false)) [1 2 3])", 2),
        ("(every? (lambda (x) (> x 1)) [1 2 3])", False),
        ("(sort-by (lambda (x) (- x)) [1 3 2])", List((3, 2, 1))),
        ("(apply + 1 2 [3 4])", 10),
        ("(update {:a 1} :a + 5 6)", None),
        ("((partial - 10) 1 2)", 7),
        ("((comp inc (partial * 2)) 5)", 11),
        ("((complement nil?) 1)", True),
        ("((constantly 7) 1 2)", 7),
        ("(procedure? (lambda (x) x))", True),
        ("(let [f (mem (lambda (x) (+ x 1)))] (+ (f 1) (f 1.0)))", 4),
        ("({:a 5} :a)", 5),
        ("(:b {:a 5} 6)", 6),
        ("([7 8] 1)", 8),
        ("(sample (dirac [1 2]))", (1, 2)),
        ("(map mem (list inc))", None),
    ],
)
def test_values(expression: str, value: Any) -> None:
    result = value_of(expression)
    if value is not None:
        assert key_of(result) == key_of(value)
        assert isinstance(result, List) == isinstance(value, List)


def test_choices() -> None:
    assert value_of('(sample (categorical [["a" 0.2] ["b" 0.8]]))', [1]) == "b"
    assert value_of("(repeatedly 2 (lambda () (sample (flip 0.5))))", [True, False]) == List((True, False))
    memoised = "(let [f (mem (lambda (k) (sample (flip 0.5))))] (list (f 1) (f 1) (f 2)))"
    assert value_of(memoised, [True, False]) == List((True, True, False))


def test_every_primitive_that_calls_procedures_is_traced() -> None:
    processes = {f"{name}{ending}" for name in (*PROCESS_CONSTRUCTORS, "gp") for ending in ("", "-dist")}
    addressed = {name for name, signature in SIGNATURES.items() if signature.addressed}
    assert addressed - processes <= set(HIGHER_ORDER)


# The paper's programs

CONDITIONAL_MEAN = """
[assume random? (sample (flip-dist 0.5))]
[assume mu (if random? (sample (normal-dist 0.0 1.0)) 0.0)]
[observe (normal-dist mu 1.0) 0.1]
"""


def test_conditional_mean() -> None:
    _, particle = executed(program_of(CONDITIONAL_MEAN), [True, 0.7])
    random, mu, observed = (trace_of(particle, 0, statement) for statement in range(3))

    assert random.v is True and random.l == 0.0 and not random.rho and not random.omega and not random.phi
    ((address, sampled),) = random.sigma.items()
    assert address.path() == (0, 1)
    assert sampled.v is True and isinstance(sampled.source.epsilon, PrimitiveCall)
    assert sampled.source.epsilon.name == "flip-dist"
    assert [tau.v for tau in sampled.source.epsilon.traces] == [0.5]

    assert mu.v == 0.7 and mu.l == 0.0 and isinstance(mu.epsilon, Value)
    assert dict(mu.rho) == {"random?": random}
    assert [alpha.path() for alpha in mu.sigma] == [(1, 2)]
    ((address, predicate),) = mu.phi.items()
    assert address.path() == (1, ("if", 0))
    assert predicate.v is True and isinstance(predicate.epsilon, Lookup)

    assert observed.v == 0.1
    assert observed.l == pytest.approx(log_normal(0.1, 0.7))
    assert dict(observed.rho) == {"mu": mu}
    assert not observed.sigma and not observed.phi
    ((address, (source, value, log_weight)),) = observed.omega.items()
    assert address.path() == (2,)
    assert (value.v, log_weight) == (0.1, observed.l)
    assert dict(source.rho) == {"mu": mu} and isinstance(source.epsilon, PrimitiveCall)


def test_conditional_mean_the_other_way() -> None:
    _, particle = executed(program_of(CONDITIONAL_MEAN), [False])
    mu = trace_of(particle, 0, 1)
    assert mu.v == 0.0 and not mu.sigma
    assert [tau.v for tau in mu.phi.values()] == [False]


GEOMETRIC = """
[assume geom (lambda (p) (if (sample (flip-dist p)) 1 (+ 1 (geom p))))]
[observe (poisson-dist (geom 0.5)) 3]
"""


def test_geometric() -> None:
    program = program_of(GEOMETRIC)
    _, particle = executed(program, [False, False, True])
    observed = trace_of(particle, 0, 1)
    first, again = (1, 4), (3,)  # in statement 1, call 4; call 3 in the body of that
    assert observed.l == pytest.approx(3.0 * math.log(3.0) - 3.0 - math.log(6.0))
    assert set(observed.rho) == {"geom"}
    assert [alpha.path() for alpha in observed.sigma] == [
        (*first, 2),
        (*first, *again, 2),
        (*first, *again, *again, 2),
    ]
    tests = {(*first, *again * depth, ("if", 0)) for depth in range(3)}
    assert {alpha.path() for alpha in observed.phi} == tests
    assert [sampled.v for sampled in observed.sigma.values()] == [False, False, True]
    assert replay(program, [False, False, True]).log_prior == pytest.approx(3 * math.log(0.5))
    assert replay(program, [False, False])[:2] == (-math.inf, -math.inf)
    assert replay(program, [True, False])[:2] == (-math.inf, -math.inf)


INFINITE_MIXTURE = """
[assume class-prior (crp 1.0)]
[assume class (mem (lambda (n) (sample class-prior)))]
[assume class-dist (mem (lambda (k) (normal-dist (sample (normal-dist 0.0 1.0)) 1.0)))]
[observe (class-dist (class 0)) 2.1]
[observe (class-dist (class 1)) 0.6]
[observe (class-dist (class 2)) 1.2]
[predict (class 2)]
"""


def test_infinite_mixture() -> None:
    program = program_of(INFINITE_MIXTURE)
    _, particle = executed(program, [0, 1.3, 1, -0.4, 1])
    observed = trace_of(particle, 0, 3)
    assert observed.l == pytest.approx(log_normal(2.1, 1.3))
    assert not observed.sigma, "what a memo entry draws is in the trace of the entry"
    class_entry, dist_entry = [s for s in observed.rho if isinstance(s, Entry)]
    assert [s for s in observed.rho if isinstance(s, str)] == ["class-dist", "class"]
    assert (class_entry.at.path(), class_entry.key) == ((1, 2), key_of((0,)))
    assert (dist_entry.at.path(), dist_entry.key) == ((2, 5), key_of((0,)))
    assert [sampled.v for sampled in observed.rho[class_entry].sigma.values()] == [0]
    assert [sampled.v for sampled in observed.rho[dist_entry].sigma.values()] == [1.3]
    assert set(observed.rho[class_entry].rho) == {"class", "class-prior"}

    last = trace_of(particle, 2, 0)
    assert [s.key for s in last.rho if isinstance(s, Entry)] == [key_of((2,)), key_of((1,))]
    log_prior, log_likelihood, predicts = replay(program, [0, 1.3, 1, -0.4, 1])
    assert log_prior == pytest.approx(math.log(1 / 2) + math.log(1 / 3) + log_normal(1.3, 0.0) + log_normal(-0.4, 0.0))
    expected = log_normal(2.1, 1.3) + log_normal(0.6, -0.4) + log_normal(1.2, -0.4)
    assert log_likelihood == pytest.approx(expected)
    assert predicts == {"(class 2)": 1}
    assert replay(program, [0, 1.3, 2, -0.4, 1]).log_prior == -math.inf, "label 2 before label 1"


def test_the_joint_by_address() -> None:
    program = program_of(INFINITE_MIXTURE)
    _, particle = executed(program, [0, 1.3, 1, -0.4, 1])
    choices = {alpha: choice.value for alpha, choice in particle.choices().items()}
    log_prior, log_likelihood, _ = replay(program, [0, 1.3, 1, -0.4, 1])
    assert log_joint(program, choices) == pytest.approx(log_prior + log_likelihood)
    by_path = {alpha.path(): value for alpha, value in choices.items()}
    assert log_joint(program, by_path) == pytest.approx(log_prior + log_likelihood)
    assert log_joint(program, {**by_path, (9, 1): 1.0}) == -math.inf
    by_path.popitem()
    assert log_joint(program, by_path) == -math.inf


def test_an_observe_in_a_memo_counts_once() -> None:
    program = program_of("""
    [assume m (mem (lambda (k) (do (observe (flip 0.2) true) k)))]
    [assume x (+ (m 1) (m 1) (m 2))]
    [observe (flip 0.5) true]
    [predict (+ x (m 2))]
    """)
    log_prior, log_likelihood, predicts = replay(program, [])
    assert (log_prior, predicts) == (0.0, {"(+ x (m 2))": 6})
    assert log_likelihood == pytest.approx(2 * math.log(0.2) + math.log(0.5))


def test_the_value_of_a_local_variable_counts_once() -> None:
    program = program_of("[assume x (let [y (observe (flip 0.2) true)] (list y y y))]")
    assert replay(program, []).log_likelihood == pytest.approx(math.log(0.2))


def test_loops_inputs_and_labels() -> None:
    program = program_of("""
    [input ys]
    [input scale 2.0]
    [for [i (range 0 (count ys)) j [1 2]]
      [predict (* scale j (nth ys i))]]
    """)
    expected = {"(* scale j (nth ys i))": 6.0, "(* scale j (nth ys i))#2": 12.0}
    assert replay(program, [], {"ys": [3.0]}).predicts == expected
    with pytest.raises(ModelError, match="the input 'ys' has no value"):
        replay(program, [])


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("[assume x 1]\n[assume y (+ x nil)]", "numbers", (2, 11, 9)),
        ("[assume f (lambda (x) (normal x -1.0))]\n[predict (sample (f 1))]", "normal", (1, 23, 15)),
        ("[predict (sample 5)]", "sample takes a distribution", (1, 10, 10)),
        ("[observe (normal 0 1) true]", "normal", (1, 1, 27)),
        ("[assume f (mem (lambda (x) (f x)))]\n[predict (f 1)]", "needs its own value", (1, 28, 5)),
        ("[assume f (lambda (x) (+ 1 (f x)))]\n[predict (f 1)]", "more than", (1, 28, 5)),
        ("[assume f (first (list (lambda (x y) x)))]\n[predict (f 1)]", "takes 2 arguments", (2, 10, 5)),
        ("[for [i (sample (discrete [1 1]))] [predict i]]", "must not be random", (1, 9, 25)),
    ],
)
def test_errors_know_their_place(text: str, message: str, place: tuple[int, int, int]) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        list(infer(program_of(text), "smc", particles=2, sweeps=1, seed=1))
    assert caught.value.place == place


def test_an_execution_of_weight_zero_ends_there() -> None:
    program = program_of("[observe (flip 0.0) true] [predict (nth [] 5)]")
    (sweep,) = infer(program, "importance", particles=3, sweeps=1, seed=1)
    assert (sweep.log_evidence, sweep.predicts) == (-math.inf, {})
    with one_lane(), pytest.raises(Impossible, match="all weights are zero") as caught:
        Smc().once(ReferenceEngine(planned(program)), Settings(2, 1), 0, Key.of(1))
    assert caught.value.place == (1, 1, 25)


@pytest.mark.slow
def test_deep_recursion() -> None:
    assert value_of("(loop [i 0] (if (< i 3000) (recur (+ i 1)) i))") == 3000
    assert value_of("(letrec [f (lambda (n) (if (= n 0) 0 (+ 1 (f (- n 1)))))] (f 3000))") == 3000


def test_a_gaussian_process() -> None:
    program = program_of("""
    [assume f (gp (lambda (x) 0.5) (lambda (a b) (exp (* -0.5 (- a b) (- a b)))))]
    [assume y (sample (f 0.0))]
    [observe (f 1.0) 0.2]
    [predict (sample (f 1.0))]
    """)
    log_prior, log_likelihood, predicts = replay(program, [1.1])
    correlation = math.exp(-0.5)
    assert log_prior == pytest.approx(log_normal(1.1, 0.5))
    spread = math.sqrt(1.0 - correlation**2)
    assert log_likelihood == pytest.approx(log_normal(0.2, 0.5 + correlation * 0.6, spread))
    assert predicts == {"(sample (f 1.0))": 0.2}


def test_a_dirichlet_process() -> None:
    program = program_of("""
    [assume d (dp 2.0 (normal 0.0 1.0))]
    [assume xs (repeatedly 3 (lambda () (sample d)))]
    """)
    fresh, again = log_normal(0.7, 0.0), log_normal(-1.0, 0.0)
    expected = fresh + math.log(1 / 3) + math.log(2 / 4) + again
    assert replay(program, [0.7, 0.7, -1.0]).log_prior == pytest.approx(expected)
