"""The inference methods: one visible table, and what can be composed of them."""

from __future__ import annotations

from typing import Final

from pplc_runtime.composed import offer_of
from pplc_runtime.composition import WALKS, Composition, Moved, Single
from pplc_runtime.inference.base import Method
from pplc_runtime.inference.compose import Composed, Mover
from pplc_runtime.inference.enumeration import Enumeration
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.importance import Importance
from pplc_runtime.inference.ipmcmc import Ipmcmc
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.inference.pimh import Pimh
from pplc_runtime.inference.pmmh import Pmmh
from pplc_runtime.inference.population_walk import PopulationWalk
from pplc_runtime.inference.prior import Prior
from pplc_runtime.inference.rejection import Rejection
from pplc_runtime.inference.smc import Smc
from pplc_runtime.inference.smc_moves import ByTraces, MoveOf, WithMoves
from pplc_runtime.inference.targets import Covers, everything
from pplc_runtime.inference.walk import Walk
from pplc_runtime.native.parts import Part
from pplc_runtime.settings import OFFERS

METHODS: Final[dict[str, Method]] = {
    "importance": Method(OFFERS["importance"], Importance()),
    "smc": Method(OFFERS["smc"], Smc()),
    "icsmc": Method(OFFERS["icsmc"], Icsmc()),
    "pgas": Method(OFFERS["pgas"], Pgas()),
    "pmmh": Method(OFFERS["pmmh"], Pmmh(Icsmc)),
    "pimh": Method(OFFERS["pimh"], Pimh(Icsmc())),
    "lmh": Method(OFFERS["lmh"], Lmh()),
    "ipmcmc": Method(OFFERS["ipmcmc"], Ipmcmc(Icsmc())),
    "enumerate": Method(OFFERS["enumerate"], Enumeration()),
    "rejection": Method(OFFERS["rejection"], Rejection()),
    "prior": Method(OFFERS["prior"], Prior()),
    **{by: Method(OFFERS[by], Walk((Part(by, everything),))) for by in WALKS},
}


def _others(covers: Covers | None) -> Covers | None:
    return None if covers is None else lambda at: not covers(at)


def _walk(covers: Covers | None, single: Single) -> Walk:
    return Walk((Part(single.method, covers or everything, single.noise, single.number),))


MOVERS: Final[dict[str, Mover]] = {
    "icsmc": lambda covers, single: Icsmc(_others(covers), single.number),
    "pgas": lambda covers, single: Pgas(_others(covers), single.number),
    "pmmh": lambda covers, single: Pmmh(Icsmc, covers, single.number),
    "lmh": lambda covers, single: Lmh(covers or everything, single.number),
    **dict.fromkeys(WALKS, _walk),
}
"""The methods that can be part of a composition: how each is made from what it moves, and from how it is written."""


IN_SMC: Final[dict[str, MoveOf]] = {
    "rw": lambda covers, _: PopulationWalk(covers or everything),
    "lmh": lambda covers, number: ByTraces(Lmh(covers or everything, number)),
}
"""The moves of particles after a resampling."""


def method_of(method: str | Composition) -> Method:
    """A method by its name, or a composed one."""
    if isinstance(method, str):
        return METHODS[method]
    if isinstance(method, Moved):
        return Method(offer_of(method), WithMoves(method.moves, IN_SMC))
    return Method(offer_of(method), Composed(method, MOVERS))
