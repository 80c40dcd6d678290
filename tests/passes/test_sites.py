"""Sites: addresses are paths of numbers that the text alone decides."""

from __future__ import annotations

from pplc import compile_text
from pplc.languages import core
from pplc.languages.traverse import every_expression, every_statement, expressions
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key

SOURCE = """
[assume f (lambda (x) (letrec [g (lambda (n) (if (= n 0) (sample (normal x 1)) (g (- n 1))))] (first (map g [2]))))]
[assume y (f (sample (normal 0 1)))]
[observe (normal y 1) 2]
[predict y]
"""


def test_no_two_have_the_same_number() -> None:
    program = compile_text(SOURCE).compiled.analysis.program
    found = [
        expr.site
        for statement in every_statement(program.statements)
        for each in expressions(statement)
        for expr in every_expression(each)
        if isinstance(expr, core.Sited) and expr.site
    ]
    assert sorted(found) == list(range(1, len(found) + 1)) and len(found) > 8


def test_addresses_mean_the_same_in_another_compilation() -> None:
    paths = []
    for name in ("one.clj", "two.clj"):
        driver = compile_text(SOURCE, name).program.drivers("icsmc", {}).of(Settings(2, 1))
        plan = driver.engine.plan
        particles = driver.engine.particles(Key.of(1), 2, remember=True)
        for segment in plan.segments:
            particles.extend(segment)
        paths.append({at.path() for at in particles.trajectory(0)})
    assert paths[0] == paths[1] and len(paths[0]) == 2
