"""Generated modules from their text: the module, and the program in it."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pplc_runtime.running.program import Program


def module_of(text: str, name: str, file: str) -> ModuleType:
    """The module whose text is given, which its program keeps."""
    module = ModuleType(name)
    module.__file__ = file
    exec(compile(text, file, "exec"), module.__dict__)
    module.PROGRAM.text = text
    return module


@lru_cache(maxsize=8)
def program_of(text: str, name: str, file: str) -> Program:
    """The program of such a module; made once where blocks of its chains come again and again."""
    program: Program = module_of(text, name, file).PROGRAM
    return program
