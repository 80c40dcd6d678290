"""The hand-written samplers against exact answers: what pplc is compared with must be right.

Evidence is averaged over sweeps; means of chains have errors from batches of sweeps. A difference of more
than four standard errors fails.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from tests.posteriors.exact import ANSWERS

from benchmarks import models
from benchmarks.by_hand import crp, hmm, lgss, nlss, plain
from benchmarks.by_hand.sweep import Sweep

Estimate = tuple[str, float, float, float]
"""What, its estimate, the standard error, and the exact answer."""


def evidence(name: str, logs: list[float], exact: float) -> Estimate:
    values = np.exp(np.array(logs) - max(logs))
    error = float(values.std(ddof=1) / math.sqrt(len(values)) / values.mean())
    return f"{name}: log evidence", max(logs) + math.log(values.mean()), error, exact


def average(name: str, values: list[float], exact: float, batches: int = 20) -> Estimate:
    means = np.array([batch.mean() for batch in np.array_split(np.array(values, dtype=float), batches)])
    return name, float(means.mean()), float(means.std(ddof=1) / math.sqrt(batches)), exact


def chain(sweep: Callable[[Any], tuple[Sweep, Any]], state: Any, count: int, burn_in: int) -> list[Sweep]:
    found = []
    for _ in range(count + burn_in):
        given, state = sweep(state)
        found.append(given)
    return found[burn_in:]


def estimates() -> Iterator[Estimate]:
    rng = np.random.default_rng(20)
    kalman, nonlinear = models.lgss().arrays, models.nlss().arrays
    exact = ANSWERS["kalman"]
    sweeps = [lgss.smc(kalman, 4000, rng) for _ in range(60)]
    yield evidence("lgss smc", [s.log_evidence for s in sweeps], exact.log_evidence)
    for method, n, count in ((lgss.icsmc, 500, 600), (lgss.pgas, 20, 3000)):
        run = chain(lambda old, m=method, n=n: m(kalman, n, rng, old), lgss.start(kalman, rng), count, 100)
        for label in ("omega", "q"):
            name = f"lgss {method.__name__} {n}: {label}"
            yield average(name, [s.mean(label) for s in run], exact.means[label])
    exact = ANSWERS["nonlinear_ssm"]
    sweeps = [nlss.smc(nonlinear, 4000, rng) for _ in range(60)]
    yield evidence("nlss smc", [s.log_evidence for s in sweeps], exact.log_evidence)
    for method, n, count in ((nlss.icsmc, 500, 600), (nlss.pgas, 20, 4000)):
        first = nlss.start(nonlinear, rng)
        run = chain(lambda old, m=method, n=n: m(nonlinear, n, rng, old), first, count, 100)
        for label in ("(x 1)", "(x 50)", "(x 100)"):
            name = f"nlss {method.__name__} {n}: {label}"
            yield average(name, [s.mean(label) for s in run], exact.means[label])
    y, plain_rng = nonlinear["y"].tolist(), random.Random(20)
    old, values = plain.nlss_start(y, plain_rng), []
    for _ in range(1000):
        _, old = plain.nlss_icsmc(y, 100, plain_rng, old)
        values.append(old[100])
    yield average("nlss plain icsmc 100: (x 100)", values[100:], exact.means["(x 100)"])
    exact = ANSWERS["infinite_mixture"]
    seen = {"y": models.literal((models.PROGRAMS / "infinite_mixture.clj").read_text(), "y")}
    sweeps = [crp.smc(seen, 2000, rng, prior_sd=1.0) for _ in range(100)]
    yield evidence("crp smc", [s.log_evidence for s in sweeps], exact.log_evidence)
    yield average("crp smc: classes", [s.mean("classes") for s in sweeps], exact.means["classes"])
    logs = [plain.crp_smc(seen["y"].tolist(), 500, plain_rng, 1.0)[0] for _ in range(200)]
    yield evidence("crp plain smc", logs, exact.log_evidence)
    exact = ANSWERS["hmm"]
    text = (models.PROGRAMS / "hmm.clj").read_text()
    arrays = {name: models.literal(text, name) for name in ("initial", "transition", "means", "y")}
    sweeps = [hmm.smc(arrays, 2000, rng) for _ in range(1000)]
    yield evidence("hmm smc", [s.log_evidence for s in sweeps], exact.log_evidence)
    yield average("hmm smc: (state 0)", [s.mean("(state 0)") for s in sweeps], exact.means["(state 0)"])
    for method, n, count in ((hmm.icsmc, 20, 4000), (hmm.pgas, 5, 4000)):
        run = chain(lambda old, m=method, n=n: m(arrays, n, rng, old), hmm.start(arrays, rng), count, 100)
        name = f"hmm {method.__name__} {n}: (state 0)"
        yield average(name, [s.mean("(state 0)") for s in run], exact.means["(state 0)"])


def check() -> bool:
    good = True
    for name, estimate, error, exact in estimates():
        off = abs(estimate - exact) / error
        good = good and off < 4.0
        verdict = "ok" if off < 4.0 else "WRONG"
        print(f"{name:34} {estimate:12.4f} +- {error:.4f}  exact {exact:12.4f}  {verdict}")
    return good
