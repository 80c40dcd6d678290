"""Entries of a memo by small whole numbers, in the middle language: persistent, with a place among the globals.

A memo that the planner has made has a place of its own there, so that its entries need no hashes. Entries are in
blocks of 16: which there are, the number of the block, how many words of it are in use, where the other blocks are,
and the values. The place has the block of the last new entry, so that a particle that adds one copies that block, as
far as it is in use; the others are in a tree of nodes of 16 places, whose leaves they are. The tree is a word: where
its root is, times 8, and how many levels are below that; 0 is none.
"""

from __future__ import annotations

from pplc_runtime.general.store import State, alloc, enter, look, mixed, new_node, owned


def found_near(S: State, memo: int, place: int, k: int) -> int:
    """What is before the word of an entry, or 0: in a block if its memo has a place, and k is below 2^20."""
    if place >= 0 and k >= 0 and k < 1048576:
        p = S.Q[S.g + place]
        if p != 0 and S.I[p + 1] != k >> 4:
            p = block_of(S, S.I[p + 3], k >> 4)
        if p != 0 and ((S.I[p] >> (k & 15)) & 1) != 0:
            return p + 3 + (k & 15)
        return 0
    return look(S, mixed(memo, k))


def kept_near(S: State, memo: int, place: int, k: int) -> int:
    """What is before the word of a new entry."""
    if place >= 0 and k >= 0 and k < 1048576:
        return put(S, place, k)
    return enter(S, mixed(memo, k))


def block_of(S: State, tree: int, number: int) -> int:
    """A block that is in the tree, or 0."""
    below = tree & 7
    p = tree >> 3
    if (number >> (4 * below + 4)) != 0:
        return 0
    while p != 0 and below >= 0:
        p = S.I[p + ((number >> (4 * below)) & 15)]
        below = below - 1
    return p


def with_block(S: State, tree: int, number: int, block: int) -> int:
    """The tree with a block in it."""
    below = tree & 7
    p = tree >> 3
    if p == 0:
        p = new_node(S)
    else:
        p = owned(S, p)
    while (number >> (4 * below + 4)) != 0:
        q = new_node(S)
        S.I[q] = p
        p = q
        below = below + 1
    made = 8 * p + below
    while below > 0 and S.fail == 0:
        j = p + ((number >> (4 * below)) & 15)
        p = S.I[j]
        if p == 0:
            p = new_node(S)
        else:
            p = owned(S, p)
        S.I[j] = p
        below = below - 1
    if S.fail == 0:
        S.I[p + (number & 15)] = block
    return made


def put(S: State, place: int, k: int) -> int:
    number = k >> 4
    p = S.Q[S.g + place]
    tree = 0
    if p != 0:
        tree = S.I[p + 3]
        if S.I[p + 1] != number:
            tree = with_block(S, tree, S.I[p + 1], p)
            p = block_of(S, tree, number)
    used = (k & 15) + 1
    if p < S.mark:
        q = alloc(S, 20)
        if S.fail != 0:
            return S.bin
        S.I[q] = 0
        S.I[q + 1] = number
        if p != 0:
            S.I[q] = S.I[p]
            for j in range(S.I[p + 2]):
                S.I[q + 4 + j] = S.I[p + 4 + j]
            if S.I[p + 2] > used:
                used = S.I[p + 2]
        p = q
        S.I[q + 2] = used
    if S.I[p + 2] < used:
        S.I[p + 2] = used
    S.I[p + 3] = tree
    S.I[p] = S.I[p] | (1 << (k & 15))
    S.Q[S.g + place] = p
    return p + 3 + (k & 15)
