"""What a run may be told: the methods, and the settings of each with what they must be.

One table for the command line and for Python. It imports no numpy, so that the command can show it at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from numbers import Integral, Real
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from pplc_runtime.suggestions import suggestion

Function = TypeVar("Function", bound=Callable[..., Any])
RESAMPLING: Final = ("multinomial", "stratified", "systematic", "residual")
ENGINES: Final = ("lanes", "reference")


class Offer(NamedTuple):
    """A method as it is offered: what it does, how many particles and sweeps it uses unless told otherwise, whether
    its sweeps form a chain, and which settings it has beside those of all methods."""

    name: str
    does: str
    particles: int
    sweeps: int
    is_chain: bool
    own: tuple[str, ...] = ()
    burn_in: int = 0
    """Unless told otherwise."""
    draws: int | None = None
    """How many draws a sweep gives, if not one for each particle."""
    is_exact: bool = False
    """Whether one sweep gives all there is to know."""
    parts: tuple[str, ...] = ()
    """The methods that it is made of, if it is composed."""

    @property
    def has_reference(self) -> bool:
        """Whether the reference engine has it."""
        return set(self.parts or (self.name,)) <= set(REFERENCE_METHODS)

    def draws_of(self, particles: int) -> int:
        """How many draws a sweep of so many particles gives."""
        return particles if self.draws is None else self.draws


OFFERS: Final[dict[str, Offer]] = {
    offer.name: offer
    for offer in (
        Offer("importance", "draws from the prior, weighted by the observes", 1000, 10, False, ("delayed",)),
        Offer(
            "smc", "particles resampled at every observe", 1000, 10, False,
            ("resampling", "ess_threshold", "genealogy", "delayed"),
        ),
        Offer(
            "icsmc", "a chain of conditional smc sweeps", 100, 1000, True,
            ("resampling", "ess_threshold", "genealogy", "burn_in", "delayed"),
        ),
        Offer(
            "pgas", "a chain of conditional smc sweeps with ancestor sampling, for few particles", 10, 1000, True,
            ("resampling", "ess_threshold", "genealogy", "burn_in", "strict", "delayed"),
        ),
        Offer(
            "lmh", "a chain that proposes one random choice at a time", 1, 1000, True,
            ("burn_in", "proposals", "delayed"), draws=1,
        ),
        Offer(
            "rw", "a chain of random walks, one value at a time (static structure)", 1, 2000, True,
            ("burn_in", "delayed"), 500, draws=1,
        ),
        Offer(
            "slice", "a chain of slices, one value at a time (static structure)", 1, 2000, True,
            ("burn_in", "delayed"), 500, draws=1,
        ),
        Offer(
            "gibbs", "a chain of finite values, each by its law given the rest (static structure)", 1, 2000, True,
            ("burn_in", "delayed"), draws=1,
        ),
        Offer(
            "sum", "finite values summed out for the moves beside it, and drawn together (static structure)", 1, 2000,
            True, ("burn_in", "delayed"), draws=1,
        ),
        Offer(
            "ellipse", "a chain of elliptical slices, normal values together (static structure)", 1, 2000, True,
            ("burn_in", "delayed"), draws=1,
        ),
        Offer(
            "nuts", "the no-U-turn sampler, real values together by gradients (static structure)", 1, 1000, True,
            ("burn_in", "delayed"), 500, draws=1,
        ),
        Offer(
            "pimh", "a chain that proposes whole smc runs, accepted by their evidence", 100, 1000, True,
            ("resampling", "ess_threshold", "genealogy", "burn_in", "delayed"),
        ),
        Offer(
            "pmmh", "a chain of parameters by a random walk, each weighed by smc on the rest", 100, 1000, True,
            ("resampling", "ess_threshold", "burn_in", "delayed"), 200,
        ),
        Offer(
            "ipmcmc", "a chain of several retained runs and free ones, exchanged by their evidence", 50, 200, True,
            ("resampling", "ess_threshold", "burn_in", "delayed", "nodes"),
        ),
        Offer("enumerate", "the exact posterior, by all executions of a finite program", 1, 1, False, is_exact=True),
        Offer("rejection", "exact, independent draws, where observes have probabilities", 1000, 1, False),
        Offer("prior", "draws from the prior, which observe nothing", 1000, 1, False),
    )
}  # fmt: skip
OFFERS["auto"] = Offer(
    "auto", "a method that is chosen for you, until it has enough effective draws", 10, 500, True,
    ("target_ess", "seconds"),
)  # fmt: skip
DEFAULT_METHOD: Final = "auto"


# What a setting must be. Each gives the value as the run takes it, or says in an error what is wanted.

Check: TypeAlias = Callable[[Any], Any]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    """A value that is no whole number, with the one that was probably meant."""
    if _is_number(value):
        is_whole, shown = value % 1 == 0, str(value)  # the remainder is NaN for what is not finite
    else:
        is_whole, shown = isinstance(value, str) and value.isascii() and value.isdigit(), repr(value)
    return f"{shown}; write {int(value)}" if is_whole else shown


def whole(least: int) -> Check:
    """A whole number from `least` on, of Python's or NumPy's; a float or a text of one is told how to write it."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"must be a whole number, not {_shown(value)}")
        if value < least:
            raise ValueError(f"must be at least {least}, not {value}")
        return int(value)

    return check


def share(value: Any) -> float:
    """A number from 0 to 1."""
    if not _is_number(value):
        raise TypeError(f"must be a number, not {value!r}")
    if not 0 <= value <= 1:
        raise ValueError(f"must be between 0 and 1, not {value}")
    return float(value)


def positive(value: Any) -> float:
    """A number above 0."""
    if not _is_number(value):
        raise TypeError(f"must be a number, not {value!r}")
    if not 0 < value < math.inf:
        raise ValueError(f"must be above 0, not {value}")
    return float(value)


def size(value: Any) -> int:
    """A size of memory in bytes, or as text: 500M, 2G."""
    if isinstance(value, str):
        found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)B?", value.strip().upper())
        if found is None:
            raise ValueError(f"must be a size such as 500M or 2G, not {value!r}")
        value = float(found[1]) * 1024.0 ** " KMGT".index(found[2] or " ")
    if not _is_number(value):
        raise TypeError(f"must be a size such as 500M or 2G, not {value!r}")
    if not 1 <= value < math.inf:
        raise ValueError(f"must be at least one byte, not {value}")
    return int(value)


def boolean(value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"must be True or False, not {value!r}")
    return value


def one_of(kind: str, names: Collection[str]) -> Check:
    """One of a few names."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            there_are = f"; there are {', '.join(names)}"
            raise ValueError(f"unknown {kind} {value!r}{suggestion(value, names) or there_are}")
        return value

    return check


class Setting(NamedTuple):
    """What a setting must be, and what it is unless told otherwise."""

    check: Check
    default: Any = None


SETTINGS: Final[dict[str, Setting]] = {
    "particles": Setting(whole(1)),
    "sweeps": Setting(whole(1)),
    "seed": Setting(whole(0)),
    "chains": Setting(whole(1), 1),
    "cores": Setting(whole(1), 1),
    "max_depth": Setting(whole(1)),
    "max_seconds": Setting(positive),
    "max_memory": Setting(size),
    "resampling": Setting(one_of("scheme", RESAMPLING), "multinomial"),
    "ess_threshold": Setting(share, 1.0),
    "burn_in": Setting(whole(0), 0),
    "strict": Setting(boolean, False),
    "genealogy": Setting(whole(0), 0),
    "proposals": Setting(whole(1)),
    "waste_free": Setting(boolean, False),
    "nodes": Setting(whole(2), 8),
    "delayed": Setting(boolean, False),
    "target_ess": Setting(whole(1), 400),
    "seconds": Setting(whole(1), 60),
}
"""Those of all methods, and then those that only some methods have."""
REFERENCE_METHODS: Final = ("importance", "smc", "icsmc", "pgas", "lmh")
"""The methods that the reference engine has, by themselves and one after the other."""
NO_REFERENCE: Final = "the reference engine has no {}; use the engine lanes"
OF_MOVES: Final = {"waste_free": ["smc with moves, as in 'smc | rw*5'"]}
"""Settings that no method has by itself."""
CALLED_WITH: Final = ("checkpoint", "data", "engine", "every", "executor", "keep", "on_sweep", "progress", "resume")
"""What `infer` takes from Python beside settings."""


def checked(offer: Offer, given: Mapping[str, Any], engine: str = ENGINES[0]) -> dict[str, Any]:
    """The settings that are given for a method, as a run takes them; None is one that is not given.

    A setting of the wrong kind or an unknown one is a TypeError, a value that it cannot have a ValueError."""
    if engine == "reference" and not offer.has_reference:
        raise ValueError(f"method: {NO_REFERENCE.format(offer.name)}")
    if engine == "reference" and given.get("delayed"):
        raise ValueError(f"delayed: {NO_REFERENCE.format('delayed draws')}")
    result = {}
    for name, value in given.items():
        if name not in SETTINGS:
            raise TypeError(f"infer has no setting '{name}'{suggestion(name, (*SETTINGS, *CALLED_WITH))}")
        if value is None:
            continue
        result[name] = setting(name, value)
        reason = unfit(name, result[name], offer)
        if reason is not None:
            raise ValueError(f"{name}: {reason}")
    only_some = {name for each in OFFERS.values() for name in each.own} | set(OF_MOVES)
    return {name: value for name, value in result.items() if name in offer.own or name not in only_some}


def setting(name: str, value: Any) -> Any:
    """The value of a setting as a run takes it; what is wrong with it is told by its name."""
    try:
        return SETTINGS[name].check(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def unfit(name: str, value: Any, method: Offer) -> str | None:
    """Why a method has no use for a value of a setting, or None. What changes nothing is no harm."""
    if value == SETTINGS[name].default:
        return None
    able = OF_MOVES.get(name) or [offer.name for offer in OFFERS.values() if name in offer.own]
    if able and name not in method.own:
        return f"{method.name} has none; use {' or '.join([', '.join(able[:-1]), able[-1]] if able[1:] else able)}"
    return None


def with_settings(infer: Function) -> Function:
    """The settings as named parameters of a function that takes them as options: for help() and completion."""
    from inspect import Parameter, signature

    own = signature(infer)
    named = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=setting.default)
        for name, setting in SETTINGS.items()
        if name not in own.parameters
    ]
    infer.__signature__ = own.replace(parameters=[*named, *more])  # type: ignore[attr-defined] # inspect looks for it
    return infer
