"""Limits: a run that does not end, or grows without end, ends with a message, the line, and what was drawn before."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

import pplc
from pplc_runtime.general.assembly import assembled
from pplc_runtime.general.engine import GeneralEngine
from pplc_runtime.machine.machine import Machine, is_available
from pplc_runtime.running.limits import limited, memory_used, most_memory

ENDLESS = """
[assume f (lambda (n) (if (< n 0) n (f (+ n 1))))]
[predict (f 1)]
"""
GROWING = """
[assume f (lambda (xs) (f (concat xs xs)))]
[predict (f (range 1000000))]
"""
NOW_AND_THEN = """
[assume x (sample (normal 0 1))]
[assume f (lambda (n) (if (< n 0) n (f (+ n 1))))]
[observe (normal x 1) 0.5]
[predict (if (> x 2.2) (f 1) x)]
"""


@pytest.mark.parametrize("method", ["importance", "pgas"])
def test_a_run_that_does_not_end(method: str) -> None:
    begun = time.monotonic()
    with pytest.raises(pplc.ModelError, match=r"has taken 0.3 s, its limit by --max-seconds") as told:
        pplc.compile_text(ENDLESS).infer(method, particles=2, sweeps=2, max_seconds=0.3)
    assert told.value.place is not None and told.value.place[0] in (2, 3), "the line is there"
    assert time.monotonic() - begun < 60


LOOP = """
[assume x (sample (normal 0 1))]
[assume f (lambda (n) (if (sample (flip 0.0)) n (f (+ n 1))))]
[observe (normal (f 0) 1) 0.5]
[predict x]
"""
TREE = """
[assume x (sample (normal 0 1))]
[assume f (lambda (n) (if (< n 1) (sample (normal 0 1)) (+ (f (- n 1)) (f (- n 1)))))]
[observe (normal (f 60) 1) 0.5]
[predict x]
"""


@pytest.mark.parametrize("text", [LOOP, TREE])
def test_machine_code_that_does_not_end(text: str) -> None:
    if not is_available():
        pytest.skip("there is no machine code")
    program = pplc.compile_text(text).program
    plan = program.plan(program.data(None))
    GeneralEngine(assembled(plan), len(plan.segments), "importance", 10, Machine)  # the code is made before
    begun = time.monotonic()
    with pytest.raises(pplc.ModelError, match=r"has taken 1.5 s, its limit by --max-seconds") as told:
        program.infer("importance", particles=10, sweeps=10_000, max_seconds=1.5)
    assert told.value.place is not None and told.value.place[0] == 3, "the line is there"
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("text", [ENDLESS, LOOP])
def test_an_interrupt_ends_what_does_not_end(text: str) -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            pplc.compile_text(text).infer("importance", particles=10, sweeps=10_000, max_seconds=60)
    finally:
        timer.cancel()
    time.sleep(0.1)
    assert not [each for each in threading.enumerate() if "target" in each.name and each.is_alive()]


def test_limits_go_with_blocks_of_sweeps() -> None:
    class Elsewhere(Executor):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_running_or_notify_cancel()

            def work() -> None:
                try:
                    future.set_result(function(*arguments))
                except BaseException as error:
                    future.set_exception(error)

            threading.Thread(target=work, daemon=True).start()  # which has no limits of its own
            return future

    with pytest.raises(pplc.ModelError, match=r"has taken 0.5 s"):
        pplc.compile_text(ENDLESS).infer(
            "importance", particles=2, sweeps=2, chains=2, executor=Elsewhere(), max_seconds=0.5
        )


def test_what_takes_long_to_tell() -> None:
    """The end of a deep recursion is told once, though it takes longer than the limits wait."""
    deep = "[assume f (lambda (n) (+ 1 (f (+ n 1))))] [assume x (sample (normal 0 1))] [predict (f x)]"
    with pytest.raises(pplc.ModelError, match=r"has taken 0\.2 s"):
        pplc.compile_text(deep).infer("importance", particles=10, sweeps=10, max_seconds=0.2, max_depth=100_000)


def test_a_list_that_grows_without_end() -> None:
    limit = memory_used() + (100 << 20)
    with pytest.raises(pplc.ModelError, match=r"MB of memory; its limit, by --max-memory") as told:
        pplc.compile_text(GROWING).infer("importance", particles=2, sweeps=2, max_memory=limit)
    assert told.value.place is not None and told.value.place[0] in (2, 3)


@pytest.mark.parametrize("chains", [1, 2])
def test_what_was_drawn_is_kept(chains: int) -> None:
    posterior = pplc.compile_text(NOW_AND_THEN).infer(
        "importance", particles=2, sweeps=200, seed=3, max_seconds=1, chains=chains
    )
    assert posterior.limit is not None and "error: the run has taken 1 s" in posterior.limit
    assert posterior.interrupted and 0 < len(posterior.sweeps) < 200 * chains


def test_the_reference_engine_has_them_too(tmp_path: Path) -> None:
    model = tmp_path / "endless.clj"
    model.write_text(ENDLESS)
    with pytest.raises(pplc.ModelError, match=r"has taken 0\.3 s"):
        pplc.load(model).infer("importance", engine="reference", particles=1, sweeps=1, max_seconds=0.3)


def test_a_limit_is_that_of_its_run() -> None:
    with limited(1000.0, None):
        pplc.compile_text("[predict (sample (normal 0 1))]").infer("importance", particles=2, sweeps=2)
    most = most_memory()
    assert most is None or most > 1 << 20


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_seconds": 0}, "max_seconds: must be above 0, not 0"),
        ({"max_memory": "much"}, "max_memory: must be a size such as 500M or 2G, not 'much'"),
        ({"max_memory": 0}, "max_memory: must be at least one byte, not 0"),
    ],
)
def test_limits_that_are_none(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pplc.compile_text("[predict 1]").infer("importance", **settings)  # type: ignore[arg-type]


HUGE = {
    "range": "(range 1e18)",
    "repeat": "(repeat 1e18 0)",
    "repeatedly": "(repeatedly 1e18 (lambda () 1))",
    "zeros": "(vec (repeat 1000000000000 1))",
    "pow": "(pow 10 (pow 10 (pow 10 10)))",
    "a literal": "9" * 100_000,
    "recursion": "((lambda (f) (f f)) (lambda (f) (+ 1 (f f))))",
}


GROWN = {
    "a product": ("(* x x)", "3", "inf"),
    "a square": ("(square x)", "-3", "inf"),
    "a product in a formula": ("(- (* x x x 3) (* 2 x))", "3", None),
    "a product of many": ("(product [x x 1])", "3", "inf"),
    "products one after the other": ("(reduce * [x x])", "3", "inf"),
    "products of vectors": ("(first (* [x] [x]))", "3", "inf"),
    "a scalar product": ("(dot [x x] [x x])", "3", None),
    "a product of matrices": ("(mmul x x)", "[[4 3] [3 4]]", None),
    "a text": ("(str x x)", '"a"', None),
}
"""What doubles in every turn: a number that is infinite in the end, or an error."""


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("name", GROWN)
def test_what_doubles_in_every_turn_has_an_end(name: str, many: bool) -> None:
    turn, start, end = GROWN[name]
    text = f"""
[assume b (sample (flip 0.5))]
[assume f (lambda (x k) (if (= k 0) x (f {turn} (- k 1))))]
[predict (f {start if not many else f"(if b {start} {start.replace('3', '5').replace('a', 'bc')})"} 60)]"""
    model = pplc.compile_text(text)
    for particles in (1, 6):
        if end is None:
            with pytest.raises(pplc.ModelError, match=r"too large|more than 100000000 characters") as told:
                model.infer("smc", particles=particles, sweeps=1, seed=1)
            assert told.value.place is not None and told.value.place[0] == 3
        else:
            found = model.infer("smc", particles=particles, sweeps=1, seed=1)
            assert {str(value) for value in found.sweeps[0].predicts[found.labels[0]]} == {end}


@pytest.mark.parametrize("name", HUGE)
def test_what_is_too_large_is_an_error(name: str) -> None:
    if name == "pow":
        found = pplc.compile_text(f"[predict {HUGE[name]}]").infer("importance", particles=2, sweeps=1)
        assert str(next(iter(found.sweeps[0].predicts.values()))[0]) == "inf"
        return
    with pytest.raises((pplc.ModelError, pplc.CompileError)):
        pplc.compile_text(f"[predict {HUGE[name]}]").infer("importance", particles=2, sweeps=1, max_depth=2000)
