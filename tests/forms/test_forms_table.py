"""One row for each form, name and family: it has its exact answer in every engine, and an example in the documentation.
Whoever adds a form without a row is told here.

Nothing is left to chance: the posterior by enumeration is that of a Python twin; the reference and lanes have one law;
lmh leaves it invariant; machine code does the sweeps of lanes, and is not used where `LANES` says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.docs.blocks import ROOT, blocks_of
from tests.engine.test_lmh import bias
from tests.engine.test_places import agree, lane_law, reference_law
from tests.general.test_engines import assert_same, by_both, needs_machine
from tests.share import share

from pplc import compile_text, load
from pplc.languages.forms import SPECIAL, STATEMENTS, Group, Name
from pplc.passes.namespaces import every_form
from pplc.passes.read import read
from pplc.source import Source
from pplc_runtime.program.constructors import CONSTRUCTORS, PROCESS_CONSTRUCTORS
from pplc_runtime.running import general

from .families import CONTINUOUS, DISCRETE, PROCESSES
from .names import NAMES
from .programs import PROGRAMS
from .rows import Row
from .special_forms import EXPRESSIONS
from .special_forms import STATEMENTS as OF_STATEMENTS

ROWS: Final[dict[str, Row]] = {
    **{f"({word} ...)": row for word, row in EXPRESSIONS.items()},
    **{f"[{word} ...]": row for word, row in OF_STATEMENTS.items()},
    **PROGRAMS,
    **CONTINUOUS,
    **DISCRETE,
    **PROCESSES,
    **NAMES,
}
PART: Final = "(defn from-part [x] (+ (* 3 x) 1))"
ALONE: Final = [name for name in ROWS if "include" not in name]
"""What is in no file cannot include one."""
NOT_BY_KERNEL: Final = {"zero-inflated", "truncated counts"}
"""Their draws take numbers, where the enumerated kernel wants decisions."""
LANES: Final = {
    "(quote ...)", "(when-let ...)", "(letrec ...)", "(when ...)", "(when-not ...)", "(or ...)",
    "(do ...)", "(for ...)", "(doseq ...)", "(observe ...)", "(observe* ...)", "[defn ...]", "defdist", "defproc",
    "produce", "CRP", "GP", "DPmem", "conditional", "query", "print", "von-mises", "wishart", "inverse-wishart", "lkj",
    "lkj-cholesky", "truncated", "vectors", "categorical", "categorical by pairs", "dirac",
    "hypergeometric", "multinomial", "zero-inflated", "truncated counts", "censored counts", "dp", "cdf",
    "quantile", "support", "expectation", "softmax", "logsumexp", "group-by",
    "update-in", "repeatedly", "partition-by", "juxt", "frequencies",
}  # fmt: skip
"""Rows whose program is run by lanes: something in it has no machine code."""


def test_every_form_has_a_row() -> None:
    assert set(EXPRESSIONS) == set(SPECIAL)
    assert set(OF_STATEMENTS) >= set(STATEMENTS)
    assert {*CONTINUOUS, *DISCRETE} >= set(CONSTRUCTORS)
    assert set(PROCESSES) == {*PROCESS_CONSTRUCTORS, "gp"}


def test_every_form_has_an_example() -> None:
    """What a form, a family or a process of docs/language.md does is shown there by a program that is run."""
    blocks = [block for block in blocks_of(ROOT / "docs" / "language.md") if block.language == "clojure"]
    groups = [
        group
        for block in blocks
        if not block.words
        for form in read(Source("m.clj", block.text))
        for group in every_form(form)
        if isinstance(group, Group) and group.items
    ]
    shown = {group.items[0].text for group in groups if isinstance(group.items[0], Name)}
    wanted = {*SPECIAL, *STATEMENTS, *OF_STATEMENTS, *CONSTRUCTORS, *PROCESSES}
    assert sorted(wanted - shown) == []


@pytest.mark.parametrize("name", ROWS)
def test_exact(name: str, tmp_path: Path) -> None:
    (tmp_path / "part.clj").write_text(PART)
    (tmp_path / "model.clj").write_text(ROWS[name].program)
    posterior = load(tmp_path / "model.clj").infer("enumerate")
    masses = ROWS[name].masses()
    total = math.fsum(masses.values())
    (label,) = posterior.labels
    assert _rounded(posterior.probabilities(label)) == pytest.approx(
        _rounded({value: mass / total for value, mass in masses.items()}), abs=1e-11
    )
    assert posterior.log_evidence == pytest.approx(math.log(total), abs=1e-11)


def _rounded(probabilities: Mapping[Any, float]) -> dict[Any, float]:
    """What is possible, with numbers that rounding does not tell apart."""
    found: defaultdict[Any, float] = defaultdict(float)
    for value, p in probabilities.items():
        found[round(float(value), 9)] += p
    return {value: p for value, p in found.items() if p > 0.0}


@pytest.mark.parametrize("name", share(ALONE, 3))
def test_one_law(name: str) -> None:
    program = ROWS[name].program
    if name not in CONTINUOUS:
        agree(program)
    if name not in NOT_BY_KERNEL:
        assert reference_law(program) == pytest.approx(lane_law(program), rel=1e-11)
        assert bias(program) < 1e-12


@needs_machine
@pytest.mark.parametrize("name", ALONE)
def test_which_has_machine_code(name: str) -> None:
    told = compile_text(ROWS[name].program).program.machine_code({}).sentence()
    assert told.startswith("no machine code: " if name in LANES else "machine code, "), told


@needs_machine
@pytest.mark.parametrize("name", share([name for name in ALONE if name not in LANES], 4))
def test_one_sweep(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "LEAST_WORK", 0)
    for method in ("smc", "pgas"):
        assert_same(*by_both(ROWS[name].program, method, monkeypatch, particles=8, sweeps=4))
