"""Composed methods: their text, what they move, and what is said of wrong ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import pplc
from pplc_runtime.composed import Target, method_in, offer_of, targets_of
from pplc_runtime.composition import MethodError, parsed
from pplc_runtime.composition import icsmc as icsmc_of

TEXTS = {
    "pgas(paths, 50) + lmh(omega q)": pplc.pgas("paths", particles=50) + pplc.lmh("omega", "q"),
    "lmh(globals)*10": pplc.lmh("globals") * 10,
    "pgas + lmh(rest)*5": pplc.pgas() + 5 * pplc.lmh("rest"),
    "(pgas + lmh)*2 + icsmc(7)": (pplc.pgas() + pplc.lmh()) * 2 + icsmc_of(particles=7),
    "lmh(a, 3)*2*3": pplc.lmh("a", proposals=3) * 2 * 3,
    "lmh(a-b? c+d e*f)": pplc.lmh("a-b? c+d e*f"),
    "pgas": pplc.pgas(),
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_from_text_and_from_python(text: str) -> None:
    assert parsed(text) == TEXTS[text]
    assert str(TEXTS[text]) == text
    assert parsed(f"  {text.replace('+', ' + ').replace('(', ' ( ')} ") == TEXTS[text] or "a-b" in text


def test_text_beside_values() -> None:
    assert pplc.pgas("paths") + "lmh(rest)*2 + lmh" == parsed("pgas(paths) + lmh(rest)*2 + lmh")


WRONG = {
    "pgas(paths": ("the bracket after 'pgas' is not closed", "^^^^"),
    "pgas +": ("a method is expected here", "      ^"),
    "pgas + + lmh": ("a method is expected here, not '+'", "       ^"),
    "pgas lmh": None,
    "(pgas + lmh": ("this bracket is not closed", "^"),
    "pgas) + lmh": ("')' is not expected here", "    ^"),
    "lmh*x": ("* is followed by how many times", "    ^"),
    "lmh*0": ("* is followed by how many times", "    ^"),
    "lmh*": ("* is followed by how many times", "    ^"),
    "pgas + lhm(a)": ("unknown method 'lhm'; did you mean 'lmh'?", "       ^^^"),
    "smc + lmh": ("smc is no chain", "^^^"),
    "importance(a)": ("importance is no chain", "^^^^^^^^^^"),
    "pgas(1 2)": ("'pgas' has one number", "       ^"),
    "pgas(0)": ("pgas has at least one particle, not 0", "^^^^"),
    "lmh(0)": ("lmh has at least one proposal, not 0", "^^^"),
    "lmh(rest)": ("'rest' is what other methods do not move, and there is no other", "    ^^^^"),
    "lmh + lmh(rest)": ("nothing is left for 'rest': lmh moves all", "          ^^^^"),
    "pgas(paths) + lmh(globals) + lmh(rest)": ("nothing is left for 'rest'", " " * 33 + "^^^^"),
    "pgas(a) + lmh(rest b)": ("'rest' stands alone", "              ^^^^"),
}


@pytest.mark.parametrize("text", [text for text, wrong in WRONG.items() if wrong])
def test_wrong_texts(text: str) -> None:
    message, caret = WRONG[text] or ("", "")
    with pytest.raises(MethodError, match=re.escape(message)) as error:
        method_in(text)
    lines = str(error.value).splitlines()
    assert lines[-2] == f"  {text}" and lines[-1].rstrip() == f"  {caret}"


def test_wrong_values() -> None:
    with pytest.raises(MethodError, match="repeated at least once"):
        pplc.lmh() * 0
    with pytest.raises(TypeError):
        pplc.lmh() * 1.5
    with pytest.raises(TypeError):
        pplc.lmh() + 3
    with pytest.raises(MethodError, match="there is no other"):
        method_in(pplc.lmh("rest"))
    with pytest.raises(ValueError, match="unknown method 'pgas lmh'"):
        method_in("pgas lmh")


def test_what_is_moved() -> None:
    def targets(text: str) -> list[Any]:
        return targets_of(parsed(text))

    assert targets("pgas + lmh(a b)") == [None, Target(frozenset("ab"))]
    assert targets("pgas(a) + lmh(b) + lmh(rest)*3")[-1] == Target(frozenset("ab"), inverted=True)
    assert targets("pgas + lmh(rest)") == [Target(frozenset({"paths"})), Target(frozenset({"paths"}), inverted=True)]


def test_as_it_is_offered() -> None:
    offer = offer_of(parsed("pgas(paths, 50) + lmh(rest)"))
    assert offer.name == "pgas(paths, 50) + lmh(rest)" and offer.is_chain
    assert (offer.particles, offer.sweeps, offer.draws_of(50)) == (50, 1000, 1)
    assert set(offer.own) == {"resampling", "ess_threshold", "burn_in", "strict", "proposals", "delayed"}
    assert offer_of(parsed("lmh + pgas")).draws_of(20) == 20
    assert offer_of(parsed("lmh + pgas(7)")).draws_of(20) == 7


MODEL = pplc.compile_text("""
    [assume q (sample (gamma 2 2))]
    [assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (dec t)) q)))))]
    [for [t (range 1 5)] [observe (normal (x t) 1.0) (sin t)]]
    [predict q]
    [predict (x 2)]""")


def test_runs() -> None:
    for method in ("pgas(paths, 5) + lmh(q)*2", "lmh(globals)*3 + pgas", pplc.pgas(particles=4) + pplc.lmh("rest")):
        posterior = MODEL.infer(method, sweeps=30, burn_in=2, seed=1)
        assert len(posterior) == 30 and posterior.method == str(method)
        assert len(set(posterior.values("q")[0])) > 5
        assert posterior.log_evidence is None and posterior.mixing() is None
    assert posterior.particles == 1
    assert "pgas(4) + lmh(rest): 30 sweeps, seed 1" in posterior.summary().text()
    parts = posterior.sweeps[0].diagnostics["parts"]
    assert len(parts[0]["renewed"]) == 4 and parts[1]["proposed"] == 1


def test_a_sweep_of_the_last_part_is_reported() -> None:
    assert MODEL.infer("lmh(q) + pgas(paths, 6)", sweeps=12, seed=1).sweeps[0].log_weights.shape == (6,)
    held = MODEL.infer("lmh(q) + pgas(paths, 6)", sweeps=12, seed=1).sweeps[3].predicts
    assert len(set(held["q"])) == 1 and len(set(held["(x 2)"])) > 1, "all particles have the same q"


def test_the_same_on_any_number_of_cores() -> None:
    one = MODEL.infer("pgas(paths, 5) + lmh(rest)", sweeps=5, chains=2, seed=3)
    two = MODEL.infer("pgas(paths, 5) + lmh(rest)", sweeps=5, chains=2, cores=2, seed=3)
    assert list(one.values("q")[0]) == list(two.values("q")[0])


def test_unknown_targets() -> None:
    with pytest.raises(MethodError, match="the program does not assume 'qq'; did you mean 'q'") as error:
        MODEL.infer("pgas + lmh(qq)")
    assert str(error.value).splitlines()[-1] == "             ^^"
    with pytest.raises(ValueError, match=r"genealogy: pgas \+ lmh has none"):
        MODEL.infer("pgas + lmh", genealogy=1)
    with pytest.raises(ValueError, match=r"the reference engine has no pgas \+ rw"):
        MODEL.infer("pgas + rw", engine="reference")


def test_what_no_part_moves() -> None:
    with pytest.raises(Exception, match=r"the method lmh\(q\) does not move what 'x' draws; add a part for it"):
        MODEL.infer("lmh(q)", sweeps=2)
    with pytest.raises(Exception, match="what observes or predicts draw"):
        pplc.compile_text("[assume a (sample (flip 0.5))] [observe (normal (sample (normal 0 1)) 1) 1]").infer("lmh(a)")


def test_a_note_where_held_choices_would_be_others() -> None:
    """With the parameters of all classes held, no class can appear or disappear."""
    model = pplc.compile_text("""
        [assume seats (crp 1.0)]
        [assume class (mem (lambda (i) (sample seats)))]
        [assume mu (mem (lambda (k) (sample (normal 0 3))))]
        [for [i (range 0 5)] [observe (normal (mu (class i)) 1.0) (* 2 i)]]
        [predict (class 4)]""")
    wrong = model.infer("pgas(paths, 5) + lmh(mu)", sweeps=30, seed=1)
    assert "add a part that moves all: 'pgas(paths, 5) + lmh(mu) + lmh'" in wrong.summary().text()
    right = model.infer("pgas(paths, 5) + lmh(mu) + lmh", sweeps=30, seed=1)
    assert "moves all" not in right.summary().text()


UNTYPED: Any = pplc
WRONG_FROM_PYTHON: list[tuple[Callable[[], object], str]] = [
    (lambda: UNTYPED.pgas(50), "the targets of pgas are names, not 50; the number of particles is given by its name"),
    (
        lambda: UNTYPED.pgas("50"),
        "the targets of pgas are names, not '50'; the number of particles is given by its name",
    ),
    (lambda: UNTYPED.rw(["x"]), "the targets of rw are names, not ['x']"),
    (lambda: UNTYPED.pgas(particles=1e3), "particles of pgas must be a whole number, not 1000.0; write 1000"),
    (lambda: UNTYPED.smc("10"), "the number of particles of smc must be a whole number, not '10'; write 10"),
    (lambda: UNTYPED.lmh("x", proposals=2.5), "the number of proposals of lmh must be a whole number, not 2.5"),
]


@pytest.mark.parametrize(("make", "message"), WRONG_FROM_PYTHON)
def test_what_is_no_target_and_no_number_is_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        make()
