"""Gaussian values that have not been drawn: their joint law, as operations on its means and covariances.

A value that is drawn from a normal distribution whose mean is an affine function of others that have not been drawn is
jointly Gaussian with them. What is kept is the mean of each and the covariances; those that are zero in all
executions are not there, so that values which have nothing to do with each other cost nothing. To observe an affine
function with noise, or to learn a value, conditions the law, as a Kalman filter does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.specialise.writer import Writer


@dataclass(frozen=True, slots=True)
class Affine:
    """A number that is an affine function of values which have not been drawn, by their numbers."""

    constant: Any
    terms: dict[int, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """The values of one draw: a number, or the elements of a vector."""

    at: At
    values: tuple[int, ...]
    is_vector: bool


class Joint:
    """The law of all values that have not been drawn, given what was observed."""

    def __init__(self, writer: Writer) -> None:
        self.w = writer
        self.mean: dict[int, Any] = {}
        self.covariances: dict[tuple[int, int], Any] = {}

    def copy(self, values: Iterable[int]) -> Joint:
        """The law of some of them as it is now."""
        other = Joint(self.w)
        wanted = set(values)
        other.mean = {i: mean for i, mean in self.mean.items() if i in wanted}
        other.covariances = {ij: c for ij, c in self.covariances.items() if wanted.issuperset(ij)}
        return other

    def covariance(self, i: int, j: int) -> Any:
        return self.covariances.get((min(i, j), max(i, j)), 0.0)

    def put(self, i: int, j: int, value: Any) -> None:
        key = min(i, j), max(i, j)
        if type(value) is float and value == 0.0:
            self.covariances.pop(key, None)
        else:
            self.covariances[key] = value

    def drop(self, i: int) -> None:
        del self.mean[i]
        self.covariances = {ij: c for ij, c in self.covariances.items() if i not in ij}

    def related(self, values: Iterable[int]) -> set[int]:
        """All that some values depend on, through others as well."""
        found: set[int] = set()
        pending = list(values)
        while pending:
            i = pending.pop()
            if i not in found:
                found.add(i)
                pending += [k for ij in self.covariances if i in ij for k in ij]
        return found

    # Affine functions

    def expectation(self, form: Affine) -> Any:
        return self.w.sum(form.constant, *(self.w.op("*", a, self.mean[i]) for i, a in form.terms.items()))

    def with_all(self, form: Affine) -> dict[int, Any]:
        """The covariance of an affine function with each value."""
        found = {}
        for j in self.mean:
            total = self.w.sum(*(self.w.op("*", a, self.covariance(i, j)) for i, a in form.terms.items()))
            if not (type(total) is float and total == 0.0):
                found[j] = total
        return found

    def between(self, with_all: dict[int, Any], form: Affine) -> Any:
        return self.w.sum(*(self.w.op("*", a, with_all.get(i, 0.0)) for i, a in form.terms.items()))

    # What happens

    def add(self, values: tuple[int, ...], forms: list[Affine], noise: Callable[[int, int], Any]) -> None:
        """Further values, each an affine function of others with noise."""
        rows = [self.with_all(form) for form in forms]
        means = [self.expectation(form) for form in forms]
        own = {
            (a, b): self.w.op("+", self.between(rows[a], forms[b]), noise(a, b))
            for a in range(len(values))
            for b in range(a, len(values))
        }
        for value, mean, row in zip(values, means, rows):
            self.mean[value] = mean
            for j, covariance in row.items():
                self.put(value, j, covariance)
        for (a, b), covariance in own.items():
            self.put(values[a], values[b], covariance)

    def learn(self, row: dict[int, Any], variance: Any, error: Any) -> None:
        """Condition on something whose covariances with all are a row, from how far it is off its mean."""
        w = self.w
        gains = {j: w.op("/", c, variance) for j, c in row.items()}
        for j, gain in gains.items():
            self.mean[j] = w.op("+", self.mean[j], w.op("*", gain, error))
        ordered = sorted(row)
        for place, j in enumerate(ordered):
            for k in ordered[place:]:
                self.put(j, k, w.op("-", self.covariance(j, k), w.op("*", gains[j], row[k])))

    def observe(self, form: Affine, variance: Any, seen: Any) -> Any:
        """The log density of what is seen of an affine function with noise of a variance; the law is conditioned."""
        w = self.w
        row = self.with_all(form)
        total = w.op("+", self.between(row, form), variance)
        error = w.op("-", seen, self.expectation(form))
        self.learn(row, total, error)
        square = w.op("/", w.op("*", error, error), total)
        return w.op("*", -0.5, w.sum(math.log(2 * math.pi), w.log(total), square))

    def know(self, i: int, value: Any) -> None:
        """Condition on a value, which is then known."""
        row = {j: self.covariance(i, j) for j in self.mean if j != i and (min(i, j), max(i, j)) in self.covariances}
        if row:
            self.learn(row, self.covariance(i, i), self.w.op("-", value, self.mean[i]))
        self.drop(i)

    def drawn(self, group: Group) -> list[Any]:
        """The values of a group, drawn by their law; the others are conditioned on them."""
        w, values = self.w, group.values
        if not group.is_vector:
            (i,) = values
            found = [w.draw(group.at, "normal", self.mean[i], w.root(self.covariance(i, i)))]
        else:
            mean = w.vector([self.mean[i] for i in values])
            rows = [w.vector([self.covariance(i, j) for j in values]) for i in values]
            constant = all(type(row) is np.ndarray for row in rows)
            matrix = np.array(rows) if constant else w.call("vector", *rows)
            drawn = w.draw(group.at, "mvn", mean, matrix)
            found = [w.element(drawn, place) for place in range(len(values))]
        for i, value in zip(values, found):
            self.know(i, value)
        return found


def reduced(
    forms: list[Affine], covariance: NDArray[np.float64], seen: NDArray[np.float64]
) -> tuple[list[Affine], NDArray[np.float64], float] | None:
    """Many observes of few values, all of known numbers, as few with unit noise: y = H x + b + e is whitened by the
    Cholesky factor of the covariance of e, and turned so that only as many elements depend on x as x has. What is
    left is a constant of the log density."""
    names = sorted({i for form in forms for i in form.terms})
    numbers = [form.constant for form in forms] + [a for form in forms for a in form.terms.values()]
    if len(names) >= len(forms) or not all(type(number) in (int, float) for number in numbers):
        return None
    matrix = np.array([[float(form.terms.get(i, 0.0)) for i in names] for form in forms])
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, np.column_stack([matrix, seen - np.array([float(f.constant) for f in forms])]))
    q, r = np.linalg.qr(white[:, :-1])
    y = q.T @ white[:, -1]
    rest = float(white[:, -1] @ white[:, -1] - y @ y)
    left = -0.5 * (rest + (len(forms) - len(names)) * math.log(2 * math.pi)) - float(np.log(np.diag(root)).sum())
    found = [Affine(0.0, {i: float(a) for i, a in zip(names, row) if a != 0.0}) for row in r]
    return found, y, left
