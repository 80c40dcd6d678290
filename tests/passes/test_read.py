"""The reader: values and offsets of what it reads, and what it says of what it cannot read."""

from __future__ import annotations

from typing import Any

import pytest

from pplc.diagnostics import CompileError
from pplc.languages.forms import Atom, Constant, Form, Group, Name
from pplc.passes.read import MOST_ERRORS, read
from pplc.source import Source

CLOSER = {"(": ")", "[": "]", "{": "}"}


def forms(text: str) -> list[Form]:
    return read(Source("test.clj", text))


def errors(text: str) -> list[str]:
    """Each error as line:column-width: message."""
    source = Source("test.clj", text)
    with pytest.raises(CompileError) as caught:
        read(source)
    places = [(*source.place(d.span.start), len(source.slice(d.span)), d) for d in caught.value.diagnostics]
    return [f"{line}:{column}-{width}: {d.message}" for line, column, width, d in places]


def bare(form: Form) -> Any:
    """A form without its offsets, and with the types of numbers made visible."""
    match form:
        case Atom(value):
            return (type(value).__name__, value)
        case Name(text):
            return text
        case Group(bracket, items):
            return [bracket, *map(bare, items)]


# What is read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12), ("-2", -2), ("+3", 3), ("007", 7), ("9" * 50, int("9" * 50)),
        ("10.", 10.0), ("1e-3", 0.001), (".5", 0.5), ("-.5", -0.5), ("-2.5e+10", -2.5e10), ("1E5", 1e5),
        ("1.e2", 100.0), ("0.1", 0.1), ("1e-999", 0.0),
        ("true", True), ("false", False), ("nil", None),
        ('""', ""), ('"a b;("', "a b;("), ('"a\nb"', "a\nb"), (r'"\"\\\n\t\r"', '"\\\n\t\r'),
        (r'"\u00e9\u00E9"', "éé"), (r'"\uD83D\uDE00"', "😀"), ('"λ😀"', "λ😀"),
    ],
)  # fmt: skip
def test_atoms(text: str, value: Constant) -> None:
    assert forms(text) == [Atom(value, 0, len(text))]
    [atom] = forms(text)
    assert isinstance(atom, Atom)
    assert type(atom.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "x", "->", "*", "-", "+", "/", ".", "...", "<=", "x1", "a.b/c", ":key", ":", "+a", "-e", "e5", "-.a",
        "even?", "set!", "%1", "&rest", "a#b", "#b", "##Inf", "μ", "σ2", "_", "true?", "nil1", "~@x",
    ],
)  # fmt: skip
def test_names(text: str) -> None:
    assert forms(text) == [Name(text, 0, len(text))]


def test_groups_hold_their_offsets() -> None:
    assert forms("(f [1]\r\n ,{}) ; done") == [
        Group("(", (
            Name("f", 1, 2),
            Group("[", (Atom(1, 4, 5),), 3, 6),
            Group("{", (), 10, 12),
        ), 0, 13),
    ]  # fmt: skip


def test_quote_is_a_group_from_the_mark_to_the_end_of_its_form() -> None:
    inner = Group("(", (Name("quote", 1, 2), Name("a", 2, 3)), 1, 3)
    assert forms("''a") == [Group("(", (Name("quote", 0, 1), inner), 0, 3)]
    assert [bare(f) for f in forms("x' x'y '[z]")] == ["x'", "x'y", ["(", "quote", ["[", "z"]]]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(a #_b c)", "(a c)"), ("#_(a [b]) c", "c"), ("#_#_a b c", "c"), ("'#_a b", "'b"), ("#_'a b", "b"),
        ("(a #_b)", "(a)"), ("#_ ; comment\n a b", "b"), ("#_1 2", "2"), ("; only", ""), (" ,\n", ""),
        ("a;b\rc", "a c"), ("(a;)\r\n)", "(a)"), ("\ufeffa", "a"), ('"a"1"b"', '"a" 1 "b"'),
    ],
)  # fmt: skip
def test_same_forms(text: str, same: str) -> None:
    assert [bare(f) for f in forms(text)] == [bare(f) for f in forms(same)]


def test_a_byte_order_mark_is_no_column() -> None:
    assert forms("\ufeff(a)") == [Group("(", (Name("a", 2, 3),), 1, 4)]
    assert errors("\ufeff 1a") == ["1:2-2: '1a' is not a number, and a name cannot start like one"]


def test_ratios_are_numbers() -> None:
    assert [form.value for form in forms("[1/2 -6/3 10N 7/007]")[0].items] == [0.5, -2, 10, 1]  # type: ignore[union-attr]


# What is not


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x 12abc", ["1:3-5: '12abc' is not a number, and a name cannot start like one"]),
        ("1.2.3", ["1:1-5: '1.2.3' is not a number, and a name cannot start like one"]),
        ("[1/0\n 1_0 -.5. 0x1F]", [
            "1:2-3: '1/0' is not a number, and a name cannot start like one",
            "2:2-3: '1_0' is not a number, and a name cannot start like one",
            "2:6-4: '-.5.' is not a number, and a name cannot start like one",
            "2:11-4: '0x1F' is not a number, and a name cannot start like one",
        ]),
        ("9" * 50 + "x", [f"1:1-51: '{'9' * 37}...' is not a number, and a name cannot start like one"]),
        ("1e400", ["1:1-5: number is too large"]),
        ("[-1e400]", ["1:2-6: number is too large"]),
        ("1" * 5000, ["1:1-5000: integer is too long; at most 4300 digits can be read"]),
        ('"a', ["1:1-1: string is never closed"]),
        ('(f "a)\\', ["1:4-1: string is never closed"]),
        (r'"a\qb\z"', [
            r'1:3-2: unknown escape \q in a string; known are \" \\ \n \t \r \uXXXX',
            r'1:6-2: unknown escape \z in a string; known are \" \\ \n \t \r \uXXXX',
        ]),
        ('"\\\x01"', [r'1:2-2: unknown escape \ before U+0001 in a string; known are \" \\ \n \t \r \uXXXX']),
        (r'"\u12g4"', [r"1:2-4: \u takes four hexadecimal digits"]),
        (r'"\uD800"', [
            r"1:2-6: \uD800 is half of a character; it takes \uD800 to \uDBFF and then \uDC00 to \uDFFF",
        ]),
        ('"a\x00\ud800"', [
            "1:3-1: unexpected character U+0000 in a string",
            "1:4-1: unexpected character U+D800 in a string",
        ]),
        ("a\x00b \x1b[", [
            "1:2-1: unexpected character U+0000",
            "1:5-1: unexpected character U+001B",
            "1:6-1: '[' is never closed",
        ]),
        ("\ud800 a\ufeff", [
            "1:1-1: unexpected character U+D800",
            "1:4-1: unexpected character U+FEFF (zero width no-break space)",
        ]),
        ("a\xa0b", ["1:2-1: unexpected character U+00A0 (no-break space)"]),
        ("`a", ["1:1-1: unexpected character '`'"]),
        ("−1", ["1:1-1: unexpected character '−'; did you mean - ?"]),
        ("“a”", [
            "1:1-1: unexpected character '“'; did you mean \" ?",
            "1:3-1: unexpected character '”'; did you mean \" ?",
        ]),
        ("#{1 2}", ["1:1-2: '#{' is not supported; there are no sets"]),
        ('#"a"', ["1:1-2: '#\"' is not supported; there are no regular expressions"]),
        (r"(f \a \( \newline)", [
            r'''1:4-2: '\a' is not supported; a character is a text, as "a" is''',
            r'''1:7-2: '\(' is not supported; a character is a text, as "a" is''',
            r'''1:10-8: '\newline' is not supported; a character is a text, as "a" is''',
        ]),
        ("# a", ["1:1-1: '#' alone is not a form"]),
        ("(a ')", ["1:4-1: expected a form after the quote mark"]),
        ("a '", ["1:3-1: expected a form after the quote mark"]),
        ("[#_]", ["1:2-2: expected a form after '#_'"]),
        ("(f x", ["1:1-1: '(' is never closed"]),
        ("(f\n [x {y}", ["1:1-1: '(' is never closed", "2:2-1: '[' is never closed"]),
        ("(f x))", ["1:6-1: ')' closes nothing"]),
        ("a))) b ]", ["1:2-1: ')' closes nothing", "1:8-1: ']' closes nothing"]),
        ("(let [x (f 1]\n  x)", ["1:13-1: ']' does not match the '(' opened at 1:9; expected ')'"]),
        ("(f [1 2)\n (g)", ["1:8-1: ')' does not match the '[' opened at 1:4; expected ']'"]),
        ("(f [1 2) 3)", ["1:8-1: ')' does not match the '[' opened at 1:4; expected ']'"]),
        ("\n [1)", ["2:4-1: ')' does not match the '[' opened at 2:2; expected ']'"]),
        ("(1a\r\n\t1b]", [
            "1:2-2: '1a' is not a number, and a name cannot start like one",
            "2:2-2: '1b' is not a number, and a name cannot start like one",
            "2:4-1: ']' does not match the '(' opened at 1:1; expected ')'",
        ]),
    ],
)  # fmt: skip
def test_errors(text: str, expected: list[str]) -> None:
    assert sorted(errors(text)) == sorted(expected)


def test_errors_in_a_long_run_of_numbers() -> None:
    good = "[" + "1.5 " * 30
    assert errors(good + "1.2.3 2.5 " + "3.5 " * 30 + "]") == [
        "1:122-5: '1.2.3' is not a number, and a name cannot start like one"
    ]
    assert errors(good + "1e999 2.5 -1e999 " + "3 " * 30 + "]") == [
        "1:122-5: number is too large",
        "1:132-6: number is too large",
    ]
    assert errors(good + "4 " * 30 + "]] 1") == ["1:183-1: ']' closes nothing"]
    assert errors("(" + good + "4 " * 30) == ["1:1-1: '(' is never closed", "1:2-1: '[' is never closed"]
    assert errors("(" + "4 " * 30 + "] 1)") == ["1:62-1: ']' does not match the '(' opened at 1:1; expected ')'"]


def test_errors_come_to_an_end() -> None:
    found = errors("1a " * 100_000)
    assert len(found) == MOST_ERRORS + 1
    assert found[-1].endswith("too many errors; the rest is not read")


# Depth


@pytest.mark.slow
@pytest.mark.parametrize("opener", ["(", "[", "{", "'", "(["])
def test_deep_nesting(opener: str) -> None:
    depth = 200_000
    closer = "".join(CLOSER.get(c, "") for c in reversed(opener))
    text = opener * depth + "x" + closer * depth
    [form] = forms(text)
    assert form.span == (0, len(text))
    levels = 0
    while isinstance(form, Group):
        form = form.items[-1]
        levels += 1
    assert levels == depth * len(opener)
    assert form == Name("x", depth * len(opener), depth * len(opener) + 1)


@pytest.mark.parametrize("text", ["(", "[", "([", ")", "'", "#_", "(]", "{)"])
def test_deep_nonsense(text: str) -> None:
    assert 1 <= len(errors(text * 100_000)) <= 2


def test_deep_mismatch() -> None:
    depth = 100_000
    assert errors("(" * depth + "]" * depth) == [
        f"1:{depth + 1}-1: ']' does not match the '(' opened at 1:{depth}; expected ')'"
    ]
