"""Text to forms.

    (let [x 'a] ; the name
      [1 .5])

reads as

    Group("(", (Name("let"),
                Group("[", (Name("x"), Group("(", (Name("quote"), Name("a"))))),
                Group("[", (Atom(1), Atom(0.5)))))

where each form carries the offsets of its text. Brackets are kept on a list, not on Python's stack,
so that a text may nest as deeply as it likes. One regular expression finds the tokens; a long run of
numbers and square brackets, which is what data looks like, is one token and becomes atoms all at once.
"""

from __future__ import annotations

import gc
import re
import sys
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, compress, islice, repeat
from math import inf, isfinite, isinf
from operator import add
from typing import Final, NamedTuple, TypeAlias
from unicodedata import name as unicode_name

from pplc.diagnostics import CompileError, Diagnostic
from pplc.languages.forms import SHORT_FN, Atom, Constant, Form, Group, Name
from pplc.source import Source, Span

MOST_ERRORS: Final = 100
DEEPEST_MATCH: Final = 20

_BLANK: Final = r" \t\n\r\f\v,"
_DIGITS: Final = r"0-9.eE+\-"
_WORD: Final = r"\w?!\-+*/<>=.&%:#$^~|@"

# Every character starts some alternative, and the end of the text is one, so that the search never skips
# and never retries. Comments and the end match no group.
_TOKEN: Final = re.compile(
    rf"""
    [{_BLANK}]*+ (?:
      ([{_DIGITS}\[\]][{_DIGITS}{_BLANK}\[\]]{{40,4000}}[{_BLANK}\[\]])                 # 1 run
    | ([+-]?(?:[0-9]++\.[0-9]*+|\.[0-9]++|[0-9]++(?=[eE]))(?:[eE][+-]?[0-9]++)?+)(?![{_WORD}])  # 2 float
    | ([+-]?[0-9]++)(?![{_WORD}])                                                        # 3 integer
    | ([(\[{{])                                                                          # 4 opens
    | ([)\]}}])                                                                          # 5 closes
    | ([+-]?\.?[0-9][{_WORD}]*+)                                                         # 6 not a number
    | (\#_|')                                                                            # 7 prefix
    | (\#)(?![{_WORD}])                                                                  # 8 dispatch
    | ([{_WORD}][{_WORD}']*+)                                                            # 9 name
    | "([^"\\]*+(?:\\.[^"\\]*+)*+)"                                                      # 10 string
    | (")                                                                                # 11 open string
    | ;[^\r\n]*+
    | (\\(?:[{_WORD}]++|[^{_BLANK}]))                                                     # 12 character
    | ([^{_WORD}{_BLANK}()\[\]{{}}"';]++)                                                # 13 bad characters
    | \Z )
    """,
    re.VERBOSE | re.DOTALL,
)
_RUN, _FLOAT, _INTEGER, _OPENS, _CLOSES, _NOT_A_NUMBER = range(1, 7)
_PREFIX, _DISPATCH, _NAME, _STRING, _OPEN_STRING, _CHARACTER, _BAD = range(7, 14)
_NUMBERS: Final = (_FLOAT, _INTEGER, _NOT_A_NUMBER)
_RATIO: Final = re.compile(r"([+-]?[0-9]{1,18})(?:N|/0*+([1-9][0-9]{0,17}))")  # 3/4, and 10N, as Clojure has them
_SQUARE: Final = re.compile(r"\[[^\[\]]*+\]|[\[\]]")  # a flat vector, or one bracket

_UNCLEAN: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff"
_NOT_PLAIN: Final = re.compile(rf"[\\{_UNCLEAN}]")
_ESCAPE: Final = re.compile(
    r"""
      \\(["\\ntr])                                                              # 1 a letter
    | \\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})            # 2, 3 a surrogate pair
    | \\u(?![dD][89a-fA-F])([0-9a-fA-F]{4})                                     # 4 a code
    | (\\u[0-9a-fA-F]{0,4})                                                     # 5 not a code
    | (\\.)                                                                     # 6 unknown
    | ([""" + _UNCLEAN + r"""])                                                 # 7 raw
    """,
    re.VERBOSE | re.DOTALL,
)  # fmt: skip
_LETTERS: Final = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}

_CONSTANTS: Final[dict[str, bool | None]] = {"true": True, "false": False, "nil": None}
_PREFIXED: Final = {"'": "quote", "#": SHORT_FN}
_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}
_UNREADABLE: Final = {
    "#{": "'#{' is not supported; there are no sets",
    '#"': "'#\"' is not supported; there are no regular expressions",
}
_MEANT: Final = dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’", "'") | dict.fromkeys("−–—", "-")


class _Prefix(NamedTuple):
    """A quote mark, the `#` of `#(...)` or `#_`, until the form that it applies to has been read."""

    text: str
    start: int
    end: int


_Item: TypeAlias = Form | _Prefix


class _Frame(NamedTuple):
    """An open bracket, and what surrounds it."""

    bracket: str
    start: int
    items: list[_Item]
    prefixed: bool


class _TooManyErrors(Exception):
    pass


def read(source: Source) -> list[Form]:
    """The forms of a text, or a CompileError with all that is wrong with it."""
    forms, errors = scanned(source)
    if errors:
        raise CompileError(source, errors)
    return forms


def scanned(source: Source) -> tuple[list[Form], list[Diagnostic]]:
    """The forms of a text, and what is wrong with it; none if its brackets do not fit."""
    reader = _Reader(source)
    # Forms hold no cycles, yet each is an object that the collector would visit again and again
    # while a large text is read: about a third of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        forms = reader.forms()
    except _TooManyErrors:
        forms = []
    finally:
        if collecting:
            gc.enable()
    return [] if reader.mismatched or reader.stack or reader.stray_end >= 0 else forms, reader.errors


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.errors: list[Diagnostic] = []
        self.stack: list[_Frame] = []
        self.mismatched = False
        self.stray_end = -1

    def error(self, start: int, end: int, message: str) -> None:
        self.errors.append(Diagnostic(Span(start, end), message))
        if len(self.errors) == MOST_ERRORS:
            self.errors.append(Diagnostic(Span(end, end), "too many errors; the rest is not read"))
            raise _TooManyErrors

    def forms(self) -> list[Form]:
        text, stack = self.text, self.stack
        new = tuple.__new__  # a NamedTuple's own constructor takes twice as long
        items: list[_Item] = []
        prefixed = False
        for token in _TOKEN.finditer(text, 1 if text.startswith("\ufeff") else 0):
            kind = token.lastindex
            if kind is None:
                continue
            start, end = token.span(kind)
            if kind == _NAME:
                word = text[start:end]
                if word in _CONSTANTS:
                    items.append(Atom(_CONSTANTS[word], start, end))
                else:
                    items.append(new(Name, (word, start, end)))
            elif kind == _OPENS:
                stack.append(new(_Frame, (text[start], start, items, prefixed)))
                items, prefixed = [], False
            elif kind == _CLOSES:
                items, prefixed = self.close(items, prefixed, start)
            elif kind == _RUN:
                items, prefixed = self.run(items, prefixed, start, end)
            elif kind in _NUMBERS:
                items.append(self.number(kind, start, end))
            elif kind == _STRING:
                items.append(Atom(self.string(start, end), start - 1, end + 1))
            elif kind == _PREFIX:
                items.append(_Prefix(text[start:end], start, end))
                prefixed = True
            elif kind == _DISPATCH and text.startswith("(", end):
                items.append(_Prefix("#", start, end))
                prefixed = True
            elif kind == _OPEN_STRING:
                self.error(start, end, "string is never closed")
                return []
            else:
                self.bad_characters(kind, start, end)
        if stack:
            self.never_closed()
        return self.apply_prefixes(items)

    def close(self, items: list[_Item], prefixed: bool, at: int) -> tuple[list[_Item], bool]:
        """Makes groups of what the closing bracket at an offset closes; the items around them."""
        stack = self.stack
        matches = stack and _CLOSER[stack[-1].bracket] == self.text[at]
        for _ in range(1 if matches else self.closed_by_wrong(at)):
            inner = self.apply_prefixes(items) if prefixed else items
            bracket, start, items, prefixed = stack.pop()
            items.append(tuple.__new__(Group, (bracket, tuple(inner), start, at + 1)))
        return items, prefixed

    def run(self, items: list[_Item], prefixed: bool, start: int, end: int) -> tuple[list[_Item], bool]:
        """Reads a text of digits, signs, points, exponents, white space and square brackets."""
        text = self.text[start:end]
        blanked = text
        for blank in "\n,[]\t\r\f\v":
            blanked = blanked.replace(blank, " ")
        atoms, starts = self.atoms(blanked, start)
        new = tuple.__new__
        done = 0
        for square in _SQUARE.finditer(text):
            first, last = square.span()
            at = start + first
            before = bisect_left(starts, at, done)
            if before > done:
                items += atoms[done:before]
                done = before
            if last > first + 1:
                done = bisect_left(starts, start + last, before)
                items.append(new(Group, ("[", tuple(atoms[before:done]), at, start + last)))
            elif text[first] == "[":
                self.stack.append(_Frame("[", at, items, prefixed))
                items, prefixed = [], False
            else:
                items, prefixed = self.close(items, prefixed, at)
        items += atoms[done:]
        return items, prefixed

    def atoms(self, text: str, start: int) -> tuple[list[Atom | Name], list[int]]:
        """The atoms of a text of digits, signs, points, exponents and spaces, and where they start."""
        pieces = text.split(" ")
        lengths = list(map(len, pieces))
        starts = list(accumulate([length + 1 for length in lengths[:-1]], initial=start))
        if 0 in lengths:
            starts = list(compress(starts, pieces))
            pieces = list(filter(None, pieces))
            lengths = list(filter(None, lengths))
        values: Sequence[float]
        try:
            # On these characters float() and int() accept just what the language does. A piece that float()
            # accepts has at most one point, so that as many points as pieces means no integers.
            points = text.count(".")
            if points == len(pieces):
                values = list(map(float, pieces))
                finite = isfinite(sum(values))
            elif points == 0 and "e" not in text and "E" not in text:
                values = list(map(int, pieces))
                finite = True
            else:
                values = [float(p) if "." in p or "e" in p or "E" in p else int(p) for p in pieces]
                finite = inf not in values and -inf not in values
        except ValueError:
            finite = False
        if not finite:
            return [self.piece(piece, at) for piece, at in zip(pieces, starts)], starts
        ends = map(add, starts, lengths)
        return list(map(tuple.__new__, repeat(Atom), zip(values, starts, ends))), starts

    def piece(self, text: str, start: int) -> Atom | Name:
        """One piece of a run in which something is a name or wrong."""
        end = start + len(text)
        match = _TOKEN.match(text)
        kind = match and match.lastindex
        return Name(text, start, end) if kind is None or kind == _NAME else self.number(kind, start, end)

    def number(self, kind: int, start: int, end: int) -> Atom:
        text = self.text[start:end]
        value: Constant = 0
        if kind == _FLOAT:
            value = float(text)
            if isinf(value):
                self.error(start, end, "number is too large")
        elif kind == _INTEGER:
            try:
                value = int(text)
            except ValueError:
                most = sys.get_int_max_str_digits()
                self.error(start, end, f"integer is too long; at most {most} digits can be read")
        elif ratio := _RATIO.fullmatch(text):
            over, under = int(ratio[1]), int(ratio[2] or 1)
            value = over / under if over % under else over // under
        else:
            shown = text if len(text) <= 40 else text[:37] + "..."
            self.error(start, end, f"'{shown}' is not a number, and a name cannot start like one")
        return tuple.__new__(Atom, (value, start, end))

    def string(self, start: int, end: int) -> str:
        """The value of a string whose text between the quote marks is given."""
        body = self.text[start:end]
        if not _NOT_PLAIN.search(body):
            return body
        parts: list[str] = []
        done = 0
        for escape in _ESCAPE.finditer(body):
            parts.append(body[done : escape.start()])
            done = escape.end()
            letter, high, low, code, *_ = escape.groups()
            if letter:
                parts.append(_LETTERS[letter])
            elif high:
                parts.append(chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF)))
            elif code:
                parts.append(chr(int(code, 16)))
            else:
                self.error(start + escape.start(), start + done, _wrong_in_string(escape[0]))
        parts.append(body[done:])
        return "".join(parts)

    def closed_by_wrong(self, at: int) -> int:
        """Reports a closing bracket that does not match; how many open brackets it closes all the same."""
        found = self.text[at]
        if not self.stack:
            # Of adjacent strays the first is enough, and after a mismatch a stray is likely its consequence.
            if not self.mismatched and self.stray_end != at:
                self.error(at, at + 1, f"'{found}' closes nothing")
            self.stray_end = at + 1
            return 0
        if not self.mismatched:
            bracket, start, *_ = self.stack[-1]
            line, column = self.source.place(start)
            opened = f"'{bracket}' opened at {line}:{column}"
            self.error(at, at + 1, f"'{found}' does not match the {opened}; expected '{_CLOSER[bracket]}'")
        self.mismatched = True
        # Either the brackets within were forgotten, or this one is mistyped. A search without a limit would
        # make a text of a million such brackets take forever.
        for depth, frame in enumerate(islice(reversed(self.stack), DEEPEST_MATCH), start=1):
            if _CLOSER[frame.bracket] == found:
                return depth
        return 1

    def never_closed(self) -> None:
        if self.mismatched:
            return
        for at in sorted({self.stack[0].start, self.stack[-1].start}):
            self.error(at, at + 1, f"'{self.text[at]}' is never closed")

    def apply_prefixes(self, items: list[_Item]) -> list[Form]:
        """Wraps what follows a quote mark or the `#` of `#(...)`, and drops what follows `#_`."""
        forms: list[Form] = []
        waiting: list[_Prefix] = []
        for item in items:
            if isinstance(item, _Prefix):
                waiting.append(item)
                continue
            form: Form = item
            while waiting:
                prefix = waiting.pop()
                if prefix.text == "#_":
                    break
                if prefix.text == "'" and isinstance(form, Name) and form.text.endswith("'"):
                    self.error(form.end - 1, form.end, "a text stands between double quote marks")
                word = Name(_PREFIXED[prefix.text], prefix.start, prefix.end)
                form = Group("(", (word, form), prefix.start, form.end)
            else:
                forms.append(form)
        if waiting:
            text, start, end = waiting[-1]
            after = "the quote mark" if text == "'" else "'#_'"
            self.error(start, end, f"expected a form after {after}")
        return forms

    def bad_characters(self, kind: int, start: int, end: int) -> None:
        text = self.text[start:end]
        if kind == _CHARACTER:
            self.error(start, end, f"'{text}' is not supported; a character is a text, as \"a\" is")
        elif kind == _BAD:
            hint = f"; did you mean {_MEANT[text[0]]} ?" if text[0] in _MEANT else ""
            self.error(start, end, f"unexpected character {_shown(text[0])}{hint}")
        elif (pair := self.text[start : end + 1]) in _UNREADABLE:
            self.error(start, end + 1, _UNREADABLE[pair])
        else:
            self.error(start, end, "'#' alone is not a form")


def _wrong_in_string(text: str) -> str:
    if not text.startswith("\\"):
        return f"unexpected character {_shown(text)} in a string"
    if not text.startswith("\\u"):
        known = r"\" \\ \n \t \r \uXXXX"
        escape = text if text[1].isprintable() else "\\ before " + _shown(text[1])
        return f"unknown escape {escape} in a string; known are {known}"
    if len(text) == 6:
        return f"{text} is half of a character; it takes \\uD800 to \\uDBFF and then \\uDC00 to \\uDFFF"
    return "\\u takes four hexadecimal digits"


def _shown(character: str) -> str:
    if character.isprintable():
        return f"'{character}'"
    label = unicode_name(character, "").lower()
    return f"U+{ord(character):04X}" + (f" ({label})" if label else "")
