"""Draws of a file as a posterior again, by the ending of its name. Files are read as data: nothing in them is run or
unpickled."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.columns import regular
from pplc_runtime.results.export import WITHOUT_DRAWS
from pplc_runtime.results.extras import extra
from pplc_runtime.results.files import LIBRARIES, ending_of, value_of
from pplc_runtime.results.flat import KEYS
from pplc_runtime.results.json_values import from_python
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Column, Sweep

MOST_GAPS: Final = 10_000_000


class BadFile(ValueError):
    """A file that has no draws in it that can be read."""


def read_draws(path: str | os.PathLike[str]) -> Posterior:
    """The posterior in a file."""
    read: dict[str, Callable[[Path], Posterior]] = {
        ".jsonl": _read_jsonl, ".csv": _read_csv, ".parquet": _read_parquet, ".nc": _read_netcdf,
    }  # fmt: skip
    ending = ending_of(path)
    if ending is None:
        raise BadFile(f"{path}: a file of draws ends in {', '.join(LIBRARIES)}")
    try:
        found = read[ending](Path(path))
    except (BadFile, UnicodeDecodeError):
        raise
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise BadFile(f"{path}: what it tells of its run cannot be read") from None
    if not found.sweeps:
        raise BadFile(f"{path}: it has no draws")
    if not all((sweep.log_weights < np.inf).all() for sweep in found.sweeps):
        raise BadFile(f"{path}: a log_weight is NaN or Infinity")
    return found


def _read_jsonl(path: Path) -> Posterior:
    told: dict[str, Any] = {}
    rows: dict[tuple[int, int], tuple[list[int], list[float], dict[str, list[Any]]]] = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                if "predict" not in entry:
                    told.update(entry)
                    continue
                particles, logs, columns = rows.setdefault((int(entry["chain"]), int(entry["sweep"])), ([], [], {}))
                particles.append(int(entry["particle"]))
                logs.append(float(entry["log_weight"]))
                for label, value in entry["predict"].items():
                    columns.setdefault(label, []).append(_with_floats(value))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
                raise BadFile(f"{path}:{number}: not a line of draws") from None
    for (chain, sweep), (_, logs, columns) in rows.items():
        lacking = next((label for label, own in columns.items() if len(own) != len(logs)), None)
        if lacking is not None:
            raise BadFile(f"{path}: some draws of sweep {sweep} of chain {chain} have no {lacking!r}")
    sweeps = [
        Sweep(chain, number, np.array(logs), {label: _column(own) for label, own in columns.items()})
        for (chain, number), (_, logs, columns) in rows.items()
    ]
    return posterior_of(sweeps, told)


def _with_floats(value: Any) -> Any:
    """A value of JSON lines, where floats that JSON has no word for are text."""
    if isinstance(value, list):
        return [_with_floats(each) for each in value]
    if isinstance(value, dict):
        return {key: _with_floats(each) for key, each in value.items()}
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def _column(values: Iterable[Any]) -> Column:
    found = regular([from_python(value) for value in values])
    return np.moveaxis(found, 0, -1) if isinstance(found, np.ndarray) else found


def _read_csv(path: Path) -> Posterior:
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file)
        names = next(rows, [])
        cells = [row for row in rows if row]
    if any(len(row) != len(names) for row in cells):
        raise BadFile(f"{path}: its lines have different numbers of cells")
    columns = {name: [value_of(row[place]) for row in cells] for place, name in enumerate(names)}
    return _of_rows(path, columns, {})


def _read_parquet(path: Path) -> Posterior:
    with extra("parquet", "pyarrow"):
        import pyarrow
        import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path)
        told = json.loads((table.schema.metadata or {}).get(b"pplc", b"{}"))
    except (pyarrow.ArrowException, ValueError):
        raise BadFile(f"{path}: not a Parquet file of draws") from None
    return _of_rows(path, table.to_pydict(), told)


def _of_rows(path: Path, columns: Mapping[str, list[Any]], told: dict[str, Any]) -> Posterior:
    """The posterior in a flat table."""
    lacking = [name for name in KEYS if name not in columns]
    if lacking:
        raise BadFile(f"{path}: it has no column {lacking[0]!r}; draws have {', '.join(KEYS)}")
    try:
        keys = np.array([columns["chain"], columns["sweep"]], np.int64)
        logs = np.array(columns["log_weight"], np.float64)
    except (ValueError, TypeError, OverflowError):
        raise BadFile(f"{path}: chain, sweep and log_weight must be numbers") from None
    drawn = {name: column for name, column in columns.items() if name not in KEYS}
    sweeps = []
    for chain, number in dict.fromkeys(zip(*keys.tolist())):
        own = np.flatnonzero((keys[0] == chain) & (keys[1] == number))
        predicts = {name: _column(column[place] for place in own.tolist()) for name, column in drawn.items()}
        sweeps.append(Sweep(chain, number, logs[own], predicts))
    return posterior_of(sweeps, told)


def _read_netcdf(path: Path) -> Posterior:
    with extra("netcdf", "h5netcdf", "h5py"):
        from pplc_runtime.results.netcdf import read_weighted

        try:
            logs, variables, told = read_weighted(path)
        except (OSError, KeyError):
            raise BadFile(f"{path}: not a NetCDF file of draws of pplc") from None
    sweeps = []
    for chain, number in np.ndindex(*logs.shape[:2]):
        alive = np.flatnonzero(logs[chain, number] > -np.inf)
        if alive.size:
            predicts = {name: _lanes(data[chain, number, alive]) for name, data in variables.items()}
            sweeps.append(Sweep(chain, number, logs[chain, number, alive], predicts))
    return posterior_of(sweeps, told)


def _lanes(data: NDArray[Any]) -> Column:
    return data.tolist() if data.dtype.kind == "O" else np.moveaxis(data, 0, -1)


def posterior_of(sweeps: list[Sweep], told: Mapping[str, Any]) -> Posterior:
    """The posterior of the sweeps of a file, and of those that have no draws in it."""
    with np.errstate(invalid="ignore"):
        totals = [float(np.logaddexp.reduce(sweep.log_weights)) for sweep in sweeps]
    is_chain = bool(told.get("is_chain", bool(totals) and max(map(abs, totals)) < 1e-6))
    chains = int(told.get("chains") or len({sweep.chain for sweep in sweeps}) or 1)
    lost = told.get(WITHOUT_DRAWS, ()) if told or is_chain else _gaps(sweeps)
    sweeps = [*sweeps, *(Sweep(c, n, np.array([-np.inf]), {}) for c, n in lost)]
    size = int(told.get("particles") or max((len(sweep.log_weights) for sweep in sweeps), default=0))
    seed = told.get("seed")
    return Posterior(
        str(told.get("method", "draws")), None if seed is None else int(seed), size, chains, sweeps, is_chain
    )


def _gaps(sweeps: list[Sweep]) -> list[tuple[int, int]]:
    """The chains and numbers of sweeps that lie before the last of their chain, and have no draws; a CSV tells no more
    of those that have lost all particles."""
    last: dict[int, int] = {}
    for sweep in sweeps:
        last[sweep.chain] = max(sweep.number, last.get(sweep.chain, 0))
    there = {(sweep.chain, sweep.number) for sweep in sweeps}
    if sum(last.values()) > MOST_GAPS + len(sweeps):  # numbers of somebody else's
        return []
    return [(chain, number) for chain in last for number in range(last[chain]) if (chain, number) not in there]
