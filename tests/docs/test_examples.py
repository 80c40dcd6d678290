"""Every example in the documentation runs and gives what it says.

Blocks marked `clojure` are programs; `clojure wrong` are programs with an error, followed by a block with the
message; `console` blocks are commands and what they print; `python` blocks are scripts, and a block `text output`
behind one is what it prints. Figures of a printed summary are not compared, only its form: they change with the random
numbers of a version; what a pass of the compiler gives is compared to the letter. Figures that a script prints may
differ a little.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.share import share

import pplc
from pplc_runtime.results.sexp import write_value
from pplc_runtime.values import ModelError

from .blocks import PAGES, ROOT, Block, blocks_of, write_files

BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def _of(language: str, *words: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language and block.words == words]


@pytest.mark.parametrize("block", _of("clojure"), ids=str)
def test_programs(block: Block, tmp_path: Path) -> None:
    write_files(block.page, tmp_path)
    file = tmp_path / (block.file or "model.clj")
    file.write_text(block.text, encoding="utf-8")
    model = pplc.load(file)
    posterior = model.infer("importance", particles=3, sweeps=2, seed=1)
    expected = block.expected
    if not any(value is not None for value in expected):
        return
    assert len(posterior.labels) == len(expected)
    for label, value in zip(posterior.labels, expected):
        if value is not None:
            assert {write_value(_plain(draw)) for draw in posterior.values(label)[0]} == {value}, label


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


WRONG = [pair for pair in pairwise(BLOCKS) if pair[0].words == ("wrong",)]


@pytest.mark.parametrize(("block", "message"), WRONG, ids=lambda block: str(block))
def test_wrong_programs(block: Block, message: Block) -> None:
    assert message.language == "text"
    with pytest.raises((pplc.CompileError, ModelError)) as caught:
        pplc.compile_text(block.text, "model.clj").infer("smc", particles=3, sweeps=2, seed=1)
    assert str(caught.value) == message.text.rstrip("\n")


@pytest.mark.parametrize("block", share(_of("console"), 6), ids=str)
def test_commands(block: Block, tmp_path: Path) -> None:
    write_files(block.page, tmp_path)
    (tmp_path / "programs").symlink_to(ROOT / "programs")
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        words = shlex.split(command)
        assert words[0] == "pplc", command
        ran = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        assert ran.returncode == (1 if "error:" in shown else 0), ran.stderr
        if shown.strip():
            assert _form(ran.stdout + ran.stderr) == _form(shown)
        if words[1] == "compile" and shown.strip():  # no figure of it is random
            assert ran.stdout.rstrip("\n") == shown.rstrip("\n")


def _form(text: str) -> list[str]:
    """The lines of a printed text without the figures and pictures in them."""
    text = re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?|[▁-█▉-▏]", " ", text)
    return [" ".join(line.split()) for line in text.splitlines() if line.split()]


_FIGURE = re.compile(r"-?\d+(?:\.\d+)?")
OUTPUTS = {str(before): block for before, block in pairwise(BLOCKS) if block.words == ("output",)}


@pytest.mark.parametrize("block", _of("python"), ids=str)
def test_scripts(block: Block, tmp_path: Path) -> None:
    write_files(block.page, tmp_path)
    (tmp_path / "programs").symlink_to(ROOT / "programs")
    (tmp_path / "script.py").write_text(block.text, encoding="utf-8")
    ran = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    if (output := OUTPUTS.get(str(block))) is not None:
        assert _form(ran.stdout) == _form(output.text)
        found, said = (list(map(float, _FIGURE.findall(text))) for text in (ran.stdout, output.text))
        assert found == pytest.approx(said, rel=0.2, abs=0.1)


def test_there_are_examples() -> None:
    assert len(_of("clojure")) > 15
    assert len(WRONG) > 3
