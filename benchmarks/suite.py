"""What is measured, and what is to be reached: generators of rows, by section."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

import pplc
from benchmarks import bias, models, processes
from benchmarks.by_hand import crp, hmm, lgss, nlss, plain
from benchmarks.models import Program
from benchmarks.peers import outside
from benchmarks.table import Bias, Row
from benchmarks.timing import Calls, Effort, Inference, Time, Timed, clocked, measure

SIZES = (10, 100, 1_000, 10_000)
NUMPY_LIMITS = dict(zip(SIZES, (2.5, 2.0, 1.5, 1.25)))
WEBPPL_LIMITS = dict(zip(SIZES, (None, 1.0, 1 / 20, 1 / 100)))
BY_HAND: dict[str, Any] = {"lgss": lgss, "nlss": nlss, "crp": crp, "hmm": hmm}
LOST = (Exception, RecursionError)


@dataclass
class Bench:
    """How hard to try, and what was measured so far."""

    quick: bool
    wanted: Callable[[str], bool] = lambda label: True
    times: dict[tuple[str, str, int], Time] = field(default_factory=dict)

    @property
    def effort(self) -> Effort:
        return Effort(0.1, 3, 2) if self.quick else Effort(0.4, 7, 4)


@cache
def compiled(program: str, size: int | None = None) -> Any:
    make = getattr(models, program)
    made: Program = make() if size is None else make(size)
    return pplc.compile_text(made.text, made.name)


def by_hand(model: str, method: str, n: int) -> Timed:
    """The numpy version, its chain begun from a sweep so that the retained path is a likely one."""
    module, arrays, rng = BY_HAND[model], getattr(models, model)().arrays, np.random.default_rng(1)
    if method == "smc":
        return Calls(lambda _: module.smc(arrays, n, rng))
    sweep = getattr(module, method)
    return Calls(lambda old: sweep(arrays, n, rng, old)[1], module.start(arrays, rng))


def one_at_a_time(model: str, n: int) -> Timed:
    y, rng = getattr(models, model)().arrays["y"].tolist(), random.Random(1)
    if model == "nlss":
        return Calls(lambda old: plain.nlss_icsmc(y, n, rng, old)[1], plain.nlss_start(y, rng))
    return Calls(lambda _: plain.crp_smc(y, n, rng))


def failed(section: str, label: str, error: BaseException) -> Row:
    said = (str(error).splitlines() or [repr(error)])[0][:90]
    return Row(section, label, None, note=f"pplc failed: {said}")


def side_by_side(bench: Bench, model: str, method: str, n: int) -> Iterator[Row]:
    """pplc, numpy and plain Python by turns, then the peers."""
    section, label = "A sweep", f"{model} {method} {n:,}"
    if not bench.wanted(f"{section}: {label}"):
        return
    subjects: dict[str, Timed] = {}
    if hasattr(BY_HAND[model], method):
        subjects["numpy"] = by_hand(model, method, n)
    if n == 10 and (model, method) in (("nlss", "icsmc"), ("crp", "smc")):
        subjects["plain Python"] = one_at_a_time(model, n)
    try:
        subjects["pplc"] = Inference(compiled(model), method, particles=n)
    except LOST as error:
        yield failed(section, label, error)
    times = measure(subjects, bench.effort)
    ours = times.get("pplc")
    if ours is not None:
        bench.times[model, method, n] = ours
    for against, time in times.items():
        if against != "pplc":
            yield _row(section, label, ours, against, time, limit_of(model, method, n, against))
    peers = PEERS.get((model, method), PEERS.get(method, ()))
    for peer in peers:
        if not bench.quick or n == QUICKLY.get((peer, method)):
            found = outside.timed(peer, model, method, n, bench.effort)
            yield _row(section, label, ours, peer, found, limit_of(model, method, n, peer))
    if "numpy" not in times and not peers and ours is not None:
        yield _by_itself(section, label, ours)


PEERS: dict[str | tuple[str, str], tuple[str, ...]] = {
    "smc": ("numba", "particles", "webppl"),
    "icsmc": ("numba", "particles"),
    "pgas": ("numba",),
    ("crp", "icsmc"): ("numba",),  # its states grow, which the conditional smc of `particles` cannot do
    ("crp", "pgas"): (),
}
"""Who else has a method."""
MOST_MS = {"crp pgas 10": 0.5, "pcfg smc 10": 0.015}
"""What a sweep may take where there is nothing to compare with."""
QUICKLY = {
    ("numba", "smc"): 1_000,
    ("numba", "icsmc"): 10,
    ("numba", "pgas"): 10,
    ("particles", "smc"): 1_000,
    ("particles", "icsmc"): 1_000,
    ("webppl", "smc"): 10,
}
"""The number of particles with which a peer is run in a quick run."""


def limit_of(model: str, method: str, n: int, against: str) -> float | None:
    match against:
        case "numpy" if model == "crp":
            return 4.0
        case "numpy" if model == "hmm":
            return None
        case "numpy":
            return 2.5 if method == "pgas" else NUMPY_LIMITS[n]
        case "plain Python":
            return 2.0
        case "particles":
            return 1.0
        case "webppl":
            return WEBPPL_LIMITS[n]
        case "numba" if model != "crp":
            return 1.0 if n == 10 and method != "smc" else 1.25
        case "numba" if n <= 100:
            return 1.0
    return None


def _row(section: str, label: str, ours: Time | None, against: str, found: Time | str, limit: float | None) -> Row:
    mine = None if ours is None else ours.cpu
    wall = None if ours is None else ours.wall
    if isinstance(found, str):
        return Row(section, label, mine, against, None, limit, wall=wall, note=found)
    noisy = found.noisy or (ours is not None and ours.noisy)
    return Row(section, label, mine, against, found.cpu, limit, wall=wall, noisy=noisy)


def sweeps(bench: Bench) -> Iterator[Row]:
    for model in ("lgss", "nlss", "crp", "hmm"):
        for method in ("smc", "icsmc"):
            few = (10, 1_000) if model in ("lgss", "nlss") or method == "smc" else (10,)
            for n in few if bench.quick else SIZES:
                yield from side_by_side(bench, model, method, n)
    for model in ("lgss", "nlss", "crp", "hmm"):
        yield from side_by_side(bench, model, "pgas", 10)
    yield from alone(bench, "pcfg", "smc", 10)


def alone(bench: Bench, model: str, method: str, n: int) -> Iterator[Row]:
    """pplc by itself, on a model that nobody else has here."""
    section, label = "A sweep", f"{model} {method} {n:,}"
    if bench.wanted(f"{section}: {label}"):
        found = turns(bench, section, label, {"pplc": lambda: Inference(compiled(model), method, particles=n)})
        yield found if isinstance(found, Row) else _by_itself(section, label, found["pplc"])


def _by_itself(section: str, label: str, ours: Time) -> Row:
    most = MOST_MS.get(label)
    if most is None:
        return Row(section, label, ours.cpu, wall=ours.wall)
    return Row(section, label, ours.cpu, "what it may take", most, 1.0, wall=ours.wall, noisy=ours.noisy)


def particles_growth(bench: Bench) -> Iterator[Row]:
    """What was measured above, of ten times as many particles beside as many."""
    section = "Ten times the particles"
    for model, method, n in sorted(bench.times):
        fewer = bench.times.get((model, method, n // 10))
        if fewer is not None and bench.wanted(f"{section}: {model} {method}"):
            yield _row(section, f"{model} {method} {n:,}", bench.times[model, method, n], f"{n // 10:,}", fewer, None)


def turns(bench: Bench, section: str, label: str, subjects: dict[str, Callable[[], Timed]]) -> dict[str, Time] | Row:
    """The times of settings of pplc that are compared with each other, or the row of a failure."""
    try:
        return measure({name: make() for name, make in subjects.items()}, bench.effort)
    except LOST as error:
        return failed(section, label, error)


def inference(model: str, method: str, size: int | None = None, **settings: int) -> Callable[[], Timed]:
    return lambda: Inference(compiled(model, size), method, particles=10, **settings)


def pgas_beside_icsmc(bench: Bench) -> Iterator[Row]:
    section = "pgas against icsmc, 10 particles"
    for model in ("lgss", "nlss", "crp", "hmm"):
        if not bench.wanted(f"{section}: {model}"):
            continue
        make = {m: inference(model, m) for m in ("pgas", "icsmc")}
        match turns(bench, section, model, make):
            case Row() as row:
                yield row
            case times:
                limit = 2.5 if model in ("lgss", "nlss") else None
                yield _row(section, model, times["pgas"], "icsmc", times["icsmc"], limit)


def growth(bench: Bench) -> Iterator[Row]:
    for model, method, lengths, limit in (
        ("lgss", "icsmc", (100, 200, 400, 800), 2.2),
        ("lgss", "pgas", (100, 200, 400, 800), 2.2),
        ("crp", "pgas", (100, 200, 400), 2.8),
    ):
        section = "Twice as long, 10 particles"
        if not bench.wanted(f"{section}: {model} {method}"):
            continue
        if bench.quick:
            lengths = lengths[:2]
        make = {str(t): inference(model, method, t) for t in lengths}
        match turns(bench, section, f"{model} {method}", make):
            case Row() as row:
                yield row
            case times:
                for shorter, longer in pairwise(lengths):
                    label = f"{model} {method} {longer}"
                    yield _row(section, label, times[str(longer)], str(shorter), times[str(shorter)], limit)


def chains(bench: Bench) -> Iterator[Row]:
    section = "Four chains of 10 in one run"
    cases = (("nlss", "icsmc"), ("nlss", "pgas"), ("lgss", "icsmc"), ("lgss", "pgas"))
    for model, method in cases[: 2 if bench.quick else 4]:
        label = f"{model} {method}"
        if not bench.wanted(f"{section}: {label}"):
            continue
        make = {str(k): inference(model, method, chains=k) for k in (4, 1)}
        match turns(bench, section, label, make):
            case Row() as row:
                yield row
            case times:
                yield _row(section, label, times["4"], "one chain", times["1"], 1.5)


def replays(bench: Bench) -> Iterator[Row]:
    section = "Replays a sweep of pgas, most of 20"
    for steps in (100, 200):
        label = f"lgss, {steps} observes"
        if not bench.wanted(f"{section}: {label}"):
            continue
        try:
            run = compiled("lgss", steps).infer("pgas", particles=10, sweeps=20, seed=1)
            counts = [sweep.diagnostics["replays"] for sweep in run.sweeps]
            yield Row(section, label, max(counts), "2 N + 10", 2 * steps + 10, 1.0, unit="")
        except LOST as error:
            yield failed(section, label, error)


FORKS = 400


def forks(bench: Bench) -> Iterator[Row]:
    """The time of an observe and its fork, after few values and after many.

    The history takes far longer to make than a fork, so here alone the clock stands inside of a sweep."""
    section = "An observe and its fork, 100 particles"
    label = "10,000 values before it"
    if not bench.wanted(f"{section}: {label}"):
        return
    try:
        many, few = Sweeping(10_000, 100), Sweeping(10, 100)
        times = measure({"many": many, "few": few}, Effort(0.02, 15 if bench.quick else 40))
        yield _row(section, label, times["many"], "10 values", times["few"], 1.2)
    except LOST as error:
        yield failed(section, label, error)


class Sweeping:
    """A sweep that stands after its history; what is timed are the observes and forks that follow.

    Every batch runs the same observes again from where the last one ended."""

    def __init__(self, values: int, particles: int) -> None:
        from pplc_runtime.engine.particles import Particles
        from pplc_runtime.numerics.keys import Key
        from pplc_runtime.numerics.resampling import SCHEMES

        program = models.history(values, FORKS)
        run = pplc.compile_text(program.text, program.name).program.plan({})
        self.segments = run.segments
        self.scheme = SCHEMES["multinomial"]
        self.particles = Particles(run, Key.of(1), particles)
        self.particles.extend(self.segments[0])
        self.next = 1

    def batch(self, sweeps: int) -> tuple[float, float]:
        return clocked(lambda: self._run(sweeps))

    def set_up(self) -> tuple[float, float]:
        return 0.0, 0.0

    def _run(self, count: int) -> None:
        for _ in range(count):
            weights, _ = self.particles.weights()
            self.particles.fork_by(self.scheme, weights)
            self.particles.done = self.next
            self.particles.extend(self.segments[self.next])
            self.next = self.next % (FORKS - 1) + 1


def start_up(bench: Bench) -> Iterator[Row]:
    section = "A process, from start to end"
    repeats = 5 if bench.quick else 15
    cases: list[tuple[str, Callable[[], Time], str, Callable[[], Time], float | None]] = [
        (
            "pplc --help",
            lambda: processes.help_text(repeats),
            "bare Python",
            lambda: processes.bare_python(repeats),
            1.5,
        )
    ]
    few = repeats // 3
    for model in ("nlss", "lgss", "crp"):
        first = partial(processes.first_draw, getattr(models, model)(), few)
        label = f"first draw of {model}, compiled"
        cases.append((label, first, "import numpy", lambda: processes.numpy_import(few), None))
    for label, ours, against, theirs, limit in cases:
        if bench.wanted(f"{section}: {label}"):
            try:
                yield _row(section, label, ours(), against, theirs(), limit)
            except LOST as error:
                yield failed(section, label, error)
    for model in ("nlss", "lgss", "hmm", "crp"):
        label = f"text to sweeps, {model}"
        if bench.wanted(f"{section}: {label}"):
            try:
                cold, warm = processes.new_program(getattr(models, model)(), few)
                yield Row(section, f"{label}, cold cache", cold, "0.5 s", 500.0, 1.0)
                yield Row(section, f"{label}, warm", warm, "0.25 s", 250.0, 1.0)
            except LOST as error:
                yield failed(section, label, error)


def memory(bench: Bench) -> Iterator[Row]:
    section = "Peak of memory"
    cases = [("random walk, 2,000 steps", models.walk(2_000), method) for method in ("smc", "icsmc")]
    for name, program, method in cases[: 1 if bench.quick else 2]:
        label = f"{name}, {method} 10,000"
        if bench.wanted(f"{section}: {label}"):
            try:
                peak = processes.peak_megabytes(program, method, 10_000)
                yield Row(section, label, peak, "1 GB", 1_000.0, 1.0, unit="MB")
            except LOST as error:
                yield failed(section, label, error)
    label = "nlss smc 10,000"
    if bench.wanted(f"{section}: {label}"):
        try:
            ours = processes.peak_megabytes(models.nlss(), "smc", 10_000)
        except LOST as error:
            yield failed(section, label, error)
            return
        yield Row(section, label, ours, "numpy", processes.peak_by_hand("nlss", 10_000), unit="MB")
        found = outside.peak("particles", "nlss", 10_000)
        if isinstance(found, str):
            yield Row(section, label, ours, "particles", unit="MB", note=found)
        else:
            yield Row(section, label, ours, "particles", found, unit="MB")


def biases(bench: Bench) -> Iterator[Bias]:
    """Whether few particles give the right answer, pplc and the others alike."""
    section = "Bias of the first state of three, HMM"
    cases = [("icsmc", 5, 2_500), ("icsmc", 3, 1_000), ("pgas", 2, 1_500)]
    if bench.quick:
        cases = [("icsmc", 5, 200), ("pgas", 2, 150)]
    for method, n, sweeps in cases:
        amount = bias.Amount(16 if bench.quick else 40, sweeps)
        for name, sampler in bias.SAMPLERS[method].items():
            label = f"{method} {n}"
            if not bench.wanted(f"{section}: {label} {name}"):
                continue
            try:
                shares = sampler(method, n, amount)
            except LOST as error:
                shares = f"failed: {error}"
            if isinstance(shares, str):
                yield Bias(section, label, name, note=shares)
            else:
                found = bias.measured(shares)
                yield Bias(section, label, name, found.error, found.chance, amount.chains * amount.sweeps)


SECTIONS = (
    sweeps, pgas_beside_icsmc, growth, particles_growth, chains, replays, forks, start_up, memory, biases,
)  # fmt: skip
