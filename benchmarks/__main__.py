"""The benchmark of pplc beside samplers by hand and other systems, with what is to be reached."""

from __future__ import annotations

import benchmarks.threads  # noqa: F401  isort: skip
import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pplc_runtime.command.memory import keep_freed_memory

if TYPE_CHECKING:
    from benchmarks.table import Line, Printer


def main() -> None:
    keep_freed_memory()  # as the command does
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about two minutes: short batches")
    parser.add_argument("--only", metavar="PATTERN", help="only rows that match")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    parser.add_argument("--chart", type=Path, metavar="FILE.png", help="draw the ratios there")
    parser.add_argument("--again", type=Path, metavar="FILE", help="take the rows from there, do not measure")
    parser.add_argument("--page", action="store_true", help="write the tables of docs/performance.md")
    parser.add_argument("--check", action="store_true", help="check the samplers by hand")
    arguments = parser.parse_args()
    if arguments.check:
        from benchmarks.check import check

        raise SystemExit(0 if check() else 1)

    from benchmarks import table

    show = table.Printer()
    if arguments.again:
        rows, about = table.read_json(arguments.again)
        for row in rows:
            show(row)
    else:
        rows, about = measured(arguments.quick, arguments.only or "", show)
    print(f"\n{table.verdict(rows)}")
    if arguments.json:
        table.write_json(arguments.json, rows, about)
    if arguments.chart:
        from benchmarks.chart import draw

        draw(arguments.chart, rows)
    if arguments.page:
        from benchmarks.performance import write

        write(rows, about)


def measured(quick: bool, only: str, show: Printer) -> tuple[list[Line], dict[str, str]]:
    """The rows that match, each shown as it comes, and what they were measured on."""
    from benchmarks import moves, suite, table
    from benchmarks.peers import outside

    pattern = re.compile(only, re.IGNORECASE)
    about = table.machine() | outside.versions() | {"run": "quick" if quick else "full"}
    print("CPU time, one thread, the least of batches taken by turns; ratio: pplc over the other")
    print("; ".join(f"{name} {value}" for name, value in about.items()))
    bench = suite.Bench(quick, lambda label: pattern.search(label) is not None)
    rows: list[Line] = []
    for section in (*suite.SECTIONS, *moves.SECTIONS):
        for row in section(bench):
            show(row)
            rows.append(row)
    return rows, about


if __name__ == "__main__":
    main()
