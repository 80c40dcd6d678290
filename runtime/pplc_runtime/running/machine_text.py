"""The machine code of a program to be read: its middle language, its LLVM IR, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pplc_runtime.general.assembly import assembled
from pplc_runtime.general.types import Untyped
from pplc_runtime.native.modes import Mode
from pplc_runtime.native.sweep_code import Code
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced

if TYPE_CHECKING:
    from pplc_runtime.engine.plan import Plan
    from pplc_runtime.program.errors import Places

_PGAS: Final = Mode(kept=True, rescored=True)


class _Text:
    """In the place of a machine: nothing is made of the text."""

    def __init__(self, source: str, exported: frozenset[str]) -> None:
        self.source = source
        self.exported = exported


@dataclass(frozen=True, slots=True)
class Reading:
    """What there is of a program as machine code."""

    kind: str
    """Static structure, or typed; nothing where there is none."""
    reason: str = ""
    """Why there is none, and why no static structure."""
    own: str = ""
    """Its own text, and that with the library."""
    text: str = ""
    exported: frozenset[str] = frozenset()

    def sentence(self) -> str:
        """How it is run."""
        if self.kind:
            return f"machine code, {self.kind}{f' ({self.reason})' if self.reason else ''}"
        return f"no machine code: {self.reason}"

    def llvm(self) -> str:
        from pplc_runtime.machine.llvm_code import llvm_text

        return llvm_text(self.text, self.exported)


def reading(plan: Plan, places: Places) -> Reading:
    """The code of a program's sweeps of pgas, which has all that the others have."""
    try:
        program = specialised(traced(plan))
    except Exception as error:  # something is wrong that the program itself says better, or it has no static structure
        reason = str(error) if isinstance(error, NoFixedCourse) else "its trace does not come to an end"
        return _in_general(plan, places, reason)
    try:
        stub: Any = _Text
        code = Code(program, _PGAS, machine=stub)
    except Unsupported as missing:
        return Reading("", f"there is no code for {missing}")
    own = "\n".join([*code.forward.text, *code.replays.text])
    return Reading("static structure", "", own, code.text, frozenset({"sweep_block"}))


def _in_general(plan: Plan, places: Places, varies: str) -> Reading:
    try:
        found = assembled(plan)
    except Untyped as missing:
        form = _form_of(missing.node, places)
        where = f", line {form[0]}" if form else ""
        return Reading("", f"{missing}{where}; executions differ: {varies}")
    return Reading("typed", f"executions differ: {varies}", found.text, found.text, frozenset({"sweeps"}))


def _form_of(node: Any, places: Places) -> Any:
    if node is None:
        return None
    return places.get((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
