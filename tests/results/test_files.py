"""Draws in files: what is written is read again, by us and by others."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import pplc
from pplc.cli import OK, USAGE, main
from pplc_runtime.results import Posterior, Sweep
from pplc_runtime.results.reading import BadFile, read_draws
from pplc_runtime.values import Map, Symbol

ENDINGS: Final = (".jsonl", ".csv", ".parquet", ".nc")
LIBRARY: Final = {".parquet": "pyarrow", ".nc": "h5netcdf"}
Captured = pytest.CaptureFixture[str]


def needs(ending: str) -> None:
    if ending in LIBRARY:
        pytest.importorskip(LIBRARY[ending])


def posterior(is_chain: bool) -> Posterior:
    rng = np.random.default_rng(1)
    sweeps = []
    for n in range(40):
        weights = rng.random(6) * (1 if is_chain or n % 7 else 3)
        weights[rng.random(6) < 0.2] = 0
        if n == 3 and not is_chain:
            weights[:] = 0
        if is_chain:
            weights /= weights.sum()
        predicts: dict[str, Any] = {
            "omega": rng.normal(size=6),
            "(/ a b)": rng.normal(size=(2, 6)),
            "k": rng.poisson(3, 6),
            "b?": rng.random(6) < 0.5,
            "s": ["1", "true", 'a "b", c', "", "é\n", "nil"],
            "x": np.array([np.nan, np.inf, -np.inf, 1e-300, 0.1, 1 / 3]),
        }
        with np.errstate(divide="ignore"):
            sweeps.append(Sweep(n // 20, n % 20, np.log(weights), predicts if weights.any() else {}))
    return Posterior("pgas" if is_chain else "importance", 7, 6, 2, sweeps, is_chain)


@pytest.mark.parametrize("is_chain", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(ending: str, is_chain: bool, tmp_path: Path) -> None:
    needs(ending)
    before = posterior(is_chain)
    path = tmp_path / f"draws{ending}"
    before.save(path)
    after = read_draws(path)
    assert list(tmp_path.iterdir()) == [path]
    assert after.is_chain == is_chain and after.chains == 2
    label = "(∕ a b)" if ending == ".nc" else "(/ a b)[1]" if ending in (".csv", ".parquet") else "(/ a b)"
    assert {"omega", "k", "b?", "s", "x", label} <= set(after.labels)
    assert after.mean("omega") == pytest.approx(before.mean("omega"), rel=1e-12)
    assert after.probabilities("s") == pytest.approx(before.probabilities("s"))
    assert after.probabilities("b?") == pytest.approx(before.probabilities("b?"))
    assert after.quantile("k", 0.3) == before.quantile("k", 0.3)
    x = np.asarray(after.values("x")[0])
    assert np.array_equal(np.sort(x), np.sort(np.asarray(before.values("x")[0])), equal_nan=True)
    whole = np.asarray(before.values("(/ a b)")[0])
    found = np.asarray(after.values(label)[0])
    assert np.sort(found.ravel()) == pytest.approx(np.sort((whole[:, 1] if found.ndim == 1 else whole).ravel()))
    if ending != ".csv":
        assert after.method == before.method and after.seed == 7 and after.particles == 6
        assert after.log_evidence == (None if is_chain else pytest.approx(before.log_evidence))
        if ending == ".jsonl":
            assert str(after) == str(before)
    with pytest.raises(ValueError, match="file"):
        after.log_likelihood()


def test_a_csv_is_one_for_others(tmp_path: Path) -> None:
    before = posterior(True)
    before.save(tmp_path / "d.csv")
    with open(tmp_path / "d.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["chain", "sweep", "particle", "log_weight"]
    weights = np.exp([float(row["log_weight"]) for row in rows])
    omega = np.array([float(row["omega"]) for row in rows])
    assert float(weights @ omega / weights.sum()) == pytest.approx(before.mean("omega"))
    assert {row["b?"] for row in rows} == {"true", "false"}


def test_maps_lists_and_symbols(tmp_path: Path) -> None:
    values: list[Any] = [Map.of([("a", 1), ("b", None)]), Symbol(":k"), (1, "x"), None, True]
    draws = Posterior("pgas", 1, 5, 1, [Sweep(0, 0, np.full(5, -math.log(5)), {"v": values})], True)
    for ending in ENDINGS:
        if ending in LIBRARY and pytest.importorskip(LIBRARY[ending]) is None:
            continue
        draws.save(tmp_path / f"d{ending}")
        assert len(read_draws(tmp_path / f"d{ending}").probabilities("v")) == 5


@pytest.mark.filterwarnings("ignore")
def test_arviz_opens_it(tmp_path: Path) -> None:
    needs(".nc")
    arviz = pytest.importorskip("arviz")
    model = pplc.compile_text(MODEL + "[observe (flip (sigmoid mu)) true] [predict (> mu 0)]")
    draws = model.infer("pgas", particles=10, sweeps=50, chains=2, seed=1)
    draws.save(tmp_path / "d.nc")
    found = arviz.from_netcdf(str(tmp_path / "d.nc"))
    assert np.array_equal(found["posterior"]["mu"].values, draws["mu"])
    assert found["posterior"]["(> mu 0)"].dtype == bool
    assert found["log_likelihood"]["observe"].values == pytest.approx(draws.log_likelihood())
    assert found["log_likelihood"]["line"].values.tolist() == [2, 4]
    score = arviz.loo(found)
    assert np.isfinite(score.elpd if hasattr(score, "elpd") else score.elpd_loo)


def test_pandas_opens_it(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    needs(".parquet")
    before = posterior(True)
    before.save(tmp_path / "d.parquet")
    frame = pandas.read_parquet(tmp_path / "d.parquet")
    assert len(frame) == len(before.values("omega")[1]) and frame["b?"].dtype == bool


MODEL: Final = """[assume mu (sample (normal 0 1))]
[observe (normal mu 1) 0.5]
[predict mu]
"""


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_by_the_command(ending: str, method: str, tmp_path: Path, capsys: Captured) -> None:
    needs(ending)
    (tmp_path / "m.clj").write_text(MODEL)
    out = str(tmp_path / f"d{ending}")
    fast = ("--method", method, "--particles", "5", "--sweeps", "12", "--seed", "1")
    assert main(["infer", str(tmp_path / "m.clj"), *fast, "--out", out]) == OK
    shown = capsys.readouterr().out
    assert main(["summary", out]) == OK
    again = capsys.readouterr().out
    assert again.split("\n")[1].split()[:3] == shown.split("\n")[1].split()[:3]
    if ending != ".csv":
        assert f"{method}: 12 sweeps of 5 particles, seed 1" in again
    assert ("no lines of ancestors" in again) == (method == "smc")


def test_plotted_again(tmp_path: Path, capsys: Captured) -> None:
    pytest.importorskip("matplotlib")
    posterior(True).save(tmp_path / "d.jsonl")
    assert main(["plot", str(tmp_path / "d.jsonl")]) == OK
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    assert main(["plot", str(tmp_path / "d.jsonl"), str(tmp_path / "e.svg")]) == OK
    assert (tmp_path / "e.svg").exists()
    assert main(["plot", str(tmp_path / "d.jsonl"), str(tmp_path / "e.gif")]) == USAGE
    assert "must end in .png, .svg, .pdf" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.jsonl", '{"chain": 0}\n[1]\n', "d.jsonl:2: not a line of draws"),
        ("d.jsonl", '{"predict": {}}\n', "d.jsonl:1: not a line of draws"),
        ("d.jsonl", "", "d.jsonl: it has no draws"),
        ("d.csv", "a,b\n1,2\n", "d.csv: it has no column 'chain'"),
        ("d.csv", "chain,sweep,particle,log_weight\n1,2\n", "different numbers of cells"),
        ("d.csv", "chain,sweep,particle,log_weight\na,b,c,d\n", "must be numbers"),
        ("d.parquet", "PAR", "not a Parquet file"),
        ("d.nc", "CDF", "not a NetCDF file"),
        ("d.pkl", "", "the file must end in .jsonl, .csv, .nc, .parquet"),
    ],
)
def test_files_that_are_none(name: str, content: str, message: str, tmp_path: Path, capsys: Captured) -> None:
    ending = Path(name).suffix
    needs(ending)
    (tmp_path / name).write_text(content)
    assert main(["summary", str(tmp_path / name)]) == USAGE
    assert message in capsys.readouterr().err
    with pytest.raises(BadFile):
        read_draws(tmp_path / name)


def test_an_ending_that_there_is_not(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "m.clj").write_text(MODEL)
    assert main(["infer", str(tmp_path / "m.clj"), "--out", str(tmp_path / "d.pickle")]) == USAGE
    assert "the file must end in .jsonl, .csv, .nc, .parquet" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"ends in \.jsonl"):
        posterior(True).save(tmp_path / "d.pickle")


def test_a_library_that_is_absent(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.clj").write_text(MODEL)
    monkeypatch.setattr("pplc_runtime.command.draws.find_spec", lambda name: None)
    assert main(["infer", str(tmp_path / "m.clj"), "--out", str(tmp_path / "d.nc")]) == USAGE
    assert "needs h5netcdf: pip install 'pplc[netcdf]'" in capsys.readouterr().err


def test_the_last_line_tells_of_the_run(tmp_path: Path) -> None:
    posterior(False).save(tmp_path / "d.jsonl")
    last = json.loads((tmp_path / "d.jsonl").read_text().splitlines()[-1])
    assert last["method"] == "importance" and last["without_draws"] == [[0, 3]] and "log_evidence" in last
