"""Gaussian processes in scalar code: (gp mean kernel), its points, and what is drawn and observed there.

The state is what is known of the function, in the table under the hash of the address at which it was made: how many
points there are, and for each where its words are: x, the diagonal element of the Cholesky factor, the value whitened
and as it is, and the row of the factor. A value is normal given those before it (`program/gaussian_process`), and
the point is one more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pplc_runtime.general.equality import equality
from pplc_runtime.general.types import NOTHING, REAL, WHOLE, Structure, Untyped, word
from pplc_runtime.general.values import FUNCTION, POINT, Val
from pplc_runtime.machine.generator import mixed
from pplc_runtime.numerics.keys import number_of

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole
    from pplc_runtime.general.writer import Writer

_MEAN: Final = number_of("mean")
_KERNEL: Final = mixed(3, number_of("kernel") or 0)


def function_of(writer: Writer, address: str, values: list[Val]) -> Val:
    """(gp mean kernel)"""
    return Val(Structure(frozenset({FUNCTION})), parts=(writer.set(address, WHOLE), *values))


def point_of(writer: Writer, parts: list[Val], values: list[Val]) -> Val:
    """(f x)"""
    if len(values) != 1:
        raise Untyped(f"a gp is given {len(values)} arguments", writer.node)
    return Val(Structure(frozenset({POINT})), parts=(*parts, *values))


def drawn_at_point(whole: Whole, writer: Writer, at: str, parts: list[Val], sampler: str) -> Val:
    """A draw: what is known, or normal given that."""
    return _at_point(whole, writer, at, parts, "{0}", f"{sampler}(S, {at}, {{0}}, {{1}})")


def seen_at_point(whole: Whole, writer: Writer, at: str, parts: list[Val], value: Val) -> None:
    """An observe: what is known already must be the same."""
    seen = writer.number(value, "a value of a gp")
    _at_point(whole, writer, at, parts, f"certain(S, {{0}}, {seen})", f"uncertain(S, {{0}}, {{1}}, {seen})")


def _at_point(whole: Whole, writer: Writer, at: str, parts: list[Val], known: str, new: str) -> Val:
    """The value at a point: what it is where it can be told, and what it is by its mean and deviation where not."""
    whole.replayed_as_a_whole()
    where, mean_of, kernel, given = parts
    type_ = whole.with_fields(POINT, [part.type for part in parts])[3]
    if NOTHING in (mean_of.type, kernel.type, type_):
        return Val(NOTHING, "0")
    array = "H" if word(type_) == "float" else "I"
    place, x = writer.code(where), writer.set(writer.code(given, type_), type_)
    state = writer.set(f"state_of(S, {place})", WHOLE).code
    count = writer.set(f"0 if {state} == 0 else S.I[{state}]", WHOLE).code
    own, value = writer.set("0", WHOLE).code, writer.set("0.0", REAL).code

    def earlier(index: str) -> tuple[str, Val]:
        """A point that is known, and its x."""
        other = writer.set(f"S.I[{state} + 1 + {index}]", WHOLE).code
        return other, writer.set(f"S.{array}[{other}]", type_)

    def look(index: str) -> None:
        other, its = earlier(index)
        writer.line(f"if {equality(writer, its, x)}:")
        writer.line(f"    {own} = {other}")
        writer.line("    break")

    def called(address: str, operator: Val, values: list[Val]) -> str:
        return writer.number(whole.apply(writer, f"mixed({at}, {address})", operator, values), "a gp by what gives")

    def row(index: str) -> None:
        other, its = earlier(index)
        entry = called(f"mixed({_KERNEL}, {index} + 1)", kernel, [its, x])
        writer.line(f"add_entry(S, {own}, {other}, {index}, {entry})")

    def condition() -> None:
        mean = writer.set(called(str(_MEAN), mean_of, [x]), REAL).code
        prior = writer.set(called(str(mixed(_KERNEL, 0)), kernel, [x, x]), REAL).code
        writer.line(f"{own} = new_point(S, {count}, {mean}, {prior})")
        writer.check()
        writer.line(f"S.{array}[{own}] = {x.code}")
        _loop(writer, count, row)
        writer.fail_unless(f"{prior} > 0.0 and {prior} < inf", "gp: the kernel of a point with itself must be positive")
        mean, deviation = f"S.H[{own} + 2]", f"S.H[{own} + 1]"
        writer.fail_unless(f"{mean} - {mean} == 0.0", "gp: the mean must be a finite number")
        writer.line(f"if is_uncertain(S, {own}, {prior}) != 0:")
        writer.line(f"    {value} = {new.format(mean, deviation)}")
        writer.line(f"    if S.fail != 0: return {writer.zero}".rstrip())
        writer.line(f"    learn(S, {place}, {state}, {own}, {value})")
        writer.line("else:")
        writer.line(f"    {value} = {known.format(mean)}")

    _loop(writer, count, look)
    writer.line(f"if {own} != 0:")
    writer.line(f"    {value} = {known.format(f'S.H[{own} + 3]')}")
    lines, _ = writer.inner(condition)
    writer.line("else:")
    writer.lines += lines
    writer.check()
    return Val(REAL, value)


def _loop(writer: Writer, count: str, turn: Callable[[str], None]) -> None:
    index = writer.fresh()
    lines, _ = writer.inner(lambda: turn(index))
    writer.line(f"for {index} in range({count}):")
    writer.lines += lines
