"""The benchmark of pplc beside samplers by hand and other systems, with what is to be reached."""

from __future__ import annotations

import benchmarks.threads  # noqa: F401  isort: skip
import argparse
import re
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about two minutes: short batches")
    parser.add_argument("--only", metavar="PATTERN", help="only rows that match")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    parser.add_argument("--chart", type=Path, metavar="FILE.png", help="draw the ratios there")
    parser.add_argument("--check", action="store_true", help="check the samplers by hand")
    arguments = parser.parse_args()
    if arguments.check:
        from benchmarks.check import check

        raise SystemExit(0 if check() else 1)

    from benchmarks import suite, table
    from benchmarks.peers import outside

    pattern = re.compile(arguments.only or "", re.IGNORECASE)
    about = table.machine() | outside.versions()
    print("CPU time, one thread, the least of batches taken by turns; ratio: pplc over the other")
    print("; ".join(f"{name} {value}" for name, value in about.items()))
    bench = suite.Bench(arguments.quick, lambda label: pattern.search(label) is not None)
    rows, show = [], table.Printer()
    for section in suite.SECTIONS:
        for row in section(bench):
            show(row)
            rows.append(row)
    print(f"\n{table.verdict(rows)}")
    if arguments.json:
        table.write_json(arguments.json, rows, about)
    if arguments.chart:
        table.draw_chart(arguments.chart, rows)


if __name__ == "__main__":
    main()
