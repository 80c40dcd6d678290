"""The fenced blocks of the documentation: what they are and which file they stand for.

A block of the language whose first line is `; name.clj` is a file that the other blocks of its page may use.
A comment `; => value` behind a predict is what it must give.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_FENCE: Final = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE: Final = re.compile(r"^; ([\w/]+\.clj)\n")
_EXPECTED: Final = re.compile(r"\[predict .*\](?: ; => (.*))?$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page, line, language, the words behind the language, and its text."""

    page: Path
    line: int
    language: str
    words: tuple[str, ...]
    text: str

    @property
    def file(self) -> str | None:
        """The name of the file that it stands for."""
        found = _FILE.match(self.text)
        return found[1] if found else None

    @property
    def expected(self) -> list[str | None]:
        """What each predict must give, None where nothing is said."""
        found = [_EXPECTED.match(line.strip()) for line in self.text.splitlines()]
        return [match[1] for match in found if match]

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[1], tuple(found[2].split()), found[3])
        for found in _FENCE.finditer(text)
    ]


def write_files(page: Path, folder: Path) -> None:
    """The files that the blocks of a page stand for."""
    for block in blocks_of(page):
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
