"""Programs without scripts, programs that deceive the tracer, and scripts that fail."""

from __future__ import annotations

from typing import Any

import pytest
from tests.share import share

from pplc import compile_text
from pplc_runtime.values import ModelError

from .scripts import assert_both, assert_same, with_scripts
from .sweeps import ANYWHERE, chain, compiled

STRAIGHT = {
    "mapv": "[assume x (nth (mapv (lambda (t) (* t a)) [1.0 2.0]) 1)]",
    "filter and sort-by of what all lanes share": """
        [assume x (first (sort-by (lambda (i) (- 0 i)) (filter (lambda (i) (< i 3)) (list 1 2 3 4))))]
        [assume y (nth (list a 0.0 (* 2 a)) x)]""",
    "elements chosen by what all lanes share": """
        [assume rows (list (list 0 a) (list 1 (* 2 a)) (list 2 0.5))]
        [assume x (second (first (filter (lambda (row) (= 1 (first row))) rows)))]""",
    "some and every?": "[assume x (if (and (every? pos? [1 2]) (some pos? [0 1])) a 0.0)]",
    "maps": """
        [assume m (update (assoc {:a a :b 2.0} :c (* 3 a)) :b (lambda (b) (* a b)))]
        [assume x (+ (get m :b) (get-in {:m m} (list :m :c)) (first (vals (dissoc m :b :c))))]""",
    "sort": """
        [assume y (apply + (sort (mapv (fn [k] (* k a)) [3 1 2])))]
        [assume x (+ y (nth (sort (list (* 2 a) 0.3 a)) 1))]""",
    "a dirac": "[observe (dirac (< -0.5 a)) true] [assume x (sqrt (+ 0.5 a))]",
    "a dirac of a number": "[assume k (sample (binomial 2 0.5))] [observe (dirac (+ k 1)) 2] [assume x (+ a k)]",
    "mapcat": "[assume x (second (mapcat (lambda (k) (list k (* k a))) [1.0 2.0]))]",
}


@pytest.mark.parametrize("name", STRAIGHT)
def test_what_has_a_fixed_course(name: str) -> None:
    source = f"[assume a (sample (normal 0.0 1.0))] {STRAIGHT[name]} [observe (normal x 1.0) 0.5] [predict (+ a x)]"
    run, straight = compiled(source).plan, with_scripts(source)
    assert straight.scripts is not None
    for method in ANYWHERE:
        assert_both(run, straight, method, 2, 5)


LOOSE = {
    "a draw in a branch": "[assume x (if (sample (flip 0.5)) (sample (normal 0.0 1.0)) 0.0)]",
    "a memo entry by a random key": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume x (f (sample (discrete [0.5 0.5])))]""",
    "a memo entry by a key that all lanes share by chance": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (f k)]""",
    "the same by map": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (first (map f (list k)))]""",
    "a filter that all lanes pass by chance": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (* 1.0 (count (filter (lambda (i) (< i 2)) (list k 1.0))))]""",
    "an order by what varies": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (first (sort-by (lambda (i) (* k i)) (list 1.0 2.0)))]""",
    "a map with a key that varies": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (get {k 1.0 1.5 2.0} 1.5)]""",
    "a process": "[assume c (crp 1.0)] [assume x (* 1.0 (sample c))]",
    "a closure chosen at random": """
        [assume f (if (sample (flip 0.5)) (lambda (a) (+ a 1.0)) (lambda (a) (* a 2.0)))]
        [assume x (f 1.0)]""",
    "a list of random length": """
        [assume xs (repeatedly (sample (uniform-discrete 1 3)) (lambda () (sample (normal 0.0 1.0))))]
        [assume x (first xs)]""",
    "a random recursion": """
        [assume deep (lambda (n) (if (sample (flip 0.5)) (deep (+ n 1)) n))]
        [assume x (* 1.0 (deep 0))]""",
    "a loop with a random end": """
        [assume n (sample (poisson 2.0))]
        [assume x (loop [i 0 s 0.0] (if (< i n) (recur (+ i 1) (+ s 1.0)) s))]""",
    "values of different kinds": '[assume x (if (= "a" (if (sample (flip 0.5)) "a" "b")) 1.0 2.0)]',
}


@pytest.mark.parametrize("name", LOOSE)
def test_what_has_no_fixed_course(name: str) -> None:
    source = f"{LOOSE[name]} [observe (normal x 1.0) 0.5] [predict x]"
    assert with_scripts(source).scripts is None


DECEPTIVE = {
    "an element that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))] [assume b (sample (normal 10.0 1.0))]
        [assume z (sample (discrete [0.97 0.03]))]
        [observe (normal (nth (list a b) z) 1.0) 8.0] [predict z]""",
    "a distribution that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))]
        [assume z (sample (discrete [0.97 0.03]))]
        [observe (nth (list (normal a 1.0) (normal (+ 10.0 a) 1.0)) z) 8.0] [predict z]""",
    "a category that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))] [assume b (sample (normal 10.0 1.0))]
        [assume c (sample (categorical (list (list a 0.97) (list b 0.03))))]
        [observe (normal c 1.0) 8.0] [predict c]""",
    "categories that are numbers": """
        [assume c (sample (categorical [[1.5 0.5] [2 0.3] [7.5 0.2]]))]
        [observe (normal c 1.0) 4.0]
        [assume d (sample (normal c 1.0))] [observe (normal d 1.0) 3.0] [predict (+ c d)]""",
    "categories that floats do not hold": """
        [assume c (sample (categorical (list (list 1152921504606846977 0.97) (list 1.5 0.03))))]
        [assume r (* 1.0 (- c 1152921504606846976))]
        [observe (normal r 3.0) 0.5] [predict r]""",
    "an element of an older vector": """
        [assume g (sample (normal 0.0 1.0))] [observe (normal g 1.0) 0.3]
        [assume v (sample (mvn [0.0 0.0] [[1.0 0.2] [0.2 2.0]]))] [observe (normal (nth v 1) 1.0) 0.5]
        [assume a (first v)] [observe (normal a 1.0) 0.2]
        [observe (normal (* g a) 0.3) 0.1] [predict g] [predict a]""",
    "an element of an older vector, and lanes that end": """
        [assume v (sample (mvn [0.0 0.0] [[1.0 0.2] [0.2 2.0]]))] [observe (normal (nth v 1) 1.0) 0.3]
        [assume g (sample (normal 0.0 1.0))] [observe (uniform -3.0 (+ 0.5 g)) 0.0]
        [assume a (first v)] [observe (normal 0.0 (+ 0.5 g)) 0.2]
        [observe (normal (* a g) 0.3) 0.1] [predict g] [predict a]""",
    "a memo entry that some lanes compute later": """
        [assume f (mem (fn [k] (* 1.0 now)))]
        [for [t (range 4)] [assume now (* 10.0 t)] [assume u (sample (normal 0.0 1.0))]
          [assume s (if (> u 0.0) (f 1) 0.0)] [observe (normal s 10.0) 5.0]] [predict s]""",
    "an order that all lanes share by chance": """
        [assume w (mem (fn [i] (sample (normal (* 3.0 i) 1.0))))]
        [assume order (sort-by (fn [i] (w i)) (list 0 1 2))]
        [observe (normal (+ (first order) (w 0)) 1.0) 1.0] [predict (first order)]""",
    "a key that is a list": """
        [assume k (if (sample (flip 0.03)) 1 0)]
        [assume x (get (hash-map (list 0 1) 1.0 (list 1 1) 9.0) (list k 1))]
        [observe (normal x 3.0) 5.0] [predict x]""",
    "a key that goes into a map": """
        [assume k (if (sample (flip 0.1)) 1 0)] [assume x (sample (normal 0.0 1.0))]
        [assume m (conj (hash-map 0 5.0) (list k x))]
        [observe (normal (get m 0) 2.0) 2.0] [predict (get m 0)]""",
    "candidates that are out of range": """
        [assume g (sample (discrete [0.5 0.4 0.1]))] [assume b0 (sample (flip 0.5))] [assume b1 (sample (flip 0.4))]
        [observe (normal g 5.0) 0.5] [assume k (sample (discrete [0.5 0.4 0.1]))] [observe (normal k 2.0) 1.0]
        [observe (normal (+ (* 0.5 g) (if (get [b0 b1 b0 b1] (+ g k)) 1.0 -1.0)) 0.5) -0.7]
        [predict g] [predict k]""",
    "structures inside of structures": """
        [assume xs (reduce (fn [acc i] (list (sample (normal 0.0 1.0)) acc)) nil (range 150))]
        [observe (normal (first xs) 1.0) 0.5] [predict (first xs)]""",
}
"""Programs that a careless trace would take for others: found by looking for such."""


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("name", share(DECEPTIVE, 14))
def test_programs_that_deceive(name: str, method: str) -> None:
    run, straight = compiled(DECEPTIVE[name]).plan, with_scripts(DECEPTIVE[name])
    for seed in range(8):
        if straight.scripts is not None:
            straight.scripts.attempts = straight.scripts.failures = 0
        assert_both(run, straight, method, seed, (2, 3, 5, 12)[seed % 4])


WRONG = {
    "too many arguments": "(sample (apply normal [0.0 1.0 5.0]))",
    "a call of a list": "((list x 2.0) 0)",
    "a call of a draw": "((sample (normal 0.0 1.0)) 0)",
    "an index beyond a drawn vector": "((sample (mvn [0.0] [[1.0]])) 1)",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    source = f"""
        [assume x (sample (normal 0.0 1.0))]
        [assume y {WRONG[name]}]
        [observe (normal y 1.0) 0.5] [predict x]"""
    with pytest.raises(ModelError):
        compile_text(source).infer("smc", particles=5, sweeps=20, seed=1)


ENDLESS = {
    "a loop": "(loop [i 0.0] (if (< i 1.0) (recur (- i 1.0)) i))",
    "a recursion": "(down -1.0)",
    "a long computation": "(loop [i 0 s 0.0] (if (< i 1000000) (recur (+ i 1) (+ s (sin s))) s))",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_side_that_no_lane_takes_is_not_run_forever(name: str) -> None:
    source = f"""
        [assume down (lambda (n) (if (< n 0.0) (+ 1.0 (down (- n 1.0))) n))]
        [assume x (sample (normal 0.0 1.0))]
        [observe (normal (if (< x 30.0) x {ENDLESS[name]}) 1.0) 0.5] [predict x]"""
    assert with_scripts(source).scripts is None


def test_structures_are_not_looked_through_again_and_again() -> None:
    """Shared parts are walked once, and large constants once in all: else these would take minutes."""
    shared = """
        [assume x (sample (normal 0.0 1.0))]
        [assume tree (reduce (fn [acc i] (list acc acc)) x (range 60))]
        [observe (normal x 1.0) 0.5] [predict (count tree)]"""
    assert with_scripts(shared).scripts is not None
    pairs = " ".join(f"(list {i} 0.5)" for i in range(3000))
    large = f"""
        [assume data (list {pairs})]
        [assume x (sample (normal 0.0 1.0))]
        [for [t (range 500)] [observe (normal (* x (nth (nth data t) 1)) 1.0) 0.5]] [predict x]"""
    assert with_scripts(large).scripts is not None


@pytest.mark.parametrize("name", ["lanes die", "lanes die and candidates too"])
def test_chains_are_the_same_whatever_fails(name: str) -> None:
    """After a sweep that the program itself did, the next is done by scripts again, from the same numbers."""
    source = DIES if name == "lanes die" else DECEPTIVE["an element of an older vector, and lanes that end"]
    found: list[Any] = []
    for program in (compile_text(source), compile_text(source)):
        with pytest.MonkeyPatch.context() as patch:
            if found:
                patch.setattr("pplc_runtime.running.driver.scripted", lambda plan: plan)
            found.append(program.infer("pgas", particles=4, sweeps=40, chains=3, seed=8).sweeps)
    assert_same(*found)


DIES = """
[assume x (sample (normal 0.0 1.0))]
[observe (normal x 1.0) 0.5]
[assume next (mem (lambda (k) (do (observe (uniform -3.0 (+ 1.5 x)) 0.2) (sample (normal x 1.0)))))]
[assume y (next 1)]
[observe (normal y 1.0) 0.5]
[predict (+ x y)]
"""
"""Now and then a lane dies before it draws, in a memo, where particles are not resampled."""


@pytest.mark.parametrize("method", ANYWHERE)
def test_where_scripts_fail_the_program_is_run(method: str) -> None:
    straight = with_scripts(DIES)
    settings: dict[str, Any] = {"particles": 4, "sweeps": 60}
    assert_same(chain(compiled(DIES).plan, method, 2, **settings), chain(straight, method, 2, **settings))
    if method != "lmh":  # whose proposals are run by the program itself
        assert 0 < straight.scripts.failures < straight.scripts.attempts


def test_scripts_that_fail_too_often_are_given_up() -> None:
    straight = with_scripts(DIES.replace("1.5", "0.1"))
    chain(straight, "icsmc", 2, particles=10, sweeps=60)
    assert straight.scripts.attempts < 20


def test_an_error_is_that_of_the_program() -> None:
    source = """
        [assume x (sample (normal 0.0 1.0))]
        [observe (normal 0.0 (+ 1.5 x)) 1.0]
        [predict x]"""
    errors = []
    for run in (compiled(source).plan, with_scripts(source)):
        with pytest.raises(Exception, match="sd must be a positive number") as caught:
            chain(run, "smc", 1, particles=50, sweeps=9)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
