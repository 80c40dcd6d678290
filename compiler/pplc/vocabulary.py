"""Every word of the language with what the tables know of it: for hover and completion, and for the reference pages.

Names and arguments are those of the compiler's own tables. What a word does is said in one place, the tables of
docs/language.md, which is part of the package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pplc.languages.forms import SHORT_FN, SPECIAL, STATEMENTS
from pplc_runtime.program.constructors import CONSTRUCTORS, PROCESS_CONSTRUCTORS, WEIGHTING_CONSTRUCTORS
from pplc_runtime.program.names import CONSTANTS, SIGNATURES, Signature

PAGE: Final = "language.md"
_ROW: Final = re.compile(r"^\| (`.*?) \| (.*) \|$")
_CODE: Final = re.compile(r"`([^`]+)`")
_HEAD: Final = re.compile(r"[\[(](\S+?)[\s\])]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word: its kind, how it is written with its arguments, and what it does."""

    name: str
    kind: str
    """statement, form, distribution, process, procedure or constant"""
    forms: tuple[str, ...]
    says: str
    domains: tuple[str, ...] = ()
    """What each argument of a distribution or process must be."""
    draws: str | None = None

    @property
    def text(self) -> str:
        """All of it, as Markdown."""
        lines = ["```clojure", *self.forms, "```"]
        if self.says:
            lines += ["", self.says]
        if self.domains and self.forms:
            parameters = self.forms[0].strip("()").split(" ")[1:]
            lines += ["", *(f"- {name}: {domain}" for name, domain in zip(parameters, self.domains))]
        if self.draws is not None:
            lines += ["", f"A draw is {_article(self.draws)}."]
        return "\n".join(lines)


def folder() -> Path:
    """Where the pages and programs are that come with pplc: in the package, or beside its sources."""
    package = Path(__file__).parent
    return package if (package / PAGE).is_file() else package.parents[1]


def page_text() -> str:
    """The text of docs/language.md; none where it is missing."""
    found = [path for path in (folder() / PAGE, folder() / "docs" / PAGE) if path.is_file()]
    return found[0].read_text(encoding="utf-8") if found else ""


@cache
def words() -> dict[str, Word]:
    """All words by name."""
    said, written = _rows(page_text())
    found: dict[str, Word] = {}
    for name in dict.fromkeys((*STATEMENTS, *SPECIAL)):
        if name != SHORT_FN:
            kind = "statement" if name in STATEMENTS else "form"
            forms = tuple(written.get(name, (f"({name} ...)",)))
            says = said.get(name, [""])
            found[name] = Word(name, kind, forms, says[0 if kind == "statement" else -1])
    for name, signature in SIGNATURES.items():
        stem = name.removesuffix("-dist")
        if name in WEIGHTING_CONSTRUCTORS or (stem != name and stem in SIGNATURES) or name in found:
            continue
        found[name] = Word(
            name, kind_of(name), (_call(name, signature),), said.get(name, [""])[0], signature.domains, signature.draws
        )
    for name, value in CONSTANTS.items():
        found[name] = Word(name, "constant", (name,), f"{value:.6g}")
    return found


def kind_of(name: str) -> str:
    """What a name of the tables is."""
    if name in CONSTRUCTORS:
        return "distribution"
    return "process" if name in PROCESS_CONSTRUCTORS or name == "gp" else "procedure"


def _call(name: str, signature: Signature) -> str:
    """A call with its arguments; those that may be left out are in brackets."""
    names = signature.parameters or tuple("xyzwvu"[: signature.most or signature.least or 1])
    spaced = [each.replace(" ", "-") for each in names]
    wanted = spaced[: signature.least] + [f"[{each}]" for each in spaced[signature.least : signature.most]]
    if signature.most is None:
        wanted = [*spaced[: signature.least], "..."]
    return f"({' '.join([name, *wanted])})"


def _rows(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What the tables of the page say of each name, and for those that are shown as forms the forms."""
    said: dict[str, list[str]] = {}
    written: dict[str, list[str]] = {}
    for line in text.splitlines():
        if row := _ROW.match(line):
            first, rest = row[1], row[2].rpartition(" | ")[2]
            for code in _CODE.findall(first):
                head = _HEAD.match(code)
                name = head[1] if head and len(code) > 1 else code
                said.setdefault(name, []).append(rest)
                if head:
                    written.setdefault(name, []).append(code)
    return said, written


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
