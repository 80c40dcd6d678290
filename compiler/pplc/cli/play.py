"""pplc play: a page to play with models, served on this machine only."""

from __future__ import annotations

import sys
import threading
from argparse import ArgumentParser, Namespace

from pplc.cli.sources import read_source
from pplc_runtime.command.arguments import reading
from pplc_runtime.command.failures import OK, RunError
from pplc_runtime.settings import whole


def parser() -> ArgumentParser:
    """The command line of `pplc play`."""
    parser = ArgumentParser(
        "pplc play",
        description="Serve a page, on this machine only, with an editor for models, runs that draw as they go, and "
        "their reports. Ctrl-C ends it.",
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL.clj", nargs="?", help="a model to begin with; the page can save it")
    parser.add_argument("--port", type=reading(whole(0)), default=0, metavar="N", help="the port (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="only show the address")
    return parser


def run(arguments: Namespace) -> int:
    """Serve until an interrupt."""
    if arguments.model is not None:
        read_source(arguments.model)  # what cannot be read is told
    from pplc.play.server import Server

    try:
        server = Server(arguments.model, arguments.port)
    except (OSError, OverflowError) as error:
        raise RunError(f"port {arguments.port}: {getattr(error, 'strerror', None) or 'there is none'}") from None
    print(server.address)
    print("ctrl-c ends it", file=sys.stderr)
    sys.stdout.flush()
    threading.Thread(target=server.runs.warm, daemon=True).start()
    if not arguments.no_browser:
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
    try:
        server.serve_forever(0.1)
    except KeyboardInterrupt:
        return OK
    finally:
        server.close()
    return OK
