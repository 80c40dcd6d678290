"""A part of scopes: expressions and procedures that have a value of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .scoped_names import ENTRIES, INITIAL, INT, ITSELF, KINDS, PAIRS, RANDOM, Kind, Known, Names, Procedure, Scope

COIN: Final = ("(observe (flip 0.5) true)", "[observe (flip 0.5) true]")


@dataclass(slots=True)
class Values(Names):
    """Writes expressions."""

    short: str = ""
    """Where #(...) is being written, its start."""

    def value(self, kind: Kind, scope: Scope, depth: int) -> str:
        names = self.reading(kind, scope)
        if names and self.rng.random() < (0.3 if depth > 0 else 0.8):
            return self.rng.choice(names)
        if isinstance(kind, Procedure):
            return self.procedure(kind.arity, scope, depth)
        if isinstance(kind, tuple):
            parts = " ".join([self.value(part, scope, depth - 1) for part in kind])
            as_list = self.visible(scope).get("list") == INITIAL["list"] and self.rng.random() < 0.2
            return f"(list {parts})" if as_list else f"[{parts}]"
        if depth <= 0:
            return str(self.rng.randint(0, 9))
        options = (self.arithmetic, self.let, self.call, self.choice, self.let, self.loop, self.letrec)
        more = (self.threaded, self.tested, self.listed, self.entries, self.defining)
        return self.rng.choice((*options, *more))(scope, depth - 1)

    def threaded(self, scope: Scope, depth: int) -> str:
        if self.rng.random() < 0.5:
            first, second = self.value(INT, scope, depth), self.value(INT, scope, depth)
            return f"(-> {first} ({self.value(Procedure(2), scope, depth)} {second}))"
        name = self.rng.choice(self.names)
        inner = {**scope, name: Known(INT, self.quiet)}
        values = [self.value(INT, scope, depth), self.value(INT, inner, depth), self.value(INT, inner, depth)]
        return f"(as-> {values[0]} {name} {values[1]} {values[2]})"

    def tested(self, scope: Scope, depth: int) -> str:
        """Tests that bind, and condp."""
        kind = self.rng.choice([INT, *PAIRS])
        target, found = self.target(kind)
        other = self.value(INT, scope, depth)
        test = f"(if (< {other} 5) {self.value(kind, scope, depth)} nil)"
        inner = {**scope, **found}
        if self.rng.random() < 0.3:
            clause = f"{self.value(INT, scope, depth)} {self.value(INT, scope, depth)}"
            return f"(condp {self.rng.choice(['<', '(fn [c x] (< x c))'])} {other} {clause} {other})"
        if self.rng.random() < 0.5:
            return f"(if-let [{target} {test}] {self.value(INT, inner, depth)} {other})"
        return f"(or (when-let [{target} {test}] {self.body(inner, depth)}) {other})"

    def listed(self, scope: Scope, depth: int) -> str:
        """A comprehension: bindings, tests and lets in any order."""
        pieces: list[str] = []
        inner = scope
        for turn in range(self.rng.randint(1, 3)):
            match self.rng.randrange(4 if turn else 2):
                case 2:
                    pieces.append(f":when (< {self.value(INT, inner, 0)} 5)")
                case 3:
                    kind = self.rng.choice(KINDS)
                    value = self.value(kind, inner, 0)
                    target, found = self.target(kind)
                    pieces.append(f":let [{target} {value}]")
                    inner = {**inner, **found}
                case _:
                    kind = self.rng.choice([INT, *PAIRS])
                    values = f"[{self.value(kind, inner, 0)} {self.value(kind, inner, 0)}]"
                    target, found = self.target(kind)
                    pieces.append(f"{target} {values}")
                    inner = {**inner, **found}
        if not self.quiet and self.rng.random() < 0.3:
            name, times = self.rng.choice(self.names), self.rng.randint(0, 2)
            header = [f"doseq [{' '.join(pieces)}]", f"dotimes [{name} {times}]"]
            seen = [inner, {**scope, name: Known(INT, self.quiet)}]
            which = self.rng.randrange(2)
            return f"(do ({header[which]} {self.body(seen[which], 0)}) {self.value(INT, scope, depth)})"
        return f"(mod (sum (for [{' '.join(pieces)}] {self.body(inner, depth)})) 10)"

    def entries(self, scope: Scope, depth: int) -> str:
        """A map taken apart, by let or as an argument."""
        a, b, c = self.rng.sample(self.names, 3)
        kind = self.rng.choice(PAIRS)
        given = f":{b} {self.value(INT, scope, depth)}" if self.rng.random() < 0.5 else ""
        value = f"{{:{a} {self.value(INT, scope, depth)} {given} :inner {self.value(kind, scope, depth)}}}"
        target, found = self.target(kind, frozenset({a, b, c}))
        words = [f":keys [{a} {b}]", f":or {{{b} {self.rng.randint(0, 9)}}}", f"{target} :inner", f":as {c}"]
        self.rng.shuffle(words)
        inner = {**scope, **self.numbers([a, b]), **found, c: Known(ENTRIES, self.quiet)}
        pattern = f"{{{' '.join(words)}}}"
        if self.rng.random() < 0.5:
            return f"(let [{pattern} {value}] {self.body(inner, depth)})"
        return f"((fn [{pattern}] {self.body(inner, depth)}) {value})"

    def defining(self, scope: Scope, depth: int) -> str:
        """Definitions in a body: a value, two procedures that see each other, and a value again."""
        word = self.rng.choice(["define", "assume", "def"])
        kind = self.rng.choice([INT, *PAIRS])
        value = self.value(kind, scope, depth)
        target, found = self.target(kind)
        inner = {**scope, **found}
        one, other, counter = self.rng.sample(self.names, 3)
        seen = {**inner, **dict.fromkeys([one, other], Known(ITSELF, self.quiet))}
        first = self.counting(f"({other} (- {counter} 1))", [counter], seen, depth)
        second = (
            f"(if (< {counter} 8) (do {self.body({**seen, **self.numbers([counter])}, 0)}) ({one} (- {counter} 1)))"
        )
        inner = {**inner, **dict.fromkeys([one, other], Known(Procedure(1), self.quiet))}
        return (
            f"(do ({word} {target} {value}) ({word} {one} {first}) (define ({other} {counter}) {second}) "
            f"{self.body(inner, depth)})"
        )

    def arithmetic(self, scope: Scope, depth: int) -> str:
        first, second = self.value(INT, scope, depth), self.value(INT, scope, depth)
        seen = self.visible(scope)
        match self.rng.randrange(5):
            case 0 if not self.quiet:
                return f"(sample (dirac {first}))"
            case 1 if seen.get("nth") == INITIAL["nth"]:
                return f"(nth [{first} {second}] {self.rng.randint(0, 1)})"
            case 2 if seen.get("first") == INITIAL["first"]:
                return f"(first [{first} {second}])"
            case 3:
                return f"(mod (sum (map {self.value(Procedure(1), scope, depth)} [{first} {second}])) 10)"
            case _:
                return f"(mod (+ {first} {second}) 10)"

    def call(self, scope: Scope, depth: int) -> str:
        arity = self.rng.randint(1, 2)
        arguments = " ".join([self.value(INT, scope, depth) for _ in range(arity)])
        procedure = self.value(Procedure(arity), scope, depth)
        return f"(apply {procedure} [{arguments}])" if self.rng.random() < 0.2 else f"({procedure} {arguments})"

    def choice(self, scope: Scope, depth: int) -> str:
        a, b, c = [self.value(INT, scope, depth) for _ in range(3)]
        forms = (
            f"(if (< {a} 5) {b} {c})",
            f"(cond (< {a} 3) {b} (< {a} 6) {a} :else {c})",
            f"(case {a} 1 {b} 2 {a} {c})",
            f"(or (when (< {a} 5) {b}) {c})",
            f"(and {b} {a})",
            f"(do {self.body(scope, depth)})",
        )
        if not self.quiet and self.rng.random() < 0.3:
            return self.drawn(scope, depth)
        return self.rng.choice(forms)

    def drawn(self, scope: Scope, depth: int) -> str:
        """A draw on which particles disagree, and which leaves the value as it is."""
        if self.rng.random() < 0.5:
            body = self.body(scope, depth)
            return f"(if (sample (flip 0.5)) (do {body}) (do {body}))"
        name = self.rng.choice(self.names)
        value = self.value(INT, {**scope, name: Known(RANDOM, False)}, depth)
        return f"(let [{name} (sample (uniform-discrete 0 10))] (- (+ {value} {name}) {name}))"

    def let(self, scope: Scope, depth: int) -> str:
        pairs: list[tuple[str, str]] = []
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(KINDS)
            value = self.value(kind, scope, depth)
            target, found = self.target(kind)
            pairs.append((target, value))
            scope = {**scope, **found}
        return f"({self.rng.choice(['let', 'let*'])} {self.bindings(pairs)} {self.body(scope, depth)})"

    def letrec(self, scope: Scope, depth: int) -> str:
        """Two procedures that call each other a few times."""
        one, other, counter = self.rng.sample(self.names, 3)
        inner = {**scope, **dict.fromkeys([one, other], Known(ITSELF, self.quiet))}
        pairs = [
            (name, self.counting(f"({partner} (- {counter} 1))", [counter], inner, depth))
            for name, partner in ((one, other), (other, one))
        ]
        scope = {**scope, **dict.fromkeys([one, other], Known(Procedure(1), self.quiet))}
        return f"(letrec {self.bindings(pairs)} {self.body(scope, depth)})"

    def loop(self, scope: Scope, depth: int) -> str:
        """A loop over a counter and something else."""
        counter = self.rng.choice(self.names)
        kind = self.rng.choice([INT, *PAIRS])
        target, found = self.target(kind, frozenset({counter}))
        first, second = [counter, target], {counter: Known(INT, self.quiet)}
        if self.rng.random() < 0.5:
            first, second = [target, counter], found
        pairs: list[tuple[str, str]] = []
        inner = dict(scope)
        for name in first:
            start = str(self.rng.randint(6, 9)) if name == counter else self.value(kind, inner, depth)
            pairs.append((name, start))
            inner.update(second if name == first[0] else {counter: Known(INT, self.quiet), **found})
        others = [name for name in self.names if name not in {counter, *found}]
        if others and self.rng.random() < 0.5:
            name, other = self.rng.choice(others), self.rng.choice([INT, *PAIRS])
            pairs.append((name, self.value(other, inner, 0)))
            inner[name] = Known(other, self.quiet)
        around, hiding = self.around({counter, *found, *[name for name, _ in pairs]}, inner)
        again = {target: self.value(kind, hiding, 1), counter: f"(- {counter} 1)"}
        call = around.format(f"(recur {' '.join([again.get(name, name) for name, _ in pairs])})")
        return f"(loop {self.bindings(pairs)} (if (< {counter} 7) (do {self.body(inner, depth)}) {call}))"

    def around(self, kept: set[str], scope: Scope) -> tuple[str, Scope]:
        """A let around a form that hides none of the names that are kept, and the scope inside of it."""
        others = [name for name in self.names if name not in kept]
        if not others or self.rng.random() < 0.5:
            return "{}", scope
        name, kind = self.rng.choice(others), self.rng.choice(KINDS)
        text = f"(let [{name} {self.value(kind, scope, 0)}] {{}})"
        return text, {**scope, name: Known(kind, self.quiet)}

    # Procedures and bodies

    def procedure(self, arity: int, scope: Scope, depth: int) -> str:
        if self.rng.random() < 0.15:
            return f"(mem {self.procedure(arity, scope, depth)})"
        form = self.rng.randrange(6)
        if form == 0:
            return self.recurring(arity, scope, depth)
        if form == 4:
            name = self.rng.choice(["", self.rng.choice(self.names)])
            inner = {**scope, name: Known(ITSELF, self.quiet)} if name else scope
            return f"(fn {name} {self.clauses(arity, inner, depth)})"
        if form == 5 and "#(" not in self.short:
            return self.shortly(arity, scope)
        if form == 1:
            name = self.rng.choice(self.names)
            header, body = self.header(arity, {**scope, name: Known(ITSELF, self.quiet)}, depth)
            return f"(fn {name} [{header}] {body})"
        header, body = self.header(arity, scope, depth)
        return f"(fn [{header}] {body})" if form == 2 else f"(lambda ({header}) {body})"

    def clauses(self, arity: int, scope: Scope, depth: int) -> str:
        """Bodies for several numbers of arguments, of which one is called."""
        texts = []
        for number in self.rng.sample(range(4), 3) if self.rng.random() < 0.5 else [arity, arity + 1]:
            pieces: list[str] = []
            found: dict[str, Known] = {}
            for _ in range(number):
                piece, more = self.target(INT, frozenset(found))
                pieces.append(piece)
                found.update(more)
            texts.append((number, f"([{' '.join(pieces)}] {self.body({**scope, **found}, min(depth, 1))})"))
        if arity not in [number for number, _ in texts]:
            return self.clauses(arity, scope, depth)
        return " ".join([text for _, text in texts])

    def shortly(self, arity: int, scope: Scope) -> str:
        """#(...), in which there can be no other."""
        inner = {**scope, **{f"%{number}": Known(INT, self.quiet) for number in range(1, arity + 1)}}
        self.short = "#("
        text = f"#(mod (+ {self.value(INT, inner, 1)} %{arity}) 10)"
        self.short = ""
        return text

    def recurring(self, arity: int, scope: Scope, depth: int) -> str:
        """A procedure that calls itself a few times, by recur or by its name."""
        parameters = self.rng.sample(self.names, arity)
        name = self.rng.choice(self.names)
        by_name = name not in parameters and self.rng.random() < 0.5
        arguments = " ".join([f"(- {parameters[0]} 1)", *parameters[1:]])
        call = f"({name if by_name else 'recur'} {arguments})"
        kept = {*parameters, name} if by_name else set(parameters)
        scope = {**scope, name: Known(ITSELF, self.quiet)}
        around, _ = self.around(kept, {**scope, **self.numbers(parameters)})
        return self.counting(around.format(call), parameters, scope, depth, name)

    def numbers(self, names: list[str]) -> Scope:
        return {name: Known(INT, self.quiet) for name in names}

    def counting(self, call: str, parameters: list[str], scope: Scope, depth: int, name: str = "") -> str:
        body = self.body({**scope, **self.numbers(parameters)}, min(depth, 1))
        return f"(fn {name} [{' '.join(parameters)}] (if (< {parameters[0]} 8) (do {body}) {call}))"

    def header(self, arity: int, scope: Scope, depth: int = 2) -> tuple[str, str]:
        """The parameters of a procedure of numbers, and its body."""
        pieces: list[str] = []
        found: dict[str, Known] = {}
        rest = self.rng.randint(0, arity) if self.rng.random() < 0.25 else None
        for _ in range(arity if rest is None else rest):
            piece, more = self.target(INT, frozenset(found))
            pieces.append(piece)
            found.update(more)
        if rest is not None:
            name, more = self.target(INT, frozenset(found))
            pieces += [self.rng.choice("&."), name]
            found.update({one: Known((INT,) * (arity - rest), self.quiet) for one in more})
        return " ".join(pieces), self.body({**scope, **found}, depth)

    def body(self, scope: Scope, depth: int) -> str:
        effects = []
        if not self.quiet and self.rng.random() < 0.3:
            coin = self.rng.choice(COIN)
            effects.append(self.rng.choice([coin, f"(when (< {self.value(INT, scope, 0)} 5) {coin})"]))
        return " ".join([*effects, self.value(INT, scope, depth)])

    def bindings(self, pairs: list[tuple[str, str]]) -> str:
        if self.rng.random() < 0.3:
            return f"({' '.join([f'({target} {value})' for target, value in pairs])})"
        return f"[{' '.join([f'{target} {value}' for target, value in pairs])}]"
