"""Print: a look into a run. It goes to standard error, marked with the sweep and the particle, and has an end.

print: sweep 3, particle 2: x 0.53
"""

from __future__ import annotations

import sys
from typing import Any, Final

from pplc_runtime.lanes.frames import NOBODY, here
from pplc_runtime.lanes.messages import in_one_lane
from pplc_runtime.lanes.varying import holds_lanes
from pplc_runtime.primitives.text import written
from pplc_runtime.values import shown

MOST_LINES: Final = 1000
MOST_PARTICLES: Final = 10
"""That one call prints the values of."""
WIDEST: Final = 1000


def print_values(*values: Any) -> Any:
    """(print x ...): prints the values and gives the last one, nil if there is none.

    Values that all particles share are printed once. Where a run goes over something again, to score it or to find out
    what it reads, nothing is printed."""
    if here.printed <= MOST_LINES and here.particle != NOBODY and getattr(here.handler, "prints", True):
        _print(values)
    return values[-1] if values else None


def _print(values: tuple[Any, ...]) -> None:
    frame = here.frame
    if frame.size > 1 and not any(map(holds_lanes, values)):
        _line(f"{frame.size} particles", values)
        return
    for lane in range(min(frame.size, MOST_PARTICLES)):
        number = lane if frame.to_top is None else int(frame.to_top[lane])
        _line(_particle(number), tuple([in_one_lane(value, lane) for value in values]))
    if frame.size > MOST_PARTICLES:
        _line(f"{frame.size - MOST_PARTICLES} more particles", ("...",))


def _particle(lane: int) -> str:
    return f"particle {(lane if here.particle is None else here.particle) + 1}"


def _line(who: str, values: tuple[Any, ...]) -> None:
    here.printed += 1
    if here.printed > MOST_LINES + 1:
        return
    if here.printed == MOST_LINES + 1:
        print(f"print: {MOST_LINES} lines are printed; the rest is not", file=sys.stderr)
        return
    when = "before the run" if here.sweep is None else "burn-in" if here.sweep < 0 else f"sweep {here.sweep + 1}"
    text = " ".join([value if type(value) is str else _written(value) for value in values])
    text = "".join([c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text])
    text = text if len(text) <= WIDEST else f"{text[:WIDEST]}..."
    print(f"print: {when}, {who}: {text}", file=sys.stderr)


def _written(value: Any) -> str:
    try:
        return written(value)
    except Exception:  # a distribution or a procedure, which have no text of their own
        return shown(value)
