"""Options of the test suite."""

from __future__ import annotations

import contextlib
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

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
    parser.addoption("--note-long", action="store_true", help="write which tests `make test` leaves to `make test-all`")


# What takes long is left to `make test-all`: the tests in a list, beside those that are marked. It is made of times.

LONG = Path(__file__).parent / "long_tests.txt"
BUDGET = 130.0
"""CPU seconds that what is left to `make test` may take."""
TIMES: dict[str, float] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = set() if config.getoption("--note-long") else set(LONG.read_text(encoding="utf-8").splitlines())
    for item in items:
        if item.nodeid in long:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    before = _cpu_seconds()
    result = yield
    TIMES[item.nodeid] = _cpu_seconds() - before
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--note-long"):
        LONG.write_text("".join(f"{name}\n" for name in sorted(too_long(TIMES, BUDGET))), encoding="utf-8")


def too_long(times: dict[str, float], budget: float) -> set[str]:
    """The longest of some tests, until the others keep within a budget; one of each file stays."""
    left = {name.split("::")[0]: 0 for name in times}
    for name in times:
        left[name.split("::")[0]] += 1
    total, found = sum(times.values()), set()
    for name in sorted(times, key=times.__getitem__, reverse=True):
        file = name.split("::")[0]
        if total > budget and left[file] > 1:
            found.add(name)
            left[file] -= 1
            total -= times[name]
    return found


def _cpu_seconds() -> float:
    """Those of this process and of all that it has started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
