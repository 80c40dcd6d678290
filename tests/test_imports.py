"""Imports flow one way (see docs/codemap.md)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]

TABLES: Final = (
    "pplc_runtime.primitives.facts", "pplc_runtime.program.formulas", "pplc_runtime.program.names",
    "pplc_runtime.values", "pplc_runtime.version", "pplc_runtime.program.constructors",
    "pplc_runtime.program.densities", "pplc_runtime.program.stochastic", "pplc_runtime.reference.syntax",
)  # fmt: skip
"""What a pass may see of the runtime: names and arities, plain values, the syntax that it translates to."""

ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "pplc.source": (),
    "pplc.diagnostics": ("pplc.source", "pplc_runtime.excerpt"),
    "pplc.languages": ("pplc.source", "pplc.languages", "pplc_runtime.results.sexp"),
    "pplc.passes": ("pplc.source", "pplc.diagnostics", "pplc.languages", "numpy", *TABLES),
    "pplc.pipeline": (
        "pplc.source", "pplc.diagnostics", "pplc.languages", "pplc.passes", "pplc.room", "pplc.include", "pplc_runtime",
    ),
    "pplc.include": ("pplc.source", "pplc.diagnostics", "pplc.languages", "pplc.passes.read"),
    "pplc_runtime": ("pplc_runtime", "numpy", "scipy", "sexpdata", "matplotlib"),
    "pplc_runtime.results": (
        "pplc_runtime", "numpy", "sexpdata", "matplotlib", "arviz", "h5netcdf", "h5py", "pandas", "pyarrow", "xarray",
    ),
    "pplc_runtime.distributions": ("pplc_runtime.distributions", "numpy", "scipy"),
    "pplc_runtime.processes": ("pplc_runtime.distributions", "pplc_runtime.processes", "numpy"),
    "pplc_runtime.machine.machine": ("pplc_runtime", "numpy", "llvmlite"),
    "pplc_runtime.settings": ("pplc_runtime.suggestions",),
    "pplc_runtime.composition": ("pplc_runtime.settings", "pplc_runtime.suggestions"),
    "pplc_runtime.composed": ("pplc_runtime.composition", "pplc_runtime.settings", "pplc_runtime.suggestions"),
    "pplc_runtime.command": (
        "pplc_runtime.command", "pplc_runtime.composed", "pplc_runtime.composition", "pplc_runtime.results",
        "pplc_runtime.settings", "pplc_runtime.suggestions", "tqdm",
    ),
}  # fmt: skip
"""What each part may import besides the standard library; the longest name that fits a module counts."""

LEVELS: Final = (
    "version", "excerpt", "suggestions", "settings", "composition", "composed", "values", "machine", "distributions",
    "processes", "numerics", "lanes", "primitives", "results", "program", "engine", "regeneration", "specialise",
    "native", "general", "inference", "command", "running", "reference", "exactness", "exports",
)  # fmt: skip
"""The rooms of the runtime: each sees those before it, also in imports inside of functions, and none after it."""
BUILDING_BLOCKS: Final = ("base", "blocks", "independent", "moving", "runs", "seats", "start", "sweep", "targets")
"""What an inference method sees of its own room: not another method."""

EXCEPTIONS: Final = {
    ("pplc.passes.expand", "pplc.passes.binding"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.library"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.queries"): "a part of expand in a file of its own",
    ("pplc.passes.library", "pplc.passes.read"): "its definitions are text",
    ("pplc.passes.library", "pplc.passes.library_clojure"): "definitions in a file of their own",
    ("pplc.passes.special_forms", "pplc.passes.first_order"): "both are parts of expand",
    ("pplc.passes.first_order", "pplc.passes.binding"): "both are parts of expand",
    ("pplc.passes.first_order", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.expand", "pplc.passes.namespaces"): "a part of expand in a file of its own",
    ("pplc.passes.queries", "pplc.passes.namespaces"): "both are parts of expand",
    ("pplc.passes.expand", "pplc.passes.own_distributions"): "a part of expand in a file of its own",
    ("pplc.passes.own_distributions", "pplc.passes.namespaces"): "both are parts of expand",
    ("pplc.passes.expand", "pplc.passes.versions"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.comprehensions"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.patterns"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.shapes"): "a part of expand in a file of its own",
    ("pplc.passes.expand", "pplc.passes.surface"): "a part of expand in a file of its own",
    ("pplc.passes.analyse", "pplc.passes.analyse_predicts"): "a part of analyse in a file of its own",
    ("pplc.passes.surface", "pplc.passes.binding"): "both are parts of expand",
    ("pplc.passes.surface", "pplc.passes.patterns"): "both are parts of expand",
    ("pplc.passes.surface", "pplc.passes.procedures"): "both are parts of expand",
    ("pplc.passes.analyse", "pplc.passes.analyse_shared"): "a part of analyse in a file of its own",
    ("pplc.passes.kinds", "pplc.passes.kinds_known"): "a part of kinds in a file of its own",
    ("pplc.passes.surface", "pplc.passes.shapes"): "both are parts of expand",
    ("pplc.passes.special_forms", "pplc.passes.binding"): "both are parts of expand",
    ("pplc.passes.special_forms", "pplc.passes.clojure_forms"): "both are parts of expand",
    ("pplc.passes.special_forms", "pplc.passes.comprehensions"): "both are parts of expand",
    ("pplc.passes.clojure_forms", "pplc.passes.binding"): "both are parts of expand",
    ("pplc.passes.comprehensions", "pplc.passes.binding"): "both are parts of expand",
    ("pplc.passes.binding", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.clojure_forms", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.comprehensions", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.patterns", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.procedures", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.surface", "pplc.passes.special_forms"): "both are parts of expand",
    ("pplc.passes.special_forms", "pplc.passes.surface"): "a type, for the checker only",
    ("pplc.passes.to_python", "pplc.passes.python_body"): "a part of to_python in a file of its own",
    ("pplc.passes.to_python", "pplc.passes.python_syntax"): "a part of to_python in a file of its own",
    ("pplc.passes.python_body", "pplc.passes.python_syntax"): "both are parts of to_python",
    ("pplc.passes.to_python", "pplc.passes.python_formula"): "a part of to_python in a file of its own",
    ("pplc.passes.python_body", "pplc.passes.python_formula"): "both are parts of to_python",
    ("pplc.passes.python_formula", "pplc.passes.python_syntax"): "both are parts of to_python",
    ("pplc.passes.python_body", "pplc.passes.to_python"): "a type, for the checker only",
    ("pplc.passes.to_python", "pplc.passes.python_procedures"): "a part of to_python in a file of its own",
    ("pplc.passes.python_body", "pplc.passes.python_procedures"): "both are parts of to_python",
    ("pplc.passes.python_procedures", "pplc.passes.to_python"): "a type, for the checker only",
    ("pplc.model", "pplc.passes.to_reference"): "the pass that only the reference engine needs",
}
"""Imports that break the order, and why; a new one needs as good a reason."""


def _modules() -> Iterator[tuple[str, Path]]:
    for root in (ROOT / "compiler", ROOT / "runtime"):
        for file in sorted(root.rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


MODULES: Final = dict(_modules())


def _imports(file: Path) -> Iterator[str]:
    """The modules that a file imports, also inside of functions."""
    return _imported(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


def _at_run_time(node: ast.AST) -> Iterator[ast.AST]:
    """What is inside of a module, without what only the type checker reads."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from _at_run_time(child)


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, "a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def _within(module: str, part: str) -> bool:
    return module == part or module.startswith(part if part.endswith(".") else f"{part}.")


@pytest.mark.parametrize("module", MODULES)
def test_order(module: str) -> None:
    parts = [part for part in ALLOWED if _within(module, part)]
    if not parts:
        return  # the public API may see everything
    allowed = ALLOWED[max(parts, key=len)]
    wrong = [
        imported
        for imported in _imports(MODULES[module])
        if imported.split(".")[0] not in sys.stdlib_module_names
        and not any(_within(imported, part) for part in allowed)
        and (module, imported) not in EXCEPTIONS
    ]
    assert wrong == []


RUNTIME: Final = [module for module in MODULES if module.startswith("pplc_runtime.")]


@pytest.mark.parametrize("module", RUNTIME)
def test_levels_of_the_runtime(module: str) -> None:
    own = LEVELS.index(module.split(".")[1])
    seen = [imported.split(".")[1] for imported in _imports(MODULES[module]) if _within(imported, "pplc_runtime")]
    assert [room for room in seen if LEVELS.index(room) > own] == []


@pytest.mark.parametrize("module", [module for module in RUNTIME if _within(module, "pplc_runtime.inference.")])
def test_a_method_sees_no_other_method(module: str) -> None:
    seen = [imported for imported in _imports(MODULES[module]) if _within(imported, "pplc_runtime.inference.")]
    assert [imported for imported in seen if imported.split(".")[2] not in BUILDING_BLOCKS] == []


RINGS: Final = {
    ("pplc_runtime.engine.forward", "pplc_runtime.engine.nested"): "a query is run by handlers, and a handler is asked",
    ("pplc_runtime.reference.evaluate", "pplc_runtime.reference.gaussian"): "the kernel of a process is evaluated",
    ("pplc_runtime.reference.evaluate", "pplc_runtime.reference.higher_order"): "they evaluate calls, and are called",
}
"""Imports inside of functions that close a ring, and why. Every other one may stand at the head of its file."""


def test_no_import_inside_of_a_function_hides_a_ring() -> None:
    seen = {
        module: {
            imported
            for imported in _imported(_at_run_time(ast.parse(file.read_text(encoding="utf-8"))))
            if imported in MODULES and imported != module
        }
        for module, file in MODULES.items()
    }
    for module, imported in RINGS:
        seen[module].remove(imported)
    sorter = TopologicalSorter(seen)
    sorter.prepare()  # raises CycleError, with the ring

    def reaches(start: str) -> set[str]:
        found, left = set[str](), [start]
        while left:
            new = seen[left.pop()] - found
            found |= new
            left += new
        return found

    needless = [(module, imported) for module, imported in RINGS if module not in reaches(imported)]
    assert needless == []


def test_the_runtime_never_imports_the_compiler() -> None:
    wrong = [
        module
        for module, file in MODULES.items()
        if _within(module, "pplc_runtime") and any(_within(imported, "pplc") for imported in _imports(file))
    ]
    assert wrong == []


def test_generated_modules_import_the_runtime_only() -> None:
    import pplc

    text = pplc.load(ROOT / "programs" / "crp_small.clj").text
    found = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert found == {"pplc_runtime"}
