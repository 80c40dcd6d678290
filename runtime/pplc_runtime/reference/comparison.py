"""For comparison with other engines: executions by given values, joint densities, ancestor weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.reference.environment import (
    ByPath,
    Handler,
    InOrder,
    Mismatch,
)
from pplc_runtime.reference.execution import (
    Particle,
    Plan,
    Segment,
    extend,
    report,
    start,
)
from pplc_runtime.reference.methods import Floats, one_lane, paper_suffix_score, planned, suffix_score
from pplc_runtime.reference.syntax import Program


class Replay(NamedTuple):
    """An execution with given choices."""

    log_prior: float
    log_likelihood: float
    predicts: dict[str, Any]


def replay(program: Program, values: Sequence[Any], data: Mapping[str, Any] | None = None) -> Replay:
    """The execution that makes the given choices, in order. Both logs are -inf if there is none: a choice is
    impossible, or there are too few or too many of them."""
    with one_lane():
        run = planned(program, data)
        return _replayed(run, InOrder(values), reported=True)[0]


def log_joint(
    program: Program,
    choices: Mapping[At, Any] | Mapping[tuple[Any, ...], Any],
    data: Mapping[str, Any] | None = None,
) -> float:
    """The log density of the execution with the given choices by address, or path of an address."""
    paths = {alpha.path() if isinstance(alpha, At) else alpha: value for alpha, value in choices.items()}
    with one_lane():
        result, _ = _replayed(planned(program, data), ByPath(paths))
    return result.log_prior + result.log_likelihood


def executed(program: Program, values: Sequence[Any], data: Mapping[str, Any] | None = None) -> tuple[Plan, Particle]:
    """The plan and the particle of an execution that makes the given choices, in order."""
    with one_lane():
        run = planned(program, data)
        replayed, particle = _replayed(run, InOrder(values))
    if replayed.log_prior == -np.inf:
        raise ValueError("the program has no execution with these choices")
    return run, particle


def _replayed(run: Plan, handler: InOrder | ByPath, reported: bool = False) -> tuple[Replay, Particle]:
    """Predicts that wait take what choices are left."""
    nothing = Replay(-np.inf, -np.inf, {})
    particle = through(run, run.segments, handler)
    log_likelihood = sum(generation.log_weight for generation in particle.generations)
    if log_likelihood == -np.inf:
        return nothing, particle
    if reported:
        try:
            report(particle, run, handler)
        except Mismatch:
            return nothing, particle
    if handler.remaining:
        return nothing, particle
    predicts = particle.predicts(run.segments) if reported else {}
    return Replay(handler.log_prior, log_likelihood, predicts), particle


def through(run: Plan, segments: Sequence[Segment], handler: Handler) -> Particle:
    """A new particle taken through some segments, what is drawn and decided kept for each of them."""
    particle = start(run)
    for segment in segments:
        handler.drawn, handler.seated, handler.predicates = {}, [], []
        extend(particle, segment, handler)
        if particle.log_weight == -np.inf:
            break
    return particle


def ancestor_log_weights(
    program: Program,
    generation: int,
    prefixes: Sequence[Sequence[Any]],
    retained: Sequence[Any],
    data: Mapping[str, Any] | None = None,
    *,
    strict: bool = False,
    paper: bool = False,
) -> Floats:
    """log w^l p(suffix | prefix^l) at the boundary after `generation` generations (1, 2, ...).

    A prefix is given by its choices up to there in the order of execution, the retained particle by all of
    its own."""
    with one_lane():
        run = planned(program, data)
        kept = through(run, run.segments, InOrder(retained))
        given = kept.given(generation, strict)
        result = []
        for values in prefixes:
            handler = InOrder(values)
            prefix = through(run, run.segments[:generation], handler)
            if handler.remaining:
                raise Mismatch
            if paper:
                score = paper_suffix_score(prefix, kept, generation, run)
            else:
                score = suffix_score(prefix, given, generation, run)
            result.append(prefix.log_weight + score)
    return np.array(result)
