"""Models from Python: compile a file or a text, and infer."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pplc.diagnostics import CompileError, Diagnostic
from pplc.source import Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pplc.pipeline import Compiled
    from pplc_runtime.inference.base import Settings
    from pplc_runtime.results.posterior import Posterior
    from pplc_runtime.results.sweeps import Sweep
    from pplc_runtime.running.program import Program


class Model:
    """A compiled program, ready to be run."""

    def __init__(self, compiled: Compiled, module: ModuleType) -> None:
        self.compiled = compiled
        self.module = module
        self.program: Program = module.PROGRAM

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that the program is given."""
        return self.program.inputs

    @property
    def text(self) -> str:
        """The Python module that the program was compiled to."""
        return self.compiled.text

    def infer(self, method: str = "importance", *, engine: str = "lanes", **settings: Any) -> Posterior:
        """Draws from the posterior; see `Program.infer` for the settings.

        The engine is "lanes", or "reference" for the paper's evaluator, which is slow and the yardstick."""
        from pplc_runtime.settings import ENGINES, one_of

        if one_of("engine", ENGINES)(engine) == "lanes":
            return self.program.infer(method, **settings)
        return self.program.infer(method, engine=self.reference, **settings)

    def reference(
        self, method: str, settings: list[Settings], seed: int, data: dict[str, Any], max_depth: int | None
    ) -> Iterator[Sweep]:
        """The sweeps of the reference engine."""
        from pplc.passes.to_reference import to_reference
        from pplc_runtime.reference import infer

        first = settings[0]
        options: dict[str, Any] = {} if max_depth is None else {"max_depth": max_depth}
        return infer(
            to_reference(self.compiled.core, self.compiled.source),
            method,
            particles=first.particles,
            sweeps=first.sweeps,
            seed=seed,
            data=data,
            chains=len(settings),
            burn_in=first.burn_in,
            strict=first.strict,
            **options,
        )


def load(path: str | Path, query: str | None = None) -> Model:
    """The model in a file; of a file of several queries, the one that is named."""
    return compiled(Source(str(path), read_text(Path(path)), str(Path(path).parent), query=query))


def read_text(path: Path) -> str:
    """The text of a program; a CompileError where it is not UTF-8."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        source = Source(str(path), content.decode("utf-8-sig", "replace"))
        at = len(content[: error.start].decode("utf-8-sig"))
        message = f"not UTF-8 text (byte {content[error.start]:#04x})"
        raise CompileError(source, [Diagnostic(Span(at, at + 1), message)]) from None


def compile_text(text: str, name: str = "<text>", query: str | None = None) -> Model:
    """The model in a text; messages call it by the name."""
    return compiled(Source(name, text, query=query))


def compiled(source: Source) -> Model:
    """The model of a source."""
    from pplc.pipeline import compile_source

    found = compile_source(source)
    name, text = source.name, source.text
    file = f"<pplc {name}>"
    module = ModuleType(_module_name(name))
    module.__file__ = file
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(found.text, file, "exec"), module.__dict__)
    return Model(found, module)


def _module_name(name: str) -> str:
    return Path(name).stem or "model"
