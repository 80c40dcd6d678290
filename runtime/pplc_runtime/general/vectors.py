"""Vectors in the arena, in the middle language: parts of them, longer ones, sums, and whole numbers with care."""

from __future__ import annotations

from pplc_runtime.general.store import State, alloc, keep_whole, logged, new_vector, scored, taken
from pplc_runtime.machine.draws import dirichlet
from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import fabs, inf
from pplc_runtime.native.densities import lp_dirichlet, lp_discrete


def sliced(S: State, v: int, start: int, end: int) -> int:
    """The elements from `start` up to `end`, as far as there are any."""
    low = start if start > 0 else 0
    high = end if end < S.I[v] else S.I[v]
    n = high - low if high > low else 0
    p = new_vector(S, n)
    if S.fail == 0:
        for j in range(n):
            S.I[p + 1 + j] = S.I[v + 1 + low + j]
    return p


def reversed_vector(S: State, v: int) -> int:
    n = S.I[v]
    p = new_vector(S, n)
    if S.fail == 0:
        for j in range(n):
            S.I[p + 1 + j] = S.I[v + n - j]
    return p


def longer(S: State, v: int, front: int) -> int:
    """A vector with room for one more element, in front or behind."""
    n = S.I[v]
    p = alloc(S, n + 2)
    if S.fail == 0:
        S.I[p] = n + 1
        for j in range(n):
            S.I[p + 1 + front + j] = S.I[v + 1 + j]
    return p


def concatenated(S: State, a: int, b: int) -> int:
    n = S.I[a]
    m = S.I[b]
    p = new_vector(S, n + m)
    if S.fail == 0:
        for j in range(n):
            S.I[p + 1 + j] = S.I[a + 1 + j]
        for j in range(m):
            S.I[p + 1 + n + j] = S.I[b + 1 + j]
    return p


def range_vector(S: State, start: int, stop: int, step: int) -> int:
    n = 0
    if step > 0 and stop > start:
        n = (stop - start + step - 1) // step
    if step < 0 and stop < start:
        n = (start - stop - step - 1) // (-step)
    p = new_vector(S, n)
    if S.fail == 0:
        for j in range(n):
            S.I[p + 1 + j] = start + j * step
    return p


def sum_of_reals(S: State, v: int) -> float:
    s = 0.0
    for j in range(S.I[v]):
        s += S.H[v + 1 + j]
    return s


def sum_of_wholes(S: State, v: int) -> int:
    s = 0
    for j in range(S.I[v]):
        s = sized(S, s + S.I[v + 1 + j])
    return s


def equal_wholes(S: State, a: int, b: int) -> int:
    """Whether two vectors of whole numbers, truths or strings are the same."""
    if S.I[a] != S.I[b]:
        return 0
    for j in range(S.I[a]):
        if S.I[a + 1 + j] != S.I[b + 1 + j]:
            return 0
    return 1


def equal_reals(S: State, a: int, b: int) -> int:
    if S.I[a] != S.I[b]:
        return 0
    for j in range(S.I[a]):
        if S.H[a + 1 + j] != S.H[b + 1 + j]:
            return 0
    return 1


# Whole numbers, which reals hold exactly up to 2^53


def sized(S: State, x: int) -> int:
    if x > 9007199254740992 or x < -9007199254740992:
        S.fail = 5
        return 0
    return x


def product(S: State, a: int, b: int) -> int:
    if fabs(float(a) * float(b)) > 9007199254740992.0:
        S.fail = 5
        return 0
    return a * b


def whole_quotient(a: int, b: int) -> int:
    """Towards zero; b is not zero."""
    q = (a if a >= 0 else -a) // (b if b >= 0 else -b)
    return q if (a >= 0 and b > 0) or (a < 0 and b < 0) else -q


def modulus(a: int, b: int) -> int:
    """With the sign of b, which is not zero."""
    r = a - b * whole_quotient(a, b)
    return r + b if r != 0 and ((r < 0) != (b < 0)) else r


# Vectors as parameters


def vector_fits(S: State, v: int, positive: int) -> int:
    """Whether a vector is not empty, and all in it are finite and positive; or weights, some of which may be zero."""
    total = 0.0
    for j in range(S.I[v]):
        x = S.H[v + 1 + j]
        if not (x >= 0.0 and x < inf) or (positive != 0 and x == 0.0):
            return 0
        total += x
    return int(total > 0.0)


def sample_dirichlet(S: State, at: int, v: int) -> int:
    """A point of the simplex: all of its words are one value of the log."""
    n = S.I[v]
    x = new_vector(S, n)
    if n > 65535:
        S.fail = 1
    if S.fail != 0:
        return 0
    measure = 327680 + n
    if S.mode == 0:
        dirichlet(S.k0, S.k1, at, S.c1, n, S.H[v + 1 :], S.H[x + 1 :])
    else:
        p = taken(S, at, measure)
        if S.fail != 0:
            return 0
        for j in range(n):
            S.H[x + 1 + j] = S.RV[p + j]
        if S.mode >= 2:
            scored(S, lp_dirichlet(n, S.H[x + 1 :], S.H[v + 1 :]))
            return x
    if S.logging != 0:
        p = logged(S, at, measure)
        if S.fail == 0:
            for j in range(n):
                S.LV[p + j] = S.H[x + 1 + j]
    return x


def sample_discrete(S: State, at: int, v: int) -> int:
    """An index by weights."""
    k = 0
    if S.mode == 0:
        n = S.I[v]
        total = 0.0
        for j in range(n):
            total += S.H[v + 1 + j]
        point = uniform(S.k0, S.k1, at, S.c1) * total
        for j in range(n):
            if S.H[v + 1 + j] > 0.0:
                k = j
                point = point - S.H[v + 1 + j]
                if point < 0.0:
                    break
    else:
        p = taken(S, at, 65537)
        if S.fail != 0:
            return 0
        k = S.RI[p]
        if S.mode >= 2:
            scored(S, lp_discrete(float(k), S.I[v], S.H[v + 1 :]))
            return k
    keep_whole(S, at, 65537, k)
    return k
