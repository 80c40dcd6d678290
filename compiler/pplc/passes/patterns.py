"""Patterns (part of `expand`): the parts of a value by name.

    [a [b c] & rest :as all]                       elements by position
    {:keys [a b] x :key :or {b 0} :as all}         entries of a map
    ->  bindings of names to primitive calls of the whole value

A part is a primitive call of a variable, so that it means the same wherever it stands; only a default may be more.
Before a `& rest` an element that is missing is nil, so that a sequence can be walked to its end; else it is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from pplc.languages import core
from pplc.languages.forms import Atom, Form, Group, Name
from pplc.source import Span
from pplc_runtime.values import Symbol

if TYPE_CHECKING:
    from pplc.passes.surface import Surface

REST: Final = ("&", ".")
"""What stands before the name of all further arguments or elements: Clojure's word and Scheme's."""
ENTRIES: Final = (":keys", ":strs", ":syms")
"""What stands before names that are also the keys: as keywords, as strings, as symbols."""

Parts: TypeAlias = list[tuple[str, core.Expr]]


def destructure(surface: Surface, pattern: Form, whole: core.Expr) -> Parts:
    """The bindings of a pattern to the parts of a value."""
    if isinstance(pattern, Group) and pattern.bracket == "[":
        return _elements(surface, pattern, whole)
    if isinstance(pattern, Group) and pattern.bracket == "{":
        return _entries(surface, pattern, whole)
    raise surface.fail(pattern, "expected a name, or a pattern such as [a b] or {:keys [a b]}")


def after(surface: Surface, item: Name, items: list[Form]) -> Form:
    """The one form behind a `&`."""
    if len(items) != 1:
        raise surface.fail(item, f"expected one name after {item.text}")
    return items.pop()


def rest_target(surface: Surface, form: Form) -> tuple[str, Parts]:
    """What takes all further arguments: a name, or a pattern of them; a map pattern takes them as keys and values."""
    if isinstance(form, Name):
        return surface.variable(form), []
    rest = surface.temporary("rest")
    if isinstance(form, Group) and form.bracket == "{":
        options = surface.temporary("options")
        maker = core.Primitive("hash-map", form.span)
        made = core.primitive_call("apply", form.span, maker, core.Name(rest, form.span))
        return rest, [(options, made), *destructure(surface, form, core.Name(options, form.span))]
    return rest, destructure(surface, form, core.Name(rest, form.span))


def _part(surface: Surface, target: Form, value: core.Expr) -> Parts:
    """A part that is bound to a name, to nothing, or taken apart itself."""
    if isinstance(target, Group):
        inner = surface.temporary("part")
        return [(inner, value), *destructure(surface, target, core.Name(inner, target.span))]
    if isinstance(target, Name) and target.text == "_":
        return []
    return [(surface.binder(target), value)]


def _elements(surface: Surface, pattern: Group, whole: core.Expr) -> Parts:
    items = list(pattern.items)
    found: Parts = []
    if len(items) > 1 and isinstance(items[-2], Name) and items[-2].text == ":as":
        found.append((surface.variable(items[-1]), whole))
        del items[-2:]
    position = 0
    walked = any(isinstance(item, Name) and item.text in REST for item in items)
    while items:
        item = items.pop(0)
        place = core.Const(position, item.span)
        if isinstance(item, Name) and item.text in REST:
            rest = after(surface, item, items)
            found.extend(_part(surface, rest, core.primitive_call("drop", rest.span, place, whole)))
            break
        missing = [core.Const(None, item.span)] if walked else []
        found.extend(_part(surface, item, core.primitive_call("nth", item.span, whole, place, *missing)))
        position += 1
    return found


def _entries(surface: Surface, pattern: Group, whole: core.Expr) -> Parts:
    if len(pattern.items) % 2:
        raise surface.fail(pattern, "a map pattern has pairs: {name key ...}, {:keys [name ...]}")
    pairs = list(zip(pattern.items[::2], pattern.items[1::2]))
    defaults = _defaults(surface, pairs)
    found: Parts = []
    for target, key in pairs:
        word = target.text if isinstance(target, Name) else ""
        if word == ":as":
            found.append((surface.variable(key), whole))
        elif word in ENTRIES:
            if not (isinstance(key, Group) and key.bracket == "["):
                raise surface.fail(key, f"expected a vector of names, as in {word} [a b]")
            for name in key.items:
                text = surface.binder(name)
                found.append((text, _entry(whole, _key(word, text, name), defaults.pop(text, None), name)))
        elif word.startswith(":") and word != ":or":
            raise surface.fail(
                target, f"a map pattern knows :keys, :strs, :syms, :as and :or; a name goes before {word}"
            )
        elif word != ":or":
            default = defaults.pop(word, None)
            found.extend(_part(surface, target, _entry(whole, surface.expr(key), default, target)))
    for missing, value in defaults.items():
        raise surface.fail(value, f"'{missing}' has a default, but the pattern has no such name")
    return found


def _key(word: str, text: str, form: Form) -> core.Expr:
    key = {":keys": Symbol(f":{text}"), ":strs": text, ":syms": Symbol(text)}[word]
    return core.Const(key, form.span)


def _entry(whole: core.Expr, key: core.Expr, default: core.Expr | None, form: Form) -> core.Expr:
    return core.primitive_call("get", form.span, whole, key, *([] if default is None else [default]))


def _defaults(surface: Surface, pairs: list[tuple[Form, Form]]) -> dict[str, core.Expr]:
    """What `:or` gives to names whose keys are missing."""
    found: dict[str, core.Expr] = {}
    for target, given in pairs:
        if isinstance(target, Name) and target.text == ":or":
            if not (isinstance(given, Group) and given.bracket == "{" and len(given.items) % 2 == 0):
                raise surface.fail(given, "expected a map of names and defaults, as in :or {a 1}")
            for name, value in zip(given.items[::2], given.items[1::2]):
                found[surface.binder(name)] = surface.expr(value)
    return found


def literal_defaults(surface: Surface, pattern: Form) -> None:
    """An error unless the defaults of a pattern are literals: where its parts are computed anew at each use."""
    stack = [pattern]
    while stack:
        form = stack.pop()
        if not isinstance(form, Group):
            continue
        for target, given in zip(form.items, form.items[1:]):
            if isinstance(target, Name) and target.text == ":or" and isinstance(given, Group):
                for value in given.items[1::2]:
                    if not isinstance(value, Atom) and not (isinstance(value, Name) and value.text.startswith(":")):
                        raise surface.fail(value, "a default in a pattern of statements must be a literal")
        stack.extend(form.items)


def named_at(form: Group, name: str, otherwise: Span) -> Name | Group:
    """Where a definition names what it defines."""
    stack: list[Form] = [form.items[1]]
    while stack:
        item = stack.pop()
        if isinstance(item, Name) and item.text == name:
            return item
        if isinstance(item, Group):
            stack.extend(reversed(item.items))
    return Group("(", (), *otherwise)
