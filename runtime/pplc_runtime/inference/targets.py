"""Targets: which random choices a kernel moves, by what the program assumes; never by the values of a chain."""

from __future__ import annotations

from collections.abc import Callable

from pplc_runtime.composed import Target
from pplc_runtime.composition import GLOBALS, PATHS
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At

Covers = Callable[[At], bool]
"""Whether what is drawn at an address is moved."""


def everything(at: At) -> bool:
    """Covers all addresses."""
    return True


def covering(plan: Plan, target: Target) -> Covers:
    """What a target covers: choices belong to the assume that makes them, entries of a memo to the one that makes it.

    What observes and predicts draw belongs to no name, and to the paths."""
    known: dict[At, bool] = {}

    def covers(at: At) -> bool:
        found = known.get(at)
        if found is None:
            name, shared = plan.assumed.get(statement_of(plan, at), ("", False))
            named = name in target.names or (GLOBALS if shared else PATHS) in target.names
            found = known[at] = named is not target.inverted
        return found

    return covers


def statement_of(plan: Plan, at: At) -> At:
    """The address of the statement that an address is below."""
    while at.parent is not None and at.parent is not plan.root:
        at = at.parent
    return at
