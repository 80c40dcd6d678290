"""Nested inference: (conditional query) is the distribution of what a procedure gives, given its observes.

The handler that runs finds the distribution: by enumerating the executions of the query, or by weighing particles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import settle
from pplc_runtime.values import ModelError, Symbol

MOST_EXECUTIONS: Final = 100_000
"""Executions of a query, or of a program, that are enumerated."""
METHODS: Final = ("enumerate", "importance", "smc")
_USAGE: Final = "(conditional query), (conditional query :method :importance :particles n), and :smc likewise"


@dataclass(frozen=True, slots=True)
class Inner:
    """How the distribution of a query is found; `particles` is None for enumeration."""

    particles: int | None = None
    resamples: bool = False
    """Whether particles are resampled at observes that all of them meet."""


def settings_of(options: tuple[Any, ...]) -> Inner:
    """What the options of a conditional say."""
    found: dict[str, Any] = {}
    for key, value in zip(options[::2], options[1::2]):
        if type(key) is not Symbol or key.name not in (":method", ":particles"):
            raise ModelError(f"conditional: there is no option {given(key)}; expected {_USAGE}")
        found[key.name] = value
    if len(options) % 2:
        raise ModelError(f"conditional: the option {given(options[-1])} has no value; expected {_USAGE}")
    method = found.get(":method", Symbol(":enumerate"))
    if type(method) is not Symbol or method.name.removeprefix(":") not in METHODS:
        known = ":enumerate, :importance or :smc"
        raise ModelError(f"conditional: the method must be {known}, not {given(method)}")
    particles = found.get(":particles")
    if method.name == ":enumerate":
        if particles is not None:
            raise ModelError("conditional: enumeration has no particles; they are for :method :importance and :smc")
        return Inner()
    if type(particles) is not int or particles < 1:
        raise ModelError(f"conditional: :particles must be a whole number from 1, not {given(particles)}")
    return Inner(particles, method.name == ":smc")


def conditional(at: At, query: Any, *options: Any) -> Any:
    """(conditional query), (conditional query :method :importance :particles n)"""
    return here.handler.nested(settle(query), settings_of(options))


IMPOSSIBLE: Final = "conditional: no execution of the query is possible"
TOO_MANY: Final = (
    f"conditional: the query has more than {MOST_EXECUTIONS} executions, too many to enumerate; "
    "give :method :importance :particles n"
)


def endless(name: str) -> ModelError:
    """The error of a draw that cannot be enumerated."""
    return ModelError(
        f"conditional: a draw from {name} in the query has no finite number of values to enumerate; "
        "give :method :importance :particles n"
    )


NO_PROCESS: Final = "conditional: a query that is enumerated draws from distributions and observes them, not processes"
