"""The weighted draws of a run, and what they say about the posterior."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import inf, nan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results import columns, convergence, effective, evidence
from pplc_runtime.results.blocks import Some, Sweeps
from pplc_runtime.results.columns import Component, Draws, Floats, Gathered, components, gather, quantiles
from pplc_runtime.results.equal import Again, EqualDraws, Named, named_observes
from pplc_runtime.results.export import DrawWriter
from pplc_runtime.results.extras import extra
from pplc_runtime.results.files import write_draws
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.groups import about, groups_of
from pplc_runtime.results.mixing import Mixing, mixing_of
from pplc_runtime.results.observes import Observes
from pplc_runtime.settings import OFFERS, setting
from pplc_runtime.suggestions import suggestion

if TYPE_CHECKING:
    from pandas import DataFrame

    from pplc_runtime.results.plot import Picture
    from pplc_runtime.results.summary import Summary


class Posterior:
    """Weighted draws from all sweeps of all chains.

    `is_chain` tells the two kinds of method apart: the weights of a sweep of a chain (icsmc, pgas) sum
    to one, those of an independent sweep (importance, smc) to its estimate of the evidence. In both cases all
    draws together, weighted, estimate the posterior."""

    def __init__(
        self,
        method: str,
        seed: int | None,
        particles: int,
        chains: int,
        sweeps: Iterable[Some],
        is_chain: bool,
        inside: tuple[int, ...] = (),
        run: Again | None = None,
    ) -> None:
        self.method: Final = method
        self.seed: Final = seed
        self.particles: Final = particles
        self.chains: Final = chains
        self.is_chain: Final = is_chain
        self.inside: Final = inside
        """The lines that observe inside of expressions, where some of those are no resampling points."""
        self.run: Final = run
        """Where the draws come from; None for draws that were read from a file."""
        self.interrupted = False
        """Whether the run was ended before all sweeps were done."""
        self.limit: str | None = None
        """The message, where one of its limits ended it."""
        self.remarks: Final[list[str]] = []
        """What whoever ran it has to say."""
        self.sweeps = Sweeps(sweeps)
        self._gathered: Final[dict[str, Gathered]] = {}
        self._units_found: Final[dict[bytes, list[effective.Units]]] = {}

    @property
    def is_exact(self) -> bool:
        """Whether the weights are the posterior itself, and not an estimate."""
        return self.method in OFFERS and OFFERS[self.method].is_exact

    def __getitem__(self, label: str) -> NDArray[Any]:
        """Equally weighted draws of a predict, by chain and draw: of a chain what is retained, one draw a sweep.

        Of importance and smc, whose sweeps count by their evidence, it is one row of draws by weight (see `equal`)."""
        return self.equal.column(self._known(label))

    def _ipython_key_completions_(self) -> tuple[str, ...]:
        return self.labels

    @cached_property
    def equal(self) -> EqualDraws:
        """Which particles the equally weighted draws are."""
        return EqualDraws.of(self)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the predicts, in the order of the program."""
        return tuple(dict.fromkeys(label for part in self.sweeps.parts for label in part.predicts))

    def values(self, label: str) -> tuple[Draws, Floats]:
        """All draws of a predict, in a list or along an array's first axis, and their normalised weights."""
        gathered = self.gathered(label)
        return gathered.values, gathered.weights

    def mean(self, label: str) -> Any:
        """The posterior mean: a float, or an array for a vector or matrix; of a boolean the probability."""
        values, weights = self._numbers(label)
        with np.errstate(invalid="ignore", over="ignore"):
            return columns.scalar(np.tensordot(weights, values, axes=1))

    def variance(self, label: str) -> Any:
        """The posterior variance, elementwise."""
        values, weights = self._numbers(label)
        with np.errstate(invalid="ignore", over="ignore"):
            squares = (values - np.tensordot(weights, values, axes=1)) ** 2
            return columns.scalar(np.tensordot(weights, squares, axes=1))

    def sd(self, label: str) -> Any:
        """The posterior standard deviation, elementwise."""
        return columns.scalar(np.sqrt(self.variance(label)))

    def quantile(self, label: str, q: Any) -> Any:
        """The smallest value at or below which a share `q` of the posterior lies, elementwise; of several shares the
        values along the first axis."""
        if np.ndim(q):
            return np.array([self.quantile(label, each) for each in q])
        if isinstance(q, bool | str) or not 0 <= q <= 1:
            raise ValueError(f"a quantile is asked for by a share between 0 and 1, not {q!r}")
        values, weights = self._numbers(label)
        found = [quantiles(column, weights, [q])[0] for column in values.reshape(len(values), -1).T]
        return columns.scalar(np.array(found).reshape(values.shape[1:]))

    def probabilities(self, label: str) -> dict[Any, float]:
        """Each distinct value and its posterior probability, the likeliest first."""
        values, weights = self.values(label)
        if isinstance(values, np.ndarray) and values.ndim > 1:
            values = [columns.nested_tuple(value) for value in values.tolist()]
        found = Component(label, values).distribution(weights)
        result: dict[Any, float] = {}
        for value, probability in zip(found.values, found.probabilities.tolist()):
            key = columns.nested_tuple(value.tolist()) if isinstance(value, np.ndarray) else value
            result[key] = result.get(key, 0.0) + probability
        return result

    @cached_property
    def _evidence(self) -> tuple[float | None, float | None]:
        return (None, None) if self.method == "prior" else evidence.evidence_of(self.sweeps, self.is_chain)

    def log_estimates(self) -> list[Floats]:
        """The log estimates of the evidence by chain, where sweeps have one: icsmc and pgas on all values."""
        return evidence.log_estimates(self.sweeps, self.is_chain)

    @property
    def log_evidence(self) -> float | None:
        """The log of the sweeps' mean estimate, for icsmc and pgas of their harmonic mean; None for other chains, and
        where all particles may be lost (see `evidence`)."""
        return self._evidence[0]

    @property
    def log_evidence_se(self) -> float | None:
        """Its standard error: by the spread of the estimates, of few sweeps also by the lines left in each."""
        return self._evidence[1]

    @property
    def mean_log_evidence(self) -> float | None:
        """The mean of the sweeps' log estimates: expected below the log evidence for smc, above it for icsmc, pgas."""
        found = [] if self.method == "prior" else self.log_estimates()
        return float(np.concatenate(found).mean()) if found else None

    def effective_draws(self, label: str) -> float:
        """How many independent draws the answer is worth, for the worst component of the predict.

        For importance and smc from how far draws by independent particles, lines of ancestors and sweeps lie apart
        (see `effective`); for chains from the autocorrelation of the sweeps' means. NaN where nothing varies."""
        found = [self.effective_of(label, column) for column in self.indicators(label)]
        return min((value for value in found if value == value), default=nan)

    def rhat(self, label: str) -> float | None:
        """Split R-hat of the worst component of the predict; None unless there are several chains."""
        found = [self.rhat_of(label, column) for column in self.indicators(label)]
        return max((value for value in found if value is not None and value == value), default=None)

    def effective_of(self, label: str, column: NDArray[Any]) -> float:
        """Effective draws of one number a draw; infinitely many where the posterior is exact."""
        if self.is_exact:
            return inf
        if not self.is_chain:
            return effective.effective_draws(column, self.gathered(label).weights, self._units(label))
        return convergence.effective_draws(convergence.aligned(self.series(label, column)))

    def _units(self, label: str) -> list[effective.Units]:
        gathered = self.gathered(label)
        present = np.unique(gathered.sweeps).tobytes()
        if present not in self._units_found:
            self._units_found[present] = effective.units_of(self.sweeps, gathered)
        return self._units_found[present]

    def rhat_of(self, label: str, column: NDArray[Any]) -> float | None:
        """R-hat of one number a draw."""
        if not self.is_chain or self.chains < 2:
            return None
        aligned = convergence.aligned(self.series(label, column))
        return convergence.split_rhat(aligned) if len(aligned) > 1 else None

    def series(self, label: str, column: NDArray[Any]) -> list[Floats]:
        """For each chain the sweeps' own means of one number a draw."""
        gathered = self.gathered(label)
        size = len(self.sweeps)
        with np.errstate(invalid="ignore"):
            sums = np.bincount(gathered.sweeps, weights=gathered.weights * column, minlength=size)
            means = sums / np.bincount(gathered.sweeps, weights=gathered.weights, minlength=size)
        chain = self.sweeps.chains
        chain[np.bincount(gathered.sweeps, minlength=size) == 0] = -1
        return [means[chain == number] for number in np.unique(chain[chain >= 0])]

    def mixing(self) -> Mixing | None:
        """How the retained particle moved; None for methods that retain none."""
        return mixing_of(self.sweeps)

    def genealogies(self) -> dict[tuple[int, int], Genealogy]:
        """Who continued whom, by chain and sweep; of as many last sweeps as `infer` was asked for (genealogy=1)."""
        kept = ((sweep, sweep.diagnostics.get("genealogy")) for sweep in self.sweeps)
        return {(sweep.chain, sweep.number): found for sweep, found in kept if found is not None}

    def summary(self) -> Summary:
        """A table: means, intervals, probabilities, effective draws and the evidence."""
        from pplc_runtime.results.summary import summarise

        return summarise(self)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, known: Mapping[str, float] | None = None
    ) -> Picture | None:
        """A picture of the marginals (and of the traces of chains); needs matplotlib, the extra `plot`.

        Without a path it is a figure of matplotlib, which notebooks show. What is known otherwise, such as an exact
        mean, is a dashed line."""
        with extra("plot", "matplotlib"):
            from pplc_runtime.results.plot import draw, picture

        if path is None:
            return picture(self, known)
        draw(self, path, known)
        return None

    def report(self, path: str | os.PathLike[str]) -> None:
        """A page of HTML with all that is known of the run; it needs no network."""
        from pplc_runtime.results.report import page

        text = page(self, None if self.run is None else self.run.facts())
        Path(path).write_text(text, encoding="utf-8", newline="\n")

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary with small pictures."""
        from pplc_runtime.results.html import fragment

        return fragment(self)

    def plot_genealogy(self, path: str | os.PathLike[str]) -> None:
        """A picture of the genealogies, one panel a sweep; needs matplotlib, the extra `plot`."""
        with extra("plot", "matplotlib"):
            from pplc_runtime.results.genealogy_plot import draw

        found = self.genealogies()
        if not found:
            raise ValueError("no genealogy was kept: infer by smc, icsmc or pgas with genealogy=1")
        draw([(self._sweep_title(*key), genealogy) for key, genealogy in found.items()], path)

    def _sweep_title(self, chain: int, number: int) -> str:
        return f"{self.method}, " + (f"chain {chain}, " if self.chains > 1 else "") + f"sweep {number}"

    def to_dataframe(self, *, weighted: bool = False) -> DataFrame:
        """The draws of equal weight as a data frame, a row each and a column for each component; needs pandas.

        With `weighted` all particles, with a column `weight`, which sums to one."""
        with extra("pandas", "pandas"):
            from pplc_runtime.results.flat import data_frame

            return data_frame(self, weighted)

    def to_arviz(self, *, observes: bool | None = None) -> Any:
        """The draws of equal weight for ArviZ, a DataTree or for ArviZ before 1 an InferenceData; see `groups`.

        With the observes (log_likelihood, posterior_predictive, observed_data) where the particles were kept."""
        with extra("arviz", "arviz", "xarray"):
            from pplc_runtime.results.arviz import to_arviz

            return to_arviz(groups_of(self, observes))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all draws to a file: .jsonl, .csv, .parquet (the extra `parquet`) or .nc (the extra `netcdf`)."""
        write_draws(self, path)

    def to_jsonl(self, target: str | os.PathLike[str] | IO[str]) -> None:
        """Write all draws as lines of JSON to a path or to an open text file."""
        with DrawWriter(target, is_chain=self.is_chain, about=about(self)) as writer:
            for sweep in self.sweeps:
                writer.write(sweep)

    def gathered(self, label: str) -> Gathered:
        """All draws of a predict, with their weights and sweeps."""
        if label not in self._gathered:
            self._gathered[label] = gather(self.sweeps, self._known(label))
        return self._gathered[label]

    def _known(self, label: str) -> str:
        if label not in self.labels:
            there_are = f"; there are {', '.join(self.labels)}" if self.labels else "; the model has none"
            raise KeyError(f"no predict {label!r}{suggestion(label, self.labels) or there_are}")
        return label

    def log_likelihood(self) -> Floats:
        """The log density of each observe, by chain, draw and observe, for the draws of `posterior[label]`.

        Their particles are run again; see `observes` for the lines that the observes belong to."""
        kept, lanes = self.equal.again()
        found = self._again().observes(kept).log_likelihood[lanes]
        return found.reshape(*self.equal.shape, found.shape[1])

    def observes(self) -> Observes:
        """The observes of the draws: their lines, what was observed, and the log densities, draw by draw."""
        kept, lanes = self.equal.again()
        found = self._again().observes(kept)
        return Observes(found.lines, found.values, found.log_likelihood[lanes])

    def predictive(self, seed: int | None = None) -> dict[str, NDArray[Any]]:
        """The posterior predictive: the observes drawn anew, by chain, draw and observe.

        All are under the name "observe" if their values are of one kind, else by line: "observe, line 3"."""
        return {named.name: named.drawn for named in self.predicted(seed)}

    def predicted(self, seed: int | None = None) -> list[Named]:
        """The same with the lines, and what was observed."""
        kept, lanes = self.equal.again()
        observes, columns = self._again().anew(kept, (self.seed or 0) + 1 if seed is None else seed)
        return list(named_observes(self.equal, observes, columns, lanes))

    def _again(self) -> Again:
        if self.run is None:
            raise ValueError("the draws come from a file; the model that they are of is not in it")
        return self.run

    def extend(self, sweeps: int, *, progress: bool = True, executor: Any = None, journal: Any = None) -> Posterior:
        """So many further sweeps of every chain, from where it is, which are part of this posterior then; by an
        `executor` elsewhere, and through the `journal` of a run that they belong to.

        An interrupt ends it, and what was drawn by then is kept. A progress bar is shown as by `infer`."""
        sweeps = setting("sweeps", sweeps)
        run = self._again()
        found: list[Some] = []
        try:
            run.more(self, sweeps, found.append, progress, executor, journal)
            self.interrupted, self.limit = False, None
        except KeyboardInterrupt:
            self.interrupted = True
            if not found:
                raise
        finally:  # what was done is kept, however it ends
            self.sweeps = Sweeps([*self.sweeps.parts, *found])
            self._gathered.clear()
            self._units_found.clear()
            for name in ("labels", "_evidence", "equal"):
                self.__dict__.pop(name, None)
        return self

    def _numbers(self, label: str) -> tuple[NDArray[Any], Floats]:
        values, weights = self.values(label)
        if not isinstance(values, np.ndarray):
            try:
                values = np.array([columns.floats_of(value) for value in values], dtype=np.float64)
            except (TypeError, ValueError):
                raise TypeError(f"predict {label!r} is not always a number; see probabilities()") from None
        if not len(values):
            raise ValueError(f"predict {label!r} has no draw of positive weight")
        return values, weights

    def indicators(self, label: str) -> Iterator[NDArray[Any]]:
        """Numbers that stand for the predict: its components; of other values whether a draw has them."""
        gathered = self.gathered(label)
        for component in components(label, gathered.values):
            if isinstance(component.values, np.ndarray):
                yield component.values
            else:
                found = component.distribution(gathered.weights)
                for place in range(min(len(found.values), 20)):
                    yield found.codes == place

    def __len__(self) -> int:
        return len(self.sweeps)

    def __contains__(self, label: object) -> bool:
        return label in self.labels

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def __repr__(self) -> str:
        return f"<Posterior by {self.method}: {len(self.sweeps)} sweeps, predicts {', '.join(self.labels)}>"

    def __str__(self) -> str:
        return str(self.summary())
