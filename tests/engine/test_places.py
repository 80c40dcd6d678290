"""Observes and draws at every place of every special form and of every procedure that calls procedures.

Each program is finite. Its evidence and the law of its predicts are computed three times, exactly: by the plain
evaluator of `plainly`, by the reference engine and by the lane engine. Densities over several lanes and ancestor
weights are compared as well. More of the random programs: PPLC_LONG=1.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from itertools import count

import pytest
from tests.reference import kernels as reference_kernels
from tests.share import share

from pplc import compile_text
from pplc.languages.forms import SPECIAL
from pplc_runtime.primitives import higher
from pplc_runtime.program.names import SIGNATURES, primitive
from pplc_runtime.reference.higher_order import HIGHER_ORDER
from pplc_runtime.reference.methods import one_lane, planned

from .agreement import ancestor_weights_agree, densities_agree
from .kernels import Kernel
from .placed import generate, programs_for
from .places import CONTINUOUS, TEMPLATES
from .plainly import TooMany, law, written
from .sweeps import compiled

RANDOM = range(600 if os.environ.get("PPLC_LONG") else 60)
MOST = 300
"""Executions of a random program; one that has more is passed over."""


def test_every_form_has_its_places() -> None:
    """Whoever adds a special form, or a procedure that calls procedures, is told here to say what its places are."""
    addressed = {name.removesuffix("-dist") for name, signature in SIGNATURES.items() if signature.addressed}
    own = {name for name in SIGNATURES if primitive(name).function.__module__ == higher.__name__}
    assert {*TEMPLATES, *CONTINUOUS} == {*SPECIAL, *addressed, *own, *HIGHER_ORDER}


def reference_law(source: str) -> dict[str, float]:
    program = compiled(source, in_place=True).reference
    with one_lane():
        run = planned(program)
    found: defaultdict[str, float] = defaultdict(float)
    for particle, weight in reference_kernels.executions(run):
        found[written(particle.predicts(run.segments))] += weight
    return found


def lane_law(source: str) -> dict[str, float]:
    kernel = Kernel(compiled(source).plan)
    found: defaultdict[str, float] = defaultdict(float)
    with kernel.enumerated():
        for _, predicts, weight in kernel.executions():
            found[written(predicts)] += weight
    return found


def small(seed: int) -> str:
    """The first random program that is small enough, and possible."""
    for attempt in count():
        source = generate((seed, attempt))
        try:
            if law(compile_text(source).compiled.analysis.program, MOST):
                return source
        except TooMany:
            continue
    raise AssertionError


def check_laws(source: str) -> None:
    exact = law(compile_text(source).compiled.analysis.program)
    assert math.fsum(exact.values()) > 0.0
    for engine, found in (("reference", reference_law(source)), ("lanes", lane_law(source))):
        assert found == pytest.approx(exact, rel=1e-12), f"{engine}:\n{source}"


@pytest.mark.parametrize("name", share(TEMPLATES, 8))
def test_an_event_at_each_place(name: str) -> None:
    for template in TEMPLATES[name]:
        for source in programs_for(template):
            check_laws(source)


@pytest.mark.parametrize("name", share([*TEMPLATES, *CONTINUOUS], 8))
def test_the_engines_agree_on_each_place(name: str) -> None:
    for template in (TEMPLATES | CONTINUOUS)[name]:
        for source in programs_for(template):
            agree(source)


def agree(source: str) -> None:
    program = compiled(source)
    for lanes in (1, 6):
        densities_agree(program, lanes)
    ancestor_weights_agree(program, 2)


@pytest.mark.parametrize("seed", share(RANDOM, 8))
def test_random_programs(seed: int) -> None:
    source = small(seed)
    check_laws(source)
    agree(source)
