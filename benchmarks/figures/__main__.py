"""The paper's experiment (section 5): PGAS beside ICSMC on programs/kalman.clj, as two figures and their numbers.

A run that was interrupted goes on where it ended; every finished run is kept in build/figures/.
"""

from __future__ import annotations

import benchmarks.threads  # noqa: F401  isort: skip
import argparse
import dataclasses
from pathlib import Path

from tqdm import tqdm

from benchmarks.figures import draw, experiment, numbers


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a minute: 5 restarts, 40 sweeps, fewer lines")
    parser.add_argument("--restarts", type=int, metavar="N", help="how many seeds: 25, or 5 with --quick")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where the figures go: docs/figures, or build/figures/quick"
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where finished runs are: build/figures")
    arguments = parser.parse_args()
    if arguments.restarts is not None and arguments.restarts < 2:
        parser.error("--restarts: at least 2, for a standard deviation")
    size = experiment.QUICK if arguments.quick else experiment.FULL
    if arguments.restarts:
        size = dataclasses.replace(size, restarts=arguments.restarts)
    cache = arguments.cache or experiment.ROOT / "build" / "figures"
    out = arguments.out or (cache / "quick" if arguments.quick else experiment.ROOT / "docs" / "figures")
    work = experiment.Experiment(size, cache)

    missing = list(work.missing())
    total = size.restarts * len(size.settings)
    try:
        with tqdm(total=total, initial=total - len(missing), unit="run") as bar:
            for setting, seed in missing:
                bar.set_description(f"{setting!s:9} restart {seed:2}")
                work.do(setting, seed)
                bar.update()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted: what is done is kept, and the same command goes on from there") from None

    found = numbers.gather(work)
    out.mkdir(parents=True, exist_ok=True)
    numbers.write(found, out)
    draw.ess(found, out)
    draw.parameters(found, out)
    print(numbers.shown(found))
    print(f"the figures and their numbers are in {out}")


if __name__ == "__main__":
    main()
