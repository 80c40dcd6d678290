"""The models that people bring: their headers, and what two methods make of them, against answers by other means."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest
from tests.share import share

from .answer import PROGRAMS, Answer
from .brought_models import SOLVERS
from .test_methods import Options, check

MODELS: Final = sorted((PROGRAMS / "models").glob("*.clj"))
RUNS: Final[dict[str, tuple[str, Options]]] = {
    "smc": ("smc", {"particles": 2000, "sweeps": 20}),
    "chain": ("pgas(paths, 10) + lmh*5", {"sweeps": 200}),
}
OTHERWISE: Final[dict[tuple[str, str], tuple[str, Options]]] = {("sir", "chain"): ("rw", {"sweeps": 4000})}
"""Models for which proposals from the prior are too far off."""


@cache
def answer_of(stem: str) -> Answer:
    return SOLVERS[stem](1.0)


def test_every_model_has_an_answer() -> None:
    assert [path.stem for path in MODELS] == sorted(SOLVERS)


@pytest.mark.parametrize("stem", share(SOLVERS, 3))
def test_model_states_its_answer(stem: str) -> None:
    """Every number of the header is right to the digits shown, and does not come from too coarse a grid."""
    text = (PROGRAMS / "models" / f"{stem}.clj").read_text()
    answer, coarse = answer_of(stem), SOLVERS[stem](0.5)
    stated = dict(re.findall(r"^;   E\[(.*)\] = (\S+)$", text, re.MULTILINE))
    labels = re.findall(r'^\[predict (?:"([^"]*)" .*|(.*))\]$', text, re.MULTILINE)
    assert set(stated) == set(answer.means) == {given or own for given, own in labels}
    for label, number in stated.items():
        assert float(number) == pytest.approx(answer.means[label], abs=0.51e-4), label
        assert coarse.means[label] == pytest.approx(answer.means[label], abs=1e-4), label
    evidence = re.search(r"^;   log evidence = (\S+)$", text, re.MULTILINE)
    assert evidence is not None
    assert float(evidence[1]) == pytest.approx(answer.log_evidence, abs=0.51e-4)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("stem", share(SOLVERS, 7))
def test_methods_have_that_answer(stem: str, run: str) -> None:
    method, options = OTHERWISE.get((stem, run), RUNS[run])
    check((PROGRAMS / "models" / f"{stem}.clj").read_text(), method, options, answer_of(stem), seed=1)
