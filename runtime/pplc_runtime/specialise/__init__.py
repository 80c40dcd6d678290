"""Scripts: programs of fixed course as straight code.

`trace` finds what a program does, `course` what its segments read and write, `emit` writes their code, and `suffix`
scores what pgas retains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.specialise.course import scripts_of
from pplc_runtime.specialise.emit import Failed
from pplc_runtime.specialise.trace import traced

__all__ = ["LEAST_SWEEPS", "Failed", "either", "scripted"]
LEAST_SWEEPS = 10
"""From so many sweeps on scripts are worth the time that it takes to make them."""
MOST_FAILURES = 3
"""Scripts that fail more often than this, and in more than a tenth of the sweeps, are not tried again."""
Result = TypeVar("Result")


def scripted(plan: Plan) -> Plan:
    """A plan with scripts, where the program has a fixed course."""
    try:
        return replace(plan, scripts=scripts_of(traced(plan)))
    except Exception:  # it has none, or something is wrong that the program itself says better
        return plan


def either(plan: Plan, rng: np.random.Generator, work: Callable[[Plan], Result]) -> Result:
    """What a sweep comes to: by scripts, or where they fail by the program itself, from the same random numbers.

    So it makes no difference to the law of a sweep when they fail: scripts do what the program does, or nothing."""
    scripts = plan.scripts
    if scripts is None or scripts.failures > max(MOST_FAILURES, scripts.attempts / 10):
        return work(plan.without_scripts())
    scripts.attempts += 1
    state = rng.bit_generator.state
    try:
        return work(plan)
    except Exception:  # whatever it is, the program comes to it as well, and can tell where
        scripts.failures += 1
        rng.bit_generator.state = state
    return work(plan.without_scripts())
