"""The no-U-turn sampler, in the middle language.

Hoffman and Gelman 2014, "The No-U-Turn sampler"; points of a trajectory are drawn by their weight (Betancourt 2017, "A
conceptual introduction to Hamiltonian Monte Carlo", appendix A). q is a position, of the sites on their scales without
bounds, p a momentum, g the gradient at q; the kinetic energy is p' V p / 2, V the variances found in the burn-in. A
trajectory is doubled to one of its sides until its ends turn towards each other, or those of a part that is itself the
result of doublings: a part of the new side is looked at when its last point is made, for which the momenta at the
first points of all parts that are open are kept (a place for each size).

T has 16 numbers (of steps; in 7 and 8 the log density at the chosen point and the candidate, in 9 whether the next
trajectory begins with what is known of the chosen one), and then arrays of a number each site.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import normal, uniform
from pplc_runtime.machine.words import exp, floats, inf, log, nan, sqrt
from pplc_runtime.native.densities import log_add
from pplc_runtime.native.execution import Moves, back, both, joint
from pplc_runtime.native.moves import accept, bound, free, is_inside, log_jacobian, rescored
from pplc_runtime.native.summed import draw_summed, summed_gradient


def gradient(m: Moves) -> None:
    """The derivative of the log density of what depends on any site."""
    for i in range(m.cells):
        m.G[i] = 0.0
    if m.zs > 0:
        summed_gradient(m)
        return
    first = m.AF[m.sites]
    last = m.AF[m.sites + 1]
    for k in range(last - first):
        d = 3 * m.AF[last - 1 - k]
        back(m.BL[d], m, m.BL[d + 1], m.BL[d + 2])


def position(m: Moves, q: floats) -> None:
    """Where an execution is."""
    rest = 1.0
    for j in range(m.sites):
        x = m.X[m.OFF[j]]
        if m.KIND[j] == 6:
            if m.LO[j] == 0.0:
                rest = 1.0
            q[j] = log(x) - log(rest - x) + log(m.HI[j])
            rest -= x
        else:
            q[j] = free(x, m.KIND[j], m.LO[j], m.HI[j])


def placed(m: Moves, q: floats) -> float:
    """Put an execution somewhere; the log of the Jacobian there."""
    total = 0.0
    rest = 1.0
    for j in range(m.sites):
        if m.KIND[j] == 6:
            if m.LO[j] == 0.0:
                rest = 1.0
            share = 1.0 / (1.0 + exp(log(m.HI[j]) - q[j]))
            x = rest * share
            m.X[m.OFF[j]] = x
            rest -= x
            if not (x > 0.0 and rest > 0.0):
                return -inf
            total += log(x) + log(1.0 - share)
            if m.HI[j] == 1.0:
                m.X[m.OFF[j] + 1] = rest
        else:
            x = bound(q[j], m.KIND[j], m.LO[j], m.HI[j])
            if not is_inside(x, m.KIND[j], m.LO[j], m.HI[j]):
                return -inf
            m.X[m.OFF[j]] = x
            total += log_jacobian(x, m.KIND[j], m.LO[j], m.HI[j])
    return total


def at_once(m: Moves) -> float:
    """The log density of what depends on any site and its derivative, where loops have most of it; not a number if it
    is not finite, so that it has to be found in the order of the program."""
    for i in range(m.cells):
        m.G[i] = 0.0
    count = m.OTHERS[0]
    total = 0.0
    for k in range(count):
        d = 3 * m.OTHERS[1 + k]
        total += joint(m.PL[d], m, m.PL[d + 1], m.PL[d + 2])
        if not (total > -inf):
            return nan
    for k in range(m.plates):
        total += both(k, m, m.PLATES[k], m.PLATES[k + 1])
    if not (total > -inf and total < inf):
        return nan
    for k in range(count):
        d = 3 * m.OTHERS[count - k]
        back(m.BL[d], m, m.BL[d + 1], m.BL[d + 2])
    return total


def slope(m: Moves, g: floats) -> None:
    """The derivative by the position, from that by the values."""
    rest = 0.0
    later = 0.0
    for k in range(m.sites):
        j = m.sites - 1 - k
        o = m.OFF[j]
        x = m.X[o]
        lo = m.LO[j]
        hi = m.HI[j]
        if m.KIND[j] == 1:
            g[j] = m.G[o] * x + 1.0
        elif m.KIND[j] == 2:
            g[j] = m.G[o] * (x - lo) * (hi - x) / (hi - lo) + ((hi - x) - (x - lo)) / (hi - lo)
        elif m.KIND[j] == 6:
            if hi == 1.0:
                rest = m.X[o + 1]
                later = m.G[o + 1]
            rest += x
            share = x / rest
            g[j] = share * (1.0 - share) * rest * (m.G[o] - later) + 1.0 - 2.0 * share
            later = share * m.G[o] + (1.0 - share) * later + 1.0 / rest
        else:
            g[j] = m.G[o]


def density(m: Moves, q: floats, g: floats) -> float:
    """The log density on the scales without bounds, and its gradient."""
    jacobian = placed(m, q)
    if not (jacobian > -inf and jacobian < inf):
        return -inf
    total = nan
    if m.zs == 0 and m.plates > 0:
        total = at_once(m)
    if total != total:
        total = rescored(m, m.sites)
        if not (total > -inf):
            return total
        gradient(m)
    slope(m, g)
    return total + jacobian


def kinetic(n: int, p: floats, V: floats) -> float:
    total = 0.0
    for j in range(n):
        total += p[j] * p[j] * V[j]
    return 0.5 * total


def copied(n: int, a: floats, b: floats) -> None:
    for j in range(n):
        b[j] = a[j]


def leap(m: Moves, q: floats, p: floats, g: floats, V: floats, step: float) -> float:
    """One step, and the log density there."""
    for j in range(m.sites):
        p[j] += 0.5 * step * g[j]
        q[j] += step * V[j] * p[j]
    total = density(m, q, g)
    for j in range(m.sites):
        p[j] += 0.5 * step * g[j]
    return total


def turns(n: int, V: floats, first: floats, last: floats, total: floats, before: floats, counted: float) -> bool:
    """Whether the ends of a trajectory move towards each other; the momenta of its points add up to `total` less
    `before`, of which the first one's counts."""
    at_first = 0.0
    at_last = 0.0
    for j in range(n):
        between = total[j] - counted * (before[j] - first[j]) - 0.5 * (first[j] + last[j])
        at_first += V[j] * first[j] * between
        at_last += V[j] * last[j] * between
    return at_first <= 0.0 or at_last <= 0.0


def ones(n: int) -> int:
    count = 0
    while n > 0:
        count += n & 1
        n = n >> 1
    return count


def ones_at_the_end(n: int) -> int:
    count = 0
    while (n & 1) == 1:
        count += 1
        n = n >> 1
    return count


def nuts_step(m: Moves, k0: int, k1: int, c0: int, strict: int) -> float:
    """A point of a trajectory; how probable its points were to be taken, on average. Not a number where something is
    wrong: unless it is strict, that has weight zero."""
    n = m.sites
    T = m.T
    step = exp(T[0])
    V = T[16:]
    q = T[16 + 3 * n :]
    p = T[16 + 4 * n :]
    g = T[16 + 5 * n :]
    chosen = T[16 + 12 * n :]
    candidate = T[16 + 13 * n :]
    total = T[16 + 14 * n :]
    part = T[16 + 15 * n :]
    slopes = T[16 + 38 * n :]  # the derivatives at the point that was chosen, and at the candidate
    if T[9] == 1.0:
        copied(n, chosen, q)
        copied(n, slopes, g)
        here = T[7]
    else:
        position(m, q)
        here = density(m, q, g)
        if not (here > -inf):
            return nan
        copied(n, g, slopes)
        T[7] = here
    for j in range(n):
        p[j] = normal(k0, k1, c0, j) / sqrt(V[j])
    start = here - kinetic(n, p, V)
    copied(n, q, chosen)
    copied(n, p, total)
    for side in range(2):  # the ends of the trajectory: position, momentum and gradient of each
        copied(3 * n, q, T[16 + (6 + 3 * side) * n :])
    weight = 0.0
    accepted = 0.0
    points = 0.0
    c1 = n
    going = True
    depth = 0
    while going and depth < 10:
        side = 1 if uniform(k0, k1, c0, c1) < 0.5 else 0
        c1 += 1
        copied(3 * n, T[16 + (6 + 3 * side) * n :], q)
        length = step if side == 1 else -step
        new = -inf
        for j in range(n):
            part[j] = 0.0
        leaf = 0
        while leaf < (1 << depth) and going:
            here = leap(m, q, p, g, V, length)
            if here != here and strict == 1:
                return here
            error = here - kinetic(n, p, V) - start
            points += 1.0
            if not (error > -1000.0):
                going = False
                break
            accepted += exp(error) if error < 0.0 else 1.0
            new = log_add(new, error)
            if log(uniform(k0, k1, c0, c1)) < error - new:
                copied(n, q, candidate)
                copied(n, g, slopes[n:])
                T[8] = here
            c1 += 1
            for j in range(n):
                part[j] += p[j]
            place = ones(leaf >> 1)
            if (leaf & 1) == 0:
                copied(n, p, T[16 + (16 + 2 * place) * n :])
                copied(n, part, T[16 + (17 + 2 * place) * n :])
            else:
                for k in range(ones_at_the_end(leaf)):
                    opened = T[16 + (16 + 2 * (place - k)) * n :]
                    if turns(n, V, opened, p, part, opened[n:], 1.0):
                        going = False
            leaf += 1
        if going:
            if log(uniform(k0, k1, c0, c1)) < new - weight:
                copied(n, candidate, chosen)
                copied(n, slopes[n:], slopes)
                T[7] = T[8]
            c1 += 1
            weight = log_add(weight, new)
            copied(3 * n, q, T[16 + (6 + 3 * side) * n :])
            for j in range(n):
                total[j] += part[j]
            first = T[16 + 7 * n :]
            going = not turns(n, V, first, T[16 + 10 * n :], total, first, 0.0)
            depth += 1
    T[6] += points
    T[9] = 1.0 if m.exactly == 1 else 0.0
    placed(m, chosen)
    return accepted / points


def is_end_of_window(number: int, adapting: int) -> bool:
    """Whether variances are found anew after a sweep of the burn-in: after 15% and at most 75 of them come windows of
    25, 50, 100 ... sweeps, and the last 10%, at most 50, are for the steps."""
    first = 75 if adapting >= 500 else adapting * 15 // 100
    last = adapting - (50 if adapting >= 500 else adapting // 10)
    end = first
    width = 25
    while end < last:
        if end + 3 * width > last:
            end = last
        else:
            end += width
        if number + 1 == end:
            return True
        width = 2 * width
    return False


def adapt(m: Moves, number: int, adapting: int, a: float) -> None:
    """The length of steps by dual averaging, towards 80% acceptance, and the variances of the positions."""
    n = m.sites
    T = m.T
    t = T[4] + 1.0
    T[4] = t
    T[2] += (0.8 - a - T[2]) / (t + 10.0)
    T[0] = T[3] - sqrt(t) * 20.0 * T[2]
    share = exp(-0.75 * log(t))
    T[1] += share * (T[0] - T[1])
    first = 75 if adapting >= 500 else adapting * 15 // 100
    V = T[16:]
    mean = T[16 + n :]
    squares = T[16 + 2 * n :]
    q = T[16 + 12 * n :]
    if number >= first:
        T[5] = T[5] + 1.0
        for j in range(n):
            off = q[j] - mean[j]
            mean[j] += off / T[5]
            squares[j] += off * (q[j] - mean[j])
    if is_end_of_window(number, adapting):
        count = T[5]
        for j in range(n):
            V[j] = (count * squares[j] / (count - 1.0) + 0.005) / (count + 5.0)
            mean[j] = 0.0
            squares[j] = 0.0
        T[5] = 0.0
        T[0] = T[1]
        restart(m)
    T[0] = T[1] if number + 1 == adapting else T[0]


def restart(m: Moves) -> None:
    """Steps are adapted anew, from the length that they have."""
    T = m.T
    T[1] = T[0]
    T[2] = 0.0
    T[3] = T[0] + 2.302585092994046
    T[4] = 0.0


def first_length(m: Moves, k0: int, k1: int, c0: int) -> None:
    """A length at which a single step is accepted with about one half, by doubling or halving (algorithm 4)."""
    n = m.sites
    T = m.T
    V = T[16:]
    q = T[16 + 3 * n :]
    p = T[16 + 4 * n :]
    g = T[16 + 5 * n :]
    position(m, q)
    here = density(m, q, g)
    copied(n, q, T[16 + 12 * n :])
    way = 0.0
    for _ in range(60):
        copied(n, T[16 + 12 * n :], q)
        density(m, q, g)
        for j in range(n):
            p[j] = normal(k0, k1, c0 + 1, j)
        error = -here + kinetic(n, p, V)
        error += leap(m, q, p, g, V, exp(T[0])) - kinetic(n, p, V)
        now = 1.0 if error > -0.6931471805599453 else -1.0
        if way != 0.0 and now != way:
            break
        way = now
        T[0] += way * 0.6931471805599453
    placed(m, T[16 + 12 * n :])
    rescored(m, n)
    accept(m, n)
    restart(m)


def nuts_block(m: Moves, sweeps: int, first: int, done: int, adapting: int, k0: int, k1: int) -> int:
    """Some sweeps; how many were done. It adapts as long as few sweeps were done before. What an execution computes
    from the sites is found where somebody wants it: at the end, and where it is handed over."""
    m.T[9] = 0.0
    for b in range(sweeps):
        number = done + b
        c0 = (first + b) * 1048576
        if number == 0 and adapting > 0:
            first_length(m, k0, k1, c0)
        a = nuts_step(m, k0, k1, c0, 0 if number < adapting else 1)
        if a != a:
            return b
        if number < adapting:
            adapt(m, number, adapting, a)
        if m.zs > 0:
            draw_summed(m, k0, k1, c0)
        elif m.settling == 1 or b == sweeps - 1:
            rescored(m, m.sites)
            accept(m, m.sites)
        for k in range(m.kept):
            m.OUT[b * m.kept + k] = m.X[m.KEPT[k]]
    return sweeps
