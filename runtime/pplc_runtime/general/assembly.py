"""The text of a whole program: its segments and reports, the functions that they call, and the library.

Segments that run the same statements share a function, and have rows of their own in the arena: the addresses of the
statements, what loops and literals give them, and the places of what they predict.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from pplc_runtime.engine.observed import OBSERVED, Observed
from pplc_runtime.engine.plan import Bound, Plan
from pplc_runtime.general.families import observed
from pplc_runtime.general.order import check_order
from pplc_runtime.general.program import FIRST_FAILURE, FIXED, MOST_ROUNDS, Whole
from pplc_runtime.general.types import NOTHING, Type, Untyped, word
from pplc_runtime.general.values import Val, type_of
from pplc_runtime.general.writer import Writer
from pplc_runtime.program.steps import Assume, Observe, Predict

PARTS: Final = (
    ("machine", "generator"), ("machine", "draws"), ("native", "densities"), ("native", "resample"),
    ("general", "store"), ("general", "entries"), ("general", "vectors"), ("general", "incremental"),
    ("general", "urns"), ("general", "points"), ("general", "particle"), ("general", "suffixes"),
    ("general", "sweeping"), ("general", "retold"),
)  # fmt: skip
LIBRARY: Final = "\n".join(
    files(f"pplc_runtime.{room}").joinpath(f"{part}.py").read_text(encoding="utf-8") for room, part in PARTS
)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A program as text of the middle language, with what it needs to run."""

    text: str
    words: list[int]
    """The constants, from the beginning of the arena on."""
    texts: int
    segments: int
    """Where the hashes of strings and the rows of the segments begin."""
    slots: int
    labels: list[str]
    predicted: list[Type]
    failures: dict[int, tuple[str, Any]]
    """What codes of failures mean, and where in the generated module it is."""
    whole: Whole
    has_seats: bool
    """Whether processes take in values."""
    even: bool
    """Whether suffixes can be replayed as far as they have changed."""


def assembled(plan: Plan) -> Assembled:
    """The program of a plan; `Untyped` where a part of it has no type or no code."""
    check_order(plan)
    whole = Whole(plan)
    predicts = sorted([step for part in (*plan.segments, plan.reports) for step in part if step.step is Predict],
                      key=lambda step: step.turn)  # fmt: skip
    replaced = other_data(plan)
    for _ in range(MOST_ROUNDS):
        whole.begin()
        assembly = Assembly(whole, {step.turn: place for place, step in enumerate(predicts)}, replaced)
        rows = [assembly.row(segment) for segment in plan.segments]
        reports = [assembly.row([step]) for step in plan.reports]
        if whole.finish():
            break
    else:
        raise Untyped("types that go on growing")
    labels = _numbered([_label(step, whole) for step in predicts])
    segments = whole.constants.rows([each for row in rows for each in row])
    hashes = whole.constants.text_hashes()
    texts = whole.constants.rows(hashes or [0])
    failures = {number: found for found, number in whole.failures.items()}
    failures |= {code: (message, None) for code, message in FIXED.items()}
    assert all(code >= FIRST_FAILURE or code in FIXED for code in failures)
    text = "\n\n\n".join([LIBRARY, *whole.helpers.values(), *whole.texts.values(), *assembly.texts(reports)]) + "\n"
    types = [assembly.predicted.get(place, NOTHING) for place in range(len(predicts))]
    return Assembled(
        text, whole.constants.words, texts, segments, len(whole.slots), labels, types, failures, whole,
        whole.has_seats, whole.even,
    )  # fmt: skip


def other_data(plan: Plan) -> Observed | None:
    """Values in place of those that are observed."""
    replaced: Observed | None = plan.inputs.get(OBSERVED)
    observes = sum(step.step is Observe for segment in plan.segments for step in segment)
    if replaced is not None and len(replaced.values) > observes:
        raise Untyped("other data for an observe inside of an expression")
    return replaced


class Assembly:
    """Segments as functions and rows."""

    def __init__(self, whole: Whole, places: dict[int, int], replaced: Observed | None) -> None:
        self.whole = whole
        self.replaced = replaced
        """Values in place of those that are observed: one more argument of a statement."""
        self.places = places
        """Where what is predicted goes, by its turn."""
        self.shapes: dict[Any, int] = {}
        self.functions: list[str] = []
        self.predicted: dict[int, Type] = {}
        self.shape_types: dict[Any, Type] = {}

    def row(self, steps: Sequence[Bound]) -> tuple[int, int]:
        """The number of the function that runs some steps, and where its row is."""
        whole = self.whole
        shape = tuple((step.step, self.name_of(step), step.name) for step in steps)
        for step in steps:
            for position, argument in enumerate(step.arguments):
                whole.given(self.name_of(step), position, type_of(argument, whole))
            if self.is_replaced(step):
                self.seen(step)
        if shape not in self.shapes:
            self.shapes[shape] = len(self.shapes)
            self.functions.append("")
            self.functions[self.shapes[shape]] = self.function(shape, steps)
        words: list[int] = []
        for position, step in enumerate(steps):
            types = whole.parameters.get(self.name_of(step), [])
            words.append(step.at.hash)
            words += [whole.constants.word(argument, type_) for argument, type_ in zip(step.arguments, types)]
            if self.replaced is not None and step.step is Observe:
                words.append(whole.constants.word(self.replaced.at(step.at), self.seen(step)))
            if step.step is Predict:
                words.append(self.places[step.turn])
                self.predicted[self.places[step.turn]] = self.shape_types[shape, position]
        return self.shapes[shape], whole.constants.rows(words)

    def seen(self, step: Bound) -> Type:
        """The type of what replaces the data of an observe, which is the same for all of one function."""
        assert self.replaced is not None
        types = self.whole.parameters.setdefault(f"{self.name_of(step)} {OBSERVED}", [NOTHING])
        types[0] = self.whole.grown(types[0], type_of(self.replaced.at(step.at), self.whole))
        return types[0]

    def is_replaced(self, step: Bound) -> bool:
        return self.replaced is not None and step.step is Observe

    def name_of(self, step: Bound) -> str:
        name = getattr(step.function, "__name__", "")
        if name not in self.whole.functions:
            raise Untyped("a predict of what a loop assumes anew")
        return str(name)

    def function(self, shape: Any, steps: Sequence[Bound]) -> str:
        """The function of segments of one shape."""
        whole = self.whole
        number = self.shapes[shape]
        writer = Writer(whole, f"segment {number}", "")
        offset = 0
        for position, step in enumerate(steps):
            own = whole.functions[self.name_of(step)]
            writer.env = {}
            writer.line(f"at = S.I[row + {offset}] & MASK")
            offset += 1
            types = whole.parameters.get(own.name, [])
            for parameter, type_ in zip(whole.parameters_of(own.name), types):
                array = "H" if word(type_) == "float" else "I"
                writer.env[parameter] = Val(type_, f"S.{array}[row + {offset}]")
                offset += 1
            seen = None
            if self.is_replaced(step):
                type_ = self.seen(step)
                seen = Val(type_, f"S.{'H' if word(type_) == 'float' else 'I'}[row + {offset}]")
                offset += 1
            self.statement(writer, step, own, seen)
            if step.step is Predict:
                self.shape_types[shape, position] = self.report_type
                array = "P" if word(self.report_type) == "float" else "Q"
                writer.line(f"S.{array}[S.g + {SLOTS} + S.I[row + {offset}]] = {self.report_code}")
                offset += 1
        return "\n".join([f"def run_{number}(S: State, row: int) -> None:", *writer.lines, "    return"])

    report_type: Type = NOTHING
    report_code = "0"

    def statement(self, writer: Writer, step: Bound, own: ast.FunctionDef, seen: Val | None) -> None:
        *before, last = own.body
        for each in before:
            writer.simple(each)
        assert isinstance(last, ast.Return) and last.value is not None
        if step.step is Assume:
            value = writer.expr(last.value)
            type_, slot = self.whole.assumed(step.name, value.type)
            writer.line(f"S.{'P' if word(type_) == 'float' else 'Q'}[S.g + {slot}] = {writer.code(value, type_)}")
            return
        assert isinstance(last.value, ast.Tuple)
        first, second = last.value.elts
        if step.step is Observe:
            writer.node = last.value
            source, value = writer.expr(first), writer.expr(second) if seen is None else seen
            observed(self.whole, writer, "at", source, value)
        else:
            value = writer.expr(second)
            self.report_type, self.report_code = value.type, writer.code(value)

    def texts(self, reports: list[tuple[int, int]]) -> list[str]:
        """The functions of segments, and those that run them by number."""
        slots = str(len(self.whole.slots))
        found = [text.replace(SLOTS, slots) for text in self.functions]
        tests = [
            f"    {'if' if number == 0 else 'elif'} k == {number}:\n        run_{number}(S, row)"
            for number in range(len(self.functions))
        ]
        row = ["    k = S.I[S.segments + 2 * n]", "    row = S.I[S.segments + 2 * n + 1]"]
        found.append("\n".join(["def segment(S: State, n: int) -> None:", *row, *tests]))
        calls = [f"    run_{number}(S, {row})\n    if S.fail != 0:\n        return" for number, row in reports]
        found.append("\n".join(["def report(S: State) -> None:", *calls, "    return"]))
        return found


SLOTS: Final = "@slots@"
"""In place of the number of globals, which is known in the end."""


def _label(step: Bound, whole: Whole) -> str:
    """The label of a predict, which must be in the text."""
    own = whole.functions[str(getattr(step.function, "__name__", ""))]
    last = own.body[-1]
    assert isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
    label = last.value.elts[0]
    for each in own.body:
        match each:
            case ast.Assign([ast.Name(name)], value) if isinstance(label, ast.Name) and label.id == name:
                label = value
    match label:
        case ast.Constant(str(text)):
            return text
        case ast.Name(name) if name in whole.parameters_of(own.name):
            given = step.arguments[whole.parameters_of(own.name).index(name)]
            if type(given) is str:
                return given
    raise Untyped("a label that is computed", last.value)


def _numbered(labels: list[str]) -> list[str]:
    """A label that comes again has its number."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label}#{seen[label]}")
    return found
