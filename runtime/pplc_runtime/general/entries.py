"""Entries of a memo by small whole numbers, in the middle language: persistent, with two places among the globals.

A memo that the planner has made has places of its own there, so that its entries need no hashes. Entries below 16 are
in a block: which of them there are, how many words it has for values, and the values; a particle that adds one copies
the block. The others are a stack, as long as they come in increasing order: each is a number and how many entries
there are so far, its value, the entry before it, and one further back, so that an entry is found in logarithmic time
and added in a constant one, and nothing is copied (Myers 1983). What comes in another order is in the table, by
its hash.
"""

from __future__ import annotations

from pplc_runtime.general.store import State, alloc, enter, look
from pplc_runtime.machine.generator import mixed


def found_near(S: State, memo: int, place: int, k: int) -> int:
    """What is before the word of an entry, or 0."""
    p = near(S, place, k)
    return p if p >= 0 else look(S, mixed(memo, k))


def near(S: State, place: int, k: int) -> int:
    """The same without the table: -1 where the entry may be there. A memo has places if the first is not negative."""
    if place >= 0 and k >= 0 and k < 1048576:
        if k < 16:
            p = S.Q[S.g + place]
            return p + 1 + k if ((S.I[p] >> k) & 1) != 0 else 0
        p = S.Q[S.g + place + 1]
        if (S.I[p] >> 20) < k:
            return 0
        while (S.I[p] >> 20) > k:
            j = S.I[p + 3]
            p = j if (S.I[j] >> 20) >= k else S.I[p + 2]
        if (S.I[p] >> 20) == k:
            return p
    return -1


def kept_near(S: State, memo: int, place: int, k: int) -> int:
    """What is before the word of a new entry."""
    if place >= 0 and k >= 0 and k < 1048576:
        if k < 16:
            return put(S, place, k)
        if (S.I[S.Q[S.g + place + 1]] >> 20) < k:
            return pushed(S, place + 1, k)
    return enter(S, mixed(memo, k))


def put(S: State, place: int, k: int) -> int:
    """An entry in the block."""
    p = S.Q[S.g + place]
    room = S.I[p + 1]
    if p < S.mark or k >= room:
        more = (k | 3) + 1 if k >= room else room
        q = alloc(S, 2 + more)
        if S.fail != 0:
            return S.bin
        S.I[q] = S.I[p]
        S.I[q + 1] = more
        for j in range(room):
            S.I[q + 2 + j] = S.I[p + 2 + j]
        S.Q[S.g + place] = q
        p = q
    S.I[p] = S.I[p] | (1 << k)
    return p + 1 + k


def pushed(S: State, place: int, k: int) -> int:
    """An entry on the stack. It goes back as far as the one before it twice over, if those two go equally far."""
    p = S.Q[S.g + place]
    j = S.I[p + 3]
    i = S.I[j + 3]
    count = S.I[p] & 1048575
    middle = S.I[j] & 1048575
    q = alloc(S, 4)
    if S.fail != 0:
        return S.bin
    S.I[q] = (k << 20) | (count + 1)
    S.I[q + 2] = p
    S.I[q + 3] = i if count - middle == middle - (S.I[i] & 1048575) else p
    S.Q[S.g + place] = q
    return q
