"""Exchangeable processes: the one table of them."""

from __future__ import annotations

from typing import Final

from pplc_runtime.processes.base import Process
from pplc_runtime.processes.beta_flip import BetaFlip
from pplc_runtime.processes.crp import Crp
from pplc_runtime.processes.normal_normal import NormalNormal
from pplc_runtime.processes.polya_urn import PolyaUrn

PROCESSES: Final[dict[str, Process]] = {
    process.name: process for process in (Crp(), PolyaUrn(), BetaFlip(), NormalNormal())
}

ALIASES: Final[dict[str, str]] = {"dirichlet-discrete": PolyaUrn.name}
