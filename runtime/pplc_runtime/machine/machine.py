"""Machine code from the middle language, by LLVM; and the same functions by CPython, which tests compare.

Code is kept in a folder of the user's own, which nobody else may write to, under a name that has the text, the
machine and the versions in it, with a checksum. What is damaged there, or not the user's own, is not used.
"""

from __future__ import annotations

import ast
import ctypes
import hashlib
import hmac
import os
import secrets
import stat
import tempfile
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from pplc_runtime.machine import words
from pplc_runtime.machine.language import Signature, records, signatures
from pplc_runtime.machine.llvm_code import llvm_text
from pplc_runtime.machine.tables import TABLES
from pplc_runtime.version import VERSION

try:
    import llvmlite
    import llvmlite.binding as llvm
except ImportError:  # everything works without it, more slowly
    llvmlite = None

_C_TYPES: Final[dict[str, Any]] = {"int": ctypes.c_int64, "float": ctypes.c_double}


def is_available() -> bool:
    """Whether there is something that makes machine code."""
    return llvmlite is not None and _triple() is not None


class Machine:
    """The exported functions of a module as machine code. A record is a mapping of its fields."""

    def __init__(self, source: str, exported: frozenset[str]) -> None:
        self.engine = _loaded(source, exported)
        self.fields = records(source)
        types = signatures(source)
        self.functions = {name: self.function(name, types[name]) for name in exported}

    def function(self, name: str, types: Signature) -> Callable[..., Any]:
        result = None if types.result == "None" else _C_TYPES[types.result]
        given = [_C_TYPES.get(each, ctypes.c_void_p) for each in types.parameters]
        made: Any = ctypes.CFUNCTYPE(result, *given)(self.engine.get_function_address(name))
        made.engine = self.engine  # the code must be there as long as somebody may call it
        return made  # type: ignore[no-any-return]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """A function; what it takes for arrays and records is what `array` and `record` give."""
        return self.functions[name]

    def record(self, name: str, values: dict[str, Any]) -> Any:
        """A record, which must be kept as long as the arrays in it; numbers in it can be read again by `number`."""
        words = np.zeros(len(self.fields[name]), np.uint64)
        for position, (field, kind) in enumerate(self.fields[name].items()):
            value = values[field]
            if kind in ("floats", "ints"):
                assert value.dtype == (np.float64 if kind == "floats" else np.int64) and value.flags.c_contiguous
                words[position] = value.ctypes.data
            else:
                words[position : position + 1] = np.array([value], np.float64 if kind == "float" else np.int64).view(
                    np.uint64
                )
        return _Record(words, list(values.values()), list(self.fields[name]))


class _Record:
    """A record in memory, and what it refers to."""

    def __init__(self, words: Any, kept: list[Any], names: list[str]) -> None:
        self.words = words
        self.names = names
        self.kept = kept
        self._as_parameter_ = ctypes.c_void_p(words.ctypes.data)


def array(values: Any) -> int:
    """What a function of machine code takes for an array."""
    return int(values.ctypes.data)


class Interpreted:
    """The same functions, run by CPython. Arrays say where an index is outside of them."""

    def __init__(self, source: str, exported: frozenset[str]) -> None:
        self.space: dict[str, Any] = dict(_NUMBERS)
        module = ast.parse(source)
        module.body = [node for node in module.body if not isinstance(node, ast.ImportFrom)]
        module.body.insert(0, ast.ImportFrom("__future__", [ast.alias("annotations")], 0))
        module = _Quotients().visit(module)
        code = compile(ast.fix_missing_locations(module), "<middle language>", "exec")
        exec(code, self.space)  # a text of our own making
        self.functions = {name: self.space[name] for name in exported}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self.functions[name](*map(_checked, arguments))

    def record(self, name: str, values: dict[str, Any]) -> Any:
        """A record."""
        return SimpleNamespace(**{field: _checked(value) for field, value in values.items()})


@lru_cache(32)
def made(machine: type[Machine] | type[Interpreted], source: str, exported: frozenset[str]) -> Machine | Interpreted:
    """The functions of a module: chains of one program share them, which keep nothing."""
    return machine(source, exported)


class _Quotients(ast.NodeTransformer):
    """Quotients of real numbers that are never an error, as those of machine code."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("quotient", ast.Load()), [node.left, node.right], [])


class Checked:
    """An array whose indices are checked, and of which slices are views."""

    def __init__(self, data: Any, start: int = 0) -> None:
        self.data = data
        self.start = start

    def at(self, index: int) -> int:
        place = self.start + index
        if not 0 <= place < len(self.data):
            raise IndexError(f"{place} in an array of {len(self.data)}")
        return place

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) and index.stop is not None:
            return self.data[self.at(index.start) : self.at(index.stop - 1) + 1]
        if isinstance(index, slice):
            return Checked(self.data, self.start + index.start)
        value = self.data[self.at(index)]
        return value if self.data.dtype.kind == "f" else int(value)

    def __setitem__(self, index: int, value: Any) -> None:
        if self.data.dtype.kind == "i" and not -(1 << 63) <= value < 1 << 63:
            value -= 1 << 64
        self.data[self.at(index)] = value


def _checked(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return Checked(value.reshape(-1))
    return np.float64(value) if type(value) is float else value


def _quotient(a: Any, b: Any) -> Any:
    return np.float64(a) / np.float64(b)


def _four(a: Any) -> Any:
    return np.full(4, a)


_NUMBERS: Final[dict[str, Any]] = {**vars(words), "float": np.float64, "int": int, "four": _four, "quotient": _quotient}


# LLVM


@cache
def _triple() -> Any:
    """The kind of machine that code is made for; None where the system refuses."""
    try:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        return llvm.Target.from_default_triple()
    except Exception:
        return None


def _target() -> Any:
    """A machine; code in memory takes its own."""
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return _triple().create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


def _loaded(source: str, exported: frozenset[str]) -> Any:
    """Code in memory, from the cache if it is there."""
    place = _place("\0".join([source, *sorted(exported), _compiler()]))
    code = None if place is None else _kept(place)
    if code is None:
        target, module = _target(), llvm.parse_assembly(llvm_text(source, exported))
        _optimise(module, target)
        code = target.emit_object(module)
        if place is not None:
            _keep(place, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@cache
def _compiler() -> str:
    """What writes the code, so that none is taken from the cache that another version of it has written."""
    folder = Path(__file__).parent
    texts = [
        (folder / f"{name}.py").read_text(encoding="utf-8")
        for name in ("language", "llvm_code", "llvm_words", "machine")
    ]
    return "\0".join([*texts, *(values.tobytes().hex() for values in TABLES.values())])


def _optimise(module: Any, target: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    passes = llvm.create_pass_builder(target, options)
    passes.getModulePassManager().run(module, passes)


# The cache


def _folder() -> Path | None:
    """The folder of the user's own, or None where there is none that only the user may write to."""
    if os.environ.get("PPLC_CACHE") == "off":
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "pplc" / "native"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return folder if own and (not hasattr(os, "getuid") or found.st_uid == os.getuid()) else None


def _place(text: str) -> Path | None:
    folder = _folder()
    if folder is None:
        return None
    machine = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {llvm.get_default_triple()}"
    versions = f"{VERSION} {llvmlite.__version__} {llvm.llvm_version_info}"
    name = hashlib.sha256("\0".join([text, machine, versions]).encode()).hexdigest()
    return folder / name


def _secret(folder: Path) -> bytes | None:
    """What only the user knows: code is signed with it, so that a file that was put there is not run."""
    path = folder / "key"
    try:
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as new:
                new.write(secrets.token_bytes(32))
            os.replace(new.name, path)
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            return None
        key = path.read_bytes()
    except OSError:
        return None
    return key if len(key) == 32 else None


def _kept(place: Path) -> bytes | None:
    key = _secret(place.parent)
    if key is None:
        return None
    try:
        content = place.read_bytes()
    except OSError:
        return None
    mark, code = content[:32], content[32:]
    right = hmac.new(key, place.name.encode() + code, "sha256").digest()
    return code if hmac.compare_digest(mark, right) else None


def _keep(place: Path, code: bytes) -> None:
    key = _secret(place.parent)
    if key is None:
        return
    mark = hmac.new(key, place.name.encode() + code, "sha256").digest()
    try:
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as new:
            new.write(mark + code)
        os.replace(new.name, place)
    except OSError:
        pass
