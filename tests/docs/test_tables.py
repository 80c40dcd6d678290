"""The tables of docs/language.md name every procedure, distribution and process, with what it takes."""

from __future__ import annotations

import re
from typing import Final

from pplc.passes.library import LIBRARY
from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.processes import PROCESSES
from pplc_runtime.program.composites import COMPOSITES
from pplc_runtime.program.constructors import CONSTRUCTORS, PROCESS_CONSTRUCTORS, WEIGHTING_CONSTRUCTORS, parameters_of
from pplc_runtime.program.names import CONSTANTS, SIGNATURES

from .blocks import ROOT

TEXT: Final = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
_NAME: Final = re.compile(r"`([^`]+)`")


def _rows(section: str) -> dict[str, list[str]]:
    """The rows of the tables in a section: each name in the first column, with the other columns."""
    start = TEXT.index(f"\n## {section}\n")
    end = TEXT.find("\n## ", start + 1)
    rows: dict[str, list[str]] = {}
    for line in TEXT[start : end if end > 0 else None].splitlines():
        if line.startswith("| `"):
            first, *others = [cell.strip() for cell in line.strip("|").split(" | ")]
            for name in _NAME.findall(first):
                assert name not in rows, f"{name} is listed twice"
                rows[name] = others
    return rows


def _arity(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def test_every_primitive_is_listed_with_its_arity() -> None:
    stochastic = {*CONSTRUCTORS, *PROCESS_CONSTRUCTORS, *WEIGHTING_CONSTRUCTORS, "gp"}
    names = [name for name in SIGNATURES if name.removesuffix("-dist") not in stochastic]
    expected = {name: _arity(SIGNATURES[name].least, SIGNATURES[name].most) for name in names}
    assert {name: row[0] for name, row in _rows("Primitives").items()} == expected


def test_every_name_of_clojure_is_listed() -> None:
    assert set(_rows("Names of Clojure")) == set(LIBRARY)


def test_every_distribution_is_listed_with_its_parameters() -> None:
    rows = _rows("Distributions")
    assert set(rows) == set(CONSTRUCTORS)
    for name, composite in COMPOSITES.items():
        assert rows[name][0] == ", ".join(composite.parameters), name
    for name, family in DISTRIBUTIONS.items():
        if name != "discrete":
            assert rows[name][0] == ", ".join(parameter.name for parameter in family.parameters), name


def test_every_process_is_listed_with_its_parameters() -> None:
    rows = _rows("Processes")
    assert set(rows) == {*PROCESS_CONSTRUCTORS, "gp"}
    for name in PROCESSES:
        assert rows[name][0] == ", ".join(parameters_of(name)), name


def test_every_distribution_has_a_second_name() -> None:
    for name in (*CONSTRUCTORS, *PROCESS_CONSTRUCTORS, "gp"):
        assert SIGNATURES[name] == SIGNATURES[f"{name}-dist"]


def test_every_constant_is_named() -> None:
    for name in CONSTANTS:
        assert f"`{name}`" in TEXT
