"""The primitive procedures of the language: one table of their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pplc_runtime.primitives import (
    arithmetic,
    comparison,
    conversion,
    higher,
    indexing,
    linear,
    maps,
    ordering,
    predicates,
    sequences,
    text,
)
from pplc_runtime.primitives.base import Primitive

Function = Callable[..., Any]


def _same_arity(arity: int, functions: dict[str, Function]) -> dict[str, Primitive]:
    return {name: Primitive(name, function, arity, arity) for name, function in functions.items()}


def _table(*rows: tuple[str, Function, int, int | None]) -> dict[str, Primitive]:
    return {row[0]: Primitive(*row) for row in rows}


def _folding(*rows: tuple[str, Function, int]) -> dict[str, Primitive]:
    return {name: Primitive(name, function, least, None, folds=True) for name, function, least in rows}


def _addressed(*rows: tuple[str, Function, int, int | None]) -> dict[str, Primitive]:
    return {row[0]: Primitive(*row, addressed=True) for row in rows}


PRIMITIVES: Final[dict[str, Primitive]] = {
    # Arithmetic
    **_folding(
        ("+", arithmetic.plus, 0),
        ("*", arithmetic.times, 0),
        ("-", arithmetic.minus, 1),
        ("/", arithmetic.over, 1),
        ("add", arithmetic.plus, 0),
        ("mul", arithmetic.times, 0),
        ("sub", arithmetic.minus, 1),
        ("div", arithmetic.over, 1),
        ("min", arithmetic.least, 1),
        ("max", arithmetic.greatest, 1),
        ("mmul", linear.mmul, 1),
    ),
    **_same_arity(
        2,
        {
            "mod": arithmetic.mod,
            "rem": arithmetic.rem,
            "quot": arithmetic.quot,
            "pow": arithmetic.power,
            "expt": arithmetic.power,
            "atan2": arithmetic.atan2,
        },
    ),
    **_same_arity(
        1,
        {
            "inc": arithmetic.inc,
            "dec": arithmetic.dec,
            "abs": arithmetic.absolute,
            "square": arithmetic.square,
            "sqrt": arithmetic.sqrt,
            "exp": arithmetic.exp,
            "expm1": arithmetic.expm1,
            "log": arithmetic.log,
            "log1p": arithmetic.log1p,
            "sin": arithmetic.sin,
            "cos": arithmetic.cos,
            "tan": arithmetic.tan,
            "asin": arithmetic.asin,
            "acos": arithmetic.acos,
            "atan": arithmetic.atan,
            "sinh": arithmetic.sinh,
            "cosh": arithmetic.cosh,
            "tanh": arithmetic.tanh,
            "sigmoid": arithmetic.sigmoid,
            "floor": arithmetic.floor,
            "ceil": arithmetic.ceil,
            "round": arithmetic.rounded,
            "int": conversion.to_integer,
            "float": conversion.to_float,
            "double": conversion.to_float,
        },
    ),
    # Comparison and truth
    **_table(
        ("=", comparison.equals, 1, None),
        ("not=", comparison.unequal, 1, None),
        ("<", comparison.increasing, 1, None),
        (">", comparison.decreasing, 1, None),
        ("<=", comparison.nondecreasing, 1, None),
        (">=", comparison.nonincreasing, 1, None),
    ),
    **_same_arity(
        1,
        {
            "not": comparison.negation,
            "boolean": comparison.as_boolean,
            "number?": predicates.is_number_p,
            "integer?": predicates.is_integer_p,
            "int?": predicates.is_integer_p,
            "float?": predicates.is_float_p,
            "boolean?": predicates.is_boolean_p,
            "string?": predicates.is_string_p,
            "symbol?": predicates.is_symbol_p,
            "keyword?": predicates.is_keyword_p,
            "list?": predicates.is_list_p,
            "seq?": predicates.is_list_p,
            "vector?": predicates.is_vector_p,
            "sequential?": predicates.is_sequence_p,
            "coll?": predicates.is_collection_p,
            "map?": predicates.is_map_p,
            "procedure?": predicates.is_procedure_p,
            "fn?": predicates.is_procedure_p,
            "nil?": predicates.is_nil_p,
            "missing?": predicates.is_missing_p,
            "some?": predicates.is_some_p,
            "true?": predicates.is_true_p,
            "false?": predicates.is_false_p,
            "zero?": predicates.is_zero_p,
            "pos?": predicates.is_pos_p,
            "neg?": predicates.is_neg_p,
            "nan?": predicates.is_nan_p,
            "even?": predicates.is_even_p,
            "odd?": predicates.is_odd_p,
            "empty?": predicates.is_empty_p,
        },
    ),
    # Sequences and maps
    **_same_arity(
        1,
        {
            "vec": sequences.as_vector,
            "seq": sequences.as_sequence,
            "first": sequences.first,
            "second": sequences.second,
            "third": sequences.third,
            "last": sequences.last,
            "rest": sequences.rest,
            "next": sequences.next_of,
            "butlast": sequences.butlast,
            "count": sequences.count,
            "peek": sequences.peek,
            "pop": sequences.pop,
            "reverse": sequences.reverse,
            "flatten": sequences.flatten,
            "sort": ordering.sort,
            "distinct": ordering.distinct,
            "frequencies": ordering.frequencies,
            "keys": maps.keys_of,
            "vals": maps.values_of,
        },
    ),
    **_table(
        ("list", sequences.list_of, 0, None),
        ("vector", arithmetic.vector, 0, None),
        ("cons", sequences.cons, 2, 2),
        ("conj", sequences.conj, 1, None),
        ("concat", sequences.concat, 0, None),
        ("append", sequences.concat, 0, None),
        ("into", sequences.into, 2, 2),
        ("take", sequences.take, 2, 2),
        ("drop", sequences.drop, 2, 2),
        ("range", sequences.range_of, 1, 3),
        ("repeat", sequences.repeat, 2, 2),
        ("partition", sequences.partition, 2, 3),
        ("subvec", sequences.subvec, 2, 3),
        ("nth", indexing.nth, 2, 3),
        ("hash-map", maps.hash_map, 0, None),
        ("zipmap", maps.zipmap, 2, 2),
        ("get", maps.get, 2, 3),
        ("get-in", maps.get_in, 2, 3),
        ("contains?", maps.contains, 2, 2),
        ("assoc", maps.assoc, 3, None),
        ("dissoc", maps.dissoc, 1, None),
        ("merge", maps.merge, 0, None),
        ("str", text.text_of, 0, None),
    ),
    # Sums and linear algebra
    **_same_arity(
        1,
        {
            "sum": linear.total,
            "product": linear.product,
            "mean": linear.mean,
            "variance": linear.variance,
            "std": linear.standard_deviation,
            "cumsum": linear.cumulative_sum,
            "argmax": linear.argmax,
            "argmin": linear.argmin,
            "logsumexp": linear.log_sum_exp,
            "normalize": linear.normalize,
            "eye": linear.eye,
            "diag": linear.diag,
            "transpose": linear.transpose,
            "norm": linear.norm,
            "trace": linear.trace,
            "det": linear.determinant,
            "inverse": linear.inverse,
            "cholesky": linear.cholesky,
        },
    ),
    **_same_arity(2, {"dot": linear.dot, "outer": linear.outer, "solve": linear.solve}),
    # Procedures that take and make procedures
    **_addressed(
        ("map", higher.map_over, 2, None),
        ("mapv", higher.map_to_vector, 2, None),
        ("map-indexed", higher.map_indexed, 2, 2),
        ("mapcat", higher.map_concat, 2, None),
        ("filter", higher.keep_if, 2, 2),
        ("remove", higher.remove_if, 2, 2),
        ("reduce", higher.reduce, 2, 3),
        ("repeatedly", higher.repeatedly, 2, 2),
        ("some", higher.some, 2, 2),
        ("every?", higher.every, 2, 2),
        ("sort-by", higher.sort_by, 2, 2),
        ("apply", higher.apply, 2, None),
        ("update", higher.update, 3, None),
    ),
    **_table(
        ("comp", higher.compose, 0, None),
        ("partial", higher.partial, 1, None),
        ("constantly", higher.constantly, 1, 1),
        ("complement", higher.complement, 1, 1),
        ("identity", higher.identity, 1, 1),
        ("no-case", higher.no_case, 1, 1),
    ),
}

FAST: Final[dict[str, str]] = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "min": "smaller",
    "max": "larger",
    "=": "eq",
    "not=": "ne",
    "<": "lt",
    ">": "gt",
    "<=": "le",
    ">=": "ge",
}
"""What generated code calls for exactly two arguments, by its name in `arithmetic` or `comparison`."""

GENERAL: Final[dict[str, str]] = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "over",
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "over",
    "min": "least",
    "max": "greatest",
    "=": "equals",
    "not=": "unequal",
    "<": "increasing",
    ">": "decreasing",
    "<=": "nondecreasing",
    ">=": "nonincreasing",
}
"""The same procedures for any other number of arguments."""
