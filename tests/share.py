"""What of a long list of cases `make test` runs: one in so many. `make test-all` runs all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def share(cases: Iterable[Any], one_in: int) -> list[Any]:
    """The cases, of which the first of every `one_in` is not slow."""
    return [case if k % one_in == 0 else pytest.param(case, marks=pytest.mark.slow) for k, case in enumerate(cases)]
