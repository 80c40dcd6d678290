"""Which methods fit a program, the best first: told from what every execution of it does.

1. Executions that differ in what they draw, or draws that no move is known for: where sweeps are machine code `smc`, if
   a few come far enough; where they can stand in nodes `slice`, if a pilot finds no value that others hold in place;
   `pgas` where it is machine code; and `pgas + lmh`, particles for what holds each other in place and single moves for
   what many observes read.
2. Finite draws that are independent, a chain or a tree given the rest, as labels and states are: `sum`, with `nuts` for
   the rest, or single moves where there is no gradient.
3. All draws are shared by many statements: `nuts`; with discrete ones among them, or without a gradient, `slice`.
4. Some are read by few, as the states of a path: `smc`, if a few sweeps of it come far enough, then `nuts`, and
   `pgas + rw*20`, since neither gradients nor single moves may ever leave one of several modes.

Where draws can follow their noise, a pilot tells whether `nuts` moves better so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pplc_runtime.composed import Target
from pplc_runtime.composition import PATHS, WORDS
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.targets import covering, everything, statement_of
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.native.values import Unsupported
from pplc_runtime.running.general import why_not
from pplc_runtime.running.nodes import NodeMoves
from pplc_runtime.specialise.engine import scripted

GENERAL: Final = "pgas + lmh"
STATIC: Final = "pgas + rw*20"
MOST_COSTLY: Final = 30
"""A sum may take as many densities as so many of the whole program: else each value is drawn given the others."""

MOST_IN_PILOT: Final = 5000
"""Draws and observes of a program for which there is a pilot, which would take too long for others."""


class Choice(NamedTuple):
    """A method, and why it is tried; and others, if a pilot is to tell which of them it will be."""

    method: str
    reason: str
    others: tuple[str, ...] = ()
    everywhere: bool = False
    """Whether chains must agree on all that they draw, since they may each be in a mode of their own."""

    free: bool = False
    """Whether a pilot must show that no finite value is held in place by others, which single moves cannot change."""

    @property
    def ways(self) -> tuple[str, ...]:
        """The methods that it may be."""
        return (self.method, *self.others)


def choices(plan: Plan) -> list[Choice]:
    """The methods for a program that cannot be enumerated, the best first."""
    from pplc_runtime.native.sites import sites_of

    plan = scripted(plan)
    if plan.scripts is None:
        differ = "executions differ in what they draw"
        return _by_particles(differ, why_not(plan, {}) is None, NodeMoves(plan).why_not() is None)
    engine = NativeEngine(plan)
    try:
        sites_of(engine.joint, everything)
    except Unsupported as missing:
        return _by_particles(f"there is no machine code for {missing}", True)
    draws = engine.joint.layout.draws
    if not draws:
        return [Choice("importance", "nothing is drawn")]
    same = "every execution draws the same things"
    if names := summable(plan, engine):
        return _summed(plan, engine, names, same)
    path = covering(plan, Target(frozenset({PATHS})))
    local = next((draw.at for draw in draws if path(draw.at)), None)
    by_gradients = has_gradient(engine, everything)
    is_short = len(engine.joint.pieces) <= MOST_IN_PILOT
    ways = ("nuts(noise)",) if by_gradients and is_short and _follows(engine) else ()
    if local is None:
        same += ", which many statements share"
        if not by_gradients:
            return [Choice("slice", same), Choice(STATIC, f"{same}, and single moves did not come far enough")]
        return [Choice("nuts", f"{same}, and all of them are real", ways), Choice("slice", same)]
    reason = f"{same}, and few statements read those of '{name_of(plan, local)}'"
    found = [Choice("smc", reason)]
    if by_gradients:
        found.append(Choice("nuts", f"{reason}, and all are real", ways, everywhere=True))
    return [*found, Choice(STATIC, reason)]


def _by_particles(reason: str, is_fast: bool, in_nodes: bool = False) -> list[Choice]:
    found = [Choice("smc", reason)] if is_fast else []
    if in_nodes:
        found.append(Choice("slice", f"{reason}, and each value can be moved given the others", free=True))
    if is_fast:
        found.append(Choice("pgas", reason))
    return [*found, Choice(GENERAL, reason)]


def _summed(plan: Plan, engine: NativeEngine, names: list[str], same: str) -> list[Choice]:
    covers = covering(plan, Target(frozenset(names)))
    rest = [draw for draw in engine.joint.layout.draws if not covers(draw.at)]
    method = f"sum({' '.join(names)})"
    reason = f"{same}, and the sum over those of {' and '.join(map(repr, names))} can be computed"
    if not rest:
        return [Choice(method, reason)]
    by = "nuts" if has_gradient(engine, lambda at: not covers(at)) else "slice"
    return [Choice(f"{method} + {by}", reason), Choice(STATIC, reason)]


def name_of(plan: Plan, at: At) -> str:
    """The name whose assume draws something; of what observes draw there is none."""
    name: str = plan.assumed.get(statement_of(plan, at), ("", False))[0]
    return name


def has_gradient(engine: NativeEngine, covers: Callable[[At], bool]) -> bool:
    """Whether all draws that are covered are real, and densities have derivatives by them."""
    from pplc_runtime.native.sites import sites_of

    try:
        return bool(sites_of(engine.density(False, True), covers, "nuts"))
    except Unsupported:
        return False


def _follows(engine: NativeEngine) -> bool:
    """Whether some draw follows its noise when another moves."""
    layout = engine.joint.layout
    return any(draw.uses and draw.result in layout.noise for draw in layout.draws)


def summable(plan: Plan, engine: NativeEngine) -> list[str]:
    """The names whose draws can be summed out together, those of most draws first."""
    from pplc_runtime.native.sums import is_finite, sum_fields

    kinds: dict[str, list[bool]] = {}
    for draw in engine.joint.layout.draws:
        kinds.setdefault(name_of(plan, draw.at), []).append(is_finite(draw))
    found: list[str] = []
    for name in sorted(kinds, key=lambda name: -len(kinds[name])):
        if not all(kinds[name]) or not name or name in WORDS:
            continue
        try:
            fields = sum_fields(engine.joint, covering(plan, Target(frozenset({*found, name}))))
        except Unsupported:
            continue
        if _densities(fields) <= MOST_COSTLY * len(engine.joint.pieces):
            found.append(name)
    return found


def _densities(fields: dict[str, Any]) -> int:
    """How many densities a sum takes."""
    total = int(fields["GO"][fields["gs"]])
    for rows, starts in ((fields["UF"], fields["UO"]), (fields["PF"], fields["PO"])):
        for i in range(fields["zs"]):
            alone = sum(fields["FG"][f] < 0 for f in rows[rows[i] : rows[i + 1]])
            total += int(alone * (starts[i + 1] - starts[i]))
    return total
