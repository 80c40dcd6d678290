"""Chains in processes of their own."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from pplc_runtime.results.sweeps import Sweep

_work: dict[int, list[Callable[[], list[Sweep]]]] = {}
"""What forked processes find when they start, by run: generated code cannot be sent to them."""
_runs = count()


def _work_number(run: int, number: int) -> list[Sweep]:
    return _work[run][number]()


def in_processes(work: list[Callable[[], list[Sweep]]], cores: int) -> Iterator[Sweep]:
    """The sweeps of several chains, computed in processes and given in the order of the chains."""
    if "fork" not in multiprocessing.get_all_start_methods():
        for chain in work:  # the result is the same
            yield from chain()
        return
    run = next(_runs)
    _work[run] = work
    others = set(multiprocessing.active_children())
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(cores, len(work)), mp_context=fork, initializer=_leave_interrupts) as pool:
        futures = [pool.submit(_work_number, run, number) for number in range(len(work))]
        try:
            for future in futures:
                yield from future.result()
        except BaseException:  # nobody wants the other chains, and one that has started cannot be cancelled
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        finally:
            del _work[run]


def _leave_interrupts() -> None:
    """Interrupts are for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
