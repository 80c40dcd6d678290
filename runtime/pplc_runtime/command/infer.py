"""Drawing from the posterior by the command line: the options, and the run.

The draws are written as they come, and an interrupt keeps what there is. `pplc infer` compiles the model that it is
given; a compiled module is the model itself.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

from pplc_runtime.command.arguments import reading, seconds
from pplc_runtime.command.draws import ENDINGS, check_ending, is_stream, show
from pplc_runtime.command.failures import (
    FAILED,
    INTERRUPTED,
    OK,
    USAGE,
    UsageError,
    ended,
    leave_by_signals,
    run_command,
)
from pplc_runtime.command.files import STANDARD, check_readable, check_writable
from pplc_runtime.command.memory import keep_freed_memory
from pplc_runtime.composed import method_in, offer_of
from pplc_runtime.composition import Composition, MethodError
from pplc_runtime.settings import (
    DEFAULT_METHOD,
    NO_REFERENCE,
    OFFERS,
    RESAMPLING,
    SETTINGS,
    unfit,
)

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior
    from pplc_runtime.results.sweeps import Sweep

PICTURES: Final = (".png", ".svg", ".pdf")
OPTIONS: Final = (
    "engine",
    "resampling",
    "ess_threshold",
    "burn_in",
    "max_depth",
    "max_seconds",
    "max_memory",
    "strict",
    "proposals",
    "waste_free",
    "nodes",
    "delayed",
    "target_ess",
    "seconds",
    "checkpoint",
    "resume",
    "every",
)
"""Handed to the method when they were given."""


COMPOSED: Final = (
    "chains can be composed, each with what it moves: 'pgas(paths, 50) + lmh(omega q)*5';\n"
    "the particles of smc can be moved: 'smc(1000) | rw(globals)*5'"
)


class Model(Protocol):
    """What can be inferred."""

    @property
    def inputs(self) -> tuple[str, ...]: ...

    def infer(self, method: str | Composition = ..., **settings: Any) -> Posterior: ...


def add_options(parser: ArgumentParser) -> None:
    """The options of a run."""
    add = parser.add_argument

    def setting(option: str, metavar: str, help: str, **more: Any) -> None:
        check = SETTINGS[option.removeprefix("--").replace("-", "_")].check
        add(option, type=reading(check), metavar=metavar, help=help, **more)

    add("--method", type=reading(method_in), default=DEFAULT_METHOD, metavar="METHOD",
        help=f"{', '.join(OFFERS)} (default: {DEFAULT_METHOD}), or some of them composed")  # fmt: skip
    setting("--particles", "L", "particles of a sweep")
    setting("--sweeps", "S", "sweeps of a chain")
    setting("--seed", "N", "seed of the random numbers (default: a new one, shown)")
    setting("--chains", "C", "independent chains (default: 1)", default=1)
    setting("--cores", "K", "processes; changes no result (default: 1)", default=1)
    setting("--burn-in", "B", "icsmc, pgas, lmh, rw, slice: sweeps of a chain to leave out before those that count")
    setting("--target-ess", "N", "auto: go on until every predict has so many effective draws (default: 400)")
    setting("--seconds", "S", "auto: or until so many seconds have passed (default: 60)")
    add_inputs(parser)
    add("--out", metavar="FILE",
        help=f"write every draw, by the ending: {ENDINGS}; - for lines of JSON on standard output")  # fmt: skip
    add("--plot", metavar="FILE.png", help="draw the posterior; also .svg and .pdf (needs matplotlib)")
    add("--known", action="append", default=[], type=reading(known_number), metavar="NAME=X",
        help="a dashed line in the picture of --plot at what is known of a predict; may be given again")  # fmt: skip
    add("--genealogy", metavar="FILE.png",
        help="smc, icsmc, pgas: draw the ancestors of the particles in the last sweep")  # fmt: skip
    add(
        "--report",
        metavar="FILE.html",
        help="write a page with the model, its graph and data, the summary, densities, traces and what to look at",
    )
    add("--cluster", metavar="ADDRESS",
        help="blocks of sweeps on a cluster of dask.distributed, tcp://...; changes no result")  # fmt: skip
    add("--checkpoint", metavar="FILE", help="write all that is done to a journal, from which a run can be resumed")
    add("--every", type=reading(seconds), default=None, metavar="30s",
        help="--checkpoint: how often it is written (default: 30s)")  # fmt: skip
    add("--resume", metavar="FILE",
        help="go on with the run of a journal; the result is that of a run without a break")  # fmt: skip
    add("--quiet", action="store_true", help="no progress bar and no summary")
    setting("--resampling", "SCHEME", f"smc, icsmc, pgas: {', '.join(RESAMPLING)}")
    setting("--ess-threshold", "F", "smc, icsmc, pgas: resample only below this share of effective particles")
    setting("--proposals", "N", "lmh: proposals of a sweep (default: as many as the program makes random choices)")
    add("--waste-free", action="store_const", const=True,
        help="smc with moves ('smc | rw*5'): all states of the moves are particles")  # fmt: skip
    setting("--nodes", "M", "ipmcmc: runs of a sweep, half of them conditional (default: 8)")
    add("--delayed", action="store_const", const=True,
        help="integrate out normal, beta, gamma and dirichlet draws while that can be (static structure)")  # fmt: skip
    setting("--max-depth", "N", "how deep procedures of the model may recur")
    setting("--max-seconds", "S", "end the run after so many seconds, with what was drawn by then")
    setting(
        "--max-memory", "SIZE", "end it when the process has more memory than this, such as 2G (default: 90%% of it)"
    )
    add("--strict", action="store_const", const=True,
        help="pgas: reject an ancestor whenever a branch is taken otherwise, as in the paper")  # fmt: skip


def known_number(given: Any) -> tuple[str, float]:
    """NAME=X, a predict and a number."""
    name, equals, text = str(given).rpartition("=")
    try:
        return name.strip(), float(text) if equals and name.strip() else float("")
    except ValueError:
        raise ValueError(f"takes NAME=NUMBER, not '{given}'") from None


def add_inputs(parser: ArgumentParser) -> None:
    """The options that give inputs their values."""
    add = parser.add_argument
    add("--data", action="append", default=[], metavar="[NAME=]FILE",
        help="values of the inputs: a JSON object, a table (.csv, .tsv, JSON records), .npz; - for standard input; "
        "with a name the whole file is one input")  # fmt: skip
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="value of one input, JSON or else a string; may be given again")  # fmt: skip


class _Parser(ArgumentParser):
    """Says what was wrong, without all the options that there are."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: error: {message}\n`{self.prog} --help` lists the options\n")


def new_parser(prog: str) -> ArgumentParser:
    """A command line that ends with the list of methods."""
    lines = [f"  {name:<11} {offer.does} ({offer.particles} x {offer.sweeps})" for name, offer in OFFERS.items()]
    return _Parser(
        prog,
        description="Draw from the posterior of a model and show a summary.",
        epilog="methods, with the particles and sweeps that they use unless told otherwise:\n"
        + "\n".join([*lines, "", COMPOSED]),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def run_module(model: Model) -> int:
    """The command line of a compiled module; returns the exit code."""
    parser = new_parser(os.path.basename(sys.argv[0]) or "model")
    add_options(parser)

    def run(arguments: Namespace) -> int:
        check(arguments)
        return infer(model, arguments)

    try:
        code = run_command(parser, run, sys.argv[1:])
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, BrokenPipeError) as cause:
        return ended(cause)


def check(arguments: Namespace) -> None:
    """Say before the model is compiled and run what cannot be done."""
    if arguments.out not in (None, STANDARD):
        check_writable(arguments.out)
        if not is_stream(arguments.out):
            check_ending("--out ", arguments.out)
    if arguments.report is not None:
        if not arguments.report.lower().endswith((".html", ".htm")):
            raise UsageError(f"--report {arguments.report}: the file must end in .html")
        check_writable(arguments.report)
    check_journal(arguments)
    check_picture("--plot", arguments.plot)
    check_picture("--genealogy", arguments.genealogy)
    check_method(arguments)


def check_journal(arguments: Namespace) -> None:
    """Say that a journal cannot be written, or resumed."""
    new, old = arguments.checkpoint, arguments.resume
    if new is not None and old is not None:
        raise UsageError("--resume: a run that is resumed goes on in its own journal; leave out --checkpoint")
    if arguments.every is not None and new is None and old is None:
        raise UsageError("--every is for --checkpoint and --resume")
    if (new is not None or old is not None) and getattr(arguments, "engine", None) == "reference":
        raise UsageError("--checkpoint: the reference engine writes none")
    if new is not None:
        check_writable(new)
        if os.path.exists(new):
            raise UsageError(f"--checkpoint {new}: it exists; go on with it by --resume, or remove it")
    if old is not None:
        check_readable(old)
        check_writable(old)


def check_method(arguments: Namespace) -> None:
    """Say what the method has no use for."""
    method = offer_of(arguments.method)
    if getattr(arguments, "engine", None) == "reference" and not method.has_reference:
        raise UsageError(f"--method: {NO_REFERENCE.format(method.name)}")
    for name in (*OPTIONS, "genealogy"):
        value = getattr(arguments, name, None)
        if name in SETTINGS and value is not None:
            reason = unfit(name, value, method)
            if reason is not None:
                raise UsageError(f"--{name.replace('_', '-')}: {reason}")


def infer(model: Model, arguments: Namespace) -> int:
    """Infer as the options say; returns the exit code."""
    from pplc_runtime.command.cluster import cluster
    from pplc_runtime.command.inputs import read_inputs
    from pplc_runtime.command.progress import Progress
    from pplc_runtime.results.export import DrawWriter, undisturbed
    from pplc_runtime.results.posterior import Posterior

    keep_freed_memory()
    asks, needed = getattr(model, "asks_for_missing", False), getattr(model, "needed", ())
    data = read_inputs(arguments.data, arguments.settings, model.inputs, asks, needed)
    method = offer_of(arguments.method)
    chooses = method.name == "auto"  # how long it runs, and what it gives, is known when it is done
    particles = arguments.particles or (None if chooses else method.particles)
    sweeps = arguments.sweeps or (None if chooses else method.sweeps)
    seed = arguments.seed
    if seed is None and arguments.resume is not None:
        from pplc_runtime.results.journal import settings_in

        seed = settings_in(arguments.resume).get("seed")
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    whole = arguments.out is not None and arguments.out != STANDARD and not is_stream(arguments.out)
    whole = whole and not arguments.out.lower().endswith(".jsonl")  # which is written when all is done
    whole = whole or (chooses and arguments.out is not None)
    drawn = any(path is not None for path in (arguments.plot, arguments.genealogy, arguments.report))
    keep = whole or drawn or not (arguments.quiet or arguments.out == STANDARD)
    options: dict[str, Any] = {name: getattr(arguments, name, None) for name in OPTIONS}
    has_one = "genealogy" in method.own and options["engine"] != "reference"
    options["genealogy"] = 1 if arguments.genealogy is not None or (arguments.report is not None and has_one) else None

    writer = None
    if arguments.out is not None and not whole:
        told = {"method": method.name, "seed": seed, "particles": particles, "chains": arguments.chains,
                "is_chain": method.is_chain}  # fmt: skip
        target = sys.stdout if arguments.out == STANDARD else arguments.out
        writer = DrawWriter(target, is_chain=method.is_chain, about=told)
    kept: list[Sweep] = []
    progress = Progress((sweeps or 0) * arguments.chains, quiet=arguments.quiet or chooses)

    def on_sweep(sweep: Sweep) -> None:
        with undisturbed():  # what is shown, counted and written is the same, also after an interrupt
            if writer is not None:
                writer.write(sweep)
            if keep:
                kept.append(sweep)
            progress.step()

    leave_by_signals()
    try:
        with cluster(arguments.cluster) as options["executor"]:
            posterior: Posterior = model.infer(
                arguments.method,
                particles=particles,
                sweeps=sweeps,
                seed=seed,
                chains=arguments.chains,
                cores=arguments.cores,
                data=data,
                on_sweep=None if chooses else on_sweep,
                keep=keep or chooses,
                **({"progress": not arguments.quiet} if chooses else {}),
                **{name: value for name, value in options.items() if value is not None},
            )
        progress.interrupted = posterior.interrupted
    except MethodError as error:
        raise UsageError(f"--method: {error}") from None
    except KeyboardInterrupt:
        size = method.draws_of(particles or 1)
        posterior = Posterior(method.name, seed, size, arguments.chains, kept, method.is_chain)
        progress.interrupted = True
    except BaseException:
        if writer is not None and (part := writer.abandon()) is not None:
            progress.say(f"the {writer.sweeps} sweeps done are in {part}")
        raise
    finally:
        progress.close()
    if writer is not None:
        writer.close() if progress.done else writer.abandon()
    if whole and len(posterior):
        if arguments.out == STANDARD or is_stream(arguments.out):
            posterior.to_jsonl(sys.stdout if arguments.out == STANDARD else arguments.out)
        else:
            posterior.save(arguments.out)
    if keep and len(posterior) and arguments.out != STANDARD:
        _show(posterior, arguments)
    if posterior.limit is not None:
        progress.say(f"{posterior.limit}\nafter {progress.done} of {progress.total} sweeps, which are kept")
        return FAILED
    if progress.interrupted:
        done = "" if chooses else f" after {progress.done} of {progress.total} sweeps"
        progress.say(f"pplc: interrupted{done}")
        return INTERRUPTED
    return OK


def check_picture(option: str, path: str | None) -> None:
    """Say before a run that its picture could not be drawn."""
    if path is None:
        return
    from importlib.util import find_spec

    if not path.lower().endswith(PICTURES):
        raise UsageError(f"{option} {path}: the file must end in {', '.join(PICTURES)}")
    check_writable(path)
    if find_spec("matplotlib") is None:
        raise UsageError(f"{option} needs matplotlib: pip install 'pplc[plot]'")


def _show(posterior: Posterior, arguments: Namespace) -> None:
    if arguments.report is not None:
        posterior.report(arguments.report)
    if arguments.plot is not None:
        posterior.plot(arguments.plot, known=dict(arguments.known))
    if arguments.genealogy is not None:
        if posterior.genealogies():
            posterior.plot_genealogy(arguments.genealogy)
        else:
            print("pplc: no genealogy is drawn: that is of the last sweep", file=sys.stderr)
    if not arguments.quiet and arguments.out != STANDARD:
        show(posterior)
