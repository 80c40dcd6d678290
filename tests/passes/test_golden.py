"""Source beside what every pass makes of it; `pytest --refresh-golden` writes what they make of it now."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from pplc import compile_text
from pplc.cli import OK, main
from pplc.pipeline import PASSES, dump_after
from pplc.source import Source

GOLDEN: Final = sorted((Path(__file__).parents[1] / "golden").glob("*.txt"))
EVERY: Final = (*PASSES, "specialise")
INPUTS: Final = {"sigma": 1.5}
MARK: Final = ";;; after "


def parts(text: str) -> dict[str, str]:
    """The source, and the dumps by the name of their pass."""
    source, *dumps = text.split(MARK)
    named = [dump.partition("\n") for dump in dumps]
    return {"source": source.rstrip() + "\n"} | {name: dump.rstrip() for name, _, dump in named}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_dumps(path: Path, pytestconfig: pytest.Config) -> None:
    expected = parts(path.read_text(encoding="utf-8"))
    source = Source(f"{path.stem}.clj", expected["source"])
    found = {"source": expected["source"]} | {name: dump_after(source, name).rstrip() for name in PASSES}
    program = compile_text(source.text, source.name).program
    found["specialise"] = program.specialised({name: INPUTS[name] for name in program.inputs if name in INPUTS})
    if pytestconfig.getoption("--refresh-golden"):
        dumps = [f"{MARK}{name}\n{found[name]}\n" for name in EVERY]
        path.write_text("\n".join([found["source"], *dumps]), encoding="utf-8")
        return
    for name in EVERY:
        assert found[name] == expected.get(name), f"after {name}"


@pytest.mark.parametrize("name", PASSES)
def test_the_command_shows_the_same(name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    model = tmp_path / "model.clj"
    model.write_text(parts(GOLDEN[0].read_text(encoding="utf-8"))["source"], encoding="utf-8")
    assert main(["compile", str(model), "--dump-after", name]) == OK
    dump = dump_after(Source(str(model), model.read_text(encoding="utf-8")), name)
    assert capfdbinary.readouterr().out.decode() == dump.rstrip("\n") + "\n"


def test_there_are_dumps() -> None:
    assert len(GOLDEN) >= 8
