"""Limits: a run that does not end, or grows without end, ends with a message, the line, and what was drawn before."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import pplc
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


@pytest.mark.parametrize("name", HUGE)
def test_what_is_too_large_is_an_error(name: str) -> None:
    if name == "pow":
        found = pplc.compile_text(f"[predict {HUGE[name]}]").infer("importance", particles=2, sweeps=1)
        assert str(next(iter(found.sweeps[0].predicts.values()))[0]) == "inf"
        return
    with pytest.raises((pplc.ModelError, pplc.CompileError)):
        pplc.compile_text(f"[predict {HUGE[name]}]").infer("importance", particles=2, sweeps=1, max_depth=2000)
