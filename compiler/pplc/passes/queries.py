"""Queries (part of `expand`): a file of `defquery`s as the statements of one of them.

    (ns models)                                     [assume data [1 2]]
    (def data [1 2])                                (defn noise [] 1)
    (defm noise [] 1)                               [input k]
    (defquery mean [k]                      ->      [let [mu (sample (normal 0 k))]
      (let [mu (sample (normal 0 k))]                 [doseq [y data] [observe (normal mu (noise)) y]]
        (doseq [y data]                               [predict ":mu" mu]]
          (observe (normal mu (noise)) y))
        {:mu mu}))

Parameters are inputs, whose defaults are what the file itself asks with. What the query does not need, by way of
whatever definitions, is left out: that may be Clojure of any kind. A query that another one needs is a procedure.
Observes of the body are statements where they surely can be: directly in it, in its lets, and in a doseq over what is
surely not random. Any other form of the body is an expression, in which observes weigh.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from pplc.diagnostics import Diagnostic
from pplc.languages.foreign import NO_MEANING
from pplc.languages.forms import STATEMENTS, Atom, Form, Group, Name
from pplc.passes.namespaces import every_form, every_name, mapped_forms
from pplc_runtime.program.names import CONSTANTS, SIGNATURES, STOCHASTIC

IGNORED: Final = ("ns", "in-ns", "require", "use", "import", "declare", "comment", "refer", "set!")
"""What a file may start with, and what says nothing to a compiler of models."""
OLD: Final = "defanglican"
"""A query whose body is statements."""
AROUND: Final = "with-primitive-procedures"
DEFINITIONS: Final = (
    "def",
    "defn",
    "defn-",
    "defm",
    "define",
    "assume",
    "defdist",
    "defproc",
    "defmacro",
    "defquery",
    OLD,
)
USAGE: Final = "expected (defquery name [parameter ...] body ...)"
PARTICLES: Final = 1000
"""What a query inside of another is run by, where it does not say."""
Fail = Callable[[Form, str], Exception]
Scope = Mapping[str, bool]
"""Names, and whether each is surely not random; a name that is not there is a primitive, or unknown."""


def head(form: Form) -> str:
    """The word that a form starts with, if it is a form that starts with one."""
    if isinstance(form, Group) and form.bracket in "([" and form.items and isinstance(form.items[0], Name):
        return form.items[0].text
    return ""


def flat(forms: Iterable[Form]) -> Iterator[Form]:
    """Top-level forms; those inside of with-primitive-procedures are among them. (defun f (x) ...) is a define, and
    (def name (query [x] ...)) a defquery."""
    for form in forms:
        if head(form) == AROUND and isinstance(form, Group):
            yield from flat(form.items[2:])
        elif head(form) == "defun" and isinstance(form, Group) and len(form.items) > 3:
            named, parameters, *body = form.items[1:]
            own = parameters.items if isinstance(parameters, Group) else (Name(".", *named.span), parameters)
            yield _form("(", "define", (Group("(", (named, *own), *named.span), *body), form)
        elif (
            head(form) == "def"
            and isinstance(form, Group)
            and isinstance(form.items[-1], Group)
            and _is_query(form.items[-1])
        ):
            yield _form("(", "defquery", (form.items[1], *form.items[-1].items[1:]), form)
        else:
            yield form


def queries(forms: Sequence[Form]) -> dict[str, Group]:
    """The queries of a file by their names."""
    found: dict[str, Group] = {}
    for form in flat(forms):
        if head(form) in ("defquery", OLD) and isinstance(form, Group) and len(form.items) > 1:
            named = form.items[1]
            if isinstance(named, Name):
                found[named.text] = form
    return found


def meant(forms: Sequence[Form], name: str | None) -> list[str]:
    """The names of the queries that may be meant: the one that is asked for, or those that no other one needs."""
    found = queries(forms)
    if name is not None:
        return [name] if name in found else []
    everything = list(flat(forms))
    inner = {other for query in found.values() for form in _taken(everything, query) for other in _defines(form)}
    return [each for each in found if each not in inner] if len(found) > 1 else list(found)


def selected(forms: Sequence[Form], query: Group, fail: Fail) -> list[Form]:
    """The statements of a query, and what it needs."""
    everything = list(flat(forms))
    others = set(queries(forms))
    asked = _asked(everything, query, fail)
    result = [
        _procedure(form, fail) if head(form) in ("defquery", OLD) else form
        for form in _taken(everything, query, asked.values())
    ]
    body = [*result, *_statements(query, _certain_names(everything), asked, fail)]
    others.update(name for form in body for name in _held(form))
    nested = [mapped_forms(form, lambda each: _nested(each, others)) for form in body]
    return [mapped_forms(form, lambda each: _as_procedure(each) if _is_query(each) else each) for form in nested]


def hidden(forms: Sequence[Form]) -> set[str]:
    """The definitions of a file that have the name of an input: of a parameter of the query."""
    inputs = {
        name
        for form in forms
        if head(form) == "input" and isinstance(form, Group)
        for name in every_name(form.items[1])
    }
    return {name for form in forms for name in _defines(form)} & inputs


def reporting(forms: Sequence[Form]) -> Sequence[Form]:
    """The forms of a program; if it predicts nothing and ends with an expression, that is the body of a query."""
    last = forms[-1] if forms else None
    words = (*STATEMENTS, *IGNORED, *DEFINITIONS, *NO_MEANING)
    if not isinstance(last, Group) or last.bracket != "(" or head(last) in words:
        return forms
    if any("predict" in every_name(form) for form in forms):
        return forms
    return [*forms[:-1], *_body([last], _certain_names(forms), Name("result", *last.span), True)]


def within_what_counts(errors: list[Diagnostic], forms: Sequence[Form], name: str | None) -> list[Diagnostic]:
    """Of all that cannot be read in a file, what is in the query that is meant or in what it needs."""
    found = queries(forms) if errors else {}
    if not found:
        return errors
    if len(asked := meant(forms, name)) != 1:
        return []  # which is an error of its own
    query = found[asked[0]]
    everything = list(flat(forms))
    taken = [*_taken(everything, query), query]
    left = [form.span for form in everything if form not in taken]
    return [error for error in errors if not any(start <= error.span.start < end for start, end in left)]


def _taken(forms: Sequence[Form], query: Group, further: Iterable[Form] = ()) -> list[Group]:
    """The definitions that a query needs, and other forms."""
    needed = _needed(forms, (query, *further))
    return [form for form in forms if isinstance(form, Group) and form is not query and _defines(form) & needed]


def _asked(forms: Sequence[Form], query: Group, fail: Fail) -> Mapping[str, Form]:
    """The arguments by parameter with which a file asks for a query, (doquery method query [argument ...] ...), where
    they are known before the run: those of the first such form."""
    named, parameters, _ = _parts(query, fail)
    certain = _certain_names(forms)
    for form in (each for outer in forms if outer is not query for each in every_form(outer)):
        if head(form) != "doquery" or not isinstance(form, Group) or len(form.items) < 4:
            continue
        name, arguments = form.items[2:4]
        is_meant = isinstance(name, Name) and name.text == named.text and isinstance(arguments, Group)
        values = arguments.items if is_meant and isinstance(arguments, Group) else ()
        if len(values) == len(parameters) and all(_is_certain(value, certain) for value in values):
            return {each.text: value for each, value in zip(parameters, values) if isinstance(each, Name)}
    return {}


def _is_query(form: Form) -> bool:
    return head(form) == "query" and isinstance(form, Group) and len(form.items) > 2


def _as_procedure(form: Form) -> Form:
    """(query [x] body ...) -> (fn [x] body ...), which may have a name."""
    assert isinstance(form, Group)
    kept = 2 if isinstance(form.items[1], Name) and len(form.items) > 3 else 1
    return _form("(", "fn", (*form.items[1 : kept + 1], *_valued(form.items[kept + 1 :])), form)


def _held(form: Form) -> Iterator[str]:
    """The names that are bound to a query inside of a form."""
    for each in every_form(form):
        items = each.items if isinstance(each, Group) else ()
        for named, value in pairwise(items):
            if isinstance(named, Name) and _is_query(value):
                yield named.text


def _nested(form: Form, others: Container[str]) -> Form:
    """(conditional inner :smc :number-of-particles n): of a query, a procedure from its arguments to distributions."""
    if head(form) != "conditional" or not isinstance(form, Group) or len(form.items) < 2:
        return form
    inner, *options = form.items[1:]
    if _is_query(inner):
        inner = _as_procedure(inner)
    elif not (isinstance(inner, Name) and inner.text in others):
        return form
    names = [Name(text, form.start, form.end) for text in ("&", "query-arguments")]
    called = _form("(", "fn", (Group("[", (), *form.span), _form("(", "apply", (inner, names[1]), form)), form)
    settings = _settings(options, form)
    return _form(
        "(", "fn", (Group("[", tuple(names), *form.span), _form("(", "conditional", (called, *settings), form)), form
    )


def _settings(options: Sequence[Form], at: Form) -> Iterator[Form]:
    """:smc :number-of-particles n -> :method :smc :particles n"""
    if not options:
        return
    method, *further = options
    given = {each.text: value for each, value in zip(further[::2], further[1::2]) if isinstance(each, Name)}
    yield from (Name(":method", *at.span), method)
    if not (isinstance(method, Name) and method.text == ":enumerate"):
        yield from (Name(":particles", *at.span), given.get(":number-of-particles", Atom(PARTICLES, *at.span)))


def _procedure(query: Group, fail: Fail) -> Group:
    """A query that another one needs: what it predicts, or gives, is its value."""
    named, parameters, body = _parts(query, fail)
    return _form("(", "defn", (named, Group("[", tuple(parameters), *query.span), *_valued(body)), query)


def _valued(forms: Sequence[Form]) -> Sequence[Form]:
    """A body whose value is the map of what it predicts, if that is what it ends with."""
    *before, last = forms
    if head(last) in ("let", "let*", "do", AROUND) and isinstance(last, Group):
        kept = 1 if head(last) == "do" else 2
        return [*before, last._replace(items=(*last.items[:kept], *_valued(last.items[kept:])))]
    if head(last) != "predict":
        return forms
    entries: list[Form] = []
    for form in forms:
        if head(form) == "predict" and isinstance(form, Group):
            entries += form.items[1:] if len(form.items) == 3 else (Atom(str(len(entries)), *form.span), form.items[-1])
    others = [form for form in forms if head(form) != "predict"]
    return [*others, Group("{", tuple(entries), *last.span)]


def _defines(form: Form) -> set[str]:
    if head(form) not in DEFINITIONS or not isinstance(form, Group) or len(form.items) < 2:
        return set()
    return set(every_name(form.items[1]))


def _needed(forms: Sequence[Form], asking: Iterable[Form]) -> set[str]:
    uses = [(names, form) for form in forms if (names := _defines(form))]
    needed = {name for form in asking for name in every_name(form)}
    while more := {name for names, form in uses if names & needed for name in every_name(form)} - needed:
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
    return all(scope.get(name, _is_quiet(name)) for name in every_name(form))


def _is_quiet(name: str) -> bool:
    if name in CONSTANTS or name.startswith(":"):
        return True
    return name in SIGNATURES and name.removesuffix("-dist") not in STOCHASTIC


def _statements(query: Group, certain: Scope, asked: Mapping[str, Form], fail: Fail) -> Iterator[Form]:
    named, parameters, body = _parts(query, fail)
    if head(query) == OLD:
        yield from reporting(body)
        return
    for parameter in parameters:
        if not isinstance(parameter, Name):
            raise fail(parameter, "the parameters of a query are inputs, with plain names; take them apart in a let")
        if parameter.text != "_":
            default = (asked[parameter.text],) if parameter.text in asked else ()
            yield _form("[", "input", (parameter, *default), parameter)
            certain = {**certain, parameter.text: True}
    yield from _body(body, certain, named, True)


def _parts(query: Group, fail: Fail) -> tuple[Name, Sequence[Form], Sequence[Form]]:
    """The name, the parameters and the body of a query; a text before or behind them describes it.

    There may be no parameters written, or a single one without brackets."""
    named, *rest = query.items[1:]
    assert isinstance(named, Name)
    rest = _undescribed(rest)
    if rest and isinstance(rest[0], Group) and rest[0].bracket == "[" and head(rest[0]) not in STATEMENTS:
        parameters, *rest = rest
    elif len(rest) > 1 and isinstance(rest[0], Name):
        parameters, rest = Group("[", (rest[0],), *rest[0].span), _undescribed(rest[1:])
    else:
        parameters = Group("[", (), *named.span)
    if not rest or not isinstance(parameters, Group):
        raise fail(query, USAGE)
    return named, parameters.items, rest


def _undescribed(forms: Sequence[Form]) -> list[Form]:
    """Forms without a text in front."""
    described = len(forms) > 1 and isinstance(forms[0], Atom) and isinstance(forms[0].value, str)
    return list(forms[1:] if described else forms)


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
                inner.update(dict.fromkeys(every_name(target), _is_certain(value, inner)))
            yield form._replace(items=(*form.items[:2], *_body(form.items[2:], inner, named, last)))
        elif word in ("do", AROUND) and isinstance(form, Group):
            yield from _body(form.items[1 if word == "do" else 2 :], certain, named, last)
        elif word in ("doseq", "dotimes") and isinstance(form, Group) and _is_known_loop(form, certain):
            yield form._replace(items=(*form.items[:2], *_body(form.items[2:], certain, named, False)))
        elif word in ("observe", "factor", "condition", "predict", *IGNORED):
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
