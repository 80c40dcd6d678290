"""The site: its pages are made of the tables; no link in it is broken, and nothing comes from a network."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from pplc.vocabulary import words
from pplc_runtime.settings import OFFERS, SETTINGS

from .blocks import ROOT

SITE: Final = ROOT / "docs" / "site"
MADE: Final[dict[str, Any]] = runpy.run_path(str(SITE / "make.py"))


def test_the_reference_has_every_word_method_and_setting() -> None:
    text = MADE["reference"]()
    for name in (*words(), *OFFERS, *SETTINGS):
        assert f"| `{name.replace('|', chr(92) + '|')}` |" in text, name
    assert "`(student-t df [location] [scale])`" in text and "sd: a positive number" in text


def test_every_page_is_in_the_site() -> None:
    named = set(re.findall(r"[\w-]+\.md", (SITE / "mkdocs.yml").read_text()))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert named == pages | {"index.md", "changelog.md", "reference.md", "gallery.md"}


@pytest.mark.slow
def test_it_is_built(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    MADE["lay_out"](tmp_path / "docs", quick=True)
    config = (SITE / "mkdocs.yml").read_text().replace("../../build/", "")
    (tmp_path / "mkdocs.yml").write_text(config)
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=tmp_path, text=True, check=False,
        capture_output=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    pages = list((tmp_path / "site").glob("*.html"))
    assert len(pages) > 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|img|iframe)[^>]*src=\"?https?:", text), page
        assert not re.findall(r"<link[^>]*rel=\"?(?:stylesheet|preconnect|icon)\"?[^>]*https?:", text), page
    gallery = (tmp_path / "site" / "gallery.html").read_text(encoding="utf-8")
    assert "<svg" in gallery and "A hidden Markov model" in gallery
