"""Log densities, in the middle language: one for every family. Parameters are in their domains."""

from __future__ import annotations

from pplc_runtime.machine.words import erfc, exp, expm1, fabs, floats, floor, inf, lgamma, log, log1p, nan, sqrt


def log_sigmoid(x: float) -> float:
    return (x if x < 0.0 else 0.0) - log1p(exp(-fabs(x)))


def log_of(p: float) -> float:
    return log(p) if p > 0.0 else -inf


def log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); either may be -inf."""
    high = a if a > b else b
    low = b if a > b else a
    return high + log1p(exp(low - high)) if high > -inf else -inf


def times_log(n: float, p: float) -> float:
    """n log p, nothing for no n."""
    return n * log_of(p) if n != 0.0 else 0.0


def log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def lp_flip(x: float, p: float) -> float:
    if x != 0.0:
        return log_of(p)
    return log1p(-p) if p < 1.0 else -inf


def lp_bernoulli(x: float, p: float) -> float:
    if x == 0.0 or x == 1.0:
        return lp_flip(x, p)
    return -inf


def lp_flip_logit(x: float, logit: float) -> float:
    z = logit if x != 0.0 else -logit
    return (z if z < 0.0 else 0.0) - log1p(exp(-fabs(logit)))


def lp_bernoulli_logit(x: float, logit: float) -> float:
    if x == 0.0 or x == 1.0:
        return lp_flip_logit(x, logit)
    return -inf


def lp_normal(x: float, mean: float, sd: float) -> float:
    s = sd * 1.4142135623730951
    z = (x - mean) / s
    result = -0.5723649429247001 - log(s) - z * z
    return result if result == result else -inf


def log_normal_below(z: float) -> float:
    """The log probability that a standard normal is below a number; far out by its series."""
    if z > 0.0:
        return log1p(-0.5 * erfc(z * 0.7071067811865476))
    if z > -30.0:
        return log(0.5 * erfc(-z * 0.7071067811865476))
    r = 1.0 / (z * z)
    return -0.5 * z * z - 0.9189385332046727 - log(-z) + log1p(-r * (1.0 - r * (3.0 - r * (15.0 - r * 105.0))))


def log_normal_between(a: float, b: float) -> float:
    """The log probability that it is between two numbers, by the tails on the side where these are small."""
    most = log_normal_below(-a if a > 0.0 else b)
    gap = log_normal_below(-b if a > 0.0 else a) - most
    if not (gap < 0.0):
        return -inf
    return most + (log(-expm1(gap)) if gap > -0.6931471805599453 else log1p(-exp(gap)))


def lp_lognormal(x: float, mu: float, sigma: float) -> float:
    if x <= 0.0 or x == inf:
        return -inf
    return lp_normal(log(x), mu, sigma) - log(x)


def lp_gamma(x: float, shape: float, rate: float) -> float:
    if x < 0.0 or x == inf:
        return -inf
    if x == 0.0:
        if shape > 1.0:
            return -inf
        return inf if shape < 1.0 else log(rate)
    return (shape - 1.0) * log(x) - rate * x + shape * log(rate) - lgamma(shape)


def lp_inverse_gamma(x: float, shape: float, scale: float) -> float:
    if x <= 0.0 or x == inf:
        return -inf
    return shape * log(scale) - lgamma(shape) - (shape + 1.0) * log(x) - scale / x


def lp_chi_squared(x: float, df: float) -> float:
    return lp_gamma(x, 0.5 * df, 0.5)


def lp_beta(x: float, a: float, b: float) -> float:
    if x < 0.0 or x > 1.0:
        return -inf
    if x == 0.0 or x == 1.0:
        near = a if x == 0.0 else b
        far = b if x == 0.0 else a
        if near > 1.0:
            return -inf
        return inf if near < 1.0 else log(far)
    return (a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - log_beta(a, b)


def lp_exponential(x: float, rate: float) -> float:
    return log(rate) - rate * x if x >= 0.0 else -inf


def lp_weibull(x: float, shape: float, scale: float) -> float:
    if x < 0.0 or x == inf:
        return -inf
    if x == 0.0:
        if shape > 1.0:
            return -inf
        return inf if shape < 1.0 else -log(scale)
    power = shape * (log(x) - log(scale))
    return log(shape) + power - log(x) - exp(power if power < 708.0 else 708.0)


def lp_half_normal(x: float, sd: float) -> float:
    return lp_normal(x, 0.0, sd) + 0.6931471805599453 if x >= 0.0 and x < inf else -inf


def lp_logistic(x: float, location: float, scale: float) -> float:
    far = fabs((x - location) / scale)
    return -far - 2.0 * log1p(exp(-far)) - log(scale)


def lp_pareto(x: float, scale: float, shape: float) -> float:
    if not (x >= scale and x < inf):
        return -inf
    return log(shape) + shape * (log(scale) - log(x)) - log(x)


def lp_laplace(x: float, location: float, scale: float) -> float:
    return -log(2.0 * scale) - fabs(x - location) / scale


def lp_student_t(x: float, df: float, location: float, scale: float) -> float:
    root = sqrt(df)
    z = fabs((x - location) / scale) / root
    tail = log1p(z * z) if z < 1e100 else 2.0 * log(z)
    return -log_beta(0.5 * df, 0.5) - log(root) - (0.5 * df + 0.5) * tail - log(scale)


def lp_cauchy(x: float, location: float, scale: float) -> float:
    z = fabs((x - location) / scale)
    tail = log1p(z * z) if z < 1e100 else 2.0 * log(z)
    return -1.1447298858494002 - tail - log(scale)


def lp_half_cauchy(x: float, scale: float) -> float:
    return lp_cauchy(x, 0.0, scale) + 0.6931471805599453 if x >= 0.0 and x < inf else -inf


def lp_uniform_continuous(x: float, a: float, b: float) -> float:
    return -log(b - a) if x >= a and x <= b else -inf


def lp_uniform_discrete(x: float, lower: float, upper: float) -> float:
    return -log(upper - lower) if x >= lower and x < upper and floor(x) == x else -inf


def lp_poisson(x: float, rate: float) -> float:
    if x < 0.0 or floor(x) != x:
        return -inf
    return times_log(x, rate) - rate - lgamma(x + 1.0)


def log_choose(n: float, k: float) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


def lp_binomial(x: float, n: float, p: float) -> float:
    if x < 0.0 or x > n or floor(x) != x:
        return -inf
    rest = n - x
    other = (rest * log1p(-p) if p < 1.0 else -inf) if rest != 0.0 else 0.0
    return log_choose(n, x) + times_log(x, p) + other


def lp_binomial_logit(x: float, n: float, logit: float) -> float:
    if x < 0.0 or x > n or floor(x) != x:
        return -inf
    yes = x * log_sigmoid(logit) if x != 0.0 else 0.0
    no = (n - x) * log_sigmoid(-logit) if n - x != 0.0 else 0.0
    return log_choose(n, x) + yes + no


def lp_beta_binomial(x: float, n: float, a: float, b: float) -> float:
    if x < 0.0 or x > n or floor(x) != x:
        return -inf
    return log_choose(n, x) + log_beta(x + a, n - x + b) - log_beta(a, b)


def lp_negative_binomial(x: float, r: float, p: float) -> float:
    if x < 0.0 or floor(x) != x:
        return -inf
    if p >= 1.0:
        return 0.0 if x == 0.0 else -inf
    return lgamma(x + r) - lgamma(r) - lgamma(x + 1.0) + r * log(p) + x * log1p(-p)


def lp_geometric(x: float, p: float) -> float:
    if x < 0.0 or floor(x) != x:
        return -inf
    if p >= 1.0:
        return 0.0 if x == 0.0 else -inf
    return log(p) + x * log1p(-p)


def lp_discrete(x: float, n: int, weights: floats) -> float:
    if x < 0.0 or x >= float(n) or floor(x) != x:
        return -inf
    total = 0.0
    for i in range(n):
        total += weights[i]
    return log_of(weights[int(x)] / total)


def log_share(x: float, n: int, logs: floats) -> float:
    """The same, by the logs of weights that sum to 1."""
    if x < 0.0 or x >= float(n) or floor(x) != x:
        return -inf
    return logs[int(x)]


def lp_dirichlet(n: int, x: floats, alpha: floats) -> float:
    total = 0.0
    result = 0.0
    for i in range(n):
        if x[i] <= 0.0:
            return -inf
        total += alpha[i]
        result += (alpha[i] - 1.0) * log(x[i]) - lgamma(alpha[i])
    return result + lgamma(total)


def lp_factor(x: float, log_weight: float) -> float:
    return log_weight


def lp_condition(x: float, test: float) -> float:
    return 0.0 if test != 0.0 else -inf


def lp_certain(holds: float) -> float:
    return 0.0 if holds != 0.0 else -inf


# Multivariate normal


def cholesky(n: int, a: floats, root: floats) -> float:
    """The root of a covariance, row by row; and the log of its determinant, not a number where there is none."""
    result = 0.0
    for i in range(n):
        for j in range(i + 1):
            s = a[i * n + j]
            for k in range(j):
                s -= root[i * n + k] * root[j * n + k]
            if i == j:
                if not s > 0.0:
                    return nan
                root[i * n + i] = sqrt(s)
                result += log(root[i * n + i])
            else:
                root[i * n + j] = s / root[j * n + j]
    return result


def lp_mvn(n: int, x: floats, mean: floats, root: floats, log_root: float, z: floats) -> float:
    """By the root of the covariance."""
    total = 0.0
    for i in range(n):
        s = x[i] - mean[i]
        for k in range(i):
            s -= root[i * n + k] * z[k]
        z[i] = s / root[i * n + i]
        total += z[i] * z[i]
    return -0.5 * total - log_root - 0.9189385332046727 * float(n)


def lp_mvn_diagonal(n: int, x: floats, mean: floats, half_precision: floats, log_peak: float) -> float:
    """By half of one over each variance; four sums at a time, which do not wait for each other."""
    a = 0.0
    b = 0.0
    c = 0.0
    e = 0.0
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        d = x[i] - mean[i]
        a += d * d * half_precision[i]
        d = x[i + 1] - mean[i + 1]
        b += d * d * half_precision[i + 1]
        d = x[i + 2] - mean[i + 2]
        c += d * d * half_precision[i + 2]
        d = x[i + 3] - mean[i + 3]
        e += d * d * half_precision[i + 3]
    for i in range(whole, n):
        d = x[i] - mean[i]
        a += d * d * half_precision[i]
    return log_peak - ((a + b) + (c + e))
