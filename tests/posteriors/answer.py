"""What is known about a program's posterior, and the data that the program itself holds."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .enumeration import Marginals, Twin, enumerate_posterior, means

PROGRAMS: Final = Path(__file__).parents[2] / "programs"
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answer:
    """Posterior means by predict label (a boolean's is its probability), full marginals where the value is
    discrete, and the log evidence."""

    means: Mapping[str, float]
    log_evidence: float
    marginals: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)


def from_twin(twin: Twin) -> Answer:
    evidence, marginals = enumerate_posterior(twin)
    return Answer(means(marginals), math.log(evidence), marginals)


def from_marginals(marginals: Marginals, log_evidence: float, **others: float) -> Answer:
    return Answer({**means(marginals), **others}, log_evidence, marginals)


def literal(stem: str, name: str) -> Array:
    """The vector or matrix literal that the program assumes as `name`."""
    return _literal(stem, "assume", name)


def input_of(stem: str, name: str) -> Array:
    """The vector or matrix that a program of programs/models has for an input; what is missing is NaN."""
    return _literal(f"models/{stem}", "input", name)


def _literal(stem: str, word: str, name: str) -> Array:
    text = (PROGRAMS / f"{stem}.clj").read_text()
    start = re.search(rf"\[{word} {re.escape(name)}\s+(?=\[)", text)
    if start is None:
        raise KeyError(f"{stem}: no literal {name}")
    depth, end = 0, start.end()
    while True:
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        end += 1
        if depth == 0:
            break
    json_text = re.sub(r"\s+", ",", text[start.end() : end].replace("[ ", "[").replace("nil", "NaN").strip())
    return np.array(json.loads(json_text), dtype=float)


def log_sum(log_weights: Array) -> float:
    top = float(log_weights.max())
    return top + math.log(float(np.exp(log_weights - top).sum()))


def normalised(log_weights: Array) -> tuple[Array, float]:
    """Probabilities proportional to the exponentials, and the log of their total."""
    total = log_sum(log_weights)
    return np.exp(log_weights - total), total


def normal_log_density(x: Any, mean: Any, sd: Any) -> Array:
    return np.asarray(-0.5 * ((x - mean) / sd) ** 2 - np.log(sd) - 0.5 * math.log(2.0 * math.pi))
