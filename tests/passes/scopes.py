"""Random programs that nest every form that binds in every other, with few names, so that they hide each other.

A name may be that of a primitive, or one that the compiler itself likes to use. A generator knows of the kind of value
behind each name that can be seen at a place, so that every program has a value; which one, it leaves to others.
Numbers are small and not negative. Particles may disagree on draws, but not on what comes of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .scoped_names import INITIAL, INT, KINDS, PAIRS, Kind, Known, Procedure, Scope
from .scoped_values import COIN, Values

DOCUMENTED: Final = '"What it does." '


@dataclass(slots=True)
class Generator(Values):
    """Writes one program."""

    loops: frozenset[str] = frozenset()

    def program(self) -> str:
        statements = [self.statement({}, 0) for _ in range(self.rng.randint(2, 4))]
        return "\n".join([*statements, self.predict({})])

    # Statements

    def statement(self, scope: Scope, level: int) -> str:
        free = [name for name in self.names if name not in {*self.globals, *self.loops, *INITIAL}]
        choice = self.rng.random()
        if free and choice < 0.4:
            return self.assume(self.rng.choice(free), scope, level)
        if level < 2 and choice < 0.55:
            return self.under(scope, level, free)
        if level < 2 and choice < 0.8:
            return self.repeat(scope, level)
        if choice < 0.85:
            return self.rng.choice(COIN)
        return self.predict(scope)

    def under(self, scope: Scope, level: int, free: list[str]) -> str:
        """Statements under a let, or a test that is known before the run."""
        kind = self.rng.choice(KINDS)
        before, self.quiet = self.quiet, self.rng.random() < 0.5
        value = self.value(kind, scope, 1)
        target, found = self.target(kind)
        self.quiet = True
        test = f"(< {self.value(INT, scope, 1)} 5)"
        one, other = self.value(INT, scope, 1), self.value(INT, scope, 1)
        self.quiet = before
        choice = self.rng.random()
        if choice < 0.4:
            around = self.loops
            self.loops |= found.keys()
            inside = {**scope, **found}
            text = f"{self.statement(inside, level + 1)} {self.predict(inside)}"
            self.loops = around
            return f"[let [{target} {value}] {text}]"
        if choice < 0.7 and free:
            name = self.rng.choice(free)
            self.globals[name] = Known(INT, True)
            return f"[if {test} [assume {name} {one}] (do [assume {name} {other}] {self.rng.choice(COIN)})]"
        return f"[when {test} {self.predict(scope)} {self.rng.choice(COIN)}]"

    def assume(self, name: str, scope: Scope, level: int) -> str:
        kind = self.rng.choice(KINDS)
        certain = level == 0 and self.rng.random() < 0.6
        before, self.quiet = self.quiet, certain
        form = self.rng.randrange(5)
        if isinstance(kind, tuple) and form == 0:
            return self.assume_parts(kind, scope, certain, before)
        if isinstance(kind, Procedure) and form == 0:
            header, body = self.header(kind.arity, scope)
            text = f"(define ({name} {header}) {body})"
        elif isinstance(kind, Procedure) and form == 1:
            header, body = self.header(kind.arity, scope)
            text = f"(defn {name} {self.rng.choice(['', DOCUMENTED])}[{header}] {body})"
        elif isinstance(kind, Procedure) and form == 2:
            text = f"(defn {name} {self.clauses(kind.arity, scope, 2)})"
        else:
            words = ["assume", "define", "def", *(["input"] if certain else [])]
            text = f"[{self.rng.choice(words)} {name} {self.value(kind, scope, 3)}]"
        self.quiet = before
        self.globals[name] = Known(kind, certain)
        return text

    def assume_parts(self, kind: tuple[Kind, ...], scope: Scope, certain: bool, before: bool) -> str:
        """[assume [a b] e], for what names there are left."""
        value = self.value(kind, scope, 3)
        names, self.names = self.names, [n for n in self.names if n not in {*self.globals, *self.loops, *INITIAL}]
        target, found = self.once(kind)
        self.names, self.quiet = names, before
        self.globals.update({name: Known(known.kind, certain) for name, known in found.items()})
        return f"[assume {target} {value}]"

    def once(self, kinds: tuple[Kind, ...]) -> tuple[str, dict[str, Known]]:
        """A pattern that names nothing twice."""
        while True:
            target, found = self.pattern(kinds, frozenset({"_"}))
            names = [word for word in target.replace("[", " ").replace("]", " ").split() if word in self.names]
            if len(names) == len(set(names)):
                return target, found

    def repeat(self, scope: Scope, level: int) -> str:
        if self.rng.random() < 0.2:
            name, around = self.rng.choice(self.names), self.loops
            self.loops |= {name}
            inside = {**scope, name: Known(INT, True)}
            text = f"{self.statement(inside, level + 1)} {self.predict(inside)}"
            self.loops = around
            return f"[dotimes [{name} {self.rng.randint(1, 2)}] {text}]"
        pieces: list[str] = []
        before = self.loops
        self.quiet = True
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            kind, sequence = self.sequence(scope)
            target, found = self.target(kind)
            pieces += [target, sequence]
            scope = {**scope, **found}
            self.loops |= found.keys()
        self.quiet = False
        body = [self.statement(scope, level + 1) for _ in range(self.rng.randint(1, 2))]
        self.loops = before
        return f"[{self.rng.choice(['for', 'doseq'])} [{' '.join(pieces)}] {' '.join(body)} {self.predict(scope)}]"

    def sequence(self, scope: Scope) -> tuple[Kind, str]:
        """What a for runs over, and the kind of its elements."""
        seen = [
            (known.kind[0], name)
            for name, known in self.visible(scope).items()
            if isinstance(known.kind, tuple) and len(set(known.kind)) == 1
        ]
        if seen and self.rng.random() < 0.6:
            return self.rng.choice(seen)
        kind = self.rng.choice([INT, *PAIRS])
        return kind, f"[{self.value(kind, scope, 1)} {self.value(kind, scope, 1)}]"

    def predict(self, scope: Scope) -> str:
        label = '"p"' if self.rng.random() < 0.7 else f'(str "p" {self.value(INT, scope, 1)})'
        return f"[predict {label} {self.value(self.rng.choice([INT, *PAIRS]), scope, 3)}]"
