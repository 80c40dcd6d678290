"""Programs of the paper's own system as they are: the exact law by three evaluators, and by the command."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path

import pytest
from tests.engine.plainly import law, written
from tests.engine.test_places import lane_law, reference_law

import pplc
from pplc.cli import main

from . import own, programs
from .programs import Finite

FINITE = programs.FINITE | own.PROGRAMS


def marginals(joint: dict[str, float]) -> dict[str, dict[str, float]]:
    total = math.fsum(joint.values())
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for outcome, weight in joint.items():
        for label, value in json.loads(outcome).items():
            found[label][json.dumps(value)] += weight / total
    return {label: dict(values) for label, values in found.items()}


def expected(program: Finite) -> dict[str, dict[str, float]]:
    return {
        label: {json.dumps(json.loads(written({"": value}))[""]): float(p) for value, p in values.items() if p}
        for label, values in program.answers.items()
    }


@pytest.mark.parametrize("name", FINITE)
def test_the_law_is_exact(name: str) -> None:
    program = FINITE[name]
    core = pplc.compile_text(program.text, "m.clj", program.query).compiled.analysis.program
    found = marginals(law(core))
    answers = expected(program)
    assert found.keys() == answers.keys()
    for label, values in answers.items():
        assert found[label] == pytest.approx(values, rel=1e-12), label


@pytest.mark.parametrize("name", [name for name, program in FINITE.items() if program.query is None])
def test_both_engines_have_that_law(name: str) -> None:
    source = FINITE[name].text
    exact = law(pplc.compile_text(source).compiled.analysis.program)
    for engine, found in (("reference", reference_law(source)), ("lanes", lane_law(source))):
        assert found == pytest.approx(exact, rel=1e-12), engine


GAUSS = """
(ns gauss (:use [anglican core runtime]))
(defm spread [] (Math/sqrt 1))
(defquery mean [data]
  (let [mu (sample (normal 0 1))]
    (doseq [y data] (observe (normal mu (spread)) y))
    (predict :twice (* 2 mu))
    mu))
"""


def test_a_query_from_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Normal data 1 and 2 about a standard normal mean: N(1, 1/3)."""
    model = tmp_path / "gauss.clj"
    model.write_text(GAUSS + "(defquery other [] 1)")
    options = ["--set", "data=[1.0, 2.0]", "--method", "smc", "--particles", "4000", "--seed", "1"]
    assert main(["infer", str(model), "--query", "mean", *options]) == 0
    assert main(["infer", str(model), "--query", "men", *options]) == 1
    assert "there is no query 'men' in this file; there are mean, other" in capsys.readouterr().err
    posterior = pplc.load(model, "mean").infer("smc", data={"data": [1.0, 2.0]}, particles=4000, sweeps=4, seed=1)
    assert posterior.mean("mean") == pytest.approx(1.0, abs=0.04)  # eight standard errors
    assert posterior.mean(":twice") == pytest.approx(2.0, abs=0.08)
    exact = -math.log(2 * math.pi) - 0.5 * math.log(3) - 1
    assert posterior.log_evidence == pytest.approx(exact, abs=0.05)


GP = """
[assume kernel (lambda (x y) (exp (- (/ (square (- x y)) 2))))]
[assume f (GP (lambda (x) 1.0) kernel)]
[observe ((produce f) 0.0) 2.0]
[assume g (absorb f [0.0 2.0])]
[observe ((produce g) 1.0) 0.5]
(define h (absorb g [1.0 0.5]))
[predict "known" (sample ((produce h) 0.0))]
[predict "new" (sample ((produce h) 0.5))]
"""


@pytest.mark.parametrize("engine", ["lanes", "reference"])
def test_a_gaussian_process_that_produces_and_absorbs(engine: str) -> None:
    """The evidence is a bivariate normal density, and a new point is normal given the two."""
    c = math.exp(-0.5)
    a, b = 1.0, -0.5  # what the data are above the mean
    determinant = 1 - c * c
    evidence = -math.log(2 * math.pi) - 0.5 * math.log(determinant) - (a * a - 2 * c * a * b + b * b) / 2 / determinant
    particles = 4000 if engine == "lanes" else 400
    posterior = pplc.compile_text(GP).infer("smc", engine=engine, particles=particles, sweeps=2, seed=1)
    assert posterior.log_evidence == pytest.approx(evidence, abs=1e-9)
    assert posterior.mean("known") == pytest.approx(2.0, abs=1e-9)
    k = math.exp(-0.125)
    centre = 1 + k * (a + b) / (1 + c)  # both points are as near
    spread = math.sqrt(1 - 2 * k * k / (1 + c))
    assert posterior.mean("new") == pytest.approx(centre, abs=6 * spread / math.sqrt(2 * particles))


def test_a_log_density_as_a_value() -> None:
    """observe* of that system is the log density, where the language has one."""
    from pplc_runtime.program.names import SIGNATURES

    text = "[predict (observe* (normal 0 1) 0)]"
    if "logpdf" not in SIGNATURES:
        with pytest.raises(pplc.CompileError, match="there is no log density as a value"):
            pplc.compile_text(text)
        return
    posterior = pplc.compile_text(text).infer("importance", particles=1, sweeps=1, seed=1)
    assert posterior.mean("(observe* (normal 0 1) 0)") == pytest.approx(-0.5 * math.log(2 * math.pi))
