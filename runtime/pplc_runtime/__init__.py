"""The runtime of compiled probabilistic programs: all that generated code may import.

It is loaded when it is first asked for. The command line of a run is in here too, and its help should not wait for
numpy.
"""

from pplc_runtime.version import VERSION as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pplc_runtime.exports import Assume as Assume
    from pplc_runtime.exports import Input as Input
    from pplc_runtime.exports import List as List
    from pplc_runtime.exports import Loop as Loop
    from pplc_runtime.exports import ModelError as ModelError
    from pplc_runtime.exports import Observe as Observe
    from pplc_runtime.exports import Predict as Predict
    from pplc_runtime.exports import Procedure as Procedure
    from pplc_runtime.exports import Program as Program
    from pplc_runtime.exports import Symbol as Symbol
    from pplc_runtime.exports import formula as formula
    from pplc_runtime.exports import numbers as numbers
    from pplc_runtime.exports import raw as raw

__all__ = ["__version__"]


def __getattr__(name: str) -> object:
    """What generated code imports."""
    if name.startswith("__"):
        raise AttributeError(f"module 'pplc_runtime' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module("pplc_runtime.exports"), name)
