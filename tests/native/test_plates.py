"""Loops over pieces of one form: the density and its derivatives are those of the pieces one by one."""

from __future__ import annotations

import numpy as np
import pytest

from pplc import compile_text
from pplc_runtime.machine.machine import Interpreted, is_available
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced

from .test_joint import MACHINE

PRIOR = """[assume a (sample (normal 0 2))] [assume b (sample (normal 0 2))] [assume s (sample (gamma 3 2))]
[assume w (sample (dirichlet [2 1 3]))]"""
MODELS = {
    "a regression": "[for [i (range 7)] [observe (normal (+ a (* b i)) s) (* 0.3 i i)]]",
    "coins": "[for [i (range 6)] [observe (flip-logit (+ a (* b (- i 2.5)))) (< i 4)]]",
    "words": "[for [i [0 1 2 1 0 2]] [observe (discrete w) i]]",
    "groups": """[assume g (mem (lambda (i) (sample (normal a s))))]
    [for [i (range 5)] [observe (normal (g i) 1) (* 0.5 i)] [observe (student-t 3 (+ (g i) b) s) i]]""",
    "a path": """[assume x (mem (lambda (t) (if (< t 1) 0.1 (sample (normal (* b (x (dec t))) s)))))]
    [for [t (range 1 7)] [observe (normal a (exp (/ (x t) 4))) (* 0.2 t)]]""",
}


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_density_and_derivatives(name: str, noise: bool) -> None:
    with np.errstate(all="ignore"):
        plan = compile_text(f"{PRIOR} {MODELS[name]} [predict a]").program.plan({})
        machine = MACHINE if is_available() else Interpreted
        joint = Joint(specialised(traced(plan)), machine, noise, True)
        assert joint.leaves.rows and all(len(rows) >= 4 for rows in joint.leaves.rows)
        x = joint.layout.written(Trace(plan, {}, np.random.default_rng(5)).values)
        joint.log_density(x)  # which finds the noise
        sites = sites_of(joint, lambda at: True, "nuts")
        fields = {**joint.fields(x), **site_fields(joint, sites, "nuts")}
        code = machine(joint.text, frozenset({"at_once", "gradient", "rescored"}))
        record = code.record("Moves", fields)
        one_by_one = float(code["rescored"](record, len(sites)))
        code["gradient"](record)
        derivatives = fields["G"].copy()
        fields["G"][:] = 17.0
        assert float(code["at_once"](record)) == pytest.approx(one_by_one, rel=1e-12)
        places = [site.place for site in sites]
        assert fields["G"][places] == pytest.approx(derivatives[places], rel=1e-9)


def test_what_is_impossible_is_found_in_the_order_of_the_program() -> None:
    """The loop has no density where one piece has none, or something is wrong."""
    text = """[assume a (sample (normal 0 1))] [assume b (sample (normal 0 1))]
    [for [i (range 5)] [observe (uniform-continuous (- a 1) (+ b 5)) i]] [predict a]"""
    plan = compile_text(text).program.plan({})
    machine = MACHINE if is_available() else Interpreted
    joint = Joint(specialised(traced(plan)), machine, False, True)
    places = [joint.layout.offsets[draw.result] for draw in joint.layout.draws]
    sites = sites_of(joint, lambda at: True, "nuts")
    code = machine(joint.text, frozenset({"at_once", "rescored"}))
    for values, expected in (((0.0, 0.0), True), ((1.5, 0.0), False), ((7.0, 0.0), False)):
        x = np.zeros(joint.layout.size)
        x[places] = values
        fields = {**joint.fields(x), **site_fields(joint, sites, "nuts")}
        record = code.record("Moves", fields)
        with np.errstate(all="ignore"):
            assert np.isfinite(float(code["at_once"](record))) == expected
            assert np.isfinite(float(code["rescored"](record, len(sites)))) == expected
