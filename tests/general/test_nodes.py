"""Moves in nodes leave the posterior invariant: by their exact kernel on small programs, and wrong variants do not.

The code itself is run by CPython with chance enumerated (`enumerated`). Names of tables are drawn from so few that all
orders come up.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.engine.kernels import Enumerating, Kernel, distance, every_run, paths
from tests.engine.sweeps import compiled

from pplc import compile_text
from pplc_runtime.engine.plan import Plan
from pplc_runtime.exactness.verdict import Extent, verdict_on
from pplc_runtime.general.naming import drawn_of, named
from pplc_runtime.general.node_code import in_nodes
from pplc_runtime.general.node_engine import NodeEngine
from pplc_runtime.general.types import Untyped
from pplc_runtime.machine import machine
from pplc_runtime.machine.machine import Interpreted
from pplc_runtime.running.auto import check_free
from pplc_runtime.values import ModelError

from .enumerated import Point, Unknown

EXACT = 1e-13
NAMES = (5, 2, 9)


def _name(chance: Enumerating, tables: int, S: Any, word: int) -> int:
    """A name that no other table has, out of a few."""
    taken = {S.TN[k] for k in range(S.tables) if word > 1 or S.TC[k] > 0}
    if word == 1 and S.seated == 0 and S.tables == 0:
        taken = set()
    free = [name for name in NAMES[:tables] if name not in taken]
    return free[chance.decide([1.0] * len(free))]


def bias(plan: Plan, tables: int = 2) -> float:
    """How far a sweep takes an execution from the posterior, in total variation."""
    kernel = Kernel(plan)
    with kernel.enumerated():
        posterior = kernel.posterior()
    before: defaultdict[Any, float] = defaultdict(float)
    after: defaultdict[Any, float] = defaultdict(float)
    for drawn, _, probability in posterior:
        before[paths(drawn)] += probability
    engine = NodeEngine(in_nodes(plan), Interpreted)
    engine.size = 16
    space = engine.machine.space  # type: ignore[union-attr] # of CPython
    right = dict(space)
    starts = {paths(drawn): drawn for drawn, *_ in posterior}
    try:
        for path, drawn in starts.items():
            engine.begin(drawn_of(plan, drawn))
            words = engine.words

            def sweep(chance: Enumerating) -> Any:
                space["uniform"] = lambda *_: Point(Unknown(chance))
                space["new_name"] = partial(_name, chance, tables)
                engine.words = words  # noqa: B023 # of this turn
                found, _ = engine.run([(0, 0)], [1])
                return paths(named(plan, found))

            for result, transition in every_run(sweep):
                after[result] += before[path] * transition
    finally:
        space.update(right)
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(before, dict(after))


SEATS = """
[assume seats (crp 0.8)]
[assume class (mem (lambda (i) (sample seats)))]
[assume mu (mem (lambda (k) (sample (flip 0.3))))]
[for [[i y] [[0 true] [1 false]]] [observe (flip (if (mu (class i)) 0.8 0.3)) y]]
[observe (flip (if (= (class 0) (class 1)) 0.3 0.6)) true]
"""
DISCOUNT = SEATS.replace("(crp 0.8)", "(crp 0.4 0.3)")
THREE = """
[assume seats (crp 0.8 0.1)]
[assume class (mem (lambda (i) (sample seats)))]
[observe (flip (if (= (class 0) (class 1)) 0.3 0.6)) true]
[observe (flip (if (= (class 2) (class 1)) 0.9 0.4)) true]
"""
WITHOUT_MEMO = """
[assume seats (crp 0.8)]
[assume mu (mem (lambda (k) (sample (discrete [1 2]))))]
[observe (flip 0.5) true]
[observe (flip (nth [0.2 0.7] (mu (sample seats)))) true]
[observe (flip (nth [0.9 0.3] (mu (sample seats)))) true]
"""
BETWEEN = """
[assume seats (crp 0.8)]
[assume class (mem (lambda (i) (sample seats)))]
[assume mu (mem (lambda (k) (sample (flip 0.3))))]
[assume own (mem (lambda (i) (if (mu (class i)) 0.9 0.2)))]
[observe (flip (own 0)) true]
[observe (flip (own 1)) false]
[observe (flip (* (own 0) (own 1))) true]
"""
PAIRS = """
[assume seats (crp 0.8)]
[assume class (mem (lambda (i) (sample seats)))]
[assume mu (mem (lambda (k i) (sample (flip 0.3))))]
[assume again (mem (lambda (k) (if (mu k 5) 0.4 0.7)))]
[observe (flip (if (mu (class 0) 0) 0.9 0.2)) true]
[observe (flip (again (class 1))) false]
"""
ALPHA = """
[assume alpha (if (sample (flip 0.4)) 0.5 2.0)]
[assume seats (crp alpha)]
[assume class (mem (lambda (i) (sample seats)))]
[observe (flip (if (= (class 0) (class 1)) 0.3 0.6)) true]
"""
MIXED = """
[assume p (if (sample (flip 0.4)) 0.2 0.7)]
[assume mu (mem (lambda (k) (sample (flip p))))]
[assume class (mem (lambda (i) (sample (discrete [1 2]))))]
[observe (flip (if (= (class 0) 1) (if (mu 7) 0.9 0.3) 0.4)) true]
[observe (flip (if (mu (class 0)) 0.9 0.3)) true]
"""
CHAIN = """
[assume stays (mem (lambda (k) (sample (flip 0.6))))]
[assume state (mem (lambda (t) (if (< t 0) 0 (if (sample (flip (if (stays (state (dec t))) 0.8 0.3))) 1 0))))]
[observe (flip (if (= (state 0) 1) 0.9 0.2)) true]
[observe (flip (if (= (state 1) 1) 0.9 0.2)) false]
"""
BRANCH = """
[assume m (mem (lambda (k) (sample (flip (if (= k 0) 0.2 0.7)))))]
[observe (flip 0.5) true]
[observe (flip (if (m 0) (if (sample (flip 0.3)) 0.9 0.1) (if (sample (flip 0.8)) 0.3 0.6))) true]
[observe (flip (if (m 1) (if (m 0) 0.2 0.6) 0.4)) true]
"""
SHARED = """
[assume a (mem (lambda (i) (sample (flip 0.4))))]
[assume m (mem (lambda (k) (sample (flip (if (= k 0) 0.2 0.7)))))]
[observe (flip (if (a 0) (if (m 0) 0.9 0.1) (if (m 1) 0.4 0.6))) true]
[observe (flip (if (a 1) (if (m 0) 0.2 0.7) 0.3)) true]
"""
LEFT_OVER = """
[assume m (mem (lambda (k) (sample (flip (if (= k 0) 0.2 0.7)))))]
[observe (flip (if (m 0) (if (sample (flip 0.3)) 0.9 0.1) 0.4)) true]
[observe (flip (if (m 1) (if (m 0) 0.2 0.6) 0.4)) true]
"""
ASSUMED = """
[assume odd (mem (lambda (k) (sample (flip 0.4))))]
[assume seats (crp (if (odd 0) 0.5 2.0))]
[assume class (mem (lambda (i) (sample seats)))]
[assume same (= (class 0) (class 1))]
[assume own (mem (lambda (i) (if same 0.3 (if (odd i) 0.4 0.8))))]
[observe (flip (own 0)) true]
[observe (flip (if same 0.9 0.2)) true]
"""
NO_ARGUMENTS = """
[assume m (mem (lambda () (sample (flip 0.4))))]
[assume a (mem (lambda (k) (sample (flip (if (m) 0.2 0.7)))))]
[observe (flip (if (a 0) 0.9 0.2)) true]
[observe (flip (if (a 1) 0.3 (if (m) 0.4 0.8))) true]
"""
PROGRAMS = {
    "seats": SEATS, "discount": DISCOUNT, "three": THREE, "without memo": WITHOUT_MEMO, "between": BETWEEN,
    "pairs": PAIRS, "alpha": ALPHA, "mixed": MIXED, "chain": CHAIN, "branch": BRANCH, "shared": SHARED,
    "left over": LEFT_OVER, "assumed": ASSUMED, "no arguments": NO_ARGUMENTS,
}  # fmt: skip
OF_THREE = ("three",)
"""Those of three customers."""


def slow(names: Any, *which: str) -> list[Any]:
    """Those that take long are run where all tests are."""
    return [pytest.param(name, marks=pytest.mark.slow) if name in which else name for name in names]


@pytest.mark.parametrize("name", slow(PROGRAMS, "pairs", "three"))
def test_the_posterior_is_invariant(name: str) -> None:
    assert bias(compiled(PROGRAMS[name]).plan, 3 if name in OF_THREE else 2) < EXACT


WRONG: dict[str, tuple[str, str, str]] = {
    "customers weigh themselves": ("log(float(S.TC[k]) - S.zd)", "log(float(S.TC[k]) + 1.0)", "seats"),
    "the discount is left out of new tables": ("S.za + S.zd * float(occupied)", "S.za", "discount"),
    "a lone customer's table is never a new one": ("k == new:\n            occ", "k == old:\n            occ", "seats"),
    "fresh values count": (
        "        S.NW[j] = S.XW[0]\n        S.LD", "        S.delta += S.ld\n        S.NW[j] = S.XW[0]\n        S.LD",
        "seats",
    ),
    "what reads the seat is not run again": ("        mark_readers(S, S.ML[i])\n", "", "seats"),
    "only what reads it at once is run again": (
        "        mark_readers(S, S.ML[i])\n", "        if i == 0:\n            mark_readers(S, S.ML[i])\n", "between",
    ),
    "the density of seats stays when alpha moves": ("density + density_of_tables(S) - seats", "density", "alpha"),
    "what is assumed is read through memos alone": ("in_globals(S, S.AS[e])", "int(S.AS[e] == S.nmask + 1)", "assumed"),
    "tables keep their numbers": ("S.LI[S.op - 1] = S.TM[k]", "S.LI[S.op - 1] = k", "seats"),
    "draws may come and go": ("if known == 0 and S.making != 0 and", "if known == 0 and", "branch"),
    "those that are left over are ignored": (
        "    if S.count != S.NQ[j]:\n        S.fail = 3\n        S.unlike = S.unlike + 1", "    S.NQ[j] = S.count",
        "left over",
    ),
    "names are numbers in the order of opening": ("new_name(S, 2 * S.tables + 1)", "S.tables", "pairs"),
}  # fmt: skip


@pytest.mark.parametrize("name", slow(WRONG, "names are numbers in the order of opening"))
def test_wrong_variants_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong, program = WRONG[name]
    original = machine.Interpreted.__init__

    def patched(self: Any, source: str, exported: frozenset[str]) -> None:
        assert source.count(right) == 1
        original(self, source.replace(right, wrong), exported)

    machine.made.cache_clear()
    monkeypatch.setattr(machine.Interpreted, "__init__", patched)
    try:
        found = bias(compiled(PROGRAMS[program]).plan, 3 if program in OF_THREE else 2)
    except Exception as error:  # what does not fit shows as a failure of the code, too
        assert type(error).__name__ in ("Stopped", "KeyError")
        found = 1.0
    finally:
        machine.made.cache_clear()
    assert found > 1e-4


# What cannot be moved so


@pytest.mark.parametrize(
    "text, reason",
    [
        ("[assume s (crp 1)] [observe (normal (sample s) 1) 0.5]", "normal of a table of a restaurant"),
        ("[assume s (crp 1)] [observe (flip (if (= (sample s) 0) 0.3 0.4)) true]", "'=' of a table of a restaurant"),
        ("[assume s (crp 1)] [observe s 0]", "an observe that a process takes in"),
        ("[assume s (polya-urn [1 1])] [observe (normal (sample s) 1) 0.5]", "a move of draws from a PolyaUrn"),
        ("[observe (normal (sample (poisson 3)) 1) 0.5]", "a move of draws from poisson"),
        ("[observe (flip 0.5) true] [assume x (sample (flip 0.3))] [observe (flip 0.5) x]", "after the first observe"),
        ("[observe (normal (if (sample (flip 0.5)) (do (observe (flip 0.5) true) 1) 2) 1) 0.5]", "observes inside"),
    ],
)
def test_what_is_told_from_the_text(text: str, reason: str) -> None:
    """Above all whether the numbers of tables count: then a move that leaves them out would not be exact."""
    with pytest.raises(Untyped, match=reason):
        in_nodes(compiled(text).plan)


LATE = {
    "a draw that comes and goes with what its distribution depends on": """
        [assume s (crp 1)] [assume class (mem (lambda (i) (sample s)))]
        [assume mu (mem (lambda (k) (sample (normal (if (= k (class 0)) 0 5) 1))))]
        [for [i (range 3)] [observe (normal (mu (class i)) 1) i]]""",
    "more than one restaurant": """
        [assume s (crp 1)] [assume r (crp 1)]
        [observe (normal (if (= (sample s) (sample s)) 1 0) 1) 0.5]
        [observe (normal (if (= (sample r) (sample r)) 1 0) 1) 0.5]""",
    "a customer of a restaurant that comes and goes": """
        [assume s (crp 1)] [assume class (mem (lambda (i) (sample s)))]
        [assume dish (mem (lambda (k) (sample s)))] [assume mu (mem (lambda (k) (sample (normal 0 1))))]
        [for [i (range 4)] [observe (normal (mu (dish (class i))) 1) i]]""",
    "what only predicts ask for": """
        [assume s (crp 1)] [assume class (mem (lambda (i) (sample s)))]
        [observe (normal (if (= (class 0) (class 1)) 1 0) 1) 0.5] [predict (= (class 0) (class 5))]""",
}


@pytest.mark.parametrize("what", LATE)
def test_what_shows_in_a_run_ends_it(what: str) -> None:
    with pytest.raises(ModelError, match=f"no move by slice or gibbs for {what}"):
        compile_text(LATE[what]).infer("slice", sweeps=200, burn_in=5, seed=1)


DECIDES = """
    [assume b (mem (lambda (i) (sample (flip 0.4))))]
    [observe (flip (if (b 0) (if (sample (flip 0.3)) 0.9 0.1)
        (if (sample (flip 0.5)) 0.3 (if (sample (flip 0.5)) 0.2 0.5)))) true]
    [predict (b 0)]"""


@pytest.mark.parametrize("method", ["slice", "gibbs*2 + slice", "slice + pmmh"])
def test_executions_that_moves_never_reach(method: str) -> None:
    """What decides which others are drawn is never moved: by itself the chain would stay with it, unnoticed."""
    with pytest.raises(ModelError, match="would never go from one kind"):
        compile_text(DECIDES).infer(method, sweeps=50, seed=1)


@pytest.mark.parametrize("method", ["slice + lmh", "pgas(b, 3)*2 + gibbs + pgas"])
def test_executions_that_others_lead_to(method: str) -> None:
    """5 standard errors: of a million seeds one would fail by mistake."""
    exact = compile_text(DECIDES).infer("enumerate").mean("(b 0)")
    posterior = compile_text(DECIDES).infer(method, sweeps=600, seed=1)
    error = posterior.sd("(b 0)") / posterior.effective_draws("(b 0)") ** 0.5
    assert abs(posterior.mean("(b 0)") - exact) < 5 * error


# Runs


def test_a_mixture_of_normals() -> None:
    """Five points and conjugate means, whose partitions are summed over; 5 standard errors: one run in a million."""
    ys = [2.1, 0.6, -1.7, 1.9, -2.4]
    model = compile_text("""
        [input ys] [assume s (crp 1.0)] [assume class (mem (lambda (i) (sample s)))]
        [assume mu (mem (lambda (k) (sample (normal 0 2))))]
        [for [i (range (count ys))] [observe (normal (mu (class i)) 1) (nth ys i)]]
        [predict (= (class 0) (class 1))] [predict (mu (class 2))] [predict (class 4)]""")
    together = mean = label = total = 0.0
    for labels in partitions(5):
        weight, means = 1.0, {}
        for k in set(labels):
            own = [y for y, each in zip(ys, labels) if each == k]
            covariance = np.eye(len(own)) + 4.0
            quadratic = np.array(own) @ np.linalg.solve(covariance, own)
            weight *= math.factorial(len(own) - 1) * math.exp(-quadratic / 2) / math.sqrt(np.linalg.det(covariance))
            means[k] = 4.0 * sum(own) / (1.0 + 4.0 * len(own))
        total += weight
        together += weight * (labels[0] == labels[1])
        mean += weight * means[labels[2]]
        label += weight * labels[4]
    posterior = model.infer("slice", data={"ys": ys}, sweeps=4000, burn_in=10, seed=1)
    for name, exact in (("(= (class 0) (class 1))", together), ("(mu (class 2))", mean), ("(class 4)", label)):
        error = posterior.sd(name) / posterior.effective_draws(name) ** 0.5
        assert abs(posterior.mean(name) - exact / total) < 5 * error, name
        assert posterior.effective_draws(name) > 400


def partitions(n: int, labels: tuple[int, ...] = ()) -> Any:
    """Who sits where, as labels in the order of opening."""
    if len(labels) == n:
        yield labels
        return
    for k in range(max(labels, default=-1) + 2):
        yield from partitions(n, (*labels, k))


def test_real_parameters_of_all_entries() -> None:
    """The deviation of a table's mean and alpha move, too: against the exact evidence-weighted grid of one point each.

    With one observe the partition is trivial: mu is normal, and its deviation has its law given one value."""
    model = compile_text("""
        [assume sd (sample (gamma 2 1))] [assume mu (mem (lambda (k) (sample (normal 0 sd))))] [assume s (crp 1)]
        [observe (normal (mu (sample s)) 1) 3.0] [predict sd]""")
    grid = np.linspace(0.001, 40, 40_000)
    weights = grid * np.exp(-grid) * np.exp(-4.5 / (1 + grid**2)) / np.sqrt(1 + grid**2)
    exact = float((grid * weights).sum() / weights.sum())
    posterior = model.infer("slice", sweeps=4000, burn_in=10, seed=2)
    assert abs(posterior.mean("sd") - exact) < 5 * posterior.sd("sd") / posterior.effective_draws("sd") ** 0.5
    assert posterior.effective_draws("sd") > 400


def test_moves_in_a_cycle_go_on_where_others_are() -> None:
    model = compile_text(LATE["what only predicts ask for"].replace("(class 5)", "(class 1)"))
    one = model.infer("pgas + slice", sweeps=30, burn_in=5, seed=3)
    assert one.method == "pgas + slice" and len(one.sweeps) == 30
    two = model.infer("slice", sweeps=30, burn_in=5, chains=2, seed=3)
    again = model.infer("slice", sweeps=10, burn_in=5, chains=2, seed=3)
    again.extend(20)
    label = "(= (class 0) (class 1))"
    assert np.array_equal(two.values(label)[0], again.values(label)[0]), "a block more or less changes nothing"
    with pytest.raises(ModelError, match="draws real numbers, too; use slice"):
        compile_text(LATE["more than one restaurant"].replace("1 0) 1) 0.5", "1 0) (sample (gamma 1 1))) 0.5")).infer(
            "gibbs"
        )
    with pytest.raises(ModelError, match="has no targets; lmh has"):
        model.infer("slice(class) + lmh(rest)", sweeps=5)
    with pytest.raises(ModelError, match="draws and observes the same"):
        model.infer("rw", sweeps=5)


TIED = """
[assume s (crp 1)] [assume class (mem (lambda (i) (sample s)))] [assume mu (mem (lambda (k) (sample (normal 0 1))))]
[for [i (range 4)] [observe (normal (mu (class i)) 1) i]]
[assume near (lambda (i) (= (class 0) (class i)))]
[observe (flip (if (near 1) (if (near 2) 1.0 {other}) (if (near 2) {other} 1.0))) true]
[predict (= (class 0) (class 1))]"""


def test_auto_takes_them_where_no_value_is_held_in_place() -> None:
    """Customers 1 and 2 sit with 0 both or neither: no move of one of them changes that."""
    loose, tied = (compile_text(TIED.format(other=other)) for other in ("0.2", "0.0"))
    check_free(loose.program, "slice", {"data": None, "seed": 1})
    with pytest.raises(ModelError, match="hold each other in place"):
        check_free(tied.program, "slice", {"data": None, "seed": 1})


def test_other_data() -> None:
    """What is observed can be replaced, as checks of exactness do: then moves go by the new data."""
    text = "[input y] [assume s (crp 1)] [assume mu (mem (lambda (k) (sample (normal 0 3))))]"
    text += "[assume class (mem (lambda (i) (sample s)))]"
    text += "[for [[i y] (map-indexed vector y)] [observe (normal (mu (class i)) 1) y]] [predict (mu 0)]"
    found = verdict_on(compile_text(text.replace("[input y]", "[assume y [0.5 2.5]]")).program, "slice", seed=3,
                       extent=Extent(20, rounds=1, steps=2, draws=3))  # fmt: skip
    assert found.findings and found.smallest > 1e-6
