"""Particles that are kept and run again: densities of observes, observes drawn anew, chains that go on."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from tests.share import share

import pplc
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.results import Posterior, Sweep
from pplc_runtime.results.kept import Kept, systematic

PROGRAMS: Final = sorted(path.stem for path in (Path(__file__).parents[2] / "programs").glob("*.clj"))
MEAN: Final = """[input y [1.0 2.0 0.5]]
[assume mu (sample (normal 0 1))]
[for [v y] [observe (normal mu 1) v]]
[predict mu]
"""
SEEN: Final = np.array([1.0, 2.0, 0.5])
METHODS: Final = ("importance", "smc", "icsmc", "pgas")


def program(name: str) -> pplc.Model:
    return pplc.load(Path(__file__).parents[2] / "programs" / f"{name}.clj")


@pytest.mark.parametrize("name", share(PROGRAMS, 3))
def test_the_densities_of_the_observes_make_up_the_weight(name: str) -> None:
    """An importance weight is the product of the densities, in every program, whatever its particles do."""
    posterior = program(name).infer("importance", particles=30, sweeps=2, seed=1)
    found = {}
    for sweep in posterior.sweeps:
        if sweep.kept is not None:
            assert posterior.run is not None
            densities = posterior.run.observes([sweep.kept]).log_likelihood.sum(axis=1)
            assert densities == pytest.approx(
                sweep.log_weights[sweep.kept.particles] + math.log(30), rel=1e-9, abs=1e-9
            )
            found[sweep.number] = densities
    assert found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(PROGRAMS, 4))
def test_particles_of_every_method_can_be_run_again(name: str, method: str) -> None:
    """A draw that a particle did not keep would be an error; all together give what each gives alone."""
    posterior = program(name).infer(method, particles=8, sweeps=3, seed=2)
    kept = [sweep.kept for sweep in posterior.sweeps if sweep.kept is not None]
    assert len(kept) == 3 and posterior.run is not None
    together = posterior.run.observes(kept)
    apart = [posterior.run.observes([own]).log_likelihood.sum(axis=1) for own in kept]
    assert together.log_likelihood.sum(axis=1) == pytest.approx(np.concatenate(apart), rel=1e-9, abs=1e-9)
    assert np.isfinite(together.log_likelihood).all()


@pytest.mark.parametrize("sweeps", [5, 30])  # by lanes, and by scripts
@pytest.mark.parametrize("method", METHODS)
def test_densities_are_those_of_the_draws(method: str, sweeps: int) -> None:
    posterior = pplc.compile_text(MEAN).infer(method, particles=7, sweeps=sweeps, seed=1)
    mu = posterior["mu"]
    assert mu.shape == ((1, sweeps) if posterior.is_chain else (1, 7 * sweeps))
    exact = -0.5 * (SEEN - mu[..., None]) ** 2 - 0.5 * math.log(2 * math.pi)
    assert posterior.log_likelihood() == pytest.approx(exact, abs=1e-12)
    observes = posterior.observes()
    assert observes.lines == (3, 3, 3) and observes.values == (1.0, 2.0, 0.5)


def test_draws_of_chains_are_what_is_retained() -> None:
    """Of two particles in two chains: the draw is one of the two, chosen by weight, not always the heavier."""
    posterior = pplc.compile_text(MEAN).infer("pgas", particles=2, sweeps=400, chains=2, seed=3)
    mu = posterior["mu"]
    assert mu.shape == (2, 400)
    weights = []
    for sweep, drawn in zip(posterior.sweeps, mu.ravel()):
        assert sweep.kept is not None
        place = sweep.kept.particles[0]
        assert sweep.predicts["mu"][place] == drawn
        weights.append(np.exp(sweep.log_weights[place]))
    # The chosen weight has expectation E[sum of squares]; four standard errors.
    squares = [float(np.sum(np.exp(2 * sweep.log_weights))) for sweep in posterior.sweeps]
    difference = np.array(weights) - squares
    assert abs(difference.mean()) < 4 * difference.std() / math.sqrt(difference.size)
    assert np.mean(weights) < 0.999


def test_equal_draws_of_independent_sweeps_count_by_evidence() -> None:
    """The second sweep has three times the evidence of the first; in it the weights are one to two."""
    many = [
        Sweep(0, n, np.log(np.repeat(w, 50) / 50), {"x": np.repeat(x, 50)})
        for n, (w, x) in enumerate((([1.0, 1.0], [0.0, 1.0]), ([2.0, 4.0], [2.0, 3.0])))
    ]
    values, found = np.unique(Posterior("smc", 1, 100, 1, many, False)["x"], return_counts=True)
    assert values.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert found / found.sum() == pytest.approx([1 / 8, 1 / 8, 2 / 8, 4 / 8], abs=0.03)


def test_the_comb_is_without_bias() -> None:
    """Each place is expected as often as its weight says, over the positions of the comb; four standard errors."""
    weights = np.array([0.1, 0.0, 0.55, 0.35])
    taken = np.array([np.bincount(systematic(weights, 3, key), minlength=4) for key in range(2000)])
    error = np.sqrt(taken.var(axis=0) / len(taken))
    assert (abs(taken.mean(axis=0) - 3 * weights) <= 4 * error + 1e-12).all()
    assert (abs(taken - 3 * weights) < 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_observes_drawn_anew_have_the_predictive_law(method: str) -> None:
    """mu given y is normal of mean 3.5/4 and variance 1/4; the predictive adds 1. Four standard errors, thinned."""
    posterior = pplc.compile_text(MEAN).infer(method, particles=20, sweeps=400, seed=4)
    drawn = posterior.predictive(seed=5)["observe"]
    assert drawn.shape == (*posterior["mu"].shape, 3)
    assert np.array_equal(drawn, posterior.predictive(seed=5)["observe"])
    noise = drawn - posterior["mu"][..., None]
    size = noise.size
    assert abs(noise.mean()) < 4 / math.sqrt(size) and abs(noise.var() - 1) < 4 * math.sqrt(2 / size)
    effective = max(50.0, min(posterior.effective_draws("mu"), size / 3))
    assert abs(drawn.mean() - 3.5 / 4) < 4 * math.sqrt(1.25 / effective)


def test_a_process_is_drawn_from_after_all_it_has_taken_in() -> None:
    """Three heads in four tosses under beta(1, 1): the next are heads with probability 4/6, any two both 4/6 * 5/7."""
    text = "[assume coin (beta-flip 1 1)]\n[for [v [true true false true]] [observe coin v]]\n[predict 1]"
    posterior = pplc.compile_text(text).infer("importance", particles=100, sweeps=60, seed=1)
    drawn = posterior.predictive(seed=2)["observe"][0]
    assert drawn.dtype == np.bool_ and drawn.shape == (6000, 4)
    error = 4 * math.sqrt(0.25 / 6000)
    assert drawn.mean(axis=0) == pytest.approx([4 / 6] * 4, abs=error)
    both = (drawn[:, 0] & drawn[:, 1]).mean(), (drawn[:, 0] & drawn[:, 3]).mean()
    assert both == pytest.approx([4 / 6 * 5 / 7] * 2, abs=error)


def test_a_function_without_noise_is_drawn_as_it_was_seen() -> None:
    text = """[assume f (gp (fn [x] 0) (fn [x y] (exp (* -0.5 (pow (- x y) 2)))))]
    [observe (f 0) 1.5] [observe (f 1) 0.5] [predict 1]"""
    posterior = pplc.compile_text(text).infer("importance", particles=4, sweeps=1, seed=1)
    assert posterior.predictive()["observe"][0] == pytest.approx(np.tile([1.5, 0.5], (4, 1)))


def test_observes_of_different_kinds_are_told_apart_by_line() -> None:
    text = """[assume mu (sample (normal 0 1))]
    [observe (normal mu 1) 0.3]
    [observe (flip 0.5) true]
    [observe (mvn [mu mu] [[1 0] [0 1]]) [0 1]]
    [predict mu]"""
    posterior = pplc.compile_text(text).infer("pgas", particles=4, sweeps=6, seed=1)
    drawn = posterior.predictive()
    shapes = {name: (array.shape, array.dtype.kind) for name, array in drawn.items()}
    assert shapes == {
        "observe, line 2": ((1, 6, 1), "f"),
        "observe, line 3": ((1, 6, 1), "b"),
        "observe, line 4": ((1, 6, 1, 2), "f"),
    }


def test_observes_that_not_every_particle_comes_to() -> None:
    text = """[assume k (sample (flip 0.5))]
    [assume z (if k (observe (normal 0 1) 1.0) 0)]
    [observe (normal 0 1) 0.5]
    [predict k]"""
    posterior = pplc.compile_text(text).infer("importance", particles=50, sweeps=1, seed=1)
    densities, k = posterior.log_likelihood()[0], posterior["k"][0]
    normal = [-0.5 * x * x - 0.5 * math.log(2 * math.pi) for x in (1.0, 0.5)]
    assert densities[:, 0] == pytest.approx(np.where(k, normal[0], 0.0)) and 0 < k.sum() < 50
    assert densities[:, 1] == pytest.approx(normal[1])
    drawn = posterior.predictive()
    assert [value is None for value in drawn["observe, line 2"][0, :, 0]] == (~k).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_a_run_goes_on(method: str) -> None:
    model = pplc.compile_text(MEAN + '[predict "fresh" (sample (normal 0 1))]')
    posterior = model.infer(method, particles=5, sweeps=4, seed=1)
    before = list(posterior.sweeps)
    mean = posterior.mean("mu")
    assert posterior.extend(sweeps=30) is posterior
    assert posterior.sweeps[:4] == before and [sweep.number for sweep in posterior.sweeps] == list(range(34))
    assert posterior.mean("mu") != mean and posterior["mu"].shape[1] == (34 if posterior.is_chain else 170)
    again = model.infer(method, particles=5, sweeps=4, seed=1).extend(30)
    assert np.array_equal(again["mu"], posterior["mu"])
    fresh = np.concatenate([np.asarray(sweep.predicts["fresh"]) for sweep in posterior.sweeps])
    assert len(np.unique(fresh)) == 170  # no stream of random numbers is used twice
    with pytest.raises(TypeError, match="whole number"):
        posterior.extend("10")  # type: ignore[arg-type] # which is what it says


@pytest.mark.parametrize("chains", [1, 3])
def test_a_chain_goes_on_from_what_it_retained(chains: int, monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = pplc.compile_text(MEAN).infer("pgas", particles=3, sweeps=12, chains=chains, seed=1)
    last = posterior["mu"][:, -1]
    states: list[Any] = []
    step = Pgas.step

    def spied(self: Any, engine: Any, state: Any, *rest: Any) -> Any:
        states.append([list(own.values()) for own in state.held])
        return step(self, engine, state, *rest)

    monkeypatch.setattr(Pgas, "step", spied)
    posterior.extend(2)
    assert states[0] == [[value] for value in last.tolist()]
    assert len(posterior) == 14 * chains


def test_in_processes_and_pickled() -> None:
    model = pplc.compile_text(MEAN)
    one, two = (model.infer("smc", particles=6, sweeps=3, chains=2, cores=cores, seed=1) for cores in (1, 2))
    assert np.array_equal(one.log_likelihood(), two.log_likelihood())
    back = pickle.loads(pickle.dumps(two))
    assert str(back) == str(two) and np.array_equal(back.log_likelihood(), two.log_likelihood())
    assert len(back.extend(2)) == 10
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.infer("smc", particles=6, sweeps=3, chains=2, seed=1)["mu"], one["mu"])


def test_a_pickled_model_has_its_files_and_its_query(tmp_path: Path) -> None:
    (tmp_path / "part.clj").write_text("(defn half [x] (/ x 2))")
    (tmp_path / "m.clj").write_text('[include "part.clj"]\n[predict (half 3)]')
    pickled = pickle.dumps(pplc.load(tmp_path / "m.clj"))
    (tmp_path / "part.clj").unlink()
    assert pickle.loads(pickled).infer("prior", particles=1).mean("(half 3)") == 1.5
    (tmp_path / "q.clj").write_text("(defquery a [] 1)\n(defquery b [] 2)")
    assert pickle.loads(pickle.dumps(pplc.load(tmp_path / "q.clj", "b"))).infer("prior", particles=1).labels == ("b",)


def test_memo_entries_by_all_kinds_of_keys_are_kept() -> None:
    """Symbols, strings, vectors, other memos as keys; a procedure means nothing in another process."""
    text = """[assume f (mem (fn [k] (sample (normal 0 1))))]
    [assume g (mem (fn [h x] (+ (h x) (sample (normal 0 1)))))]
    [observe (normal (+ (f "a") (f 'b) (f :c) (f [1 2]) (g f 1)) 1) 0.5]
    [predict (f "a")]"""
    posterior = pplc.compile_text(text).infer("pgas", particles=4, sweeps=6, seed=1)
    back = pickle.loads(pickle.dumps(posterior))
    assert np.array_equal(back.log_likelihood(), posterior.log_likelihood())
    by_procedure = text.replace("(g f 1)", "((mem (fn [p] (sample (normal (p 1) 1)))) (fn [x] x))")
    posterior = pplc.compile_text(by_procedure).infer("pgas", particles=4, sweeps=6, seed=1)
    assert posterior.log_likelihood().shape == (1, 6, 1)
    with pytest.raises(ValueError, match="not kept"):
        pickle.loads(pickle.dumps(posterior)).log_likelihood()


def test_what_cannot_be_run_again_says_so() -> None:
    reference = pplc.compile_text(MEAN).infer("smc", particles=4, sweeps=2, seed=1, engine="reference")
    assert reference["mu"].shape == (1, 8)
    with pytest.raises(ValueError, match="engine lanes"):
        reference.log_likelihood()
    with pytest.raises(ValueError, match="engine lanes"):
        reference.extend(1)
    large = pplc.compile_text(MEAN).infer("importance", particles=10_001, sweeps=1, seed=1)
    assert large.sweeps[0].kept is None
    with pytest.raises(ValueError, match="at most 10000 particles"):
        large.predictive()
    alone = Posterior("smc", 1, 2, 1, [Sweep(0, 0, np.zeros(2), {}, None, {}, Kept(np.array([0]), ()))], False)
    with pytest.raises(ValueError, match="from a file"):
        alone.log_likelihood()


def test_an_interrupt_keeps_what_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pplc.compile_text(MEAN)
    step = Pgas.step

    def interrupted(self: Any, engine: Any, state: Any, settings: Any, number: int, rng: Any) -> Any:
        if number == settings.sweeps // 2:
            raise KeyboardInterrupt
        return step(self, engine, state, settings, number, rng)

    def late(self: Any, engine: Any, state: Any, settings: Any, number: int, rng: Any) -> Any:
        if number == 15:
            raise KeyboardInterrupt
        return step(self, engine, state, settings, number, rng)

    with monkeypatch.context() as patched:
        patched.setattr(Pgas, "step", interrupted)
        posterior = model.infer("pgas", particles=3, sweeps=12, seed=1)
        assert posterior.interrupted and len(posterior) == 6
    whole = model.infer("pgas", particles=3, sweeps=12, seed=1)
    assert not whole.interrupted and np.array_equal(whole["mu"][:, :6], posterior["mu"])
    assert "mu" in posterior and "mi" not in posterior and list(posterior) == ["mu"]
    with pytest.raises(KeyError, match="no predict 'nothing'; there are mu"):
        posterior["nothing"]
    with pytest.raises(TypeError, match=r"^sweeps: must be a whole number, not '6'; write 6$"):
        posterior.extend("6")  # type: ignore[arg-type] # which is told
    assert len(posterior.extend(6)) == 12 and not posterior.interrupted
    with monkeypatch.context() as patched:
        patched.setattr(Pgas, "step", late)
        assert len(posterior.extend(10)) == 15 and posterior.interrupted

    def at_once(self: Any, *rest: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Pgas, "step", at_once)
    with pytest.raises(KeyboardInterrupt):
        model.infer("pgas", particles=3, sweeps=12, seed=1)
