"""Enumeration: the exact posterior of a program that has finitely many executions.

Each execution weighs the product of the densities of its draws and observes. The weights sum to the evidence, and their
shares are the posterior. Executions that report the same are one. (N. Goodman and A. Stuhlmüller 2014, "The design and
implementation of probabilistic programming languages", chapter on enumeration by replay.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.engine.enumeration import executions
from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.independent import Stateless
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.weights import log_sum_exp
from pplc_runtime.results.columns import column_of, values_of
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError, key_of


class Enumeration(Stateless):
    """One sweep, of all executions."""

    def step(
        self, engine: Engine, state: None, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[None, list[Sweep]]:  # fmt: skip
        plan: Any = engine.plan
        reported: dict[Any, tuple[dict[str, Any], list[float]]] = {}
        """By what is predicted: the values, and the log weights of all executions that report them."""
        for batch in executions(plan, key, report):
            labels = list(batch.predicts)
            columns = [values_of(column) for column in batch.predicts.values()]
            rows = zip(*columns) if columns else [()] * len(batch.log_weights)
            for row, log_weight in zip(rows, batch.log_weights.tolist()):
                values = tuple(map(key_of, row))
                reported.setdefault(values, (dict(zip(labels, row)), []))[1].append(log_weight)
        if not reported:
            raise ModelError("no execution of the program is possible: all weights are zero")
        log_weights = np.array([log_sum_exp(np.array(logs)) for _, logs in reported.values()])
        predicts = {label: column_of([row[label] for row, _ in reported.values()]) for label in labels}
        return None, [Sweep(settings.chain, number, log_weights, predicts, float(log_sum_exp(log_weights)))]
