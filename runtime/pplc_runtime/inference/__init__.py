"""The inference methods: one visible table."""

from __future__ import annotations

from typing import Final

from pplc_runtime.inference.base import Method
from pplc_runtime.inference.icsmc import icsmc, icsmc_together
from pplc_runtime.inference.importance import importance
from pplc_runtime.inference.pgas import chains_of_pgas, pgas
from pplc_runtime.inference.smc import smc
from pplc_runtime.settings import OFFERS

METHODS: Final[dict[str, Method]] = {
    "importance": Method(OFFERS["importance"], importance),
    "smc": Method(OFFERS["smc"], smc),
    "icsmc": Method(OFFERS["icsmc"], icsmc, icsmc_together),
    "pgas": Method(OFFERS["pgas"], pgas, chains_of_pgas),
}
