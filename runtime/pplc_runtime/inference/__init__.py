"""The inference methods: one visible table."""

from __future__ import annotations

from typing import Final

from pplc_runtime.inference.base import Method
from pplc_runtime.inference.icsmc import icsmc, icsmc_together
from pplc_runtime.inference.importance import importance
from pplc_runtime.inference.pgas import chains_of_pgas, pgas
from pplc_runtime.inference.smc import smc

METHODS: Final[dict[str, Method]] = {
    method.name: method
    for method in (
        Method("importance", importance, False, "draws from the prior, weighted by the observes", 1000, 10),
        Method("smc", smc, False, "particles resampled at every observe", 1000, 10),
        Method("icsmc", icsmc, True, "a chain of conditional smc sweeps", 100, 1000, icsmc_together),
        Method("pgas", pgas, True, "the same with ancestor sampling, for few particles", 10, 1000, chains_of_pgas),
    )
}
