"""The library of the middle language: samplers, densities, weights and kernels, as text."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from pplc_runtime.native.language import Signature, signatures

PARTS: Final = ("draws", "densities", "moves")
TEXT: Final = "\n".join(
    files("pplc_runtime.native").joinpath(f"{part}.py").read_text(encoding="utf-8") for part in PARTS
)
FUNCTIONS: Final[dict[str, Signature]] = signatures(TEXT)
