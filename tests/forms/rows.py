"""What a row of the tables of forms is, and its exact answer.

A row has a use of a form in a program that draws, and what a plain Python procedure makes of the same draws:

    Row("(when b (* a 2))", lambda a, b: 2 * a if b else 0)

`a` is 0, 1 or 2, alike, and `b` is true with probability 0.3. An expression gives a number v; statements assume it.
Then v weighs exp(0.3 v) and is predicted. Where the form draws or weighs itself, the procedure gives the ways that it
may go, each with its probability times its weight: [(0.2, 1), (0.8, 0)].
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final, NamedTuple

PRIOR: Final = "[assume a (sample (uniform-discrete 0 3))]\n[assume b (sample (flip 0.3))]\n"
WEIGHT: Final = 0.3


class Row(NamedTuple):
    """A use of a form, and what it comes to for each value of a and b."""

    text: str
    twin: Callable[[int, bool], Any]
    whole: bool = False
    """Whether the text is all of the program: it draws its own a and b, weighs, and has one predict."""

    @property
    def program(self) -> str:
        if self.whole:
            return self.text
        body = self.text if "[assume v " in self.text else f"[assume v {self.text}]"
        return f"{PRIOR}{body}\n[factor (* {WEIGHT} v)]\n[predict v]"

    def masses(self) -> dict[Any, float]:
        """What is predicted, with its probability times its weight."""
        found: defaultdict[Any, float] = defaultdict(float)
        for a in range(3):
            for b, p in ((True, 0.3), (False, 0.7)):
                ways = self.twin(a, b)
                for mass, value in ways if isinstance(ways, list) else [(1.0, ways)]:
                    found[value] += mass * p / 3 * (1.0 if self.whole else math.exp(WEIGHT * value))
        return {value: mass for value, mass in found.items() if mass > 0.0}
