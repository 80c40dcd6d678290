"""pplc fmt: the layout of a text, which changes nothing that it means."""

from __future__ import annotations

import io
import random
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from tests.docs.blocks import PAGES, blocks_of

from pplc.cli import main
from pplc.languages.forms import Atom, Form, Group
from pplc.layout import formatted
from pplc.passes.read import read
from pplc.source import Source

PROGRAMS: Final = sorted((Path(__file__).parents[2] / "programs").glob("*.clj"))
TEXTS: Final = [path.read_text() for path in PROGRAMS] + [
    block.text for page in PAGES for block in blocks_of(page) if block.language == "clojure" and not block.words
]
CASES: Final = (
    ("[predict   x ]", "[predict   x]\n"),
    ("[assume f\n(lambda ( x )\nx)\n]", "[assume f\n  (lambda (x)\n    x)]\n"),
    ("(if a\nb\nc)", "(if a\n  b\n  c)\n"),
    ("(+ a\nb)", "(+ a\n   b)\n"),
    ("(+\na b)", "(+\n  a b)\n"),
    ("[1 2\n3]", "[1 2\n 3]\n"),
    ("[assume m (mem (fn [k]\n(sample d)))]", "[assume m (mem (fn [k]\n            (sample d)))]\n"),
    ("(f a ; why\n)", "(f a ; why\n   )\n"),
    ("; top\n\n\n\n[predict 1]\n; end   ", "; top\n\n[predict 1]\n; end\n"),
    ("(let [a 1\nb 2]\n; inside\n(+ a b))", "(let [a 1\n      b 2]\n  ; inside\n  (+ a b))\n"),
    ("{:a 1,:b 2}", "{:a 1, :b 2}\n"),
    ('\'( a)#_ b [predict"a ( b"x]', '\'(a) #_b [predict "a ( b" x]\n'),
    ('[predict "a\n  b"\nx]', '[predict "a\n  b"\n  x]\n'),
    ("[predict 1]\r\n[predict 2]\r", "[predict 1]\n[predict 2]\n"),
    ("", ""),
    ("\ufeff; a", "; a\n"),
)


@pytest.mark.parametrize(("before", "after"), CASES)
def test_layout(before: str, after: str) -> None:
    assert formatted(before) == after and formatted(after) == after


def meaning(text: str) -> Any:
    def of(form: Form) -> Any:
        match form:
            case Group(bracket, items):
                return (bracket, *map(of, items))
            case Atom(value):
                return type(value), value
            case _:
                return form.text

    return [of(form) for form in read(Source("t", text))]


def comments(text: str) -> list[str]:
    without = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return [comment.rstrip() for comment in re.findall(r";[^\n]*", without)]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_nothing_is_lost(number: int) -> None:
    """Programs, as they are and with blanks and line breaks strewn in, keep their forms and their comments."""
    rng = random.Random(number)
    whole = TEXTS[number]
    strewn = re.sub(
        r'"(?:[^"\\]|\\.)*"|;[^\n]*|[ \n]+|[()\[\]]',
        lambda found: found[0] if found[0][0] in '";' else found[0] + rng.choice(["", " ", "\n", "\n   "]),
        whole,
    )
    for text in (whole, strewn):
        after = formatted(text)
        assert meaning(after) == meaning(text) and comments(after) == comments(text)
        assert formatted(after) == after and not re.search(r"[ \t]\n", re.sub(r'"(?:[^"\\]|\\.)*"', '""', after))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.stem))
def test_the_example_programs_are_in_the_layout(path: Path) -> None:
    assert main(["fmt", "--check", str(path)]) == 0


def test_files_are_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, broken = tmp_path / "good.clj", tmp_path / "bad.clj", tmp_path / "broken.clj"
    good.write_text("[predict 1]\n")
    bad.write_text("[predict 1 ]")
    broken.write_text("[predict (1]")
    assert main(["fmt", "--check", str(good)]) == 0
    assert main(["fmt", "--check", str(good), str(bad)]) == 1
    assert capsys.readouterr().err == f"{bad}: not in the layout of pplc fmt\n" and bad.read_text() == "[predict 1 ]"
    assert main(["fmt", str(good), str(bad)]) == 0 and bad.read_text() == "[predict 1]\n"
    assert main(["fmt", str(broken)]) == 1 and broken.read_text() == "[predict (1]"
    assert "broken.clj:1:" in capsys.readouterr().err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"[predict 1 ]")))
    assert main(["fmt", "-"]) == 0 and capsys.readouterr().out == "[predict 1]\n"
