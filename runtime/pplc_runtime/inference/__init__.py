"""The inference methods: one visible table."""

from __future__ import annotations

from typing import Final

from pplc_runtime.inference.base import Method
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.importance import Importance
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.inference.smc import Smc
from pplc_runtime.settings import OFFERS

METHODS: Final[dict[str, Method]] = {
    "importance": Method(OFFERS["importance"], Importance()),
    "smc": Method(OFFERS["smc"], Smc()),
    "icsmc": Method(OFFERS["icsmc"], Icsmc()),
    "pgas": Method(OFFERS["pgas"], Pgas()),
    "lmh": Method(OFFERS["lmh"], Lmh()),
}
