"""pplc: a compiler for probabilistic programs."""

from pplc_runtime.version import VERSION as __version__

TYPE_CHECKING = False  # importing typing for it would take longer than the rest of `pplc --help`
if TYPE_CHECKING:
    from pplc.diagnostics import CompileError as CompileError
    from pplc.importer import install as install
    from pplc.magic import load_ipython_extension as load_ipython_extension
    from pplc.model import Model as Model
    from pplc.model import compile_text as compile_text
    from pplc.model import load as load
    from pplc_runtime.composition import ellipse as ellipse
    from pplc_runtime.composition import gibbs as gibbs
    from pplc_runtime.composition import icsmc as icsmc
    from pplc_runtime.composition import lmh as lmh
    from pplc_runtime.composition import nuts as nuts
    from pplc_runtime.composition import pgas as pgas
    from pplc_runtime.composition import pmmh as pmmh
    from pplc_runtime.composition import rw as rw
    from pplc_runtime.composition import slices as slices
    from pplc_runtime.composition import smc as smc
    from pplc_runtime.composition import sums as sums
    from pplc_runtime.results import Posterior as Posterior
    from pplc_runtime.values import ModelError as ModelError

_HOMES = {
    "CompileError": "pplc.diagnostics",
    "Model": "pplc.model",
    "ModelError": "pplc_runtime.values",
    "Posterior": "pplc_runtime.results",
    "compile_text": "pplc.model",
    "ellipse": "pplc_runtime.composition",
    "gibbs": "pplc_runtime.composition",
    "icsmc": "pplc_runtime.composition",
    "install": "pplc.importer",
    "lmh": "pplc_runtime.composition",
    "load": "pplc.model",
    "load_ipython_extension": "pplc.magic",
    "nuts": "pplc_runtime.composition",
    "pgas": "pplc_runtime.composition",
    "pmmh": "pplc_runtime.composition",
    "rw": "pplc_runtime.composition",
    "slices": "pplc_runtime.composition",
    "smc": "pplc_runtime.composition",
    "sums": "pplc_runtime.composition",
}

__all__ = [
    "CompileError",
    "Model",
    "ModelError",
    "Posterior",
    "__version__",
    "compile_text",
    "ellipse",
    "gibbs",
    "icsmc",
    "install",
    "lmh",
    "load",
    "nuts",
    "pgas",
    "pmmh",
    "rw",
    "slices",
    "smc",
    "sums",
]


def __getattr__(name: str) -> object:
    """The public names, imported when they are first asked for: `pplc --help` should not wait for numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'pplc' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """What completion lists: the public names."""
    return sorted(__all__)
