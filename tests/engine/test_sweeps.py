"""Sweeps of the lane engine: seeds, chains, small, empty and impossible runs, and how much is replayed."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc import compile_text
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.executors import processes
from pplc_runtime.values import ModelError

COIN = """
[assume p (sample (beta 2.0 2.0))]
[observe (flip p) true]
[assume q (sample (flip p))]
[observe (flip (if q 0.9 0.2)) true]
[predict p]
[predict q]
"""
METHODS = ("importance", "smc", "icsmc", "pgas")
EACH_METHOD = pytest.mark.parametrize("method", METHODS)


def sweeps_of(text: str, method: str, **options: Any) -> list[Sweep]:
    settings = {"particles": 4, "sweeps": 3, "seed": 1, **options}
    return list(compile_text(text).infer(method, **settings).sweeps)


def columns(sweeps: list[Sweep]) -> list[dict[str, list[Any]]]:
    return [{label: list(column) for label, column in sweep.predicts.items()} for sweep in sweeps]


# Seeds and chains


@EACH_METHOD
def test_the_same_seed_gives_the_same_sweeps(method: str) -> None:
    one, other = sweeps_of(COIN, method), sweeps_of(COIN, method)
    assert columns(one) == columns(other)
    assert columns(one) != columns(sweeps_of(COIN, method, seed=2))


@EACH_METHOD
def test_the_number_of_processes_does_not_matter(method: str) -> None:
    one = sweeps_of(COIN, method, chains=3, cores=1)
    two = sweeps_of(COIN, method, chains=3, cores=2)
    assert [(s.chain, s.number) for s in one] == [(s.chain, s.number) for s in two]
    assert columns(one) == columns(two)
    assert [s.log_evidence for s in one] == [s.log_evidence for s in two]


def first_task(folder: Path, fails: bool) -> None:
    while not (folder / "started 1").exists():
        time.sleep(0.01)
    if fails:
        raise ModelError("no more")
    os.kill(os.getppid(), signal.SIGINT)
    later_task(folder, 0)


def later_task(folder: Path, number: int) -> None:
    (folder / f"started {number}").touch()
    time.sleep(10)
    (folder / f"finished {number}").touch()


def told_to_end(number: int, frame: object) -> None:
    raise ModelError("told to end")


@pytest.mark.parametrize("ends", [KeyboardInterrupt, ModelError])
def test_processes_end_with_what_they_are_for(ends: type[BaseException], tmp_path: Path) -> None:
    """Where a chain fails or an interrupt comes, neither the chains that run nor those that wait are finished.

    Of four chains in two processes the first ends the run when the second has started. That this process has an answer
    of its own to being told to end, as the command has, is no matter."""
    before = signal.signal(signal.SIGTERM, told_to_end)
    with pytest.raises(ends), processes(2) as pool:
        futures = [pool.submit(first_task, tmp_path, ends is ModelError)]
        futures += [pool.submit(later_task, tmp_path, number) for number in (1, 2, 3)]
        for future in futures:
            future.result()
    signal.signal(signal.SIGTERM, before)
    for process in multiprocessing.active_children():
        process.join()
    assert not list(tmp_path.glob("finished *"))


@EACH_METHOD
def test_chains_have_their_own_chance(method: str) -> None:
    sweeps = sweeps_of(COIN, method, chains=2)
    assert [(s.chain, s.number) for s in sweeps] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert columns(sweeps)[:3] != columns(sweeps)[3:]


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_burn_in_is_left_out(method: str) -> None:
    assert columns(sweeps_of(COIN, method, burn_in=2)) == columns(sweeps_of(COIN, method, sweeps=5))[2:]


# Small and empty runs


@EACH_METHOD
def test_one_particle_and_one_sweep(method: str) -> None:
    (sweep,) = sweeps_of(COIN, method, particles=1, sweeps=1)
    assert len(sweep.log_weights) == 1
    assert isinstance(next(iter(sweep.predicts["q"])), bool | np.bool_)


@EACH_METHOD
def test_no_observe(method: str) -> None:
    for sweep in sweeps_of("[assume x (sample (normal 0 1))] [predict x]", method):
        assert len(sweep.predicts["x"]) == 4
        assert np.ptp(sweep.log_weights) == 0.0
        assert sweep.log_evidence == pytest.approx(0.0)


@EACH_METHOD
def test_no_predict(method: str) -> None:
    for sweep in sweeps_of("[observe (normal 0 1) 0.5]", method):
        assert not sweep.predicts
        assert sweep.log_evidence == pytest.approx(-0.5 * np.log(2 * np.pi) - 0.125)


@EACH_METHOD
def test_nothing_at_all(method: str) -> None:
    assert len(sweeps_of("[assume x 1]", method)) == 3


@EACH_METHOD
def test_particles_that_observe_more_often_than_others(method: str) -> None:
    text = """
    [assume n (sample (uniform-discrete 0 4))]
    [assume seen (map (lambda (i) (observe (normal i 1.0) 0.5)) (range 0 n))]
    [observe (poisson (+ 1 n)) 2]
    [predict n]
    """
    for sweep in sweeps_of(text, method, particles=20):
        assert np.isfinite(sweep.log_weights).all()


# Impossible and wrong


@EACH_METHOD
def test_all_weights_zero_names_the_observe(method: str) -> None:
    text = "[assume x (sample (uniform 0 1))]\n[observe (uniform x 1) 7.5]\n[predict x]"
    with pytest.raises(ModelError, match=r"all weights are zero.*7\.5") as raised:
        sweeps_of(text, method)
    assert "<text>:2:" in str(raised.value)


@EACH_METHOD
def test_a_density_that_is_not_a_number_is_an_error_with_its_line(method: str) -> None:
    text = "[assume x (sample (normal 0 1))]\n[observe (normal (* x (sqrt -1)) 1) 0.5]\n[predict x]"
    with pytest.raises(ModelError, match="nan") as raised:
        sweeps_of(text, method)
    assert "<text>:2:" in str(raised.value)


@EACH_METHOD
@pytest.mark.parametrize("where", ["(sample (poisson 3))", "(range 0 (sample (poisson 3)))"])
def test_a_loop_over_something_random_is_an_error(method: str, where: str) -> None:
    text = f"[assume n {where}]\n[for [i n] [observe (normal i 1) 0.5]]\n"
    with pytest.raises(Exception, match="random") as raised:
        sweeps_of(text, method)
    assert "<text>:" in str(raised.value)


DEAD = """
[assume n (sample (uniform-discrete 0 4))]
[assume ok (observe (flip (if (< n 2) 1.0 0.0)) true)]
[assume k (sample (uniform-discrete 0 (- 2 n)))]
[observe (flip 0.5) true]
[assume again (sample (uniform-discrete 0 (- 2 n)))]
[observe (flip (/ 1 (- 3 n))) true]
[predict n]
"""


@EACH_METHOD
def test_an_execution_of_weight_zero_ends_there(method: str) -> None:
    """Else `(uniform-discrete 0 (- 2 n))` would be an error in it."""
    sweeps = sweeps_of(DEAD, method, particles=12, sweeps=20)
    weights = np.concatenate([np.exp(sweep.log_weights) for sweep in sweeps])
    values = np.concatenate([np.asarray(sweep.predicts["n"], float) for sweep in sweeps])
    assert set(values[weights > 0]) == {0.0, 1.0}


@EACH_METHOD
def test_lanes_that_die_in_a_branch(method: str) -> None:
    text = """
    [assume a (sample (uniform-discrete 0 3))]
    [assume b (if (= a 0)
                (let [x (observe (flip 0.0) true)] (/ 1 0))
                (if (= a 1) (observe (flip 0.5) true) (sample (flip 0.5))))]
    [observe (flip (if b 0.5 0.9)) true]
    [predict a]
    """
    sweeps = sweeps_of(text, method, particles=20, sweeps=10)
    seen: set[float] = set()
    for sweep in sweeps:
        alive = np.exp(sweep.log_weights) > 0
        seen |= set(np.asarray(sweep.predicts["a"], float)[alive])
    assert seen == {1.0, 2.0}


# How much is replayed

KALMAN = (Path(__file__).parents[2] / "programs" / "kalman.clj").read_text()


@pytest.mark.parametrize("steps", [5, 20])
def test_replays_of_the_kalman_program(steps: int) -> None:
    """One of the whole suffix at the first boundary, then one segment at each: not N^2 / 2."""
    text, found = re.subn(r"\[assume T 100\]", f"[assume T {steps}]", KALMAN)
    assert found == 1
    for sweep in sweeps_of(text, "pgas", particles=5, sweeps=4):
        assert sweep.diagnostics["replays"] <= 2 * steps + 10


def test_replays_of_a_crp_mixture() -> None:
    """The state of the process, which every segment reads and writes, makes no segment dirty by itself: otherwise all
    of the suffix would be replayed at every boundary."""
    length = 40
    text = f"""
    [assume c (crp 1.0)]
    [assume z (mem (lambda (i) (sample c)))]
    [assume mu (mem (lambda (k) (sample (normal 0 2))))]
    [for [i (range 0 {length})] [observe (normal (mu (z i)) 1.0) (* 0.1 i)]]
    [predict (z 0)]
    """
    replays = np.mean([s.diagnostics["replays"] for s in sweeps_of(text, "pgas", particles=5, sweeps=30)])
    assert replays < 0.3 * length * (length - 1) / 2


VARIANCE = """
[assume a (sample (uniform 0 1))]
[assume s (mem (lambda (t) (if (= t 0) 1.0 (sqrt (+ 0.1 (* a (square (s (- t 1)))))))))]
[for [t (range 40)] [observe (normal 0 (s t)) (sin t)]]
[predict a]
"""


@pytest.mark.parametrize("sweeps", [3, 12])
def test_what_a_replay_has_computed_is_not_new_when_it_is_run(sweeps: int) -> None:
    """A chain of values without draws is replayed once, at the first boundary, by scripts as by the engine."""
    for sweep in sweeps_of(VARIANCE, "pgas", sweeps=sweeps):
        assert sweep.diagnostics["replays"] <= 2 * 40


TRUNCATED = """
[assume x (sample (normal 0 1))]
[observe (dirac (< 0 x)) true]
[for [t (range LENGTH)] [observe (normal 0 x) (sin t)]]
[predict x]
"""


@pytest.mark.parametrize("sweeps", [3, 12])
def test_candidates_that_have_ended_cost_no_more_than_others(sweeps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative deviations are errors in later segments: each is replayed once, and who lives is found in one walk."""
    reads: list[int] = []
    at = Lane.at

    def counted(self: Lane, frame: Frame) -> Any:
        reads[-1] += 1
        return at(self, frame)

    monkeypatch.setattr(Lane, "at", counted)
    for length in (30, 120):
        reads.append(0)
        for sweep in sweeps_of(TRUNCATED.replace("LENGTH", str(length)), "pgas", particles=8, sweeps=sweeps):
            assert sweep.diagnostics["replays"] <= length + 2
    assert reads[1] < 6 * reads[0], "linear, not quadratic"


@pytest.mark.parametrize("sweeps", [3, 12])
@pytest.mark.parametrize("reported", ["", "[predict (mapv h (range 40))]", "[predict (str (h 3))]"])
def test_what_is_reported_makes_no_segment_dirty(reported: str, sweeps: int) -> None:
    text = f"""
    [assume h (mem (lambda (t) (if (= t 0) (sample (normal 0 1)) (sample (normal (h (- t 1)) 1)))))]
    [for [t (range 40)] [observe (normal (h t) 0.5) (sin t)] [predict (h t)]]
    {reported}
    """
    assert {sweep.diagnostics["replays"] for sweep in sweeps_of(text, "pgas", sweeps=sweeps)} == {39}
