"""The cell magic of notebooks, after `%load_ext pplc`.

    %%pplc model                                              the cell is a program; `model` is then the model
    %%pplc model --method pgas --sweeps 500 --data frame      it is also inferred, and shown; `posterior` has the draws

`--data` names a variable of the notebook. The other options are those of `pplc infer`; where there are some, the method
may be left out, as there. Errors are shown as the command shows them.
"""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from pplc.diagnostics import CompileError
from pplc.model import compile_text
from pplc_runtime.command.arguments import reading
from pplc_runtime.command.failures import UsageError, unrecognized
from pplc_runtime.composed import method_in
from pplc_runtime.settings import DEFAULT_METHOD, ENGINES, SETTINGS, Setting, boolean, one_of
from pplc_runtime.suggestions import suggestion
from pplc_runtime.values import ModelError


class Shell(Protocol):
    """What is used of IPython's shell."""

    user_ns: dict[str, Any]

    def register_magic_function(
        self, func: Callable[[str, str], Any], magic_kind: str = ..., magic_name: str | None = ...
    ) -> None: ...


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def load_ipython_extension(shell: Shell) -> None:
    """What `%load_ext pplc` calls."""
    shell.register_magic_function(lambda line, cell: run_cell(shell, line, cell), "cell", "pplc")


def run_cell(shell: Shell, line: str, cell: str) -> Any:
    """A cell of a program: its model, and where a method is asked for its posterior, which is the cell's value."""
    try:
        parser = _parser()
        parsed, unknown = parser.parse_known_args(shlex.split(line))
        if unknown:
            raise UsageError(unrecognized(parser, unknown))
        arguments = vars(parsed)
        name, method = arguments.pop("name"), arguments.pop("method")
        kept, data = arguments.pop("posterior"), arguments.pop("data")
        model = shell.user_ns[name] = compile_text(cell, f"{name}.clj")
        settings = {key: value for key, value in arguments.items() if value is not None}
        if data is not None:
            settings["data"] = _variable(shell, data)
        if method is None and not settings:
            return None
        posterior = shell.user_ns[kept] = model.infer(method or DEFAULT_METHOD, **settings)
        return posterior
    except (CompileError, ModelError) as error:
        print(error, file=sys.stderr)
    except (UsageError, TypeError, ValueError) as error:
        print(f"%%pplc: error: {error}", file=sys.stderr)
    return None


def _variable(shell: Shell, name: str) -> Any:
    if name not in shell.user_ns:
        raise UsageError(f"--data: there is no variable '{name}'{suggestion(name, shell.user_ns)}")
    return shell.user_ns[name]


def _parser() -> ArgumentParser:
    parser = _Parser("%%pplc", add_help=False, allow_abbrev=False)
    parser.add_argument("name", nargs="?", default="model")
    parser.add_argument("--method", type=reading(method_in))
    parser.add_argument("--posterior", default="posterior")
    parser.add_argument("--data")
    settings = {**SETTINGS, "engine": Setting(one_of("engine", ENGINES))}
    for name, setting in settings.items():
        option = f"--{name.replace('_', '-')}"
        if setting.check is boolean:
            parser.add_argument(option, dest=name, action="store_const", const=True)
        else:
            parser.add_argument(option, dest=name, type=reading(setting.check))
    return parser
