"""Methods that are composed of others: `pgas(paths, 50) + lmh(omega q)*5`, as text and as values in Python.

    cycle   =  repeat + repeat + ...              one after the other, in this order
    repeat  =  single * 5                         so many times
    single  =  ( cycle )  or  method  or  method(targets and a number)

Targets are names that the program assumes, or `globals`, `paths`, `rest`; without any, a method moves all. The number
is that of particles for icsmc and pgas, of proposals for lmh. It imports no numpy, so that the command can check a
method before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pplc_runtime.settings import OFFERS, Offer, one_of
from pplc_runtime.suggestions import suggestion

GLOBALS: Final = "globals"
"""What many statements read; `paths` is all else. See `analyse_shared`."""
PATHS: Final = "paths"
REST: Final = "rest"
"""What the other methods of a cycle do not move."""
WORDS: Final = (GLOBALS, PATHS, REST)
_BY_PARTICLES: Final = ("icsmc", "pgas")
_WITHOUT_NUMBER: Final = ("rw", "slice")
_TOKEN: Final = re.compile(r"\s*(?:([()+*,])|([^\s()+*,]+))")
_TARGET: Final = re.compile(r"\s*(?:([(),])|([^\s(),]+))")


class MethodError(ValueError):
    """A method that cannot be: what is wrong, and where in its text."""

    def __init__(self, message: str, text: str = "", span: tuple[int, int] = (0, 0)) -> None:
        where = f"\n  {text}\n  {' ' * span[0]}{'^' * max(1, span[1] - span[0])}" if text else ""
        super().__init__(message + where)


@dataclass(frozen=True, slots=True)
class Target:
    """What a method moves: what some names draw, or what they do not."""

    names: frozenset[str]
    inverted: bool = False


class Composition:
    """A method made of others. `+` puts one after the other, `*` repeats."""

    __slots__ = ()

    def __add__(self, other: Any) -> Composition:
        if isinstance(other, str):
            other = parsed(other)
        if not isinstance(other, Composition):
            return NotImplemented
        return Cycle((*_of_cycle(self), *_of_cycle(other)))

    def __mul__(self, times: Any) -> Composition:
        if not isinstance(times, int) or isinstance(times, bool):
            return NotImplemented
        if times < 1:
            raise MethodError(f"a method is repeated at least once, not {times} times")
        return Repeat(self, times)

    __rmul__ = __mul__

    def singles(self) -> Iterator[Single]:
        """The single methods in it, from left to right."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Single(Composition):
    """One method, with what it moves."""

    method: str
    targets: tuple[str, ...] = ()
    number: int | None = None
    """Of particles, or of proposals."""
    text: str = field(default="", compare=False)
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    """Where it stands in a text: the method, and each target."""

    def __post_init__(self) -> None:
        if self.method not in OFFERS:
            there_are = f"; there are {', '.join(name for name, offer in OFFERS.items() if offer.is_chain)}"
            raise self.error(f"unknown method '{self.method}'{suggestion(self.method, OFFERS) or there_are}")
        if self.method == "auto":
            raise self.error("auto chooses a method by itself, so that it cannot be part of a cycle or have targets")
        if not OFFERS[self.method].is_chain:
            raise self.error(f"{self.method} is no chain, so that it cannot be part of a cycle or have targets")
        if self.number is not None and self.method in _WITHOUT_NUMBER:
            raise self.error(f"{self.method} moves each value once; for more write {self.method}*{self.number}")
        if self.number is not None and self.number < 1:
            raise self.error(f"{self.method} has at least one {self.counts}, not {self.number}")
        if REST in self.targets and len(self.targets) > 1:
            raise self.error(f"'{REST}' stands alone: it is what the other methods do not move", REST)

    @property
    def counts(self) -> str:
        """What its number counts."""
        return "particle" if self.method in _BY_PARTICLES else "proposal"

    def error(self, message: str, target: str | None = None) -> MethodError:
        if not self.spans:
            return MethodError(message)
        return MethodError(message, self.text, self.spans[0 if target is None else 1 + self.targets.index(target)])

    def singles(self) -> Iterator[Single]:
        yield self

    def __str__(self) -> str:
        number = () if self.number is None else (str(self.number),)
        inside = ", ".join((" ".join(self.targets), *number) if self.targets else number)
        return f"{self.method}({inside})" if inside else self.method


@dataclass(frozen=True, slots=True)
class Repeat(Composition):
    """A method so many times."""

    body: Composition
    times: int

    def singles(self) -> Iterator[Single]:
        return self.body.singles()

    def __str__(self) -> str:
        return f"({self.body})*{self.times}" if isinstance(self.body, Cycle) else f"{self.body}*{self.times}"


@dataclass(frozen=True, slots=True)
class Cycle(Composition):
    """Methods one after the other."""

    parts: tuple[Composition, ...]

    def singles(self) -> Iterator[Single]:
        for part in self.parts:
            yield from part.singles()

    def __str__(self) -> str:
        return " + ".join(map(str, self.parts))


def _of_cycle(composition: Composition) -> tuple[Composition, ...]:
    return composition.parts if isinstance(composition, Cycle) else (composition,)


# From Python


def _single(method: str, targets: tuple[str, ...], number: int | None) -> Single:
    return Single(method, tuple(name for target in targets for name in target.split()), number)


def pgas(*targets: str, particles: int | None = None) -> Composition:
    """pgas on some targets, or on all."""
    return _single("pgas", targets, particles)


def icsmc(*targets: str, particles: int | None = None) -> Composition:
    """icsmc on some targets, or on all."""
    return _single("icsmc", targets, particles)


def lmh(*targets: str, proposals: int | None = None) -> Composition:
    """lmh on some targets, or on all."""
    return _single("lmh", targets, proposals)


def rw(*targets: str) -> Composition:
    """rw on some targets, or on all."""
    return _single("rw", targets, None)


def slices(*targets: str) -> Composition:
    """slice on some targets, or on all."""
    return _single("slice", targets, None)


# From text


def method_in(method: Any) -> str | Composition:
    """A method by its name, or a composed one, which may be given as text."""
    if isinstance(method, Composition):
        targets_of(method)
        return method
    if isinstance(method, str) and any(sign in method for sign in "()+*"):
        composition = parsed(method)
        targets_of(composition)
        return composition
    name: str = one_of("method", OFFERS)(method)
    return name


def parsed(text: str) -> Composition:
    """A composition from its text; a MethodError where there is none."""
    return _Parser(text).whole()


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def next(self, pattern: re.Pattern[str] = _TOKEN) -> tuple[str, tuple[int, int]]:
        """The next sign or word and where it stands; an empty one at the end."""
        match = pattern.match(self.text, self.at)
        if match is None:
            end = len(self.text.rstrip())
            return "", (end, end + 1)
        return match[1] or match[2], match.span(1 if match[1] else 2)

    def take(self, pattern: re.Pattern[str] = _TOKEN) -> tuple[str, tuple[int, int]]:
        word, span = self.next(pattern)
        self.at = span[1]
        return word, span

    def error(self, message: str, span: tuple[int, int]) -> MethodError:
        return MethodError(message, self.text, span)

    def whole(self) -> Composition:
        found = self.cycle()
        word, span = self.next()
        if word:
            raise self.error(f"'{word}' is not expected here; methods are put together by + and repeated by *", span)
        return found

    def cycle(self) -> Composition:
        found = self.repeat()
        while self.next()[0] == "+":
            self.take()
            found = found + self.repeat()
        return found

    def repeat(self) -> Composition:
        found = self.single()
        while self.next()[0] == "*":
            self.take()
            word, span = self.take()
            if not word.isdecimal() or int(word) < 1:
                raise self.error("* is followed by how many times a method is repeated, as in lmh*5", span)
            found = found * int(word)
        return found

    def single(self) -> Composition:
        word, span = self.take()
        if word == "(":
            found = self.cycle()
            self.close(span)
            return found
        if not word or word in ")+*,":
            raise self.error(f"a method is expected here{f', not {word!r}' if word else ''}", span)
        if self.next()[0] != "(":
            return Single(word, (), None, self.text, (span,))
        self.take()
        return self.with_targets(word, span)

    def with_targets(self, method: str, span: tuple[int, int]) -> Composition:
        """The rest of a method with an opened bracket: targets, and a number."""
        targets: dict[str, tuple[int, int]] = {}
        number: int | None = None
        while True:
            word, where = self.take(_TARGET)
            if word == ")":
                return Single(method, tuple(targets), number, self.text, (span, *targets.values()))
            if not word or word == "(":
                raise self.error(f"the bracket after '{method}' is not closed", span if not word else where)
            if word == ",":
                continue
            if word.isdecimal():
                if number is not None:
                    raise self.error(f"'{method}' has one number", where)
                number = int(word)
            else:
                targets.setdefault(word, where)

    def close(self, opened: tuple[int, int]) -> None:
        word, span = self.take()
        if word != ")":
            raise self.error("this bracket is not closed", opened if not word else span)


# What is moved


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
        if not targets and single.method in _BY_PARTICLES:
            targets = (PATHS,)
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
    singles = list(method.singles())
    last = singles[-1]
    own = tuple(dict.fromkeys(name for single in singles for name in OFFERS[single.method].own if name != "genealogy"))
    sizes = [single.number or OFFERS[single.method].particles for single in singles if single.method in _BY_PARTICLES]
    sweeps = max(OFFERS[single.method].sweeps for single in singles)
    draws = last.number if last.method in _BY_PARTICLES else 1
    burn_in = max(OFFERS[single.method].burn_in for single in singles)
    return Offer(str(method), "composed", max(sizes, default=1), sweeps, True, own, burn_in, draws)
