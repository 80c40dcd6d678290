"""Facts about primitives that a trace goes by: which look at values, and which only pass them on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pplc_runtime.primitives import arithmetic, higher, indexing, maps, predicates, sequences
from pplc_runtime.program.constructors import CONSTRUCTORS as BY_NAME

OF_ELEMENTS: Final = frozenset({
    sequences.list_of, arithmetic.vector, sequences.cons, sequences.conj, sequences.concat, sequences.count,
    higher.identity, higher.constantly, higher.partial, higher.compose, higher.complement,
})  # fmt: skip
"""What puts values together without looking at them."""
OF_SEQUENCES: Final = frozenset({
    sequences.first, sequences.second, sequences.third, sequences.last, sequences.rest, sequences.next_of,
    sequences.butlast, sequences.peek, sequences.pop, sequences.reverse, sequences.as_vector, sequences.as_sequence,
    predicates.is_empty_p, indexing.nth, maps.get,
})  # fmt: skip
"""What takes values out of their first argument, whatever they are, by further ones that are not over lanes."""
CONSTRUCTORS: Final = frozenset(BY_NAME.values())
"""What makes distributions."""
OF_MAPS: Final[dict[Any, slice]] = {
    maps.hash_map: slice(0, None, 2), maps.zipmap: slice(0, 1), maps.assoc: slice(1, None, 2),
    maps.assoc_in: slice(1, 2), maps.dissoc: slice(1, None), maps.contains: slice(1, None), maps.get_in: slice(1, 2),
    maps.keys_of: slice(0), maps.values_of: slice(0), maps.merge: slice(0),
}  # fmt: skip
"""What puts values into maps and takes them out, and which arguments are keys, by which it goes."""
UPDATES: Final[dict[Any, tuple[Any, Any]]] = {
    higher.update: (maps.get, maps.assoc), higher.update_in: (maps.get_in, maps.assoc_in),
}  # fmt: skip
"""What calls a procedure with what is taken out, and puts in what it gives."""
CALLING: Final = frozenset({
    higher.map_over, higher.map_indexed, higher.reduce, higher.reductions, higher.repeatedly, higher.apply,
})  # fmt: skip
"""What calls procedures, as often as it is told by what is not over lanes."""
LOOKING: Final = frozenset({
    higher.keep_if, higher.remove_if, higher.sort_by, higher.some, higher.every, higher.take_while, higher.drop_while,
    higher.group_by,
})  # fmt: skip
"""What goes by what procedures give, and looks at nothing else."""
QUICK: Final[dict[Any, Callable[..., Any]]] = {
    **{getattr(arithmetic, name): arithmetic.RAW[word] for name, word in (
        ("sqrt", "sqrt"), ("exp", "exp"), ("log", "log"), ("sin", "sin"), ("cos", "cos"), ("square", "square"))},
    arithmetic.add: lambda a, b: a + b,
    arithmetic.sub: lambda a, b: a - b,
    arithmetic.mul: lambda a, b: a * b,
    arithmetic.div: arithmetic.raw_divide,
}  # fmt: skip
"""Single operations that a formula could be of."""
