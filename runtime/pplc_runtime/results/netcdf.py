"""The groups of a posterior in a NetCDF file, as ArviZ and xarray open them; by h5netcdf (the extra `netcdf`).

NetCDF of version 4, for it has groups. Booleans are bytes that say what they are, as xarray writes them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5netcdf
import h5py  # noqa: F401 # by which h5netcdf reads and writes, and which it does not bring along
import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.groups import Group, Variable, groups_of

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior


def write_groups(posterior: Posterior, path: Path) -> None:
    """Write all groups."""
    with h5netcdf.File(path, "w") as file:
        for name, group in groups_of(posterior).items():
            _write(file.create_group(name), group)


def _write(target: Any, group: Group) -> None:
    variables = {**group.coordinates, **group.variables}
    target.dimensions = {dim: size for each in variables.values() for dim, size in zip(each.dims, each.data.shape)}
    aside = " ".join(name for name in group.coordinates if name not in target.dimensions)
    for name, variable in variables.items():
        made = _variable(target, name, variable)
        if aside and name in group.variables:
            made.attrs["coordinates"] = aside
    for name, value in group.attributes.items():
        target.attrs[name] = value


def _variable(target: Any, name: str, variable: Variable) -> Any:
    data = variable.data
    if data.dtype.kind == "b":
        made = target.create_variable(name, variable.dims, data=data.astype(np.int8))
        made.attrs["dtype"] = "bool"
        return made
    if data.dtype.kind == "O":
        import h5py

        return target.create_variable(name, variable.dims, dtype=h5py.string_dtype(), data=data)
    return target.create_variable(name, variable.dims, data=data)


def read_weighted(path: Path) -> tuple[NDArray[np.float64], dict[str, NDArray[Any]], dict[str, Any]]:
    """The log weights by run, sweep and particle, the values of the predicts, and what is told of the run."""
    with h5netcdf.File(path, "r", decode_vlen_strings=True) as file:
        group = file["weighted"]
        told = json.loads(_plain(group.attrs["pplc"]))
        logs = np.asarray(group.variables["log_weight"][...], np.float64)
        found = {}
        for name, variable in group.variables.items():
            if name not in group.dimensions and name != "log_weight":
                data = np.asarray(variable[...])
                found[name] = data.astype(np.bool_) if _plain(variable.attrs.get("dtype")) == "bool" else data
        return logs, found, told


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.size(value) == 1 else value
