"""Wrong uses: each is an error of the model that names the primitive and what it was given."""

from __future__ import annotations

from typing import Any

import pytest

from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.values import ModelError

from .calls import L, M, V, call

P = PRIMITIVES

CASES: list[tuple[str, tuple[Any, ...], str]] = [
    ("+", (1, "a"), "'+' takes numbers, not \"a\""),
    ("+", (V(1, 2), V(1, 2, 3)), "'+' of shapes 2 and 3 that do not match"),
    ("+", (True, 1), "'+' takes numbers, not true"),
    ("+", (10**400, 1.0), "'+' of a number that is too large"),
    ("/", (1, 0), "division by zero"),
    ("/", (1.5, 0), "division by zero"),
    ("/", (1, 0.0), "division by zero"),
    ("/", (V(1, 2), V(0.5, 0.0)), "division by zero"),
    ("/", (0.0,), "division by zero"),
    ("/", (V(1, 2), 0), "division by zero"),
    ("mod", (1, 0), "mod: division by zero"),
    ("exp", (10**400,), "'exp' of a number that is too large"),
    ("int", (float("nan"),), "'int' of nan, which is not finite"),
    ("int", ("1",), "'int' takes numbers, not \"1\""),
    ("float", (10**400,), "'float' of"),
    ("<", (1, "a"), "'<' compares numbers, not \"a\""),
    (">=", (None, 1), "'>=' compares numbers, not nil"),
    ("<", (2, 1, V(1, 2)), "'<' compares numbers, not [1 2]"),
    ("zero?", ("a",), "'zero?' takes a number, not \"a\""),
    ("even?", (1.5,), "'even?' takes a whole number, not 1.5"),
    ("odd?", (L(1),), "'odd?' takes a number, not (1)"),
    ("first", (1,), "'first' takes a list or vector, not 1"),
    ("rest", (True,), "'rest' takes a list or vector, not true"),
    ("count", (2.5,), "'count' takes a list or vector, not 2.5"),
    ("nth", (L(1, 2), 2), "'nth' of index 2 in a sequence of length 2"),
    ("nth", (V(1, 2), -1), "'nth' of index -1 in a sequence of length 2"),
    ("nth", (V(1, 2), 0.5), "'nth' takes a whole number here, not 0.5"),
    ("nth", (V(1, 2), "a"), "'nth' takes a whole number here, not \"a\""),
    ("nth", (5, 0), "'nth' takes a list or vector, not 5"),
    ("take", ("a", L(1)), "'take' takes a whole number here, not \"a\""),
    ("drop", (1, 2), "'drop' takes a list or vector, not 2"),
    ("conj", (1, 2), "'conj' takes a list, vector or map, not 1"),
    ("conj", (M(), V(1, 2, 3)), "'conj' onto a map takes a key and a value, not [1 2 3]"),
    ("cons", (1, 2), "'cons' takes a list or vector, not 2"),
    ("concat", (L(1), 2), "'concat' takes a list or vector, not 2"),
    ("pop", (L(),), "'pop' of an empty sequence"),
    ("range", (0, 1, 0), "'range' with a step of 0 has no end"),
    ("range", (0.5, 1, 0), "'range' with a step of 0 has no end"),
    ("range", ("a",), "'range' takes numbers, not \"a\""),
    ("range", (float("inf"),), "'range' from 0 to inf by 1 is too long"),
    ("range", (10**12,), "'range' of 1000000000000 numbers is too long"),
    ("repeat", (10**12, 0), "'repeat' of 1000000000000 items is too long"),
    ("partition", (0, L(1)), "'partition' takes a size and a step above 0, not 0 and 0"),
    ("subvec", (V(1, 2), 1, 3), "'subvec' from 1 to 3 of a vector of length 2"),
    ("subvec", (L(1, 2), 0), "'subvec' takes a vector, not (1 2)"),
    ("flatten", (1,), "'flatten' takes a list or vector, not 1"),
    ("sort", (L(1, "a"),), "'sort' orders numbers, not \"a\""),
    ("sort-by", (P["list"], L(1, 2)), "'sort-by' orders numbers, not (1)"),
    ("hash-map", ("a",), "'hash-map' takes keys and values in pairs; \"a\" has no value"),
    ("assoc", (M(), 1, 2, 3), "'assoc' takes keys and values in pairs; 3 has no value"),
    ("assoc", (V(1), 3, 0), "'assoc' of index 3 in a vector of length 1"),
    ("assoc", (L(1), 0, 0), "'assoc' takes a map or vector, not (1)"),
    ("get", (1, 1), "'get' takes a map or vector, not 1"),
    ("contains?", (1, 1), "'contains?' takes a map or vector, not 1"),
    ("keys", (V(1),), "'keys' takes a map, not [1]"),
    ("merge", (M(), 1), "'merge' takes a map, not 1"),
    ("dissoc", (V(1), 0), "'dissoc' takes a map, not [1]"),
    ("sum", (1,), "'sum' takes a vector of numbers or a matrix, not 1"),
    ("sum", (L("a"),), "'sum' takes numbers, not (\"a\")"),
    ("mean", (L(),), "'mean' of no numbers"),
    ("argmax", (L(),), "'argmax' of no numbers"),
    ("normalize", (V(0, 0),), "'normalize' of numbers whose sum is 0"),
    ("softmax", (V(-float("inf"), -float("inf")),), "'softmax' of numbers the largest of which is infinite"),
    ("mmul", (V(V(1, 2)), V(1, 2, 3)), "'mmul' of shapes 1x2 and 3 that do not match"),
    ("dot", (V(1), V(1, 2)), "'dot' of vectors of lengths 1 and 2"),
    ("inverse", (V(V(1, 1), V(1, 1)),), "'inverse' of a singular matrix"),
    ("inverse", (V(V(1, 2)),), "'inverse' takes a square matrix, not one of 1x2"),
    ("det", (V(1, 2),), "'det' takes a matrix, not [1 2]"),
    ("cholesky", (V(V(-1.0, 0), V(0, 1)),), "'cholesky' of a matrix that is not positive definite"),
    ("solve", (V(V(1, 0), V(0, 1)), V(1, 2, 3)), "'solve' of shapes 2x2 and 3 that do not match"),
    ("eye", (0,), "'eye' takes a size above 0 and not above 30000, not 0"),
    ("map", (P["inc"], 5), "'map' takes a list or vector, not 5"),
    ("map", (5, L(1)), "5 is not a procedure and cannot be called"),
    ("reduce", (P["+"], 0, 5), "'reduce' takes a list or vector, not 5"),
    ("repeatedly", (0.5, P["list"]), "'repeatedly' takes a whole number here, not 0.5"),
    ("apply", (P["+"], 1), "'apply' takes a list or vector, not 1"),
    ("str", (10**5000,), "'str' of a number that is too large"),
    *[
        (name, arguments, "this sequence has no end: take a part of it where it stands, as in (take n (range))")
        for name, arguments in (
            ("range", ()),
            ("repeat", (1,)),
            ("cycle", (L(1),)),
            ("iterate", (P["inc"], 1)),
            ("repeatedly", (P["list"],)),
        )
    ],
    ("take-while", (P["even?"], 5), "'take-while' takes a list or vector, not 5"),
    ("group-by", (P["even?"], 5), "'group-by' takes a list or vector, not 5"),
    ("assoc-in", (M(), L(), 5), "'assoc-in' takes a path of at least one key"),
    ("assoc-in", (M("a", 1), L("a", "b"), 5), "'assoc' takes a map or vector, not 1"),
    ("no-arity", ("f", "1, 2", 3), "'f' takes 1, 2 arguments, but 3 are given"),
    ("no-case", ("x",), 'no clause matches "x"'),
]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    CASES,
    ids=[f"{number}:{name}" for number, (name, _, _) in enumerate(CASES)],
)
def test_a_wrong_use_is_explained(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ModelError) as error:
        call(name, *arguments)
    assert str(error.value).startswith(message)
