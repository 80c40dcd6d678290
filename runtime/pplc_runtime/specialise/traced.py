"""The trace of a program: a sweep of a few particles by twins of its functions."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import SCHEMES
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.specialise.ir import Trace
from pplc_runtime.specialise.trace import Tracer
from pplc_runtime.specialise.twins import Twins
from pplc_runtime.values import Place

PARTICLES: Final = 16
"""As many as a trace is made with: those that resampling keeps do what the particles of a sweep do."""

ALIKE: Final = 1.0
"""Log weights that differ by less than this are alike."""


def traced(plan: Plan) -> Trace:
    """The trace of a program; an error if it has no fixed course, or does not come to an end."""
    twins = Twins(plan.module)
    course = twins.plan(plan)
    particles = Particles(course, Key.of(0), PARTICLES, handler=Tracer)
    tracer = particles.handler
    assert isinstance(tracer, Tracer)

    def fork(place: Place, line: int, _: At | None = None) -> None:
        """A segment ends, and all particles go on by weight; as they are, where their weights are alike."""
        if not np.ptp(particles.log_weights) < ALIKE:
            weights, _ = particles.weights()
            particles.fork_by(SCHEMES["multinomial"], weights)
        tracer.whole = particles.frame
        tracer.trace.ends.append((place, line))
        tracer.begin()

    tracer.begin()
    tracer.whole = particles.frame
    for number, segment in enumerate(course.segments):
        for step in segment:
            tracer.pause = partial(fork, step.place, step.place[0])
            outcome = step.function(step.at, *step.arguments)
            if step.step is Assume:
                tracer.write(step.name, outcome)
            elif step.step is Observe:
                source, value = outcome
                tracer.weigh(tracer.score(step.at, source, tracer.observed(step.at, value)))
            elif step.step is Predict:
                tracer.report(step.turn, *outcome)
        if segment is not course.segments[-1]:
            fork(segment[-1].place, plan.outline.observes[number])
    trace = tracer.trace
    trace.ends.append((course.segments[-1][-1].place if course.segments[-1] else (0, 0), plan.outline.observes[-1]))
    trace.parted = tracer.parted
    tracer.pause = None
    cells = {cell: value for cell, value in tracer.store.items() if cell not in plan.inputs}
    tracer.begin()
    try:
        for step in course.reports:
            step.put_back(tracer.store)
            outcome = step.function(step.at, *step.arguments)
            if step.step is Assume:
                tracer.write(step.name, outcome)
            else:
                tracer.report(step.turn, *outcome)
        trace.reports = trace.segments.pop()
    except Exception:  # what is only reported may do one thing or another: the program itself does it
        trace.segments.pop()
        trace.store = {cell: tracer.operand(twins.original(value)) for cell, value in cells.items()}
    return trace


def sweep_once(plan: Plan) -> None:
    """The program itself, on the particles of a trace."""
    particles = Particles(plan.without_scripts(), Key.of(0), PARTICLES)
    for number, segment in enumerate(plan.segments):
        if number:
            particles.fork_by(SCHEMES["multinomial"], particles.weights()[0])
        particles.extend(segment)
