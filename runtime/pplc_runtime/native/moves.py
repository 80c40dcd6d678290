"""Moves of single values of one execution, in the middle language: random walk, slice, and finite draws by their law.

An execution is in `X`, the log densities of its pieces in `SC`. A site is a draw, an element of one, or the noise that
a draw follows. A move that is not taken is taken back: what a site's pieces compute is saved before.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import normal, uniform
from pplc_runtime.machine.words import exp, floor, inf, log, log1p
from pplc_runtime.native.execution import Moves, joint
from pplc_runtime.native.summed import draw_summed, summed


def free(x: float, kind: int, lo: float, hi: float) -> float:
    """A value on the scale without bounds."""
    if kind == 1:
        return log(x)
    if kind == 2:
        return log((x - lo) / (hi - x))
    return x


def bound(z: float, kind: int, lo: float, hi: float) -> float:
    """A value from the scale without bounds."""
    if kind == 1:
        return exp(z)
    if kind == 2:
        return lo + (hi - lo) / (1.0 + exp(-z))
    return z


def log_jacobian(x: float, kind: int, lo: float, hi: float) -> float:
    """The log of how much a value changes with that on the scale without bounds."""
    if kind == 1:
        return log(x)
    if kind == 2:
        return log(x - lo) + log(hi - x) - log(hi - lo)
    return 0.0


def is_inside(x: float, kind: int, lo: float, hi: float) -> bool:
    """Whether a value is one that can be told from its bounds."""
    if kind == 1:
        return x > 0.0 and x < inf
    if kind == 2:
        return x > lo and x < hi
    return x > -inf and x < inf


def rescored(m: Moves, j: int) -> float:
    """The log density of all that depends on a site; in NEW that of each piece."""
    if m.zs > 0:
        return summed(m)
    AF = m.AF
    PL = m.PL
    NEW = m.NEW
    total = 0.0
    for k in range(AF[j], AF[j + 1]):
        d = 3 * AF[k]
        lp = joint(PL[d], m, PL[d + 1], PL[d + 2])
        if not (lp > -inf):
            return lp
        NEW[k] = lp
        total += lp
    return total


def scored(m: Moves, j: int) -> float:
    """The same of the execution as it is."""
    if m.zs > 0:
        return m.SUM[0]
    AF = m.AF
    SC = m.SC
    total = 0.0
    for k in range(AF[j], AF[j + 1]):
        total += SC[AF[k]]
    return total


def accept(m: Moves, j: int) -> None:
    if m.zs > 0:
        m.SUM[0] = m.SUM[1]
        return
    AF = m.AF
    SC = m.SC
    NEW = m.NEW
    for k in range(AF[j], AF[j + 1]):
        SC[AF[k]] = NEW[k]


def save(m: Moves, j: int) -> None:
    WR = m.WR
    for k in range(WR[j], WR[j + 1]):
        m.BK[k] = m.X[WR[k]]


def restore(m: Moves, j: int) -> None:
    WR = m.WR
    for k in range(WR[j], WR[j + 1]):
        m.X[WR[k]] = m.BK[k]


def walk(m: Moves, j: int, k0: int, k1: int, c0: int) -> float:
    """A step of a random walk; how probable it was to be taken. Not a number where something is wrong."""
    o = m.OFF[j]
    kind = m.KIND[j]
    lo = m.LO[j]
    hi = m.HI[j]
    x = m.X[o]
    noise = normal(k0, k1, c0, 0)
    if kind == 3:
        step = floor(m.SCALE[j] * noise + 0.5)
        y = x + (step if step != 0.0 else (1.0 if noise > 0.0 else -1.0))
    else:
        y = bound(free(x, kind, lo, hi) + m.SCALE[j] * noise, kind, lo, hi)
    if not is_inside(y, kind, lo, hi):
        return 0.0
    save(m, j)
    m.X[o] = y
    new = rescored(m, j)
    if new != new:
        return new
    ratio = new - scored(m, j) + log_jacobian(y, kind, lo, hi) - log_jacobian(x, kind, lo, hi)
    if log(uniform(k0, k1, c0, 1)) < ratio:
        accept(m, j)
    else:
        m.X[o] = x
        restore(m, j)
    return exp(ratio) if ratio < 0.0 else 1.0


def density_at(m: Moves, j: int, z: float) -> float:
    """The log density where a site has a value, on the scale without bounds."""
    y = bound(z, m.KIND[j], m.LO[j], m.HI[j])
    if not is_inside(y, m.KIND[j], m.LO[j], m.HI[j]):
        return -inf
    m.X[m.OFF[j]] = y
    return rescored(m, j) + log_jacobian(y, m.KIND[j], m.LO[j], m.HI[j])


def slice_step(m: Moves, j: int, k0: int, k1: int, c0: int) -> float:
    """A point of the slice below a level, found by stepping out and shrinking (Neal 2003); how far it went."""
    o = m.OFF[j]
    x = m.X[o]
    z = free(x, m.KIND[j], m.LO[j], m.HI[j])
    save(m, j)
    level = scored(m, j) + log_jacobian(x, m.KIND[j], m.LO[j], m.HI[j]) + log(uniform(k0, k1, c0, 0))
    width = m.SCALE[j]
    left = z - width * uniform(k0, k1, c0, 1)
    right = left + width
    to_left = floor(32.0 * uniform(k0, k1, c0, 2))
    to_right = 31.0 - to_left
    while to_left > 0.0:
        f = density_at(m, j, left)
        if f != f:
            return f
        if not (f > level):
            break
        left = left - width
        to_left -= 1.0
    while to_right > 0.0:
        f = density_at(m, j, right)
        if f != f:
            return f
        if not (f > level):
            break
        right = right + width
        to_right -= 1.0
    n = 3
    while n < 300:
        y = left + (right - left) * uniform(k0, k1, c0, n)
        f = density_at(m, j, y)
        if f != f:
            return f
        if f > level:
            accept(m, j)
            return y - z if y > z else z - y
        if y < z:
            left = y
        else:
            right = y
        n += 1
    m.X[o] = x
    restore(m, j)
    return 0.0


def gibbs(m: Moves, j: int, k0: int, k1: int, c0: int) -> float:
    """A finite draw by its law given all others; how improbable the value was that it had."""
    o = m.OFF[j]
    low = int(m.LO[j])
    count = int(m.HI[j] - m.LO[j])
    x = int(m.X[o]) - low
    P = m.P
    largest = -inf
    for v in range(count):
        m.X[o] = float(low + v)
        P[v] = rescored(m, j)
        if P[v] != P[v]:
            return P[v]
        if P[v] > largest:
            largest = P[v]
    total = 0.0
    for v in range(count):
        P[v] = exp(P[v] - largest)
        total += P[v]
    point = uniform(k0, k1, c0, 0) * total
    stayed = P[x] / total
    chosen = 0
    while chosen < count - 1 and point >= P[chosen]:
        point -= P[chosen]
        chosen += 1
    m.X[o] = float(low + chosen)
    rescored(m, j)
    accept(m, j)
    return 1.0 - stayed


def exchange(m: Moves, j: int, k0: int, k1: int, c0: int) -> float:
    """A random walk of what an element of a simplex has of the sum of it and another."""
    o = m.OFF[j]
    other = o - int(m.LO[j]) + int(floor(uniform(k0, k1, c0, 2) * m.HI[j]))
    if other >= o:
        other += 1
    x = m.X[o]
    rest = m.X[other]
    both = x + rest
    y = both / (1.0 + exp(-(log(x) - log(rest) + m.SCALE[j] * normal(k0, k1, c0, 0))))
    if not (y > 0.0 and y < both):
        return 0.0
    save(m, j)
    m.X[o] = y
    m.X[other] = both - y
    new = rescored(m, j)
    if new != new:
        return new
    ratio = new - scored(m, j) + log(y) + log(both - y) - log(x) - log(rest)
    if log(uniform(k0, k1, c0, 1)) < ratio:
        accept(m, j)
    else:
        m.X[o] = x
        m.X[other] = rest
        restore(m, j)
    return exp(ratio) if ratio < 0.0 else 1.0


def move_block(m: Moves, sweeps: int, first: int, done: int, adapting: int, sliced: int, k0: int, k1: int) -> int:
    """Some sweeps over all sites; how many were done. Scales are adapted as long as few sweeps were done before."""
    if m.zs > 0:
        m.SUM[0] = summed(m)
    for b in range(sweeps):
        number = done + b
        for j in range(m.sites):
            c0 = (first + b) * 1048576 + j
            kind = m.KIND[j]
            if kind == 4:
                a = gibbs(m, j, k0, k1, c0)
            elif kind == 5:
                a = exchange(m, j, k0, k1, c0)
            elif sliced == 1 and kind < 3:
                a = slice_step(m, j, k0, k1, c0)
            else:
                a = walk(m, j, k0, k1, c0)
            if a != a:
                return b
            if number < adapting:
                if sliced == 1 and kind < 3:
                    m.SCALE[j] += (2.0 * a - m.SCALE[j]) / (float(number) + 2.0)
                elif kind != 4:
                    m.SCALE[j] = m.SCALE[j] * exp((a - 0.44) * 3.0 / exp(0.6 * log1p(float(number))))
        if m.zs > 0:
            draw_summed(m, k0, k1, (first + b) * 1048576)
        for k in range(m.kept):
            m.OUT[b * m.kept + k] = m.X[m.KEPT[k]]
    return sweeps
