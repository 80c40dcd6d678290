"""Memory: keep what is freed for the next array.

By default the C library gives large blocks back to the system at once, and every array of a few thousand lanes is
then paid for in page faults, at more than the price of the arithmetic on it. Where the C library is glibc, it is told
to keep freed memory, and to keep one heap for all threads. That is for the whole process: the command asks for it, who
calls from Python may.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT = 1 << 30
_LARGEST_FROM_HEAP = 32 << 20
_done = False


def keep_freed_memory() -> None:
    """Ask once for freed memory to be kept; does nothing where that cannot be asked for."""
    global _done
    if _done or sys.platform != "linux":
        return
    _done = True
    try:
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_THRESHOLD, _LARGEST_FROM_HEAP)
        mallopt(_TRIM_THRESHOLD, _KEPT)
    except (AttributeError, OSError):
        pass
