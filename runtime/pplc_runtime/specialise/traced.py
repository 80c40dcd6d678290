"""The trace of a program: a sweep of a few particles by twins of its functions."""

from __future__ import annotations

from typing import Final

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.numerics.resampling import SCHEMES
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.specialise.ir import Trace
from pplc_runtime.specialise.trace import Tracer
from pplc_runtime.specialise.twins import Twins

PARTICLES: Final = 16
"""As many as a trace is made with: those that resampling keeps do what the particles of a sweep do."""


def traced(plan: Plan) -> Trace:
    """The trace of a program; an error if it has no fixed course, or does not come to an end."""
    twins = Twins(plan.module)
    course = twins.plan(plan)
    rng = np.random.default_rng(0)
    particles = Particles(course, rng, PARTICLES, handler=Tracer)
    tracer = particles.handler
    assert isinstance(tracer, Tracer)
    for segment in course.segments:
        tracer.begin()
        for step in segment:
            outcome = step.function(step.at, *step.arguments)
            if step.step is Assume:
                tracer.write(step.name, outcome)
            elif step.step is Observe:
                tracer.weigh(tracer.score(step.at, *outcome))
            elif step.step is Predict:
                tracer.report(step.turn, *outcome)
        weights, _ = particles.weights()
        if segment is not course.segments[-1]:
            particles.fork(SCHEMES["multinomial"].draw(rng, weights, PARTICLES))
    trace = tracer.trace
    cells = {cell: value for cell, value in tracer.store.items() if cell not in plan.inputs}
    tracer.begin()
    try:
        for step in course.reports:
            step.put_back(tracer.store)
            tracer.report(step.turn, *step.function(step.at, *step.arguments))
        trace.reports = trace.segments.pop()
    except Exception:  # what is only reported may do one thing or another: the program itself does it
        trace.segments.pop()
        trace.store = {cell: tracer.operand(twins.original(value)) for cell, value in cells.items()}
    return trace
