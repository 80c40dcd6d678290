"""pplc test: whether a method is exact on a model, by simulated data."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import Any

from pplc.cli.sources import add_query, read_source
from pplc_runtime.command.arguments import reading
from pplc_runtime.command.failures import FAILED, OK, UsageError
from pplc_runtime.command.infer import add_inputs, check_method, check_picture
from pplc_runtime.composed import check_names, method_in
from pplc_runtime.composition import MethodError
from pplc_runtime.settings import ENGINES, RESAMPLING, SETTINGS, one_of, share, whole

METHOD = "pgas"
EPILOG = """\
Data are simulated from the model, so that what they come from is known; observed values are replaced by them.

joint        an execution and its data, moved by the method, keep their law (Geweke 2004)
calibration  what the data come from has every rank among the method's draws equally often (Talts et al. 2018)
enumeration  a model with finitely many executions: the draws, for the model's own data, beside the exact posterior

The verdict is one line, and the exit code: 0 it passes, 1 it fails. An exact method fails at the stated rate.
"""


def parser() -> ArgumentParser:
    """The command line of `pplc test`."""
    parser = ArgumentParser(
        "pplc test",
        description="Test whether a method is exact on a model.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument

    def setting(option: str, metavar: str, help: str) -> None:
        name = option.removeprefix("--").replace("-", "_")
        add(option, type=reading(SETTINGS[name].check), metavar=metavar, help=help)

    add("model", metavar="MODEL.clj", help="the model")
    add("--method", type=reading(method_in), default=METHOD, metavar="METHOD", help=f"as of infer (default: {METHOD})")
    setting("--particles", "L", "particles of a sweep")
    setting("--seed", "N", "seed of the random numbers (default: a new one, shown)")
    add("--simulations", type=reading(whole(10)), default=100, metavar="S", help="data sets (default: 100)")
    add("--steps", type=reading(whole(1)), default=3, metavar="M",
        help="joint: sweeps between new data (default: 3)")  # fmt: skip
    add("--draws", type=reading(whole(1)), default=9, metavar="D",
        help="calibration: draws for each data set (default: 9)")  # fmt: skip
    setting("--burn-in", "B", "calibration: sweeps of a chain to leave out")
    add("--error-rate", type=reading(share), default=0.001, metavar="P",
        help="how often an exact method fails (default: 0.001)")  # fmt: skip
    add("--plot", metavar="FILE.png", help="draw the ranks; also .svg and .pdf (needs matplotlib)")
    setting("--resampling", "SCHEME", f"smc, icsmc, pgas: {', '.join(RESAMPLING)}")
    setting("--ess-threshold", "F", "smc, icsmc, pgas: resample only below this share of effective particles")
    setting("--proposals", "N", "lmh: proposals of a sweep")
    add("--strict", action="store_const", const=True, help="pgas: as in the paper")
    add("--engine", type=reading(one_of("engine", ENGINES)), metavar="ENGINE", help=" or ".join(ENGINES))
    add_inputs(parser)
    add_query(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Compile the model, test, and tell."""
    check_picture("--plot", arguments.plot)
    if arguments.method == "auto":
        raise UsageError("--method: auto chooses a method by itself; name the one to test")
    check_method(arguments)
    read_source(arguments.model)
    from pplc.model import load
    from pplc_runtime.command.inputs import read_inputs
    from pplc_runtime.exactness.verdict import Extent, verdict_on

    model = load(arguments.model, arguments.query)
    data = read_inputs(arguments.data, arguments.settings, model.inputs, model.asks_for_missing, model.needed)
    names = ("resampling", "ess_threshold", "proposals", "strict")
    options: dict[str, Any] = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    extent = Extent(arguments.simulations, steps=arguments.steps, draws=arguments.draws,
                    error_rate=arguments.error_rate)  # fmt: skip
    try:
        if not isinstance(arguments.method, str):
            check_names(arguments.method, model.program.assumed)
    except MethodError as error:
        raise UsageError(f"--method: {error}") from None
    verdict = verdict_on(
        model.program,
        arguments.method,
        data=data,
        seed=int.from_bytes(os.urandom(4)) if arguments.seed is None else arguments.seed,
        particles=arguments.particles,
        burn_in=arguments.burn_in,
        extent=extent,
        engine=model.reference if arguments.engine == "reference" else None,
        **options,
    )
    print(verdict)
    if arguments.plot is not None and verdict.tested:
        from pplc_runtime.exactness.picture import draw_ranks

        draw_ranks(verdict.findings, arguments.plot)
    if not verdict.tested:
        print("pplc test: there is nothing that can be tested", file=sys.stderr)
        return FAILED
    return OK if verdict.passes else FAILED
