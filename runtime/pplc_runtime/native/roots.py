"""Roots of small covariances as scalar code, element by element.

A covariance that later segments use has its root computed beside it, once, and they read that: so a replay of all that
depends on a parameter takes no root again. The root is a vector, its rows one after the other, and at the end the log
density of the mean, not a number where there is no root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from pplc_runtime.distributions.domains import POSITIVE_DEFINITE
from pplc_runtime.native.noise import SMALL_ROOT
from pplc_runtime.native.once import put
from pplc_runtime.native.values import Elements
from pplc_runtime.specialise.ir import (
    REAL,
    Check,
    Compute,
    Draw,
    Operand,
    Operation,
    Score,
    Specialised,
    Trace,
    Var,
    vars_in,
)
from pplc_runtime.specialise.slices import specialised

if TYPE_CHECKING:
    from pplc_runtime.native.scalar import Scalar

ROOT: Final = "root"
"""The operation that gives the root of a covariance."""


def with_roots(program: Specialised) -> Specialised:
    """The same program, with the roots of covariances that are used in later segments than they come up in."""
    segments = [segment.forward for segment in program.segments]
    used = [set(_covariances(operations)) for operations in segments]
    wanted = {var for number, own in enumerate(used) for var in own if var.segment < number}
    if not wanted:
        return program
    roots = {var: Var(var.number, REAL, (elements(var.shape[0]) + 1,), var.segment) for var in wanted}
    trace = Trace(
        [
            list(_with_roots(operations, {var: roots[var] for var in own & wanted}, roots))
            for operations, own in zip(segments, used)
        ],
        [(segment.place, segment.line) for segment in program.segments],
        program.parted,
        None if program.reports is None else list(program.reports),
        program.store,
    )
    return specialised(trace)


def elements(size: int) -> int:
    """How many elements the root of so many rows has."""
    return size * (size + 1) // 2


def _covariances(operations: tuple[Operation, ...]) -> Iterator[Var]:
    """The small values that some operations use as covariances, and as nothing else."""
    found: set[Var] = set()
    others: set[Var] = set()
    for operation in operations:
        match operation:
            case Check(domain, value) if domain is POSITIVE_DEFINITE:
                pass
            case Draw(_, _, family, (mean, Var() as covariance)) if family.name == "mvn":
                found.add(covariance)
                others.update(vars_in((mean,)))
            case Score(family, (mean, Var() as covariance), value) if getattr(family, "name", "") == "mvn":
                found.add(covariance)
                others.update(vars_in((mean, value)))
            case _:
                others.update(operation.uses)
    return (var for var in found - others if var.shape[0] <= SMALL_ROOT)


def _with_roots(
    operations: tuple[Operation, ...], own: dict[Var, Operand], roots: dict[Var, Var]
) -> Iterator[Operation]:
    """The operations of a segment, of which some read roots in place of covariances; what it computes has a root."""
    for operation in operations:
        yield put(operation, own)
        if isinstance(operation, Compute | Draw) and operation.result in roots:
            yield Compute(roots[operation.result], ROOT, (operation.result,))


def take_root(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    """The code of the operation."""
    a = code.value(arguments[0])
    size = a.shape[0]
    tests = [f"{a.items[i * size + j]} == {a.items[j * size + i]}" for i in range(size) for j in range(i)]
    rows = _rows(code, a, lambda square: tests.append(f"{square} > 0.0"))
    peak = code.set(_peak(rows))
    code.line(f"if not ({' and '.join(tests)}): {peak} = nan")
    code.define(result, [*(item for row in rows for item in row), peak])


def small_root(code: Scalar, covariance: Operand) -> tuple[list[list[str]], str]:
    """The root of a small covariance, row by row, and the log density of the mean."""
    if type(covariance) is not Var:
        root = np.linalg.cholesky(np.asarray(covariance, float))
        rows = [[code.constant("real", float(x)) for x in row[: k + 1]] for k, row in enumerate(root)]
        return rows, _peak(rows)
    if covariance not in code.small_roots:
        found = code.value(covariance)
        wrong = code.fail(f"a parameter must be {POSITIVE_DEFINITE.text}")
        if len(found.shape) == 1:
            *items, peak = found.items
            code.line(f"if not ({peak} == {peak}): {wrong}")
            size = next(k for k in range(len(found.items)) if elements(k) == len(items))
            rows = [items[elements(k) : elements(k + 1)] for k in range(size)]
        else:
            rows = _rows(code, found, lambda square: code.line(f"if not ({square} > 0.0): {wrong}"))
            peak = _peak(rows)
        code.small_roots[covariance] = rows, peak
    return code.small_roots[covariance]


def small_density(code: Scalar, x: Elements, mean: Elements, covariance: Operand) -> str:
    """The log density of a small vector, number by number."""
    rows, peak = small_root(code, covariance)
    noise: list[str] = []
    for k, row in enumerate(rows):
        known = "".join(f" - {factor} * {z}" for factor, z in zip(row, noise))
        noise.append(code.set(f"({code.element(x, k)} - {code.element(mean, k)}{known}) / {row[-1]}"))
    return f"{peak} - 0.5 * ({' + '.join(f'{z} * {z}' for z in noise)})"


def _rows(code: Scalar, a: Elements, see: Callable[[str], None]) -> list[list[str]]:
    """The rows of a root; what the last of each is the root of is looked at before."""
    rows: list[list[str]] = []
    size = a.shape[0]
    for i in range(size):
        row: list[str] = []
        for j, other in enumerate(rows):
            known = "".join(f" - {x} * {y}" for x, y in zip(row, other[:-1]))
            row.append(code.set(f"({a.items[i * size + j]}{known}) / {other[-1]}"))
        square = code.set(f"{a.items[i * size + i]}" + "".join(f" - {x} * {x}" for x in row))
        see(square)
        rows.append([*row, code.set(f"sqrt({square})")])
    return rows


def _peak(rows: list[list[str]]) -> str:
    return f"-{float(0.5 * np.log(2.0 * np.pi) * len(rows))!r}" + "".join(f" - log({row[-1]})" for row in rows)
