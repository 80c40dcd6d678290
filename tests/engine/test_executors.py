"""Blocks of sweeps by executors: the result is that of one process, to the last bit, whoever does them and when."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pplc.cli import main
from pplc.model import compile_text, load
from pplc_runtime.results.codec import Encoder
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError

PROGRAMS = Path(__file__).parents[2] / "programs"
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("hmm", "pgas", {"particles": 4, "chains": 3, "sweeps": 105}),  # in the lanes of one run
    ("hmm", "smc", {"particles": 5, "chains": 3, "sweeps": 4}),
    ("crp_small", "lmh", {"chains": 2, "sweeps": 105, "burn_in": 2}),
    ("linear_regression", "rw", {"chains": 2, "sweeps": 130, "burn_in": 20}),
]


def told(posterior: Posterior) -> list[Any]:
    """All that a run has given, to the last bit."""
    return [[json.dumps(line) for line in Encoder().lines(sweep)] for sweep in posterior.sweeps]


class OutOfOrder(Executor):
    """Does what it is given in any order."""

    def __init__(self) -> None:
        self.given: list[tuple[Future[Any], Any]] = []
        self.lock = threading.Condition()
        self.rng = random.Random(2)
        self.count = 0
        threading.Thread(target=self.run, daemon=True).start()

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self.lock:
            self.given.append((future, lambda: function(*arguments, **named)))
            self.count += 1
            self.lock.notify()
        return future

    def run(self) -> None:
        while True:
            with self.lock:
                while not self.given:
                    self.lock.wait()
                future, work = self.given.pop(self.rng.randrange(len(self.given)))
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)


@pytest.mark.parametrize("name, method, settings", RUNS)
def test_in_any_order(name: str, method: str, settings: dict[str, Any]) -> None:
    model = load(PROGRAMS / f"{name}.clj")
    executor = OutOfOrder()
    again = model.infer(method, seed=3, executor=executor, **settings)
    assert told(again) == told(model.infer(method, seed=3, **settings))
    assert executor.count > 1


@pytest.mark.slow
def test_auto_by_an_executor() -> None:
    executor = OutOfOrder()
    model = load(PROGRAMS / "linear_regression.clj")
    wanted: dict[str, Any] = {"seed": 2, "target_ess": 800, "seconds": 10000}
    assert told(model.infer("auto", executor=executor, **wanted)) == told(model.infer("auto", **wanted))
    assert executor.count >= 8  # four chains, which are extended


def test_processes_that_are_started_anew() -> None:
    model = compile_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x]")
    settings: dict[str, Any] = {"chains": 4, "sweeps": 150, "seed": 5}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert told(model.infer("lmh", executor=pool, **settings)) == told(model.infer("lmh", **settings))
        wrong = compile_text("[assume x (sample (normal 0 1))] [predict (first x)]")
        with pytest.raises(ModelError, match="<text>:1:43: error: "):
            wrong.infer("lmh", executor=pool, **settings)


def test_with_cores() -> None:
    model = load(PROGRAMS / "hmm.clj")
    settings: dict[str, Any] = {"chains": 3, "sweeps": 3, "seed": 5, "particles": 20}
    assert told(model.infer("smc", cores=2, **settings)) == told(model.infer("smc", **settings))


class Breaking(OutOfOrder):
    """Its workers are gone after some blocks."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        if self.count >= 2:
            raise BrokenExecutor("no worker is left")
        return super().submit(function, *arguments, **named)


def test_workers_that_are_gone(tmp_path: Path) -> None:
    """A message, and the journal has what was done."""
    model, journal = load(PROGRAMS / "hmm.clj"), tmp_path / "journal"
    settings: dict[str, Any] = {"sweeps": 220, "seed": 5, "particles": 2}
    with pytest.raises(ModelError, match="the workers are gone"):
        model.infer("pgas", executor=Breaking(), checkpoint=journal, **settings)
    done: list[Sweep] = []
    again = model.infer("pgas", executor=OutOfOrder(), resume=journal, on_sweep=done.append, **settings)
    assert told(again) == told(model.infer("pgas", **settings))


def test_an_interrupt_keeps_what_is_done() -> None:
    model = load(PROGRAMS / "crp_small.clj")

    class Interrupted(OutOfOrder):
        def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
            if self.count >= 5:
                time.sleep(0.3)
                raise KeyboardInterrupt
            return super().submit(function, *arguments, **named)

    found = model.infer("lmh", executor=Interrupted(), chains=4, sweeps=200, seed=1)
    assert found.interrupted
    assert len(found.sweeps) >= 100
    whole = {(sweep.chain, sweep.number) for sweep in found.sweeps}
    assert len(whole) == len(found.sweeps)


@pytest.mark.slow
def test_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster of processes: a worker that is killed, one that is added, and a scheduler that goes."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("pplc_runtime.command.cluster.PATIENCE", 2)
    model = load(PROGRAMS / "crp_small.clj")
    settings: dict[str, Any] = {"chains": 4, "sweeps": 120, "seed": 5}
    whole = told(model.infer("lmh", **settings))
    journal = tmp_path / "journal"
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, protocol="tcp://")
    client = distributed.Client(cluster)
    try:
        assert told(model.infer("lmh", executor=client.get_executor(), **settings)) == whole
        done = 0

        def on_sweep(sweep: Sweep) -> None:
            nonlocal done
            done += 1
            if done == 50:
                cluster.scale(2)
                (worker,) = list(client.run(os.getpid).values())[:1]
                os.kill(worker, signal.SIGKILL)

        assert told(model.infer("lmh", executor=client.get_executor(), on_sweep=on_sweep, **settings)) == whole
        out = tmp_path / "draws.jsonl"
        run = ["infer", str(PROGRAMS / "crp_small.clj"), "--method", "lmh", "--chains", "4", "--sweeps", "120",
               "--seed", "5", "--quiet", "--out", str(out)]  # fmt: skip
        assert main([*run, "--cluster", cluster.scheduler_address]) == 0
        by_cluster = out.read_bytes()
        assert main(run) == 0
        assert out.read_bytes() == by_cluster
        done = 0

        def gone(sweep: Sweep) -> None:
            nonlocal done
            done += 1
            if done == 50:
                cluster.close(timeout=10)

        with pytest.raises(ModelError, match="the workers are gone"):
            model.infer("lmh", executor=client.get_executor(), on_sweep=gone, checkpoint=journal, **settings)
    finally:
        client.close(timeout=5)
        cluster.close(timeout=5)
    assert told(model.infer("lmh", resume=journal, **settings)) == whole
    assert main([*run, "--cluster", "tcp://127.0.0.1:9"]) == 1
    assert "cannot reach" in capsys.readouterr().err
