"""Traces: values boxed with what is needed to compute them again (paper, section 4.2).

    tau = (v, epsilon, l, rho, omega, sigma, phi)

Greek letters are spelt out; otherwise names are the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import number_of
from pplc_runtime.reference.syntax import Lambda, Place
from pplc_runtime.values import key_of


class Entry(NamedTuple):
    """A memo entry as a symbol: "memoized procedure calls are semantically equivalent to lazily defined
    variables". It is named by the address at which `(mem f)` was evaluated and the key of the arguments."""

    at: At
    key: Any


Symbol: TypeAlias = str | Entry
"""What the global environment R binds."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The trace of one evaluation."""

    v: Any
    """The value."""
    epsilon: Epsilon
    """The partially evaluated expression; its sub-expressions are traces."""
    l: float
    """The log weight of the observes that were evaluated."""
    rho: Mapping[Symbol, Trace]
    """The global variables that were referenced."""
    omega: Mapping[At, Observed]
    """The observes, by address."""
    sigma: Mapping[At, Sampled]
    """The samples, by address."""
    phi: Mapping[At, Trace]
    """The predicates of the ifs, by address."""


class Observed(NamedTuple):
    """(tau, v, l): what was observed. The paper's v is a constant; here it is an expression with a trace."""

    source: Trace
    value: Trace
    l: float


class Sampled(NamedTuple):
    """(tau, v): what was drawn."""

    source: Trace
    v: Any


# Partially evaluated expressions


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """Evaluates to itself: a constant, or a sampled or observed value."""

    v: Any


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """A global symbol."""

    symbol: Symbol


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """(tau_1 tau_2 ...): a procedure, found at run time, and its arguments."""

    alpha: At
    traces: tuple[Trace, ...]
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveCall:
    """(prim tau_1 tau_2 ...)"""

    alpha: At
    name: str
    traces: tuple[Trace, ...]
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """A lambda with the traces of its free variables."""

    alpha: At
    procedure: Lambda
    captured: Mapping[str, Trace]
    siblings: Siblings


@dataclass(frozen=True, slots=True, eq=False)
class Memoised:
    """(mem tau)"""

    alpha: At
    trace: Trace
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class ProcedureOf:
    """The procedure that a memo calls for a new entry."""

    memo: Trace


@dataclass(frozen=True, slots=True, eq=False)
class Certain:
    """(sample tau) of a dirac, or of a Gaussian process where it is known."""

    alpha: At
    source: Trace
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """An element of a sequence."""

    sequence: Trace
    position: int


Epsilon: TypeAlias = Value | Lookup | Call | PrimitiveCall | Closed | Memoised | ProcedureOf | Certain | Element
Siblings: TypeAlias = tuple[tuple[str, Lambda, At], ...]
"""The procedures of a letrec: name, lambda and address of each."""


class Closure:
    """A compound procedure: a lambda and its local environment. The global one is the caller's."""

    __slots__ = ("at", "captured", "procedure", "siblings")

    def __init__(self, at: At, procedure: Lambda, captured: Mapping[str, Trace], siblings: Siblings) -> None:
        self.at = at
        self.procedure = procedure
        self.captured = captured
        self.siblings = siblings

    @property
    def name(self) -> str:
        return self.procedure.name

    @property
    def identity(self) -> Any:
        """What it is compared by: the address at which the lambda was evaluated, if it closes over something. One of
        `partial` and its kin goes by what it has."""
        if self.procedure.constant:
            return self.procedure.site
        return self.at if self.procedure.site else (self.name, *[key_of(tau.v) for tau in self.captured.values()])

    @property
    def hash(self) -> int | None:
        """Its number in addresses, where it is the key of a memo."""
        return number_of(self.identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and bool(self.identity == other.identity)

    def __hash__(self) -> int:
        return hash(self.identity)

    def __str__(self) -> str:
        return f"<procedure {self.name}>"


# Making traces


def transparent(v: Any) -> Trace:
    """A trace without references to others: that of a constant."""
    return Trace(v, Value(v), 0.0, {}, {}, {}, {})


def combine(v: Any, epsilon: Epsilon, *traces: Trace) -> Trace:
    """A trace whose l, rho, omega, sigma and phi are those of its parts together, in order."""
    tau = inlined(v, epsilon, *traces)
    log_weight = 0.0
    for trace in traces:
        log_weight += trace.l
    return Trace(v, epsilon, log_weight, tau.rho, tau.omega, tau.sigma, tau.phi)


def inlined(v: Any, epsilon: Epsilon, *traces: Trace) -> Trace:
    """The same for parts that were evaluated before: their observes have counted already, so l is 0."""
    return Trace(
        v,
        epsilon,
        0.0,
        merge([trace.rho for trace in traces]),
        merge([trace.omega for trace in traces]),
        merge([trace.sigma for trace in traces]),
        merge([trace.phi for trace in traces]),
    )


def merge(maps: list[Mapping[Any, Any]]) -> Mapping[Any, Any]:
    """All entries of some maps, in the order in which they first come. Maps are shared, never changed."""
    filled = [map_ for map_ in maps if map_]
    if len(filled) < 2:
        return filled[0] if filled else {}
    merged: dict[Any, Any] = {}
    for map_ in filled:
        merged.update(map_)
    return merged
