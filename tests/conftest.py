"""Options of the test suite."""

from __future__ import annotations

import contextlib
import signal

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, and no time limit: neither chance nor the clock decides a test.
settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("same")


def pytest_configure() -> None:
    """Interrupts end the programs that tests start, also where the shell has told this one to ignore them."""
    with contextlib.suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write what the passes give now as what is expected")
