"""The page of `pplc play` in a real browser, where there is one: written to, run, stopped, looked at and closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from tests.browser import PATIENCE, Tab, browser, tab

from pplc.play.server import Server

KALMAN: Final = Path(__file__).parents[2] / "programs" / "kalman.clj"
EVIL: Final = "<img src=x onerror=\"document.title='hacked'\">"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    browser()
    found = Server(str(KALMAN))
    found.runs.warm()
    thread = threading.Thread(target=found.serve_forever, args=(0.02,))
    thread.start()
    yield found
    found.shutdown()
    thread.join()
    found.close()


@pytest.fixture(scope="module")
def opened() -> Iterator[Tab]:
    with tab() as found:
        yield found


@pytest.fixture
def page(server: Server, opened: Tab) -> Tab:
    opened.events.clear()
    opened.look()
    opened.open("about:blank")
    opened.open(server.address)
    opened.until("document.body.dataset.ready")
    return opened


def put(page: Tab, text: str) -> None:
    """Replace the text of the model, as by hand."""
    page.value("text.focus(); text.select()")
    page.type(text)


def test_from_opening_to_a_posterior_to_the_end(page: Tab, server: Server) -> None:
    page.value("by('run').click()")
    page.until("by('result').dataset.first")
    assert page.value("by('result').innerText").find("omega") >= 0
    before = page.until("document.querySelector('#result .panels svg + svg path.line')?.getAttribute('d')")
    page.until(f"document.querySelector('#result .panels svg + svg path.line').getAttribute('d') !== {before!r}")
    page.value("by('stop').click()")
    page.until("by('stop').disabled")
    assert "stopped after" in page.value("by('said').textContent")
    assert page.value("fetch(document.querySelector('#links a').href).then(a => a.text())").startswith("<!DOCTYPE")
    assert page.complaints() == []
    assert {
        address.partition("?")[0].rpartition("/")[0] + "/" for address in page.asked() if "data:" not in address
    } == {server.address}


def test_errors_and_colours_as_you_type(page: Tab) -> None:
    put(page, "[assume x (sample (nomral 0 1))]\n[predict x]")
    assert page.until("document.querySelector('#problems .error')?.innerText").startswith("1:20")
    assert page.value("document.querySelector('.error-mark').textContent") == "nomral"
    assert page.value("document.querySelector('#lines .statement').textContent") == "assume"
    put(page, "[assume x (sample (normal 0 1))]\n[predict x]\n")
    page.until("by('problems').children.length === 0")
    page.value("text.setSelectionRange(25, 25); paint()")
    assert page.value("by('hint').innerText").startswith("(normal mean sd)")
    assert page.value("lines.innerText").rstrip() == page.value("text.value").rstrip()


def test_what_a_model_says_is_text(page: Tab) -> None:
    quoted = EVIL.replace('"', '\\"')
    put(
        page, f'; {EVIL}\n[assume x (sample (normal 0 1))]\n[predict "{quoted}" x]\n[predict (do (print "{quoted}") 1)]'
    )
    page.until("by('problems').children.length === 0")
    page.value("method.value = 'smc'; settings(); by('controls').querySelector('[name=particles]').value = 50; run()")
    page.until("by('stop').disabled && by('links').children.length === 2")
    assert "onerror" in page.value("by('result').innerText") and "onerror" in page.value("by('printed').innerText")
    assert page.value("document.images.length") == 0 and page.value("document.title") == "pplc play"
    put(page, f'[predict (+ "{quoted}" 1)]')
    page.value("run()")
    page.until("!by('wrong').hidden")
    assert "onerror" in page.value("by('wrong').innerText") and page.value("document.images.length") == 0


def test_data_are_asked_for_where_an_input_has_no_value(page: Tab) -> None:
    assert page.value("by('given').open") is False
    put(
        page, "; [input z]\n[input y]\n[input n 3]\n[assume p (sample (beta 1 1))]\n[observe (flip p) y]\n[predict p]\n"
    )
    page.until("by('given').open")
    assert page.value("by('wanted').textContent") == "for y"
    page.value("method.value = 'enumerate'; run()")
    page.until("!by('wrong').hidden")
    assert page.value("by('wrong').innerText") == "error: no value for 'y': write it under Data, below the model"


def test_a_run_ends_with_its_page(page: Tab, server: Server) -> None:
    page.value("run(), true")
    page.until("running && running.name")
    assert len(server.runs.going) == 1
    page.open("about:blank")
    end = time.monotonic() + PATIENCE
    while server.runs.going:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (420, "dark"), (1400, "light"), (1400, "dark")])
def test_it_fits_its_window_and_its_theme(page: Tab, width: int, scheme: str) -> None:
    page.look(width, 800, scheme)
    page.value("by('controls').querySelector('[name=sweeps]').value = 3; run()")
    page.until("by('links').children.length === 2")
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value("by('see').scrollWidth <= by('see').clientWidth")
    ground, ink = (
        sum(
            map(int, page.value(f"getComputedStyle(document.body).{name}.match(/\\d+/g).slice(0, 3).join(' ')").split())
        )
        for name in ("backgroundColor", "color")
    )
    assert (ground > 600 and ink < 240) if scheme == "light" else (ground < 180 and ink > 600)
    beside = page.value("by('see').getBoundingClientRect().left > 100")
    assert beside == (width > 860)


def test_an_example_is_not_saved_over_the_file(page: Tab) -> None:
    page.value("by('examples').value = 'hmm'; by('examples').dispatchEvent(new Event('change'))")
    page.until("by('save').textContent === 'Download' && text.value.includes('hidden Markov')")
    assert page.value("model().own") is False
