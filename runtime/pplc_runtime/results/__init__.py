"""What a run gives: weighted draws, their summary, and their export."""

from pplc_runtime.results.export import DrawWriter
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Column, Sweep

__all__ = ["Column", "DrawWriter", "Genealogy", "Posterior", "Sweep"]
