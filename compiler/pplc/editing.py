"""What an editor wants to know of a text: where its errors are, which word stands where, and where a name is defined.

Places are offsets in the text, counted in UTF-16 units where it is said, as browsers and editors count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pplc.diagnostics import CompileError, Diagnostic
from pplc.include import gathered
from pplc.languages.forms import Form, Group, Name
from pplc.passes.read import read
from pplc.pipeline import check
from pplc.source import Source, Span

_WORD: Final = re.compile(r"""[^\s()\[\]{}"';,`@^~][^\s()\[\]{}";,`@^~]*""")
_BRACKETS: Final = re.compile(r""";[^\n]*|"(?:[^"\\]|\\.)*"?|[()\[\]{}]""", re.DOTALL)
DEFINING: Final = ("assume", "define", "def", "defn", "defm", "input")
BINDING: Final = ("let", "let*", "letrec", "loop", "for", "doseq", "dotimes", "if-let", "when-let")
PROCEDURES: Final = ("lambda", "fn", "defn", "defm", "fm")


@dataclass(frozen=True, slots=True)
class Mark:
    """A message about a part of a text."""

    start: int
    end: int
    severity: str
    message: str


def marks(source: Source) -> list[Mark]:
    """All that the compiler says of a text; what is wrong in an included file stands at the form that includes it."""
    try:
        whole = gathered(source)
    except CompileError as error:
        return [_elsewhere(error.source, each, source) for each in error.diagnostics]
    return [_mark(whole, each) for each in check(whole)]


def _mark(source: Source, diagnostic: Diagnostic) -> Mark:
    span, message = diagnostic.span, diagnostic.message
    piece = source.piece(span.start)
    if piece is not None:
        name, line = source.where(span.start)
        message = f"{name}:{line}: {message}"
    while piece is not None:
        span = piece.by
        piece = source.piece(span.start)
    return Mark(span.start, span.end, diagnostic.severity, message)


def _elsewhere(where: Source, diagnostic: Diagnostic, own: Source) -> Mark:
    if where.name == own.name and where.text == own.text:
        return Mark(*diagnostic.span, diagnostic.severity, diagnostic.message)
    line = where.place(diagnostic.span.start).line
    return Mark(0, 0, diagnostic.severity, f"{where.name}:{line}: {diagnostic.message}")


def utf16(text: str, offset: int) -> int:
    """An offset as browsers count it: characters beyond the first plane are two units."""
    return offset if text.isascii() else offset + sum(letter > "\uffff" for letter in text[:offset])


def word_at(text: str, offset: int) -> tuple[str, Span] | None:
    """The word that an offset is in, or at the end of."""
    start = max(text.rfind("\n", 0, offset) + 1, 0)
    end = text.find("\n", offset)
    for found in _WORD.finditer(text, start, len(text) if end < 0 else end):
        if found.start() <= offset <= found.end():
            return found[0], Span(*found.span())
    return None


def call_at(text: str, offset: int) -> str | None:
    """The word that the innermost open form around an offset starts with."""
    stack: list[int] = []
    for found in _BRACKETS.finditer(text, 0, offset):
        if found[0] in "([{":
            stack.append(found.end())
        elif found[0] in ")]}" and stack:
            stack.pop()
    while stack:
        head = _WORD.match(text, stack.pop())
        if head:
            return head[0]
    return None


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name gets its meaning, and the part of the text in which it has it."""

    name: str
    span: Span
    form: Span
    """The statement or binding that defines it."""
    scope: Span


def definitions(text: str) -> list[Definition]:
    """All definitions of a text, global and local; none of one that cannot be read."""
    try:
        forms = read(Source("<text>", text))
    except CompileError:
        return []
    whole = Span(0, len(text))
    found: list[Definition] = []
    pending: list[tuple[Form, Span | None]] = [(form, None) for form in reversed(forms)]
    while pending:  # by a list: nesting may be deeper than Python's stack
        form, around = pending.pop()
        if not isinstance(form, Group) or not form.items:
            continue
        head = form.items[0]
        if isinstance(head, Name):
            found += _defined(form, head.text, whole if around is None else around)
        pending += [(item, form.span) for item in reversed(form.items)]
    return found


def _defined(form: Group, head: str, scope: Span) -> Iterator[Definition]:
    target = form.items[1] if len(form.items) > 1 else None
    if head in DEFINING and target is not None:
        first = target.items[0] if head == "define" and isinstance(target, Group) and target.items else target
        for name in _names(first):
            yield Definition(name.text, name.span, form.span, scope)
    if head in BINDING and isinstance(target, Group):
        pairs = target.items
        if pairs and all(isinstance(pair, Group) and len(pair.items) == 2 for pair in pairs):  # ((x e) ...)
            pairs = tuple(item for pair in pairs if isinstance(pair, Group) for item in pair.items)
        for pattern, value in zip(pairs[::2], pairs[1::2]):
            for name in _names(pattern):
                yield Definition(name.text, name.span, Span(pattern.span.start, value.span.end), form.span)
    if head in PROCEDURES or head == "define":
        lists = [item for item in form.items[1:] if isinstance(item, Group)][:1]
        for parameters in lists:
            for each in parameters.items[1:] if head == "define" else parameters.items:
                for name in _names(each):
                    yield Definition(name.text, name.span, parameters.span, form.span)
        if head == "fn" and isinstance(target, Name):
            yield Definition(target.text, target.span, form.span, form.span)


def _names(pattern: Form) -> Iterator[Name]:
    """The names that a pattern binds."""
    if isinstance(pattern, Name):
        if pattern.text not in ("&", ".", "_") and not pattern.text.startswith(":"):
            yield pattern
    elif isinstance(pattern, Group):
        for item in pattern.items:
            yield from _names(item)


def definition_of(text: str, offset: int) -> Definition | None:
    """Where the name at an offset is defined: the innermost definition in whose scope it stands, the last before it."""
    found = word_at(text, offset)
    if found is None:
        return None
    name, span = found
    candidates = [each for each in definitions(text) if each.name == name and _covers(each.scope, span)]
    if not candidates:
        return None
    inner = min(each.scope.end - each.scope.start for each in candidates)
    nearest = [each for each in candidates if each.scope.end - each.scope.start == inner]
    before = [each for each in nearest if each.span.start <= span.start]
    return max(before, key=lambda each: each.span.start) if before else nearest[0]


def _covers(scope: Span, span: Span) -> bool:
    return scope.start <= span.start and span.end <= scope.end


def names_at(text: str, offset: int) -> dict[str, Definition]:
    """The names that are in scope at an offset."""
    place = Span(offset, offset)
    return {each.name: each for each in definitions(text) if _covers(each.scope, place)}
