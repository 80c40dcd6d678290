"""The layout of a program's text: what `pplc fmt` writes.

    [assume f(lambda (x)                 [assume f (lambda (x)
          (if ( > x 0 )        becomes               (if (> x 0)
       x   ; as it is                                  x   ; as it is
     0 )                                               0))]
     )
     ]

Where lines break stays as it was written, and so do comments, blanks inside of a line and all that is a value: only
indentation changes, blanks beside brackets, closing brackets that stand alone, and blank lines in a row. A line stands

- in a statement or special form, two columns to the right of its bracket; in `(mem (lambda ...` of that of the mem;
- in a call, below the first argument if that is in the line of the procedure, else two columns to the right;
- in a vector or a map, below its first element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pplc.languages.forms import SPECIAL, STATEMENTS

_TOKEN: Final = re.compile(
    r"""(?P<newline>\r\n|\r|\n) | (?P<blank>[ \t\f\v]+) | (?P<comment>;[^\r\n]*) | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<comma>,) | (?P<prefix>\#_|'|\#(?=\())
    | (?P<word>[^\s()\[\]{}"';,][^\s()\[\]{}";,]*)""",
    re.VERBOSE | re.DOTALL,
)
_INDENT: Final = 2
_BODIES: Final = frozenset({*SPECIAL, *STATEMENTS} - {"and", "cond", "or", "quote", "recur", "sample"})
_NO_BLANK_AFTER: Final = ("open", "prefix")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    before: str
    """The blanks in front of it."""


@dataclass(slots=True)
class _Open:
    """An open bracket: what its lines are set by."""

    bracket: str
    column: int
    hugged: int | None = None
    """The column of the `(mem` that it follows in a line: a memoised procedure is set as if it were one form."""
    head: str = ""
    items: int = 0
    second: int | None = None
    """The column of its second element, if that is in the same line as the bracket."""

    def inner(self) -> int:
        """The column of a line inside of it."""
        if self.head in _BODIES:
            return (self.column if self.hugged is None else self.hugged) + _INDENT
        if self.bracket == "(" and self.head:
            return self.column + _INDENT if self.second is None else self.second
        return self.column + 1


def formatted(text: str) -> str:
    """The text of a program, which must be one that can be read, in its layout."""
    written: list[str] = []
    stack: list[_Open] = []
    for line in _lines(text.removeprefix("\ufeff")):
        if not line:
            if written and written[-1]:
                written.append("")
        elif all(token.kind == "close" for token in line) and _can_take(written):
            while written and not written[-1]:
                written.pop()
            written[-1] += "".join(token.text for token in line)
            del stack[max(0, len(stack) - len(line)) :]
        else:
            written.append(_set(line, stack))
    while written and not written[-1]:
        written.pop()
    return "\n".join(written) + "\n" if written else ""


def open_brackets(text: str) -> int:
    """How many brackets of a text are not closed; a string that is not closed counts as one."""
    depth = end = 0
    for found in _TOKEN.finditer(text):
        if text[end : found.start()].count('"'):
            return depth + 1  # where no token is, a string begins that does not end
        depth += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
        end = found.end()
    return depth + 1 if '"' in text[end:] else depth


def _can_take(written: list[str]) -> bool:
    """Whether the last line that is not blank can be followed by a bracket: a comment would swallow it."""
    last = next((line for line in reversed(written) if line), "")
    tokens = list(_tokens(last))
    return bool(tokens) and tokens[-1].kind != "comment"


def _lines(text: str) -> Iterator[list[_Token]]:
    """The tokens of each line; a string may span several, and belongs to the one in which it begins."""
    line: list[_Token] = []
    for token in _tokens(text):
        if token.kind == "newline":
            yield line
            line = []
        else:
            line.append(token)
    yield line


def _tokens(text: str) -> Iterator[_Token]:
    blank = ""
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "word"
        if kind == "blank":
            blank = found[0].replace("\t", " ").replace("\f", " ").replace("\v", " ")
        else:
            yield _Token(kind, found[0].rstrip() if kind == "comment" else found[0], blank)
            blank = ""


def _set(line: list[_Token], stack: list[_Open]) -> str:
    """One line, indented; the stack is that of the brackets open after it."""
    indent = stack[-1].inner() if stack else 0
    text = " " * indent
    before: _Token | None = None
    for token in line:
        text += _gap(before, token)
        column = len(text) - (text.rfind("\n") + 1)
        if token.kind == "close":
            if stack:
                stack.pop()
        elif token.kind not in ("comment", "comma"):
            if stack and (before is None or before.kind != "prefix"):
                _count(stack[-1], token, column, first=before is None)
            if token.kind == "open":
                follows = stack and stack[-1].head == "mem" and stack[-1].second == column
                stack.append(_Open(token.text, column, stack[-1].column if follows else None))
        text += token.text
        before = token
    return text


def _count(inside: _Open, token: _Token, column: int, first: bool) -> None:
    """An element of a bracket: the first may be a name that says how its lines are set."""
    inside.items += 1
    if inside.items == 1 and token.kind == "word" and not first:
        inside.head = token.text
    elif inside.items == 2 and not first:
        inside.second = column


def _gap(before: _Token | None, token: _Token) -> str:
    """The blanks between two tokens of a line."""
    if before is None or before.kind in _NO_BLANK_AFTER or token.kind in ("close", "comma"):
        return ""
    return token.before or " "
