"""The picture of docs/methods.md: one sweep of icsmc and one of pgas, both from the same retained run.

With one sweep and one seed both methods draw the same first run to retain. The program is the one that the page shows.
"""

from __future__ import annotations

import benchmarks.threads  # noqa: F401  isort: skip
import re
from pathlib import Path

import pplc
from pplc_runtime.results import Genealogy
from pplc_runtime.results.genealogy_plot import draw

DOCS = Path(__file__).parents[1] / "docs"
PARTICLES, SEED = 10, 8


def program() -> str:
    """The text of walk.clj."""
    page = (DOCS / "methods.md").read_text(encoding="utf-8")
    found = re.search(r"^```clojure\n(; walk\.clj\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found is not None, "docs/methods.md has no walk.clj"
    return found[1]


def main(out: Path = DOCS / "figures") -> None:
    model = pplc.compile_text(program(), "walk.clj")
    panels: list[tuple[str, Genealogy]] = []
    for method in ("icsmc", "pgas"):
        posterior = model.infer(method, particles=PARTICLES, sweeps=1, seed=SEED, genealogy=1)
        panels.extend((method, genealogy) for genealogy in posterior.genealogies().values())
    for ending in ("png", "svg"):
        draw(panels, out / f"genealogy.{ending}")
    for method, genealogy in panels:
        print(f"{method}: {genealogy.sentence()}")


if __name__ == "__main__":
    main()
