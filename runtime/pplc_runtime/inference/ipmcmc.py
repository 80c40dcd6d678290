"""Interacting particle Markov chain Monte Carlo: conditional runs of smc and free ones, exchanged by their evidence.

Of M nodes P are conditional: each is a sweep of conditional smc around one of P retained particles. The others are
runs of smc. Then, for j from 1 to P, the conditional node c_j is drawn anew among itself and all that are free,

    P(c_j = m)  =  zeta_m  =  Z^_m / sum of Z^ over the nodes that are none of the other c's,

and from each node c_j a particle is retained by weight. So the chain leaves the product of P posteriors invariant; a
run that happens to be good takes the place of a conditional one. All particles of all nodes are reported, weighted by
the mean of zeta over j. (T. Rainforth, C. Naesseth, F. Lindsten, B. Paige, J. van de Meent, A. Doucet and F. Wood 2016,
"Interacting particle Markov chain Monte Carlo".)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from pplc_runtime.inference.base import Engine, Floats, Kernel, Settings
from pplc_runtime.inference.runs import Runs, chosen, comb_of
from pplc_runtime.inference.start import first_retained
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.numerics.resampling import pick
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.columns import one_column
from pplc_runtime.results.kept import MOST_PARTICLES, Kept
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError

EXCHANGE: Final = START + 10
"""The part of the key of a sweep by which nodes are exchanged; and the first of those that the nodes have."""
NODES: Final = START + 20


@dataclass(frozen=True, slots=True)
class Nodes:
    """What is retained, by conditional node."""

    held: list[dict[At, Any]]


@dataclass(frozen=True, slots=True)
class Node:
    """A node after its run: the sweep, whose weights sum to one, and the particle that was chosen by weight."""

    sweep: Sweep
    log_estimate: float
    retained: Mapping[At, Any]


@dataclass(frozen=True, slots=True)
class Ipmcmc:
    """A chain of several retained particles."""

    conditional: Kernel
    """Sweeps around what is retained."""
    runs: ClassVar = Runs()

    def bound(self, engine: Engine, settings: Settings) -> Ipmcmc:
        if settings.particles > MOST_PARTICLES:
            raise ModelError(f"ipmcmc has at most {MOST_PARTICLES} particles, since one of them is kept")
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> Nodes:
        return Nodes([first_retained(engine, settings, key.fold(j)) for j in range(settings.nodes // 2)])

    def resumed(self, engine: Engine, after: Sweep) -> Nodes:
        """The state after a sweep; as many nodes are conditional as it keeps particles."""
        plan: Any = engine.plan
        kept = after.kept
        assert kept is not None
        return Nodes([kept.one(j).first(plan.root) for j in range(len(kept.particles))])

    def step(
        self, engine: Engine, state: Nodes, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Nodes, list[Sweep]]:  # fmt: skip
        nodes = [
            self.around(engine, state.held[m], settings, number, key.fold(NODES + m))
            if m < len(state.held)
            else self.free(engine, settings, number, key.fold(NODES + m))
            for m in range(settings.nodes)
        ]
        logs = np.array([node.log_estimate for node in nodes])
        places, shares = exchanged(logs, len(state.held), key.fold(EXCHANGE).generator())
        held = [dict(nodes[m].retained) for m in places]
        told = {"exchanged": sum(m >= len(held) for m in places), "parted": nodes[0].sweep.diagnostics.get("parted")}
        told |= {name: value for name, value in nodes[0].sweep.diagnostics.items() if name == "perished"}
        return Nodes(held), [as_one(nodes, shares, held, settings.chain, number, told)]

    def around(self, engine: Engine, held: dict[At, Any], settings: Settings, number: int, key: Key) -> Node:
        """A run around what is retained."""
        retained, (sweep,) = self.conditional.step(engine, Retained([dict(held)]), settings, number, key)
        assert sweep.log_evidence is not None
        return Node(sweep, sweep.log_evidence, retained.held[0])

    def free(self, engine: Engine, settings: Settings, number: int, key: Key) -> Node:
        """A run of smc."""
        combed = replace(settings, chain=comb_of(key))
        found = self.runs.one(engine, None, combed, number, key, True)
        _, (run,) = found if found is not None else self.runs.step(engine, None, combed, number, key)
        if run.log_evidence == -np.inf:
            return Node(run, -np.inf, {})
        own = chosen(run, key)
        plan: Any = engine.plan
        assert own.kept is not None and own.log_evidence is not None
        return Node(own, own.log_evidence, own.kept.first(plan.root))

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None


def exchanged(logs: Floats, conditional: int, rng: np.random.Generator) -> tuple[list[int], Floats]:
    """The nodes from which particles are retained, one after the other, and the weights of all nodes."""
    places = list(range(conditional))
    shares = np.zeros(len(logs))
    for j in range(conditional):
        open_to = logs.copy()
        open_to[places[:j] + places[j + 1 :]] = -np.inf
        zeta = np.exp(open_to - open_to.max())
        shares += zeta / zeta.sum() / conditional
        places[j] = int(pick(rng, zeta))
    return places, shares


def as_one(
    nodes: Sequence[Node], shares: Floats, held: list[dict[At, Any]], chain: int, number: int, told: dict[str, Any]
) -> Sweep:
    """The particles of all nodes as one sweep."""
    counted = [m for m, node in enumerate(nodes) if shares[m] > 0]
    log_weights = np.concatenate([nodes[m].sweep.log_weights + np.log(shares[m]) for m in counted])
    sweeps = [nodes[m].sweep for m in counted]
    labels = [label for label in sweeps[0].predicts if all(label in sweep.predicts for sweep in sweeps)]
    predicts = {label: one_column([sweep.predicts[label] for sweep in sweeps]) for label in labels}
    kept = Kept.several(held)
    return Sweep(chain, number, log_weights, predicts, nodes[0].log_estimate, told, kept)
