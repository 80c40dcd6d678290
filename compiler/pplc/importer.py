"""`import model` finds model.clj, once `pplc.install()` has been called.

What it compiles to is cached in `.pplc_cache` beside the source, under a name made from the source text and
the compiler's version, so that neither a changed program nor a changed compiler ever meets an old module.
"""

from __future__ import annotations

import hashlib
import linecache
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from pplc.include import gathered
from pplc.model import read_text
from pplc.source import Source

CACHE = ".pplc_cache"
LAST_LINE = "PROGRAM.main()\n"
"""How a whole module ends."""


class _ModelLoader(Loader):
    def __init__(self, path: Path) -> None:
        self.path = path

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        text = read_text(self.path)
        python = compiled_text(self.path, gathered(Source(str(self.path), text, str(self.path.parent))))
        file = f"<pplc {self.path}>"
        module.__file__ = file
        linecache.cache[str(self.path)] = (len(text), None, text.splitlines(keepends=True), str(self.path))
        exec(compile(python, file, "exec"), module.__dict__)
        module.PROGRAM.text = python


class _ModelFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            found = Path(folder or ".") / f"{name}.clj"
            if found.is_file():
                return spec_from_file_location(fullname, found, loader=_ModelLoader(found))
        return None


def compiled_text(path: Path, source: Source) -> str:
    """The Python text of a program, from the cache if it is there."""
    from pplc_runtime.version import VERSION

    digest = hashlib.sha256(f"{VERSION}\0{path}\0{_compiler_stamp()}\0{source.text}".encode()).hexdigest()[:24]
    cached = path.parent / CACHE / f"{path.stem}-{digest}.py"
    try:
        found = cached.read_text(encoding="utf-8")
        if found.endswith(LAST_LINE):
            return found
    except (OSError, UnicodeDecodeError):
        pass
    from pplc.pipeline import compile_source

    python = compile_source(source).text
    try:
        cached.parent.mkdir(exist_ok=True)
        partial = cached.with_suffix(f".{os.getpid()}")
        partial.write_text(python, encoding="utf-8")
        partial.replace(cached)
    except OSError:
        pass  # a folder that cannot be written to has no cache
    return python


def _compiler_stamp() -> int:
    """Changes whenever a file of the compiler does, so that working on pplc itself needs no new version."""
    return max(int(file.stat().st_mtime_ns) for file in Path(__file__).parent.rglob("*.py"))


def install() -> None:
    """Let `import model` find model.clj on the path."""
    if not any(isinstance(finder, _ModelFinder) for finder in sys.meta_path):
        sys.meta_path.append(_ModelFinder())
