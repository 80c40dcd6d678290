"""Files of data for --data, by their ending: JSON, CSV or TSV with a line of names, and the arrays of NumPy's NPZ.

A column of a CSV is of numbers if all its cells are, of booleans if all are true or false, else of text. An empty cell
is missing, and so is `NA` or `NaN` in a column of numbers. Nothing is unpickled.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from pplc_runtime.command.failures import UsageError
from pplc_runtime.command.files import read_bytes, read_text
from pplc_runtime.results.inputs import arrays_of, columns_of_records, is_records


@dataclass(frozen=True, slots=True)
class Table:
    """Columns by name."""

    columns: dict[str, Any]


def read_data(path: str) -> Any:
    """What a file has: a table, or the value that its JSON or NPZ is."""
    match PurePath(path).suffix.lower():
        case ".csv":
            return read_csv(path, ",")
        case ".tsv":
            return read_csv(path, "\t")
        case ".npz":
            return read_npz(path)
        case _:
            value = read_json(path)
            return Table(columns_of_records(value)) if is_records(value) else value


def data_in(text: str, name: str) -> Any:
    """What a text has: JSON if it starts as an object or a list does, else the cells of a table."""
    if text.lstrip()[:1] in ("{", "["):
        value = json_in(text, name)
        return Table(columns_of_records(value)) if is_records(value) else value
    return csv_in(text, name, "\t" if "\t" in text.partition("\n")[0] else ",")


def read_json(path: str) -> Any:
    """The value of a JSON file."""
    return json_in(read_text(path), path)


def json_in(text: str, path: str) -> Any:
    """The value of a text of JSON; messages call it by the name."""
    try:
        return json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except _DuplicateKey as error:
        raise UsageError(f"{path}: '{error}' is given twice in one object") from None
    except RecursionError:
        raise UsageError(f"{path}: nested too deeply") from None
    except ValueError as error:  # An int of more digits than Python reads.
        raise UsageError(f"{path}: {error}") from None


class _DuplicateKey(Exception):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _DuplicateKey(name)
        result[name] = value
    return result


def read_npz(path: str) -> dict[str, Any]:
    """The arrays of a file of NumPy's by name."""
    try:
        return arrays_of(read_bytes(path))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


def read_csv(path: str, delimiter: str) -> Table:
    """The columns of a file with a line of names."""
    return csv_in(read_text(path), path, delimiter)


def csv_in(text: str, path: str, delimiter: str) -> Table:
    """The columns of a text with a line of names; messages call it by the name."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: {error}") from None
    if not rows:
        raise UsageError(f"{path}: it is empty; the first line has the names of the columns")
    names = [name.strip() for name in rows[0][1]]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UsageError(f"{path}:1: there are two columns '{twice}'")
    for line, row in rows[1:]:
        if len(row) != len(names):
            raise UsageError(f"{path}:{line}: {len(row)} cells, where the first line has {len(names)}")
    cells = zip(*(row for _, row in rows[1:])) if len(rows) > 1 else ([] for _ in names)
    return Table({name: column([cell.strip() for cell in own]) for name, own in zip(names, cells)})


MISSING = ("", "NA", "NaN", "nan", "null")


def column(cells: Sequence[str]) -> list[Any]:
    """The cells of a column as values of one kind."""
    told = [cell for cell in cells if cell not in MISSING]
    for kind in (int, float, _truth):
        try:
            found = {cell: kind(cell) for cell in set(told)}
        except ValueError:
            continue
        if told and not any("_" in cell for cell in found):  # which Python takes for a number
            return [None if cell in MISSING else found[cell] for cell in cells]
    return [cell if cell else None for cell in cells]


def _truth(cell: str) -> bool:
    if cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    raise ValueError(cell)
