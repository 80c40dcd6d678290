"""Options of the test suite."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, and no time limit: neither chance nor the clock decides a test.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write what the passes give now as what is expected")
