"""Finite draws that are summed out, in the middle language.

The draws z_0, z_1, ... stand in an order in which each has at most one neighbour among those after it, so that they and
the pieces that depend on two of them are a forest: chains, such as the states of a hidden Markov model, or draws that
have nothing to do with each other, such as the labels of a mixture. What z_i tells its neighbour w is

    M_i(w)  =  log sum_v exp( U_i(v) + P_i(v, w) ),      U_i(v)  =  log unary factors at v  +  sum of what it was told,

and the log density with all of them summed out is that of the other pieces and log sum_v exp U(v) of those without a
neighbour (Pearl 1988, "Probabilistic Reasoning in Intelligent Systems"; for chains Rabiner 1989). Given the rest they
are drawn together, backwards in that order. The gradient is that of the log density at each value, weighted by how
probable the value is (Fisher's identity).

Sums are of exp(U_i(v) - max U_i), times what exp P_i(v, w) is: of factors that several pairs share that is computed
once. Where such a sum is nearly nothing it is found from the logs. `PT` has how probable v is given w, and `BT` how
probable v is, of draws without a neighbour.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import exp, floats, inf, ints, log
from pplc_runtime.native.execution import Moves, back, fill, give, joint, score_all


def factor(m: Moves, f: int) -> float:
    """The log density of a factor, where the draws have some values."""
    lp = 0.0
    for k in range(m.FR[f], m.FR[f + 1]):
        d = 3 * m.FR[k]
        lp = joint(m.PL[d], m, m.PL[d + 1], m.PL[d + 2])
    return lp


def factors(m: Moves, rows: ints, i: int, place: int) -> float:
    """The log density of the factors in a row; `place` is that of the values in tables."""
    total = 0.0
    for k in range(rows[i], rows[i + 1]):
        f = rows[k]
        if m.FG[f] >= 0:
            lp = m.GT[m.FG[f] + place]
        else:
            lp = factor(m, f)
        if not (lp > -inf):
            return lp
        total += lp
    return total


def log_sum(n: int, x: floats) -> float:
    most = -inf
    for v in range(n):
        most = x[v] if x[v] > most else most
    if most == -inf:
        return most
    total = 0.0
    for v in range(n):
        total += exp(x[v] - most)
    return most + log(total)


def at(m: Moves, i: int, v: int) -> None:
    m.X[m.ZO[i]] = m.ZLO[i] + float(v)


def fill_tables(m: Moves) -> None:
    """The densities of factors of which several have the same."""
    for g in range(m.gs):
        i = m.GZ[g]
        p = m.GP[g]
        n = m.ZN[i]
        for w in range(m.ZN[p] if p >= 0 else 1):
            if p >= 0:
                at(m, p, w)
            for v in range(n):
                at(m, i, v)
                lp = factor(m, m.GF[g])
                m.GT[m.GO[g] + w * n + v] = lp
                m.GE[m.GO[g] + w * n + v] = exp(lp)


def shared(m: Moves, i: int) -> int:
    """Where the table of the one factor of a draw and its neighbour begins, or -1."""
    if m.PF[i + 1] - m.PF[i] != 1:
        return -1
    return m.FG[m.PF[m.PF[i]]]


def told(m: Moves, i: int, w: int, most: float) -> float:
    """What a draw tells its neighbour of a value: U_i is known, and exp(U_i - most) in `BT`."""
    n = m.ZN[i]
    P = m.PT[m.PO[i] + w * n :]
    table = shared(m, i)
    if table >= 0:
        u = m.BT[m.UO[i] :]
        E = m.GE[table + w * n :]
        total = 0.0
        for v in range(n):
            P[v] = u[v] * E[v]
            total += P[v]
        if total > 1e-250 and total < inf:
            share = 1.0 / total
            for v in range(n):
                P[v] *= share
            return most + log(total)
    U = m.UT[m.UO[i] :]
    at(m, m.ZP[i], w)
    for v in range(n):
        P[v] = U[v]
        if U[v] > -inf:
            at(m, i, v)
            P[v] += factors(m, m.PF, i, w * n + v)
        if P[v] != P[v]:
            return P[v]
    message = log_sum(n, P)
    for v in range(n):
        P[v] = exp(P[v] - message) if P[v] > -inf else 0.0
    return message


def summed(m: Moves) -> float:
    """The log density with the draws summed out."""
    total = 0.0
    for k in range(m.FREE[0]):
        d = 3 * m.FREE[1 + k]
        lp = joint(m.PL[d], m, m.PL[d + 1], m.PL[d + 2])
        if not (lp > -inf):
            return lp
        total += lp
    fill_tables(m)
    for k in range(m.UO[m.zs]):
        m.UT[k] = 0.0
    for k in range(m.plates):
        lp = fill(k, m, m.PLATES[2 * k], m.PLATES[2 * k + 1])
        if lp != lp:
            return lp
    for i in range(m.zs):
        n = m.ZN[i]
        U = m.UT[m.UO[i] :]
        B = m.BT[m.UO[i] :]
        most = -inf
        for v in range(n):
            if U[v] > -inf and m.UF[i + 1] > m.UF[i]:
                at(m, i, v)
                U[v] += factors(m, m.UF, i, v)
            if U[v] != U[v]:
                return U[v]
            most = U[v] if U[v] > most else most
        if not (most > -inf and most < inf):
            return most
        sum = 0.0
        for v in range(n):
            B[v] = exp(U[v] - most)
            sum += B[v]
        p = m.ZP[i]
        if p < 0:
            total += most + log(sum)
            for v in range(n):
                B[v] = B[v] / sum
        else:
            for w in range(m.ZN[p]):
                message = told(m, i, w, most)
                if message != message:
                    return message
                m.UT[m.UO[p] + w] += message
    m.SUM[1] = total
    return total


def draw_summed(m: Moves, k0: int, k1: int, c0: int) -> None:
    """The draws by their law given the rest, and all that depends on them."""
    summed(m)
    for k in range(m.zs):
        i = m.zs - 1 - k
        n = m.ZN[i]
        p = m.ZP[i]
        law = m.BT[m.UO[i] :]
        if p >= 0:
            law = m.PT[m.PO[i] + int(m.X[m.ZO[p]] - m.ZLO[p]) * n :]
        point = uniform(k0, k1, c0 + i, 1099511627776)
        chosen = 0
        while chosen < n - 1 and point >= law[chosen]:
            point -= law[chosen]
            chosen += 1
        while not (law[chosen] > 0.0):
            chosen -= 1
        at(m, i, chosen)
    score_all(m)


def beliefs(m: Moves) -> None:
    """How probable each value of each draw is; and in place of the tables of pairs how probable these are."""
    for k in range(m.zs):
        i = m.zs - 1 - k
        n = m.ZN[i]
        p = m.ZP[i]
        B = m.BT[m.UO[i] :]
        if p >= 0:
            for v in range(n):
                B[v] = 0.0
            for w in range(m.ZN[p]):
                share = m.BT[m.UO[p] + w]
                P = m.PT[m.PO[i] + w * n :]
                for v in range(n):
                    P[v] = share * P[v] if share > 0.0 else 0.0
                    B[v] += P[v]


def factor_back(m: Moves, f: int, weight: float) -> None:
    """Adds the derivatives of a factor, where the draws have some values."""
    first = m.FR[f]
    last = m.FR[f + 1]
    if last - first > 1:
        factor(m, f)
    for c in range(m.FC[f], m.FC[f + 1]):
        m.G[m.FC[c]] = 0.0
    m.weight = weight
    for c in range(last - first):
        d = 3 * m.FR[last - 1 - c]
        back(m.BL[d], m, m.BL[d + 1], m.BL[d + 2])
    m.weight = 1.0


def factors_back(m: Moves, rows: ints, i: int, place: int, weight: float) -> None:
    """The same of the factors in a row; those that share a table wait."""
    for k in range(rows[i], rows[i + 1]):
        f = rows[k]
        if m.FG[f] >= 0:
            m.GB[m.FG[f] + place] += weight
        else:
            factor_back(m, f, weight)


def summed_gradient(m: Moves) -> None:
    """The derivative of the log density with the draws summed out, which has been computed."""
    beliefs(m)
    for k in range(m.GO[m.gs]):
        m.GB[k] = 0.0
    for i in range(m.zs):
        n = m.ZN[i]
        for v in range(n):
            if m.BT[m.UO[i] + v] > 0.0:
                at(m, i, v)
                factors_back(m, m.UF, i, v, m.BT[m.UO[i] + v])
        p = m.ZP[i]
        if p >= 0:
            for w in range(m.ZN[p]):
                at(m, p, w)
                for v in range(n):
                    weight = m.PT[m.PO[i] + w * n + v]
                    if weight > 0.0:
                        at(m, i, v)
                        factors_back(m, m.PF, i, w * n + v, weight)
    for k in range(m.plates):
        give(k, m, m.PLATES[2 * k + 1], m.PLATES[2 * k + 2])
    for g in range(m.gs):
        i = m.GZ[g]
        p = m.GP[g]
        n = m.ZN[i]
        for w in range(m.ZN[p] if p >= 0 else 1):
            for v in range(n):
                weight = m.GB[m.GO[g] + w * n + v]
                if weight > 0.0:
                    if p >= 0:
                        at(m, p, w)
                    at(m, i, v)
                    factor_back(m, m.GF[g], weight)
    for k in range(m.FREE[0]):
        d = 3 * m.FREE[m.FREE[0] - k]
        back(m.BL[d], m, m.BL[d + 1], m.BL[d + 2])
