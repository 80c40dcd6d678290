"""Composed methods as they are used: what each part moves, and how the whole is offered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from pplc_runtime.composition import (
    BY_PARTICLES,
    GLOBALS,
    NOISE,
    PATHS,
    REST,
    WORDS,
    Composition,
    Moved,
    parsed,
)
from pplc_runtime.settings import OFFERS, Offer, one_of
from pplc_runtime.suggestions import suggestion


@dataclass(frozen=True, slots=True)
class Target:
    """What a method moves: what some names draw, or what they do not."""

    names: frozenset[str]
    inverted: bool = False


def method_in(method: Any) -> str | Composition:
    """A method by its name, or a composed one, which may be given as text."""
    if isinstance(method, str) and any(sign in method for sign in "()+*|"):
        method = parsed(method)
    if isinstance(method, Composition):
        composition = method.moves if isinstance(method, Moved) else method
        composition.check_chains()
        targets_of(composition)
        return method
    name: str = one_of("method", OFFERS)(method)
    return name


def targets_of(composition: Composition) -> list[Target | None]:
    """What each single method moves, None for all.

    Beside `rest`, icsmc and pgas without targets move the paths."""
    singles = list(composition.singles())
    rests = [single for single in singles if single.targets == (REST,)]
    if not rests:
        return [Target(frozenset(single.targets)) if single.targets else None for single in singles]
    named: set[str] = set()
    found: list[Target | None] = []
    for single in singles:
        targets = single.targets
        if not targets and single.method in BY_PARTICLES:
            targets = (GLOBALS,) if single.method == "pmmh" else (PATHS,)
        if not targets:
            raise rests[0].error(f"nothing is left for '{REST}': {single.method} moves all; name its targets", REST)
        named.update(name for name in targets if name != REST)
        found.append(Target(frozenset(targets)))
    if not named:
        raise rests[0].error(f"'{REST}' is what other methods do not move, and there is no other", REST)
    if {GLOBALS, PATHS} <= named:
        raise rests[0].error(f"nothing is left for '{REST}' beside {GLOBALS} and {PATHS}", REST)
    rest = Target(frozenset(named), inverted=True)
    return [rest if single.targets == (REST,) else target for single, target in zip(singles, found)]


def check_names(composition: Composition, assumed: Collection[str]) -> None:
    """A MethodError where a target is no name that a program assumes."""
    for single in composition.singles():
        if single.noise and NOISE in assumed:
            raise single.error(
                f"the program assumes a '{NOISE}' of its own, while here draws follow theirs; call it otherwise"
            )
        for name in single.targets:
            if name not in WORDS and name not in assumed:
                known = (*assumed, *WORDS)
                there_are = f"; there are {', '.join(known)}"
                raise single.error(f"the program does not assume '{name}'{suggestion(name, known) or there_are}", name)


# As it is offered


def offer_of(method: str | Composition) -> Offer:
    """A method as it is offered."""
    if isinstance(method, str):
        return OFFERS[method]
    if isinstance(method, Moved):
        own = tuple(dict.fromkeys(name for single in method.moves.singles() for name in OFFERS[single.method].own))
        sampler = OFFERS[next(method.sampler.singles()).method]
        number = next(method.sampler.singles()).number or sampler.particles
        also = ("resampling", "ess_threshold", "waste_free", "delayed", *(name for name in own if name == "proposals"))
        return Offer(str(method), "composed", number, sampler.sweeps, False, also)
    singles = list(method.singles())
    last = singles[-1]
    own = tuple(dict.fromkeys(name for single in singles for name in OFFERS[single.method].own if name != "genealogy"))
    sizes = [single.number or OFFERS[single.method].particles for single in singles if single.method in BY_PARTICLES]
    sweeps = max(OFFERS[single.method].sweeps for single in singles)
    draws = last.number if last.method in BY_PARTICLES else 1
    burn_in = max(OFFERS[single.method].burn_in for single in singles)
    parts = tuple(single.method for single in singles)
    return Offer(str(method), "composed", max(sizes, default=1), sweeps, True, own, burn_in, draws, parts=parts)
