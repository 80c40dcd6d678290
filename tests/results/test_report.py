"""The report: one page, whole and harmless, also in a real browser where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest
from tests.browser import tab
from tests.results.test_shown import Page

import pplc
from pplc.cli import OK, USAGE, main
from pplc_runtime.program.graph import graph_of
from pplc_runtime.results import Genealogy, svg
from pplc_runtime.results.genealogy_svg import genealogy_svg
from pplc_runtime.results.reading import read_draws
from pplc_runtime.results.report import POLICY

PROGRAMS: Final = sorted((Path(__file__).parents[2] / "programs").glob("*.clj"))
EVIL: Final = "<script>document.title='hacked'</script>"
HOSTILE: Final = f"""; {EVIL} <img src=x onerror="document.title='hacked'">
[input y [1.0 2.0 0.5]]
[input text "{EVIL.replace("'", "")}"]
[assume mu (sample (normal 0 1))]
[for [v y] [observe (normal mu 1) v]]
[predict "{EVIL}" mu]
[predict "</svg></style>{EVIL}" (if (> mu 0) "{EVIL}" "<b>")]
"""


def page_of(text: str, tmp_path: Path, *options: str) -> str:
    (tmp_path / "m.clj").write_text(text)
    fast = ("--method", "importance", "--particles", "5", "--sweeps", "15", "--seed", "1", "--quiet")
    assert main(["infer", str(tmp_path / "m.clj"), *fast, "--report", str(tmp_path / "r.html"), *options]) == OK
    return (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["importance", "smc", "icsmc", "pgas"])
def test_a_page_has_all_sections_and_nothing_foreign(method: str, tmp_path: Path) -> None:
    page = Page(page_of(HOSTILE, tmp_path, "--method", method, "--chains", "2"))
    headings = [text for text in page.texts if text in SECTIONS]
    wanted = [*SECTIONS]
    if method == "importance":
        wanted.remove("Genealogy")
    wanted.remove("Densities" if method in ("icsmc", "pgas") else "Densities and traces")
    assert [each for each in headings if each != "What to look at"] == wanted
    assert not {"script", "img", "b", "link", "iframe", "object", "a"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert not name.startswith("on") and name not in ("src", "href"), (tag, name, value)
        assert "http" not in (value or "") or name == "xmlns" or value == "Content-Security-Policy"
    assert ("meta", "content", POLICY) in page.attributes
    assert any(EVIL in text for text in page.texts)
    assert all(f"{EVIL}"[:8] not in style for style in page.texts if "--pplc-ink" in style)


SECTIONS: Final = (
    "Summary", "Densities", "Densities and traces", "Effective draws", "Genealogy", "Model", "Data",
)  # fmt: skip


def test_notes_come_with_what_to_do(tmp_path: Path) -> None:
    text = "[assume a (sample (normal 0 1))] [for [v [1.0 1.1]] [observe (normal a 0.001) v]] [predict a]"
    page = Page(page_of(text, tmp_path, "--method", "smc", "--particles", "50"))
    assert "What to look at" in page.texts
    assert "li" in page.tags and any("--ess-threshold" in text for text in page.texts)


def test_the_graph_has_what_reads_what() -> None:
    program = pplc.compile_text("""
    [input y [1 2]]
    [assume scale 2]
    [assume mu (sample (normal 0 scale))]
    [assume f (mem (fn [k] (sample (normal mu 1))))]
    [defn shifted [k] (+ (f k) 1)]
    [for [v y] [observe (normal (shifted v) 1) v]]
    [predict mu] [predict (shifted 0)]
    """).program
    graph = graph_of(program.steps, program.module)
    assert [(node.kind, node.label) for node in graph.nodes] == [
        ("input", "y"), ("computed", "scale"), ("random", "mu"), ("random", "f"), ("observe", "observe line 7"),
        ("predict", "mu"), ("predict", "(shifted 0)"),
    ]  # fmt: skip
    names = [node.label for node in graph.nodes]
    assert {(names[first], names[second]) for first, second in graph.edges} == {
        ("scale", "mu"), ("mu", "f"), ("f", "observe line 7"), ("y", "observe line 7"), ("mu", "mu"),
        ("f", "(shifted 0)"),
    }  # fmt: skip
    layer = {node: depth for depth, row in enumerate(graph.layers()) for node in row}
    assert all(layer[first] < layer[second] for first, second in graph.edges)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.stem))
def test_every_program_has_a_graph(path: Path) -> None:
    program = pplc.load(path).program
    graph = graph_of(program.steps, program.module)
    Page(graph.svg())
    readers = {second for _, second in graph.edges}
    observes = [place for place, node in enumerate(graph.nodes) if node.kind == "observe"]
    assert readers.issuperset(observes), "an observe that depends on nothing"


def test_pictures_of_what_is_out_of_the_ordinary() -> None:
    near = [1.653350472191976, 1.6533504721919765], [1e300, float(np.nextafter(1e300, 0))]
    for values in ([np.nan], [np.inf, -np.inf], [1.0], [1.0, 1.0], [1e300, -1e300], [1e-300, 2e-300], *near):
        array = np.array(values)
        weights = np.full(len(values), 1 / len(values))
        for picture in (
            svg.density(array, weights, [float("nan"), 1.0], "a<b"),
            svg.traces([array, array[:0]], "a<b"),
            svg.framed_traces([array], "a<b"),
        ):
            assert "nan" not in picture.lower().replace("a&lt;b", "") and "inf" not in picture
            Page(picture)
    long = svg.traces([np.arange(100_000.0)], "long")
    assert len(long) < 20_000
    for size, chosen in ((1, None), (1, 0), (5, 2)):
        ancestors = np.zeros((3, size), np.intp)
        Page(genealogy_svg(Genealogy(ancestors, chosen)))
    Page(genealogy_svg(Genealogy(np.empty((0, 4), np.intp))))


def test_from_python_and_from_a_file(tmp_path: Path) -> None:
    posterior = pplc.compile_text(HOSTILE, "h.clj").infer("pgas", particles=5, sweeps=12, seed=1)
    posterior.report(tmp_path / "r.html")
    assert "Model" in Page((tmp_path / "r.html").read_text()).texts
    posterior.save(tmp_path / "d.jsonl")
    read_draws(tmp_path / "d.jsonl").report(tmp_path / "s.html")
    texts = Page((tmp_path / "s.html").read_text()).texts
    assert "Summary" in texts and "Model" not in texts


def test_a_report_must_be_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.clj").write_text(HOSTILE)
    assert main(["infer", str(tmp_path / "m.clj"), "--report", str(tmp_path / "r.txt")]) == USAGE
    assert "the file must end in .html" in capsys.readouterr().err


@pytest.mark.slow
def test_in_a_browser(tmp_path: Path) -> None:
    """No script runs, nothing is wider than the window, and ground and text are those of the theme."""
    page_of(HOSTILE, tmp_path, "--method", "pgas", "--chains", "2")
    with tab() as page:
        page.open((tmp_path / "r.html").as_uri())
        for width, theme in ((420, "light"), (420, "dark"), (1400, "light"), (1400, "dark")):
            page.look(width, 900, theme)
            assert page.value("document.title").endswith("m.clj") and page.value("document.images.length") == 0
            assert page.value("document.documentElement.scrollWidth") <= width
            light, ink = (
                np.mean(page.value(f"getComputedStyle(document.body).{name}.match(/\\d+/g).slice(0, 3).map(Number)"))
                for name in ("backgroundColor", "color")
            )
            assert (light > 200 and ink < 80) if theme == "light" else (light < 60 and ink > 200)
            sizes = page.value("[...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect().width)")
            assert sum(size > 20 for size in sizes) >= 6
            over = page.value(OVER)
            assert over == [], over
        assert page.complaints() == []
        assert all(address.startswith("file:") for address in page.asked())


OVER: Final = """[...document.querySelectorAll("figure, section > p, h1, h2, figcaption, pre, .note")].filter(
    e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
"""What reaches out of the window; tables scroll."""
