"""Chains of `particles`' conditional SMC on the three-step hidden Markov model, in the interpreter that has it.

    python -m benchmarks.peers.particles_chain PARTICLES THRESHOLD CHAINS SWEEPS BURN_IN

prints for each chain how often the first state was 0, 1, 2. THRESHOLD is `ESSrmin`.
"""

from __future__ import annotations

import json
import sys

import benchmarks.threads  # noqa: F401  isort: skip
import numpy as np
from particles.mcmc import CSMC

from benchmarks import models
from benchmarks.peers.particles_smc import Hmm, start


def main() -> None:
    n, chains, sweeps, burn_in = (int(sys.argv[i]) for i in (1, 3, 4, 5))
    threshold = float(sys.argv[2])
    np.random.seed(1)
    arrays = models.chain().arrays
    fk = Hmm(arrays)
    shares = np.zeros((chains, 3))
    for chain in range(chains):
        path = start("hmm", arrays)
        for number in range(burn_in + sweeps):
            run = CSMC(fk=fk, N=n, ESSrmin=threshold, xstar=path)
            run.run()
            path = run.hist.extract_one_trajectory()
            if number >= burn_in:
                shares[chain, path[0]] += 1
    print(json.dumps((shares / sweeps).tolist()))


if __name__ == "__main__":
    main()
