"""Derivatives of densities of vectors, in the middle language, and the function that those of gamma have."""

from __future__ import annotations

from pplc_runtime.machine.words import floats, log


def digamma(x: float) -> float:
    """The derivative of lgamma, for positive numbers: upwards by its recurrence, then by its asymptotic series."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0)))))
    return result + log(x) - 0.5 / x - series


def d_discrete(x: float, n: int, weights: floats, seed: float, by_weights: floats) -> None:
    total = 0.0
    for i in range(n):
        total += weights[i]
    for i in range(n):
        by_weights[i] -= seed / total
    by_weights[int(x)] += seed / weights[int(x)]


def d_dirichlet(n: int, x: floats, alpha: floats, seed: float, by_x: floats, by_alpha: floats) -> None:
    total = 0.0
    for i in range(n):
        total += alpha[i]
    for i in range(n):
        by_x[i] += seed * (alpha[i] - 1.0) / x[i]
        by_alpha[i] += seed * (log(x[i]) - digamma(alpha[i]) + digamma(total))


def d_mvn(
    n: int,
    x: floats,
    mean: floats,
    root: floats,
    log_root: float,
    z: floats,
    seed: float,
    by_x: floats,
    by_mean: floats,
) -> None:
    """By the root of the covariance; z is what the density has left there."""
    for k in range(n):
        i = n - 1 - k
        s = z[i]
        for j in range(i + 1, n):
            s -= root[j * n + i] * z[j]
        z[i] = s / root[i * n + i]
        by_x[i] -= seed * z[i]
        by_mean[i] += seed * z[i]


def d_mvn_diagonal(
    n: int, x: floats, mean: floats, half_precision: floats, log_peak: float, seed: float, by_x: floats, by_mean: floats
) -> None:
    for i in range(n):
        s = 2.0 * seed * (x[i] - mean[i]) * half_precision[i]
        by_x[i] -= s
        by_mean[i] += s
