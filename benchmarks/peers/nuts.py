"""NUTS of numpyro on the models of `benchmarks.effective`: data from standard input, draws to standard output."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import random
from jax.scipy.special import logsumexp
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS

DRAWS = 6000
WARM_UP = 500


def line(x: Any, y: Any) -> None:
    a, b = numpyro.sample("a", dist.Normal(0, 5)), numpyro.sample("b", dist.Normal(0, 5))
    s = numpyro.sample("s", dist.Gamma(2, 2))
    numpyro.sample("obs", dist.Normal(a + b * x, s), obs=y)


def coins(u: Any, v: Any, y: Any) -> None:
    a, b, c = (numpyro.sample(name, dist.Normal(0, 3)) for name in "abc")
    numpyro.sample("obs", dist.Bernoulli(logits=a + b * u + c * v), obs=y)


def schools(y: Any, s: Any) -> None:
    mu, tau = numpyro.sample("mu", dist.Normal(0, 5)), numpyro.sample("tau", dist.Gamma(2, 0.2))
    z = numpyro.sample("z", dist.Normal(0, 1).expand([8]).to_event(1))
    numpyro.deterministic("(z 0)", z[0])
    numpyro.sample("obs", dist.Normal(mu + tau * z, s), obs=y)


def returns(y: Any) -> None:
    mu, phi = numpyro.sample("mu", dist.Normal(-1, 1)), numpyro.sample("phi", dist.Beta(20, 2))
    q = numpyro.sample("q", dist.Gamma(2, 8))
    first = numpyro.sample("h0", dist.Normal(mu, 0.6))

    def step(h: Any, e: Any) -> Any:
        new = mu + phi * (h - mu) + q * e
        return new, new

    e = numpyro.sample("e", dist.Normal(0, 1).expand([len(y) - 1]).to_event(1))
    _, rest = scan(step, first, e)
    h = jnp.concatenate([first[None], rest])
    numpyro.sample("obs", dist.Normal(0, jnp.exp(h / 2)), obs=y)


def states(y: Any) -> None:
    rows = jnp.stack([numpyro.sample(name, dist.Dirichlet(jnp.ones(3))) for name in "abc"])
    for k, name in enumerate("abc"):
        numpyro.deterministic(f"(nth {name} {k})", rows[k, k])
    likes = dist.Normal(jnp.array([-2.0, 0.0, 2.0]), 1.0).log_prob(y[:, None])

    def step(forward: Any, like: Any) -> Any:
        return logsumexp(forward[:, None] + jnp.log(rows), axis=0) + like, None

    last, _ = jax.lax.scan(step, jnp.log(jnp.ones(3) / 3) + likes[0], likes[1:])
    numpyro.factor("obs", logsumexp(last))


def clusters(y: Any) -> None:
    w = numpyro.sample("w", dist.Dirichlet(2.0 * jnp.ones(3)))
    numpyro.deterministic("(nth w 1)", w[1])
    m = jnp.stack([numpyro.sample(f"m{k}", dist.Normal(3.0 * (k - 1), 1)) for k in range(3)])
    s = numpyro.sample("s", dist.Gamma(2, 2))
    numpyro.factor("obs", logsumexp(jnp.log(w) + dist.Normal(m, s).log_prob(y[:, None]), axis=1).sum())


def kalman(C: Any, y: Any) -> None:
    angle = numpyro.sample("angle", dist.Gamma(10.0, 2.5))
    omega = numpyro.deterministic("omega", angle * jnp.pi / len(y))
    q = numpyro.sample("q", dist.Gamma(10.0, 100.0))
    A = jnp.array([[jnp.cos(omega), -jnp.sin(omega)], [jnp.sin(omega), jnp.cos(omega)]])
    with numpyro.plate("states", len(y)):
        x = numpyro.sample("x", dist.Normal(0.0, 1.0).expand([2]).mask(False).to_event(1))
    before = jnp.concatenate([jnp.array([[1.0, 0.0]]), x[:-1]])
    numpyro.factor("path", dist.Normal(before @ A.T, jnp.sqrt(q)).log_prob(x).sum())
    numpyro.sample("obs", dist.Normal(x @ C.T, 0.1), obs=y)


MODELS = {
    "linear regression, N=100": (line, ("a", "b", "s")),
    "logistic regression, N=200": (coins, ("a", "b", "c")),
    "eight schools": (schools, ("mu", "tau", "(z 0)")),
    "HMM, unknown matrix, T=100": (states, ("(nth a 0)", "(nth b 1)", "(nth c 2)")),
    "stochastic volatility, T=200": (returns, ("mu", "phi", "q")),
    "mixture, K=3, N=100": (clusters, ("m0", "m1", "m2", "s", "(nth w 1)")),
    "kalman, omega and q": (kalman, ("omega", "q")),
}


def main(name: str) -> None:
    """The CPU seconds of the draws after the warm-up, and the draws of one chain.

    Each run compiles anew, so that the time of a run of one draw is subtracted."""
    jax.config.update("jax_enable_x64", True)
    model, labels = MODELS[name]
    data = {key: jnp.array(value) for key, value in json.load(sys.stdin).items()}
    mcmc = MCMC(NUTS(model), num_warmup=WARM_UP, num_samples=1, progress_bar=False)
    mcmc.warmup(random.PRNGKey(0), **data)
    warm = mcmc.post_warmup_state
    seconds = {}
    for draws in (1, 1, DRAWS):
        mcmc = MCMC(NUTS(model), num_warmup=WARM_UP, num_samples=draws, progress_bar=False)
        mcmc.post_warmup_state = warm
        start = time.process_time()
        mcmc.run(random.PRNGKey(2), **data)
        samples = mcmc.get_samples()
        jax.block_until_ready(samples)
        seconds[draws] = time.process_time() - start
    found = {label: samples[label].tolist() for label in labels}
    print(json.dumps({"seconds": seconds[DRAWS] - seconds[1], "draws": found}))


if __name__ == "__main__":
    main(sys.argv[1])
