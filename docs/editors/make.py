"""Writes what editors are given of the tables: the grammar of the extension, and the configuration of clj-kondo."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from pplc.vocabulary import words

HERE: Final = Path(__file__).parent
SCOPES: Final = {
    "statement": "keyword.control",
    "form": "keyword.control",
    "distribution": "support.class",
    "process": "support.class",
    "procedure": "support.function",
    "constant": "constant.language",
}
BREAK: Final = r"""\s()\[\]{}"';,"""
"""What ends a word, inside of brackets of a regular expression."""


def _rule(name: str, match: str) -> dict[str, str]:
    return {"name": f"{name}.pplc", "match": match}


def _whole(pattern: str) -> str:
    """A pattern that matches whole words only."""
    return rf"(?<![^{BREAK}])(?:{pattern})(?![^{BREAK}])"


def grammar() -> dict[str, Any]:
    """The TextMate grammar: comments, strings, numbers, keywords, and the words of the language by their kinds."""
    kinds: dict[str, list[str]] = {}
    for word in words().values():
        kinds.setdefault(SCOPES[word.kind], []).append(word.name)
    rules: list[dict[str, Any]] = [
        _rule("comment.line.semicolon", r";.*$"),
        {
            "name": "string.quoted.double.pplc", "begin": '"', "end": '"',
            "patterns": [_rule("constant.character.escape", r"\\.")],
        },
        _rule("constant.numeric", _whole(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|\d+/\d+)")),
        _rule("constant.language", _whole("true|false|nil")),
        _rule("constant.keyword", _whole(rf":[^{BREAK}]+")),
        {
            "match": rf"([(\[]\s*)(assume|define|def|defn|defm|input)\s+([^{BREAK}]+)",
            "captures": {
                "2": {"name": "keyword.control.pplc"},
                "3": {"name": "entity.name.variable.pplc"},
            },
        },
    ]  # fmt: skip
    for scope, names in kinds.items():
        spelled = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
        rules.append(_rule(scope, _whole(f"(?:{spelled})(?:-dist)?" if scope == "support.class" else spelled)))
    return {"name": "pplc", "scopeName": "source.pplc", "fileTypes": ["clj"], "patterns": rules}


def configuration() -> str:
    """What clj-kondo must know: statements are vectors, and names come from the tables, not from a namespace."""
    off = (
        "unresolved-symbol", "unresolved-var", "unresolved-namespace", "unused-value", "unused-binding",
        "invalid-arity", "missing-else-branch", "redundant-expression", "redundant-do", "inline-def", "redefined-var",
        "type-mismatch", "not-a-function", "misplaced-docstring", "namespace-name-mismatch",
    )  # fmt: skip
    lines = "\n           ".join(f":{name} {{:level :off}}" for name in off)
    return (
        "; pplc check says what is wrong with a program; of clj-kondo brackets, strings and layout are of use.\n"
        "; It goes into .clj-kondo/config.edn of the folder that has the models.\n"
        f"{{:linters {{{lines}}}\n"
        " :lint-as {lambda clojure.core/fn, defm clojure.core/defn, letrec clojure.core/let}}\n"
    )


FILES: Final = {
    HERE / "vscode" / "syntaxes" / "pplc.tmLanguage.json": lambda: json.dumps(grammar(), indent=1) + "\n",
    HERE / "clj-kondo" / "config.edn": configuration,
}


def main() -> None:
    """Write them."""
    for path, text in FILES.items():
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
