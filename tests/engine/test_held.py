"""Sweeps that hold some values leave the posterior invariant: by exact transition kernels with two particles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.held import Held
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here

from .interplay import INTERPLAY
from .kernels import Kernel, distance, paths
from .sweeps import compiled

EXACT = 1e-12
HELD = {
    "a prior that depends on what moves": """
        [assume a (sample (flip 0.4))]
        [observe (flip (if a 0.7 0.4)) true]
        [assume b (sample (flip (if a 0.9 0.2)))]
        [assume c (sample (flip (if (= a b) 0.8 0.3)))]
        [observe (flip (if (= b c) 0.3 0.6)) true]""",
    "memo entries": """
        [assume p (if (sample (flip 0.5)) 0.8 0.3)]
        [assume m (mem (lambda (k) (sample (flip (if (= k 0) p 0.6)))))]
        [observe (flip (if (m 0) 0.9 0.2)) true]
        [assume z (sample (flip 0.5))]
        [observe (flip (if (m (if z 0 1)) 0.4 0.7)) true]""",
    "a branch that does not reach it": """
        [assume a (sample (flip 0.5))]
        [observe (flip (if a 0.6 0.3)) true]
        [assume b (if a (sample (flip 0.3)) false)]
        [assume c (if a false (sample (flip 0.7)))]
        [observe (flip (if (or b c) 0.8 0.4)) true]
        [assume d (sample (flip (if b 0.2 0.6)))]
        [observe (flip (if d 0.7 0.5)) true]""",
    "an entry that some ask for early": """
        [assume m (mem (lambda (k) (sample (flip 0.6))))]
        [assume a (sample (flip 0.5))]
        [observe (flip (if (and a (m 0)) 0.9 0.3)) true]
        [assume b (sample (flip 0.4))]
        [observe (flip (if (or b (m 0)) 0.5 0.8)) true]""",
    "an entry that not all ask for": """
        [assume m (mem (lambda (k) (sample (flip (if (= k 0) 0.3 0.6)))))]
        [assume a (sample (flip 0.5))]
        [observe (flip (if (m (if a 0 1)) 0.9 0.3)) true]
        [assume b (sample (flip 0.4))]
        [observe (flip (if (and b (m 1)) 0.5 0.8)) true]""",
    "another kind of draw": """
        [assume a (sample (flip 0.5))]
        [observe (flip 0.5) true]
        [assume b (sample (if a (flip 0.3) (uniform-discrete 0 3)))]
        [observe (flip (if (= b 1) 0.9 (if (= b true) 0.5 0.2))) true]
        [assume c (sample (flip (if a 0.2 0.6)))]
        [observe (flip (if c 0.7 0.5)) true]""",
    "draws from a process": """
        [assume c (crp 0.7)]
        [assume a (sample (flip 0.5))]
        [assume x (if a (sample c) 0)]
        [observe (flip (if (= x 0) 0.4 0.6)) true]
        [assume y (sample c)]
        [observe (poisson (+ y 0.5)) 1]
        [assume z (sample c)]
        [observe (poisson (+ z 0.5)) 1]""",
    "a hard constraint": """
        [assume a (sample (uniform-discrete 0 3))]
        [observe (flip 0.5) true]
        [assume b (sample (uniform-discrete 0 (+ a 1)))]
        [observe (flip (if (= b 0) 0.9 0.4)) true]""",
}
SOURCES = {**HELD, **PROGRAMS, **{name: program.source for name, program in TINY.items()}, **INTERPLAY}
SMALL = [
    name
    for name in SOURCES
    if name in HELD or name in ("branch", "memo", "crp", "impossible", "memo_keys_by_value", "observe_inside_mem",
    "crp_indexes_memo", "beta_flip_shared", "process_for_every_memo_key", "derived_values_follow_the_ancestor",
    "closure_chosen_at_random", "observe_in_a_branch", "polya_urn_shared")
]  # fmt: skip


def labels(source: str) -> list[int]:
    """The statements that draw something in some execution."""
    kernel = Kernel(compiled(source).plan)
    with kernel.enumerated():
        return sorted({path[0] for drawn, *_ in kernel.posterior() for path, _ in paths(drawn)})


def holding(which: Callable[[int], bool]) -> Callable[[At], bool]:
    return lambda at: which(at.path()[0])


def bias(source: str, kernel: Any, **options: Any) -> float:
    """How far a sweep takes the chain from the posterior, in total variation."""
    before, after = Kernel(compiled(source).plan).moved(kernel, **options)
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(before, after)


def every_choice(source: str) -> list[frozenset[int]]:
    """One statement held, and all but one."""
    found = labels(source)
    one = [frozenset({label}) for label in found]
    return list(dict.fromkeys([*one, *(frozenset(found) - own for own in one)])) if len(found) > 1 else []


@pytest.mark.parametrize("method", [Icsmc, Pgas])
@pytest.mark.parametrize("name", share(SMALL, 10))
def test_the_posterior_is_invariant(name: str, method: type[Any]) -> None:
    for held in every_choice(SOURCES[name]):
        assert bias(SOURCES[name], method(holding(held.__contains__))) < EXACT, sorted(held)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a prior that depends on what moves", "memo entries"])
def test_three_particles_and_resampling_where_it_is_due(name: str) -> None:
    for held in every_choice(HELD[name])[:2]:
        kernel = Pgas(holding(held.__contains__), particles=3)
        assert bias(HELD[name], kernel, ess_threshold=0.7) < EXACT, sorted(held)
        assert bias(HELD[name], Pgas(holding(held.__contains__)), strict=True) < EXACT, sorted(held)


def test_what_is_held_does_not_move() -> None:
    kernel = Kernel(compiled(HELD["a prior that depends on what moves"]).plan)
    b = labels(HELD["a prior that depends on what moves"])[1]
    with kernel.enumerated():
        drawn = kernel.posterior()[0][0]
    kernel.posterior = lambda: [(drawn, (), 1.0)]  # type: ignore[method-assign]
    _, after = kernel.moved(Pgas(holding(lambda label: label == b)))
    values = {value for drawn, _ in after for path, value in drawn if path[0] == b}
    assert len(values) == 1 and len(after) == 4, "the other two take all their values"


# Wrong variants


def test_without_the_density_of_what_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(self: Forward, at: At, source: Any, held: Held) -> Any:
        return self.taken(at, held)

    source = HELD["a prior that depends on what moves"]
    monkeypatch.setattr(Forward, "take", take)
    held = frozenset({labels(source)[1]})
    assert bias(source, Icsmc(holding(held.__contains__))) > 0.01


def test_without_the_end_of_those_that_have_not_used_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "unfinished", lambda self, top: np.zeros(top.size, np.bool_))
    source = HELD["a branch that does not reach it"]
    held = frozenset({labels(source)[1]})
    assert bias(source, Icsmc(holding(held.__contains__))) > 0.01


def test_with_a_suffix_after_prefixes_that_have_not_used_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Held, "as_many", lambda self, top: np.ones(top.size, np.bool_))
    monkeypatch.setattr(Held, "unfinished", lambda self, top: np.zeros(top.size, np.bool_))
    source = HELD["a branch that does not reach it"]
    held = frozenset({labels(source)[1]})
    assert bias(source, Pgas(holding(held.__contains__))) > 0.01


def test_with_values_drawn_where_there_is_none_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Forward.take

    def take(self: Forward, at: At, source: Any, held: Held) -> Any:
        return right(self, at, source, held) if at in held.values else self.drawn(at, *_sampled(self, source))

    monkeypatch.setattr(Forward, "take", take)
    monkeypatch.setattr(Held, "unfinished", lambda self, top: np.zeros(top.size, np.bool_))
    source = HELD["a branch that does not reach it"]
    held = frozenset(labels(source)[1:3])
    assert bias(source, Icsmc(holding(held.__contains__))) > 0.001


def _sampled(handler: Forward, source: Any) -> tuple[Any, Any]:
    return here.frame, source.sample(handler.chance.at(At(), here.frame))
