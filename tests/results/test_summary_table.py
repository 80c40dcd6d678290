"""The summary table."""

from __future__ import annotations

import numpy as np
import pytest

from pplc_runtime.results import Column, Posterior, Sweep
from pplc_runtime.results.summary import histogram
from pplc_runtime.values import Map


class Procedure:
    def __str__(self) -> str:
        return "<procedure f>"


def posterior(*, is_chain: bool = False, chains: int = 1, length: int = 30, count: int = 200) -> Posterior:
    rng = np.random.default_rng(1)
    sweeps = []
    for number in range(chains * length):
        log_weights = rng.normal(size=count) / 2
        log_weights -= np.log(np.exp(log_weights).sum()) if is_chain else np.log(count)
        predicts: dict[str, Column] = {
            "omega": rng.normal(2, 0.5, count),
            "(x 1)": rng.normal(size=(2, count)),
            "rain?": rng.random(count) < 0.25,
            "k": rng.integers(0, 4, count),
            "n": rng.poisson(40, count),
            "who": [["ann", "bob"][i] for i in rng.integers(0, 2, count)],
            "f": [Procedure() for _ in range(count)],
            "m": [Map.of(iter([("a", 1.5), ("b", (True, "s"))]))] * count,
        }
        sweeps.append(Sweep(number // length, number % length, log_weights, predicts))
    return Posterior("pgas" if is_chain else "smc", 7, count, chains, sweeps, is_chain)


def test_numbers_and_probabilities() -> None:
    summary = posterior().summary()
    assert [row.label for row in summary.numbers] == ["omega", "(x 1)[0]", "(x 1)[1]", "n", 'm["a"]']
    omega = summary.numbers[0]
    assert omega.mean == pytest.approx(2, abs=0.03) and omega.sd == pytest.approx(0.5, abs=0.03)
    assert omega.low == pytest.approx(2 - 0.82, abs=0.06) and omega.high == pytest.approx(2 + 0.82, abs=0.06)
    rows = {(row.label, row.value): row.probability for row in summary.probabilities}
    assert rows["rain?", "true"] == pytest.approx(0.25, abs=0.03)
    assert rows["k", "3"] == pytest.approx(0.25, abs=0.03)
    assert rows["who", '"ann"'] == pytest.approx(0.5, abs=0.03)
    assert rows["f", "<procedure f>"] == pytest.approx(1)
    assert rows['m["b"][1]', '"s"'] == pytest.approx(1)
    assert summary.notes == ()


def test_the_text() -> None:
    p = posterior()
    text = p.summary().text(100)
    lines = text.splitlines()
    assert lines[0].split() == ["predict", "mean", "sd", "5%", "95%", "eff.", "draws", "1%", "to", "99%"]
    assert lines[1].startswith("omega") and "█" in lines[1]
    assert "log evidence" in text and "±" in text
    assert lines[-1] == "smc: 30 sweeps of 200 particles, seed 7"
    assert "rhat" not in text
    assert str(p.summary()).splitlines()[0] == lines[0]


def test_chains_show_rhat_and_no_evidence() -> None:
    text = posterior(is_chain=True, chains=2).summary().text(120)
    assert "rhat" in text.splitlines()[0] and "log evidence" not in text
    assert "pgas: 60 sweeps of 200 particles, 2 chains, seed 7" in text


@pytest.mark.parametrize("width", [40, 50, 60, 80, 120])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_of_a_table_is_wider_than_the_terminal(width: int, ascii_only: bool) -> None:
    p = posterior(is_chain=True, chains=2)
    summary = Posterior("pgas", 7, 200, 2, p.sweeps, True).summary()
    tables = summary.text(width, ascii_only=ascii_only).split("\n\n")[:2]
    assert max(len(line) for table in tables for line in table.splitlines()) <= width
    assert not ascii_only or all(table.isascii() for table in tables)


def test_long_and_odd_labels() -> None:
    label = "(a very long expression\x1b[31m " + "x " * 100 + ")"
    sweep = Sweep(0, 0, np.zeros(4), {label: np.arange(4.0), "é": np.arange(4.0)})
    p = Posterior("importance", 1, 4, 1, [sweep], False)
    text = p.summary().text(60)
    assert "…" in text and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 60
    assert "\\xe9" in p.summary().text(60, ascii_only=True)


def test_many_components_and_many_values() -> None:
    sweep = Sweep(0, 0, np.zeros(50), {"v": np.zeros((100, 50)), "s": [str(i) for i in range(50)]})
    text = Posterior("importance", 1, 50, 1, [sweep], False).summary().text(80)
    assert "v: 60 more components not shown" in text
    assert "(others)" in text and "0.8000" in text


def test_values_that_are_not_finite() -> None:
    sweep = Sweep(0, 0, np.zeros(3), {"x": np.array([1.0, np.inf, np.nan]), "big": np.array([1e308, -1e308, 0.0])})
    text = Posterior("importance", 1, 3, 1, [sweep], False).summary().text(80)
    assert "nan" in text


def test_few_effective_draws_and_chains_apart_are_noted() -> None:
    log_weights = np.full(100, -50.0)
    log_weights[0] = 0.0
    p = Posterior("importance", 1, 100, 1, [Sweep(0, 0, log_weights, {"x": np.arange(100.0)})], False)
    assert p.summary().notes == ("note: less than one effective draw of x; use more particles",)
    rng = np.random.default_rng(1)
    sweeps = [Sweep(c, n, np.zeros(1), {"x": rng.normal(5 * c, 1, 1)}) for c in range(2) for n in range(100)]
    notes = Posterior("pgas", 1, 1, 2, sweeps, True).summary().notes
    assert any("do not agree" in note for note in notes)


def test_the_histogram_of_ints_has_no_teeth() -> None:
    values = np.repeat(np.arange(17), 10)
    heights = histogram(values, np.full(values.size, 1 / values.size))
    assert len(heights) == 9 and min(heights[:-1]) == pytest.approx(max(heights))
    assert histogram(np.ones(5), np.full(5, 0.2)) == ()
