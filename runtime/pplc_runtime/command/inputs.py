"""The values of a model's inputs, from --data and --set name=value."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from typing import Any

from pplc_runtime.command.data_files import Table, data_in, read_data
from pplc_runtime.command.failures import UsageError
from pplc_runtime.results.inputs import check_columns, inputs_of, of_table, plain_input, unknown_input
from pplc_runtime.results.json_values import from_python, of_word, records_of


def read_inputs(
    data: Sequence[str], settings: Sequence[str], known: Collection[str], asks: bool, needed: Collection[str] = ()
) -> dict[str, Any]:
    """The inputs by name; --set wins over --data, and what is given last over what was given before.

    Where a table was given, an input that is `needed` and has no value is told with the columns that there are."""
    values: dict[str, Any] = {}
    columns: dict[str, None] = {}
    try:
        for given in data:
            values.update(_of_file(given, known, asks, columns))
        for setting in settings:
            name, equals, text = setting.partition("=")
            if not equals or not name.strip():
                raise UsageError(f"--set takes name=value, not '{setting}'")
            name = name.strip()
            if name not in known:
                raise UsageError(f"--set: {unknown_input(name, known)}")
            values[name] = plain_input(name, _value_of(text), asks, "--set")
        if columns:
            check_columns(values, needed, columns, ", ".join(data))
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    return values


def _of_file(given: str, known: Collection[str], asks: bool, columns: dict[str, None]) -> dict[str, Any]:
    """The inputs in a file, or for `name=file` the one that is the whole file; a table is records then.

    The columns of a table are added to those that there are."""
    name, equals, path = given.partition("=")
    if equals and name.isprintable() and not os.path.exists(given):
        if name not in known:
            raise UsageError(f"--data: {unknown_input(name, known)}")
        value = read_data(path)
        if isinstance(value, Table):
            value = records_of({key: from_python(own) for key, own in value.columns.items()})
        return {name: plain_input(name, value, asks, path)}
    value = read_data(given)
    if isinstance(value, Table):
        columns.update(dict.fromkeys(value.columns))
    return _of_data(value, given, known, asks)


def given_inputs(given: Any, known: Collection[str], asks: bool, needed: Collection[str]) -> dict[str, Any]:
    """The inputs as Python hands them over: values by name, a table, or the path of a file as --data takes it."""
    if not isinstance(given, str | os.PathLike):
        return inputs_of(given, known, asks, needed=needed)
    try:
        return read_inputs([os.fspath(given)], (), known, asks, needed)
    except UsageError as error:
        raise ValueError(f"data: {error}") from None


def inputs_in(text: str, name: str, known: Collection[str], asks: bool, needed: Collection[str] = ()) -> dict[str, Any]:
    """The inputs in a text of JSON or of cells; none if it is empty."""
    if not text.strip():
        return {}
    try:
        value = data_in(text, name)
        found = _of_data(value, name, known, asks)
        if isinstance(value, Table):
            check_columns(found, needed, value.columns, name)
        return found
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None


def _of_data(value: Any, name: str, known: Collection[str], asks: bool) -> dict[str, Any]:
    if isinstance(value, Table):
        return of_table(value.columns, known, asks, name)
    if not isinstance(value, dict):
        raise UsageError(f'{name}: the data must be an object {{"name": value, ...}}, or a list of records')
    return inputs_of(value, known, asks, name)


def _value_of(text: str) -> Any:
    try:
        return from_python(json.loads(text))
    except ValueError:
        return of_word(text)
    except RecursionError:
        raise UsageError("--set: the value is nested too deeply") from None
