"""Models from Python: compile a file or a text, and infer."""

from __future__ import annotations

import linecache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pplc.diagnostics import CompileError, Diagnostic
from pplc.source import Source, Span
from pplc_runtime.command.files import NotUtf8, decode
from pplc_runtime.settings import with_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pplc.pipeline import Compiled
    from pplc_runtime.composition import Composition
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

    def __repr__(self) -> str:
        inputs = f", inputs {', '.join(self.inputs)}" if self.inputs else ""
        return f"<Model {self.program.source}: {len(self.program.steps)} statements{inputs}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is pickled: its text and those that it includes, which are compiled where it is unpickled."""
        return compiled, (self.compiled.source,)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that the program is given."""
        return self.program.inputs

    @property
    def needed(self) -> tuple[str, ...]:
        """The inputs that have no default."""
        return self.program.needed

    @property
    def asks_for_missing(self) -> bool:
        """Whether the program looks at what is missing, so that its inputs may have such values."""
        return self.program.asks_for_missing

    @property
    def text(self) -> str:
        """The Python module that the program was compiled to."""
        return self.compiled.text

    @with_settings
    def infer(
        self,
        method: str | Composition = "auto",
        *,
        data: Any = None,
        progress: bool | None = None,
        engine: str = "lanes",
        **settings: Any,
    ) -> Posterior:
        """Draws from the posterior; see `Program.infer` for the settings.

        The data are the values of the inputs by name, or a table: a frame of pandas, or a list of records; or the path
        of a file of either, as --data takes it: JSON, CSV, TSV or NPZ.

        The engine is "lanes", or "reference" for the paper's evaluator, which is slow and the yardstick."""
        from pplc_runtime.settings import ENGINES, one_of

        own = self.reference if one_of("engine", ENGINES)(engine) == "reference" else None
        return self.program.infer(method, data=data, progress=progress, engine=own, **settings)

    def reference(
        self,
        method: str | Composition,
        settings: list[Settings],
        seed: int,
        data: dict[str, Any],
        max_depth: int | None,
    ) -> Iterator[Sweep]:
        """The sweeps of the reference engine."""
        from pplc.passes.to_reference import to_reference
        from pplc_runtime.reference import infer

        known = self.compiled.analysis
        program = to_reference(known.program, self.compiled.source, known.acting, known.shared)
        return infer(program, method, settings, seed, data, *(() if max_depth is None else (max_depth,)))


def load(path: str | Path, query: str | None = None) -> Model:
    """The model in a file; of a file of several queries, the one that is named."""
    return compiled(Source(str(path), read_text(Path(path)), str(Path(path).parent), query=query))


def read_text(path: Path) -> str:
    """The text of a program; a CompileError where it is not UTF-8."""
    content = path.read_bytes()
    try:
        return decode(content)
    except NotUtf8 as error:
        source = Source(str(path), content.decode("utf-8-sig", "replace"))
        at = len(error.before)
        raise CompileError(source, [Diagnostic(Span(at, at + 1), str(error))]) from None


def compile_text(text: str, name: str = "<text>", query: str | None = None) -> Model:
    """The model in a text; messages call it by the name."""
    return compiled(Source(name, text, query=query))


def compiled(source: Source) -> Model:
    """The model of a source."""
    from pplc.pipeline import compile_source
    from pplc_runtime.running.modules import module_of

    found = compile_source(source)
    name, text = source.name, source.text
    digest = blake2b(text.encode(errors="surrogatepass"), digest_size=8)
    folder = f"<pplc {digest.hexdigest()}>"  # texts may share a name
    for place in (name, f"{folder}/{name}"):
        linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), name)
    return Model(found, module_of(found.text, _module_name(name), f"{folder}/{Path(name).name}.py"))


def _module_name(name: str) -> str:
    return Path(name).stem or "model"
