"""A posterior for ArviZ: a DataTree for ArviZ 1 and later, an InferenceData for what came before."""

from __future__ import annotations

from typing import Any

from pplc_runtime.results.groups import Group


def to_arviz(groups: dict[str, Group]) -> Any:
    """The groups as the installed ArviZ has them."""
    import arviz
    import xarray

    datasets = {name: dataset(group) for name, group in groups.items()}
    if int(arviz.__version__.split(".")[0]) >= 1:
        return xarray.DataTree.from_dict(datasets)
    import warnings

    with warnings.catch_warnings():  # it knows no group `weighted`
        warnings.simplefilter("ignore", UserWarning)
        return arviz.InferenceData(**datasets)


def dataset(group: Group) -> Any:
    """A group as a dataset of xarray."""
    import xarray

    variables, coordinates = (
        {name: (each.dims, each.data) for name, each in part.items()} for part in (group.variables, group.coordinates)
    )
    return xarray.Dataset(variables, coordinates, group.attributes)
