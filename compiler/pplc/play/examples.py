"""The example programs that a page starts from: those of the folder `programs`, which is part of the package."""

from __future__ import annotations

import re
from typing import Final

from pplc.vocabulary import folder

FOLDER: Final = "programs"
FIRST: Final = """; A coin that is fair with probability 0.8 came up heads 8 times in 10.
[assume fair? (sample (flip 0.8))]
[assume bias (if fair? 0.5 (sample (beta 1 1)))]
[for [heads [true true false true true true true false true true]]
  [observe (flip bias) heads]]
[predict fair?]
[predict bias]
"""
"""What a page has that was opened without a model."""


def examples() -> dict[str, str]:
    """What each program is about, by its name."""
    found = {"coin": heading(FIRST)}
    top = folder() / FOLDER
    for path in sorted(top.rglob("*.clj"), key=lambda path: (len(path.parts), path)):
        found[path.relative_to(top).with_suffix("").as_posix()] = heading(path.read_text(encoding="utf-8"))
    return found


def example(name: str) -> str | None:
    """The text of a program."""
    if name == "coin":
        return FIRST
    path = folder() / FOLDER / f"{name}.clj"
    return path.read_text(encoding="utf-8") if name in examples() else None


def heading(text: str) -> str:
    """The first sentence of the comment that a program starts with."""
    lines = []
    for line in text.splitlines():
        if not line.startswith(";"):
            break
        lines.append(line.lstrip("; "))
    return re.split(r"(?<=[.:])(?<!et al\.)\s", " ".join(lines), maxsplit=1)[0].rstrip(".:")
