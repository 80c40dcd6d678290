"""pplc plot: draw a picture of draws in a file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pplc_runtime.command.draws import ENDINGS, read
from pplc_runtime.command.failures import OK
from pplc_runtime.command.files import check_readable
from pplc_runtime.command.infer import PICTURES, check_picture


def parser() -> ArgumentParser:
    """The command line of `pplc plot`."""
    parser = ArgumentParser(
        "pplc plot",
        description="Draw a picture of draws that `pplc infer --out FILE` has written.",
        allow_abbrev=False,
    )
    parser.add_argument("draws", metavar="FILE", help=f"the draws: {ENDINGS}")
    parser.add_argument(
        "picture", metavar="PICTURE", nargs="?", help=f"{', '.join(PICTURES)} (default: FILE with the ending .png)"
    )
    return parser


def run(arguments: Namespace) -> int:
    """Read and draw."""
    check_readable(arguments.draws)
    target = arguments.picture or str(Path(arguments.draws).with_suffix(PICTURES[0]))
    check_picture("pplc plot", target)
    posterior = read(arguments.draws)
    posterior.plot(target)
    print(f"the picture is in {target}")
    return OK
