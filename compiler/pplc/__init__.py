"""pplc: a compiler for probabilistic programs."""

TYPE_CHECKING = False  # importing typing for it would take longer than the rest of `pplc --help`
if TYPE_CHECKING:
    from pplc.diagnostics import CompileError as CompileError
    from pplc.importer import install as install
    from pplc.magic import load_ipython_extension as load_ipython_extension
    from pplc.model import Model as Model
    from pplc.model import compile_text as compile_text
    from pplc.model import load as load
    from pplc_runtime.results import Posterior as Posterior
    from pplc_runtime.values import ModelError as ModelError

_HOMES = {
    "CompileError": "pplc.diagnostics",
    "Model": "pplc.model",
    "ModelError": "pplc_runtime.values",
    "Posterior": "pplc_runtime.results",
    "compile_text": "pplc.model",
    "install": "pplc.importer",
    "load": "pplc.model",
    "load_ipython_extension": "pplc.magic",
}

__all__ = ["CompileError", "Model", "ModelError", "Posterior", "compile_text", "install", "load"]


def __getattr__(name: str) -> object:
    """The public names, imported when they are first asked for: `pplc --help` should not wait for numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pplc' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """What completion lists: the public names."""
    return sorted(__all__)
