"""Runs in several threads: none waits for another, and each gives what it gives alone."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import pplc
from pplc_runtime.engine.forward import Forward
from pplc_runtime.lanes.frames import here
from pplc_runtime.program.control import Idle
from pplc_runtime.running.deep_stack import recursion

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0
CHAIN = """
[assume step (lambda (x) (if (< x 0) (normal (+ x 1) 1) (normal (- x 1) 2)))]
[assume x0 (sample (normal 0 1))] [observe (normal x0 1) 0.5]
[assume x1 (sample (step x0))] [observe (normal x1 1) 1.5]
[assume x2 (sample (step x1))] [observe (normal x2 1) 0.2]
[predict x0] [predict x2]
"""
TABLES = (ROOT / "programs" / "infinite_mixture.clj").read_text(encoding="utf-8")


def draws_of(text: str, **settings: Any) -> Any:
    posterior = pplc.compile_text(text).infer(**settings)
    return [
        (label, [str(value) for value in column])
        for sweep in posterior.sweeps
        for label, column in sweep.predicts.items()
    ]


def in_threads(*works: Callable[[], Any]) -> list[Any]:
    """What each work comes to, all at the same time."""
    results: list[Any] = [None] * len(works)

    def target(number: int) -> None:
        try:
            results[number] = works[number]()
        except BaseException as error:
            results[number] = error

    threads = [threading.Thread(target=target, args=(number,), daemon=True) for number in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return results


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_two_runs_meet_at_every_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has set its frame when the other goes on with its own."""
    sizes = (4, 6)
    alone = [draws_of(CHAIN, method="smc", particles=size, sweeps=3, seed=1) for size in sizes]
    meeting = threading.Barrier(2, timeout=PATIENCE / 3)
    draw = Forward.draw

    def draw_together(self: Forward, at: Any, source: Any) -> Any:
        meeting.wait()
        value = draw(self, at, source)
        meeting.wait()
        return value

    monkeypatch.setattr(Forward, "draw", draw_together)
    together = in_threads(*(partial(draws_of, CHAIN, method="smc", particles=size, sweeps=3, seed=1) for size in sizes))
    assert together == alone


@pytest.mark.parametrize("method", ["pgas", "smc"])
def test_runs_of_different_programs(method: str, hasty: None) -> None:
    works: list[Callable[[], Any]] = [
        lambda: draws_of(TABLES, method=method, particles=5, sweeps=3, seed=1),
        lambda: draws_of(CHAIN, method=method, particles=5, sweeps=12, seed=2),
        lambda: draws_of(CHAIN, method=method, particles=7, sweeps=12, seed=3),
    ]
    alone = [work() for work in works]
    assert in_threads(*works) == alone


def test_a_run_that_is_held_up_holds_up_no_other() -> None:
    resumed = threading.Event()
    sweeps = pplc.compile_text(CHAIN)
    held = threading.Thread(
        target=lambda: sweeps.infer("smc", particles=4, sweeps=500, seed=1, on_sweep=lambda _: resumed.wait(PATIENCE)),
        daemon=True,
    )
    held.start()
    (other,) = in_threads(lambda: draws_of(CHAIN, method="smc", particles=4, sweeps=2, seed=1))
    was_held = held.is_alive()
    resumed.set()
    held.join(PATIENCE)
    assert was_held and len(other) == 4


def test_what_is_one_for_the_process_is_left_as_it_was(hasty: None) -> None:
    before = sys.getrecursionlimit(), gc.get_threshold(), threading.stack_size()
    in_threads(*(partial(draws_of, CHAIN, method="smc", particles=3, sweeps=4, seed=seed) for seed in range(4)))
    assert (sys.getrecursionlimit(), gc.get_threshold(), threading.stack_size()) == before


def test_the_limit_of_recursion_is_the_highest_that_is_wanted() -> None:
    before = sys.getrecursionlimit()
    first, second = recursion(before + 500), recursion(before + 9000)
    first.__enter__()
    second.__enter__()
    assert sys.getrecursionlimit() == before + 9000
    first.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before + 9000
    second.__exit__(None, None, None)
    assert sys.getrecursionlimit() == before


def test_a_thread_in_which_nothing_runs() -> None:
    (found,) = in_threads(lambda: (here.frame.size, type(here.handler)))
    assert found == (1, Idle)


def test_what_runs_is_written_in_one_place() -> None:
    """Only `run_in` says what runs; what print tells of it is noted where it is known."""
    found = []
    for root in ("runtime", "compiler", "tests"):
        for file in (ROOT / root).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(text)) if "here." in text else ():
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "here"
                    and node.attr not in ("sweep", "particle", "printed")
                ):
                    found.append(file.name)
    assert found == ["frames.py", "frames.py"]
