"""The reader on generated texts, whose forms and offsets are known, and on any text."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sexpdata
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.passes.test_read import CLOSER, forms

from pplc.diagnostics import CompileError
from pplc.languages.forms import Atom, Form, Group, Name
from pplc.passes.read import read
from pplc.source import Source

# A slow machine is not a failure.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


# Generated texts, whose forms and offsets are known from how they were made

NAMES = st.from_regex(r"[a-z*!<>=?_:][a-z0-9*+!<>=?_.:/-]{0,8}", fullmatch=True).filter(
    lambda text: text not in ("true", "false", "nil", "inf", "nan")
)
STRINGS = st.text(st.characters(exclude_categories=["C"]) | st.sampled_from("\n\t\r\"\\;()[]{}'"), max_size=8)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(NUMBERS, max_size=12).map(lambda items: ("[", items))
DATA = st.lists(NUMBERS | ROWS, min_size=5, max_size=40)
LEAVES = (
    NUMBERS
    | STRINGS.map(lambda text: ("text", text))
    | NAMES
    | st.sampled_from([True, False, None])
    | DATA.map(lambda items: ("[", items))
)
TREES = st.lists(
    st.recursive(
        LEAVES,
        lambda tree: (
            st.tuples(st.sampled_from("(["), st.lists(tree, max_size=6)) | tree.map(lambda quoted: ("'", quoted))
        ),
        max_leaves=12,
    ),
    max_size=5,
)
SEEDS = st.integers(0, 2**32)
BLANKS = [" "] * 12 + ["\n", "  ", "\t", "\r\n", " ; a comment (\n", ";\n", "\n ;; \"'\n\n"]


class Writer:
    """Writes trees with random white space, and the forms that they should read as."""

    def __init__(self, seed: int, blanks: list[str]) -> None:
        self.rng = random.Random(seed)
        self.blanks = blanks
        self.text = ""

    def blank(self) -> None:
        self.text += self.rng.choice(self.blanks)

    def leaf(self, text: str) -> tuple[int, int]:
        start = len(self.text)
        self.text += text
        return start, len(self.text)

    def form(self, tree: Any) -> Form:
        match tree:
            case ("'", quoted):
                start, end = self.leaf("'")
                if self.rng.random() < 0.2:
                    self.blank()
                form = self.form(quoted)
                return Group("(", (Name("quote", start, end), form), start, form.end)
            case ("text", str(value)):
                # New lines and tabs may stand for themselves.
                raw = '"' not in value and "\\" not in value and self.rng.random() < 0.5
                return Atom(value, *self.leaf(f'"{value}"' if raw else quoted_text(value)))
            case (str(bracket), list(trees)):
                start, _ = self.leaf(bracket)
                items = tuple(self.spaced(trees))
                _, end = self.leaf(CLOSER[bracket])
                return Group(bracket, items, start, end)
            case bool() | None:
                return Atom(tree, *self.leaf({True: "true", False: "false", None: "nil"}[tree]))
            case str():
                return Name(tree, *self.leaf(tree))
            case _:
                return Atom(tree, *self.leaf(self.rng.choice(("", "+" if tree > 0 else "")) + repr(tree)))

    def spaced(self, trees: list[Any]) -> list[Form]:
        items = []
        for tree in trees:
            items.append(self.form(tree))
            self.blank()
        return items


def quoted_text(value: str) -> str:
    escapes = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r"}
    return '"' + "".join(escapes.get(c, c) for c in value) + '"'


def everything(found: list[Form]) -> list[Form]:
    every = list(found)
    for form in every:
        if isinstance(form, Group):
            every.extend(form.items)
    return every


def shifted(form: Form, by: int) -> Form:
    if isinstance(form, Group):
        return Group(form.bracket, tuple(shifted(f, by) for f in form.items), form.start + by, form.end + by)
    return form._replace(start=form.start + by, end=form.end + by)


@pytest.mark.slow
@untimed
@given(TREES, SEEDS)
def test_values_and_offsets(trees: list[Any], seed: int) -> None:
    writer = Writer(seed, [*BLANKS, ",", ", ", " #_(not this 1) ", " #_#_ a b\n"])
    expected = writer.spaced(trees)
    found = forms(writer.text)
    assert found == expected
    # == does not tell 1 from 1.0 or from true, repr does
    assert repr(found) == repr(expected)


@untimed
@given(TREES, SEEDS)
def test_each_span_reads_as_its_form(trees: list[Any], seed: int) -> None:
    writer = Writer(seed, BLANKS)
    writer.spaced(trees)
    for form in everything(forms(writer.text)):
        text = writer.text[form.start : form.end]
        if text != "'":
            assert [shifted(again, form.start) for again in forms(text)] == [form]


def as_sexpdata(form: Form) -> Any:
    match form:
        case Atom(None):
            return sexpdata.Symbol("nil")
        case Atom(value):
            return value
        case Name(text):
            return sexpdata.Symbol(text)
        case Group("(", (Name("quote", start, end), quoted), outer) if (start, end) == (outer, outer + 1):
            return sexpdata.Quoted(as_sexpdata(quoted))
        case Group("[", items):
            return sexpdata.Brackets([as_sexpdata(item) for item in items])
        case Group(_, items):
            return [as_sexpdata(item) for item in items]


@untimed
@given(TREES, SEEDS)
def test_sexpdata_reads_the_same(trees: list[Any], seed: int) -> None:
    writer = Writer(seed, BLANKS)
    writer.spaced(trees)
    oracle = sexpdata.parse(writer.text, nil=None, true="true", false="false")
    assert repr([as_sexpdata(form) for form in forms(writer.text)]) == repr(oracle)


# Anything else is a CompileError


def reads_or_explains(text: str) -> None:
    source = Source("test.clj", text)
    try:
        found = read(source)
    except CompileError as error:
        assert error.diagnostics
        assert all(0 <= d.span.start <= d.span.end <= len(text) for d in error.diagnostics)
        str(error).encode()
    else:
        assert all(0 <= form.start < form.end <= len(text) for form in everything(found))


@untimed
@given(st.text(st.characters() | st.sampled_from("()[]{}'\"\\#_;-+.e0123456789u, \n"), max_size=200))
@example("\ud800")
@example('"\\')
@example("#")
@example("'#_")
@example("\ufeff")
@example("1" * 5000)
def test_any_text(text: str) -> None:
    reads_or_explains(text)


@untimed
@given(
    st.text("0123456789.eE+-[] ,\n", min_size=40, max_size=400),
    st.sampled_from(["", "x", "'", '"', "#_", "("]),
)
def test_any_run(text: str, before: str) -> None:
    reads_or_explains(before + text)


@untimed
@given(TREES, SEEDS, st.integers(1, 5))
def test_any_mutation(trees: list[Any], seed: int, changes: int) -> None:
    writer = Writer(seed, BLANKS)
    writer.spaced(trees)
    text = writer.text
    for _ in range(changes):
        at = writer.rng.randrange(len(text) + 1)
        gone = writer.rng.choice((0, 1, 1, 5))
        text = text[:at] + writer.rng.choice(("", *"()[]{}'\"\\#;\x00.1-e")) + text[at + gone :]
    reads_or_explains(text)
