"""Errors at run time, shown at the line of the program that they come from.

    model.clj:2:19: error: 'normal' needs sd > 0, but sd is -1.0
      2 |   (sample (normal 0 s)))
        |           ^^^^^^^^^^^^
      called from model.clj:4:10

A traceback through generated code is turned into the chain of calls in the model: each instruction of a
generated module stands for a form of its source, by the module's table of places.
"""

from __future__ import annotations

import linecache
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from types import CodeType, TracebackType
from typing import ClassVar, Final, TypeAlias

from pplc_runtime.excerpt import excerpt
from pplc_runtime.values import ModelError, Place

Form: TypeAlias = tuple[int, int, int]
"""The line, column and width of a form."""
Places: TypeAlias = Mapping[tuple[int, int, int, int], Form]
Included: TypeAlias = tuple[tuple[int, str], ...]
"""The files that the source includes: the first line of each, in the count of all lines, and its name."""

MOST_CALLS: Final = 8


class Limited(ModelError):
    """The run has come to one of its limits."""


class Reached(BaseException):
    """What is raised in the thread that runs. It is no `Exception`, which whoever tries something else would catch."""

    said: ClassVar[str] = ""
    statement: Place | tuple[int, int] | None = None
    """Where it was raised, if that is known."""


def located(error: BaseException, file: str, source: str, places: Places, included: Included = ()) -> ModelError:
    """The error as one of the model, with its place in the source."""
    if isinstance(error, Reached):
        result: ModelError = Limited(error.said)
    else:
        result = error if isinstance(error, ModelError) else ModelError(_message(error))
    if result.rendered is not None:
        return result
    found = list(_forms(error.__traceback__, file, places))
    calls = [form for form, is_call in found if is_call]
    if isinstance(error, RecursionError) and calls:
        # Wherever the stack happened to end, the call that recurs is the one that is there most often.
        result.place = Counter(reversed(calls)).most_common(1)[0][0]
    if result.place is None and found:
        result.place = found[-1][0]
    statement: Place | None = getattr(error, "statement", None)
    if result.place is None and statement is not None:
        result.place = (*statement, 1)
    result.rendered = _rendered(str(result), result.place, calls, file, source, included)
    return result


def _in_file(place: Form, source: str, included: Included) -> tuple[str, Form]:
    """The file that a place is in, and the place there."""
    line, column, width = place
    for first, name in reversed(included):
        if line >= first:
            return name, (line - first + 1, column, width)
    return source, place


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


def _forms(traceback: TracebackType | None, file: str, places: Places) -> Iterator[tuple[Form, bool]]:
    """The forms that were being evaluated, outermost first, and whether they are calls (a branch is none)."""
    known: dict[tuple[CodeType, int], Form | None] = {}
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == file:
            at = code, traceback.tb_lasti
            if at not in known:
                known[at] = places.get(_position(*at))
            form = known[at]
            if form is not None:
                inner = traceback.tb_next
                yield form, inner is None or inner.tb_frame.f_code.co_name != "branch"
        traceback = traceback.tb_next


def _position(code: CodeType, instruction: int) -> tuple[int, int, int, int]:
    for number, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if number * 2 == instruction:
            return (line or 0, column or 0, end_line or 0, end_column or 0)
    return (0, 0, 0, 0)


def _rendered(message: str, place: Form | None, found: list[Form], file: str, source: str, included: Included) -> str:
    if place is None:
        return f"{source}: error: {message}"
    name, there = _in_file(place, source, included)
    lines = [f"{name}:{there[0]}:{there[1]}: error: {message}", *_excerpt(there, file, name)]
    counts: dict[Form, int] = {}
    for form in reversed(found):
        if form != place:
            counts[form] = counts.get(form, 0) + 1
    for form, count in list(counts.items())[:MOST_CALLS]:
        name, (line, column, _) = _in_file(form, source, included)
        lines.append(f"  called from {name}:{line}:{column}" + (f", {count} times" if count > 1 else ""))
    if len(counts) > MOST_CALLS:
        lines.append(f"  and from {len(counts) - MOST_CALLS} more places")
    return "\n".join(lines)


def _excerpt(place: Form, file: str, source: str) -> list[str]:
    """The line, and carets under the form."""
    line, column, width = place
    text = _line(line, file, source)
    if text is None:
        return []
    if width == 1:
        width = _width(text, column - 1)
    return [excerpt(text, line, column, width)]


def _line(line: int, file: str, source: str) -> str | None:
    text = "".join(lines_of(file, source)[line - 1 : line])
    return text.rstrip("\r\n").removeprefix("\ufeff") or None


def lines_of(file: str, source: str) -> list[str]:
    """The source of a module: what was kept beside it, or the file of that name, or one beside it on the disk."""
    folder = os.path.dirname(file)
    names = (f"{folder}/{source}", source, os.path.join(folder, os.path.basename(source)))
    return next((lines for name in names if (lines := linecache.getlines(name))), [])


def _width(text: str, start: int) -> int:
    """How wide a form is whose start alone is known: to its closing bracket, if that is on the line."""
    depth = 0
    quoted = False
    for at in range(start, len(text)):
        c = text[at]
        if c == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted and c in "([{":
            depth += 1
        elif not quoted and c in ")]}":
            depth -= 1
            if depth <= 0:
                return at + 1 - start
        elif depth == 0:
            return 1
    return len(text) - start
