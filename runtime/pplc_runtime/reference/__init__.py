"""The reference engine: the paper's section 4 written out, one particle at a time.

Slow and obvious, to be read beside the paper: `syntax`, `trace`, `evaluate`, `regenerate`, then `methods`.
`engine` puts it behind the contract of engines.
"""

from pplc_runtime.reference.comparison import ancestor_log_weights, executed, log_joint, replay
from pplc_runtime.reference.engine import ReferenceEngine, infer
from pplc_runtime.reference.syntax import Program

__all__ = ["Program", "ReferenceEngine", "ancestor_log_weights", "executed", "infer", "log_joint", "replay"]
