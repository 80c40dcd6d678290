"""The report of a run: one page of HTML with all that is known of it, for any browser, without a network.

The page has no script, and a policy in its head that forbids any, and everything from elsewhere. All that comes from
the model or its data is escaped. It is light or dark as the reader's system is, and as wide as its window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from pplc_runtime.results import genealogy_svg, graph, html, svg
from pplc_runtime.results.columns import Component, components, shown
from pplc_runtime.results.graph import Graph, legend
from pplc_runtime.results.summary import (
    MOST_COMPONENTS,
    NumberRow,
    ProbabilityRow,
    Summary,
    shown_count,
    shown_number,
    shown_rhat,
)
from pplc_runtime.version import VERSION

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

MOST_FIGURES = 40
MOST_MOVING = 8
"""Of a run that goes on."""
MOST_VALUES = 12
STYLE = """
html { background: #ffffff; } @media (prefers-color-scheme: dark) { html { background: #161618; } }
body { margin: 0 auto; padding: 16px; max-width: 1180px; background: var(--pplc-ground); }
h1 { font-size: 22px; margin: 8px 0; overflow-wrap: anywhere; }
"""
_OF_SECTIONS = """
.pplc h2 { font-size: 17px; margin: 28px 0 8px; }
.pplc h3 { font: 13px ui-monospace, monospace; margin: 0 0 4px; overflow-wrap: anywhere; }
.pplc pre { font: 13px/1.5 ui-monospace, monospace; overflow: auto; max-height: 640px; margin: 0;
  padding: 10px 12px; border-radius: 4px; border: 1px solid var(--pplc-rule); }
.pplc pre span { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
.pplc pre .no { float: left; color: var(--pplc-pale); user-select: none; }
.pplc .columns { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.pplc figure { margin: 0; } .pplc .panels { display: flex; flex-wrap: wrap; gap: 12px; }
.pplc .panels svg { flex: 26 1 200px; min-width: 0; max-width: 312px; }
.pplc .panels svg + svg { flex: 42 1 323px; max-width: 504px; }
"""
PARTS = f"{svg.STYLE}{html.STYLE}{graph.STYLE}{genealogy_svg.STYLE}{_OF_SECTIONS}"
"""The style of its sections."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report tells of the model."""

    name: str
    text: str
    graph: Graph
    inputs: Mapping[str, Any]


def page(posterior: Posterior, facts: Facts | None) -> str:
    """The whole page."""
    summary = posterior.summary()
    title = "Draws" if facts is None else "A program" if facts.name.startswith("<") else facts.name  # it is in no file
    body = _written(_sections(posterior, summary, facts))
    made = f'<p class="small">pplc {escape(VERSION)}</p>'
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{PARTS}{STYLE}</style>"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body class="pplc"><h1>{escape(title)}</h1>{made}'
        f"{body}</body></html>\n"
    )


def sections(posterior: Posterior, facts: Facts | None) -> str:
    """What the page has below its title, for a page of another's; `PARTS` is the style of it."""
    return _written(_sections(posterior, posterior.summary(), facts))


def so_far(posterior: Posterior) -> str:
    """The same of a run that goes on: what changes with every sweep."""
    summary = posterior.summary()
    return _written(
        [("", html.summary_of(posterior, summary, with_notes=False)), *_pictures(posterior, summary, MOST_MOVING)]
    )


def _written(sections: Iterable[tuple[str, str]]) -> str:
    return "".join(
        f"<section>{f'<h2>{escape(name)}</h2>' if name else ''}{content}</section>" for name, content in sections
    )


def _sections(posterior: Posterior, summary: Summary, facts: Facts | None) -> Iterator[tuple[str, str]]:
    if summary.notes:
        yield "What to look at", "".join(html.notes(summary.notes)) + _advice(summary.notes)
    yield "Summary", html.summary_of(posterior, summary, with_notes=False)
    yield from _pictures(posterior, summary, MOST_FIGURES)
    if summary.numbers or summary.probabilities:
        yield "Effective draws", _effective(posterior, summary)
    found = posterior.genealogies()
    if found:
        (chain, number), genealogy = next(iter(found.items()))
        where = f"Chain {chain}, sweep {number}: " if posterior.chains > 1 else f"Sweep {number}: "
        yield (
            "Genealogy",
            f'<p class="small">{escape(where + genealogy.sentence())}</p>{genealogy_svg.genealogy_svg(genealogy)}',
        )
    if facts is not None:
        yield "Model", _model(facts)
        if facts.inputs:
            yield "Data", _data(facts.inputs)


def _pictures(posterior: Posterior, summary: Summary, most: int) -> Iterator[tuple[str, str]]:
    figures = list(_figures(posterior, summary, most))
    if figures:
        more = f'<p class="small">{len(summary.numbers) - len(figures)} more are not drawn</p>'
        yield (
            "Densities and traces" if posterior.is_chain else "Densities",
            f'<div class="columns">{"".join(figures)}</div>{more if len(summary.numbers) > len(figures) else ""}',
        )


def _advice(notes: Sequence[str]) -> str:
    """What can be done, for the kinds of notes that there are."""
    said = " ".join(notes)
    advice = [
        ("effective draw", "Few effective draws: averages are only as good as so many independent draws would make "
         "them. More sweeps of a chain, or more particles of smc and importance, give more of them."),
        ("rhat", "Chains that do not agree have not forgotten where they began: do more sweeps, or leave out more of "
         "the first ones (--burn-in)."),
        ("stuck", "A chain that is stuck keeps its values: more particles help, pgas renews what icsmc does not, and a "
         "prior of the size of the data lets more of them fit."),
        ("degenerate", "Particles that descend from few have lost their variety by resampling: use more particles, or "
         "resample less (--ess-threshold 0.5 --resampling systematic)."),
        ("only some of them come to", "Particles are resampled at an observe that all of them come to together."),
        ("log evidence", "An evidence that rests on few sweeps may be far off: use more particles."),
    ]  # fmt: skip
    items = "".join(f"<li>{escape(text)}</li>" for key, text in advice if key in said)
    return f'<ul class="small">{items}</ul>' if items else ""


def _figures(posterior: Posterior, summary: Summary, most: int) -> Iterator[str]:
    rows = {row.label: row for row in summary.numbers[:most]}
    for label in posterior.labels:
        values, weights = posterior.values(label)
        for component in islice(components(label, values), MOST_COMPONENTS):
            row = rows.pop(component.label, None)
            if row is not None:
                yield _figure(posterior, label, component, weights, row)


def _figure(posterior: Posterior, label: str, component: Component, weights: Any, row: NumberRow) -> str:
    numbers = np.asarray(component.values, dtype=np.float64)
    told = f"mean {shown_number(row.mean)}, sd {shown_number(row.sd)}, 90% in {shown_number(row.low)} to "
    told += f"{shown_number(row.high)}, effective draws {shown_count(row.effective)}"
    if row.rhat is not None:
        told += f", rhat {shown_rhat(row.rhat)}"
    panels = svg.density(numbers, weights, [row.mean], f"density of {row.label}")
    if posterior.is_chain:
        panels += svg.framed_traces(posterior.series(label, numbers), f"trace of {row.label}")
    caption = f'<figcaption class="small">{escape(told)}</figcaption>'
    return f'<figure><h3>{escape(row.label)}</h3><div class="panels">{panels}</div>{caption}</figure>'


def _effective(posterior: Posterior, summary: Summary) -> str:
    """Bars, the fewest first: what to look at is on top."""
    found: dict[str, float] = {}
    rows: list[NumberRow | ProbabilityRow] = [*summary.numbers, *summary.probabilities]
    for row in rows:
        if isfinite(row.effective):
            found[row.label] = min(row.effective, found.get(row.label, row.effective))
    total = sum(int((sweep.log_weights > -np.inf).sum()) for sweep in posterior.sweeps)
    said = f"of {total} weighted draws in {len(posterior.sweeps)} sweeps"
    if not found:
        return f'<p class="small">{said}: nothing varies, so that nothing can be told</p>'
    worst = sorted(found.items(), key=lambda item: item[1])[:MOST_FIGURES]
    most = max(found.values())
    body = [
        [escape(label), escape(shown_count(value)), svg.bar(value / most if most else 0, f"{label}", 240)]
        for label, value in worst
    ]
    return html.table(["predict", "eff. draws", ""], body) + f'<p class="small">{said}</p>'


def _model(facts: Facts) -> str:
    lines = facts.text.splitlines()
    wide = len(str(len(lines)))
    row = f'<span style="padding-left: {wide + 2}ch"><span class="no" style="margin-left: -{wide + 2}ch">'
    text = "".join(f"{row}{k:>{wide}}</span>{escape(line) or ' '}</span>" for k, line in enumerate(lines, 1))
    kinds = legend([node.kind for node in facts.graph.nodes])
    drawn = f'<div class="wide">{facts.graph.svg()}</div><p class="small">{escape(kinds)}</p>'
    return f'<div class="columns"><pre>{text}</pre><div>{drawn}</div></div>' if lines else drawn


def _data(inputs: Mapping[str, Any]) -> str:
    body = []
    for name, value in inputs.items():
        kind, picture = "", ""
        if isinstance(value, np.ndarray):
            kind = f"vector of {len(value)}" if value.ndim == 1 else f"matrix {value.shape[0]} × {value.shape[1]}"
            if value.ndim == 1 and len(value) > 1:
                picture = svg.traces([value.astype(np.float64)], f"the values of {name}", 200, 30)
        elif isinstance(value, tuple):
            kind = f"sequence of {len(value)}"
        body.append([escape(name), escape(kind), escape(_short(value)), picture])
    return html.table(["input", "", "values", ""], body)


def _short(value: Any) -> str:
    """A value, its first elements of many."""
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(items, list | tuple):
        few = " ".join(_short(item) for item in items[:MOST_VALUES])
        return f"[{few}{f' … {len(items) - MOST_VALUES} more' if len(items) > MOST_VALUES else ''}]"
    text = f"{items:.6g}" if isinstance(items, float) else shown(items)
    return text if len(text) <= 80 else text[:79] + "…"
