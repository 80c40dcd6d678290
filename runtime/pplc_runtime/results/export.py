"""Draws as lines of JSON, written sweep by sweep.

    {"chain": 0, "sweep": 3, "particle": 7, "log_weight": -1.2, "predict": {"omega": 0.12}}
    {"method": "smc", "seed": 1, "particles": 1000, ..., "log_evidence": -104.2, "log_evidence_se": 0.03}

Every sweep is flushed as it comes, into FILE.part, which takes the place of FILE when the writer is closed: a
run that is cut short loses no sweep that was done, and a run that fails does not destroy an earlier FILE. An
interrupt waits until the sweep at hand is written: files and pipes end in whole lines.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any, Final

import numpy as np

from pplc_runtime.results.evidence import Estimate, combined_evidence, estimate_of
from pplc_runtime.results.json_values import column_to_json, float_to_json, to_json
from pplc_runtime.results.sweeps import Column, Sweep

WITHOUT_DRAWS: Final = "without_draws"
"""Chain and number of the sweeps in which all weights were zero, of which there are no lines: they count in the
evidence."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """An interrupt waits until the work is done; a second one does not wait."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield  # interrupts come elsewhere, or end the process at once
        return
    waiting: list[tuple[int, FrameType | None]] = []

    def wait(number: int, frame: FrameType | None) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append((number, frame))

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if waiting:
            handler(*waiting[0])


class DrawWriter:
    """Writes sweeps to a path, or to an open text file, which stays open."""

    def __init__(
        self, target: str | os.PathLike[str] | IO[str], *, is_chain: bool, about: Mapping[str, Any] | None = None
    ) -> None:
        self.is_chain: Final = is_chain
        self.about: Final = about
        """What the last line tells of the run."""
        self.sweeps = 0
        self._without: list[list[int]] = []
        self._evidence: list[tuple[int, int, Estimate]] = []
        self.path: Path | None = None
        """Where the finished file will be; None for a file that the caller opened."""
        self.part: Path | None = None
        """Where it grows; None for what cannot be replaced by a rename (a pipe, a device)."""
        self._file: IO[str]
        if isinstance(target, str | os.PathLike):
            self.path = Path(os.path.realpath(target))
            if not self.path.exists() or self.path.is_file():
                self.part = self.path.with_name(self.path.name + ".part")
            self._file = open(self.part or self.path, "w", encoding="ascii", newline="\n")  # noqa: SIM115
        else:
            self._file = target

    def write(self, sweep: Sweep) -> None:
        """Write the draws of one sweep, those of weight zero left out."""
        alive = np.flatnonzero(sweep.log_weights != -np.inf)
        lines = _lines(sweep, alive if alive.size < sweep.log_weights.size else None) if alive.size else []
        evidence = None if self.is_chain else estimate_of(sweep)
        with undisturbed():
            self._file.writelines(lines)
            self._file.flush()
            self.sweeps += 1
            if not lines:
                self._without.append([sweep.chain, sweep.number])
            if evidence is not None:
                self._evidence.append((sweep.chain, sweep.number, evidence))

    def close(self) -> None:
        """Write the evidence, where the method has one, and put the file in its place."""
        with undisturbed():
            self._close()

    def _close(self) -> None:
        told = dict(self.about or {})
        if told and self._without:
            told[WITHOUT_DRAWS] = self._without
        last = [f"{to_json(name)}: {to_json(value)}" for name, value in told.items()]
        if self._evidence:
            # In the order of chains and sweeps, so that the last digit does not depend on who came first.
            in_order = sorted(self._evidence, key=lambda entry: entry[:2])
            z, se = combined_evidence([estimate for _, _, estimate in in_order])
            last += [f'"log_evidence": {to_json(z)}', f'"log_evidence_se": {to_json(se)}']
        if last:
            self._file.write(f"{{{', '.join(last)}}}\n")
        self._file.flush()
        if self.path is not None:
            self._file.close()
        if self.path is not None and self.part is not None:
            os.replace(self.part, self.path)

    def abandon(self) -> Path | None:
        """End without an answer: what was written stays in FILE.part, which is returned."""
        if self.path is None:
            return None
        with suppress(OSError):  # what could not be written was told
            self._file.close()
        if self.part is not None and not self.sweeps:
            self.part.unlink(missing_ok=True)
            return None
        return self.part

    def __enter__(self) -> DrawWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self.close()
        else:
            self.abandon()


def _lines(sweep: Sweep, alive: np.ndarray[tuple[int], np.dtype[np.intp]] | None) -> list[str]:
    """The sweep's lines: all that its draws share is one template, filled in column by column."""

    def kept(column: Column) -> Column:
        if alive is None:
            return column
        return [column[place] for place in alive] if isinstance(column, list) else column[..., alive]

    labels = ", ".join(to_json(label).replace("%", "%%") + ": %s" for label in sweep.predicts)
    template = (
        f'{{"chain": {sweep.chain}, "sweep": {sweep.number}, "particle": %d, "log_weight": %s, '
        f'"predict": {{{labels}}}}}\n'
    )
    log_weights = kept(np.asarray(sweep.log_weights, dtype=np.float64))
    particles = range(len(log_weights)) if alive is None else alive.tolist()
    weights = map(float_to_json, np.asarray(log_weights).tolist())
    columns = [column_to_json(kept(column)) for column in sweep.predicts.values()]
    return [template % line for line in zip(particles, weights, *columns)]
