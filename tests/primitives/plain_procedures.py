"""What primitives that take procedures give for plain values: a table."""

from __future__ import annotations

from typing import Any

from pplc_runtime.primitives import PRIMITIVES as P

from .calls import L, M, S, V, call

AB = M(S(":a"), 1, S(":b"), 2)

PROCEDURES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("map", (P["inc"], V(1, 2)), L(2, 3)),
    ("map", (P["+"], V(1, 2, 3), L(10, 20)), L(11, 22)),
    ("map", (P["inc"], None), L()),
    ("mapv", (P["inc"], L(1, 2)), V(2, 3)),
    ("map-indexed", (P["vector"], L("a", "b")), L(V(0, "a"), V(1, "b"))),
    ("mapcat", (P["range"], V(1, 2)), L(0, 0, 1)),
    ("filter", (P["even?"], P["range"].function(5)), L(0, 2, 4)),
    ("filter", (P["identity"], L(None, 0, False, "a")), L(0, "a")),
    ("remove", (P["even?"], V(1, 2, 3)), L(1, 3)),
    ("reduce", (P["+"], L(1, 2, 3)), 6),
    ("reduce", (P["+"], L()), 0),
    ("reduce", (P["+"], L(7)), 7),
    ("reduce", (P["conj"], V(), L(1, 2)), V(1, 2)),
    ("reductions", (P["+"], L(1, 2, 3)), L(1, 3, 6)),
    ("reductions", (P["+"], 10, V(1, 2)), L(10, 11, 13)),
    ("reductions", (P["+"], L()), L(0)),
    ("take-while", (P["even?"], L(2, 4, 5, 6)), L(2, 4)),
    ("take-while", (P["even?"], V(2, 4)), L(2, 4)),
    ("take-while", (P["even?"], None), L()),
    ("drop-while", (P["even?"], L(2, 4, 5, 6)), L(5, 6)),
    ("drop-while", (P["even?"], V(2, 4)), L()),
    ("group-by", (P["even?"], V(1, 2, 3)), M(False, V(1, 3), True, V(2))),
    ("group-by", (P["identity"], L(1, 1.0)), M(1, V(1.0, 1.0))),
    ("group-by", (P["identity"], L()), M()),
    ("repeatedly", (3, P["list"]), L(L(), L(), L())),
    ("some", (P["even?"], L(1, 3)), None),
    ("some", (P["identity"], L(None, False, 3, 4)), 3),
    ("every?", (P["even?"], L(2, 4)), True),
    ("every?", (P["even?"], L(2, 3)), False),
    ("every?", (P["even?"], None), True),
    ("sort-by", (P["-"], V(1, 3, 2)), L(3, 2, 1)),
    ("sort-by", (P["count"], L("bb", "a", "cc")), L("a", "bb", "cc")),
    ("apply", (P["+"], L(1, 2, 3)), 6),
    ("apply", (P["-"], 10, 1, V(2, 3)), 4),
    ("update", (AB, S(":a"), P["+"], 10), M(S(":a"), 11, S(":b"), 2)),
    ("update", (V(1, 2), 0, P["inc"]), V(2, 2)),
    ("update-in", (M("a", AB), L("a", S(":a")), P["+"], 10), M("a", M(S(":a"), 11, S(":b"), 2))),
    ("update-in", (M(), V("a", "b"), P["list"]), M("a", M("b", L(None)))),
    ("assoc-in", (M("a", V(1, 2)), L("a", 1), 5), M("a", V(1, 5))),
    ("assoc-in", (None, L("a", "b"), 5), M("a", M("b", 5))),
    ("map", (call("comp", P["inc"], P["*"]), V(1, 2), V(3, 4)), L(4, 9)),
    ("map", (call("comp"), V(1, 2)), L(1, 2)),
    ("map", (call("partial", P["-"], 10), V(1, 2)), L(9, 8)),
    ("map", (call("constantly", 0), V(1, 2)), L(0, 0)),
    ("map", (call("complement", P["even?"]), V(1, 2)), L(True, False)),
]
