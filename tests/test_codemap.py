"""docs/codemap.md lists every source file, and no other; none is long."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TREES: Final = ("compiler", "runtime", "benchmarks")
MOST_LINES: Final = 400
NOT_OURS: Final = {"node_modules", "peers_env", "nuts_env", "__pycache__"}


def _listed() -> list[str]:
    """The files of the map: bullets `- \\`name.py\\`: what it is` under headings that name their folder."""
    folder, found = "", []
    for line in (ROOT / "docs" / "codemap.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ .*`([\w/]+)/`", line):
            folder = heading[1]
        elif bullet := re.match(r"- `([\w.]+)`: \S", line):
            found.append(f"{folder}/{bullet[1]}")
    return found


def test_the_map_is_complete() -> None:
    files = {
        str(file.relative_to(ROOT))
        for tree in TREES
        for file in (ROOT / tree).rglob("*.py")
        if not NOT_OURS.intersection(file.parts)
    }
    listed = [name for name in _listed() if name.endswith(".py")]
    assert sorted(listed) == sorted(files)


def test_what_is_listed_is_there() -> None:
    missing = [name for name in _listed() if not (ROOT / name).is_file()]
    assert missing == []


def test_no_file_is_long() -> None:
    """What is longer has two concepts in it."""
    files = [file for tree in (*TREES, "tests") for file in (ROOT / tree).rglob("*.py")]
    ours = [file for file in files if not NOT_OURS.intersection(file.parts)]
    long = [str(file.relative_to(ROOT)) for file in ours if file.read_bytes().count(b"\n") > MOST_LINES]
    assert len(ours) > 300 and long == []
