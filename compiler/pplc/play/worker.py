"""The process of one run: compiles, infers, and tells of it as it goes.

What it tells are dictionaries by a pipe: `kind` is "sweeps" (with a page of what is known so far), "print" (what the
model prints), "wrong" or "done" (with the sections of the report, and the report itself). An interrupt ends the run
with what was drawn by then.
"""

from __future__ import annotations

import io
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, Final, TypedDict

from pplc import pipeline
from pplc.diagnostics import CompileError
from pplc.model import compiled
from pplc.source import Source
from pplc_runtime import exports
from pplc_runtime.command.failures import UsageError
from pplc_runtime.command.inputs import inputs_in
from pplc_runtime.composed import method_in, offer_of
from pplc_runtime.composition import MethodError
from pplc_runtime.program import formulas
from pplc_runtime.results.export import undisturbed
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.report import page, sections, so_far
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running import program
from pplc_runtime.settings import SETTINGS, checked
from pplc_runtime.values import ModelError

LOADED: Final = (pipeline, formulas, exports, program)
"""What is imported only when it is needed: a process that is forked has it."""
LEAST_PAUSE: Final = 0.08
"""Seconds between two pages of what is known so far."""
SHARE: Final = 8
"""A page of what is known so far may take one part in so many of the time."""
MEMORY: Final = 8 << 30
OFFERED: Final = tuple(name for name in SETTINGS if name not in ("cores", "genealogy", "max_depth"))
"""The settings that a page may give."""


class Request(TypedDict):
    """What is to be run."""

    name: str
    text: str
    folder: str | None
    data: str
    method: str
    settings: dict[str, Any]


class Told:
    """The pipe to whoever listens; a model prints from another thread than the one that counts its sweeps."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.lock = threading.Lock()

    def tell(self, kind: str, **more: Any) -> None:
        """One message, whole."""
        with undisturbed(), self.lock:
            self.pipe.send({"kind": kind, **more})


def work(request: Request, pipe: Connection) -> None:
    """Run what is asked for, from start to end: what a process does."""
    with suppress(ImportError, ValueError, OSError):  # where there is no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    told = Told(pipe)
    sys.stderr = _Printed(told)
    try:
        _infer(request, told)
    except (CompileError, ModelError, UsageError, MethodError) as error:
        told.tell("wrong", text=str(error))
    except (TypeError, ValueError) as error:
        told.tell("wrong", text=f"error: {error}")
    except MemoryError:
        told.tell("wrong", text="error: out of memory; use fewer particles or sweeps")
    except KeyboardInterrupt:
        told.tell("wrong", text="stopped before the first sweep was done")
    except BrokenPipeError:  # nobody listens any more
        pass
    except Exception as error:
        told.tell("wrong", text=f"internal error: {type(error).__name__}: {error}")


def _infer(request: Request, told: Told) -> None:
    model = compiled(Source(request["name"], request["text"], request["folder"]))
    method = method_in(request["method"].strip())
    offer = offer_of(method)
    settings = {name: value for name, value in request["settings"].items() if name in OFFERED}
    data = inputs_in(request["data"], "data", model.inputs, model.asks_for_missing, model.needed)
    lacking = ", ".join(f"'{name}'" for name in model.needed if name not in data)
    if lacking:
        raise UsageError(f"error: no value for {lacking}: write it under Data, below the model")
    if "genealogy" in offer.own:
        settings["genealogy"] = 1
    known = checked(offer, settings)
    particles = offer.draws_of(known.get("particles", offer.particles))
    like = Posterior(offer.name, None, particles, 1, [], offer.is_chain)
    moving = _Moving(told, like, known.get("chains", 1) * known.get("sweeps", offer.sweeps))
    posterior = model.infer(method, data=data, progress=False, on_sweep=moving.sweep, **settings)
    facts = None if posterior.run is None else posterior.run.facts()
    told.tell(
        "done",
        done=len(posterior),
        interrupted=posterior.interrupted,
        html=sections(posterior, None if facts is None else replace(facts, text="")),  # which is beside it
        page=page(posterior, facts),
    )


class _Moving:
    """A run that goes on: what is known of it so far is told as often as it is worth the time."""

    def __init__(self, told: Told, like: Posterior, total: int) -> None:
        self.told = told
        self.like = like
        """A posterior of the same kind."""
        self.total = total
        self.next = 0.0
        self.kept: list[Sweep] = []

    def sweep(self, sweep: Sweep) -> None:
        """One sweep more."""
        self.kept.append(sweep)
        now = time.monotonic()
        if now < self.next:
            return
        like = self.like
        chains = max(each.chain for each in self.kept) + 1
        known = Posterior(like.method, None, like.particles, chains, self.kept, like.is_chain)
        self.told.tell("sweeps", done=len(self.kept), total=self.total, html=so_far(known))
        after = time.monotonic()
        self.next = after + max(LEAST_PAUSE, SHARE * (after - now))


class _Printed(io.TextIOBase):
    """Standard error of the process: what the model prints."""

    def __init__(self, told: Told) -> None:
        self.told = told

    def write(self, text: str) -> int:
        with suppress(OSError):
            self.told.tell("print", text=text)
        return len(text)
