"""Programs with events at the places of templates: one place after the other, or several in nested ones.

`programs_for` puts an event at one place of one template after the other; `generate` nests templates at random. All
programs are finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from .places import BOOLEAN, F0, F1, F2, LIST, MAP, SOURCE, TEMPLATES, TEST, WHOLE, Filler, Template

CAST: Final = """
[assume seen (mem (fn [k] (let [x (sample (flip 0.3))] (observe (flip (if x 0.8 0.4)) true) k)))]
[assume coin (beta-flip 1.0 2.0)]
"""
SHOWN: Final = {
    WHOLE: "{}",
    BOOLEAN: "(if {} 1 0)",
    LIST: "(apply + {})",
    MAP: "(apply + (vals {}))",
    F0: "({})",
    F1: "({} 1)",
    F2: "({} 1 2)",
    TEST: "(if ({} 1) 1 0)",
    SOURCE: "(if (sample {}) 1 0)",
}
"""A value of each type as a number."""


def _program(lines: list[str], template: Template, text: str) -> str:
    """A program that binds the value of a use, observes by it, and uses it again."""
    shown = SHOWN[template.type].format("a")
    return "\n".join(
        [
            CAST.strip(),
            *lines,
            f"[assume a {text}]",
            f"[observe (flip (if (even? (int {shown})) 0.8 0.3)) true]",
            f"[assume b (+ 1 {shown})]",
            "[observe (flip (if (< b 3) 0.4 0.7)) true]",
            f'[predict "a" {shown}]',
            '[predict "b" b]\n',
        ]
    )


def programs_for(template: Template) -> Iterator[str]:
    """Programs with an event at one place of a template, each in its turn; the first one has none."""
    for number in range(-1, 40):
        filler = Filler(np.random.default_rng(number + 1), number)
        text = template.use(filler)
        if number >= filler.places:
            return
        yield _program([], template, text)
    raise AssertionError("too many places")


def generate(seed: int | tuple[int, ...]) -> str:
    """A program of nested templates with up to four events at random places."""
    filler = Filler(np.random.default_rng(seed), depth=3)
    uses = [template for uses in TEMPLATES.values() for template in uses]
    template = uses[int(filler.rng.integers(len(uses)))]
    first = f"[assume z {filler.at(WHOLE)}]"
    filler.scope = ("z",)
    return _program([first], template, template.use(filler))
