"""Errors at run time, shown at the line of the program that they come from.

A traceback through generated code is turned into the chain of calls in the model: each instruction of a generated
module stands for a form of its source, by the module's table of places.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import TypeAlias

from pplc_runtime.values import ModelError

Places: TypeAlias = Mapping[tuple[int, int, int, int], tuple[int, int, int]]
MOST_CALLS = 8


def located(error: BaseException, file: str, source: str, places: Places) -> ModelError:
    """The error as one of the model, with its place in the source."""
    found = list(_forms(error.__traceback__, file, places))
    result = error if isinstance(error, ModelError) else ModelError(_message(error))
    if result.rendered is not None:
        return result
    own = result.place
    if own is None and found:
        own = found[-1]
    result.place = own
    result.rendered = _rendered(str(result), own, _without_repeats(found, own), source)
    return result


def _message(error: BaseException) -> str:
    match error:
        case RecursionError():
            return "the recursion is too deep; raise the limit with --max-depth or max_depth="
        case MemoryError():
            return "out of memory"
        case ZeroDivisionError():
            return "division by zero"
        case OverflowError():
            return "a number is too large"
        case _:
            return f"cannot compute this ({type(error).__name__}: {error})"


def _forms(traceback: TracebackType | None, file: str, places: Places) -> Iterator[tuple[int, int, int]]:
    """The forms that were being evaluated, outermost first."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == file:
            position = _position(code.co_positions(), traceback.tb_lasti)
            if position in places:
                yield places[position]
        traceback = traceback.tb_next


def _position(positions: Iterable[tuple[int | None, ...]], instruction: int) -> tuple[int, int, int, int]:
    for number, (line, end_line, column, end_column) in enumerate(positions):
        if number * 2 == instruction:
            return (line or 0, column or 0, end_line or 0, end_column or 0)
    return (0, 0, 0, 0)


def _without_repeats(
    found: list[tuple[int, int, int]], own: tuple[int, int, int] | None
) -> list[tuple[int, int, int]]:
    chain: list[tuple[int, int, int]] = []
    for place in found:
        if place != own and (not chain or chain[-1] != place):
            chain.append(place)
    return chain


def _rendered(
    message: str, place: tuple[int, int, int] | None, chain: list[tuple[int, int, int]], source: str
) -> str:
    if place is None:
        return f"{source}: error: {message}"
    lines = [f"{source}:{place[0]}:{place[1]}: error: {message}", *_excerpt(place, source)]
    if len(chain) > MOST_CALLS:
        chain = chain[: MOST_CALLS // 2] + chain[-MOST_CALLS // 2 :]
    for line, column, _ in reversed(chain):
        lines.append(f"  called from {source}:{line}:{column}")
    return "\n".join(lines)


def _excerpt(place: tuple[int, int, int], source: str) -> list[str]:
    line, column, width = place
    text = linecache.getline(source, line).rstrip("\r\n")
    if not text:
        return []
    indent = "".join("\t" if c == "\t" else " " for c in text[: column - 1])
    width = max(1, min(width, len(text) - column + 1))
    if len(text) > 160:
        return []
    return [f"  {line} | {text}", f"  {' ' * len(str(line))} | {indent}{'^' * width}"]
