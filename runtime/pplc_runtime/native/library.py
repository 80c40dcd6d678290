"""The library of the middle language: samplers, densities, weights and kernels, as text."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from pplc_runtime.machine.language import Signature, signatures


def _text(*parts: tuple[str, str]) -> str:
    texts = (files(f"pplc_runtime.{room}").joinpath(f"{part}.py") for room, part in parts)
    return "\n".join(text.read_text(encoding="utf-8") for text in texts)


def _native(*parts: str) -> str:
    return _text(*(("native", part) for part in parts))


_COMMON: Final = _text(("machine", "generator"), ("machine", "draws"), ("native", "densities"))
TEXT: Final = "\n".join([_COMMON, _native("slopes", "execution", "summed", "moves", "nuts", "ellipse")])
"""With moves of values; and below what proposals need beside it, and the library with sweeps of particles."""
PROPOSALS: Final = _native("resample", "proposals")
SWEEPS: Final = "\n".join([_COMMON, _native("resample", "arrays", "handed", "sweeps")])
FUNCTIONS: Final[dict[str, Signature]] = signatures(TEXT)
