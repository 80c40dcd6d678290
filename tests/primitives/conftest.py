"""Every test starts and ends in a frame of one lane, with a handler that lets every branch be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.program.control import Idle


class Bystander(Idle):
    """A handler that hears of tests and changes nothing."""

    def decided(self, truth: Any) -> Any:
        return truth


@pytest.fixture(autouse=True)
def one_lane() -> Iterator[None]:
    before = here.frame, here.handler
    run_in(Frame.first(1), Bystander())
    yield
    run_in(*before)
