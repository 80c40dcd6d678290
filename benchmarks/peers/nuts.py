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
from numpyro.contrib.control_flow import scan
from numpyro.infer import MCMC, NUTS

DRAWS = 4000
WARM_UP = 1000


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


MODELS = {
    "linear regression, N=100": (line, ("a", "b", "s")),
    "logistic regression, N=200": (coins, ("a", "b", "c")),
    "eight schools": (schools, ("mu", "tau", "(z 0)")),
    "stochastic volatility, T=200": (returns, ("mu", "phi", "q")),
}


def main(name: str) -> None:
    """The CPU seconds of the draws after the warm-up, and the draws of one chain."""
    jax.config.update("jax_enable_x64", True)
    model, labels = MODELS[name]
    data = {key: jnp.array(value) for key, value in json.load(sys.stdin).items()}
    mcmc = MCMC(NUTS(model), num_warmup=WARM_UP, num_samples=DRAWS, progress_bar=False)
    mcmc.warmup(random.PRNGKey(0), **data)
    mcmc.run(random.PRNGKey(1), **data)
    mcmc.post_warmup_state = mcmc.last_state
    start = time.process_time()
    mcmc.run(random.PRNGKey(2), **data)
    samples = mcmc.get_samples()
    jax.block_until_ready(samples)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "draws": {label: samples[label].tolist() for label in labels}}))


if __name__ == "__main__":
    main(sys.argv[1])
