"""A second opinion on scopes: an evaluator of forms in which every environment is a map that is passed on.

It starts from what `read` gives and shares nothing with the passes behind it. It knows the forms of docs/language.md
and the few primitives that the programs of `scopes` use. A distribution is any one of its values, since what is
drawn does not matter to them; fair coins are observed, so that the evidence counts the observes that were evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any, Final, TypeAlias

from pplc.languages.forms import Atom, Form, Group, Name

Environment: TypeAlias = Mapping[str, Any]
"""The local variables at a place; `recur`, which no variable is called, is what recur calls there."""

PRIMITIVES: Final[dict[str, Any]] = {
    "+": lambda *xs: sum(xs),
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "<": lambda x, y: x < y,
    "mod": lambda x, y: x % y,
    "inc": lambda x: x + 1,
    "list": lambda *xs: list(xs),
    "first": lambda xs: xs[0],
    "nth": lambda xs, i: xs[i],
    "sum": sum,
    "map": lambda f, *xs: [f(*each) for each in zip(*xs)],
    "apply": lambda f, xs: f(*xs),
    "range": lambda n: list(range(n)),
    "str": lambda *xs: "".join(map(str, xs)),
    "flip": lambda p: p,
    "dirac": lambda value: value,
    "uniform-discrete": lambda lower, upper: lower,
}


@dataclass(slots=True)
class Evaluator:
    """The run of a program: its globals, what it has predicted, and the logarithm of its weight."""

    globals: dict[str, Any] = field(default_factory=dict)
    predicts: dict[str, Any] = field(default_factory=dict)
    log_weight: float = 0.0

    def run(self, forms: Sequence[Form], env: Environment) -> None:
        for form in forms:
            assert isinstance(form, Group)
            self.statement(_text(form.items[0]), form.items[1:], env)

    def statement(self, word: str, rest: Sequence[Form], env: Environment) -> None:
        match word, rest:
            case ("define", (Group("(", (name, *parameters)), *body)):
                self.globals[_text(name)] = self.procedure(parameters, body, env)
            case ("assume" | "define" | "def" | "input", (target, value)):
                self.globals.update(bound(target, self.value(value, env), {}))
            case ("defn", (name, Atom(), *rest)):
                self.statement("defn", (name, *rest), env)
            case ("defn", (name, *rest)):
                self.globals[_text(name)] = self.form_fn(rest, env)
            case ("observe", (source, value)):
                self.observe(self.value(source, env), self.value(value, env))
            case ("predict", (label, value)):
                self.predict(self.value(label, env), self.value(value, env))
            case ("for" | "doseq", (Group(items=bindings), *body)):
                self.repeat(bindings, body, env)
            case ("let", (header, *body)):
                for target, value in _bindings(header):
                    env = bound(target, self.value(value, env), env)
                self.run(body, env)
            case ("do", body):
                self.run(body, env)
            case ("when", (test, *body)):
                if _is_true(self.value(test, env)):
                    self.run(body, env)
            case ("if", (test, then, other)):
                self.run([then if _is_true(self.value(test, env)) else other], env)
            case ("dotimes", (Group(items=(name, number)), *body)):
                for turn in range(self.value(number, env)):
                    self.run(body, bound(name, turn, env))
            case _:
                raise AssertionError(word)

    def repeat(self, bindings: Sequence[Form], body: Sequence[Form], env: Environment) -> None:
        if not bindings:
            self.run(body, env)
            return
        for element in self.value(bindings[1], env):
            self.repeat(bindings[2:], body, bound(bindings[0], element, env))

    def observe(self, probability: float, value: Any) -> Any:
        assert probability == 0.5 and value is True
        self.log_weight += log(0.5)
        return value

    def predict(self, label: str, value: Any) -> None:
        number, unique = 1, label
        while unique in self.predicts:
            number += 1
            unique = f"{label}#{number}"
        self.predicts[unique] = value

    # Expressions

    def value(self, form: Form, env: Environment) -> Any:
        match form:
            case Atom(value):
                return value
            case Name(text) if text.startswith(":"):
                return text
            case Name(text):
                known = [names for names in (env, self.globals, PRIMITIVES) if text in names]
                return known[0][text]
            case Group("[", (Name("observe"), source, value)) | Group("(", (Name("observe"), source, value)):
                return self.observe(self.value(source, env), self.value(value, env))
            case Group("{", items):
                return {self.value(key, env): self.value(value, env) for key, value in zip(items[::2], items[1::2])}
            case Group("[", items):
                return [self.value(item, env) for item in items]
            case Group("(", (Name(word), *rest)) if hasattr(self, f"form_{_python(word)}"):
                return getattr(self, f"form_{_python(word)}")(rest, env)
            case Group("(", (operator, *arguments)):
                procedure = self.value(operator, env)
                return procedure(*[self.value(argument, env) for argument in arguments])
            case _:
                raise AssertionError(form)

    def body(self, forms: Sequence[Form], env: Environment) -> Any:
        first, *rest = forms
        match first:
            case Group(items=(Name("define" | "assume" | "def" | "defn"), *_)) if rest:
                return self.body(*self.defined(forms, env))
        value = self.value(first, env)
        return self.body(rest, env) if rest else value

    def defined(self, forms: Sequence[Form], env: Environment) -> tuple[Sequence[Form], Environment]:
        """What is left of a body behind the definitions that it starts with, and the environment there.

        Procedures that follow each other without another of the same name see each other."""
        inner = dict(env)
        mine: set[str] = set()
        while True:
            match forms[0]:
                case Group(items=(Name("define"), Group("(", (Name(name), *parameters)), *body)):
                    named, value = (
                        name,
                        Group("(", (Name("fn", 0, 0), Group("[", tuple(parameters), 0, 0), *body), 0, 0),
                    )
                case Group(
                    items=(
                        Name("define" | "assume" | "def"),
                        Name(name),
                        Group("(", (Name("fn"), Group(), *_)) as value,
                    )
                ):
                    named = name
                case Group(items=(Name("define" | "assume" | "def"), target, other)):
                    return forms[1:], bound(target, self.value(other, inner), inner)
                case _:
                    return forms, inner
            if named in mine:
                return forms, inner
            mine.add(named)
            inner[named] = self.value(value, inner)  # a procedure, which looks its names up when it runs
            forms = forms[1:]

    def procedure(self, parameters: Sequence[Form], body: Sequence[Form], env: Environment) -> Callable[..., Any]:
        def procedure(*arguments: Any) -> Any:
            return self.body(body, _elements(parameters, list(arguments), {**env, "recur": procedure}))

        return procedure

    def form_fn(self, rest: Sequence[Form], env: Environment) -> Any:
        match rest:
            case (Name(name), Group("(", (Group("["), *_)), *_):
                inner = dict(env)
                inner[name] = self.form_fn(rest[1:], inner)
                return inner[name]
            case (Group("(", (Group("["), *_)), *_):
                bodies = {len(clause.items[0].items): clause for clause in rest}  # type: ignore[union-attr] # groups
                found = {n: self.procedure(c.items[0].items, c.items[1:], env) for n, c in bodies.items()}  # type: ignore[union-attr] # groups
                return lambda *arguments: found[len(arguments)](*arguments)
            case (Name(name), Group(items=parameters), *body):
                inner = dict(env)
                inner[name] = self.procedure(parameters, body, inner)
                return inner[name]
            case (Group(items=parameters), *body):
                return self.procedure(parameters, body, env)

    form_lambda = form_fn

    def form_let(self, rest: Sequence[Form], env: Environment) -> Any:
        for target, value in _bindings(rest[0]):
            env = bound(target, self.value(value, env), env)
        return self.body(rest[1:], env)

    form_letx = form_let

    def form_letrec(self, rest: Sequence[Form], env: Environment) -> Any:
        inner = dict(env)
        for target, value in _bindings(rest[0]):
            inner[_text(target)] = self.value(value, inner)  # a procedure, which looks its names up when it runs
        return self.body(rest[1:], inner)

    def form_loop(self, rest: Sequence[Form], env: Environment) -> Any:
        targets, values, inner = [], [], env
        for target, start in _bindings(rest[0]):
            targets.append(target)
            values.append(self.value(start, inner))
            inner = bound(target, values[-1], inner)
        return self.procedure(targets, rest[1:], env)(*values)

    def form_recur(self, rest: Sequence[Form], env: Environment) -> Any:
        return env["recur"](*[self.value(form, env) for form in rest])

    def form_short(self, rest: Sequence[Form], env: Environment) -> Any:
        def procedure(*arguments: Any) -> Any:
            given = {f"%{number}": argument for number, argument in enumerate(arguments, 1)}
            return self.value(rest[0], {**env, **given, "%": arguments[0]})

        return procedure

    def form_thread(self, rest: Sequence[Form], env: Environment) -> Any:
        """(-> x (f y)), the only use that is made of it."""
        value, step = rest
        assert isinstance(step, Group)
        return self.value(step._replace(items=(step.items[0], value, *step.items[1:])), env)

    def form_thread_as(self, rest: Sequence[Form], env: Environment) -> Any:
        value, target, *steps = rest
        for step in (*steps, target):
            env = bound(target, self.value(value, env), env)
            value = step
        return self.value(value, env)

    def form_if_let(self, rest: Sequence[Form], env: Environment) -> Any:
        ((target, test),) = _bindings(rest[0])
        value = self.value(test, env)
        if not _is_true(value):
            return self.value(rest[2], env) if len(rest) == 3 else None
        return self.value(rest[1], bound(target, value, env))

    def form_when_let(self, rest: Sequence[Form], env: Environment) -> Any:
        ((target, test),) = _bindings(rest[0])
        value = self.value(test, env)
        return self.body(rest[1:], bound(target, value, env)) if _is_true(value) else None

    def form_condp(self, rest: Sequence[Form], env: Environment) -> Any:
        predicate, key, *clauses, default = rest
        value = self.value(key, env)
        for test, result in zip(clauses[::2], clauses[1::2]):
            if _is_true(self.value(predicate, env)(self.value(test, env), value)):
                return self.value(result, env)
        return self.value(default, env)

    def form_for(self, rest: Sequence[Form], env: Environment) -> Any:
        header, *body = rest
        assert isinstance(header, Group)
        return self.each(header.items, body, env)

    def each(self, bindings: Sequence[Form], body: Sequence[Form], env: Environment) -> list[Any]:
        match bindings:
            case ():
                return [self.body(body, env)]
            case (Name(":when"), test, *rest):
                return self.each(tuple(rest), body, env) if _is_true(self.value(test, env)) else []
            case (Name(":let"), inner, *rest):
                for target, value in _bindings(inner):
                    env = bound(target, self.value(value, env), env)
                return self.each(tuple(rest), body, env)
            case (target, sequence, *rest):
                elements = self.value(sequence, env)
                return [x for element in elements for x in self.each(tuple(rest), body, bound(target, element, env))]
        raise AssertionError(bindings)

    def form_doseq(self, rest: Sequence[Form], env: Environment) -> Any:
        self.form_for(rest, env)

    def form_dotimes(self, rest: Sequence[Form], env: Environment) -> Any:
        header, *body = rest
        assert isinstance(header, Group)
        for turn in range(self.value(header.items[1], env)):
            self.body(body, bound(header.items[0], turn, env))

    def form_if(self, rest: Sequence[Form], env: Environment) -> Any:
        test, then, other = rest
        return self.value(then if _is_true(self.value(test, env)) else other, env)

    def form_cond(self, rest: Sequence[Form], env: Environment) -> Any:
        for test, value in zip(rest[::2], rest[1::2]):
            if test == Name(":else", test.start, test.end) or _is_true(self.value(test, env)):
                return self.value(value, env)
        raise AssertionError("no else")

    def form_case(self, rest: Sequence[Form], env: Environment) -> Any:
        key, *clauses, default = rest
        value = self.value(key, env)
        for test, result in zip(clauses[::2], clauses[1::2]):
            if isinstance(test, Atom) and test.value == value:
                return self.value(result, env)
        return self.value(default, env)

    def form_when(self, rest: Sequence[Form], env: Environment) -> Any:
        return self.body(rest[1:], env) if _is_true(self.value(rest[0], env)) else None

    def form_and(self, rest: Sequence[Form], env: Environment) -> Any:
        first = self.value(rest[0], env)
        return self.value(rest[1], env) if _is_true(first) else first

    def form_or(self, rest: Sequence[Form], env: Environment) -> Any:
        first = self.value(rest[0], env)
        return first if _is_true(first) else self.value(rest[1], env)

    def form_do(self, rest: Sequence[Form], env: Environment) -> Any:
        return self.body(rest, env)

    form_begin = form_do

    def form_sample(self, rest: Sequence[Form], env: Environment) -> Any:
        return self.value(rest[0], env)

    def form_mem(self, rest: Sequence[Form], env: Environment) -> Any:
        procedure, entries = self.value(rest[0], env), {}

        def memoised(*arguments: int) -> Any:
            if arguments not in entries:
                entries[arguments] = procedure(*arguments)
            return entries[arguments]

        return memoised


def bound(target: Form, value: Any, env: Environment) -> Environment:
    """An environment with the names of a target bound to the parts of a value."""
    if isinstance(target, Group) and target.bracket == "{":
        return _entries(target, value, env)
    if isinstance(target, Group):
        return _elements(target.items, value, env)
    return env if _text(target) == "_" else {**env, _text(target): value}


def _entries(target: Group, value: Mapping[Any, Any], env: Environment) -> Environment:
    """{:keys [a b] pattern :key :or {a 1} :as all}; the programs have literals for defaults."""
    pairs = list(zip(target.items[::2], target.items[1::2]))
    defaults: dict[str, Any] = {}
    for word, given in pairs:
        if isinstance(word, Name) and word.text == ":or" and isinstance(given, Group):
            literals = zip(given.items[::2], given.items[1::2])
            defaults = {_text(name): literal.value for name, literal in literals if isinstance(literal, Atom)}
    for word, given in pairs:
        match word, given:
            case Name(":keys"), Group(items=names):
                for name in names:
                    env = bound(name, value.get(f":{_text(name)}", defaults.get(_text(name))), env)
            case Name(":as"), _:
                env = bound(given, value, env)
            case Name(":or"), _:
                pass
            case Name(text), Name(key):
                env = bound(word, value.get(key, defaults.get(text)), env)
            case _, Name(key):
                env = bound(word, value[key], env)
    return env


def _elements(targets: Sequence[Form], values: Sequence[Any], env: Environment) -> Environment:
    if len(targets) > 1 and isinstance(targets[-2], Name) and targets[-2].text == ":as":
        env = bound(targets[-1], list(values), env)
        targets = targets[:-2]
    for position, target in enumerate(targets):
        if isinstance(target, Name) and target.text in ("&", "."):
            return bound(targets[position + 1], list(values[position:]), env)
        env = bound(target, values[position], env)
    return env


def _bindings(form: Form) -> list[tuple[Form, Form]]:
    assert isinstance(form, Group)
    if form.bracket == "[":
        return list(zip(form.items[::2], form.items[1::2]))
    return [(pair.items[0], pair.items[1]) for pair in form.items if isinstance(pair, Group)]


def _is_true(value: Any) -> bool:
    return value is not None and value is not False


def _text(form: Form) -> str:
    assert isinstance(form, Name)
    return form.text


def _python(word: str) -> str:
    return {"->": "thread", "as->": "thread_as", "#()": "short"}.get(word) or word.replace("*", "x").replace("-", "_")
