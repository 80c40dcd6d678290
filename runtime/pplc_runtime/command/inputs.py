"""The values of a model's inputs, from --data FILE.json and --set name=value."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from typing import Any

from pplc_runtime.command.failures import UsageError
from pplc_runtime.command.files import read_text
from pplc_runtime.results.json_values import from_python, nan_in_input
from pplc_runtime.suggestions import suggestion


def read_inputs(data: str | None, settings: Sequence[str], known: Collection[str]) -> dict[str, Any]:
    """The inputs by name; --set wins over --data, and the last --set of a name over earlier ones."""
    values: dict[str, Any] = {}
    if data is not None:
        for name, value in _read_data(data).items():
            if name in known:
                values[name] = _checked(name, from_python(value), data)
            else:
                close = suggestion(name, known)
                print(f"warning: {data}: the model has no input '{name}'{close}", file=sys.stderr)
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set takes name=value, not '{setting}'")
        name = name.strip()
        if name not in known:
            inputs = f"its inputs are {', '.join(sorted(known))}" if known else "it has none"
            raise UsageError(f"--set: the model has no input '{name}'{suggestion(name, known) or '; ' + inputs}")
        values[name] = _checked(name, _value_of(text), "--set")
    return values


def _checked(name: str, value: Any, origin: str) -> Any:
    problem = nan_in_input(name, value)
    if problem is not None:
        raise UsageError(f"{origin}: {problem}")
    return value


def _value_of(text: str) -> Any:
    try:
        return from_python(json.loads(text))
    except ValueError:
        return text
    except RecursionError:
        raise UsageError("--set: the value is nested too deeply") from None


def _read_data(path: str) -> dict[str, Any]:
    text = read_text(path)
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except _DuplicateKey as error:
        raise UsageError(f"{path}: '{error}' is given twice in one object") from None
    except RecursionError:
        raise UsageError(f"{path}: nested too deeply") from None
    except ValueError as error:  # An int of more digits than Python reads.
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise UsageError(f'{path}: the data must be an object {{"name": value, ...}}')
    return data


class _DuplicateKey(Exception):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _DuplicateKey(name)
        result[name] = value
    return result
