"""Random numbers by key, in the middle language: the generator, words of addresses, uniform and other numbers.

Each number is a function of a key (k0, k1) and a counter (c0, c1), by Threefry-2x64 with 13 rounds (Salmon, Moraes,
Dror and Shaw 2011).
"""

from __future__ import annotations

from pplc_runtime.machine.words import MASK, NORMAL, apart, bit_length, fabs, floats, ints, log, sqrt


def rotated(x: int, n: int) -> int:
    return ((x << n) | ((x & MASK) >> (64 - n))) & MASK


def bits(k0: int, k1: int, c0: int, c1: int) -> int:
    """64 random bits."""
    k2 = k0 ^ k1 ^ 0x1BD11BDAA9FC1A22
    x = (c0 + k0) & MASK
    y = (c1 + k1) & MASK
    x = (x + y) & MASK
    y = rotated(y, 16) ^ x
    x = (x + y) & MASK
    y = rotated(y, 42) ^ x
    x = (x + y) & MASK
    y = rotated(y, 12) ^ x
    x = (x + y) & MASK
    y = rotated(y, 31) ^ x
    x = (x + k1) & MASK
    y = (y + k2 + 1) & MASK
    x = (x + y) & MASK
    y = rotated(y, 16) ^ x
    x = (x + y) & MASK
    y = rotated(y, 32) ^ x
    x = (x + y) & MASK
    y = rotated(y, 24) ^ x
    x = (x + y) & MASK
    y = rotated(y, 21) ^ x
    x = (x + k2) & MASK
    y = (y + k0 + 2) & MASK
    x = (x + y) & MASK
    y = rotated(y, 16) ^ x
    x = (x + y) & MASK
    y = rotated(y, 42) ^ x
    x = (x + y) & MASK
    y = rotated(y, 12) ^ x
    x = (x + y) & MASK
    y = rotated(y, 31) ^ x
    x = (x + k0) & MASK
    y = (y + k1 + 3) & MASK
    return (x + y) & MASK


def mixed(word: int, number: int) -> int:
    """The word of an address from that of its parent and the number of its site (splitmix64; Steele, Lea and Flood
    2014)."""
    z = (word + 0x9E3779B97F4A7C15 * (number + 1)) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def unit(word: int) -> float:
    """A number between 0 and 1, neither of which it is, by random bits."""
    return (float((word & MASK) >> 12) + 0.5) * 2.220446049250313e-16


def uniform(k0: int, k1: int, c0: int, c1: int) -> float:
    return unit(bits(k0, k1, c0, c1))


def normal_quantile(p: float) -> float:
    """The number below which a standard normal is with probability p (Wichura 1988, AS 241)."""
    q = p - 0.5
    if fabs(q) <= 0.425:
        r = 0.180625 - q * q
        top = (
            ((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r
            + 4.5921953931549871457e4) * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r
            + 1.3314166789178437745e2) * r + 3.3871328727963666080e0
        )  # fmt: skip
        bottom = (
            ((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r
            + 2.1213794301586595867e4) * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r
            + 4.2313330701600911252e1) * r + 1.0
        )  # fmt: skip
        return q * top / bottom
    r = sqrt(-log(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        r = r - 1.6
        top = (
            ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r
            + 1.27045825245236838258e0) * r + 3.64784832476320460504e0) * r + 5.76949722146069140550e0) * r
            + 4.63033784615654529590e0) * r + 1.42343711074968357734e0
        )  # fmt: skip
        bottom = (
            ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r
            + 1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0) * r
            + 2.05319162663775882187e0) * r + 1.0
        )  # fmt: skip
    else:
        r = r - 5.0
        top = (
            ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r
            + 2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0) * r
            + 5.46378491116411436990e0) * r + 6.65790464350110377720e0
        )  # fmt: skip
        bottom = (
            ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r
            + 7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r
            + 5.99832206555887937690e-1) * r + 1.0
        )  # fmt: skip
    return -top / bottom if q < 0.0 else top / bottom


def normal_by(word: int) -> float:
    """The quantile of a uniform number, by a table that has pieces for nearly all.

    The number is (r + 1/2) 2^-52, or one less that. Of the bits of r the first says in which octave it is, and the next
    six in which piece."""
    half = (word & MASK) >> 63
    r = ((word & MASK) >> 12) ^ (half * 4503599627370495)
    p = (float(r) + 0.5) * 2.220446049250313e-16
    length = bit_length(r)
    if length < 46:
        return float(1 - 2 * half) * normal_quantile(p)
    row = 7 * ((51 - length) * 64 + ((r >> (length - 7)) & 63))
    t = p - NORMAL[row]
    x = ((NORMAL[row + 1] * t + NORMAL[row + 2]) * t + NORMAL[row + 3]) * t + NORMAL[row + 4]
    return float(1 - 2 * half) * ((x * t + NORMAL[row + 5]) * t + NORMAL[row + 6])


def normal(k0: int, k1: int, c0: int, c1: int) -> float:
    return normal_by(bits(k0, k1, c0, c1))


def fill_bits(count: int, k0: int, k1: int, c0: int, c1: int, found: ints) -> None:
    """Random bits for particles, by their slots."""
    for i in apart(count):
        found[i] = bits(k0, k1, c0, c1 + (i << 16))


def fill_normals(count: int, k0: int, k1: int, c0: int, c1: int, words: ints, found: floats) -> None:
    """Normal numbers for particles, by their slots. There is room for three words more, so that they come by fours."""
    fill_bits((count + 3) // 4 * 4, k0, k1, c0, c1, words)
    for i in range(count):
        found[i] = normal_by(words[i])


def exponential(k0: int, k1: int, c0: int, c1: int) -> float:
    return -log(uniform(k0, k1, c0, c1))
