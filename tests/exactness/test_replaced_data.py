"""Data that are replaced: the program does what it would do with those values written in it, on every engine."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pplc.model import Model, compile_text
from pplc_runtime.exactness.simulate import NotSimulated, simulate
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.posterior import Posterior

LOOP = """
[assume mu (sample (normal 0 2))]
[for [y {}] [observe (normal mu 1) y]]
[predict mu]
"""
LITERALS = """
[assume p (sample (beta 1 1))]
[observe (flip p) {}] [observe (flip p) {}] [observe (binomial 5 p) {}]
[predict p]
"""
PROCESS = """
[assume c (crp 1.5)] [assume first (sample c)] [assume a (sample c)]
[observe c {}] [observe (normal (if (= a 0) 1 -1) 1) {}]
[predict a]
"""
CASES = [(LOOP, ("[1 2 3]",), ("[0.5 -1.5 2.5]",)), (LITERALS, ("true", "true", 5), ("false", "true", 2)),
         (PROCESS, (0, 1.0), (1, -0.5))]  # fmt: skip


def draws(posterior: Posterior) -> list[Any]:
    return [
        [sweep.log_weights.tolist(), *(np.asarray(column).tolist() for column in sweep.predicts.values())]
        for sweep in posterior.sweeps
    ]


def values_of(arguments: tuple[Any, ...]) -> list[Any]:
    words = " ".join(str(each) for each in arguments).replace("[", "").replace("]", "").split()
    return [json.loads(word) for word in words]


def replaced(model: Model, values: list[Any]) -> Model:
    """The model with other data."""
    plan = model.program.plan({})
    found = model.program.once(lambda: simulate(plan, Key.of(0), 2), 1000)
    other = compile_text(model.compiled.source.text)
    other.program = other.program.with_data([(at, value) for (at, _), value in zip(found.columns, values, strict=True)])
    return other


@pytest.mark.parametrize("text, before, after", CASES)
@pytest.mark.parametrize(
    "method, engine", [("pgas", "lanes"), ("smc", "lanes"), ("lmh", "lanes"), ("pgas", "reference")]
)
def test_same_as_written(text: str, before: Any, after: Any, method: str, engine: str) -> None:
    settings: dict[str, Any] = {"sweeps": 12, "seed": 3, "particles": 5 if method != "lmh" else 1, "engine": engine}
    written = compile_text(text.format(*after)).infer(method, **settings)
    given = replaced(compile_text(text.format(*before)), values_of(after)).infer(method, **settings)
    assert draws(given) == draws(written)
    assert draws(given) != draws(compile_text(text.format(*before)).infer(method, **settings))


@pytest.mark.parametrize("text, before, after", CASES[:2])
def test_same_as_written_in_machine_code(text: str, before: Any, after: Any) -> None:
    written = compile_text(text.format(*after)).infer("rw", sweeps=20, seed=3)
    given = replaced(compile_text(text.format(*before)), values_of(after)).infer("rw", sweeps=20, seed=3)
    assert draws(given) == draws(written)
    assert np.allclose(given.log_likelihood(), written.log_likelihood())


@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_same_as_written_in_machine_code_of_programs_in_general(method: str) -> None:
    """The process makes it a program without static structure; there are enough sweeps that it is compiled."""
    text, before, after = CASES[2]
    settings: dict[str, Any] = {"sweeps": 600, "seed": 3, "particles": 20}
    written = compile_text(text.format(*after))
    driver = written.program.drivers(method, {}).of(Settings(20, 600))
    assert driver.general is not None
    given = replaced(compile_text(text.format(*before)), values_of(after)).infer(method, **settings)
    assert draws(given) == draws(written.infer(method, **settings))


def test_observes_inside_of_expressions() -> None:
    text = "[assume mu (sample (normal 0 1))] [assume f (lambda (y) (observe (normal mu 1) y))] [predict (+ mu (f {}))]"
    written = compile_text(text.format(1.5)).infer("lmh", sweeps=20, seed=3)
    given = replaced(compile_text(text.format(-2)), [1.5]).infer("lmh", sweeps=20, seed=3)
    assert draws(given) == draws(written)


@pytest.mark.parametrize("text, why", [
    ("[assume x (sample (normal 0 1))] [factor (- x)] [predict x]", "no data"),
    ("[assume x (sample (flip 0.5))] [predict (if x (observe (normal 0 1) 1) 2)]", "depends on what is drawn"),
])  # fmt: skip
def test_what_cannot_be_simulated(text: str, why: str) -> None:
    program = compile_text(text).program
    with pytest.raises(NotSimulated, match=why):
        program.once(lambda: simulate(program.plan({}), Key.of(0), 20), 1000)


def test_simulated_data_have_their_law() -> None:
    """mu ~ N(0, 2), y ~ N(mu, 1): y has variance 5 and covariance 4 with mu. Within 5 standard errors."""
    program = compile_text(LOOP.format("[0]")).program
    found = program.once(lambda: simulate(program.plan({}), Key.of(7), 20_000), 1000)
    mu, y = np.asarray(found.predicts["mu"]), np.asarray(found.columns[0][1])
    covariance = np.cov(mu, y)
    assert abs(covariance[1, 1] - 5) < 5 * 5 * np.sqrt(2 / 20_000)
    assert abs(covariance[0, 1] - 4) < 5 * np.sqrt((4 * 5 + 16) / 20_000)
    exact = -0.5 * ((y - mu) ** 2 + np.log(2 * np.pi))
    assert np.allclose(found.log_likelihood, exact)
