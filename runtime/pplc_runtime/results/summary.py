"""A summary of the posterior, and the plain text table that shows it.

Numbers are shown by mean, sd, the interval from 5% to 95%, effective draws and a small histogram; booleans,
strings, and ints of few values by their probabilities; vectors, matrices and maps component by component.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from itertools import islice
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.columns import Component, Floats, components, quantiles, shown
from pplc_runtime.results.notes import notes_on
from pplc_runtime.results.table import Table, printable

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

FEW_VALUES = 10
"""Ints of more distinct values than this are summarised as numbers; other values are cut off here."""
MOST_COMPONENTS = 40
"""Of one predict."""
BINS = 12


NO_PREDICTS = "no predicts: the model asks for nothing; [predict x] reports a value x"


@dataclass(frozen=True, slots=True)
class NumberRow:
    """One numeric component of a predict."""

    label: str
    mean: float
    sd: float
    low: float
    high: float
    effective: float
    rhat: float | None
    histogram: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ProbabilityRow:
    """One value of a discrete component; `value` is None for all the rarer ones together."""

    label: str
    value: str | None
    probability: float
    effective: float
    rhat: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What `print(posterior.summary())` shows."""

    heading: str
    numbers: tuple[NumberRow, ...]
    probabilities: tuple[ProbabilityRow, ...]
    left_out: tuple[str, ...]
    log_evidence: float | None
    log_evidence_se: float | None
    notes: tuple[str, ...]

    def text(self, width: int | None = None, *, ascii_only: bool = False) -> str:
        """The tables, not wider than `width` columns (by default the terminal's)."""
        width = width or shutil.get_terminal_size((100, 24)).columns
        blocks = []
        if self.numbers:
            blocks.append(_numbers_table(self.numbers).text(width, ascii_only=ascii_only))
        if self.probabilities:
            blocks.append(_probabilities_table(self.probabilities).text(width, ascii_only=ascii_only))
        if not blocks:
            blocks.append(NO_PREDICTS)
        last = [printable(line, width, ascii_only) for line in self.left_out]
        last += [*self.last_lines(ascii_only), *self.notes]
        return "\n\n".join([*blocks, "\n".join(last)])

    def last_lines(self, ascii_only: bool = False) -> list[str]:
        """The evidence, where there is one, and how the draws were made."""
        if self.log_evidence is None:
            return [self.heading]
        z = f"log evidence {self.log_evidence:.6g}"
        se = self.log_evidence_se
        return [z if se is None else f"{z} {'+/-' if ascii_only else '±'} {se:.2g}", self.heading]

    def __str__(self) -> str:
        return self.text()


def summarise(posterior: Posterior) -> Summary:
    """Summarise every predict of a posterior."""
    numbers: list[NumberRow] = []
    probabilities: list[ProbabilityRow] = []
    left_out: list[str] = []
    for label in posterior.labels:
        values, weights = posterior.values(label)
        if not len(weights):
            left_out.append(f"{label}: no draw of positive weight")
            continue
        parts = components(label, values)
        for component in islice(parts, MOST_COMPONENTS):
            if _is_discrete(component):
                probabilities.extend(_probability_rows(posterior, label, component, weights))
            else:
                numbers.append(_number_row(posterior, label, component, weights))
        more = sum(1 for _ in parts)
        if more:
            left_out.append(f"{label}: {more} more components not shown")
    return Summary(
        heading(posterior),
        tuple(numbers),
        tuple(probabilities),
        tuple(left_out),
        posterior.log_evidence,
        posterior.log_evidence_se,
        notes_on(posterior, [*numbers, *probabilities]),
    )


def _is_discrete(component: Component) -> bool:
    values = component.values
    if not isinstance(values, np.ndarray) or values.dtype.kind == "b":
        return True
    return values.dtype.kind in "iu" and component.distinct() <= FEW_VALUES


def _number_row(posterior: Posterior, label: str, component: Component, weights: Floats) -> NumberRow:
    values = np.asarray(component.values)
    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(weights @ values)
        variance = float(weights @ (values - mean) ** 2)
    low, high = quantiles(values, weights, [0.05, 0.95])
    return NumberRow(
        component.label,
        mean,
        sqrt(variance) if variance >= 0 else variance,
        low,
        high,
        posterior.effective_of(label, values),
        posterior.rhat_of(label, values),
        histogram(values, weights),
    )


def _probability_rows(posterior: Posterior, label: str, component: Component, weights: Floats) -> list[ProbabilityRow]:
    found = component.distribution(weights)
    rows = []
    for place, value in enumerate(found.values[:FEW_VALUES]):
        has = found.codes == place
        rows.append(
            ProbabilityRow(
                component.label,
                shown(value),
                float(found.probabilities[place]),
                posterior.effective_of(label, has),
                posterior.rhat_of(label, has),
            )
        )
    if len(found.values) > FEW_VALUES:
        rest = found.codes >= FEW_VALUES
        rows.append(
            ProbabilityRow(
                component.label,
                None,
                float(found.probabilities[FEW_VALUES:].sum()),
                posterior.effective_of(label, rest),
                posterior.rhat_of(label, rest),
            )
        )
    return rows


def histogram(values: NDArray[Any], weights: Floats, bins: int = BINS) -> tuple[float, ...]:
    """The weight in equal bins from the 1% to the 99% quantile; empty where there is no spread to show."""
    low, high = quantiles(values, weights, [0.01, 0.99])
    if not (isfinite(low) and isfinite(high) and isfinite(high - low) and low < high):
        return ()
    if values.dtype.kind in "iu":  # Bins of equally many ints each, or the picture has teeth.
        step = -(-(high - low + 1) // bins)
        bins = -(-(high - low + 1) // step)
        low, high = low - 0.5, low - 0.5 + bins * step
    edges = np.linspace(low, high, int(bins) + 1)
    if not (edges[:-1] < edges[1:]).all():  # values that differ in their last digits
        return ()
    inside = (values >= low) & (values <= high)
    heights, _ = np.histogram(values[inside].astype(np.float64), bins, (low, high), weights=weights[inside])
    return tuple(heights.tolist())


def heading(posterior: Posterior) -> str:
    total = len(posterior.sweeps)
    sweeps = f"{total} sweep{'s' if total != 1 else ''}"
    particles = f" of {posterior.particles} particles" if posterior.particles > 1 else ""
    chains = f", {posterior.chains} chains" if posterior.chains > 1 else ""
    seed = f", seed {posterior.seed}" if posterior.seed is not None else ""
    return f"{posterior.method}: {sweeps}{particles}{chains}{seed}"


def _numbers_table(rows: tuple[NumberRow, ...]) -> Table:
    table = Table()
    table.column("predict", [row.label for row in rows], left=True, flexible=True)
    table.column("mean", [shown_number(row.mean) for row in rows])
    table.column("sd", [shown_number(row.sd) for row in rows], drop=3)
    table.column("5%", [shown_number(row.low) for row in rows], drop=4)
    table.column("95%", [shown_number(row.high) for row in rows], drop=4)
    table.column("eff. draws", [shown_count(row.effective) for row in rows], drop=2)
    if any(row.rhat is not None for row in rows):
        table.column("rhat", [shown_rhat(row.rhat) for row in rows], drop=2)
    if any(row.histogram for row in rows):
        table.column("1% to 99%", [_spark(row.histogram) for row in rows], left=True, drop=1, picture=True)
    return table


def _probabilities_table(rows: tuple[ProbabilityRow, ...]) -> Table:
    table = Table()
    labels = [row.label if i == 0 or rows[i - 1].label != row.label else "" for i, row in enumerate(rows)]
    table.column("predict", labels, left=True, flexible=True)
    values = ["(others)" if row.value is None else row.value for row in rows]
    table.column("value", values, left=True, flexible=True)
    table.column("probability", [f"{row.probability:.4f}" for row in rows])
    table.column("eff. draws", [shown_count(row.effective) for row in rows], drop=2)
    if any(row.rhat is not None for row in rows):
        table.column("rhat", [shown_rhat(row.rhat) for row in rows], drop=2)
    table.column("", [_bar(row.probability) for row in rows], left=True, drop=1, picture=True)
    return table


def shown_number(value: float) -> str:
    """A number as tables show it."""
    return f"{value:.4g}"


def shown_count(value: float) -> str:
    """Effective draws as tables show them."""
    if value == inf:
        return "exact"
    return "-" if value != value else "< 1" if value < 1 else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def shown_rhat(value: float | None) -> str:
    """R-hat as tables show it."""
    return "-" if value is None or value != value else f"{value:.3f}"


def _spark(heights: tuple[float, ...]) -> str:
    top = max(heights, default=0.0)
    return "".join("▁▂▃▄▅▆▇█"[round(7 * height / top)] if height > 0 else " " for height in heights)


def _bar(probability: float, length: int = BINS) -> str:
    eighths = round(probability * length * 8)
    return "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")
