"""Elliptical slice sampling, in the middle language.

Murray, Adams and MacKay 2010, "Elliptical slice sampling". The sites are the noise of normal draws, each standard
normal, so that any number of them is a Gaussian vector whatever the means and deviations are computed from. With v
another draw of that vector, the points q cos t + v sin t are an ellipse; one of them is drawn where the density of all
else is above a level.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import normal, uniform
from pplc_runtime.machine.words import cos, inf, log, nan, sin
from pplc_runtime.native.execution import Moves
from pplc_runtime.native.moves import accept, rescored, restore, save, scored
from pplc_runtime.native.summed import draw_summed, summed


def ellipse_step(m: Moves, from_site: int, to_site: int, row: int, k0: int, k1: int, c0: int) -> float:
    """Moves some sites together, whose pieces are those of a row; 1 if there was a point, 0 if not."""
    T = m.T
    square = 0.0
    for j in range(from_site, to_site):
        T[j] = m.X[m.OFF[j]]
        T[m.sites + j] = normal(k0, k1, c0, j)
        square += T[j] * T[j]
    save(m, row)
    level = scored(m, row) + 0.5 * square + log(uniform(k0, k1, c0, m.sites))
    angle = 6.283185307179586 * uniform(k0, k1, c0, m.sites + 1)
    least = angle - 6.283185307179586
    most = angle
    n = 2
    while n < 300:
        a = cos(angle)
        b = sin(angle)
        square = 0.0
        for j in range(from_site, to_site):
            x = T[j] * a + T[m.sites + j] * b
            m.X[m.OFF[j]] = x
            square += x * x
        new = rescored(m, row)
        if new != new:
            return nan
        if new > -inf and new + 0.5 * square > level:
            accept(m, row)
            return 1.0
        if angle < 0.0:
            least = angle
        else:
            most = angle
        angle = least + (most - least) * uniform(k0, k1, c0, m.sites + n)
        n += 1
    for j in range(from_site, to_site):
        m.X[m.OFF[j]] = T[j]
    restore(m, row)
    return 0.0


def ellipse_block(m: Moves, sweeps: int, first: int, together: int, k0: int, k1: int) -> int:
    """Some sweeps, in which so many sites at a time move together; how many were done."""
    if m.zs > 0:
        m.SUM[0] = summed(m)
    for b in range(sweeps):
        row = m.sites
        start = 0
        while start < m.sites:
            end = start + together if start + together < m.sites else m.sites
            a = ellipse_step(m, start, end, row, k0, k1, (first + b) * 1048576 + start)
            if a != a:
                return b
            start = end
            row += 1
        if m.zs > 0:
            draw_summed(m, k0, k1, (first + b) * 1048576)
        for k in range(m.kept):
            m.OUT[b * m.kept + k] = m.X[m.KEPT[k]]
    return sweeps
