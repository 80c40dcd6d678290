"""What editors are given: the grammar colours words by the tables, and the files are those that the tables give."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any, Final

import pytest

from pplc.vocabulary import words

HERE: Final = Path(__file__).parents[2] / "docs" / "editors"
MADE: Final[dict[str, Any]] = runpy.run_path(str(HERE / "make.py"))
FILES: Final[dict[Path, Any]] = MADE["FILES"]
GRAMMAR: Final[dict[str, Any]] = MADE["grammar"]()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_files_are_those_of_the_tables(path: Path) -> None:
    """`python docs/editors/make.py` writes them."""
    assert path.read_text(encoding="utf-8") == FILES[path]()


def test_the_extension_is_whole() -> None:
    package = json.loads((HERE / "vscode" / "package.json").read_text())
    assert package["contributes"]["configuration"]["properties"]["pplc.command"]["default"] == ["pplc", "lsp"]
    named = [package["main"], package["contributes"]["languages"][0]["configuration"]]
    named.append(package["contributes"]["grammars"][0]["path"])
    for name in named:
        assert (HERE / "vscode" / name).is_file()
    json.loads((HERE / "vscode" / "language-configuration.json").read_text())
    assert package["contributes"]["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]


def scopes(line: str) -> dict[str, str]:
    """What the grammar makes of a line: at each place the first rule that matches there, as an editor does."""
    rules = [(re.compile(rule.get("match", r'"(?:[^"\\]|\\.)*"')), rule) for rule in GRAMMAR["patterns"]]
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        matches = [(match.start(), k) for k, (pattern, _) in enumerate(rules) if (match := pattern.search(line, at))]
        if not matches:
            break
        start, k = min(matches)
        pattern, rule = rules[k]
        match = pattern.search(line, start)
        assert match is not None
        for number, capture in rule.get("captures", {}).items():
            found[match[int(number)]] = capture["name"]
        if "name" in rule:
            found[match[0]] = rule["name"]
        at = max(match.end(), at + 1)
    return found


def test_colours() -> None:
    found = scopes('[assume mu-x (sample (normal-dist -1.5e3 x?))] (map :a "a (b" true) ; (if')
    assert found == {
        "assume": "keyword.control.pplc", "mu-x": "entity.name.variable.pplc", "sample": "keyword.control.pplc",
        "normal-dist": "support.class.pplc", "-1.5e3": "constant.numeric.pplc", "map": "support.function.pplc",
        ":a": "constant.keyword.pplc", '"a (b"': "string.quoted.double.pplc", "true": "constant.language.pplc",
        "; (if": "comment.line.semicolon.pplc",
    }  # fmt: skip


@pytest.mark.parametrize("name", words())
def test_every_word_has_its_colour(name: str) -> None:
    assert scopes(f"({name} a)").get(name) is not None
    assert name not in scopes(f"(a{name} {name}b)")
