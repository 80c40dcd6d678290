"""What is known of the observes of a program, for some of its executions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Observes:
    """The observes of a program in their order."""

    lines: tuple[int, ...]
    """The line of the statement that each belongs to."""
    values: tuple[Any, ...]
    """What was observed; None where that is random itself."""
    log_likelihood: NDArray[np.float64]
    """A row for each execution, a column for each observe; 0 where an execution does not come to one."""
