"""Queries (part of `expand`): a file of `defquery`s as the statements of one of them.

    (ns models)                                     [assume data [1 2]]
    (def data [1 2])                                (defn noise [] 1)
    (defm noise [] 1)                               [input k]
    (defquery mean [k]                      ->      [let [mu (sample (normal 0 k))]
      (let [mu (sample (normal 0 k))]                 [doseq [y data] [observe (normal mu (noise)) y]]
        (doseq [y data]                               [predict ":mu" mu]]
          (observe (normal mu (noise)) y))
        {:mu mu}))

Parameters are inputs. What the query does not need, by way of whatever definitions, is left out: that may be Clojure of
any kind. Observes of the body are statements where they surely can be: directly in it, in its lets, and in a doseq
over what is surely not random. Any other form of the body is an expression, in which observes weigh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from pplc.languages.forms import Atom, Form, Group, Name
from pplc_runtime.program.names import CONSTANTS, SIGNATURES, STOCHASTIC

IGNORED: Final = ("ns", "in-ns", "require", "use", "import", "declare", "comment", "refer", "set!")
"""What a file may start with, and what says nothing to a compiler of models."""
AROUND: Final = "with-primitive-procedures"
DEFINITIONS: Final = ("def", "defn", "defn-", "defm", "define", "assume", "defdist", "defproc", "defmacro")
Fail = Callable[[Form, str], Exception]
Scope = Mapping[str, bool]
"""Names, and whether each is surely not random; a name that is not there is a primitive, or unknown."""


def head(form: Form) -> str:
    """The word that a form starts with, if it is a form that starts with one."""
    if isinstance(form, Group) and form.bracket in "([" and form.items and isinstance(form.items[0], Name):
        return form.items[0].text
    return ""


def flat(forms: Iterable[Form]) -> Iterator[Form]:
    """Top-level forms; those inside of with-primitive-procedures are among them."""
    for form in forms:
        if head(form) == AROUND and isinstance(form, Group):
            yield from flat(form.items[2:])
        else:
            yield form


def queries(forms: Sequence[Form]) -> dict[str, Group]:
    """The queries of a file by their names."""
    found: dict[str, Group] = {}
    for form in flat(forms):
        if head(form) == "defquery" and isinstance(form, Group) and len(form.items) > 1:
            named = form.items[1]
            if isinstance(named, Name):
                found[named.text] = form
    return found


def selected(forms: Sequence[Form], query: Group, fail: Fail) -> list[Form]:
    """The statements of a query, and what it needs."""
    everything = list(flat(forms))
    needed = _needed(everything, query)
    result = [form for form in everything if _defines(form) & needed]
    certain = _certain_names(everything)
    return [*result, *_statements(query, certain, fail)]


def _names(form: Form) -> Iterator[str]:
    stack = [form]
    while stack:
        item = stack.pop()
        if isinstance(item, Name):
            yield item.text
        elif isinstance(item, Group):
            stack.extend(item.items)


def _defines(form: Form) -> set[str]:
    if head(form) not in DEFINITIONS or not isinstance(form, Group) or len(form.items) < 2:
        return set()
    return set(_names(form.items[1]))


def _needed(forms: Sequence[Form], query: Group) -> set[str]:
    uses = [(names, form) for form in forms if (names := _defines(form))]
    needed = set(_names(query))
    while more := {name for names, form in uses if names & needed for name in _names(form)} - needed:
        needed |= more
    return needed


def _certain_names(forms: Sequence[Form]) -> Scope:
    """The definitions of a file, and whether each surely is the same in all executions, and no procedure."""
    scope: dict[str, bool] = {name: False for form in forms for name in _defines(form)}
    for form in forms:
        if head(form) in ("def", "define", "assume") and isinstance(form, Group) and len(form.items) > 2:
            named, value = form.items[1], form.items[-1]
            if isinstance(named, Name) and _is_certain(value, scope):
                scope[named.text] = True
    return scope


def _is_certain(form: Form, scope: Scope) -> bool:
    """Whether a form surely is not random: names that are not, under primitives alone."""
    return all(scope.get(name, _is_quiet(name)) for name in _names(form))


def _is_quiet(name: str) -> bool:
    if name in CONSTANTS or name.startswith(":"):
        return True
    return name in SIGNATURES and name.removesuffix("-dist") not in STOCHASTIC


def _statements(query: Group, certain: Scope, fail: Fail) -> Iterator[Form]:
    named, *rest = query.items[1:]
    assert isinstance(named, Name)
    if len(rest) > 1 and isinstance(rest[0], Atom) and isinstance(rest[0].value, str):
        rest = rest[1:]
    if len(rest) < 2 or not isinstance(rest[0], Group):
        raise fail(query, "expected (defquery name [parameter ...] body ...)")
    for parameter in rest[0].items:
        if not isinstance(parameter, Name):
            raise fail(parameter, "the parameters of a query are inputs, with plain names; take them apart in a let")
        if parameter.text != "_":
            yield _form("[", "input", (parameter,), parameter)
            certain = {**certain, parameter.text: True}
    yield from _body(rest[1:], certain, named, True)


def _body(forms: Sequence[Form], certain: Scope, named: Name, is_result: bool) -> Iterator[Form]:
    """The forms of a body as statements; the last is what the query gives, if it is that of the query."""
    for position, form in enumerate(forms):
        last = is_result and position == len(forms) - 1
        word = head(form)
        if word in ("let", "let*") and isinstance(form, Group) and len(form.items) > 2:
            inner = dict(certain)
            header = form.items[1]
            pairs = header.items if isinstance(header, Group) and header.bracket == "[" else ()
            for target, value in zip(pairs[::2], pairs[1::2]):
                inner.update(dict.fromkeys(_names(target), _is_certain(value, inner)))
            yield form._replace(items=(*form.items[:2], *_body(form.items[2:], inner, named, last)))
        elif word in ("do", AROUND) and isinstance(form, Group):
            yield from _body(form.items[1 if word == "do" else 2 :], certain, named, last)
        elif word == "doseq" and isinstance(form, Group) and _is_known_loop(form, certain):
            yield form._replace(items=(*form.items[:2], *_body(form.items[2:], certain, named, False)))
        elif word in ("observe", "predict", *IGNORED):
            yield form
        elif last:
            yield from _results(form, named)
        else:
            yield _form("[", "assume", (Name("_", form.start, form.start), form), form)


def _is_known_loop(form: Group, certain: Scope) -> bool:
    header = form.items[1] if len(form.items) > 2 else None
    if not isinstance(header, Group) or len(header.items) % 2:
        return False
    pairs = list(zip(header.items[::2], header.items[1::2]))
    plain = not any(isinstance(target, Name) and target.text.startswith(":") for target, _ in pairs)
    return plain and all(_is_certain(value, certain) for _, value in pairs)


def _results(form: Form, named: Name) -> Iterator[Form]:
    """A predict of what a query gives: of each entry, where it is a map with keywords for keys."""
    if isinstance(form, Group) and form.bracket == "{" and form.items and len(form.items) % 2 == 0:
        keys = form.items[::2]
        if all(isinstance(key, Name) and key.text.startswith(":") for key in keys):
            for key, value in zip(keys, form.items[1::2]):
                yield _form("[", "predict", (key, value), value)
            return
    yield _form("[", "predict", (Atom(named.text, named.start, named.end), form), form)


def _form(bracket: str, word: str, rest: Sequence[Form], at: Form) -> Group:
    return Group(bracket, (Name(word, at.start, at.end), *rest), at.start, at.end)
