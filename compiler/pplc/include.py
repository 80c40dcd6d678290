"""Include: `[include "file.clj"]` at the top level of a file stands for the statements of another.

The path goes from the file that includes it. A model is data: it includes what is in the folder of the main file or
below, and nothing else. A file that is included a second time brings nothing; one that includes itself is an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pplc.diagnostics import CompileError, Diagnostic
from pplc.languages.forms import Atom, Form, Group, Name
from pplc.passes.read import scanned
from pplc.source import Piece, Source, Span

MOST_FILES: Final = 1000
DOWNWARDS: Final = "a path goes from the file that includes it, downwards: no .. and no / in front"
LONGEST: Final = 50_000_000
"""Characters of all files together."""


def gathered(source: Source) -> Source:
    """The source with the texts of all that it includes; raises CompileError where that cannot be."""
    if "include" not in source.text or source.pieces:
        return source
    texts: list[str] = [source.text]
    pieces: list[Piece] = []
    included: dict[str, int] = {}
    length = len(source.text)
    main = "" if source.folder is None else os.path.realpath(os.path.join(source.folder, os.path.basename(source.name)))

    def visit(text: str, name: str, start: int, path: str, around: tuple[str, ...]) -> None:
        nonlocal length
        for form in _includes(scanned(Source(name, text))[0]):
            here = Span(form.start + start, form.end + start)
            target = _target(form, text, name, source.folder, path)
            real = os.path.realpath(target)
            if real in around:
                raise _wrong(form, text, name, "this file includes itself, by way of others or not")
            if real in included:
                continue
            included[real] = len(pieces)
            more = _text(form, text, name, target)
            pieces.append(Piece(target, length + 1, here))
            texts.append(more)
            length += 1 + len(more)
            if len(pieces) > MOST_FILES or length > LONGEST:
                raise _wrong(form, text, name, "too much is included")
            visit(more, target, pieces[-1].start, target, (*around, real))

    visit(source.text, source.name, 0, source.name, (main,))
    return replace(source, text="\n".join(texts), pieces=tuple(pieces)) if pieces else source


def spliced(forms: Sequence[Form], source: Source) -> list[Form]:
    """The forms of a source, with those of included files where they are included."""
    if not source.pieces and not any(_is_include(form) for form in forms):
        return list(forms)
    by_piece: dict[Piece | None, list[Form]] = {}
    for form in forms:
        by_piece.setdefault(source.piece(form.start), []).append(form)
    starts = {piece.by: piece for piece in source.pieces}

    def inside(piece: Piece | None) -> list[Form]:
        found: list[Form] = []
        for form in by_piece.get(piece, ()):
            if _is_include(form):
                found += inside(starts[form.span]) if form.span in starts else []
            else:
                found.append(form)
        return found

    return inside(None)


def _is_include(form: Form) -> bool:
    return isinstance(form, Group) and bool(form.items) and form.items[0] == Name("include", *form.items[0].span)


def _includes(forms: Sequence[Form]) -> list[Group]:
    return [form for form in forms if isinstance(form, Group) and _is_include(form)]


def _wrong(form: Form, text: str, name: str, message: str) -> CompileError:
    return CompileError(Source(name, text), [Diagnostic(form.span, message)])


def _target(form: Group, text: str, name: str, folder: str | None, path: str) -> str:
    """The path of what a form includes, as messages name it."""
    given = form.items[1] if len(form.items) == 2 else None
    if not (isinstance(given, Atom) and isinstance(given.value, str) and given.value):
        raise _wrong(form, text, name, 'expected [include "file.clj"]')
    if folder is None:
        raise _wrong(form, text, name, "a text that is in no file cannot include one")
    parts = given.value.replace("\\", "/").split("/")
    if os.path.isabs(given.value) or ".." in parts or ":" in parts[0] or "\0" in given.value:
        raise _wrong(given, text, name, DOWNWARDS)
    target = os.path.join(os.path.dirname(path), *parts)
    top = os.path.realpath(folder or ".")
    if os.path.commonpath([top, os.path.realpath(target)]) != top:
        raise _wrong(given, text, name, "only what is in the folder of the model, or below it, can be included")
    return target


def _text(form: Group, text: str, name: str, target: str) -> str:
    try:
        with open(target, encoding="utf-8-sig") as file:
            return file.read(LONGEST)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise _wrong(form.items[1], text, name, f"{target}: {reason.lower()}") from None
    except UnicodeDecodeError:
        raise _wrong(form.items[1], text, name, f"{target} is not UTF-8 text") from None
