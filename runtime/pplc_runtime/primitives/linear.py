"""Sums and linear algebra over vectors and matrices, shared or over lanes.

The lane axis is last. A shared matrix times a vector over lanes is one product of matrices; where both vary
it is a sum over the common axis. numpy.linalg wants the lanes first, so they are moved there and back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce, wraps
from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.domains import VECTOR
from pplc_runtime.distributions.identity_cache import IdentityCache
from pplc_runtime.distributions.lanewise import LARGE, MANY, absolute_sum
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, one_by_one, plain, varies
from pplc_runtime.primitives.arguments import Function, settled, with_item, with_whole
from pplc_runtime.primitives.arithmetic import absolute, mul
from pplc_runtime.primitives.arrays import has_mix, numeric, objects, vectors, without_mix
from pplc_runtime.primitives.scalars import can_be_multiplied, product_of
from pplc_runtime.primitives.whole_numbers import LARGEST, Outgrown, magnitude
from pplc_runtime.values import List, ModelError, Value


def _numbers(name: str, *ranks: tuple[int, ...]) -> Callable[[Function], Function]:
    """Arguments brought to numbers and arrays, and checked to be of one of the ranks that each may have.

    The primitive gets each as a triple: its raw data, its rank and whether it is over lanes."""

    def decorate(work: Function) -> Function:
        @settled()
        @wraps(work)
        def primitive(*values: Value) -> Value:
            for position, value in enumerate(values):
                if (type(value) is tuple or type(value) is List) and has_mix(value):
                    return without_mix(value, with_item(primitive, values, position))
            try:
                return work(*(_operand(value, name, allowed) for value, allowed in zip(values, ranks)))
            except OverflowError:
                if here.frame.size > 1 and any(map(varies, values)):
                    return one_by_one(lambda: primitive(*map(plain, values)))
            exact = [objects(plain(value), name) for value in values]
            if not all(map(can_be_multiplied, exact)):
                raise ModelError(f"'{name}' of a number that is too large")
            return work(*(_operand(value, name, allowed) for value, allowed in zip(exact, ranks)))

        return primitive

    return decorate


_RANKS = {0: "a number", 1: "a vector of numbers", 2: "a matrix"}
Operand = tuple[Any, int, bool]


def _operand(value: Value, name: str, ranks: tuple[int, ...]) -> Operand:
    array = numeric(value, name)
    over_lanes = type(array) is Lane and here.frame.size > 1
    rank = array.data.ndim - 1 if over_lanes else np.ndim(array)
    if rank not in ranks:
        wanted = " or ".join(_RANKS[rank] for rank in ranks)
        raise refused(f"'{name}' takes {wanted}", value)
    return array.at(here.frame) if over_lanes else array, rank, over_lanes


def _result(data: Any, over_lanes: bool) -> Value:
    if over_lanes:
        return Lane(np.ascontiguousarray(data), here.frame)
    if type(data) is int or type(data) is float:
        return data
    if type(data) is np.ndarray and data.ndim:
        if data.dtype.kind == "O":
            return vectors(data.tolist())
        data.setflags(write=False)
        return data
    return data.item()


def _size(xs: Operand) -> int:
    """The largest absolute value of whole numbers; 0 for floats, and for integers that have no limit."""
    return magnitude(xs[0]) if type(xs[0]) is int or xs[0].dtype.kind == "i" else 0


def _must_fit(largest: int) -> None:
    """Ends the attempt if a result of whole numbers may be as large as this and no machine word holds it."""
    if largest > LARGEST:
        raise Outgrown


# Sums


@_numbers("sum", (1, 2))
def total(xs: Operand) -> Any:
    _must_fit(_size(xs) * len(xs[0]))
    return _result(np.sum(xs[0], axis=0), xs[2])


@_numbers("product", (1, 2))
def product(xs: Operand) -> Any:
    _must_fit(_size(xs) ** len(xs[0]) if _size(xs) > 1 else 1)
    if xs[0].dtype.kind == "O":
        return _result(reduce(np.frompyfunc(product_of, 2, 1), xs[0], 1), xs[2])
    return _result(np.prod(xs[0], axis=0), xs[2])


@_numbers("mean", (1, 2))
def mean(xs: Operand) -> Any:
    return _result(np.mean(_some(xs, "mean"), axis=0), xs[2])


@_numbers("variance", (1, 2))
def variance(xs: Operand) -> Any:
    """The mean square distance from the mean."""
    return _result(np.var(_some(xs, "variance"), axis=0), xs[2])


@_numbers("std", (1, 2))
def standard_deviation(xs: Operand) -> Any:
    return _result(np.std(_some(xs, "std"), axis=0), xs[2])


@_numbers("cumsum", (1, 2))
def cumulative_sum(xs: Operand) -> Any:
    _must_fit(_size(xs) * len(xs[0]))
    return _result(np.cumsum(xs[0], axis=0), xs[2])


@_numbers("argmax", (1,))
def argmax(xs: Operand) -> Any:
    return _result(np.argmax(_some(xs, "argmax"), axis=0), xs[2])


@_numbers("argmin", (1,))
def argmin(xs: Operand) -> Any:
    return _result(np.argmin(_some(xs, "argmin"), axis=0), xs[2])


@_numbers("logsumexp", (1,))
def log_sum_exp(xs: Operand) -> Any:
    data, _, over_lanes = xs
    data = _floats(data)
    if not len(data):
        return -math.inf
    largest = np.max(data, axis=0)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return _result(shift + np.log(np.sum(np.exp(data - shift), axis=0)), over_lanes)


@_numbers("softmax", (1,))
def softmax(xs: Operand) -> Any:
    """The exponentials divided by their sum, without overflow."""
    data = _some(xs, "softmax")
    largest = np.max(data, axis=0)
    if np.any(largest == -math.inf) or np.any(largest == math.inf):
        raise ModelError("'softmax' of numbers the largest of which is infinite")
    shares = np.exp(data - largest)
    return _result(shares / np.sum(shares, axis=0), xs[2])


@_numbers("normalize", (1,))
def normalize(xs: Operand) -> Any:
    """Numbers divided by their sum."""
    data, _, over_lanes = xs
    whole = np.sum(_some(xs, "normalize"), axis=0, dtype=np.float64)
    if np.any(whole == 0):
        raise ModelError("'normalize' of numbers whose sum is 0")
    return _result(_floats(data) / whole, over_lanes)


def _some(xs: Operand, name: str) -> Any:
    if not len(xs[0]):
        raise ModelError(f"'{name}' of no numbers")
    return _floats(xs[0])


def _floats(data: Any) -> Any:
    """Integers without limits as floats; other numbers as they are."""
    return data.astype(np.float64) if type(data) is np.ndarray and data.dtype.kind == "O" else data


# Products

_FEW = 4
"""Up to this many columns, one lane operation for each is faster than einsum."""


def mmul(first: Value, *others: Value) -> Value:
    """The product of matrices and vectors, from left to right; one with a number scales."""
    for other in others:
        quick = _quick_product(first, other)
        first = _product(first, other) if quick is None else quick
    return first if others else _product(first, 1)


def _quick_product(x: Value, y: Value) -> Any:
    """A matrix times a vector or matrix where that takes few steps; None for all other cases."""
    frame = here.frame
    a = x.at(frame) if type(x) is Lane else x
    b = y.at(frame) if type(y) is Lane else y
    if type(a) is not np.ndarray or type(b) is not np.ndarray or frame.size == 1:
        over_a = over_b = False
    else:
        over_a, over_b = type(x) is Lane, type(y) is Lane
    if not over_a:
        if type(a) is np.ndarray and a.ndim == 2 and type(b) is np.ndarray and len(b) == a.shape[1]:
            if a.dtype.kind == "i" and b.dtype.kind == "i":
                return None
            if over_b:
                return _known_product(a, b, frame) if b.ndim == 2 else None
            if b.ndim <= 2:
                return _result(a.dot(b), False)
        return None
    if a.dtype.kind == "i" and b.dtype.kind == "i":
        return None
    if a.ndim == 3 and b.ndim == (2 if over_b else 1) and a.shape[1] == len(b) <= _FEW:
        memory = here.handler.formulas
        if memory is not None:
            known = memory.get((id(x), id(y)))
            if known is not None and (known[2].frame is frame or known[2].frame is frame.parent):
                return known[2]
        terms = a * b if over_b else a * b[:, None]
        product = Lane(terms[:, 0] + terms[:, 1] if len(b) == 2 else np.add.reduce(terms, 1), frame)
        if memory is not None:
            memory[id(x), id(y)] = x, y, product  # which are kept, so that nothing else gets their identity
        return product
    return None


def _known_product(a: Any, b: Any, frame: Frame) -> Lane:
    """A shared matrix times vectors. That the vectors are moderate is quicker to see than that all of the product is
    finite, which is what a distribution wants to know of it."""
    product = Lane(a.dot(b), frame)
    if product.data.size > MANY and b.dtype == np.float64 and absolute_sum(b.ravel()) < LARGE and _is_moderate(a):
        product.checked = VECTOR
    return product


_is_moderate: Final = IdentityCache(lambda matrix: bool(np.abs(matrix).sum() < LARGE))


@_numbers("mmul", (0, 1, 2), (0, 1, 2))
def _product(x: Operand, y: Operand) -> Any:
    (a, rank, over_a), (b, other, over_b) = x, y
    if not rank or not other:
        return mul(_value(x), _value(y))
    rows, columns = a.shape[rank - 1], b.shape[0]
    if rows != columns:
        raise ModelError(f"'mmul' of shapes {_shape(x)} and {_shape(y)} that do not match")
    _must_fit(_size(x) * _size(y) * columns)
    if not over_a and not over_b:
        return _result(a @ b, False)
    if not over_a:
        flat = a @ b.reshape(columns, -1)
        return _result(flat.reshape(*a.shape[:-1], *b.shape[1:]), True)
    if rank == 1 and not over_b:
        return _result(b.T @ a, True)
    left = "ik"[2 - rank :] + "l" * over_a
    right = "kj"[:other] + "l" * over_b
    out = "i" * (rank - 1) + "j" * (other - 1) + "l"
    return _result(np.einsum(f"{left},{right}->{out}", a, b), True)


def _value(x: Operand) -> Any:
    return Lane(x[0], here.frame) if x[2] else x[0]


def _shape(x: Operand) -> str:
    return "x".join(map(str, x[0].shape[: x[1]]))


@_numbers("dot", (1,), (1,))
def dot(x: Operand, y: Operand) -> Any:
    (a, _, over_a), (b, _, over_b) = x, y
    if len(a) != len(b):
        raise ModelError(f"'dot' of vectors of lengths {len(a)} and {len(b)}")
    _must_fit(_size(x) * _size(y) * len(a))
    if over_a and over_b:
        return _result(np.einsum("kl,kl->l", a, b), True)
    return _result(b @ a if over_a else a @ b, over_a or over_b)


@_numbers("outer", (1,), (1,))
def outer(x: Operand, y: Operand) -> Any:
    (a, _, over_a), (b, _, over_b) = x, y
    _must_fit(_size(x) * _size(y))
    if not over_a and not over_b:
        return _result(np.outer(a, b), False)
    a = a if over_a else a[:, None]
    b = b if over_b else b[:, None]
    return _result(a[:, None] * b[None, :], True)


# Matrices


@settled()
def eye(size: Value) -> Value:
    def identity_matrix(n: int) -> Any:
        if not 0 < n <= 30_000:
            raise ModelError(f"'eye' takes a size above 0 and not above 30000, not {n}")
        return _result(np.eye(n), False)

    return with_whole(size, "eye", identity_matrix)


@_numbers("diag", (1, 2))
def diag(x: Operand) -> Any:
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    data, rank, over_lanes = x
    if rank == 2:
        diagonal = np.arange(min(data.shape[0], data.shape[1]))
        return _result(data[diagonal, diagonal], over_lanes)
    on = np.arange(len(data))
    matrix = np.zeros((len(data), *data.shape), data.dtype)
    matrix[on, on] = data
    return _result(matrix, over_lanes)


@_numbers("transpose", (1, 2))
def transpose(x: Operand) -> Any:
    data, rank, over_lanes = x
    return _result(np.swapaxes(data, 0, 1) if rank == 2 else data.view(), over_lanes)


@_numbers("norm", (0, 1, 2))
def norm(x: Operand) -> Any:
    """The square root of the sum of squares."""
    data, rank, over_lanes = x
    if not rank:
        return absolute(_value(x))
    return _result(np.sqrt(np.sum(np.square(_floats(data), dtype=np.float64), axis=tuple(range(rank)))), over_lanes)


@_numbers("trace", (2,))
def trace(x: Operand) -> Any:
    _must_fit(_size(x) * len(x[0]))
    return _result(np.trace(_square(x, "trace")), x[2])


@_numbers("det", (2,))
def determinant(x: Operand) -> Any:
    return _result(np.linalg.det(_lanes_first(x, "det")), x[2])


@_numbers("inverse", (2,))
def inverse(x: Operand) -> Any:
    try:
        return _lanes_last(np.linalg.inv(_lanes_first(x, "inverse")), x[2])
    except np.linalg.LinAlgError:
        raise ModelError("'inverse' of a singular matrix") from None


@_numbers("cholesky", (2,))
def cholesky(x: Operand) -> Any:
    """The lower triangular factor of a symmetric positive definite matrix."""
    try:
        return _lanes_last(np.linalg.cholesky(_lanes_first(x, "cholesky")), x[2])
    except np.linalg.LinAlgError:
        raise ModelError("'cholesky' of a matrix that is not positive definite") from None


@_numbers("solve", (2,), (1, 2))
def solve(x: Operand, y: Operand) -> Any:
    """What the matrix x must be multiplied by to give y."""
    matrix = _lanes_first(x, "solve")
    data, rank, over_y = y
    if data.shape[0] != x[0].shape[1]:
        raise ModelError(f"'solve' of shapes {_shape(x)} and {_shape(y)} that do not match")
    right = np.moveaxis(data, -1, 0) if over_y else _floats(data)
    right = right[..., None] if rank == 1 else right
    try:
        solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        raise ModelError("'solve' with a singular matrix") from None
    return _lanes_last(solution[..., 0] if rank == 1 else solution, x[2] or over_y)


def _square(x: Operand, name: str) -> Any:
    if x[0].shape[0] != x[0].shape[1]:
        raise ModelError(f"'{name}' takes a square matrix, not one of {_shape(x)}")
    return x[0]


def _lanes_first(x: Operand, name: str) -> Any:
    data = _floats(_square(x, name))
    return np.moveaxis(data, -1, 0) if x[2] else data


def _lanes_last(data: Any, over_lanes: bool) -> Any:
    return _result(np.moveaxis(data, 0, -1) if over_lanes else data, over_lanes)
