"""The text of a program whose execution stands in nodes (`nodes`): segments, and entries of memos by number.

It is the text of a program in general with another way to draw and to remember. Tables of a restaurant have a type of
their own: they can be compared with each other, and be keys of memos, and nothing else. So no execution depends on
their numbers, which is told from the text.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.plan import Bound, Plan
from pplc_runtime.general.assembly import LIBRARY, Assembly, other_data
from pplc_runtime.general.families import MEASURES, RESTAURANTS, label_of, value_type
from pplc_runtime.general.order import check_order
from pplc_runtime.general.program import FIXED, MOST_ROUNDS, Whole
from pplc_runtime.general.types import NOTHING, REAL, TABLE, Tag, Untyped, word
from pplc_runtime.general.values import Val
from pplc_runtime.general.writer import Writer
from pplc_runtime.program.inner_observes import observes_inside
from pplc_runtime.program.steps import Assume, Predict

MOST_ARGUMENTS: Final = 4
TWO: Final = ("flip", "bernoulli", "flip-logit", "bernoulli-logit")
"""The families of two values."""
WRONG: Final = {
    21: "a draw whose kind depends on others",
    22: "a customer of a restaurant that comes and goes",
    23: "more than one restaurant",
    24: "a draw that comes and goes with what its distribution depends on",
}  # fmt: skip
"""What shows when a program is run, and moves in nodes are not for."""


def _read(part: str) -> str:
    return files("pplc_runtime.general").joinpath(f"{part}.py").read_text(encoding="utf-8")


def _library() -> str:
    """The library, in which a particle has the fields of nodes as well."""
    (state,) = [node for node in ast.parse(_read("node_state")).body if isinstance(node, ast.ClassDef)]
    fields = "".join(f"    {ast.unparse(field)}\n" for field in state.body if isinstance(field, ast.AnnAssign))
    last = "    FK: ints  # what particles make in a generation: keys, and whether it is as noted\n    fn: int\n"
    assert LIBRARY.count(last) == 1
    return "\n".join([LIBRARY.replace(last, last + fields), _read("node_values"), _read("nodes"), _read("node_moves")])


class InNodes(Whole):
    """A program in nodes."""

    by_nodes = True
    has_reals = False
    """Whether real numbers are drawn."""

    def begin(self) -> None:
        super().begin()
        self.entries: dict[str, int] = {}
        """The numbers of memoised functions."""

    def is_near(self, name: str) -> bool:
        return False

    def memo(self, name: str) -> str:
        """The text of a memoised function: it finds the node of an entry, which is settled before it has a word."""
        types, result = self.parameters.get(name, []), self.results.get(name, NOTHING)
        if len(types) > MOST_ARGUMENTS:
            raise Untyped(f"a memoised procedure of more than {MOST_ARGUMENTS} values")
        given = "".join(f", p{position}: {word(type_)}" for position, type_ in enumerate(types))
        kind, number = word(result), self.entries.setdefault(name, len(self.entries))
        zero = "0.0" if kind == "float" else "0"
        lines = [
            f"def m_{self.label(name)}(S: State, key: int, place: int{given}) -> {kind}:",
            "    j = node_of(S, key)",
            f"    if S.fail != 0:\n        return {zero}",
            f"    if S.NS[j] == 0:\n        S.NF[j] = {number}\n        S.NZ[j] = {self.compared(result)}",
        ]
        for position, type_ in enumerate(types):
            array = "NAV" if word(type_) == "float" else "NA"
            lines.append(f"        S.{array}[{MOST_ARGUMENTS} * j + {position}] = p{position}")
        lines += ["    asked(S, j)", f"    if S.fail != 0:\n        return {zero}"]
        return "\n".join([*lines, f"    return S.{'NWV' if kind == 'float' else 'NW'}[j]"])

    def entry(self) -> str:
        """The text that runs a memoised function for the key of a node."""
        lines = ["def entry(S: State, j: int) -> None:", "    k = S.NF[j]"]
        for name, number in self.entries.items():
            arrays = ["NAV" if word(type_) == "float" else "NA" for type_ in self.parameters.get(name, [])]
            given = "".join(f", S.{array}[{MOST_ARGUMENTS} * j + {place}]" for place, array in enumerate(arrays))
            to = "XV" if word(self.results.get(name, NOTHING)) == "float" else "XW"
            lines.append(f"    if k == {number}:")
            lines.append(f"        S.{to}[0] = f_{self.label(name)}(S, S.NK[j] & MASK{given})")
        return "\n".join([*lines, "    return"])

    def sampled_family(self, writer: Writer, at: str, family: Family, codes: str) -> Val:
        """A draw from a family of single numbers."""
        name, type_ = family.name, value_type(family)
        if name == "discrete":
            self.helper("node_discrete", DISCRETE)
            return writer.called(f"node_discrete(S, {at}, {codes})", type_)
        self.has_reals = self.has_reals or type_ == REAL
        if name not in TWO and type_ != REAL:
            raise Untyped(f"a move of draws from {name}", writer.node)
        self.helper(f"sample_{label_of(family)}", _sampler(family))
        return writer.called(f"sample_{label_of(family)}(S, {at}, {codes})", type_)

    def sampled_process(self, writer: Writer, tag: Tag, codes: str) -> Val:
        """A customer's table."""
        if tag.name not in RESTAURANTS:
            raise Untyped(f"a move of draws from a {tag.name}", writer.node)
        return writer.called(f"seat_of({codes}{', 0.0' if tag.name == 'Crp' else ''})", TABLE)


DISCRETE: Final = """def node_discrete(S: State, at: int, v: int) -> int:
    p = valued(S, at, 65537, 2, S.I[v])
    if S.fail != 0:
        return 0
    if S.fresh != 0:
        total = 0.0
        for j in range(S.I[v]):
            total += S.H[v + 1 + j]
        point = uniform(S.k0, S.k1, at, S.c1) * total
        for j in range(S.I[v]):
            if S.H[v + 1 + j] > 0.0:
                S.RI[p] = j
                point = point - S.H[v + 1 + j]
                if point < 0.0:
                    break
    k = S.RI[p]
    drawn(S, lp_discrete(float(k), S.I[v], S.H[v + 1 :]))
    return k"""


def _sampler(family: Family) -> str:
    """The function that finds what a family has drawn, or draws it for an entry that is made."""
    label, measure = label_of(family), (MEASURES[family.measure] << 16) + 1
    names = [f"a{position}" for position in range(len(family.parameters))]
    given, passed = "".join(f", {name}: float" for name in names), "".join(f", {name}" for name in names)
    real = value_type(family) == REAL
    kind, zero, array = ("float", "0.0", "RV") if real else ("int", "0", "RI")
    fresh = f"draw_{label}(S.k0, S.k1, at, S.c1{passed})"
    return f"""def sample_{label}(S: State, at: int{given}) -> {kind}:
    p = valued(S, at, {measure}, {3 if real else 2}, 2)
    if S.fail != 0:
        return {zero}
    if S.fresh != 0:
        S.{array}[p] = {fresh if real else f"int({fresh})"}
    x = S.{array}[p]
    drawn(S, lp_{label}({"x" if real else "float(x)"}{passed}))
    return x"""


@dataclass(frozen=True, slots=True)
class NodeProgram:
    """A program in nodes as text of the middle language, with what it needs to run."""

    text: str
    words: list[int]
    texts: int
    segments: int
    count: int
    """Of segments."""
    slots: int
    failures: dict[int, tuple[str, object]]
    has_reals: bool


def parts_of(plan: Plan) -> list[list[Bound]]:
    """The segments of a program in nodes: all that is assumed, and each observe."""
    steps = [step for segment in plan.segments for step in segment if step.step is not Predict]
    observes = [[step] for step in steps if step.step is not Assume]
    return [[step for step in steps if step.step is Assume], *observes]


def in_nodes(plan: Plan) -> NodeProgram:
    """The program of a plan, without what it predicts; `Untyped` where it cannot stand in nodes."""
    check_order(plan)
    if plan.observes_inside or observes_inside(plan.module):
        raise Untyped("observes inside of expressions")
    parts = parts_of(plan)
    whole = InNodes(plan)
    if not whole.even:
        raise Untyped("what is assumed after the first observe")
    for _ in range(MOST_ROUNDS):
        whole.begin()
        assembly = Assembly(whole, {}, other_data(plan))
        rows = [assembly.row(part) for part in parts]
        if whole.finish():
            break
    else:
        raise Untyped("types that go on growing")
    segments = whole.constants.rows([each for row in rows for each in row])
    texts = whole.constants.rows(whole.constants.text_hashes() or [0])
    failures: dict[int, tuple[str, object]] = {number: found for found, number in whole.failures.items()}
    failures |= {code: (message, None) for code, message in FIXED.items()}
    functions = [*whole.helpers.values(), *whole.texts.values(), *assembly.texts([]), whole.entry()]
    text = "\n\n\n".join([LIBRARY_OF_NODES, *functions]) + "\n"
    return NodeProgram(
        text, whole.constants.words, texts, segments, len(parts), len(whole.slots), failures, whole.has_reals
    )


LIBRARY_OF_NODES: Final = _library()
