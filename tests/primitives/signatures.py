"""What each primitive takes, as kinds of `sources.Source`: the calls that the tests over lanes make."""

from __future__ import annotations

from pplc_runtime.primitives import PRIMITIVES

NUMERIC = ("number", "vec3", "square", "list3")
ELEMENTARY = """
    inc dec abs square sqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh sigmoid floor ceil
    log-sigmoid logit softplus erf erfc normal-cdf Phi probit lgamma digamma
    round int float double
"""
TAKING_APART = """
    vec seq first second third last rest next butlast count peek pop reverse flatten distinct
    frequencies empty?
"""
SUMS = "sum product mean variance std cumsum argmax argmin logsumexp normalize softmax diag transpose norm"

SIGNATURES: dict[str, list[tuple[str, ...]]] = {
    **{
        name: [(a, b) for a in NUMERIC for b in NUMERIC] + [("number",) * 3, ("vec3",), ("number",)]
        for name in ("+", "-", "*", "/", "add", "sub", "mul", "div", "min", "max")
    },
    **{name: [("number", "number"), ("vec3", "positive")] for name in ("mod", "rem", "quot", "atan2", "lbeta")},
    **{name: [("number", "number"), ("positive", "number"), ("vec3", "small")] for name in ("pow", "expt")},
    **{name: [("number",), ("positive",), ("vec",), ("square",), ("list3",)] for name in ELEMENTARY.split()},
    **{
        name: [
            ("any", "any"),
            ("number", "number"),
            ("vec3", "vec3"),
            ("mixed", "mixed"),
            ("leaf", "leaf"),
            ("map", "map"),
            ("small", "small", "small"),
            ("list3", "vec3"),
            ("boolean", "boolean"),
        ]
        for name in ("=", "not=")
    },
    **{
        name: [("number", "number"), ("number",) * 3, ("small", "small", "small"), ("number",)]
        for name in ("<", ">", "<=", ">=")
    },
    **{name: [("any",), ("leaf",), ("number",), ("boolean",)] for name in PRIMITIVES if name.endswith("?")},
    "not": [("any",), ("leaf",), ("boolean",)],
    "boolean": [("any",), ("leaf",), ("boolean",)],
    **{name: [("number",), ("small",)] for name in ("zero?", "pos?", "neg?", "nan?", "even?", "odd?")},
    **{name: [("sequence",), ("vec",), ("rows",), ("mixed",), ("map",)] for name in TAKING_APART.split()},
    "sort": [("numbers",), ("vec3",), ("list3",)],
    "keys": [("map",)],
    "vals": [("map",), ("map2",)],
    "list": [(), ("any",), ("leaf", "any")],
    "vector": [(), ("any",), ("leaf", "leaf"), ("number", "number"), ("vec3", "vec3")],
    "cons": [("any", "sequence")],
    "conj": [
        ("any", "any"),
        ("vec3", "number"),
        ("vec3", "leaf"),
        ("mixed", "leaf"),
        ("rows", "vec3"),
        ("square", "vec3"),
        ("map", "map"),
        ("vec", "number", "number"),
    ],
    "concat": [(), ("sequence",), ("sequence", "sequence"), ("vec3", "list3", "mixed")],
    "append": [("sequence", "sequence")],
    "into": [("sequence", "sequence"), ("vec3", "list3"), ("list3", "vec3"), ("map", "map")],
    "take": [("small", "sequence"), ("index", "vec3")],
    "drop": [("small", "sequence"), ("index", "vec3")],
    "range": [("number",), ("number", "number"), ("number", "number", "number"), ("small", "small")],
    "repeat": [("index", "any"), ("small", "leaf")],
    "partition": [("small", "sequence"), ("positive", "small", "vec3"), ("inside", "vec")],
    "subvec": [("vectors", "small"), ("vec3", "inside", "small")],
    "nth": [
        ("sequence", "index"),
        ("vec3", "inside"),
        ("square", "inside"),
        ("list3", "inside"),
        ("vec3", "index", "leaf"),
        ("nested", "inside"),
        ("nested", "index", "leaf"),
        ("rows", "index", "leaf"),
    ],
    "cycle": [("sequence",)],
    "hash-map": [(), ("key", "any"), ("key", "leaf", "key", "number")],
    "zipmap": [("path", "vec3"), ("mixed", "mixed")],
    "get": [
        ("map", "key"),
        ("map", "key", "leaf"),
        ("vectors", "index"),
        ("vec3", "number", "leaf"),
        ("any", "key"),
    ],
    "get-in": [("map2", "path"), ("map2", "path", "leaf")],
    "assoc-in": [("map2", "path", "leaf"), ("map", "path", "any")],
    "contains?": [("map", "key"), ("vectors", "index"), ("vec3", "number")],
    "assoc": [
        ("map", "key", "any"),
        ("vectors", "inside", "leaf"),
        ("vec3", "inside", "number"),
        ("vec3", "index", "number"),
        ("square", "inside", "vec3"),
        ("map", "key", "leaf", "key", "leaf"),
    ],
    "dissoc": [("map", "key"), ("map",), ("map", "key", "key")],
    "merge": [("map", "map"), ("map",)],
    "str": [("any",), ("leaf", "leaf"), ("map",), ("number", "vec3")],
    **{name: [("numbers",), ("vec3",), ("rows",), ("list3",), ("square",), ("vec",)] for name in SUMS.split()},
    "eye": [("small",), ("positive",)],
    **{name: [("square",), ("definite",)] for name in ("trace", "det", "inverse")},
    "cholesky": [("definite",)],
    "solve": [("definite", "vec3"), ("definite", "square")],
    "dot": [("vec3", "vec3"), ("vec3", "list3"), ("vec", "vec")],
    "outer": [("vec3", "vec3"), ("vec", "vec3")],
    "mmul": [(a, b) for a in NUMERIC for b in NUMERIC] + [("square", "square", "vec3"), ("vec",), ("rows", "vec3")],
    "map": [("f1", "vec"), ("f2", "vec3", "list3"), ("number_f1", "numbers"), ("f1", "sequence")],
    "mapv": [("f1", "vec"), ("f2", "vec3", "list3"), ("number_f1", "numbers")],
    "map-indexed": [("f2", "vec"), ("f2", "list3")],
    "mapcat": [("f1", "mixed"), ("f2", "mixed", "vec3")],
    "filter": [("test1", "vec"), ("any_test", "sequence"), ("any_test", "mixed")],
    "remove": [("test1", "list3"), ("any_test", "sequence")],
    "some": [("test1", "vec"), ("any_test", "sequence"), ("any_test", "mixed")],
    "every?": [("test1", "vec"), ("any_test", "sequence"), ("any_test", "mixed")],
    "reduce": [("f2", "vec"), ("f2", "number", "list3"), ("f2", "leaf", "mixed")],
    "reductions": [("f2", "vec"), ("f2", "number", "list3"), ("f2", "leaf", "mixed")],
    "take-while": [("test1", "vec"), ("any_test", "sequence"), ("any_test", "mixed")],
    "drop-while": [("test1", "vec"), ("any_test", "sequence"), ("any_test", "mixed")],
    "group-by": [("number_f1", "vec"), ("test1", "list3"), ("f1", "mixed")],
    "repeatedly": [("small", "f2")],
    "iterate": [("f1", "any")],
    "sort-by": [("number_f1", "vec"), ("number_f1", "list3"), ("f1", "mixed")],
    "apply": [("f2", "list3"), ("f2", "number", "vec"), ("f1", "sequence")],
    "update": [("map", "key", "f1"), ("vec3", "inside", "number_f1"), ("vec3", "index", "f2", "number")],
    "update-in": [("map2", "path", "f1"), ("map", "path", "f2", "number")],
    "comp": [("f1", "f1"), (), ("f1",)],
    "partial": [("f1",), ("f2", "number"), ("f2", "any")],
    "constantly": [("any",)],
    "complement": [("f1",)],
    "identity": [("any",)],
    "print": [("any",), ("text", "number"), ()],
    "no-case": [("leaf",)],
    "no-arity": [("text", "text", "small")],
}

EITHER = "+ - * / min max < > <= >= = not= str list vector hash-map"
LARGE = "+ - * / min max mod rem quot < > <= >= = not= str list vector"
OF_ONE = "inc dec abs square floor ceil round int float str float? integer? even? odd? zero? pos? neg? - number?"
OF_MANY = "sum product cumsum mean argmax argmin norm sort distinct frequencies first reverse"
for name in EITHER.split():
    SIGNATURES[name] = [*SIGNATURES[name], ("either", "either"), ("either3", "either"), ("either3", "either3")]
for name in LARGE.split():
    further = [(a, b) for a in ("large", "large3") for b in ("large", "large3") if a == b or name in "+-*/"]
    SIGNATURES[name] = [*SIGNATURES[name], *further]
    if name not in ("mod", "rem", "quot"):  # whose last digit is all of the answer, beyond what a float holds
        SIGNATURES[name].append(("large_or_float", "large_or_float"))
for name in OF_ONE.split():
    SIGNATURES[name] = [*SIGNATURES[name], ("either",), ("large",), ("large_or_float",)]
for name in OF_MANY.split():
    SIGNATURES[name] = [*SIGNATURES[name], ("either3",), ("large3",)]
for name in ("pow", "expt"):
    further = [("large", "small"), ("small", "large"), ("large3", "small"), ("either", "either")]
    SIGNATURES[name] = [*SIGNATURES[name], *further]
SIGNATURES["dot"] += [("large3", "large3"), ("large3", "vec3")]
SIGNATURES["outer"] += [("large3", "vec3")]
SIGNATURES["mmul"] += [("large_square", "large_square"), ("large_square", "vec3"), ("square", "large3")]
SIGNATURES["trace"] += [("large_square",)]
