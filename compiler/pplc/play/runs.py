"""Runs: each is a process of its own, which lives as long as somebody reads what it tells, and has a longest time.

A run that is stopped is asked to end with what it has drawn; one that does not within a short time is killed. So is
one whose reader has gone. Processes are forked from one that has loaded everything, so that a run starts at once.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from pplc.play.worker import Request, work

MOST_RUNS: Final = 4
LONGEST: Final = 600.0
"""Seconds of one run."""
GRACE: Final = 3.0
"""Seconds in which a run that is stopped may end by itself."""
GLANCE: Final = 0.1
"""Seconds between two looks at the clock."""
MOST_REPORTS: Final = 8
ENDED: Final = "the process of the run has ended without a word, as if it was killed; use fewer particles or sweeps"


class Busy(Exception):
    """As many runs go on as may."""


class Run:
    """One run: its process, and the pipe by which it tells."""

    def __init__(self, process: Any, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.name = secrets.token_urlsafe(9)
        self.until = time.monotonic() + LONGEST
        self.stopped = False

    def stop(self) -> None:
        """Ask it to end with what it has, soon."""
        self.stopped = True
        self.until = min(self.until, time.monotonic()) + GRACE
        with suppress(OSError):
            if sys.platform == "win32":
                self.process.terminate()
            elif self.process.is_alive():
                os.kill(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it, whatever it does."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def told(self, reader: Any) -> Iterator[dict[str, Any]]:
        """What it tells, until it is done; nothing more once the reader, a socket, has something to say or is gone."""
        while True:
            ready = wait([self.pipe, reader], GLANCE)
            if reader in ready:
                return
            if self.pipe in ready:
                try:
                    message = self.pipe.recv()
                except (EOFError, OSError):
                    yield {"kind": "wrong", "text": "stopped" if self.stopped else ENDED}
                    return
                yield message
                if message["kind"] in ("done", "wrong"):
                    return
            if time.monotonic() > self.until:
                if self.stopped:
                    yield {"kind": "wrong", "text": "stopped: the sweep at hand did not end in time"}
                    return
                self.stop()


class Runs:
    """The runs that go on, and the reports of the last ones that were done."""

    def __init__(self) -> None:
        fast = "forkserver" in multiprocessing.get_all_start_methods()
        self.context: Any = multiprocessing.get_context("forkserver" if fast else "spawn")
        if fast:
            self.context.set_forkserver_preload(["pplc.play.worker"])
        self.lock = threading.Lock()
        self.going: dict[str, Run] = {}
        self.reports: OrderedDict[str, str] = OrderedDict()

    def warm(self) -> None:
        """Start the process that others are forked from."""
        process = self.context.Process(target=_nothing, daemon=True)
        process.start()
        process.join()

    def start(self, request: Request) -> Run:
        """A new run."""
        with self.lock:
            if len(self.going) >= MOST_RUNS:
                raise Busy(f"{MOST_RUNS} runs go on already; stop one of them")
            ours, theirs = self.context.Pipe()
            process = self.context.Process(target=work, args=(request, theirs), daemon=True)
            process.start()
            theirs.close()
            run = Run(process, ours)
            self.going[run.name] = run
            return run

    def stop(self, name: str) -> None:
        """Stop a run; one that is not there any more has ended."""
        with self.lock:
            run = self.going.get(name)
        if run is not None:
            run.stop()

    def end(self, run: Run) -> None:
        """A run that nobody listens to."""
        run.kill()
        with self.lock:
            self.going.pop(run.name, None)

    def keep(self, run: Run, page: str) -> None:
        """The report of a run."""
        with self.lock:
            self.reports[run.name] = page
            while len(self.reports) > MOST_REPORTS:
                self.reports.popitem(last=False)

    def close(self) -> None:
        """End all."""
        with self.lock:
            going = list(self.going.values())
        for run in going:
            run.kill()


def _nothing() -> None:
    pass
