"""The genealogy of a sweep: it is that of the path retained, it is kept only when asked for, and it is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pplc
from pplc_runtime.results import Genealogy, Posterior
from pplc_runtime.results.genealogy_plot import draw, heights_of

STEPS, PARTICLES = 15, 4
WALK = f"""
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (- t 1)) 1.0)))))]
[for [t (range 1 {STEPS + 1})]
  [observe (normal (x t) 0.7) (* 0.3 t)]
  [predict (x t)]]
"""
MODEL = pplc.compile_text(WALK)
CONDITIONAL = pytest.mark.parametrize("method", ["icsmc", "pgas"])
TREE = Genealogy(np.array([[0, 0, 2, 2], [0, 3, 3, 3]]), 2)
"""Three generations of four particles; the final ones continue particles 0 and 2 of the first."""


def infer(method: str, **options: Any) -> Posterior:
    settings: dict[str, Any] = {"particles": PARTICLES, "sweeps": 6, "seed": 1, "genealogy": 6, **options}
    return MODEL.infer(method, **settings)


def states(posterior: Posterior, sweep: int) -> NDArray[np.float64]:
    """By step and final particle: the state. Each is drawn in the generation of its own observe."""
    predicts = posterior.sweeps[sweep].predicts
    return np.array([predicts[label] for label in posterior.labels], np.float64)


def test_lines() -> None:
    assert TREE.generations == 3 and TREE.particles == 4
    assert TREE.line(2).tolist() == [2, 3, 2] and TREE.line(0).tolist() == [0, 0, 0]
    assert TREE.living().astype(int).tolist() == [[1, 0, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1]]
    assert TREE.renewed().tolist() == [True, True, True]
    said = "the final particles have 2 ancestors in generation 1; 3 of 3 generations of the retained path are renewed"
    assert TREE.sentence() == said
    met = Genealogy(np.array([[0, 0, 2, 2], [3, 2, 3, 3]]))
    assert met.sentence() == "the final particles have one common ancestor up to generation 1"
    with pytest.raises(ValueError, match="retains no particle"):
        met.renewed()


@CONDITIONAL
def test_the_path_retained_is_the_one_followed_in_the_next_sweep(method: str) -> None:
    posterior = infer(method)
    trees = posterior.genealogies()
    assert list(trees) == [(0, sweep) for sweep in range(6)]
    for sweep in range(5):
        tree, after = trees[0, sweep], trees[0, sweep + 1]
        assert tree.chosen is not None
        kept, new = states(posterior, sweep)[:, tree.chosen], states(posterior, sweep + 1)
        for particle in range(PARTICLES):
            # A final particle has the values retained before just where its line passes through particle 0.
            assert ((new[:, particle] == kept) == (after.line(particle) == 0)).all()


@pytest.mark.parametrize("method", ["smc", "icsmc", "pgas"])
def test_particles_share_a_state_where_they_share_an_ancestor(method: str) -> None:
    posterior = infer(method, sweeps=1)
    (tree,) = posterior.genealogies().values()
    values = states(posterior, 0)
    for n, row in enumerate(np.stack([tree.line(particle) for particle in range(PARTICLES)], axis=1)):
        assert ((values[n][:, None] == values[n]) == (row[:, None] == row)).all()


@CONDITIONAL
def test_it_agrees_with_mixing(method: str) -> None:
    posterior = infer(method, genealogy=6)
    mixing = posterior.mixing()
    assert mixing is not None
    trees = list(posterior.genealogies().values())
    assert np.mean([tree.renewed() for tree in trees], axis=0) == pytest.approx(mixing.renewed)
    assert trees[0].living().sum(axis=1) == pytest.approx(mixing.ancestors)
    if method == "icsmc":
        assert all((tree.ancestors[:, 0] == 0).all() for tree in trees)
    else:
        assert np.mean([tree.ancestors[:, 0] != 0 for tree in trees]) == pytest.approx(mixing.moved)


@pytest.mark.parametrize("method", ["smc", "icsmc", "pgas"])
def test_only_what_is_asked_for_is_kept(method: str) -> None:
    plain = infer(method, genealogy=0)
    assert plain.genealogies() == {}
    two = infer(method, chains=2, genealogy=2)
    assert list(two.genealogies()) == [(0, 4), (0, 5), (1, 4), (1, 5)]
    processes = infer(method, chains=2, cores=2, genealogy=2).genealogies()
    assert all(np.array_equal(tree.ancestors, processes[key].ancestors) for key, tree in two.genealogies().items())
    last = infer(method, genealogy=1)
    assert np.array_equal(states(last, 5), states(plain, 5)), "keeping it changes no draw"


def test_without_one_there_is_nothing_to_draw(tmp_path: Path) -> None:
    for posterior in (infer("pgas", genealogy=0), infer("importance", genealogy=0)):
        with pytest.raises(ValueError, match=r"no genealogy was kept: .* genealogy=1"):
            posterior.plot_genealogy(tmp_path / "g.png")


def test_lines_do_not_cross_but_for_the_retained_run() -> None:
    for method in ("smc", "icsmc", "pgas"):
        (tree,) = infer(method, particles=7, sweeps=1).genealogies().values()
        heights = heights_of(tree)
        assert (np.sort(heights, axis=1) == np.arange(7)).all()
        first = 0 if method == "smc" else 1
        if first:
            assert (heights[:, 0] == 0).all()
        for n, row in enumerate(tree.ancestors):
            order = np.argsort(heights[n + 1][first:])
            assert (np.diff(heights[n][row[first:]][order]) >= 0).all()


@pytest.mark.parametrize(
    ("method", "ending"), [("smc", "svg"), ("icsmc", "pdf"), ("icsmc", "svg"), ("pgas", "png"), ("pgas", "svg")]
)
def test_a_file_is_written(tmp_path: Path, method: str, ending: str) -> None:
    pytest.importorskip("matplotlib")
    posterior = infer(method, chains=2, sweeps=2)
    for name in ("one", "two"):
        posterior.plot_genealogy(tmp_path / f"{name}.{ending}")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])
    if ending == "svg":
        assert content == (tmp_path / "two.svg").read_bytes()
        text = content.decode()
        assert f"{method}, chain 1, sweep 1: the final particles have" in text
        assert ("retained before" in text) == (method != "smc")


@pytest.mark.parametrize("shape", [(0, 3), (0, 1), (5, 1), (3, 200)])
def test_odd_sizes_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int]) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("pplc_runtime.results.genealogy_plot.MOST_LINKS", 500)
    tree = Genealogy(np.zeros(shape, np.intp), 0)
    draw([("a $x^2", tree)] * 7, tmp_path / "g.svg")
    text = (tmp_path / "g.svg").read_text()
    assert "(1 more sweeps are not drawn)" in text and ("ended" in text) == (shape != (3, 200))


def test_a_program_of_one_observe() -> None:
    model = pplc.compile_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 1.0] [predict x]")
    (tree,) = model.infer("pgas", particles=3, sweeps=2, seed=1, genealogy=1).genealogies().values()
    assert tree.generations == 1 and tree.particles == 3 and tree.living().tolist() == [[True] * 3]
