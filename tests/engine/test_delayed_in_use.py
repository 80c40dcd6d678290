"""Delayed draws in use: the engines, every method, and what cannot be."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from tests.posteriors.answer import PROGRAMS
from tests.posteriors.exact import ANSWERS

from pplc import compile_text, load
from pplc_runtime.specialise.delayed import delayed
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import ModelError

from .sweeps import quietly
from .test_delayed import LINE, MIXED


def test_engines_do_the_same() -> None:
    with quietly():
        plan = delayed(load(PROGRAMS / "kalman.clj").program.plan({}))
        assert scripted(plan).scripts is not None
    model = compile_text(MIXED)
    many = model.infer("smc", particles=20, sweeps=30, seed=1, delayed=True)
    few = model.infer("smc", particles=20, sweeps=5, seed=1, delayed=True)
    assert [s.log_evidence for s in few.sweeps] == pytest.approx([s.log_evidence for s in many.sweeps[:5]])


def test_the_paper_s_program() -> None:
    """The standard deviation of the log evidence of 1,000 particles is 0.3, in place of 1.2 to 2."""
    posterior = load(PROGRAMS / "kalman.clj").infer("smc", particles=1000, sweeps=10, seed=1, delayed=True)
    logs = np.concatenate(posterior.log_estimates())
    assert logs.std(ddof=1) < 0.6 and abs(posterior.log_evidence - ANSWERS["kalman"].log_evidence) < 0.5  # type: ignore[operator]


@pytest.mark.parametrize("method", ["pgas", "nuts", "rw", "pmmh(s, 5)", "pimh", "smc | rw", "importance"])
def test_every_method(method: str) -> None:
    """The noise of a line whose coefficients are integrated out; of ten thousand seeds one would fail by mistake."""
    source = """
    [assume s (sample (gamma 2 2))] [assume a (sample (normal 0 2))] [assume b (sample (normal 1 1))]
    [for [[u y] [[0 1.1] [1 2.0] [2 3.9] [3 3.1]]] [observe (normal (+ a (* b u)) s) y]]
    [predict s]"""
    h = np.array([[1.0, u] for u in range(4)])

    def density(s: float) -> float:
        law = stats.multivariate_normal(h @ [0.0, 1.0], h @ np.diag([4.0, 1.0]) @ h.T + s**2 * np.eye(4))
        return float(stats.gamma(2, scale=0.5).pdf(s) * law.pdf([1.1, 2.0, 3.9, 3.1]))

    evidence = integrate.quad(density, 0.01, 12)[0]
    mean = integrate.quad(lambda s: s * density(s), 0.01, 12)[0] / evidence
    sd = math.sqrt(integrate.quad(lambda s: (s - mean) ** 2 * density(s), 0.01, 12)[0] / evidence)
    options: dict[str, Any] = {} if method in ("smc | rw", "importance") else {"burn_in": 100}
    posterior = compile_text(source).infer(method, seed=2, sweeps=300 if options else 10, delayed=True, **options)
    effective = posterior.effective_draws("s")
    assert effective > 15 and abs(posterior.mean("s") - mean) < 4 * sd / math.sqrt(effective)


def test_what_cannot_be() -> None:
    model = compile_text("[assume a (sample (flip 0.5))] [assume b (if a (sample (normal 0 1)) 1)] [predict b]")
    with pytest.raises(ModelError, match="draws are delayed in programs in which every execution"):
        model.infer("smc", particles=10, sweeps=1, seed=1, delayed=True)
    line = compile_text(LINE)
    with pytest.raises(ValueError, match="delayed: prior has none"):
        line.infer("prior", delayed=True)
    with pytest.raises(ModelError, match="cannot be run again"):
        line.infer("smc", particles=10, sweeps=2, seed=1, delayed=True).log_likelihood()
    with pytest.raises(ModelError, match="sd must be a positive number"):
        compile_text("[assume s (sample (normal 0 1))] [observe (normal 0 s) 1] [predict s]").infer(
            "smc", particles=10, sweeps=1, seed=1, delayed=True
        )
    with pytest.raises(ModelError, match=":1:32: error: all weights are zero"):
        compile_text("[assume p (sample (beta 1 1))] [observe (binomial 3 p) 5] [predict p]").infer(
            "smc", particles=10, sweeps=1, seed=1, delayed=True
        )
    with pytest.raises(ModelError, match=r":1:\d+: error"):
        compile_text("[assume p (sample (normal 1 0))] [predict p]").infer("smc", sweeps=1, seed=1, delayed=True)
