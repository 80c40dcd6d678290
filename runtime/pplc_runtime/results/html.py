"""The summary of a posterior as HTML, with small pictures: what a notebook shows, and the heart of the report.

All text that comes from the model or its data is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from pplc_runtime.results import svg
from pplc_runtime.results.columns import Component, components
from pplc_runtime.results.summary import (
    NO_PREDICTS,
    NumberRow,
    ProbabilityRow,
    Summary,
    shown_count,
    shown_number,
    shown_rhat,
)

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

STYLE = """
.pplc { color: var(--pplc-text); font: 14px/1.45 system-ui, sans-serif; }
.pplc .wide { overflow-x: auto; }
.pplc table { border-collapse: collapse; margin: 0 0 6px; font-variant-numeric: tabular-nums; }
.pplc th, .pplc td { padding: 2px 10px 2px 0; text-align: right; border: 0; background: none; vertical-align: middle; }
.pplc th { border-bottom: 1px solid var(--pplc-rule); font-weight: 600; white-space: nowrap; }
.pplc th:first-child, .pplc td:first-child { text-align: left; min-width: 7ch; max-width: 40ch;
  overflow-wrap: anywhere; }
.pplc .wide svg { max-width: none; }
.pplc .note, .pplc .remark { padding: 6px 10px; margin: 4px 0; border-radius: 4px; overflow-wrap: anywhere; }
.pplc .note { background: var(--pplc-note); } .pplc .remark { border: 1px solid var(--pplc-rule); }
.pplc .small { color: var(--pplc-pale); font-size: 12px; }
@media (max-width: 520px) { .pplc th, .pplc td { padding-right: 7px; font-size: 12.5px; } }
"""


def fragment(posterior: Posterior) -> str:
    """The summary by itself, as a notebook shows it."""
    return f'<div class="pplc"><style>{svg.STYLE}{STYLE}</style>{summary_of(posterior, posterior.summary())}</div>'


def summary_of(posterior: Posterior, summary: Summary, *, with_notes: bool = True) -> str:
    """The tables, the evidence, and the notes."""
    found = {component.label: (label, component) for label, component in _all_components(posterior)}
    parts = []
    if summary.numbers:
        parts.append(_numbers(posterior, summary.numbers, found))
    if summary.probabilities:
        parts.append(_probabilities(summary.probabilities))
    if not parts:
        parts.append(f"<p>{NO_PREDICTS}</p>")
    parts += [f'<p class="small">{escape(line)}</p>' for line in summary.left_out]
    parts.append(f'<p class="small">{escape(" · ".join(summary.last_lines()))}</p>')
    return "".join([*parts, *(notes(summary.notes) if with_notes else [])])


def notes(lines: Sequence[str]) -> list[str]:
    """What has to be said about a run: warnings stand out, and what was chosen is told."""
    kinds = ["note" if line.startswith("note: ") else "remark" for line in lines]
    return [f'<p class="{kind}">{escape(line.removeprefix("note: "))}</p>' for kind, line in zip(kinds, lines)]


def _all_components(posterior: Posterior) -> list[tuple[str, Component]]:
    return [(label, each) for label in posterior.labels for each in components(label, posterior.values(label)[0])]


def _numbers(posterior: Posterior, rows: Sequence[NumberRow], found: dict[str, tuple[str, Component]]) -> str:
    several = any(row.rhat is not None for row in rows)
    heads = ["predict", "mean", "sd", "5%", "95%", "eff. draws", *(["rhat"] if several else []), "1% to 99%"]
    heads += ["trace"] if posterior.is_chain else []
    body = []
    for row in rows:
        cells = [escape(row.label), *map(shown_number, (row.mean, row.sd, row.low, row.high))]
        cells += [escape(shown_count(row.effective)), *([shown_rhat(row.rhat)] if several else [])]
        cells.append(svg.bars(row.histogram, f"histogram of {row.label}"))
        if posterior.is_chain and row.label in found:
            label, component = found[row.label]
            series = posterior.series(label, np.asarray(component.values, dtype=np.float64))
            cells.append(svg.traces(series, f"trace of {row.label}"))
        body.append(cells)
    return table(heads, body)


def _probabilities(rows: Sequence[ProbabilityRow]) -> str:
    several = any(row.rhat is not None for row in rows)
    heads = ["predict", "value", "probability", "eff. draws", *(["rhat"] if several else []), ""]
    body, before = [], None
    for row in rows:
        value = "(others)" if row.value is None else row.value
        cells = ["" if row.label == before else escape(row.label), escape(value), f"{row.probability:.4f}"]
        cells += [escape(shown_count(row.effective)), *([shown_rhat(row.rhat)] if several else [])]
        body.append([*cells, svg.bar(row.probability, f"{row.label}: {value}")])
        before = row.label
    return table(heads, body)


def table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f"<th>{each}</th>" for each in heads)
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
