"""Files of draws for the command: which there are, and reading one."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pplc_runtime.command.failures import UsageError
from pplc_runtime.command.files import check_readable

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

ENDINGS = ".jsonl, .csv, .nc, .parquet"


def check_ending(option: str, path: str) -> None:
    """Say before a run that its draws could not be written."""
    from pplc_runtime.results.files import LIBRARIES, ending_of

    ending = ending_of(path)
    if ending is None:
        raise UsageError(f"{option}{path}: the file must end in {ENDINGS}")
    extra, library = LIBRARIES[ending] or (None, None)
    if library is not None and find_spec(library) is None:
        raise UsageError(f"{option}{path} needs {library}: pip install 'pplc[{extra}]'")


def read(path: str) -> Posterior:
    """The posterior in a file."""
    from pplc_runtime.results.reading import BadFile, read_draws

    check_readable(path)
    check_ending("", path)
    try:
        return read_draws(path)
    except BadFile as error:
        raise UsageError(str(error)) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None


def show(posterior: Posterior) -> None:
    """Print the summary, in what the terminal can show."""
    try:
        "█…±".encode(sys.stdout.encoding or "ascii")
        ascii_only = False
    except (UnicodeError, LookupError):
        ascii_only = True
    print(posterior.summary().text(ascii_only=ascii_only))
    if posterior.run is None and not posterior.is_chain and posterior.method != "importance":
        print("note: a file has no lines of ancestors, by which the effective draws may be fewer")


def is_stream(path: str) -> bool:
    """Whether a path is a pipe or a device, which is written as it comes."""
    return os.path.exists(path) and not os.path.isfile(path)
