"""Exchangeable processes for one particle, in the middle language: their laws are those of `processes`.

The state of a process is in the table, under the hash of the address at which it was made. Of a restaurant it is how
many tables there is room for, how many there are, the customers, and those of each table; a Dirichlet process has the
value of each table beside them. A draw follows the law given what has been seated, and is seated: the densities of what
is retained multiply up to those of blocks. What is drawn is logged with its measure, counting (65536) or
Lebesgue (131072), and one for its size.
"""

from __future__ import annotations

from pplc_runtime.general.incremental import seated
from pplc_runtime.general.store import (
    State,
    alloc,
    bits_of,
    in_turn,
    keep_real,
    keep_state,
    keep_whole,
    scored,
    state_of,
    taken,
)
from pplc_runtime.machine.generator import normal, uniform
from pplc_runtime.machine.words import floats, inf, log, sqrt
from pplc_runtime.native.densities import lp_normal


def own_state(S: State, where: int, size: int) -> int:
    """A state of the particle's own, of so many words; a new one is empty."""
    p = state_of(S, where)
    if p >= S.mark:
        return p
    q = alloc(S, size)
    if S.fail != 0:
        return q
    for j in range(size):
        S.I[q + j] = 0 if p == 0 else S.I[p + j]
    keep_state(S, where, q)
    return q


# The Chinese restaurant, with or without a discount


def seat(S: State, where: int, k: int) -> None:
    """A customer more at table k, which may be the next new one."""
    p = state_of(S, where)
    room = S.I[p]
    if p < S.mark or k >= room:
        more = room if k < room else 8 if room == 0 else 2 * room
        q = alloc(S, 3 + more)
        if S.fail != 0:
            return
        for j in range(3 + room):
            S.I[q + j] = S.I[p + j]
        for j in range(room, more):
            S.I[q + 3 + j] = 0
        S.I[q] = more
        keep_state(S, where, q)
        p = q
    S.I[p + 1] = S.I[p + 1] + int(k == S.I[p + 1])
    S.I[p + 2] = S.I[p + 2] + 1
    S.I[p + 3 + k] = S.I[p + 3 + k] + 1


def pick_table(S: State, p: int, alpha: float, discount: float, u: float) -> int:
    point = u * (float(S.I[p + 2]) + alpha)
    if discount == 0.0:  # then all differences are exact: no test for each table, which chance would decide
        below = 0
        found = 0
        for k in range(S.I[p]):
            below += S.I[p + 3 + k]
            found += int(point >= float(below))
        return found if found < S.I[p + 1] else S.I[p + 1]
    for k in range(S.I[p + 1]):
        point = point - (float(S.I[p + 3 + k]) - discount)
        if point < 0.0:
            return k
    return S.I[p + 1]


def lp_table(S: State, p: int, k: int, alpha: float, discount: float) -> float:
    if p == 0:
        return 0.0 if k == 0 else -inf
    tables = S.I[p + 1]
    if k < 0 or k > tables:
        return -inf
    mass = alpha + discount * float(tables)
    if k < tables:
        mass = float(S.I[p + 3 + k]) - discount
    return log(mass) - log(float(S.I[p + 2]) + alpha) if mass > 0.0 else -inf


def sample_tables(S: State, at: int, where: int, alpha: float, discount: float) -> int:
    p = state_of(S, where)
    if S.mode == 0:
        k = pick_table(S, p, alpha, discount, uniform(S.k0, S.k1, at, S.c1))
    else:
        j = taken(S, at, 65537)
        if S.fail != 0:
            return 0
        k = S.RI[j]
        if S.mode >= 2:
            in_turn(S, at, k)
            if S.mode == 2:
                scored(S, lp_table(S, p, k, alpha, discount))
            else:
                seated(S, where, k, alpha, discount)
            if S.fail != 0 or S.mode == 3:
                return k
    seat(S, where, k)
    if S.mode < 2:
        keep_whole(S, at, 65537, k)
    return k


def observe_tables(S: State, at: int, where: int, k: int, alpha: float, discount: float) -> None:
    if S.mode >= 2:
        in_turn(S, at, k)
        if S.mode >= 3:
            seated(S, where, k, alpha, discount)
        if S.fail != 0 or S.mode == 3:
            return
    scored(S, lp_table(S, state_of(S, where), k, alpha, discount))
    if S.fail == 0:
        seat(S, where, k)


# A coin, of which there were trues among flips


def chance(S: State, p: int, a: float, b: float) -> float:
    if p == 0:
        return a / (a + b)
    return (float(S.I[p]) + a) / (float(S.I[p + 1]) + (a + b))


def lp_coin(S: State, p: int, x: int, a: float, b: float) -> float:
    if p == 0:
        return log((a if x != 0 else b) / (a + b))
    weight = float(S.I[p]) + a
    if x == 0:
        weight = float(S.I[p + 1] - S.I[p]) + b
    return log(weight / (float(S.I[p + 1]) + (a + b)))


def toss(S: State, where: int, x: int) -> None:
    p = own_state(S, where, 2)
    if S.fail == 0:
        S.I[p] = S.I[p] + x
        S.I[p + 1] = S.I[p + 1] + 1


def sample_coin(S: State, at: int, where: int, a: float, b: float) -> int:
    p = state_of(S, where)
    if S.mode == 0:
        x = int(uniform(S.k0, S.k1, at, S.c1) < chance(S, p, a, b))
    else:
        j = taken(S, at, 65537)
        if S.fail != 0:
            return 0
        x = S.RI[j]
        if S.mode >= 2:
            in_turn(S, at, x)
        if S.mode == 2 and S.fail == 0:
            scored(S, lp_coin(S, p, x, a, b))
        if S.fail != 0:
            return 0
    toss(S, where, x)
    if S.mode != 2:
        keep_whole(S, at, 65537, x)
    return x


def observe_coin(S: State, at: int, where: int, x: int, a: float, b: float) -> None:
    if S.mode >= 2:
        in_turn(S, at, x)
        if S.fail != 0:
            return
    scored(S, lp_coin(S, state_of(S, where), x, a, b))
    if S.fail == 0:
        toss(S, where, x)


# Normal draws about a mean that is normal: how many there were, and their sum


def lp_about_mean(S: State, p: int, x: float, mean: float, prior: float, sd: float) -> float:
    ratio = prior / sd * (prior / sd)
    n = 0.0
    total = 0.0
    if p != 0:
        n = float(S.I[p])
        total = S.H[p + 1]
    centre = (mean + ratio * total) / (1.0 + n * ratio)
    return lp_normal(x, centre, sd * sqrt(ratio / (1.0 + n * ratio) + 1.0))


def add_to_mean(S: State, where: int, x: float) -> None:
    p = own_state(S, where, 2)
    if S.fail == 0:
        S.I[p] = S.I[p] + 1
        S.H[p + 1] = S.H[p + 1] + x


def sample_about_mean(S: State, at: int, where: int, mean: float, prior: float, sd: float) -> float:
    p = state_of(S, where)
    if S.mode == 0:
        ratio = prior / sd * (prior / sd)
        n = 0.0
        total = 0.0
        if p != 0:
            n = float(S.I[p])
            total = S.H[p + 1]
        centre = (mean + ratio * total) / (1.0 + n * ratio)
        spread = sd * sqrt(ratio / (1.0 + n * ratio) + 1.0)
        x = centre + spread * normal(S.k0, S.k1, at, S.c1)
    else:
        j = taken(S, at, 131073)
        if S.fail != 0:
            return 0.0
        x = S.RV[j]
        if S.mode >= 2:
            in_turn(S, at, S.RI[j])
        if S.mode == 2 and S.fail == 0:
            scored(S, lp_about_mean(S, p, x, mean, prior, sd))
        if S.fail != 0:
            return 0.0
    add_to_mean(S, where, x)
    if S.mode != 2:
        keep_real(S, at, 131073, x)
    return x


def observe_about_mean(S: State, at: int, where: int, x: float, mean: float, prior: float, sd: float) -> None:
    if S.mode >= 2:
        in_turn(S, at, bits_of(S, x + 0.0))
        if S.fail != 0:
            return
    scored(S, lp_about_mean(S, state_of(S, where), x, mean, prior, sd))
    if S.fail == 0:
        add_to_mean(S, where, x)


# An urn of colours: how often each was drawn


def weight_in_urn(S: State, p: int, k: int, alpha: floats) -> float:
    return alpha[k] if p == 0 else alpha[k] + float(S.I[p + k])


def lp_urn(S: State, p: int, k: int, n: int, alpha: floats) -> float:
    if k < 0 or k >= n:
        return -inf
    total = 0.0
    for j in range(n):
        total = total + weight_in_urn(S, p, j, alpha)
    return log(weight_in_urn(S, p, k, alpha) / total)


def sample_urn(S: State, at: int, where: int, n: int, alpha: floats) -> int:
    p = state_of(S, where)
    k = 0
    if S.mode == 0:
        total = 0.0
        for j in range(n):
            total = total + weight_in_urn(S, p, j, alpha)
        point = uniform(S.k0, S.k1, at, S.c1) * total
        point = point - weight_in_urn(S, p, 0, alpha)
        while point >= 0.0 and k < n - 1:
            k = k + 1
            point = point - weight_in_urn(S, p, k, alpha)
    else:
        j = taken(S, at, 65537)
        if S.fail != 0:
            return 0
        k = S.RI[j]
        if S.mode >= 2:
            in_turn(S, at, k)
        if S.mode == 2 and S.fail == 0:
            scored(S, lp_urn(S, p, k, n, alpha))
        if S.fail != 0:
            return 0
    q = own_state(S, where, n)
    if S.fail == 0:
        S.I[q + k] = S.I[q + k] + 1
        if S.mode != 2:
            keep_whole(S, at, 65537, k)
    return k


def observe_urn(S: State, at: int, where: int, k: int, n: int, alpha: floats) -> None:
    if S.mode >= 2:
        in_turn(S, at, k)
        if S.fail != 0:
            return
    scored(S, lp_urn(S, state_of(S, where), k, n, alpha))
    if S.fail == 0:
        q = own_state(S, where, n)
        if S.fail == 0:
            S.I[q + k] = S.I[q + k] + 1
