"""The `particles` package (N. Chopin): smc and conditional smc with multinomial resampling at every step.

NLSS is written as its tutorial writes a state-space model; LGSS and the mixture, whose particles hold more
than the state, as Feynman-Kac models in numpy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import particles
from particles import distributions as dists
from particles import state_space_models as ssm
from particles.mcmc import CSMC

from benchmarks.by_hand.sweep import Array, Sweep


class Nlss(ssm.StateSpaceModel):
    def PX0(self):
        return dists.Normal(loc=0.0, scale=math.sqrt(5.0))

    def PX(self, t, xp):
        return dists.Normal(loc=xp / 2 + 25 * xp / (1 + xp**2) + 8 * np.cos(1.2 * t), scale=math.sqrt(10.0))

    def PY(self, t, xp, x):
        return dists.Normal(loc=x**2 / 20, scale=1.0) if t else dists.FlatNormal(loc=x)


class Lgss(particles.FeynmanKac):
    """Columns: omega, q, cos, sin, sd, x_0, x_1."""

    def __init__(self, c: Array, y: Array) -> None:
        super().__init__(len(y))
        self.transposed, self.y = np.ascontiguousarray(c.T), y
        self.constant = -0.5 * len(c) * math.log(2 * math.pi * 0.01)

    def M0(self, N):
        omega = np.random.gamma(10.0, 1 / 2.5, N) * (math.pi / self.T)
        q = np.random.gamma(10.0, 1 / 100.0, N)
        start = np.column_stack([omega, q, np.cos(omega), np.sin(omega), np.sqrt(q), np.ones(N), np.zeros(N)])
        return self.M(0, start)

    def M(self, t, xp):
        cos, sin, sd, x0, x1 = xp[:, 2:].T
        x = xp.copy()
        x[:, 5], x[:, 6] = cos * x0 - sin * x1, sin * x0 + cos * x1
        x[:, 5:] += sd[:, None] * np.random.standard_normal((len(xp), 2))
        return x

    def logG(self, t, xp, x):
        residual = np.ascontiguousarray(x[:, 5:]) @ self.transposed
        residual -= self.y[t]
        return self.constant - 50.0 * np.einsum("ld,ld->l", residual, residual)


class Hmm(particles.FeynmanKac):
    """The hidden Markov model: a particle is its state."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        super().__init__(len(arrays["y"]))
        self.y, self.means = arrays["y"], arrays["means"]
        self.initial, self.transition = arrays["initial"].cumsum(), arrays["transition"].cumsum(axis=1)

    def M0(self, N):
        return (self.initial[:-1] <= np.random.random((N, 1))).sum(axis=1)

    def M(self, t, xp):
        return (self.transition[:, :-1].take(xp, axis=0) <= np.random.random((len(xp), 1))).sum(axis=1)

    def logG(self, t, xp, x):
        return -0.5 * (self.means.take(x) - self.y[t]) ** 2 - 0.5 * math.log(2 * math.pi)


class CrpMixture(particles.FeynmanKac):
    """Columns: label, label of point 1, classes in use, then counts and means by turns."""

    def __init__(self, y: Array, prior_sd: float) -> None:
        super().__init__(len(y))
        self.y, self.prior_sd = y, prior_sd

    def M0(self, N):
        return self.M(0, np.zeros((N, 3 + 2 * 4)))

    def M(self, t, xp):
        n = len(xp)
        used = xp[:, 2].astype(int)
        most = int(used.max())
        x = np.zeros((n, max(xp.shape[1], 3 + 2 * (most + 1))))
        x[:, : xp.shape[1]] = xp
        point = np.random.random(n) * (t + 1.0)
        label = (x[:, 3 : 3 + 2 * most : 2].cumsum(axis=1) <= point[:, None]).sum(axis=1)
        np.minimum(label, used, out=label)
        fresh = (label == used).nonzero()[0]
        x[fresh, 4 + 2 * label[fresh]] = self.prior_sd * np.random.standard_normal(len(fresh))
        x[fresh, 2] += 1
        x[np.arange(n), 3 + 2 * label] += 1
        x[:, 0] = label
        if t == 1:
            x[:, 1] = label
        return x

    def logG(self, t, xp, x):
        mean = x[np.arange(len(x)), 4 + 2 * x[:, 0].astype(int)]
        return -0.5 * (mean - self.y[t]) ** 2 - 0.5 * math.log(2 * math.pi)


def model_of(model: str, arrays: dict[str, Array], prior_sd: float = 3.0) -> particles.FeynmanKac:
    match model:
        case "nlss":
            return ssm.Bootstrap(ssm=Nlss(), data=np.concatenate([[0.0], arrays["y"]]))
        case "lgss":
            return Lgss(arrays["C"], arrays["y"])
        case "hmm":
            return Hmm(arrays)
    return CrpMixture(arrays["y"], prior_sd)


def smc(model: str, arrays: dict[str, Array], n: int, prior_sd: float = 3.0) -> Sweep:
    fk = model_of(model, arrays, prior_sd)
    run = particles.SMC(fk=fk, N=n, resampling="multinomial", ESSrmin=1.0)
    run.run()
    if model == "lgss":
        predicts = {"omega": run.X[:, 0], "q": run.X[:, 1]}
    elif model == "crp":
        predicts = {"(class 1)": run.X[:, 1], "classes": run.X[:, 2]}
    else:
        last = f"(state {len(arrays['y']) - 1})" if model == "hmm" else f"(x {len(arrays['y'])})"
        predicts = {last: run.X}
    return Sweep(float(run.logLt), run.W, predicts)


def start(model: str, arrays: dict[str, Array]) -> list[Any]:
    """A path to retain."""
    run = particles.SMC(fk=model_of(model, arrays), N=16, resampling="multinomial", store_history=True)
    run.run()
    return run.hist.extract_one_trajectory()


def icsmc(model: str, arrays: dict[str, Array], n: int, old: list[Any]) -> list[Any]:
    """One sweep of conditional SMC: the next path to retain. Not for the mixture, whose states grow."""
    run = CSMC(fk=model_of(model, arrays), N=n, ESSrmin=1.0, xstar=old)
    run.run()
    return run.hist.extract_one_trajectory()
