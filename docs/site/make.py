"""The pages of the site, laid out in build/docs: those of docs/ as they are, and those that are made of the tables.

    python docs/site/make.py [--quick]

The reference is made of the tables of names, methods and settings; the gallery runs the example programs and draws what
they give. `--quick` runs only a few of them.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from pplc.model import load
from pplc.play.examples import heading
from pplc.vocabulary import Word, words
from pplc_runtime.results.report import PARTS, so_far
from pplc_runtime.settings import OFFERS, SETTINGS

ROOT: Final = Path(__file__).parents[2]
TARGET: Final = ROOT / "build" / "docs"
QUICK: Final = ("hmm", "linear_regression")
METHOD, SWEEPS, CHAINS = "pgas", 200, 2
"""How the programs of the gallery are run, where nothing else is said."""
OTHERWISE: Final = {
    "kalman": "pgas + rw*20", "linear_regression": "rw", "logistic_regression": "rw", "change_point": "rw",
    "infinite_mixture": "pgas + lmh", "dp_mixture": "pgas + lmh",
}  # fmt: skip
STYLE: Final = """
.pplc .columns { margin-bottom: 8px; }
.md-typeset .pplc table:not([class]) { font-size: 12px; display: table; border: 0; }
.md-typeset .pplc table:not([class]) :is(th, td) { padding: 2px 10px 2px 0; min-width: 0; border-top: 0; }
[data-md-color-scheme="slate"] .pplc { --pplc-ink: #8fbfe8; --pplc-fill: #2f5f8a; --pplc-mark: #ff8a70;
  --pplc-pale: #a3a3a3; --pplc-text: #e6e6e6; --pplc-ground: #161618; --pplc-rule: #3a3a3e; --pplc-note: #3a3115; }
[data-md-color-scheme="default"] .pplc { --pplc-ink: #2b5c8a; --pplc-fill: #9dbfdd; --pplc-mark: #c2452d;
  --pplc-pale: #6b6b6b; --pplc-text: #1d1d1d; --pplc-ground: #ffffff; --pplc-rule: #d8d8d8; --pplc-note: #fdf3d8; }
"""
"""The theme of the site is chosen on the page, not by the reader's system alone."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only a few programs in the gallery")
    parser.add_argument("--target", type=Path, default=TARGET, help="the folder (default: build/docs)")
    arguments = parser.parse_args()
    lay_out(arguments.target, arguments.quick)


def lay_out(target: Path, quick: bool) -> None:
    """Write all pages."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copytree(ROOT / "docs" / "figures", target / "figures")
    for page in sorted((ROOT / "docs").glob("*.md")):
        (target / page.name).write_text(as_page(page.read_text(encoding="utf-8")), encoding="utf-8")
    for source, name in (("README.md", "index.md"), ("CHANGELOG.md", "changelog.md")):
        text = (ROOT / source).read_text(encoding="utf-8")
        (target / name).write_text(as_page(from_the_top(text)), encoding="utf-8")
    (target / "reference.md").write_text(reference(), encoding="utf-8")
    (target / "gallery.md").write_text("".join(gallery(quick)), encoding="utf-8")
    (target / "pplc.css").write_text(PARTS + STYLE, encoding="utf-8")


def as_page(text: str) -> str:
    """A page as the site takes it: what is said behind the language of a block is for the tests."""
    return re.sub(r"^```(\w+) [^\n]+$", r"```\1", text, flags=re.MULTILINE)


def from_the_top(text: str) -> str:
    """A page from the top folder: its links go from there."""
    text = text.replace("](docs/", "](").replace("](CHANGELOG.md)", "](changelog.md)")
    return re.sub(r"\]\(programs/[^)]*\)", "](gallery.md)", text)


def reference() -> str:
    """Every word of the language, every method and every setting, by the tables that the compiler has them from."""
    parts = [
        "# Reference\n",
        "Made of the tables of the compiler. Arguments in square brackets may be left out.\n",
    ]
    kinds = {
        "Distributions": "distribution", "Processes": "process", "Procedures": "procedure", "Statements": "statement",
        "Special forms": "form", "Constants": "constant",
    }  # fmt: skip
    for title, kind in kinds.items():
        own = sorted((word for word in words().values() if word.kind == kind), key=lambda word: word.name)
        heads = ["name", "written", *(["parameters"] if kind in ("distribution", "process") else []), "meaning"]
        parts += [f"## {title}\n", _table(heads, [_row(word, len(heads)) for word in own])]
    parts += ["## Methods\n", _table(["name", "does", "particles", "sweeps", "settings of its own"], [
        [f"`{o.name}`", o.does, str(o.particles), str(o.sweeps), ", ".join(f"`{each}`" for each in o.own)]
        for o in OFFERS.values()
    ])]  # fmt: skip
    parts += ["## Settings\n", _table(["name", "unless told otherwise", "methods"], [
        [f"`{name}`", "" if setting.default is None else f"`{setting.default}`", _methods_with(name)]
        for name, setting in SETTINGS.items()
    ])]  # fmt: skip
    return "\n".join(parts)


def _methods_with(setting: str) -> str:
    own = [offer.name for offer in OFFERS.values() if setting in offer.own]
    return ", ".join(f"`{name}`" for name in own) or "all"


def _row(word: Word, columns: int) -> list[str]:
    forms = "<br>".join(f"`{form}`" for form in word.forms)
    names = word.forms[0].strip("()").split(" ")[1:] if word.forms else []
    domains = "<br>".join(f"{name.strip('[]')}: {domain}" for name, domain in zip(names, word.domains))
    says = word.says.replace("(#inputs)", "(language.md#inputs)")
    return [f"`{word.name}`", forms, *([domains] if columns > 3 else []), says]


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def gallery(quick: bool) -> Iterator[str]:
    """The example programs, each with what a short run of it gives."""
    yield "# Gallery\n\nThe programs in `programs/`, each with what a short run gives. Answers are in their heads.\n"
    top = ROOT / "programs"
    for path in sorted(top.rglob("*.clj"), key=lambda path: (len(path.parts), path)):
        name = path.relative_to(top).with_suffix("").as_posix()
        if quick and name not in QUICK:
            continue
        text = path.read_text(encoding="utf-8")
        method = OTHERWISE.get(name, METHOD)
        posterior = load(path).infer(method, sweeps=SWEEPS, chains=CHAINS, seed=1, progress=False)
        yield f"\n## {name.rpartition('/')[2].replace('_', ' ')}\n\n{heading(text)}.\n\n"
        yield f'<div class="pplc">{so_far(posterior)}</div>\n\n'
        command = f"pplc infer programs/{name}.clj --method '{method}' --sweeps {SWEEPS} --chains {CHAINS} --seed 1"
        shown = "\n".join(line if len(line) <= 160 else line[:159] + "…" for line in text.splitlines()[:60])
        yield f"<details markdown><summary>{escape(command)}</summary>\n\n```clojure\n{shown}\n```\n\n</details>\n"


if __name__ == "__main__":
    main()
