"""Namespaces (part of `expand`): `m/mmul` is `mmul` where a file says that `m` is the name of another.

(ns model (:require [clojure.core.matrix :as m]))        (ns model (:require ...))
[assume x (m/mmul a b)]                             ->   [assume x (mmul a b)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pplc.languages.forms import Form, Group, Name

NAMING: Final = ("ns", "ns+", "require", "use", "import")
"""What tells of other namespaces."""


def every_form(form: Form) -> Iterator[Form]:
    """A form and those inside of it, in the order of the text."""
    stack = [form]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, Group):
            stack.extend(reversed(item.items))


def every_name(form: Form) -> Iterator[str]:
    """The names in a form."""
    return (item.text for item in every_form(form) if isinstance(item, Name))


def mapped_forms(form: Form, change: Callable[[Form], Form]) -> Form:
    """A form with others in place of those inside of it and of itself, from the inside outwards."""
    if isinstance(form, Group):
        form = form._replace(items=tuple([mapped_forms(item, change) for item in form.items]))
    return change(form)


def without_aliases(forms: Sequence[Form]) -> Sequence[Form]:
    """Forms in which names of other namespaces are plain names."""
    aliases = {alias for form in forms for alias in _aliases(form)}
    if not aliases:
        return forms

    def bare(form: Form) -> Form:
        if not isinstance(form, Name) or "/" not in form.text:
            return form
        space, _, name = form.text.partition("/")
        return form._replace(text=name) if name and space in aliases else form

    return [mapped_forms(form, bare) for form in forms]


def _aliases(form: Form) -> Iterator[str]:
    """Names behind :as, and the namespaces themselves."""
    if not (
        isinstance(form, Group) and form.items and isinstance(form.items[0], Name) and form.items[0].text in NAMING
    ):
        return
    stack = list(form.items)
    while stack:
        item = stack.pop()
        if isinstance(item, Group):
            stack.extend(item.items)
            for before, name in zip(item.items, item.items[1:]):
                if isinstance(before, Name) and before.text == ":as" and isinstance(name, Name):
                    yield name.text
            if item.items and isinstance(item.items[0], Name):
                yield item.items[0].text
