"""Methods that are composed of others: `pgas(paths, 50) + lmh(omega q)*5`, as text and as values in Python.

    whole   =  cycle  or  smc | cycle             moves after each resampling
    cycle   =  repeat + repeat + ...              one after the other, in this order
    repeat  =  single * 5                         so many times
    single  =  ( cycle )  or  method  or  method(targets and a number)

Targets are names that the program assumes, or `globals`, `paths`, `rest`; without any, a method moves all. `noise` with
them is no target: draws follow their noise, for rw, slice and nuts. The number is that of particles for icsmc, pgas and
pmmh, of proposals for lmh, of values that move together for ellipse. It imports no numpy, so that the command can check
a method before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from pplc_runtime.settings import OFFERS, whole
from pplc_runtime.suggestions import suggestion

GLOBALS: Final = "globals"
"""What many statements read; `paths` is all else. See `analyse_shared`."""
PATHS: Final = "paths"
REST: Final = "rest"
"""What the other methods of a cycle do not move."""
WORDS: Final = (GLOBALS, PATHS, REST)
BY_PARTICLES: Final = ("icsmc", "pgas", "pmmh")
WALKS: Final = ("rw", "slice", "gibbs", "sum", "ellipse", "nuts")
"""Moves of values in machine code."""
NOISE: Final = "noise"
"""Among the targets of some of them: draws follow their noise."""
_IN_NOISE: Final = ("rw", "slice", "nuts")
_WITHOUT_NUMBER: Final = ("rw", "slice", "gibbs", "sum", "nuts")
IN_SMC: Final = ("rw", "lmh")
"""What can move the particles of smc."""
_SAMPLERS: Final = ("smc",)
"""What is no chain, and can have moves."""
_ALONE: Final = ("pimh", "ipmcmc")
"""Chains of whole runs, which other kernels do not know of."""
_TOKEN: Final = re.compile(r"\s*(?:([()+*,|])|([^\s()+*,|]+))")
_TARGET: Final = re.compile(r"\s*(?:([(),])|([^\s(),]+))")


MOST_REPEATS: Final = 100_000
"""In one sweep: what takes longer than that is asked for by sweeps, which can be ended and are reported."""


class MethodError(ValueError):
    """A method that cannot be: what is wrong, and where in its text."""

    def __init__(self, message: str, text: str = "", span: tuple[int, int] = (0, 0)) -> None:
        where = f"\n  {text}\n  {' ' * span[0]}{'^' * max(1, span[1] - span[0])}" if text else ""
        super().__init__(message + where)


class Composition:
    """A method made of others. `+` puts one after the other, `*` repeats."""

    __slots__ = ()

    def __add__(self, other: Any) -> Composition:
        if isinstance(other, str):
            other = parsed(other)
        if not isinstance(other, Composition):
            return NotImplemented
        for each in (self, other):
            each.check_chains()
        return Cycle((*_of_cycle(self), *_of_cycle(other)))

    def __or__(self, other: Any) -> Composition:
        if isinstance(other, str):
            other = parsed(other)
        if not isinstance(other, Composition):
            return NotImplemented
        return Moved(self, other)

    def __mul__(self, times: Any) -> Composition:
        if not isinstance(times, int) or isinstance(times, bool):
            return NotImplemented
        if times < 1:
            raise MethodError(f"a method is repeated at least once, not {times} times")
        if times > MOST_REPEATS:
            raise MethodError(f"a method is repeated at most {MOST_REPEATS} times in a sweep, not {times} times")
        self.check_chains()
        return Repeat(self, times)

    def check_chains(self) -> None:
        """A MethodError if a part is no chain."""
        for single in self.singles():
            if single.method in _SAMPLERS:
                raise single.error(f"{single.method} is no chain, so that it cannot be part of a cycle or have targets")

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
    """Of particles, of proposals, or of values that move together."""
    noise: bool = False
    """Whether draws follow their noise."""
    text: str = field(default="", compare=False)
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    """Where it stands in a text: the method, and each target."""

    def __post_init__(self) -> None:
        if self.method not in OFFERS:
            there_are = f"; there are {', '.join(name for name, offer in OFFERS.items() if offer.is_chain)}"
            raise self.error(f"unknown method '{self.method}'{suggestion(self.method, OFFERS) or there_are}")
        if self.method == "auto":
            raise self.error("auto chooses a method by itself, so that it cannot be part of a cycle or have targets")
        if self.method in _ALONE:
            raise self.error(
                f"{self.method} goes from run to run, so that it cannot be part of a cycle or have targets; "
                "its particles are --particles"
            )
        if not OFFERS[self.method].is_chain and (self.method not in _SAMPLERS or self.targets):
            raise self.error(f"{self.method} is no chain, so that it cannot be part of a cycle or have targets")
        if self.noise and self.method not in _IN_NOISE:
            raise self.error(f"{self.method} cannot be told '{NOISE}'; rw, slice and nuts can")
        if self.number is not None and self.method in _WITHOUT_NUMBER:
            raise self.error(f"{self.method} moves each value once; for more write {self.method}*{self.number}")
        if self.number is not None and self.number < 1:
            raise self.error(f"{self.method} has at least one {self.counts}, not {self.number}")
        if REST in self.targets and len(self.targets) > 1:
            raise self.error(f"'{REST}' stands alone: it is what the other methods do not move", REST)

    @property
    def counts(self) -> str:
        """What its number counts."""
        return (
            "particle"
            if self.method in (*BY_PARTICLES, *_SAMPLERS)
            else "value"
            if self.method == "ellipse"
            else "proposal"
        )

    def error(self, message: str, target: str | None = None) -> MethodError:
        if not self.spans:
            return MethodError(message)
        return MethodError(message, self.text, self.spans[0 if target is None else 1 + self.targets.index(target)])

    def singles(self) -> Iterator[Single]:
        yield self

    def __str__(self) -> str:
        number = (*((NOISE,) if self.noise else ()), *(() if self.number is None else (str(self.number),)))
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


@dataclass(frozen=True, slots=True)
class Moved(Composition):
    """A sampler, with moves of its particles after each resampling."""

    sampler: Composition
    moves: Composition

    def __post_init__(self) -> None:
        if not isinstance(self.sampler, Single) or self.sampler.method not in _SAMPLERS:
            raise MethodError(f"moves after each resampling are for smc, as in smc | rw*5, not for {self.sampler}")
        self.moves.check_chains()
        for single in self.moves.singles():
            if single.method not in IN_SMC:
                raise single.error(f"after a resampling particles are moved by {' or '.join(IN_SMC)}")

    def singles(self) -> Iterator[Single]:
        yield from self.sampler.singles()
        yield from self.moves.singles()

    def __str__(self) -> str:
        return f"{self.sampler} | {self.moves}"


def _of_cycle(composition: Composition) -> tuple[Composition, ...]:
    return composition.parts if isinstance(composition, Cycle) else (composition,)


# From Python


def _single(method: str, targets: tuple[str, ...], number: int | None = None, noise: bool = False) -> Single:
    for target in targets:
        if not isinstance(target, str) or target.isdigit():
            how = "" if method in _WITHOUT_NUMBER else f"; the number of {Single(method).counts}s is given by its name"
            raise TypeError(f"the targets of {method} are names, not {target!r}{how}")
    if number is not None:
        try:
            number = whole(1)(number)
        except (TypeError, ValueError) as error:
            raise type(error)(f"the number of {Single(method).counts}s of {method} {error}") from None
    return Single(method, tuple(name for target in targets for name in target.split()), number, noise)


def smc(particles: int | None = None) -> Composition:
    """smc, to be given moves: `smc(1000) | rw("globals") * 5`."""
    return _single("smc", (), particles)


def pgas(*targets: str, particles: int | None = None) -> Composition:
    """pgas on some targets, or on all."""
    return _single("pgas", targets, particles)


def icsmc(*targets: str, particles: int | None = None) -> Composition:
    """icsmc on some targets, or on all."""
    return _single("icsmc", targets, particles)


def pmmh(*targets: str, particles: int | None = None) -> Composition:
    """pmmh with proposals for some targets, or for the globals; the rest is drawn by smc given them."""
    return _single("pmmh", targets, particles)


def lmh(*targets: str, proposals: int | None = None) -> Composition:
    """lmh on some targets, or on all."""
    return _single("lmh", targets, proposals)


def rw(*targets: str, noise: bool = False) -> Composition:
    """rw on some targets, or on all; with `noise`, draws that depend on them follow their noise."""
    return _single("rw", targets, noise=noise)


def slices(*targets: str, noise: bool = False) -> Composition:
    """slice on some targets, or on all; with `noise`, draws that depend on them follow their noise."""
    return _single("slice", targets, noise=noise)


def gibbs(*targets: str) -> Composition:
    """gibbs on some targets, or on all."""
    return _single("gibbs", targets)


def sums(*targets: str) -> Composition:
    """sum on some targets, or on all: finite draws are summed out when the moves beside it are made."""
    return _single("sum", targets)


def ellipse(*targets: str, together: int | None = None) -> Composition:
    """ellipse on some targets, or on all; `together` is how many values move at once, unless it is all of them."""
    return _single("ellipse", targets, together)


def nuts(*targets: str, noise: bool = False) -> Composition:
    """nuts on some targets, or on all; with `noise`, on the noise that draws follow."""
    return _single("nuts", targets, noise=noise)


# From text


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
        if self.next()[0] == "|":
            self.take()
            found = found | self.cycle()
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
            if not word.isdecimal() or len(word) > 9 or not 1 <= int(word) <= MOST_REPEATS:
                limit = f", at most {MOST_REPEATS}" if word.isdecimal() else ""
                raise self.error(f"* is followed by how many times a method is repeated{limit}, as in lmh*5", span)
            found = found * int(word)
        return found

    def single(self) -> Composition:
        word, span = self.take()
        if word == "(":
            found = self.cycle()
            self.close(span)
            return found
        if not word or word in ")+*,|":
            raise self.error(f"a method is expected here{f', not {word!r}' if word else ''}", span)
        if self.next()[0] != "(":
            return Single(word, text=self.text, spans=(span,))
        self.take()
        return self.with_targets(word, span)

    def with_targets(self, method: str, span: tuple[int, int]) -> Composition:
        """The rest of a method with an opened bracket: targets, and a number."""
        targets: dict[str, tuple[int, int]] = {}
        number: int | None = None
        noise = False
        while True:
            word, where = self.take(_TARGET)
            if word == ")":
                return Single(method, tuple(targets), number, noise, self.text, (span, *targets.values()))
            if not word or word == "(":
                raise self.error(f"the bracket after '{method}' is not closed", span if not word else where)
            if word == ",":
                continue
            if word.isdecimal():
                if number is not None:
                    raise self.error(f"'{method}' has one number", where)
                number = int(word)
            elif word == NOISE and method in _IN_NOISE:
                noise = True
            else:
                targets.setdefault(word, where)

    def close(self, opened: tuple[int, int]) -> None:
        word, span = self.take()
        if word != ")":
            raise self.error("this bracket is not closed", opened if not word else span)
