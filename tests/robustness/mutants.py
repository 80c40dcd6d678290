"""Programs that nobody wrote: mutated ones, and words put together at random."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from pplc.languages.forms import SPECIAL, STATEMENTS
from pplc_runtime.program.names import SIGNATURES

PROGRAMS: Final = [
    text
    for path in sorted((Path(__file__).parents[2] / "programs").glob("*.clj"))
    if len(text := path.read_text(encoding="utf-8")) < 4000
]
TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[()\[\]{}\']|[^\s()\[\]{}\'",;]+|;[^\n]*\n|\s+')
WORDS: Final = [
    *SIGNATURES, *SPECIAL * 4, *STATEMENTS * 2,
    "0", "1", "-1", "2.5", "nil", "true", '"a"', ":k", "x", "&", "_", *"()[]{}'",
]  # fmt: skip
VALUES: Final = [
    "0", "1", "-1", "2.5", "nil", "true", "false", '"a"', ":k", "[1 2]", "[]", "'(1 2)", "{:a 1}", "1e300", "(/ 0. 0.)",
    "+", "normal", "(normal 0 1)", "(crp 1.0)", "[[1 2] [3 4]]", "(fn [] 1)", "(fn [x] x)", "(fn [x y] y)",
    "(sample (flip 0.5))", "(sample (normal 0 1))", "(sample (uniform-discrete 0 3))",
    "(sample (mvn [0 0] [[1 0] [0 1]]))", '(if (sample (flip 0.5)) 1 "b")', "(if (sample (flip 0.5)) [1 2] [3])",
    "(if (sample (flip 0.5)) + -)", "(mem (fn [x] (sample (normal x 1))))",
]  # fmt: skip

Tree: TypeAlias = "list[str | Tree]"


def with_wrong_tokens(rng: Random) -> str:
    """A program in which tokens are deleted, doubled, swapped or replaced."""
    tokens: list[str] = TOKEN.findall(rng.choice(PROGRAMS))
    for _ in range(rng.randint(1, 4)):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(4):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, tokens[at])
            case 2:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case _:
                tokens[at] = f" {rng.choice(WORDS)} "
    return "".join(tokens)


def with_wrong_forms(rng: Random) -> str:
    """A program with its brackets right, in which a form stands where another should."""
    text = rng.choice(PROGRAMS)
    for _ in range(rng.randint(1, 3)):
        tree = _tree(text)
        places = _places(tree)
        inside, at = rng.choice(places)
        match rng.randrange(4):
            case 0:
                source, other = rng.choice(places)
                inside[at] = _text(source[other])
            case 1:
                name = rng.choice(list(SIGNATURES))
                more = [rng.choice(VALUES) for _ in range(rng.randint(0, 2))]
                inside[at] = " ".join(["(", name, _text(inside[at]), *more, ")"])
            case _:
                inside[at] = rng.choice(VALUES)
        text = _text(tree)
    return text


def soup(rng: Random) -> str:
    """A program of the right shape with anything in it."""

    def form(depth: int) -> str:
        if depth == 0 or rng.random() < 0.3:
            return rng.choice([*VALUES, "x", "f"])
        return f"({rng.choice(WORDS[:-9])} {' '.join(form(depth - 1) for _ in range(rng.randint(0, 3)))})"

    return f"[assume x {form(2)}]\n[assume f (fn [x] {form(3)})]\n[observe {form(2)} {form(1)}]\n[predict {form(3)}]"


def _tree(text: str) -> Tree:
    stack: list[Tree] = [[]]
    for token in TOKEN.findall(text):
        if token.isspace() or token.startswith(";"):
            continue
        if token in "([{":
            stack.append([token])
            continue
        if token in ")]}":
            done = stack.pop()
            done.append(token)
            stack[-1].append(done)
            continue
        stack[-1].append(token)
    return stack[0]


def _text(tree: str | Tree) -> str:
    return tree if isinstance(tree, str) else " ".join(map(_text, tree))


def _places(tree: Tree) -> list[tuple[Tree, int]]:
    """Where the forms of a tree are: groups, and what is inside of them after the operator."""
    found: list[tuple[Tree, int]] = []
    for at, item in enumerate(tree):
        if isinstance(item, list):
            found.append((tree, at))
            found.extend(_places(item))
        elif 1 < at < len(tree) - 1 and tree[0] in ("(", "[", "{"):
            found.append((tree, at))
    return found
