"""Coverage-guided fuzzing by atheris (the extra `fuzz`): `make fuzz`, or `python -m tests.fuzz --seconds 60 reader`.

Each target has a process and an equal share of the time. What makes one fail is in build/fuzz, with the traceback."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

NAMES = ("reader", "compiler", "json", "csv", "npz", "jsonl", "draws-csv", "journal", "wrong", "engines")
APART = ("__main__", "language_server", "magic", "cluster")
"""Modules that need other libraries, or that run when they are imported."""
BUILD = Path(__file__).parents[2] / "build" / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--seconds", type=int, default=3600, help="for all of them together (default 3600)")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = given.targets or NAMES
    if given.one:
        fuzz(chosen[0], given.seconds)
    failed = []
    for name in chosen:
        share = str(max(1, given.seconds // len(chosen)))
        print(f"{name}: {share} s", flush=True)
        if subprocess.run([sys.executable, "-m", "tests.fuzz", "--one", name, "--seconds", share]).returncode:
            failed.append(name)
    print(f"found in {', '.join(failed)}; see {BUILD}" if failed else "nothing was found")
    return 1 if failed else 0


def fuzz(name: str, seconds: int) -> None:
    """Fuzz one target until something is found, or the time is over; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["pplc", "pplc_runtime"]):
        from tests.fuzz.targets import TARGETS, WORDS, seeds

        import pplc
        import pplc_runtime

        for package in (pplc, pplc_runtime):  # also those that a run would import when it needs them
            for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                if module.name.split(".")[-1] not in APART:
                    importlib.import_module(module.name)

    corpus = BUILD / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(content)
    words = BUILD / "words"
    words.write_text("".join(f'"{word}"\n' for word in WORDS if '"' not in word))
    options = [
        f"-dict={words}",
        f"-max_total_time={seconds}", "-timeout=120", "-rss_limit_mb=6000", "-print_final_stats=1", "-verbosity=1",
        f"-artifact_prefix={BUILD}/{name}-", f"-max_len={600 if name in ('wrong', 'engines') else 4000}",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
