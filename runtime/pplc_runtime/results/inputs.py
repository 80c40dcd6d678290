"""The values of a model's inputs: from what Python or the command hands over to plain values, with all that is wrong.

Data are values by name, or a table (a data frame, or a list of records), whose columns are the inputs of their names;
columns that the model does not ask for are left alone. What is missing (NaN, None, NA, an empty cell) is an error,
unless the program looks at missing values itself; then it is nil.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from io import BytesIO
from typing import Any
from zipfile import is_zipfile

import numpy as np

from pplc_runtime.results.json_values import columns_of, from_python, is_frame, to_json
from pplc_runtime.suggestions import suggestion
from pplc_runtime.values import List, Map, Symbol

_KINDS = (type(None), bool, int, float, str, Symbol, tuple, List, Map, np.ndarray)


def inputs_of(
    given: Any, known: Collection[str], asks: bool, origin: str = "data", needed: Collection[str] = ()
) -> dict[str, Any]:
    """The inputs by name. What is wrong is a TypeError or ValueError, which names where the data are from.

    A table must have columns for those that are `needed`."""
    if given is None:
        return {}
    if is_frame(given) or is_records(given):
        columns = columns_of(given) if is_frame(given) else columns_of_records(given)
        found = of_table(columns, known, asks, origin)
        check_columns(found, needed, columns, origin)
        return found
    if not isinstance(given, Mapping):
        such = f", as in {{{next(iter(known))!r}: ...}}" if known else ""
        raise TypeError(
            f"{origin}: must map the names of inputs to their values{such}, or be a table or the path of a file, "
            f"not be {reprlib.repr(given)}"
        )
    for name in given:
        if name not in known:
            raise ValueError(f"{origin}: {unknown_input(name, known)}")
    return {name: plain_input(name, value, asks, origin) for name, value in given.items()}


def of_table(columns: Mapping[str, Any], known: Collection[str], asks: bool, origin: str) -> dict[str, Any]:
    """The inputs that are columns of a table."""
    found = {name: plain_input(name, column, asks, origin) for name, column in columns.items() if name in known}
    if not found:
        inputs = f"the inputs are {', '.join(known)}" if known else "the model has none"
        raise ValueError(
            f"{origin}: none of the columns {', '.join(columns)} is an input; {inputs}{_whole(known, origin)}"
        )
    return found


def _whole(known: Collection[str], origin: str) -> str:
    """How a table as a whole is given to the one input that there is."""
    if len(known) != 1:
        return ""
    (name,) = known
    how = f'data={{"{name}": ...}}' if origin == "data" else f"--data {name}={origin}"
    return f"; the whole table is given to it by {how}"


def check_columns(found: Collection[str], needed: Collection[str], columns: Collection[str], origin: str) -> None:
    """Say that a table has no column for an input that has no other value."""
    for name in needed:
        if name not in found:
            there_are = f"the columns are {', '.join(map(str, columns))}"
            raise ValueError(f"{origin}: there is no column for the input '{name}'; {there_are}")


def is_records(given: Any) -> bool:
    """Whether data are a list of records."""
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(row, Mapping) for row in given)


def columns_of_records(rows: Any) -> dict[str, Any]:
    """The columns of a list of records; a record that lacks a name has None there."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def arrays_of(content: bytes) -> dict[str, Any]:
    """The arrays of an NPZ file of NumPy's, by name. Nothing is unpickled."""
    if not is_zipfile(BytesIO(content)):
        raise ValueError("not an NPZ file of NumPy's")
    try:
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except MemoryError:
        raise ValueError("it has an array that is too large") from None
    except Exception as error:  # of zipfile, of zlib and of numpy, which have many for what is damaged
        if "allow_pickle" in str(error):
            raise ValueError("it has an array of Python objects; arrays of numbers or text are read") from None
        raise ValueError("not an NPZ file of NumPy's") from None


def unknown_input(name: Any, known: Collection[str]) -> str:
    """What is said of a name that no input has."""
    inputs = f"; its inputs are {', '.join(sorted(known))}" if known else "; it has none"
    return f"the model has no input '{name}'{suggestion(name, known) or inputs}"


def plain_input(name: str, value: Any, asks: bool, origin: str = "data") -> Any:
    """One input as a plain value."""
    value = from_python(value)
    for path, item in _wrong(value):
        if item is None or isinstance(item, float):
            if asks:
                return _with_nil(value)
            what = "nil" if item is None else "NaN"
            where = f"has {what} at {_place(path)}" if path else "is NaN"
            raise ValueError(
                f"{origin}: the input '{name}' {where}; leave out what is missing, or let the model ask for it "
                "with missing?"
            )
        where = f" at {_place(path)}" if path else ""
        raise TypeError(
            f"{origin}: the input '{name}' has a value of the type {type(item).__name__}{where}, which the language "
            "does not have"
        )
    return value


def _place(path: tuple[Any, ...]) -> str:
    """Rows and columns count from 1, as lines and columns of source do in all messages; which is said."""
    if len(path) == 2 and isinstance(path[0], int) and isinstance(path[1], str):
        return f"row {path[0] + 1}, column {to_json(path[1])} (counted from 1)"
    axes = iter(("row", "column"))
    steps = [to_json(step) if isinstance(step, str) else f"{next(axes, 'element')} {step + 1}" for step in path]
    return ", ".join(steps) + (" (counted from 1)" if any(isinstance(step, int) for step in path) else "")


def _wrong(value: Any) -> Any:
    """The paths to what an input may not have, and that: NaN, nil inside of something, and what is no plain value.

    Off a stack, as values nest deeper than Python's."""
    stack: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, np.ndarray):
            if item.dtype.kind == "f" and len(found := np.argwhere(np.isnan(item))):
                yield (*path, *found[0].tolist()), float("nan")
        elif isinstance(item, tuple):
            stack.extend(((*path, place), item[place]) for place in reversed(range(len(item))))
        elif isinstance(item, Map):
            entries = [((*path, key if isinstance(key, str) else to_json(key)), each) for key, each in item.items()]
            stack.extend(reversed(entries))
        elif (item is None and path) or (isinstance(item, float) and item != item) or not isinstance(item, _KINDS):
            yield path, item


def _with_nil(value: Any) -> Any:
    """The value with nil for NaN."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f" or not np.isnan(value).any():
            return value
        return tuple(map(_with_nil, value.tolist() if value.ndim == 1 else value))
    if isinstance(value, tuple):
        return type(value)(map(_with_nil, value))
    if isinstance(value, Map):
        return Map.of((key, _with_nil(each)) for key, each in value.items())
    return None if isinstance(value, float) and value != value else value
