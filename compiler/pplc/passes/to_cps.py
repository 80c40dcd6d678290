"""To CPS: the statements as steps with explicit continuations.

[assume x e] [for [t ts] [observe d t]] [predict x]
->  0: assume x          next 1
    1: loop t            body 2, next 3
    2: observe           next 1
    3: predict x         next 4
"""

from __future__ import annotations

from typing import assert_never

from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.steps import Loop, Step, Steps
from pplc.languages.traverse import inputs_of, side_by_side


def to_cps(analysis: Analysis) -> Steps:
    """The program as a flat list of steps."""
    steps: list[Step | Loop] = []
    inputs = inputs_of(analysis.program)

    def place(statements: tuple[core.Statement, ...], loops: tuple[str, ...], after: int | None) -> None:
        """Append the statements; the last one goes on at `after`, or at the step that follows it."""
        for position, statement in enumerate(statements):
            last = position == len(statements) - 1
            here = len(steps)
            following = after if last and after is not None else here + 1
            match statement:
                case core.ForStatement(name, sequence, body, span, test):
                    steps.append(Loop(name, sequence, loops, span, here + 1, here + 1, test))
                    place(body, (*loops, name), here)
                    end = after if last and after is not None else len(steps)
                    together = side_by_side(sequence, inputs)
                    steps[here] = Loop(name, sequence, loops, span, here + 1, end, test, together)
                case core.SharedStatement(shape, literals, shared, row, span):
                    known = (span in analysis.acting, analysis.kept.get(span, ()))
                    steps.append(Step(shared, (*loops, *literals), shape, row, span, following, *known))
                case core.AssumeStatement() | core.ObserveStatement() | core.PredictStatement() | core.InputStatement():
                    span = statement.span
                    known = (span in analysis.acting, analysis.kept.get(span, ()))
                    steps.append(Step(statement, loops, None, (), span, following, *known))
                case _:
                    assert_never(statement)

    place(analysis.program.statements, (), None)
    return Steps(tuple(steps), analysis.direct, analysis.constant, analysis.shared)
