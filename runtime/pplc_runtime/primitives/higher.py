"""Procedures that take procedures.

Each takes the address of its own evaluation and calls what it is given at addresses below that, one for each
element. What they call may draw, so `some` and `every?` stop, lane by lane, where the answer is known.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import Dead, Lane, Mix, by_option, grouped, join
from pplc_runtime.primitives.arguments import elements, is_number, settled, with_item, with_whole
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.primitives.comparison import negation, truth
from pplc_runtime.primitives.maps import assoc, assoc_in, get, get_in
from pplc_runtime.primitives.ordering import permutation
from pplc_runtime.primitives.sequences import ENDLESS, LONGEST, concat
from pplc_runtime.values import List, Map, ModelError, Procedure, Value, key_of


def _call(at: At, procedure: Value, *arguments: Value) -> Value:
    return here.handler.call(at, procedure, *arguments)


def _decided(value: Value) -> Any:
    """The truth of a test: a bool where the lanes agree, else an array. The handler hears of it."""
    answer = truth(value)
    if type(answer) is np.ndarray:
        hits = np.count_nonzero(answer)
        if hits == 0 or hits == len(answer):
            answer = bool(hits)
    return here.handler.decided(answer) if here.handler is not None else answer


# Over sequences


def map_over(at: At, procedure: Value, *sequences: Value) -> Value:
    """(map f xs ...): as long as the shortest."""
    return _map(at, procedure, List, "map", *sequences)


def map_to_vector(at: At, procedure: Value, *sequences: Value) -> Value:
    """(mapv f xs ...)"""
    return _map(at, procedure, _as_vector, "mapv", *sequences)


def _as_vector(items: Value) -> Value:
    return vector(*items)


def _map(at: At, procedure: Value, build: Callable[[Value], Value], name: str, *sequences: Value) -> Value:
    for position, sequence in enumerate(sequences):
        if type(sequence) is Mix:
            mapped = functools.partial(_map, at, procedure, build, name)
            return by_option(sequence, with_item(mapped, sequences, position))
    rows = zip(*(elements(sequence, name) for sequence in sequences))
    return build([_call(at[i], procedure, *row) for i, row in enumerate(rows)])


@settled(2)
def map_indexed(at: At, procedure: Value, sequence: Value) -> Value:
    items = elements(sequence, "map-indexed")
    return List([_call(at[i], procedure, i, item) for i, item in enumerate(items)])


def map_concat(at: At, procedure: Value, *sequences: Value) -> Value:
    """(mapcat f xs ...)"""
    lists = _map(at, procedure, List, "mapcat", *sequences)
    return by_option(lists, lambda option: concat(*option)) if type(lists) is Mix else concat(*lists)


def keep_if(at: At, procedure: Value, sequence: Value) -> Value:
    """(filter f xs)"""
    return _chosen(at, procedure, sequence, True, "filter")


def remove_if(at: At, procedure: Value, sequence: Value) -> Value:
    """(remove f xs)"""
    return _chosen(at, procedure, sequence, False, "remove")


@settled(2)
def _chosen(at: At, procedure: Value, sequence: Value, wanted: bool, name: str) -> Value:
    items = elements(sequence, name)
    outcomes = []
    for i, item in enumerate(items):
        test = _decided(_call(at[i], procedure, item))
        outcomes.append(Lane(test, here.frame) if type(test) is np.ndarray else test)
    return grouped(tuple(outcomes), lambda plain: List(item for item, test in zip(items, plain) if test is wanted))


def reduce(at: At, procedure: Value, *further: Value) -> Value:
    """(reduce f xs) or (reduce f start xs)."""
    return _reduce(at, procedure, further[-1], *further[:-1])


@settled(2)
def _reduce(at: At, procedure: Value, sequence: Value, *start: Value) -> Value:
    items = elements(sequence, "reduce")
    if not start:
        if not items:
            return _call(at[0], procedure)
        start, items = items[:1], items[1:]
    result = start[0]
    for i, item in enumerate(items):
        result = _call(at[i], procedure, result, item)
    return result


def reductions(at: At, procedure: Value, *further: Value) -> Value:
    """(reductions f xs) or (reductions f start xs): what reduce has after each element."""
    return _reductions(at, procedure, further[-1], *further[:-1])


@settled(2)
def _reductions(at: At, procedure: Any, sequence: Any, *start: Any) -> Any:
    items = elements(sequence, "reductions")
    if not start:
        if not items:
            return List([_call(at[0], procedure)])
        start, items = items[:1], items[1:]
    results = [start[0]]
    for i, item in enumerate(items):
        results.append(_call(at[i], procedure, results[-1], item))
    return List(results)


@settled(2)
def group_by(at: At, procedure: Any, sequence: Any) -> Any:
    """(group-by f xs): a map from the values of f to the vectors of the elements that have them."""
    items = elements(sequence, "group-by")
    keys = tuple(_call(at[i], procedure, item) for i, item in enumerate(items))
    return grouped(keys, lambda plain: _groups(items, plain))


def _groups(items: tuple[Any, ...], keys: tuple[Any, ...]) -> Map:
    found: dict[Any, tuple[Any, list[Any]]] = {}
    for item, key in zip(items, keys):
        found.setdefault(key_of(key), (key, []))[1].append(item)
    return Map({name: (key, vector(*group)) for name, (key, group) in found.items()})


def iterate(procedure: Any, start: Any) -> Any:
    """(iterate f x) has no end."""
    raise ModelError(ENDLESS)


def repeatedly(at: At, *number_and_procedure: Any) -> Any:
    """(repeatedly n f): a list of n calls."""
    if len(number_and_procedure) == 1:
        raise ModelError(ENDLESS)
    return _repeatedly(at, *number_and_procedure)


@settled(1)
def _repeatedly(at: At, number: Any, procedure: Any) -> Any:
    def calls(n: int) -> List:
        if n > LONGEST:
            raise ModelError(f"'repeatedly' of {n} calls is too long")
        return List([_call(at[i], procedure) for i in range(n)])

    return with_whole(number, "repeatedly", calls)


def some(at: At, procedure: Value, sequence: Value) -> Value:
    """(some f xs): the first value of f that counts as true, or nil."""
    return _until(at, procedure, sequence, True, lambda items, i, value: value, lambda items: None, "some")


def every(at: At, procedure: Value, sequence: Value) -> Value:
    """(every? f xs)"""
    return _until(at, procedure, sequence, False, lambda items, i, value: False, lambda items: True, "every?")


def take_while(at: At, procedure: Any, sequence: Any) -> Any:
    """(take-while f xs): the elements before the first of which f is not true."""
    return _until(at, procedure, sequence, False, lambda items, i, value: List(items[:i]), List, "take-while")


def drop_while(at: At, procedure: Any, sequence: Any) -> Any:
    """(drop-while f xs): the elements from the first on of which f is not true."""
    left: Callable[..., Any] = lambda items, i, value: List(items[i:])  # noqa: E731 # beside its counterpart
    return _until(at, procedure, sequence, False, left, lambda items: List(), "drop-while")


@settled(2)
def _until(
    at: At,
    procedure: Value,
    sequence: Value,
    stop: bool,
    result: Callable[[tuple[Value, ...], int, Value], Value],
    otherwise: Callable[[tuple[Value, ...]], Value],
    name: str,
) -> Value:
    """Call with one element after the other; lanes whose test comes out as `stop` leave with their result."""
    items = elements(sequence, name)
    frame = here.frame
    deaths = here.handler.deaths
    done: list[tuple[Frame, Value]] = []
    try:
        for i, item in enumerate(items):
            value = _call(at[i], procedure, item)
            test = _decided(value)
            if not done:  # particles may have been resampled in the call: all are together up to here
                frame = here.frame
            if type(test) is np.ndarray:
                leaving = here.frame.part(np.flatnonzero(test == stop))
                done.append((leaving, result(items, i, value)))
                run_in(here.frame.part(np.flatnonzero(test != stop)))
            elif test is stop:
                done.append((here.frame, result(items, i, value)))
                break
        else:
            done.append((here.frame, otherwise(items)))
    except Dead:
        if not done:
            raise
    finally:
        run_in(frame)
    if here.handler.deaths != deaths:
        here.handler.bury()
    return done[0][1] if done[0][0] is frame else join(frame, done)


@settled(2)
def sort_by(at: At, procedure: Value, sequence: Value) -> Value:
    """(sort-by f xs): by increasing values of f; elements with equal ones stay as they are."""
    items = elements(sequence, "sort-by")
    keys = tuple(_call(at[i], procedure, item) for i, item in enumerate(items))
    if keys and all(map(is_number, keys)):
        packed = vector(*keys)
        if type(packed) is Lane:  # lanes that come to the same order stay together
            orders = Lane(np.argsort(packed.at(here.frame), axis=0, kind="stable"), here.frame)
            return grouped((orders,), lambda plain: List(items[i] for i in plain[0]))
    return grouped(keys, lambda plain: List(items[i] for i in permutation(plain, "sort-by")))


def apply(at: At, procedure: Value, *arguments: Value) -> Value:
    """(apply f a ... xs): a call with the elements of xs as the last arguments."""
    return _apply(at, procedure, arguments[-1], *arguments[:-1])


@settled(2)
def _apply(at: At, procedure: Value, sequence: Value, *arguments: Value) -> Value:
    return _call(at[0], procedure, *arguments, *elements(sequence, "apply"))


def update(at: At, value: Value, key: Value, procedure: Value, *arguments: Value) -> Value:
    """(update m k f a ...): m with (f (get m k) a ...) at k."""
    return assoc(value, key, _call(at[0], procedure, get(value, key), *arguments))


def update_in(at: At, value: Any, path: Any, procedure: Any, *arguments: Any) -> Any:
    """(update-in m [k ...] f a ...): m with (f old a ...) at a path of keys."""
    return assoc_in(value, path, _call(at[0], procedure, get_in(value, path), *arguments))


# Procedures made of procedures. Each closes over a fixed number of values, so that lanes can be joined.


def identity(value: Value) -> Value:
    return value


def compose(*procedures: Value) -> Value:
    """(comp f g ...): (f (g ...))."""
    return Procedure(_composed, "comp", 0, True, (List(procedures),))


@settled(2)
def _composed(at: At, arguments: Value, procedures: Value) -> Value:
    if not procedures:
        if len(arguments) != 1:
            raise ModelError(f"'comp' of no procedures takes 1 argument, not {len(arguments)}")
        return arguments[0]
    result = _call(at[0], procedures[-1], *arguments)
    for i, procedure in enumerate(reversed(procedures[:-1]), 1):
        result = _call(at[i], procedure, result)
    return result


def partial(procedure: Value, *arguments: Value) -> Value:
    """(partial f a ...): a procedure that takes the arguments after these."""
    return Procedure(_partial, "partial", 0, True, (procedure, List(arguments)))


@settled(3)
def _partial(at: At, arguments: Value, procedure: Value, bound: Value) -> Value:
    return _call(at[0], procedure, *bound, *arguments)


def constantly(value: Value) -> Value:
    return Procedure(_constant, "constantly", 0, True, (value,))


def _constant(at: At, arguments: Value, value: Value) -> Value:
    return value


def complement(procedure: Value) -> Value:
    """(complement f): true where f is not."""
    return Procedure(_complement, "complement", 0, True, (procedure,))


def _complement(at: At, arguments: Value, procedure: Value) -> Value:
    return negation(_call(at[0], procedure, *arguments))


def no_case(value: Value) -> Value:
    """What `case` and `condp` come to without a clause that matches and without a default."""
    raise ModelError(f"no clause matches {given(value)}")


def no_arity(name: str, expected: str, number: Any) -> Any:
    """What a procedure comes to that has no body for a number of arguments."""
    verb = "is" if number == 1 else "are"
    raise ModelError(f"'{name}' takes {expected} arguments, but {given(number)} {verb} given")
