"""Draws as a flat table, one row a draw and one column a component: for data frames and files of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.columns import Draws, components
from pplc_runtime.results.json_values import to_json

if TYPE_CHECKING:
    from pandas import DataFrame

    from pplc_runtime.results.posterior import Posterior

KEYS = ("chain", "sweep", "particle", "log_weight")


def weighted_columns(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """All draws of positive weight: chain, sweep, particle, log weight, and the components of the predicts."""
    alive = [np.flatnonzero(sweep.log_weights != -np.inf) for sweep in posterior.sweeps]
    counts = [len(own) for own in alive]
    columns: dict[str, NDArray[Any]] = {
        "chain": np.repeat([sweep.chain for sweep in posterior.sweeps], counts).astype(np.int64),
        "sweep": np.repeat([sweep.number for sweep in posterior.sweeps], counts).astype(np.int64),
        "particle": _joined(alive).astype(np.int64),
        "log_weight": _joined([s.log_weights[own] for s, own in zip(posterior.sweeps, alive)]).astype(np.float64),
    }
    return _with_components(columns, posterior.labels, [posterior.values(label)[0] for label in posterior.labels])


def equal_columns(posterior: Posterior) -> dict[str, NDArray[Any]]:
    """The draws of equal weight: chain, sweep, and the components of the predicts."""
    equal = posterior.equal
    places = equal.sweeps.ravel().tolist()
    columns: dict[str, NDArray[Any]] = {
        "chain": np.array([posterior.sweeps[place].chain for place in places], np.int64),
        "sweep": np.array([posterior.sweeps[place].number for place in places], np.int64),
    }
    drawn = []
    for label in posterior.labels:
        array = equal.column(label)
        flat = array.reshape(-1, *array.shape[2:])
        drawn.append(list(flat) if flat.dtype.kind == "O" else flat)
    return _with_components(columns, posterior.labels, drawn)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.empty(0), *parts])


def _with_components(
    columns: dict[str, NDArray[Any]], labels: Sequence[str], values: Sequence[Draws]
) -> dict[str, NDArray[Any]]:
    """With a column for each component; one that has the name of another is numbered."""
    for label, draws in zip(labels, values):
        for component in components(label, draws):
            name, number = component.label, 1
            while name in columns:
                number += 1
                name = f"{component.label}#{number}"
            columns[name] = component.values if isinstance(component.values, np.ndarray) else _objects(component.values)
    return columns


def _objects(values: list[Any]) -> NDArray[Any]:
    """Values that are no numbers: text as it is, others as their JSON text, nil as None."""
    found = np.empty(len(values), object)
    found[:] = [None if value is None else plain_text(value) for value in values]
    return found


def plain_text(value: Any) -> Any:
    """A value for a cell of a table: a number or a text as it is, anything else as text."""
    if isinstance(value, int | float | str | np.number):
        return value
    text = to_json(value)
    return text[1:-1] if text.startswith('"') else text  # a symbol, a keyword, a procedure


def data_frame(posterior: Posterior, weighted: bool) -> DataFrame:
    """The table as a data frame of pandas."""
    import pandas

    if not weighted:
        return pandas.DataFrame(equal_columns(posterior))
    columns = weighted_columns(posterior)
    logs = columns.pop("log_weight")
    weights = np.exp(logs - logs.max()) if logs.size else logs
    keys = {name: columns.pop(name) for name in KEYS[:3]}
    return pandas.DataFrame({**keys, "weight": weights / max(float(weights.sum()), 1e-300), **columns})
