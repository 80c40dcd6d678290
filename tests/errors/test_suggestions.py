"""What an unknown name may have meant: by where it stands, by what it is like, and by what others call it."""

from __future__ import annotations

import re
from typing import Final

import pytest

from pplc.languages.foreign import ADVICE, LITERALS, NAMES, STATEMENT_NAMES
from pplc.languages.forms import SPECIAL, STATEMENTS
from pplc.passes.library import LIBRARY
from pplc.pipeline import check
from pplc.source import Source
from pplc_runtime.program.names import CONSTANTS, SIGNATURES

KNOWN: Final = {*SIGNATURES, *SPECIAL, *LIBRARY, *CONSTANTS, *LITERALS}


def meant(text: str) -> str:
    """The name that the first error asks for, or what else it says."""
    message = check(Source("m.clj", text))[0].message
    asked = re.fullmatch(r".*; did you mean '(.*)'\?", message)
    return asked[1] if asked else message.partition(": ")[2]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        # The kind that fits
        ("[predict (sample (gausian 0 1))]", "normal"),
        ("[predict (gausian 0 1)]", "normal"),
        ("[predict (sample (exponental 1))]", "exponential"),
        ("[predict (sample (expo 1))]", "exponential"),
        ("[assume normals 3]\n[predict (sample (norma 0 1))]", "normal"),
        ("[assume normals 3]\n[predict (+ 1 normall)]", "normals"),
        ("[assume counts 3]\n[predict (coun [1])]", "count"),
        ("[assume counts 3]\n[predict (+ 1 coun)]", "counts"),
        ("[assume rates 3]\n[observe (rats 1) 2]", "rates"),
        ("[predict (map incr [1])]", "inc"),
        # Names of other languages, and those misspelled
        ("[predict (len [1])]", "count"),
        ("[predict (length [1])]", "count"),
        ("[predict (lenght [1])]", "count"),
        ("[predict (size [1])]", "count"),
        ("[predict (head [1])]", "first"),
        ("[predict (tail [1])]", "rest"),
        ("[predict (push [1] 2)]", "conj"),
        ("[predict (** 2 3)]", "pow"),
        ("[predict (^ 2 3)]", "pow"),
        ("[predict (ln 2)]", "log"),
        ("[predict (progn 1 2)]", "do"),
        ("[predict (foldl + 0 [1])]", "reduce"),
        ("[predict (sample (bern 0.5))]", "bernoulli"),
        ("[predict (sample (MvNormal [0] [[1]]))]", "mvn"),
        ("[predict (sample (inv_gamma 1 1))]", "inverse-gamma"),
        ("[predict (sample (StudentT 1))]", "student-t"),
        ("[predict (sample (DiscreteUniform 0 3))]", "uniform-discrete"),
        ("[predict (sample (dist.Normal 0 1))]", "normal"),
        ("[predict (np.exp 1)]", "exp"),
        ("[predict (math.sqrt 1)]", "sqrt"),
        ("[predict True]", "true"),
        ("[predict None]", "nil"),
        ("[predict null]", "nil"),
        ("[setq x 3]", "assume"),
        # What has no counterpart says so
        ("[predict (printf 1)]", "print"),
        ("[predict (printl 1)]", "print"),
        ("[predict (rnorm 0 1)]", "a draw is (sample (normal mean sd))"),
        ("[predict (uniformDraw [1 2])]", "write (nth xs (sample (uniform-discrete 0 (count xs))))"),
        ("[predict (sample (half_normal 1))]", "half-normal"),
        ("[weight -3]", "factor"),
        # The program's own names come first
        ("[assume weights 3]\n[predict weight]", "weights"),
        ("[assume lengths 3]\n[predict length]", "lengths"),
        ("[predict (let [score 1] scores)]", "score"),
        ("[predict zz]", ""),
    ],
)  # fmt: skip
def test_what_is_meant(text: str, name: str) -> None:
    assert meant(text) == name


def test_only_names_that_exist_are_suggested() -> None:
    assert set(NAMES.values()) <= KNOWN
    assert set(STATEMENT_NAMES.values()) <= set(STATEMENTS)


def test_no_name_of_the_language_is_taken_for_another() -> None:
    assert not KNOWN & {*NAMES, *ADVICE} - {"else"}
    assert not {*STATEMENTS} & {*STATEMENT_NAMES}
    assert not NAMES.keys() & ADVICE.keys()


def test_every_name_elsewhere_is_found_by_its_own_spelling() -> None:
    for other, name in NAMES.items():
        assert meant(f"[predict ({other} 1)]") == name
    for other, text in ADVICE.items():
        assert meant(f"[predict ({other} 1)]") == text


@pytest.mark.parametrize("text", ADVICE.values())
def test_what_is_advised_can_be_written(text: str) -> None:
    """The expressions in an advice use names of the language only, but for what they leave open."""
    names = re.findall(r"\(([^\s()]+)", text)
    assert {*names} <= {*KNOWN, "if"}
