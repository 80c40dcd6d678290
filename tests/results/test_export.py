"""Draws as lines of JSON."""

from __future__ import annotations

import io
import json
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc_runtime.results import DrawWriter, Sweep


def sweep(number: int = 0, *, chain: int = 0, log_weights: tuple[float, ...] = (-1.5, -math.inf, 0.25)) -> Sweep:
    count = len(log_weights)
    return Sweep(
        chain,
        number,
        np.array(log_weights),
        {
            "omega": np.linspace(0.0, 1.0, count),
            "(x 1)": np.arange(2 * count).reshape(2, count) / 4,
            '100% "odd" %s': ["a", "b", "c"][:count],
        },
    )


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_a_draw_and_the_evidence_last() -> None:
    file = io.StringIO()
    with DrawWriter(file, is_chain=False) as writer:
        writer.write(sweep(3))
    first = file.getvalue().splitlines()[0]
    assert first == (
        '{"chain": 0, "sweep": 3, "particle": 0, "log_weight": -1.5, "predict": '
        '{"omega": 0.0, "(x 1)": [0.0, 0.75], "100% \\"odd\\" %s": "a"}}'
    )
    draws = lines(file.getvalue())
    assert [draw["particle"] for draw in draws[:-1]] == [0, 2], "a draw of weight zero is not written"
    assert draws[1]["predict"] == {"omega": 1.0, "(x 1)": [0.5, 1.25], '100% "odd" %s': "c"}
    assert draws[-1]["log_evidence"] == pytest.approx(np.log(np.exp(-1.5) + np.exp(0.25)))
    assert draws[-1]["log_evidence_se"] is None


def test_the_evidence_of_several_sweeps_is_the_log_of_their_mean() -> None:
    file = io.StringIO()
    with DrawWriter(file, is_chain=False) as writer:
        for number, z in enumerate([0.0, math.log(3.0)]):
            writer.write(sweep(number, log_weights=(z,)))
    last = lines(file.getvalue())[-1]
    assert last["log_evidence"] == pytest.approx(math.log(2.0))
    assert last["log_evidence_se"] == pytest.approx(math.log(3.0) / 2.0), "without one, the other is left"


def test_the_order_of_arrival_does_not_change_the_evidence() -> None:
    estimates = np.random.default_rng(1).normal(size=100).tolist()
    endings = []
    for order in (range(100), range(99, -1, -1)):
        file = io.StringIO()
        with DrawWriter(file, is_chain=False) as writer:
            for number in order:
                writer.write(sweep(number, log_weights=(estimates[number],)))
        endings.append(file.getvalue().splitlines()[-1])
    assert endings[0] == endings[1]


def test_chains_have_no_evidence() -> None:
    file = io.StringIO()
    with DrawWriter(file, is_chain=True) as writer:
        writer.write(sweep(0, log_weights=(0.0,)))
    assert [set(line) for line in lines(file.getvalue())] == [{"chain", "sweep", "particle", "log_weight", "predict"}]


def test_sweeps_are_on_disk_before_the_end(tmp_path: Path) -> None:
    target = tmp_path / "draws.jsonl"
    target.write_text("earlier\n")
    writer = DrawWriter(target, is_chain=True)
    writer.write(sweep(0))
    assert len((tmp_path / "draws.jsonl.part").read_text().splitlines()) == 2
    assert target.read_text() == "earlier\n"
    writer.close()
    assert len(lines(target.read_text())) == 2
    assert os.listdir(tmp_path) == ["draws.jsonl"]


def test_a_failed_run_keeps_the_earlier_file_and_what_was_done(tmp_path: Path) -> None:
    target = tmp_path / "draws.jsonl"
    target.write_text("earlier\n")
    with pytest.raises(RuntimeError), DrawWriter(target, is_chain=True):
        raise RuntimeError
    assert os.listdir(tmp_path) == ["draws.jsonl"] and target.read_text() == "earlier\n"
    with pytest.raises(RuntimeError), DrawWriter(target, is_chain=True) as writer:
        writer.write(sweep(0))
        raise RuntimeError
    assert target.read_text() == "earlier\n"
    assert len(lines((tmp_path / "draws.jsonl.part").read_text())) == 2


def test_an_interrupted_run_has_its_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), DrawWriter(tmp_path / "draws.jsonl", is_chain=False) as writer:
        writer.write(sweep(0))
        raise KeyboardInterrupt
    assert "log_evidence" in lines((tmp_path / "draws.jsonl").read_text())[-1]


class Interrupting(io.StringIO):
    """A file that is interrupted, once or twice, when half of a line is written."""

    interrupts = 1

    def write(self, text: str, /) -> int:
        written = super().write(text[: len(text) // 2])
        for _ in range(self.interrupts):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        self.interrupts = 0
        return written + super().write(text[len(text) // 2 :])


def test_an_interrupt_waits_for_the_end_of_the_sweep() -> None:
    file = Interrupting()
    writer = DrawWriter(file, is_chain=False)
    with pytest.raises(KeyboardInterrupt):
        writer.write(sweep(0))
    assert file.getvalue().endswith("\n") and len(lines(file.getvalue())) == 2 and writer.sweeps == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    file.interrupts = 2
    with pytest.raises(KeyboardInterrupt):
        writer.write(sweep(1))
    assert writer.sweeps == 1, "the second interrupt does not wait: whoever reads the file may be gone"


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with DrawWriter(tmp_path / "link", is_chain=True) as writer:
        writer.write(sweep(0))
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").is_file()
    with DrawWriter(os.devnull, is_chain=True) as writer:
        writer.write(sweep(0))
    assert not Path(os.devnull).is_file()


def test_a_sweep_without_predicts_or_without_weight() -> None:
    file = io.StringIO()
    with DrawWriter(file, is_chain=False) as writer:
        writer.write(Sweep(0, 0, np.array([-1.0]), {}))
        writer.write(Sweep(0, 1, np.array([-math.inf]), {}))
    draws = lines(file.getvalue())
    assert draws[0]["predict"] == {} and len(draws) == 2
    assert draws[1]["log_evidence"] == pytest.approx(-1.0 - math.log(2.0))
