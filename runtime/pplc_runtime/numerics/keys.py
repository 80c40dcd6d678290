"""Keys: random numbers are a function of where they are used, never of what was drawn before.

A run has a key, from its seed; each of its chains, each sweep of a chain and each part of a sweep has one that is
folded from it. Within a sweep a number is that of the key, the address that is drawn at, the generation, the
particle's slot and a counter, by Threefry-2x64 (`machine/generator`). So a sweep that is done again is the same
sweep, a chain that goes on needs no generator's state, and it makes no difference on how many cores, with which other
chains or by which engine something is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from struct import pack, unpack
from typing import Any, Final

import numpy as np

from pplc_runtime.machine.generator import bits, mixed
from pplc_runtime.machine.language import MASK

_FOLDS: Final = 1 << 63
"""The second word of the counters from which keys are folded: those of draws are below it."""
START: Final = 1 << 62
"""The number, among the sweeps of a chain, of what comes before the first of them."""


@dataclass(frozen=True, slots=True)
class Key:
    """Two words of 64 bits; and the keys of further chains, where some are run together."""

    k0: int
    k1: int
    others: tuple[Key, ...] = ()

    @classmethod
    def of(cls, seed: int) -> Key:
        """The key of a run."""
        k0, k1 = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
        return cls(k0, k1)

    @classmethod
    def together(cls, keys: Sequence[Key]) -> Key:
        """One key for the steps of several chains, each of which draws as it would alone."""
        first, *others = keys
        return cls(first.k0, first.k1, tuple(others))

    def of_chain(self, chain: int) -> Key:
        """The key of one of several chains."""
        return self.others[chain - 1] if chain else Key(self.k0, self.k1)

    def fold(self, number: int) -> Key:
        """The key of a part: those of different numbers have nothing to do with each other."""
        number &= MASK
        return Key(
            bits(self.k0, self.k1, number, _FOLDS),
            bits(self.k0, self.k1, number, _FOLDS + 1),
            tuple([other.fold(number) for other in self.others]),
        )

    def generator(self) -> np.random.Generator:
        """A stream of random numbers, for work that has no addresses."""
        return np.random.Generator(np.random.PCG64([self.k0, self.k1]))


# Addresses as numbers


_WORDS: Final = 1 << 63


def _of_real(site: float) -> int:
    return mixed(1, unpack("<Q", pack("<d", site))[0])


def _large(site: int) -> int:
    """A whole number that is larger than a word; one that a float holds is the same as that."""
    try:
        if int(float(site)) == site:
            return _of_real(float(site))
    except OverflowError:
        pass
    return mixed(8, number_of(str(site)) or 0)


def number_of(site: Any) -> int | None:
    """The number of a site: of a call itself, of a key that of its value, which is the same in every process; None for
    what has none."""
    kind = type(site)
    if kind is int:
        return int(site) & MASK if -_WORDS <= site < _WORDS else _large(site)
    if kind is str:
        return int.from_bytes(blake2b(site.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    if kind is float:
        return int(site) & MASK if site.is_integer() and -_WORDS <= site < _WORDS else _of_real(site)
    if kind is bool or site is None:
        return mixed(2, 2 if site is None else int(site))
    if kind is tuple:
        word = 3
        for each in site:
            number = number_of(each)
            if number is None:
                return None
            word = mixed(word, number)
        return word
    if kind is frozenset:
        numbers = [number_of(each) for each in site]
        return None if None in numbers else mixed(4, sum(mixed(5, number or 0) for number in numbers))
    address = getattr(site, "hash", None)
    if type(address) is int:
        return mixed(6, address)
    name = getattr(site, "__qualname__", None) or getattr(site, "name", None)  # a procedure, a family, a symbol
    return mixed(7, number_of(name) or 0) if isinstance(name, str) else None


def new_seed() -> int:
    """A seed that nobody has chosen."""
    return int(np.random.SeedSequence().generate_state(1)[0])
