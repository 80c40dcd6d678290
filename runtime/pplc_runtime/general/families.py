"""Distributions and processes in scalar code: how they are made, drawn from and observed.

A distribution is a structure of its parameters, which are checked where it is made. Each family that a program draws
from has a function of its own, by the samplers and densities of the library:

    x = sample_normal(S, at, mean, sd)      draws, or takes what is retained, or scores that
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pplc_runtime.distributions import ALIASES, DEFAULTS, DISTRIBUTIONS, WEIGHTING
from pplc_runtime.distributions.base import Domain, Family, Parameter
from pplc_runtime.distributions.domains import WEIGHTS
from pplc_runtime.general.dirichlet_process import dp_text
from pplc_runtime.general.gaussian import drawn_at_point, function_of, seen_at_point
from pplc_runtime.general.types import NOTHING, NUMBERS, REAL, TRUTH, WHOLE, Structure, Tag, Type, Untyped, Vector
from pplc_runtime.general.values import POINT, Val
from pplc_runtime.native.library import FUNCTIONS
from pplc_runtime.native.scalar import TESTS
from pplc_runtime.processes import ALIASES as PROCESS_ALIASES
from pplc_runtime.processes import PROCESSES
from pplc_runtime.program.composites import COMPOSITES

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole
    from pplc_runtime.general.writer import Writer

VECTOR: Final = Vector(REAL, "array")
PROCESS_NAMES: Final = {"crp": "Crp", "polya-urn": "PolyaUrn", "beta-flip": "BetaFlip", "normal-normal": "NormalNormal"}
FAMILIES: Final = frozenset(
    {
        *DISTRIBUTIONS,
        *ALIASES,
        *WEIGHTING,
        *PROCESSES,
        *PROCESS_ALIASES,
        *COMPOSITES,
        "dp",
        "gp",
        "dirac",
        "categorical",
    }
)
"""The names of distributions and processes."""
_TYPES: Final[dict[str, Type]] = {"boolean": TRUTH, "integer": WHOLE, "vector": VECTOR}
MEASURES: Final = {"counting": 1, "lebesgue": 2, "simplex": 5}
ON_VECTORS: Final = ("dirichlet",)
"""The families of vectors that have code."""


def constructed(whole: Whole, writer: Writer, name: str, address: str, values: list[Val]) -> Val:
    """A distribution or process."""
    if name == "dp":
        return _dp(whole, writer, address, values)
    if name == "gp":
        return function_of(writer, address, values)
    if name == "categorical":
        name = "discrete"  # by weights; what is no vector of numbers has no code below
    process = PROCESSES.get(PROCESS_ALIASES.get(name, name))
    if process is not None:
        where = writer.set(address, WHOLE)
        tag = Tag("process", PROCESS_NAMES[process.name])
        if name == "crp" and len(values) == 2:
            tag = Tag("process", "PitmanYor")
            alpha, discount = (writer.number(value, "crp") for value in values)
            writer.fail_unless(f"{discount} >= 0.0 and {discount} < 1.0", "crp: the discount must be from 0, below 1")
            test = f"{alpha} > -{discount} and {alpha} < inf"
            writer.fail_unless(test, "crp: alpha must be more than minus the discount")
        else:
            _checked(writer, name, process.parameters, values)
        rank = process.parameters[0].domain.rank
        parts = [_as_parameter(writer, rank, value) for value in values]
        return Val(Structure(frozenset({tag})), parts=(where, *parts))
    family = DISTRIBUTIONS.get(ALIASES.get(name, name)) or WEIGHTING.get(name)
    if (
        family is None
        or f"lp_{label_of(family)}" not in FUNCTIONS
        or (family.event_rank and family.name not in ON_VECTORS)
    ):
        raise Untyped(f"the distribution {name}", writer.node)
    missing = len(family.parameters) - len(values)
    values = [*values, *map(writer.constant, DEFAULTS.get(family.name, ())[-missing:] if missing else ())]
    _checked(writer, name, family.parameters, values)
    if type(family).problem is not Family.problem:
        if not family.name.startswith("uniform"):
            raise Untyped(f"the distribution {name}", writer.node)
        low, high = (writer.number(value, name) for value in values)
        writer.fail_unless(f"{low} < {high}", f"{name}: the lower bound must be below the upper")
    parts = [
        value if parameter.domain.boolean else _as_parameter(writer, parameter.domain.rank, value)
        for parameter, value in zip(family.parameters, values)
    ]
    return Val(Structure(frozenset({Tag("dist", family.name)})), parts=tuple(parts))


def _as_parameter(writer: Writer, rank: int, value: Val) -> Val:
    if value.type is NOTHING:
        return value
    if rank == 0:
        if value.is_constant:
            return Val(REAL, "", float(value.constant))
        return Val(REAL, writer.number(value, "a parameter"))
    if rank == 1 and isinstance(value.type, Vector) and value.type.element in (*NUMBERS, NOTHING):
        return value if value.is_constant else Val(VECTOR, writer.code(value, VECTOR))
    raise Untyped(f"a parameter that is a {value.type}", writer.node)


_TESTS: Final = {"a finite number": "{0} - {0} == 0.0", "a positive finite number": "{0} > 0.0 and {0} < inf"}
"""The domains of processes; those of distributions are in `native/scalar`."""


def _checked(writer: Writer, name: str, parameters: tuple[Parameter, ...], values: list[Val]) -> None:
    """Stop where a parameter is not in its domain; a constant is looked at now."""
    for parameter, value in zip(parameters, values, strict=True):
        domain = parameter.domain
        if value.type is NOTHING:
            continue
        if value.is_constant:
            known = value.type in (*NUMBERS, TRUTH) or isinstance(value.type, Vector)
            known = known and np.ndim(value.constant) == domain.rank  # pairs of numbers are a matrix
            if known and (type(value.constant) is bool) == domain.boolean and bool(domain.holds(value.constant)):
                continue
            raise Untyped(f"{name} of {value.constant!r}", writer.node)
        message = f"{name}: {parameter.name} must be {domain.text}"
        if domain.boolean:
            if value.type != TRUTH:
                raise Untyped(f"{name} of a {value.type}", writer.node)
        elif domain.rank == 0:
            code = writer.number(value, name)
            writer.fail_unless(_domain_test(writer, domain).format(code), message)
        elif domain.rank == 1:
            positive = int(domain is not WEIGHTS)
            writer.fail_unless(f"vector_fits(S, {writer.code(value, VECTOR)}, {positive}) != 0", message)
        else:
            raise Untyped(f"the distribution {name}", writer.node)


def _domain_test(writer: Writer, domain: Domain) -> str:
    found = TESTS.get(domain) or _TESTS.get(domain.text)
    if found is None:
        raise Untyped(f"a parameter that must be {domain.text}", writer.node)
    return found


def _dp(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
    alpha, base = values
    if not isinstance(base.type, Structure) or len(base.type.tags) != 1 or base.tag.kind != "dist":
        raise Untyped(f"a dp over a {base.type}", writer.node)
    _checked(writer, "dp", PROCESSES["crp"].parameters, [alpha])
    family = DISTRIBUTIONS[base.tag.name]
    if any(parameter.domain.rank for parameter in family.parameters) or f"draw_{label_of(family)}" not in FUNCTIONS:
        raise Untyped(f"a dp over {family.name}", writer.node)
    where = writer.set(address, WHOLE)
    parts = (where, _as_parameter(writer, 0, alpha), *writer.parts_of(base, base.tag))
    return Val(Structure(frozenset({Tag("process", f"dp {family.name}")})), parts=parts)


def label_of(family: Family) -> str:
    """A family's name in the text."""
    return family.name.replace("-", "_")


def value_type(family: Family) -> Type:
    """The type of what is drawn from a family."""
    return _TYPES.get(family.value_kind, REAL)


# Samples


def sampled(whole: Whole, writer: Writer, address: str, source: Val) -> Val:
    """A draw."""
    if source.type is NOTHING:
        return Val(NOTHING, "0")
    if not isinstance(source.type, Structure):
        raise Untyped(f"a sample from a {source.type}", writer.node)
    at = writer.set(address, WHOLE).code

    def by_tag(tag: Tag, parts: list[Val]) -> Val:
        if tag.kind == "process":
            return _from_process(whole, writer, tag, ", ".join(["S", at, *_given(writer, tag, parts)]))
        if tag == POINT and whole.by_nodes:
            raise Untyped("a move of points of a Gaussian process", writer.node)
        if tag == POINT:
            whole.helper("sample_normal", _sampler(DISTRIBUTIONS["normal"]))
            return drawn_at_point(whole, writer, at, parts, "sample_normal")
        codes = ", ".join(_passed(writer, parts))
        if tag.kind != "dist" or tag.name not in DISTRIBUTIONS:
            raise Untyped(f"a sample from a {tag}", writer.node)
        family = DISTRIBUTIONS[tag.name]
        if whole.by_nodes and not family.event_rank and f"draw_{label_of(family)}" in (*FUNCTIONS, "draw_discrete"):
            return whole.sampled_family(writer, at, family, codes)
        if whole.by_nodes:
            raise Untyped(f"a move of draws from {family.name}", writer.node)
        if family.name in ("discrete", *ON_VECTORS):
            return writer.called(f"sample_{label_of(family)}(S, {at}, {codes})", value_type(family))
        if f"draw_{label_of(family)}" not in FUNCTIONS:
            raise Untyped(f"a sample from {family.name}", writer.node)
        whole.helper(f"sample_{label_of(family)}", _sampler(family))
        return writer.called(f"sample_{label_of(family)}(S, {at}, {codes})", value_type(family))

    return writer.by_tag(source, by_tag)


def _passed(writer: Writer, parts: list[Val]) -> list[str]:
    return [f"float({writer.code(part)})" if part.type == TRUTH else _word(writer, part) for part in parts]


def _given(writer: Writer, tag: Tag, parts: list[Val]) -> list[str]:
    """What the functions of a process are given: its address, and its parameters; a vector by length and elements."""
    where, *codes = _passed(writer, parts)
    return [where, f"S.I[{codes[0]}]", f"S.H[{codes[0]} + 1:]"] if tag.name == "PolyaUrn" else [where, *codes]


def _word(writer: Writer, part: Val) -> str:
    if isinstance(part.type, Vector):
        return writer.code(part, VECTOR)
    return writer.code(part, REAL) if part.is_constant else writer.code(part)


def _sampler(family: Family) -> str:
    """The function that draws from a family of numbers, takes what is retained, or scores it."""
    label, measure = label_of(family), (MEASURES[family.measure] << 16) + 1
    names = [f"a{position}" for position in range(len(family.parameters))]
    given, passed = "".join(f", {name}: float" for name in names), "".join(f", {name}" for name in names)
    real = value_type(family) == REAL
    kind, zero, array = ("float", "0.0", "RV") if real else ("int", "0", "RI")
    drawn = f"draw_{label}(S.k0, S.k1, at, S.c1{passed})"
    return f"""def sample_{label}(S: State, at: int{given}) -> {kind}:
    if S.mode == 0:
        x = {drawn if real else f"int({drawn})"}
    else:
        p = taken(S, at, {measure})
        if S.fail != 0:
            return {zero}
        x = S.{array}[p]
        if S.mode >= 2:
            scored(S, lp_{label}({"x" if real else "float(x)"}{passed}))
            return x
    keep_{"real" if real else "whole"}(S, at, {measure}, x)
    return x"""


_PROCESSES: Final[dict[str, tuple[str, str, Type]]] = {
    "Crp": ("tables", ", 0.0", WHOLE), "PitmanYor": ("tables", "", WHOLE), "BetaFlip": ("coin", "", TRUTH),
    "NormalNormal": ("about_mean", "", REAL), "PolyaUrn": ("urn", "", WHOLE),
}  # fmt: skip
"""The functions of `urns`, what they are given beside the parameters, and the type of a draw."""
RESTAURANTS: Final = ("Crp", "PitmanYor")
"""Those whose seats are weighed by counts (`incremental`)."""


def _from_process(whole: Whole, writer: Writer, tag: Tag, codes: str) -> Val:
    whole.seats(tag.name in RESTAURANTS)
    if whole.by_nodes:
        return whole.sampled_process(writer, tag, codes)
    if tag.name.startswith("dp "):
        family = DISTRIBUTIONS[tag.name[3:]]
        label, type_ = label_of(family), value_type(family)
        whole.helper(f"sample_dp_{label}", dp_text(label, len(family.parameters), type_ == REAL, family.discrete))
        return writer.called(f"sample_dp_{label}({codes})", type_)
    name, more, type_ = _PROCESSES[tag.name]
    return writer.called(f"sample_{name}({codes}{more})", type_)


# Observes


def observed(whole: Whole, writer: Writer, address: str, source: Val, value: Val) -> None:
    """Weigh by the density of a value."""
    if source.type is NOTHING or value.type is NOTHING:
        return
    if not isinstance(source.type, Structure):
        raise Untyped(f"an observe of a {source.type}", writer.node)

    def by_tag(tag: Tag, parts: list[Val]) -> Val:
        if tag.kind == "process":
            _into_process(whole, writer, tag, address, _given(writer, tag, parts), value)
        elif tag == POINT and whole.by_nodes:
            raise Untyped("an observe of a Gaussian process", writer.node)
        elif tag == POINT:
            seen_at_point(whole, writer, address, parts, value)
        elif tag.kind == "dist":
            codes = _passed(writer, parts)
            family = DISTRIBUTIONS.get(tag.name) or WEIGHTING[tag.name]
            if family.event_rank:
                raise Untyped(f"an observe of {family.name}", writer.node)
            seen = _seen(writer, value, value_type(family), family.name)
            if family.name == "discrete":
                writer.line(f"scored(S, lp_discrete({seen}, S.I[{codes[0]}], S.H[{codes[0]} + 1:]))")
            else:
                writer.line(f"scored(S, lp_{label_of(family)}({', '.join([seen, *codes])}))")
        else:
            raise Untyped(f"an observe of a {tag}", writer.node)
        writer.check()
        return Val(WHOLE, "0")

    writer.by_tag(source, by_tag)


def _seen(writer: Writer, value: Val, type_: Type, name: str) -> str:
    """A value as the density of a family takes it."""
    if type_ == TRUTH:
        if value.type != TRUTH:
            raise Untyped(f"a {value.type} as a value of {name}", writer.node)
        return f"float({writer.code(value)})"
    return writer.number(value, f"a value of {name}")


def _into_process(whole: Whole, writer: Writer, tag: Tag, address: str, codes: list[str], value: Val) -> None:
    if tag.name.startswith("dp "):
        raise Untyped("an observe of a dp", writer.node)
    if whole.by_nodes:
        raise Untyped("an observe that a process takes in", writer.node)
    whole.seats(tag.name in RESTAURANTS)
    name, more, type_ = _PROCESSES[tag.name]
    if type_ == TRUTH:
        if value.type != TRUTH:
            raise Untyped(f"a {value.type} as a value of {tag.name}", writer.node)
        seen = writer.code(value)
    else:
        seen = writer.code(value, REAL) if type_ == REAL else writer.whole_number(value, "an observe")
    writer.line(f"observe_{name}(S, {address}, {', '.join([codes[0], seen, *codes[1:]])}{more})")
