"""docs/performance.md: the tables of a run, in a page whose explanations are written by hand."""

from __future__ import annotations

from pathlib import Path

from benchmarks.page import markdown, rewrite
from benchmarks.table import Line, Row, number

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"


def write(rows: list[Line], about: dict[str, str]) -> None:
    """Writes the parts of the page anew that hold what was measured; all else stays."""
    rewrite(PAGE, {"machine": machine(about), "behind": behind(rows), "tables": tables(rows)})


def machine(about: dict[str, str]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in about.items() if name != "load when begun")


def behind(rows: list[Line]) -> str:
    """The cells in which another sampler of the same model is faster, or a target is missed."""
    slower = [row for row in rows if isinstance(row, Row) and (row.reached is False or _slower(row))]
    if not slower:
        return "None."
    cells = [[row.section, row.label, row.against, number(row.ratio), number(row.limit)] for row in slower]
    missed = sum(row.reached is False for row in slower)
    judged = sum(row.reached is not None for row in rows)
    header = ["", "pplc", "against", "ratio", "at most"]
    return f"{judged - missed} of {judged} targets reached.\n\n{markdown(header, cells)}"


def _slower(row: Row) -> bool:
    return row.section == "A sweep" and row.ratio is not None and row.ratio > 1.0


def tables(rows: list[Line]) -> str:
    parts = []
    for section in dict.fromkeys(row.section for row in rows):
        lines = [row for row in rows if row.section == section]
        unit = f", {lines[0].unit}" if lines[0].unit else ""
        used = [i for i, name in enumerate(lines[0].header) if name or any(row.cells()[i] for row in lines)]
        header = [lines[0].header[i] for i in used]
        cells = [[row.cells()[i] for i in used] for row in lines]
        parts.append(f"### {section}{unit}\n\n{markdown(header, cells)}")
    return "\n\n".join(parts)
