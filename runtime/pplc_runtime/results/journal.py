"""A journal: the sweeps of a run as they are done, from which it can be taken up again after anything.

Random numbers are by key and a state is data, so a chain goes on from its last sweep as if nothing had happened. The
first line tells what is run: hashes of the model and the data, the version, the settings. It is written to a file of
its own that is renamed, so that a journal has it whole. Each line after it is a sweep, with a checksum; lines are only
added. What a killed process has left of its last line is cut off. Any other line that is not what was written is
damage, and refused.

    8c736521 {"journal": 2, "version": "0.1.0", "model": "0b1e...", "data": "9f...", "settings": {...}}
    1f0a3b77 {"chain": 0, "sweep": 0, "log_weights": {...}, ...}

A run that decides by the clock, as `auto` does, has parts. What it decided is noted between them, with the seconds that
had passed, and is not decided again.

    5d4c90e1 {"noted": "more", "is": 250, "at": 1.25}
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from math import inf
from pathlib import Path
from typing import Any, Final, TypeVar

from pplc_runtime.results.codec import Decoder, Encoder, NotWritten, encoded
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError
from pplc_runtime.version import VERSION

FORMAT: Final = 2
EVERY: Final = 30.0
"""Seconds between writes, unless told otherwise."""
MOST: Final = 1 << 22
"""So many characters are written at once, however little time has passed."""


FAILED: Final = "failed"
"""Noted where a method cannot be used."""
Value = TypeVar("Value")


class JournalError(ModelError):
    """A journal that cannot be used, or written."""


def digest(value: Any) -> str:
    """A hash of a text, or of the values of inputs."""
    text = value if isinstance(value, str) else json.dumps(encoded(value), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Journal:
    """Writes the sweeps of a run; a run that is taken up again has those that are there already."""

    def __init__(self, path: str | os.PathLike[str], head: Mapping[str, Any], every: float, resume: bool) -> None:
        self.path = Path(os.path.realpath(path))
        self.every = every
        self.encoder = Encoder()
        self.waiting: list[str] = []
        self.size = 0
        self.written = time.monotonic()
        self.end = 0
        """Where what was there ends."""
        self.seconds = 0.0
        """How long the run had taken when something was last noted."""
        self.is_open = True
        self.decoder = Decoder()
        self.ahead: Any = None
        """A line that was read and not used."""
        self.head = {"journal": FORMAT, "version": VERSION, **head}
        try:
            if resume:
                self.read()
                os.truncate(self.path, self.end)
            else:
                self.begin()
            self.there = iter(lines_in(self.path, self.end))
            self.file = open(self.path, "a", encoding="ascii", newline="\n")  # noqa: SIM115
        except OSError as error:
            raise JournalError(f"cannot write {path}: {error.strerror}") from None

    def begin(self) -> None:
        """A journal with nothing but its first line, whole or not at all."""
        if self.path.exists():
            raise JournalError(f"{self.path} exists; go on with it by resume=, or remove it")
        part = self.path.with_name(self.path.name + ".part")
        with open(part, "w", encoding="ascii", newline="\n") as file:
            file.write(line_of(self.head))
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.path)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def read(self) -> None:
        """Look through what is there."""
        lines = lines_in(self.path)
        self.end, found = next(lines, (0, None))
        self.compare(found)
        decoder = Decoder()
        addresses: list[str] = []
        known = 0
        for end, found in lines:
            line = self.decoded(decoder, found)
            if line is None:
                addresses.append(json.dumps(found["addresses"]))
            elif isinstance(line, float):
                self.seconds = line
            if isinstance(line, float) or (line is not None and line.whole):
                # a whole one: those before it that were made together with it are there as well
                self.end, known = end, len(addresses)
        self.encoder.paths = {paths: number for number, paths in enumerate(addresses[:known])}

    def decoded(self, decoder: Decoder, found: Any) -> Sweep | float | None:
        """The sweep of a line, or the seconds at which something was noted; None for addresses."""
        try:
            return float(found["at"]) if "noted" in found else decoder.line(found)
        except Exception:
            raise JournalError(f"{self.path} is damaged: a sweep in it cannot be read") from None

    def next_line(self) -> Any:
        """The first line that was there and is not used; None where there is none."""
        while self.ahead is None and (found := next(self.there, None)) is not None:
            if "journal" not in found[1]:
                self.ahead = found[1]
        return self.ahead

    def through(
        self, after: Sequence[Sweep | None], last: int, rest: Callable[[list[Sweep | None]], Generator[Sweep]]
    ) -> Generator[Sweep]:
        """The sweeps of a part that were there, and the `rest` of them, which are added as they come: where each chain
        is `after` them, if some were there. `last` is the number of the last sweep."""
        done = list(after)
        while (line := self.next_line()) is not None and "noted" not in line:
            sweep, self.ahead = self.decoder.line(line), None
            if sweep is None:
                continue
            if not 0 <= sweep.chain < len(done):
                raise JournalError(f"{self.path} is damaged: it has a chain {sweep.chain}")
            done[sweep.chain] = sweep
            yield sweep
        if line is not None:  # it was done, or has failed
            if line["noted"] == FAILED:
                raise ModelError(str(line.get("is")))
            if any(sweep is None or sweep.number != last for sweep in done):
                raise JournalError(f"{self.path} is damaged: sweeps are missing")
            return
        with closing(rest([] if all(sweep is None for sweep in done) else done)) as sweeps:
            for sweep in sweeps:
                self.add(sweep)
                yield sweep

    def noted(
        self, what: str, find: Callable[[], Value], at: float, fits: Callable[[Any], bool]
    ) -> tuple[Value, float]:
        """What was noted next, with the seconds at which that was; or what is found now, at so many, and noted."""
        line = self.next_line()
        if line is not None:
            self.ahead = None
            if line.get("noted") != what or not fits(line.get("is")):
                raise JournalError(f"{self.path} is damaged: it has not what comes next")
            return line["is"], float(line["at"])
        found = find()
        self.put([{"noted": what, "is": found, "at": at}])
        return found, at

    def compare(self, found: Any) -> None:
        """An error where the journal is of another run."""
        if not isinstance(found, dict) or found.get("journal") != FORMAT:
            raise JournalError(f"{self.path} is no journal that this version of pplc can read")
        for name in ("version", "model", "data"):
            if found.get(name) != self.head[name]:
                other = {"version": f"version {found.get(name)} of pplc, and this is {VERSION}",
                         "model": "another model, or an earlier text of it", "data": "other data"}[name]  # fmt: skip
                raise JournalError(f"{self.path} cannot be resumed: it was written for {other}")
        own, its = self.head["settings"], found.get("settings")
        if own != its:
            its = its if isinstance(its, dict) else {}
            name = next(name for name in {**own, **its} if own.get(name) != its.get(name))
            raise JournalError(
                f"{self.path} cannot be resumed: it was written with {name} = {its.get(name)}, and here it is "
                f"{own.get(name)}"
            )

    def add(self, sweep: Sweep) -> None:
        """A sweep is done."""
        try:
            lines = self.encoder.lines(sweep)
        except NotWritten as error:
            raise JournalError(f"{self.path} cannot be written: {error}") from None
        self.put(lines)

    def put(self, lines: Sequence[Any]) -> None:
        """Further lines, which are written when it is time."""
        for line in map(line_of, lines):
            self.waiting.append(line)
            self.size += len(line)
        if self.size > MOST or time.monotonic() - self.written >= self.every:
            self.write()

    def write(self) -> None:
        """Write what waits, to where it survives a loss of power."""
        waiting, self.waiting, self.size = self.waiting, [], 0
        try:
            self.file.writelines(waiting)
            self.file.flush()
            os.fsync(self.file.fileno())
        except OSError as error:
            raise JournalError(
                f"cannot write {self.path}: {error.strerror}; the run can be resumed from what was written before"
            ) from None
        self.written = time.monotonic()

    def close(self) -> None:
        """Write what waits, and end."""
        self.is_open = False
        try:
            if self.waiting:
                self.write()
        finally:
            with suppress(OSError):  # what could not be written was told
                self.file.close()


def line_of(found: Any) -> str:
    """A line, with its checksum."""
    text = json.dumps(found, separators=(",", ":"), allow_nan=False)
    return f"{zlib.crc32(text.encode('ascii')):08x} {text}\n"


def lines_in(path: Path, until: float = inf) -> Iterator[tuple[int, Any]]:
    """What is in a journal, up to some place, and where each line ends. What is left of a last line that was not
    finished is no line."""
    end = 0
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                end += len(line)
                if end > until:
                    return
                text = line[9:-1]
                if line[8:9] != b" " or line[:8] != b"%08x" % zlib.crc32(text):
                    raise JournalError(f"{path} is damaged: line {number} is not what was written")
                yield end, json.loads(text)
    except OSError as error:
        raise JournalError(f"cannot read {path}: {error.strerror}") from None


def settings_in(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The settings that a journal was written with."""
    _, found = next(lines_in(Path(path)), (0, None))
    settings = found.get("settings") if isinstance(found, dict) else None
    if not isinstance(settings, dict):
        raise JournalError(f"{path} is no journal that this version of pplc can read")
    return settings
