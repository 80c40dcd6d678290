"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.editors.client import Document, Editor

pytest.importorskip("pygls")

TEXT: Final = """; 𝓐 model
[input y [1.0 2.0]]
[assume mu (sample (normal 0 1))]
(defn shifted [x by] (+ x by mu))
[for [value y]
  [observe (normal (shifted value 𝓑) 1) value]]
[assume f (mem (fn [k] (let [mu (sample (gamma 2 3))] (* mu k))))]
[predict mu]
[predict (f 1)]
"""


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    found = Editor(tmp_path_factory.mktemp("models"))
    yield found
    assert found.close() == 0


@pytest.fixture
def model(editor: Editor, tmp_path: Path) -> Document:
    return editor.open(tmp_path / "m.clj", TEXT)


def test_what_it_can_do(editor: Editor) -> None:
    can = editor.capabilities["capabilities"]
    for name in ("completion", "hover", "definition", "documentFormatting", "signatureHelp"):
        assert can[f"{name}Provider"], name
    assert editor.capabilities["serverInfo"]["name"] == "pplc"


def test_errors_as_you_type(model: Document) -> None:
    (problem,) = model.problems
    assert model.at(problem["range"]) == "𝓑" and problem["severity"] == 1 and "unknown name" in problem["message"]
    model.change("𝓑", "0")
    assert model.problems == []
    model.change("(f 1)", "(f 1")
    assert {problem["severity"] for problem in model.problems} == {1}
    model.change("(f 1", "(f 1)")
    model.change("shifted [x by]", "exp [x by]")
    assert any(problem["severity"] == 2 for problem in model.problems) or model.problems


def test_names_are_completed_with_their_arguments(model: Document) -> None:
    model.change("𝓑", "0")
    found = {item["label"]: item for item in model.ask("completion", "(+ x |by")}
    assert found["normal"]["detail"] == "(normal mean sd)"
    assert "standard deviation" in found["normal"]["documentation"]["value"]
    assert {"x", "by", "mu", "y", "shifted", "f"} <= found.keys() and "k" not in found
    assert found["x"]["sortText"] < found["normal"]["sortText"]
    inside = {item["label"] for item in model.ask("completion", "(* |mu k)")}
    assert "k" in inside and "x" not in inside


@pytest.mark.parametrize(
    ("around", "said"),
    [
        ("(nor|mal 0 1)", "(normal mean sd)"), ("(gam|ma 2", "rate: a positive"), ("[assu|me mu", "[assume name e]"),
        ("(m|em (fn", "a memoised procedure"), ("(shif|ted value", "(defn shifted [x by] (+ x by mu))"),
        ("(* m|u k)", "mu (sample (gamma 2 3))"), ("[predict m|u]", "[assume mu (sample (normal 0 1))]"),
    ],
)  # fmt: skip
def test_hover_says_what_is_known(model: Document, around: str, said: str) -> None:
    assert said in model.ask("hover", around)["contents"]["value"]


def test_hover_over_nothing(model: Document) -> None:
    assert model.ask("hover", "(normal |0 1)") is None


@pytest.mark.parametrize(
    ("around", "line", "name"),
    [
        ("[predict m|u]", 2, "mu"), ("(* m|u k)", 6, "mu"), ("by m|u))", 2, "mu"), ("(+ |x by", 3, "x"),
        ("(shif|ted value", 3, "shifted"), ("1) val|ue]", 4, "value"), ("[value y|]", 1, "y"), ("u k|)", 6, "k"),
    ],
)  # fmt: skip
def test_a_definition_is_found(model: Document, around: str, line: int, name: str) -> None:
    found = model.ask("definition", around)
    assert found["uri"] == model.uri and found["range"]["start"]["line"] == line
    assert model.at(found["range"]) == name


def test_a_definition_in_another_file(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "prior.clj").write_text("; the prior\n[assume mu (sample (normal 0 1))]\n")
    document = editor.open(tmp_path / "m.clj", '[include "prior.clj"]\n[observe (normal mu 1) 2]\n[predict mu]\n')
    assert document.problems == []
    found: Any = document.ask("definition", "[predict m|u]")
    assert found["uri"] == (tmp_path / "prior.clj").as_uri()
    assert found["range"]["start"] == {"line": 1, "character": 8}
    assert document.ask("definition", "(nor|mal mu") is None


def test_signatures(model: Document) -> None:
    found = model.ask("signatureHelp", "(gamma 2 |3)")
    assert found["signatures"][0]["label"] == "(gamma shape rate)"


def test_layout(editor: Editor, tmp_path: Path) -> None:
    document = editor.open(tmp_path / "m.clj", "[predict\n(+ 1 2 )]\n")
    asked = {"textDocument": {"uri": document.uri}, "options": {"tabSize": 2, "insertSpaces": True}}
    (edit,) = editor.ask("textDocument/formatting", asked)
    assert edit["newText"] == "[predict\n  (+ 1 2)]\n"
    broken = editor.open(tmp_path / "n.clj", "[predict (")
    asked["textDocument"] = {"uri": broken.uri}
    assert editor.ask("textDocument/formatting", asked) == []
