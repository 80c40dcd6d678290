"""Clusters of machines for --cluster, by dask.distributed (the extra `cluster`)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pplc_runtime.command.failures import RunError
from pplc_runtime.results.extras import extra

PATIENCE = 10
"""Seconds in which a scheduler must answer."""


@contextmanager
def cluster(address: str | None) -> Iterator[Executor | None]:
    """The workers of the cluster whose scheduler is at an address; None without one."""
    if address is None:
        yield None
        return
    with extra("cluster", "distributed", "dask"):
        distributed: Any = import_module("distributed")
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise RunError(f"cannot reach the cluster at {address}: {str(error).splitlines()[0]}") from None
    try:
        yield client.get_executor()
    finally:
        client.close(timeout=PATIENCE)
