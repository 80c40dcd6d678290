"""PGAS beside ICSMC on programs/kalman.clj, the paper's experiment (section 5), and on programs/infinite_mixture.clj,
as figures and their numbers.

A run that was interrupted goes on where it ended; every finished run is kept in build/figures/.
"""

from __future__ import annotations

import benchmarks.threads  # noqa: F401  isort: skip
import argparse
import dataclasses
from pathlib import Path

from tqdm import tqdm

from benchmarks.figures import draw, kalman, mixture, numbers
from benchmarks.figures.runs import ROOT, Size
from benchmarks.page import rewrite

PAGE = ROOT / "docs" / "paper.md"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a minute: few restarts and sweeps, fewer lines")
    parser.add_argument("--restarts", type=int, metavar="N", help="how many seeds: 25, or 4 or 5 with --quick")
    parser.add_argument("--only", choices=("kalman", "mixture"), help="one of the two experiments")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where the figures go: build/figures/quick with --quick, or else docs/figures, with the tables of "
        "docs/paper.md",
    )
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where finished runs are: build/figures")
    arguments = parser.parse_args()
    if arguments.restarts is not None and arguments.restarts < 2:
        parser.error("--restarts: at least 2, for a standard deviation")

    def sized(size: Size) -> Size:
        return dataclasses.replace(size, restarts=arguments.restarts or size.restarts)

    cache = arguments.cache or ROOT / "build" / "figures"
    out = arguments.out or (cache / "quick" if arguments.quick else ROOT / "docs" / "figures")
    quick = arguments.quick
    states = kalman.Kalman(sized(kalman.QUICK if quick else kalman.FULL), cache)
    classes = mixture.Mixture(sized(mixture.QUICK if quick else mixture.FULL), cache)
    wanted = [work for work in (states, classes) if arguments.only in (None, type(work).__name__.lower())]

    missing = [(work, *run) for work in wanted for run in work.missing()]
    total = sum(work.size.restarts * len(work.size.settings) for work in wanted)
    try:
        with tqdm(total=total, initial=total - len(missing), unit="run") as bar:
            for work, setting, seed in missing:
                bar.set_description(f"{type(work).__name__} {setting!s:9} restart {seed:2}")
                work.do(setting, seed)
                bar.update()
    except KeyboardInterrupt:
        raise SystemExit("\ninterrupted: what is done is kept, and the same command goes on from there") from None

    out.mkdir(parents=True, exist_ok=True)
    parts: dict[str, str] = {}
    if states in wanted:
        found = numbers.gather(states)
        numbers.write(found, out)
        draw.ess(found, out)
        draw.parameters(found, out)
        print(numbers.shown(found), end="\n\n")
        parts |= numbers.parts(found)
    if classes in wanted:
        clustered = mixture.gather(classes)
        mixture.write(clustered, out)
        draw.mixture(clustered, out)
        print(mixture.shown(clustered))
        parts |= mixture.parts(clustered)
    if out == PAGE.parent / "figures":
        rewrite(PAGE, parts)
    print(f"the figures and their numbers are in {out}")


if __name__ == "__main__":
    main()
