"""Handlers that do not weigh as others do: one that passes observes by, and one that must know a bound for them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.engine.forward import Forward
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Mix, raw
from pplc_runtime.program.stochastic import Derived, Dirac, Dist, ProcessInstance
from pplc_runtime.values import ModelError

ROUNDING: Final = 1e-9


class Unobserving(Forward):
    """Observes nothing: values are drawn from the prior, processes take in what is drawn alone."""

    def score(self, at: At, source: Any, value: Any) -> Any:
        return 0.0


class Bounded(Forward):
    """Observes only what has a probability: its density is at most one."""

    def score(self, at: At, source: Any, value: Any) -> Any:
        score = super().score(at, source, value)
        if type(source) is not Mix and not is_probability(source, raw(score)):
            raise ModelError(
                "rejection accepts an execution with the probability of what it observes, and this is no probability: "
                "a density or a factor may be more than one; use importance or smc"
            )
        return score


def is_probability(source: Any, score: Any) -> bool:
    """Whether what is observed has a mass, of one at most; a factor may be more."""
    if isinstance(source, Derived):
        source = source.chosen
    discrete = isinstance(source, Dirac) or (isinstance(source, Dist | ProcessInstance) and source.family.discrete)
    return discrete and bool(np.all(score <= ROUNDING))
