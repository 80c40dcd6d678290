"""pplc infer: draw from the posterior of a model."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pplc.cli.sources import add_query, read_source
from pplc_runtime.command.arguments import reading
from pplc_runtime.command.infer import add_options, check, infer, new_parser
from pplc_runtime.settings import ENGINES, one_of


def parser() -> ArgumentParser:
    """The command line of `pplc infer`."""
    parser = new_parser("pplc infer")
    parser.add_argument("model", metavar="MODEL.clj", help="the model")
    add_options(parser)
    parser.add_argument(
        "--engine", type=reading(one_of("engine", ENGINES)), metavar="ENGINE", help=" or ".join(ENGINES)
    )
    add_query(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Compile the model, and infer."""
    check(arguments)
    read_source(arguments.model)
    from pplc.model import load

    return infer(load(arguments.model, arguments.query), arguments)
