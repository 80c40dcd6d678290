"""pplc infer: draw from the posterior of a model."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, NamedTuple

from pplc.cli import INTERRUPTED, OK
from pplc.cli.arguments import one_of, share, whole
from pplc.cli.failures import UsageError
from pplc.cli.files import STANDARD, check_writable, read_source

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior
    from pplc_runtime.results.sweeps import Sweep


class Method(NamedTuple):
    """A method as the command line offers it."""

    does: str
    particles: int
    sweeps: int
    is_chain: bool


METHODS = {
    "importance": Method("draws from the prior, weighted by the observes", 1000, 10, False),
    "smc": Method("particles resampled at every observe", 1000, 10, False),
    "icsmc": Method("a chain of conditional smc sweeps", 100, 1000, True),
    "pgas": Method("the same with ancestor sampling, for few particles", 10, 1000, True),
}
DEFAULT_METHOD = "importance"
RESAMPLING = ("multinomial", "stratified", "systematic", "residual")
ENGINES = ("lanes", "reference")
PICTURES = (".png", ".svg", ".pdf")
OPTIONS = ("engine", "resampling", "ess_threshold", "burn_in", "max_depth", "strict")
"""Handed to the method when they were given."""


def parser() -> ArgumentParser:
    """The command line of `pplc infer`."""
    lines = [f"  {name:<11} {m.does} ({m.particles} x {m.sweeps})" for name, m in METHODS.items()]
    parser = ArgumentParser(
        "pplc infer",
        description="Draw from the posterior of a model and show a summary.",
        epilog="methods, with the particles and sweeps that they use unless told otherwise:\n"
        + "\n".join(lines),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("model", metavar="MODEL.clj", help="the model")
    add("--method", type=one_of("method", METHODS), default=DEFAULT_METHOD, metavar="METHOD",
        help=f"{', '.join(METHODS)} (default: {DEFAULT_METHOD})")  # fmt: skip
    add("--particles", type=whole(1), metavar="L", help="particles of a sweep")
    add("--sweeps", type=whole(1), metavar="S", help="sweeps of a chain")
    add("--seed", type=whole(0), metavar="N", help="seed of the random numbers (default: a new one, shown)")
    add("--chains", type=whole(1), default=1, metavar="C", help="independent chains (default: 1)")
    add("--cores", type=whole(1), default=1, metavar="K", help="processes; changes no result (default: 1)")
    add(
        "--burn-in", type=whole(0), metavar="B", help="sweeps of a chain to leave out before those that count"
    )
    add("--data", metavar="FILE.json", help="values of the inputs, a JSON object; - for standard input")
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="value of one input, JSON or else a string; may be given again")  # fmt: skip
    add("--out", metavar="FILE.jsonl", help="write every draw as a line of JSON; - for standard output")
    add("--plot", metavar="FILE.png", help="draw the posterior; also .svg and .pdf (needs matplotlib)")
    add("--genealogy", metavar="FILE.png",
        help="smc, icsmc, pgas: draw the ancestors of the particles in the last sweep")  # fmt: skip
    add("--quiet", action="store_true", help="no progress bar and no summary")
    add("--engine", type=one_of("engine", ENGINES), metavar="ENGINE", help=" or ".join(ENGINES))
    add("--resampling", type=one_of("scheme", RESAMPLING), metavar="SCHEME", help=", ".join(RESAMPLING))
    add("--ess-threshold", type=share, metavar="F",
        help="resample only below this share of effective particles")  # fmt: skip
    add("--max-depth", type=whole(1), metavar="N", help="how deep procedures of the model may recur")
    add("--strict", action="store_const", const=True,
        help="pgas: reject an ancestor whenever a branch is taken otherwise, as in the paper")  # fmt: skip
    return parser


def run(arguments: Namespace) -> int:
    """Infer, writing the draws as they come; an interrupt keeps what there is."""
    _check_files(arguments)
    read_source(arguments.model)
    from pplc.cli.inputs import read_inputs
    from pplc.cli.progress import Progress
    from pplc.model import load
    from pplc_runtime.results.export import DrawWriter, undisturbed
    from pplc_runtime.results.posterior import Posterior

    model = load(arguments.model)
    data = read_inputs(arguments.data, arguments.settings, model.inputs)
    method = METHODS[arguments.method]
    particles = arguments.particles or method.particles
    sweeps = arguments.sweeps or method.sweeps
    seed = int.from_bytes(os.urandom(4)) if arguments.seed is None else arguments.seed
    drawn = arguments.plot is not None or arguments.genealogy is not None
    keep = drawn or not (arguments.quiet or arguments.out == STANDARD)
    options: dict[str, Any] = {name: getattr(arguments, name) for name in OPTIONS}
    options["genealogy"] = None if arguments.genealogy is None else 1

    writer = None
    if arguments.out is not None:
        writer = DrawWriter(
            sys.stdout if arguments.out == STANDARD else arguments.out, is_chain=method.is_chain
        )
    kept: list[Sweep] = []
    progress = Progress(sweeps * arguments.chains, quiet=arguments.quiet)

    def on_sweep(sweep: Sweep) -> None:
        with undisturbed():  # what is shown, counted and written is the same, also after an interrupt
            if writer is not None:
                writer.write(sweep)
            if keep:
                kept.append(sweep)
            progress.step()

    try:
        posterior: Posterior = model.infer(
            arguments.method,
            particles=particles,
            sweeps=sweeps,
            seed=seed,
            chains=arguments.chains,
            cores=arguments.cores,
            data=data,
            on_sweep=on_sweep,
            keep=keep,
            **{name: value for name, value in options.items() if value is not None},
        )
    except KeyboardInterrupt:
        posterior = Posterior(arguments.method, seed, particles, arguments.chains, kept, method.is_chain)
        progress.interrupted = True
    except BaseException:
        if writer is not None and (part := writer.abandon()) is not None:
            progress.say(f"the {writer.sweeps} sweeps done are in {part}")
        raise
    finally:
        progress.close()
    if writer is not None:
        writer.close() if progress.done else writer.abandon()
    if keep and len(posterior):
        _show(posterior, arguments)
    if progress.interrupted:
        progress.say(f"pplc: interrupted after {progress.done} of {progress.total} sweeps")
        return INTERRUPTED
    return OK


def _check_files(arguments: Namespace) -> None:
    if arguments.out not in (None, STANDARD):
        check_writable(arguments.out)
    _check_picture("--plot", arguments.plot)
    _check_picture("--genealogy", arguments.genealogy)
    if arguments.genealogy is not None:
        if arguments.method == "importance":
            raise UsageError("--genealogy: importance does not resample, so there is none; use smc, icsmc or pgas")
        if arguments.engine == "reference":
            raise UsageError("--genealogy is kept by the engine lanes only")


def _check_picture(option: str, path: str | None) -> None:
    if path is None:
        return
    from importlib.util import find_spec

    if not path.lower().endswith(PICTURES):
        raise UsageError(f"{option} {path}: the file must end in {', '.join(PICTURES)}")
    check_writable(path)
    if find_spec("matplotlib") is None:
        raise UsageError(f"{option} needs matplotlib: pip install 'pplc[plot]'")


def _show(posterior: Posterior, arguments: Namespace) -> None:
    if arguments.plot is not None:
        posterior.plot(arguments.plot)
    if arguments.genealogy is not None:
        if posterior.genealogies():
            posterior.plot_genealogy(arguments.genealogy)
        else:
            print("pplc: no genealogy is drawn: that is of the last sweep", file=sys.stderr)
    if not arguments.quiet and arguments.out != STANDARD:
        try:
            "█…±".encode(sys.stdout.encoding or "ascii")
            ascii_only = False
        except (UnicodeError, LookupError):
            ascii_only = True
        print(posterior.summary().text(ascii_only=ascii_only))
