"""Addresses: where in an execution a value is drawn, a procedure called or a memo entry made.

An address is a node of a tree that grows as the program runs: `at[7]` is the address of call or draw number 7
inside the evaluation at `at`, and a memoised call hangs below its memo by the key of its arguments. Two
evaluations have the same address exactly when they have the same node, so addresses are compared by identity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.machine.bulk import words_below
from pplc_runtime.machine.generator import mixed
from pplc_runtime.numerics.keys import number_of


class At(dict[Any, "At"]):
    """A node of the address tree; looking a child up makes it.

    `hash` is its path as a number, which random numbers go by."""

    __slots__ = ("hash", "parent", "site")

    def __init__(self, parent: At | None = None, site: Any = None) -> None:
        self.parent = parent
        self.site = site
        self.hash = 0
        if parent is not None:
            number = number_of(site)
            # A site that means something in this run only is told by its turn among the children.
            self.hash = mixed(parent.hash, number) if number is not None else mixed(~parent.hash, len(parent))

    def __missing__(self, site: Any) -> At:
        if type(site) is float and site.is_integer():  # the same key as the whole number, whoever asks first
            site = int(site)
        child = self[site] = At(self, site)
        return child

    __hash__ = object.__hash__  # type: ignore[assignment] # identity, unlike a dict

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __bool__(self) -> bool:
        return True

    def path(self) -> tuple[Any, ...]:
        """The sites from the root to this node."""
        sites: list[Any] = []
        node: At | None = self
        while node is not None and node.parent is not None:
            sites.append(node.site)
            node = node.parent
        return tuple(reversed(sites))

    def __repr__(self) -> str:
        return "At" + "".join(f"[{site!r}]" for site in self.path())


class Addresses(At):
    """In place of an address, where lanes differ in the key of a memoised call: each has its own, below the memo."""

    __slots__ = ("labels", "memo", "sites")

    def __init__(self, memo: At, labels: Any, sites: tuple[Any, ...] = ()) -> None:
        super().__init__()
        self.memo = memo
        self.labels = labels
        """Whole numbers over lanes."""
        self.sites = sites

    def __getitem__(self, site: Any) -> Addresses:
        return Addresses(self.memo, self.labels, (*self.sites, site))

    def hashes(self, keys: Any) -> NDArray[np.uint64]:
        """The numbers of the addresses of lanes that have some keys."""
        labels = np.atleast_1d(np.asarray(keys))
        return words_below(self.memo.hash, labels.astype(np.int64), self.sites)

    def of(self, key: int) -> At:
        """The address in the lanes that have a key."""
        node = self.memo[key]
        for site in self.sites:
            node = node[site]
        return node
