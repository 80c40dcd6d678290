"""Moves of values: proposals of lmh, and the joint density that all moves go by, with what is to be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import pplc
from benchmarks.suite import LOST, Bench, compiled, failed
from benchmarks.table import Row
from benchmarks.timing import Calls, Inference, Timed, measure
from pplc_runtime.inference.base import Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.machine.machine import Machine
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.parts import Part
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.lane_engine import LaneEngine
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced

REGRESSION = """
[input data]
[assume a (sample (normal 0 10))] [assume b (sample (normal 0 10))] [assume s (sample (gamma 2 2))]
[for [[x y] data] [observe (normal (+ a (* b x)) s) y]]
[predict a] [predict b] [predict s]
"""
MANY = 10
"""So many thousand proposals are timed at once."""
ROWS = (100, 1_000, 10_000, 100_000)


def regression(rows: int) -> dict[str, Any]:
    """Data for the regression."""
    rng = np.random.default_rng(rows)
    x = rng.normal(size=rows)
    return {"data": list(zip(x.tolist(), (1.0 + 2.0 * x + rng.normal(size=rows)).tolist()))}


def proposals(bench: Bench) -> Iterator[Row]:
    """1,000 steps of lmh on the nonlinear model: alone, a chain of 16, and on a series that is longer."""
    section = "1,000 proposals of lmh, nlss"
    if not bench.wanted(section):
        return

    def of(chains: int) -> Timed:
        return Inference(compiled("nlss"), "lmh", particles=10, proposals=1000 * MANY, chains=chains)

    try:
        found = measure({"one": of(1), "many": of(16), **{str(n): moving(n) for n in (100, 800)}}, bench.effort)
    except LOST as error:
        yield failed(section, "lmh", error)
        return
    one, many, short, long = (found[name].cpu / MANY for name in ("one", "many", "100", "800"))
    yield Row(section, "100 observes, one chain", one, "target", 5.0, 1.0)
    yield Row(section, "100 observes, a chain of 16", many / 16, "target", 0.5, 1.0)
    yield Row(section, "800 observes, machine code alone", long, "100 observes", short, 1.5)


def moving(steps: int) -> Timed:
    """Proposals without a run around them."""
    plan = scripted(compiled("nlss", steps).program.plan({}))
    with np.errstate(all="ignore"):
        values = first_retained(LaneEngine(plan), Settings(1, 1), Key.of(1))
        mover = NativeEngine(plan).mover((Part("lmh", lambda at: True, number=1000 * MANY),), values)
    return Calls(lambda number: (mover.run(1, number, 0, Key.of(1), False), number + 1)[1], 0)


def density(rows: int, gradient: bool = False) -> Callable[[Any], Any]:
    """The joint density of the regression at one execution, or its gradient."""
    program = pplc.compile_text(REGRESSION).program
    with np.errstate(all="ignore"):
        plan = program.plan(program.data(regression(rows)))
        joint = Joint(specialised(traced(plan)), Machine, False, gradient)
        x = joint.layout.written(Trace(plan, {}, np.random.default_rng(1)).values)
    fields = {**joint.fields(x), "filling": 1}
    if gradient:
        joint.machine["score_all"](joint.machine.record("Moves", fields))
        fields |= site_fields(joint, sites_of(joint, lambda at: True, "nuts"), "nuts")
    record = joint.machine.record("Moves", fields)
    work = joint.machine["gradient" if gradient else "score_all"]
    return lambda _: work(record)


def densities(bench: Bench) -> Iterator[Row]:
    """The joint density, once and for 100 chains, which have an execution each."""
    section = "The joint density of a regression"
    for rows in ROWS[:2] if bench.quick else ROWS:
        label = f"{rows:,} rows"
        if not bench.wanted(f"{section}: {label}"):
            continue
        try:
            subjects: dict[str, Timed] = {"value": Calls(density(rows)), "gradient": Calls(density(rows, True))}
            found = measure(subjects, bench.effort)
        except LOST as error:
            yield failed(section, label, error)
            continue
        target = {100: 0.005, 100_000: 1.0}.get(rows)
        against = "" if target is None else "target"
        yield Row(section, label, found["value"].cpu, against, target, None if target is None else 1.0)
        yield Row(section, f"{label}, gradient", found["gradient"].cpu)


SECTIONS = (proposals, densities)
