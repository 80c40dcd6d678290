"""The exact answers of the programs in programs/, by program: `ANSWERS["hmm"].means["(state 0)"]`.

Each is computed on first use, from the model's mathematics, never through the compiler. Labels are the source
text of the predicted expression, with single spaces, or the label that the program gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from . import discrete_models, gaussian_models, grid_models, kalman_model, partition_models
from .answer import Answer

_SOLVERS: Final[Mapping[str, Callable[[], Answer]]] = {
    solver.__name__: solver
    for solver in (
        discrete_models.bayes_net,
        discrete_models.coin_process,
        discrete_models.crp_small,
        discrete_models.geometric,
        discrete_models.pcfg,
        discrete_models.reference_game,
        discrete_models.scalar_implicature,
        gaussian_models.collapsed_mean,
        gaussian_models.conditional_mean,
        gaussian_models.gaussian_chain,
        gaussian_models.gp_regression,
        gaussian_models.lazy_memo,
        gaussian_models.linear_regression,
        gaussian_models.list_length,
        gaussian_models.memo_branch,
        gaussian_models.poly_closure,
        gaussian_models.random_depth,
        grid_models.branching,
        grid_models.change_point,
        grid_models.epidemic,
        grid_models.hmm,
        grid_models.logistic_regression,
        grid_models.nested_observe,
        grid_models.nonlinear_ssm,
        grid_models.stochastic_volatility,
        grid_models.tug_of_war,
        kalman_model.kalman,
        partition_models.dp_mixture,
        partition_models.infinite_hmm,
        partition_models.infinite_mixture,
    )
}


class _Answers(Mapping[str, Answer]):
    """A table that solves a model when it is first asked for."""

    def __init__(self) -> None:
        self._solved: dict[str, Answer] = {}

    def __getitem__(self, stem: str) -> Answer:
        if stem not in self._solved:
            self._solved[stem] = _SOLVERS[stem]()
        return self._solved[stem]

    def __iter__(self) -> Iterator[str]:
        return iter(_SOLVERS)

    def __len__(self) -> int:
        return len(_SOLVERS)


ANSWERS: Final[Mapping[str, Answer]] = _Answers()
