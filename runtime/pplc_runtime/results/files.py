"""Draws in files, by the ending of their names: .jsonl, .csv, .parquet, .nc; written whole. (`reading` reads them.)

JSON lines are also written sweep by sweep, by `export`. The flat files, .csv and .parquet, have one row a draw of
positive weight and one column a number or value. A NetCDF file has the groups of `groups`, as ArviZ opens them.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pplc_runtime.results.extras import extra
from pplc_runtime.results.flat import weighted_columns
from pplc_runtime.results.groups import about, storable

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

LIBRARIES: Final = {".jsonl": (), ".csv": (), ".parquet": ("parquet", "pyarrow"), ".nc": ("netcdf", "h5netcdf")}
"""The endings, and what each needs: an extra and its library."""


def ending_of(path: str | os.PathLike[str]) -> str | None:
    """The ending of a file of draws; None where it is none."""
    ending = Path(os.fspath(path).removesuffix(".part")).suffix.lower()
    return ending if ending in LIBRARIES else None


def write_draws(posterior: Posterior, path: str | os.PathLike[str]) -> None:
    """Write all draws; a file that cannot be written whole does not take the place of an earlier one."""
    write: dict[str, Callable[[Posterior, Path], None]] = {
        ".jsonl": lambda posterior, target: posterior.to_jsonl(target),
        ".csv": _write_csv,
        ".parquet": _write_parquet,
        ".nc": _write_netcdf,
    }
    ending = ending_of(path)
    if ending is None:
        raise ValueError(f"{path}: a file of draws ends in {', '.join(LIBRARIES)}")
    target = Path(os.path.realpath(path))
    if ending == ".jsonl":
        write[ending](posterior, target)
        return
    part = target.with_name(target.name + ".part")
    write[ending](posterior, part)
    os.replace(part, target)


def _write_csv(posterior: Posterior, path: Path) -> None:
    columns = weighted_columns(posterior)
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*(map(_cell, column.tolist()) for column in columns.values())))


def _cell(value: Any) -> str:
    """A value in a CSV: JSON's own text, and text without quotes where it could be nothing else."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value_of(value) != value else value
    if value is None:
        return "null"
    if isinstance(value, float):
        return repr(value) if isfinite(value) else "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value)


def value_of(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _write_parquet(posterior: Posterior, path: Path) -> None:
    with extra("parquet", "pyarrow"):
        import pyarrow
        import pyarrow.parquet

    columns = {name: storable(column) for name, column in weighted_columns(posterior).items()}
    table = pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"pplc": json.dumps(about(posterior))}), path)


def _write_netcdf(posterior: Posterior, path: Path) -> None:
    with extra("netcdf", "h5netcdf", "h5py"):
        from pplc_runtime.results.netcdf import write_groups

        write_groups(posterior, path)
