"""The words that start a special form or a statement are listed once for the names, once with what they do."""

from __future__ import annotations

from pplc.languages.forms import SPECIAL, STATEMENTS
from pplc.passes.special_forms import SPECIAL_FORMS


def test_the_lists_agree() -> None:
    assert set(SPECIAL_FORMS) == {*SPECIAL, *STATEMENTS}
