"""Rows of the benchmark, printed as one table, written as JSON and read again."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar


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
    header: ClassVar = ("", "pplc", "wall", "against", "", "ratio", "at most", "reached")

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.ours is not None and self.theirs else None

    @property
    def reached(self) -> bool | None:
        return None if self.ratio is None or self.limit is None else self.ratio <= self.limit

    def cells(self) -> tuple[str, ...]:
        return (
            self.label,
            number(self.ours),
            number(self.wall),
            self.against,
            number(self.theirs) if self.ratio is not None or not self.note else self.note,
            number(self.ratio),
            number(self.limit),
            {None: "", True: "yes", False: "NO"}[self.reached] + "?" * self.noisy,
        )


@dataclass(frozen=True)
class Bias:
    """How far a sampler's answer is from the exact one, and how far it could be by chance; of pplc, no more than that
    is a target."""

    section: str
    label: str
    against: str
    error: float | None = None
    chance: float | None = None
    sweeps: int | None = None
    note: str = ""
    unit: str = "total variation"
    noisy: bool = False
    header: ClassVar = ("", "error", "chance", "sampler", "sweeps", "", "", "biased")

    @property
    def ratio(self) -> float | None:
        return self.error / self.chance if self.error is not None and self.chance else None

    @property
    def reached(self) -> bool | None:
        return None if self.ratio is None or self.against != "pplc" else self.ratio <= 1.0

    def cells(self) -> tuple[str, ...]:
        biased = "" if self.ratio is None else "no" if self.ratio <= 1.0 else "YES"
        numbers = ["" if value is None else f"{value:.2%}" for value in (self.error, self.chance)]
        sweeps = self.note if self.sweeps is None else f"{self.sweeps:,}"
        return (self.label, *numbers, self.against, sweeps, "", "", biased)


Line = Row | Bias


def number(value: float | None) -> str:
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

    def __call__(self, row: Line) -> None:
        if row.section != self.section:
            unit = f", {row.unit}" if row.unit else ""
            print(f"\n{row.section}{unit}")
            self._line(row.header)
            self.section = row.section
        self._line(row.cells())

    def _line(self, cells: tuple[str, ...]) -> None:
        aligned = [
            cell.ljust(width) if i in (0, 3) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, self.WIDTHS))
        ]
        print("  ".join(aligned).rstrip(), flush=True)


def verdict(rows: list[Line]) -> str:
    judged = [row for row in rows if row.reached is not None]
    missed = [row for row in judged if not row.reached]
    noisy = sum(row.noisy for row in judged)
    lines = [f"{len(judged) - len(missed)} of {len(judged)} targets reached; {noisy} judged by noisy times (?)."]
    for row in missed:
        lines.append(f"  not reached: {row.section}: {row.label} against {row.against}, {number(row.ratio)}")
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


def write_json(path: Path, rows: list[Line], about: dict[str, str]) -> None:
    entries = [asdict(row) | {"ratio": row.ratio, "reached": row.reached} for row in rows]
    path.write_text(json.dumps({"machine": about, "rows": entries}, indent=1) + "\n")


def read_json(path: Path) -> tuple[list[Line], dict[str, str]]:
    """The rows of an earlier run, and the machine that it was on."""
    found = json.loads(path.read_text())
    rows: list[Line] = []
    for entry in found["rows"]:
        kind = Bias if "error" in entry else Row
        rows.append(kind(**{name: value for name, value in entry.items() if name not in ("ratio", "reached")}))
    return rows, found["machine"]
