"""A model that stands in for the compiler and the engine, so that the command line is tested alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pplc.diagnostics import CompileError, Diagnostic
from pplc.source import Source, Span
from pplc_runtime.results import Posterior, Sweep


@dataclass
class FakeModel:
    """Draws standard normals; `fail_at` is raised in place of the sweep of that number."""

    inputs: tuple[str, ...] = ("y", "sigma")
    fail_at: dict[int, BaseException] = field(default_factory=dict)
    called: dict[str, Any] = field(default_factory=dict)

    def infer(self, method: str, *, on_sweep: Callable[[Sweep], None], keep: bool = True, **options: Any) -> Posterior:
        self.called = {"method": method, "keep": keep, **options}
        is_chain = method in ("icsmc", "pgas")
        kept: list[Sweep] = []
        for sweep in self.sweeps(is_chain, **options):
            on_sweep(sweep)
            kept.append(sweep)
        return Posterior(method, options["seed"], options["particles"], options["chains"], kept, is_chain)

    def sweeps(self, is_chain: bool, particles: int, sweeps: int, seed: int, chains: int, **_: Any) -> Iterator[Sweep]:
        rng = np.random.default_rng(seed)
        for chain in range(chains):
            for number in range(sweeps):
                if number in self.fail_at:
                    raise self.fail_at[number]
                log_weights = np.full(particles, -np.log(particles) - (0.0 if is_chain else 1.0))
                yield Sweep(chain, number, log_weights, {"x": rng.normal(size=particles)})


@dataclass(frozen=True)
class FakeCompiled:
    text: str


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    """Puts the fake model behind `pplc.model.load` and a fake compiler behind `pplc.pipeline`."""
    model = FakeModel()
    module: Any = ModuleType("pplc.model")
    module.load = lambda path, query=None: model
    monkeypatch.setitem(sys.modules, "pplc.model", module)

    def check(source: Source) -> list[Diagnostic]:
        found = []
        for severity in ("error", "warning"):
            at = source.text.find(severity)
            if at >= 0:
                found.append(Diagnostic(Span(at, at + len(severity)), f"a planted {severity}", severity))
        return found

    def compile_source(source: Source) -> FakeCompiled:
        errors = [d for d in check(source) if d.severity == "error"]
        if errors:
            raise CompileError(source, errors)
        return FakeCompiled(f"# compiled: {source.text!r} é\n")

    pipeline: Any = ModuleType("pplc.pipeline")
    pipeline.PASSES = ("read", "expand", "resolve")
    pipeline.check = check
    pipeline.compile_source = compile_source
    pipeline.dump_after = lambda source, name: f"after {name}: {source.text}"
    monkeypatch.setitem(sys.modules, "pplc.pipeline", pipeline)
    return model


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "model.clj"
    path.write_text("[predict x]\n")
    return path
