"""Rows of the benchmark, printed as one table and written as JSON and as a chart."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

HEADER = ("", "pplc", "wall", "against", "", "ratio", "at most", "reached")


@dataclass(frozen=True)
class Row:
    """What pplc took beside what something else took; a target is a limit of the ratio."""

    section: str
    label: str
    ours: float | None
    against: str = ""
    theirs: float | None = None
    limit: float | None = None
    unit: str = "ms"
    wall: float | None = None
    note: str = ""
    noisy: bool = False

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.ours is not None and self.theirs else None

    @property
    def reached(self) -> bool | None:
        return None if self.ratio is None or self.limit is None else self.ratio <= self.limit

    def cells(self) -> tuple[str, ...]:
        return (
            self.label,
            _number(self.ours),
            _number(self.wall),
            self.against,
            _number(self.theirs) if self.ratio is not None or not self.note else self.note,
            _number(self.ratio),
            _number(self.limit),
            {None: "", True: "yes", False: "NO"}[self.reached] + "?" * self.noisy,
        )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if abs(value) < 1 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


class Printer:
    """Prints rows as they come, a heading where the section changes."""

    WIDTHS = (34, 8, 8, 18, 9, 7, 8, 7)

    def __init__(self) -> None:
        self.section = ""

    def __call__(self, row: Row) -> None:
        if row.section != self.section:
            unit = f", {row.unit}" if row.unit else ""
            print(f"\n{row.section}{unit}")
            self._line(HEADER)
            self.section = row.section
        self._line(row.cells())

    def _line(self, cells: tuple[str, ...]) -> None:
        aligned = [
            cell.ljust(width) if i in (0, 3) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, self.WIDTHS))
        ]
        print("  ".join(aligned).rstrip(), flush=True)


def verdict(rows: list[Row]) -> str:
    judged = [row for row in rows if row.reached is not None]
    missed = [row for row in judged if not row.reached]
    noisy = sum(row.noisy for row in judged)
    lines = [
        f"{len(judged) - len(missed)} of {len(judged)} targets reached; {noisy} judged by noisy times (?)."
    ]
    for row in missed:
        lines.append(f"  not reached: {row.section}: {row.label} against {row.against}, {_number(row.ratio)}")
    return "\n".join(lines)


def machine() -> dict[str, str]:
    import numpy

    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": model,
        "cores": str(os.cpu_count()),
        "load when begun": load,
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "system": platform.system(),
    }


def write_json(path: Path, rows: list[Row], about: dict[str, str]) -> None:
    entries = [asdict(row) | {"ratio": row.ratio, "reached": row.reached} for row in rows]
    path.write_text(json.dumps({"machine": about, "rows": entries}, indent=1) + "\n")


def draw_chart(path: Path, rows: list[Row]) -> None:
    """The ratio of every row that has one, on a log scale, beside its target."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [row for row in rows if row.ratio is not None][::-1]
    figure, axes = plt.subplots(figsize=(9, 0.22 * len(shown) + 1))
    colours = {None: "#9a9a9a", True: "#3b7d4f", False: "#b4443c"}
    axes.barh(range(len(shown)), [r.ratio for r in shown], color=[colours[r.reached] for r in shown], left=0)
    for i, row in enumerate(shown):
        if row.limit is not None:
            axes.plot([row.limit, row.limit], [i - 0.45, i + 0.45], color="black", linewidth=1.5)
    axes.axvline(1.0, color="#555555", linewidth=0.7, linestyle=":")
    axes.set_xscale("log")
    axes.set_yticks(range(len(shown)), [f"{r.section}: {r.label} / {r.against}" for r in shown], fontsize=6)
    axes.set_ylim(-0.7, len(shown) - 0.3)
    axes.set_xlabel("pplc's time over the other's; black: at most; green: reached, red: not, grey: no target")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
