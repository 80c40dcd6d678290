"""The reference engine: the paper's section 4 written out, one particle at a time.

Slow and obvious, to be read beside the paper: `syntax`, `trace`, `evaluate`, `regenerate`, then `methods`.
"""

from pplc_runtime.reference.comparison import ancestor_log_weights, executed, log_joint, replay
from pplc_runtime.reference.methods import infer
from pplc_runtime.reference.syntax import Program

__all__ = ["Program", "ancestor_log_weights", "executed", "infer", "log_joint", "replay"]
