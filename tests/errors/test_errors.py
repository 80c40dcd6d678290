"""Every mistake has a message that says what is wrong and points at it, when compiling and when running."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pplc
from pplc.cli import main
from pplc.diagnostics import CompileError
from pplc.pipeline import check
from pplc.source import Source
from pplc_runtime.command.failures import FAILED, OK
from pplc_runtime.values import ModelError

from .failing_programs import FAILING
from .wrong_programs import REJECTED


def described(error: Exception) -> tuple[str, int, str]:
    """The place, the number of carets, and the message of an error."""
    head, _, carets, *_ = str(error).split("\n")
    found = re.fullmatch(r"m\.clj:(\d+:\d+): error: (.*)", head)
    assert found is not None, head
    return found[1], carets.count("^"), found[2]


@pytest.mark.parametrize(("text", "place", "width", "message"), REJECTED, ids=[r[0] for r in REJECTED])
def test_rejected(text: str, place: str, width: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        pplc.compile_text(text, "m.clj")
    assert described(caught.value) == (place, width, message)


@pytest.mark.parametrize(("text", "place", "width", "message"), FAILING, ids=[f[0] for f in FAILING])
def test_failing(text: str, place: str, width: int, message: str) -> None:
    model = pplc.compile_text(text, "m.clj")
    with pytest.raises(ModelError) as caught:
        model.infer("importance", particles=2, sweeps=1, seed=1, max_depth=2000)
    assert described(caught.value) == (place, width, message)


def test_all_errors_are_reported_at_once() -> None:
    text = """[assume x (normal 0)]
[assume y (+ x zz)]
[predict (foo y)]
[assume q 2]
[predict (let [f (fn [a] a)] (f 1 2))]
"""
    found = check(Source("m.clj", text))
    assert [(Source("m.clj", text).place(d.span.start), d.message) for d in found] == [
        ((1, 11), "'normal' takes 2 arguments, but 1 is given: (normal mean sd)"),
        ((2, 16), "unknown name 'zz'"),
        ((3, 11), "unknown name 'foo'; did you mean 'floor'?"),
        ((5, 30), "'f' takes 1 argument, but 2 are given: (f a)"),
    ]


def test_errors_of_form_are_reported_at_once() -> None:
    found = check(Source("m.clj", "[assume x]\n[predict (if)]\n[predict (let [a] (fn [1] a))]\n(foo)"))
    assert [d.message for d in found] == [
        "expected [assume name expression]",
        "expected (if test then else)",
        "this name has no expression to be bound to",
        "'foo' does not start a statement; use assume, observe or predict",
    ]


DROPPED = "this value is computed and dropped: only the last form of a body gives its value, and a predict reports one"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[predict (let [x 1] 2)]", (1, 16), "'x' is never used"),
        ("[predict (let [[y x] [1 2]] y)]", (1, 19), "'x' is never used"),
        ("[predict (let [f (fn [x] x)\n g 2] (f 1))]", (2, 2), "'g' is never used"),
        ("[assume exp 1]\n[predict exp]", (1, 9), "'exp' takes the place of the primitive of that name"),
        ("[assume x 1]\n[predict x]\n[assume x 2]", (3, 9),
         "'x' is assumed in line 1 already; from here on it is another variable"),
        ("(+ 1 2) [predict 1]", (1, 1), DROPPED),
        ("[predict (let [pi 3] pi)]", (1, 16), "'pi' takes the place of the primitive of that name"),
        ("[predict (fn [list] list)]", (1, 15), "'list' takes the place of the primitive of that name"),
        ("[for [[list b] [[1 2]]]\n  [predict list]\n  [predict (list b)]]", (1, 8),
         "'list' takes the place of the primitive of that name"),
        ("[predict (fn [[a exp]] [a exp])]", (1, 18), "'exp' takes the place of the primitive of that name"),
        ("[predict (fn [x] [x 1] x)]", (1, 18), DROPPED),
        ('[defn f [x]\n  "what it is for"\n  x]\n[predict (f 1)]', (2, 3), DROPPED),
        ("[predict (do (let [a 1] (+ a 1)) 2)]", (1, 14), DROPPED),
        ("[defn f [x] (+ x 1)]\n[predict (when true (map f [1 2]) 2)]", (2, 21), DROPPED),
        ("[assume x (sample (normal 0 1))]\n[defn f [] (g)]\n[defn g [] x]\n[predict (do (f) 1)]", (4, 14), DROPPED),
        ("[assume z (fn [i] (sample (flip 0.5)))]\n[observe (flip (if (z 0) 0.9 0.1)) true]\n[predict (z 0)]", (1, 11),
         "each call of 'z' draws anew, whatever its arguments; (mem (fn ...)) would remember a value for each"),
        ("[observe (normal 0 1) 2]", (1, 1),
         "no random value reaches this observe, so that it changes no posterior"),
        ("[assume m 1]\n[for [t [1 2]]\n  [observe (normal m 1) t]]", (3, 3),
         "no random value reaches this observe, so that it changes no posterior"),
    ],
)  # fmt: skip
def test_warnings(text: str, place: tuple[int, int], message: str) -> None:
    source = Source("m.clj", text)
    found = [(tuple(source.place(d.span.start)), d.message) for d in check(source)]
    assert found == [(place, message)]


@pytest.mark.parametrize(
    "text",
    [
        "[predict (let [_ 1 _x 2] 3)]",
        "[predict (let [_ [1 2]] 3)]",
        "[predict (do (sample (normal 0 1)) [observe (flip 0.5) true] 3)]",
        "[defn f [] (g)]\n[defn g [] (sample (normal 0 1))]\n[predict (do (f) (map f [1]) 1)]",
        "[assume f (mem (fn [i] (sample (normal i 1))))]\n[predict (do (f 1) 1)]",
        "[predict (fn [f] (f 1) 2)]",
        "[for [[a b] [[1 2]]] [predict (let [a 3] (+ a b))]]",
        "[predict (loop [[a b] [1 2] c a] (+ b c))]",
        "[predict (fn [x] 1)]",
        "[assume x (sample (normal 0 1))]\n[observe (normal x 1) 2]",
        "[assume c (crp 1.0)]\n[assume f (fn [] (sample c))]\n[observe (normal (f) 1) 2]",
        "[assume f (mem (fn [i] (sample (normal i 1))))]\n[for [t [1 2]] [observe (normal (f t) 1) t]]",
        "[predict (case 3 1 2 (3 4) 5 6)]\n[predict (or nil (and 1 2))]",
        "[predict (loop [i 0] (if (< i 2) (recur (inc i)) i))]",
        "[assume toss (fn [i] (sample (flip 0.5)))]\n[predict (map toss (range 3))]",
        "[assume toss (fn [_] (sample (flip 0.5)))]\n[predict (toss 1)]\n[predict (toss 2)]",
        "[assume step (fn [x] (sample (normal x 1)))]\n[predict (step 1)]\n[predict (step 2)]",
    ],
)
def test_no_warnings(text: str) -> None:
    assert check(Source("m.clj", text)) == []


def test_check_shows_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong, right = tmp_path / "wrong.clj", tmp_path / "right.clj"
    wrong.write_text("[predict (nomral 0 1)]\n[predict (abs)]\n")
    right.write_text("[predict (let [x 1] 2)]\n")
    assert main(["check", str(right)]) == OK
    assert "warning: 'x' is never used" in capsys.readouterr().err
    assert main(["check", str(wrong), str(right)]) == FAILED
    shown = capsys.readouterr().err
    assert f"{wrong}:1:11: error: unknown name 'nomral'; did you mean 'normal'?" in shown
    assert f"{wrong}:2:10: error: 'abs' takes 1 argument, but 0 are given" in shown
    assert shown.endswith("2 errors, 1 warning\n")


def test_a_line_of_another_language_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = tmp_path / "wrong.clj"
    wrong.write_text("mu = normal(0, 1)\nfor y in ys: [predict]\n    observe(normal(mu, 1), y)\n")
    assert main(["check", str(wrong)]) == FAILED
    shown = capsys.readouterr().err
    assert [line.split(": ")[0].split(":", 1)[1] for line in shown.splitlines() if ": error: " in line] == [
        "1:1", "2:1", "2:14", "3:5",
    ]  # fmt: skip


# Where an error at run time is shown


CHAIN = """[assume root (fn [x]
  (if (> x -1)
    (nth [x] 3)
    0))]
[assume twice (fn [x]
  (let [y (root x)] (+ y y)))]
[predict
  (+ 1 (twice 2))]
"""
SHOWN = """{0}:3:5: error: 'nth' of index 3 in a sequence of length 1; the first index is 0
  3 |     (nth [x] 3)
    |     ^^^^^^^^^^^
  called from {0}:6:11
  called from {0}:8:8"""


def test_the_chain_of_calls() -> None:
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(CHAIN, "m.clj").infer("importance", particles=2, sweeps=1, seed=1)
    assert str(caught.value) == SHOWN.format("m.clj")


def test_the_chain_in_processes() -> None:
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(CHAIN, "m.clj").infer("importance", particles=2, sweeps=1, seed=1, chains=2, cores=2)
    assert str(caught.value) == SHOWN.format("m.clj")


def test_the_chain_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "chain.clj"
    model.write_text(CHAIN)
    assert main(["infer", str(model), "--method", "importance", "--particles", "2", "--sweeps", "1"]) == FAILED
    assert capsys.readouterr().err.rstrip("\n") == SHOWN.format(model)


def test_the_chain_by_import_and_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "chain.clj").write_text(CHAIN)
    script = "import pplc, sys; pplc.install(); sys.path.insert(0, '.'); import chain; chain.PROGRAM.main()"
    assert main(["compile", str(tmp_path / "chain.clj"), "-o", str(tmp_path / "chain_model.py")]) == OK
    runs = {"chain.clj": ["-c", script], str(tmp_path / "chain.clj"): [str(tmp_path / "chain_model.py")]}
    for name, arguments in runs.items():
        ran = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 1
        assert ran.stderr.rstrip("\n") == SHOWN.format(name)


def test_calls_that_recur_are_counted() -> None:
    text = "[assume f (fn [n] (if (= n 0) (first 3) (+ 1 (f (- n 1)))))]\n[predict (f 20)]"
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(text, "m.clj").infer("importance", particles=2, sweeps=1, seed=1)
    assert str(caught.value).split("\n")[3:] == [
        "  called from m.clj:1:46, 20 times",
        "  called from m.clj:2:10",
    ]


def test_a_long_line_is_cut_around_the_form() -> None:
    text = "[predict (do " + "1 " * 200 + "(first 3) " + "2 " * 200 + ")]"
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(text, "m.clj").infer("importance", particles=1, sweeps=1, seed=1)
    _, line, carets = str(caught.value).split("\n")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "(first 3)"
    assert len(line) < 140


def test_of_two_models_that_have_one_name_the_right_text_is_shown() -> None:
    models = [pplc.compile_text(text) for text in ("[input x]\n[predict (first x)]", "; another\n[predict 2]")]
    with pytest.raises(ModelError, match=r"2 \| \[predict \(first x\)\]"):
        models[0].infer("prior", data={"x": 3})
