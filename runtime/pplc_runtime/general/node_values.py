"""The values of an execution in nodes, and the tables of its restaurant, in the middle language.

A value is known (1), fresh in this move (2), or not there (0). All of an execution can also be read from a list, in the
order in which it is drawn: so it goes from addresses by names of tables to those by their numbers, and back.

Tables of a restaurant are places 0, 1, ... with names, which are random numbers: keys of entries are made of names.
"""

from __future__ import annotations

from pplc_runtime.general.node_state import State
from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import MASK, inf


def value_at(S: State, at: int) -> int:
    """Where the value at an address begins; -1 if there is none."""
    j = at & S.rmask
    while S.RT[j] != 0:
        e = S.RT[j] - 1
        if (S.RI[e] & MASK) == at:
            return e
        j = (j + 1) & S.rmask
    return -1


def new_value(S: State, at: int, measure: int) -> int:
    """A place for a value, which is not known yet."""
    e = S.vtop
    size = 2 + (measure & 65535)
    if e + size > S.lc or 2 * (S.values + 1) > S.rmask:
        S.fail = 2
        return 0
    j = at & S.rmask
    while S.RT[j] != 0:
        j = (j + 1) & S.rmask
    S.RT[j] = e + 1
    S.RI[e] = at
    S.RI[e + 1] = measure
    S.RU[e] = 0
    S.RS[e] = 0
    S.vtop = e + size
    S.values = S.values + 1
    return e


def next_word(S: State, at: int, measure: int) -> int:
    """The next value of the list, which is at another address now; behind the table if it is only to be named."""
    q = S.op
    size = 2 + (measure & 65535)
    if q >= S.ln or S.LI[q + 1] != measure:
        S.fail = 6
        return 0
    S.op = q + size
    e = S.lc
    if S.source == 2:
        e = new_value(S, at, measure)
        if S.fail != 0:
            return 0
        S.RU[e] = 1
    else:
        S.LI[q] = at
    for k in range(2, size):
        S.RI[e + k] = S.LI[q + k]
    return e


def valued(S: State, at: int, measure: int, kind: int, number: int) -> int:
    """Where the words of a value are; `fresh` is set if it is to be drawn.

    A node that is run again draws what it has drawn before: a change after which it does not is impossible."""
    S.fresh = 0
    e = 0
    if S.source >= 2:
        e = next_word(S, at, measure)
    else:
        e = value_at(S, at)
        if e < 0:
            e = new_value(S, at, measure)
    if S.fail != 0:
        return 2
    if S.source < 2:
        known = S.RU[e]
        if known == 0 and S.making != 0 and S.source == 0:
            if (S.RI[e + 1] & 65535) != (measure & 65535):
                S.fail = 21
                return 2
            S.RI[e + 1] = measure
            S.RU[e] = 2
            S.fresh = 1
            S.FV[S.fv] = e
            S.fv = S.fv + 1
        elif known == 0 or S.RI[e + 1] != measure:
            S.fail = 3
            S.unlike = S.unlike + 1
            return 2
    if S.source == 1:
        size = 2 + (measure & 65535)
        if S.ln + size > S.lc:
            S.fail = 2
            return 2
        for k in range(size):
            S.LI[S.ln + k] = S.RI[e + k]
        S.ln = S.ln + size
    elif S.source != 3:
        S.RK[e] = kind
        S.RN[e] = number
        S.AS[e] = S.node
        if S.making != 0:
            S.RL[e] = S.NL[S.node]
            S.NL[S.node] = e + 1
    S.count = S.count + 1
    return e + 2


def drawn(S: State, density: float) -> None:
    """The log density of a value that the node has drawn."""
    if density == -inf:
        S.fail = 3
    elif density < inf:
        S.ld = S.ld + density
    else:
        S.fail = 7


def new_name(S: State, word: int) -> int:
    """A name of a table: a random number, which no other has."""
    return int(uniform(S.k0, S.k1, word, S.c1) * 9007199254740992.0)


def seat_of(S: State, at: int, where: int, alpha: float, discount: float) -> int:
    """A customer's table. Who sits where is weighed by counts."""
    p = valued(S, at, 65537, 1, 0)
    if S.fail != 0:
        return 0
    k = S.RI[p]
    if S.fresh != 0:
        S.fail = 22
        return 0
    if S.seated == 0:
        S.seated = 1
        S.zw = where
        S.za = alpha
        S.zd = discount
    if where != S.zw or alpha != S.za or discount != S.zd:
        S.fail = 23
        return 0
    if S.source == 2:
        if k + 2 >= S.tmax:
            S.fail = 2
            return 0
        while S.tables <= k:
            S.TN[S.tables] = new_name(S, 2 * S.tables + 1)
            S.TC[S.tables] = 0
            S.tables = S.tables + 1
        S.TC[k] = S.TC[k] + 1
    elif S.source == 3:
        if S.TM[k] < 0:
            S.TM[k] = S.named
            S.TN[k] = S.named
            S.named = S.named + 1
        S.LI[S.op - 1] = S.TM[k]
    return k


def key_of_table(S: State, k: int) -> int:
    """What a table is in the hash of an address."""
    return S.TN[k]
