"""What a posterior shows and hands over: to notebooks, as pictures, data frames and to ArviZ."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from io import StringIO
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

import pplc
from pplc.magic import run_cell
from pplc_runtime.command import progress
from pplc_runtime.results import Posterior, Sweep
from pplc_runtime.results.arviz import dataset
from pplc_runtime.results.extras import MissingExtra
from pplc_runtime.results.groups import groups_of
from pplc_runtime.results.json_values import to_json
from pplc_runtime.values import Map, Symbol

HOSTILE: Final = "<script>alert('x')</script>&\""
MEAN: Final = """[input y [1.0 2.0 0.5]]
[assume mu (sample (normal 0 1))]
[for [v y] [observe (normal mu 1) v]]
[predict mu]
"""


class Page(HTMLParser):
    """The tags and the text of a page; every tag is closed by its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in ("meta", "br", "link", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def hostile(is_chain: bool) -> Posterior:
    rng = np.random.default_rng(1)
    sweeps = [
        Sweep(
            n // 30,
            n % 30,
            np.full(5, -np.log(5)),
            {
                HOSTILE: rng.normal(size=5),
                "x": [HOSTILE, "b", Symbol(":<b>"), None, (1, HOSTILE)],
                "nan": np.full(5, np.nan),
                "v": rng.normal(size=(2, 5)),
                "b": rng.random(5) < 0.5,
                "m": [Map.of([(HOSTILE, 1.0)])] * 5,
            },
        )
        for n in range(60)
    ]
    return Posterior("pgas" if is_chain else "smc", 1, 5, 2, sweeps, is_chain)


@pytest.mark.parametrize("is_chain", [False, True])
def test_a_notebook_shows_tables_and_pictures(is_chain: bool) -> None:
    text = hostile(is_chain)._repr_html_()
    page = Page(text)
    assert "script" not in page.tags and "b" not in page.tags
    assert any("<script>alert('x')</script>&" in each for each in page.texts)
    assert page.tags.count("svg") > (8 if is_chain else 5)
    assert not any(name in ("src", "href") or name.startswith("on") for _, name, _ in page.attributes)
    assert ("trace" in page.texts) == is_chain


def test_a_picture_without_a_path() -> None:
    pytest.importorskip("matplotlib")
    figure = hostile(True).plot()
    assert figure is not None and figure._repr_png_().startswith(b"\x89PNG")


def test_completion_and_help_list_what_there_is() -> None:
    methods = ["ellipse", "gibbs", "icsmc", "lmh", "nuts", "pgas", "pmmh", "rw", "slices", "smc", "sums"]
    others = ["CompileError", "Model", "ModelError", "Posterior", "__version__", "compile_text", "install", "load"]
    assert dir(pplc) == sorted([*methods, *others])
    assert all(hasattr(pplc, name) for name in dir(pplc))
    for infer in (pplc.Model.infer, pplc.compile_text(MEAN).program.infer):
        named = inspect.signature(infer).parameters
        assert {"particles", "sweeps", "seed", "burn_in", "resampling", "data", "progress"} <= set(named)
        assert not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in named.values())


@pytest.mark.parametrize(
    ("setting", "kind", "message"),
    [
        ({"particels": 3}, TypeError, "infer has no setting 'particels'; did you mean 'particles'?"),
        ({"dat": {}}, TypeError, "infer has no setting 'dat'; did you mean 'data'?"),
        ({"particles": "10"}, TypeError, "particles: must be a whole number, not '10'"),
        ({"particles": 10.5}, TypeError, "particles: must be a whole number, not 10.5"),
        ({"sweeps": True}, TypeError, "sweeps: must be a whole number, not True"),
        ({"seed": [1]}, TypeError, r"seed: must be a whole number, not \[1\]"),
    ],
)
def test_wrong_settings_are_told(setting: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message.replace("?", r"\?")):
        pplc.compile_text(MEAN).infer("smc", **setting)


def test_a_data_frame() -> None:
    pytest.importorskip("pandas")
    posterior = pplc.compile_text(MEAN + "[predict [mu 1]] [predict (> mu 0)]").infer(
        "pgas", sweeps=20, chains=2, seed=1
    )
    frame = posterior.to_dataframe()
    assert list(frame.columns) == ["chain", "sweep", "mu", "[mu 1][0]", "[mu 1][1]", "(> mu 0)"]
    assert len(frame) == 40 and frame["mu"].to_numpy() == pytest.approx(posterior["mu"].ravel())
    assert frame["(> mu 0)"].dtype == bool and (frame["mu"] == frame["[mu 1][0]"]).all()
    weighted = posterior.to_dataframe(weighted=True)
    assert len(weighted) == 400 and weighted["weight"].sum() == pytest.approx(1)
    assert (weighted["weight"] * weighted["mu"]).sum() == pytest.approx(posterior.mean("mu"))
    assert len(hostile(False).to_dataframe(weighted=True)) == 300


def test_groups_have_all_draws() -> None:
    posterior = pplc.compile_text(MEAN).infer("smc", particles=5, sweeps=8, seed=1)
    groups = groups_of(posterior)
    assert list(groups) == [
        "posterior", "sample_stats", "log_likelihood", "posterior_predictive", "observed_data", "weighted",
    ]  # fmt: skip
    assert groups["posterior"].variables["mu"].dims == ("chain", "draw")
    assert groups["observed_data"].variables["observe"].data.tolist() == [1.0, 2.0, 0.5]
    weighted = groups["weighted"].variables
    weights = np.exp(weighted["log_weight"].data)
    assert (weights * weighted["mu"].data).sum() / weights.sum() == pytest.approx(posterior.mean("mu"))
    assert groups["log_likelihood"].coordinates["line"].data.tolist() == [3, 3, 3]
    assert list(groups_of(posterior, observes=False)) == ["posterior", "sample_stats", "weighted"]
    assert list(groups_of(hostile(True))) == ["posterior", "posterior_text", "sample_stats", "weighted"]
    with pytest.raises(ValueError, match="not kept"):
        groups_of(hostile(True), observes=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", ["0.23.4", "1.3.0"])
def test_arviz(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arviz = pytest.importorskip("arviz")
    if version.startswith("1"):
        monkeypatch.setattr(arviz, "__version__", version)
    elif not arviz.__version__.startswith("0."):
        pytest.skip("an ArviZ that has no InferenceData")
    text = f'{MEAN} [predict "sign" (if (> mu 0) "plus" "minus")]'
    posterior = pplc.compile_text(text).infer("pgas", particles=20, sweeps=100, chains=2, seed=1)
    found = posterior.to_arviz()
    assert type(found).__name__ == ("DataTree" if version.startswith("1") else "InferenceData")
    assert found["posterior"]["mu"].dims == ("chain", "draw") and found["posterior"].sizes["chain"] == 2
    assert float(found["log_likelihood"]["observe"].sum()) == pytest.approx(posterior.log_likelihood().sum())
    assert "particle" in found["weighted"].sizes
    loo: Callable[..., Any] | None = None if version.startswith("1") else arviz.loo
    if loo is None:
        loo = pytest.importorskip("arviz_stats").loo
    assert np.isfinite(loo(found).elpd if hasattr(loo(found), "elpd") else loo(found).elpd_loo)


def test_text_goes_into_a_dataset() -> None:
    pytest.importorskip("xarray")
    groups = groups_of(hostile(True))
    assert all(each.data.dtype.kind in "biuf" for each in groups["posterior"].variables.values())
    found = dataset(groups["posterior_text"])
    texts = {HOSTILE, "b", ":<b>", "nil", to_json((1, HOSTILE))}
    assert set(found["x"].values.ravel().tolist()) == texts


@pytest.mark.parametrize(
    ("library", "name", "work"),
    [
        ("pandas", "pandas", lambda posterior: posterior.to_dataframe()),
        ("arviz", "arviz", lambda posterior: posterior.to_arviz()),
        ("matplotlib", "plot", lambda posterior: posterior.plot()),
    ],
)
def test_what_is_absent_is_told_by_its_extra(
    library: str, name: str, work: Callable[[Posterior], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [each for each in sys.modules if each.split(".")[0] == library]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, "pplc_runtime.results.plot", raising=False)
    with pytest.raises(MissingExtra, match=rf"needs {library}: pip install 'pplc\[{name}\]'"):
        work(hostile(True))


def shell(**variables: Any) -> Any:
    return SimpleNamespace(user_ns=variables)


def test_a_cell_is_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    here = shell(seen={"y": [0.0, 0.0]})
    assert run_cell(here, "", MEAN) is None and here.user_ns["model"].inputs == ("y",)
    posterior = run_cell(here, "m --method smc --particles 7 --sweeps 3 --seed 1 --data seen", MEAN)
    assert posterior is here.user_ns["posterior"] and len(posterior) == 3 and posterior.particles == 7
    assert here.user_ns["m"].infer("smc", particles=7, sweeps=3, seed=1, data=here.user_ns["seen"]).mean(
        "mu"
    ) == posterior.mean("mu")
    assert run_cell(here, "--sweeps 2 --seconds 1 --seed 1", "[predict 1]").mean("1") == 1
    assert run_cell(here, "--method 'pgas + lmh' --sweeps 2 --seed 1", MEAN).method == "pgas + lmh"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("m", "[predict (nomral 0 1)]", "m.clj:1:11: error: unknown name 'nomral'; did you mean 'normal'?"),
        ("--method smcc", MEAN, "%%pplc: error: argument --method: unknown method 'smcc'; did you mean 'smc'?"),
        ("--metod smc", MEAN, "%%pplc: error: unrecognized arguments: --metod; did you mean '--method'?"),
        ("--method smc --data sen", MEAN, "%%pplc: error: --data: there is no variable 'sen'; did you mean 'seen'?"),
        ("--method smc --data seen", MEAN, "%%pplc: error: the data have an unknown input"),
        ("--method smc", "[observe (normal 0 1) true] [predict 1]", "m"),
    ],
)
def test_errors_of_a_cell_are_messages(line: str, cell: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cell(shell(seen={"z": 1}), line, cell) is None
    err = capsys.readouterr().err
    assert "Traceback" not in err
    if "unknown input" not in message:
        assert err.startswith(message)
    else:
        assert "'z'" in err


def test_in_a_notebook() -> None:
    testing = pytest.importorskip("IPython.testing.globalipapp")
    ip = testing.get_ipython()
    if ip is None:
        ip = testing.start_ipython()
    ip.run_line_magic("load_ext", "pplc")
    ip.run_cell_magic("pplc", "m", MEAN)
    assert ip.user_ns["m"].inputs == ("y",)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_runs_and_further_sweeps_have_a_progress_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)

    def shown(run: Callable[[], object]) -> str:
        monkeypatch.setattr(sys, "stderr", terminal := Terminal())
        run()
        return terminal.getvalue()

    model = pplc.compile_text(MEAN)
    posterior = model.infer("pgas", particles=3, sweeps=4, seed=1)
    assert "/8 " in shown(lambda: model.infer("pgas", particles=3, sweeps=4, chains=2, seed=1))
    assert "/7 " in shown(lambda: posterior.extend(7))
    assert shown(lambda: model.infer("pgas", particles=3, sweeps=4, seed=1, progress=False)) == ""
    assert shown(lambda: posterior.extend(7, progress=False)) == ""
