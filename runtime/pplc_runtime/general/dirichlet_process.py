"""The Dirichlet process for one particle: the text of its functions in the middle language, by the base family.

The state is how many values there is room for, how many there are, how many draws there were, and for each value how
often it was drawn. With a continuous base a draw is a fresh value, with a density, or an old one, with a mass: that is
its measure, and a retained value stands only for one of the same (docs/design.md, "dp: fresh or old").
"""

from __future__ import annotations

FRESH = (3 << 16) + 1
OLD = (4 << 16) + 1
COUNTING = (1 << 16) + 1


def dp_text(label: str, parameters: int, real: bool, discrete: bool) -> str:
    """The functions of one base."""
    names = [f"a{position}" for position in range(parameters)]
    given, passed = "".join(f", {name}: float" for name in names), "".join(f", {name}" for name in names)
    kind, zero, view = ("float", "0.0", "H") if real else ("int", "0", "I")
    drawn = f"draw_{label}(S.k0, S.k1, at, S.c1{passed})"
    measure = f"{COUNTING}" if discrete else f"({OLD} if row >= 0 else {FRESH})"
    density = f"lp_{label}({'x' if real else 'float(x)'}{passed})"
    again = f"log(times + alpha * exp({density}))" if discrete else "log(times)"
    return f"""def dp_row_{label}(S: State, p: int, x: {kind}) -> int:
    if p != 0:
        for j in range(S.I[p + 1]):
            if S.{view}[p + 4 + 2 * j] == x:
                return j
    return -1


def dp_seat_{label}(S: State, where: int, x: {kind}, row: int) -> None:
    p = state_of(S, where)
    n = 0
    room = 4
    if p != 0:
        room = S.I[p]
        n = S.I[p + 1]
    if p < S.mark or (row < 0 and n >= room):
        more = room if n < room else 2 * room
        q = alloc(S, 3 + 2 * more)
        if S.fail != 0:
            return
        for j in range(3 + 2 * more):
            S.I[q + j] = S.I[p + j] if p != 0 and j < 3 + 2 * n else 0
        S.I[q] = more
        keep_state(S, where, q)
        p = q
    if row < 0:
        S.I[p + 1] = n + 1
        S.I[p + 3 + 2 * n] = 1
        S.{view}[p + 4 + 2 * n] = x
    else:
        S.I[p + 3 + 2 * row] = S.I[p + 3 + 2 * row] + 1
    S.I[p + 2] = S.I[p + 2] + 1


def sample_dp_{label}(S: State, at: int, where: int, alpha: float{given}) -> {kind}:
    p = state_of(S, where)
    if S.mode == 0:
        x = {drawn if real else f"int({drawn})"}
        if p != 0:
            point = uniform(S.k0, S.k1, (at + 4294967296) & MASK, S.c1) * (float(S.I[p + 2]) + alpha)
            for j in range(S.I[p + 1]):
                point = point - float(S.I[p + 3 + 2 * j])
                if point < 0.0:
                    x = S.{view}[p + 4 + 2 * j]
                    break
        row = dp_row_{label}(S, p, x)
    else:
        k = found(S, at)
        if S.fail != 0:
            return {zero}
        x = S.R{"V" if real else "I"}[k]
        row = dp_row_{label}(S, p, x)
        k = taken(S, at, {measure})
        if S.mode >= 2 and S.fail == 0:
            in_turn(S, at, S.RI[k])
        if S.mode == 2 and S.fail == 0:
            times = 0.0
            total = alpha
            if p != 0:
                total = float(S.I[p + 2]) + alpha
            if row >= 0:
                times = float(S.I[p + 3 + 2 * row])
            if row >= 0:
                scored(S, {again} - log(total))
            else:
                scored(S, log(alpha) + {density} - log(total))
    if S.fail == 0:
        dp_seat_{label}(S, where, x, row)
    if S.mode != 2 and S.fail == 0:
        keep_{"real" if real else "whole"}(S, at, {measure}, x)
    return x"""
