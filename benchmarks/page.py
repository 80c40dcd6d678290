"""Tables as files: CSV, and parts of a page of the documentation that are written anew.

Such a part stands between two comments, `<!-- NAME: written by ... -->` and `<!-- NAME: end -->`; all else in the page
is written by hand and stays.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Rows = Sequence[Sequence[object]]


def write_csv(file: Path, header: Sequence[str], rows: Rows) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def markdown(header: Sequence[str], rows: Rows) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def rewrite(page: Path, parts: Mapping[str, str]) -> None:
    """The page with these parts written anew. A part that the page has no place for is an error."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = rf"<!-- {re.escape(name)}: written [^>]*-->\n", rf"<!-- {re.escape(name)}: end -->"
        places = list(re.finditer(rf"({begin}).*?({end})", text, re.DOTALL))
        if len(places) != 1:
            raise ValueError(f"{page}: no one place for {name}")
        place = places[0]
        text = f"{text[: place.start()]}{place[1]}\n{part}\n\n{place[2]}{text[place.end() :]}"
    page.write_text(text, encoding="utf-8")
