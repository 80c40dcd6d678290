"""The table of primitives and the names that generated code uses for them."""

from __future__ import annotations

import pytest

from pplc_runtime.primitives import FAST, GENERAL, PRIMITIVES, arithmetic, comparison


@pytest.mark.parametrize("name", sorted(FAST))
def test_two_arguments_have_a_way_of_their_own(name: str) -> None:
    fast = getattr(arithmetic, FAST[name], None) or getattr(comparison, FAST[name])
    general = getattr(arithmetic, GENERAL[name], None) or getattr(comparison, GENERAL[name])
    assert PRIMITIVES[name].function is general
    for x, y in ((1, 2), (2.5, 2), (-1, 4.0)):
        assert fast(x, y) == general(x, y)


def test_names_and_arities() -> None:
    for name, primitive in PRIMITIVES.items():
        assert primitive.name == name
        assert primitive.least >= 0
        assert primitive.most is None or primitive.most >= primitive.least
        assert not (primitive.folds and primitive.most is not None)
