"""A sampler for every family, in the middle language, on random numbers by key (`generator`).

The lowest 16 bits of c1 are how many numbers a draw has taken: a sampler that rejects takes the next.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import exponential, normal, uniform
from pplc_runtime.machine.words import acos, cos, exp, fabs, floats, floor, inf, lgamma, log, log1p, pow, sqrt, tan


def gamma(k0: int, k1: int, c0: int, c1: int, shape: float) -> float:
    """Of rate 1 (Marsaglia and Tsang 2000)."""
    larger = shape if shape >= 1.0 else shape + 1.0
    d = larger - 0.3333333333333333
    c = 1.0 / sqrt(9.0 * d)
    n = c1 + 1
    while True:
        x = normal(k0, k1, c0, n)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            u = uniform(k0, k1, c0, n + 1)
            if u < 1.0 - 0.0331 * (x * x) * (x * x) or log(u) < 0.5 * x * x + d * (1.0 - v + log(v)):
                break
        n += 2
    if shape >= 1.0:
        return d * v
    return d * v * pow(uniform(k0, k1, c0, c1), 1.0 / shape)


def bounded(x: float, low: float, high: float) -> float:
    if x < low:
        return low
    return high if x > high else x


# A draw from each family


def draw_flip(k0: int, k1: int, c0: int, c1: int, p: float) -> float:
    return float(uniform(k0, k1, c0, c1) < p)


def draw_bernoulli(k0: int, k1: int, c0: int, c1: int, p: float) -> float:
    return float(uniform(k0, k1, c0, c1) < p)


def draw_flip_logit(k0: int, k1: int, c0: int, c1: int, logit: float) -> float:
    return float(uniform(k0, k1, c0, c1) < 1.0 / (1.0 + exp(-logit)))


def draw_bernoulli_logit(k0: int, k1: int, c0: int, c1: int, logit: float) -> float:
    return float(uniform(k0, k1, c0, c1) < 1.0 / (1.0 + exp(-logit)))


def draw_normal(k0: int, k1: int, c0: int, c1: int, mean: float, sd: float) -> float:
    return mean + sd * normal(k0, k1, c0, c1)


def draw_half_normal(k0: int, k1: int, c0: int, c1: int, sd: float) -> float:
    return fabs(normal(k0, k1, c0, c1)) * sd


def draw_lognormal(k0: int, k1: int, c0: int, c1: int, mu: float, sigma: float) -> float:
    return exp(bounded(mu + sigma * normal(k0, k1, c0, c1), -708.0, 708.0))


def draw_gamma(k0: int, k1: int, c0: int, c1: int, shape: float, rate: float) -> float:
    return bounded(gamma(k0, k1, c0, c1, shape) / rate, 2.2250738585072014e-308, 1.7976931348623157e308)


def draw_inverse_gamma(k0: int, k1: int, c0: int, c1: int, shape: float, scale: float) -> float:
    least = scale * 1e-300 + 2.2250738585072014e-308
    return scale / bounded(gamma(k0, k1, c0, c1, shape), least, 1.7976931348623157e308)


def draw_chi_squared(k0: int, k1: int, c0: int, c1: int, df: float) -> float:
    return draw_gamma(k0, k1, c0, c1, 0.5 * df, 0.5)


def draw_beta(k0: int, k1: int, c0: int, c1: int, a: float, b: float) -> float:
    """By two gammas; where both are below 1 by Jöhnk's method, on the scale of logarithms."""
    if a >= 1.0 or b >= 1.0:
        x = gamma(k0, k1, c0, c1, a)
        y = gamma(k0, k1, c0, c1 + 32768, b)
        return bounded(x / (x + y), 2.2250738585072014e-308, 0.9999999999999999)
    n = c1
    while True:
        p = log(uniform(k0, k1, c0, n)) / a
        q = log(uniform(k0, k1, c0, n + 1)) / b
        if exp(p) + exp(q) <= 1.0:
            largest = p if p > q else q
            return bounded(
                exp(p - largest - log(exp(p - largest) + exp(q - largest))), 2.2250738585072014e-308, 0.9999999999999999
            )
        n += 2
    return 0.0


def dirichlet(k0: int, k1: int, c0: int, c1: int, n: int, alpha: floats, x: floats) -> None:
    """Shares of gammas, on the scale of logarithms; where one may underflow, Gamma(a) is Gamma(a + 1) U^(1/a)."""
    least = inf
    for j in range(n):
        if alpha[j] < least:
            least = alpha[j]
    largest = -inf
    for j in range(n):
        if least < 0.5:
            own = exponential(k0, k1, c0 + 4294967296 + j, c1) / alpha[j]
            x[j] = log(gamma(k0, k1, c0 + j, c1, alpha[j] + 1.0)) - own
        else:
            x[j] = log(gamma(k0, k1, c0 + j, c1, alpha[j]))
        if x[j] > largest:
            largest = x[j]
    total = 0.0
    for j in range(n):
        x[j] = exp(x[j] - largest)
        total += x[j]
    for j in range(n):
        x[j] = bounded(x[j] / total, 2.2250738585072014e-308, 1.0)


def draw_exponential(k0: int, k1: int, c0: int, c1: int, rate: float) -> float:
    return exponential(k0, k1, c0, c1) / rate


def weibull(k0: int, k1: int, c0: int, c1: int, shape: float) -> float:
    return pow(exponential(k0, k1, c0, c1), 1.0 / shape)


def draw_weibull(k0: int, k1: int, c0: int, c1: int, shape: float, scale: float) -> float:
    draw = weibull(k0, k1, c0, c1, shape)
    if shape >= 1.0:
        return draw * scale
    return bounded(bounded(draw, 2.2250738585072014e-308, 1e150) * scale, 2.2250738585072014e-308, 1e300)


def draw_pareto(k0: int, k1: int, c0: int, c1: int, scale: float, shape: float) -> float:
    value = exp(bounded(log(scale) + exponential(k0, k1, c0, c1) / shape, -inf, 709.0))
    return value if value > scale else scale


def laplace(k0: int, k1: int, c0: int, c1: int) -> float:
    u = uniform(k0, k1, c0, c1)
    return log(2.0 * u) if u < 0.5 else -log(2.0 - 2.0 * u)


def draw_laplace(k0: int, k1: int, c0: int, c1: int, location: float, scale: float) -> float:
    return location + scale * laplace(k0, k1, c0, c1)


def student_t(k0: int, k1: int, c0: int, c1: int, df: float) -> float:
    z = normal(k0, k1, c0, c1 + 32768)
    return z / sqrt(bounded(gamma(k0, k1, c0, c1, 0.5 * df) * 2.0 / df, 2.2250738585072014e-308, inf))


def draw_student_t(k0: int, k1: int, c0: int, c1: int, df: float, location: float, scale: float) -> float:
    return bounded(location + scale * student_t(k0, k1, c0, c1, df), -1e300, 1e300)


def cauchy(k0: int, k1: int, c0: int, c1: int) -> float:
    return tan(3.141592653589793 * (uniform(k0, k1, c0, c1) - 0.5))


def draw_cauchy(k0: int, k1: int, c0: int, c1: int, location: float, scale: float) -> float:
    return location + scale * cauchy(k0, k1, c0, c1)


def draw_half_cauchy(k0: int, k1: int, c0: int, c1: int, scale: float) -> float:
    return fabs(cauchy(k0, k1, c0, c1)) * scale


def logistic(k0: int, k1: int, c0: int, c1: int) -> float:
    u = uniform(k0, k1, c0, c1)
    return log(u) - log1p(-u)


def draw_logistic(k0: int, k1: int, c0: int, c1: int, location: float, scale: float) -> float:
    return location + scale * logistic(k0, k1, c0, c1)


def draw_uniform_continuous(k0: int, k1: int, c0: int, c1: int, a: float, b: float) -> float:
    return a + (b - a) * uniform(k0, k1, c0, c1)


def draw_uniform_discrete(k0: int, k1: int, c0: int, c1: int, lower: float, upper: float) -> float:
    return bounded(floor(lower + (upper - lower) * uniform(k0, k1, c0, c1)), lower, upper - 1.0)


def draw_poisson(k0: int, k1: int, c0: int, c1: int, rate: float) -> float:
    """By the distribution function, or where it is long by transformed rejection (Hörmann 1993, PTRS)."""
    if rate < 10.0:
        u = uniform(k0, k1, c0, c1)
        p = exp(-rate)
        total = p
        k = 0.0
        while u > total and k < 1000.0:
            k += 1.0
            p = p * rate / k
            total = total + p
        return k
    root = sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    alpha = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2.0)
    n = c1
    while True:
        u = uniform(k0, k1, c0, n) - 0.5
        v = uniform(k0, k1, c0, n + 1)
        us = 0.5 - fabs(u)
        k = floor((2.0 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= limit:
            return k
        log_mass = k * log(rate) - rate - lgamma(k + 1.0)
        if k >= 0.0 and (us >= 0.013 or v <= us) and log(v * alpha / (a / (us * us) + b)) <= log_mass:
            return k
        n += 2
    return 0.0


def binomial_below_half(k0: int, k1: int, c0: int, c1: int, trials: float, p: float) -> float:
    """By the distribution function, or where it is long by transformed rejection (Hörmann 1993, BTRS)."""
    if trials * p < 10.0:
        u = uniform(k0, k1, c0, c1)
        odds = p / (1.0 - p)
        mass = exp(trials * log1p(-p))
        total = mass
        k = 0.0
        while u > total and k < trials:
            k += 1.0
            mass = mass * odds * (trials - k + 1.0) / k
            total = total + mass
        return k
    spread = sqrt(trials * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    limit = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * spread
    mode = floor((trials + 1.0) * p)
    n = c1
    while True:
        u = uniform(k0, k1, c0, n) - 0.5
        v = uniform(k0, k1, c0, n + 1)
        us = 0.5 - fabs(u)
        k = floor((2.0 * a / us + b) * u + trials * p + 0.5)
        if k >= 0.0 and k <= trials:
            if us >= 0.07 and v <= limit:
                return k
            bound = lgamma(mode + 1.0) + lgamma(trials - mode + 1.0) - lgamma(k + 1.0) - lgamma(trials - k + 1.0)
            if log(v * alpha / (a / (us * us) + b)) <= bound + (k - mode) * log(p / (1.0 - p)):
                return k
        n += 2
    return 0.0


def draw_binomial(k0: int, k1: int, c0: int, c1: int, trials: float, p: float) -> float:
    if p <= 0.5:
        return binomial_below_half(k0, k1, c0, c1, trials, p)
    return trials - binomial_below_half(k0, k1, c0, c1, trials, 1.0 - p)


def draw_binomial_logit(k0: int, k1: int, c0: int, c1: int, trials: float, logit: float) -> float:
    return draw_binomial(k0, k1, c0, c1, trials, 1.0 / (1.0 + exp(-logit)))


def draw_beta_binomial(k0: int, k1: int, c0: int, c1: int, trials: float, a: float, b: float) -> float:
    return draw_binomial(k0, k1, c0 + 4294967296, c1, trials, draw_beta(k0, k1, c0, c1, a, b))


def draw_negative_binomial(k0: int, k1: int, c0: int, c1: int, r: float, p: float) -> float:
    rate = bounded(gamma(k0, k1, c0, c1, r), 2.2250738585072014e-308, 1.7976931348623157e308) * ((1.0 - p) / p)
    return draw_poisson(k0, k1, c0 + 4294967296, c1, bounded(rate, -inf, 9.2e18))


def draw_geometric(k0: int, k1: int, c0: int, c1: int, p: float) -> float:
    if p >= 1.0:
        return 0.0
    return floor(log(uniform(k0, k1, c0, c1)) / log1p(-p))


def angle(k0: int, k1: int, c0: int, c1: int, concentration: float) -> float:
    """Of mean 0, von Mises (Best and Fisher 1979); normal where it is so narrow that the circle does not matter."""
    if concentration > 1e6:
        return bounded(normal(k0, k1, c0, c1) / sqrt(concentration), -3.141592653589793, 3.141592653589793)
    if concentration < 1e-8:
        return 3.141592653589793 * (2.0 * uniform(k0, k1, c0, c1) - 1.0)
    if concentration < 1e-5:
        r = 1.0 / concentration + concentration
    else:
        tau = 1.0 + sqrt(1.0 + 4.0 * concentration * concentration)
        rho = (tau - sqrt(2.0 * tau)) / (2.0 * concentration)
        r = (1.0 + rho * rho) / (2.0 * rho)
    n = c1 + 1
    while True:
        z = cos(3.141592653589793 * uniform(k0, k1, c0, n))
        f = (1.0 + r * z) / (r + z)
        c = concentration * (r - f)
        u = uniform(k0, k1, c0, n + 1)
        if c * (2.0 - c) > u or log(c / u) + 1.0 >= c:
            break
        n += 2
    half = acos(bounded(f, -1.0, 1.0))
    return half if uniform(k0, k1, c0, c1) < 0.5 else -half


def log_choices(n: float, k: float) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


def hypergeometric(k0: int, k1: int, c0: int, c1: int, good: float, bad: float, draws: float) -> float:
    """By the masses, from the mode outwards on both sides."""
    least = draws - bad if draws > bad else 0.0
    most = good if good < draws else draws
    mode = bounded(floor((draws + 1.0) * (good + 1.0) / (good + bad + 2.0)), least, most)
    peak = exp(log_choices(good, mode) + log_choices(bad, draws - mode) - log_choices(good + bad, draws))
    u = uniform(k0, k1, c0, c1) - peak
    up = mode
    down = mode
    above = peak
    below = peak
    while u > 0.0 and (up < most or down > least):
        if up < most:
            above = above * (good - up) * (draws - up) / ((up + 1.0) * (bad - draws + up + 1.0))
            up += 1.0
            u -= above
            if u <= 0.0:
                return up
        if down > least:
            below = below * down * (bad - draws + down) / ((good - down + 1.0) * (draws - down + 1.0))
            down -= 1.0
            u -= below
            if u <= 0.0:
                return down
    return mode
