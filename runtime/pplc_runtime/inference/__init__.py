"""The inference methods: one visible table, and what can be composed of them."""

from __future__ import annotations

from typing import Final

from pplc_runtime.composition import Composition, offer_of
from pplc_runtime.inference.base import Method
from pplc_runtime.inference.compose import Composed, Mover
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.importance import Importance
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.inference.smc import Smc
from pplc_runtime.inference.targets import Covers, everything
from pplc_runtime.inference.walk import Walk
from pplc_runtime.settings import OFFERS

METHODS: Final[dict[str, Method]] = {
    "importance": Method(OFFERS["importance"], Importance()),
    "smc": Method(OFFERS["smc"], Smc()),
    "icsmc": Method(OFFERS["icsmc"], Icsmc()),
    "pgas": Method(OFFERS["pgas"], Pgas()),
    "lmh": Method(OFFERS["lmh"], Lmh()),
    "rw": Method(OFFERS["rw"], Walk()),
    "slice": Method(OFFERS["slice"], Walk(sliced=True)),
}


def _others(covers: Covers | None) -> Covers | None:
    return None if covers is None else lambda at: not covers(at)


MOVERS: Final[dict[str, Mover]] = {
    "icsmc": lambda covers, number: Icsmc(_others(covers), number),
    "pgas": lambda covers, number: Pgas(_others(covers), number),
    "lmh": lambda covers, number: Lmh(covers or everything, number),
    "rw": lambda covers, number: Walk(False, covers or everything),
    "slice": lambda covers, number: Walk(True, covers or everything),
}
"""The methods that can be part of a composition: how each is made from what it moves, and from its number."""


def method_of(method: str | Composition) -> Method:
    """A method by its name, or a composed one."""
    if isinstance(method, str):
        return METHODS[method]
    return Method(offer_of(method), Composed(method, MOVERS))
