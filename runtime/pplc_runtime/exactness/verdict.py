"""The verdict: all tests of a method on a program, with an error rate for the whole.

A method that is exact fails with at most the error rate that is stated, however many statistics are tested: the
smallest p-value is compared with the rate divided by their number (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from pplc_runtime.composed import method_in, offer_of
from pplc_runtime.composition import Composition
from pplc_runtime.exactness.calibration import calibration_test
from pplc_runtime.exactness.finite import finite_test
from pplc_runtime.exactness.joint import Subject, joint_test
from pplc_runtime.exactness.simulate import NotSimulated
from pplc_runtime.exactness.statistics import Finding
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.running.program import DEEPEST, Program

SHOWN: Final = 8
"""So many findings are shown, those with the smallest p-values."""
_JOINT, _CALIBRATION, _FINITE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is tested, and with which error rate."""

    simulations: int = 100
    rounds: int = 3
    steps: int = 3
    draws: int = 9
    error_rate: float = 0.001


@dataclass(slots=True)
class Verdict:
    """What was found."""

    method: str
    source: str
    seed: int
    extent: Extent
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def smallest(self) -> float:
        return min((finding.p for finding in self.findings), default=1.0)

    @property
    def limit(self) -> float:
        """What no p-value may be below."""
        return self.extent.error_rate / max(1, len(self.findings))

    @property
    def passes(self) -> bool:
        return self.smallest >= self.limit

    @property
    def tested(self) -> bool:
        return bool(self.findings)

    def __str__(self) -> str:
        lines = [f"{self.method} on {self.source}, seed {self.seed}"]
        worst = sorted(self.findings, key=lambda finding: finding.p)[:SHOWN]
        width = max((len(finding.label) for finding in worst), default=0)
        for finding in worst:
            mark = "  too small" if finding.p < self.limit else ""
            lines.append(f"  {finding.test:<12} {finding.label:<{width}}  p = {finding.p:.3g}{mark}")
        if len(self.findings) > len(worst):
            lines.append(f"  and {len(self.findings) - len(worst)} more")
        lines += [f"note: {note}" for note in self.notes]
        if not self.tested:
            return "\n".join([*lines, "not tested"])
        said = "passes" if self.passes else "FAILS"
        lines.append(
            f"{said}: the smallest of {len(self.findings)} p-values is {self.smallest:.3g}, and below {self.limit:.2g} "
            f"it would fail (an exact method does so in {self.extent.error_rate:.2%} of such tests)"
        )
        return "\n".join(lines)


def verdict_on(
    program: Program,
    method: str | Composition,
    *,
    data: Any = None,
    seed: int,
    particles: int | None = None,
    burn_in: int | None = None,
    extent: Extent | None = None,
    engine: Any = None,
    on_part: Callable[[str], None] | None = None,
    **options: Any,
) -> Verdict:
    """Test a method on a program; the options are settings of the method."""
    extent = extent or Extent()
    method = method_in(method)
    offer = offer_of(method)
    settings = Settings(particles or offer.particles, extent.draws, **options)
    subject = Subject(program, method, offer.is_chain, settings, data, DEEPEST)
    verdict = Verdict(offer.name, program.source, seed, extent)
    key = Key.of(seed)
    say = on_part or (lambda part: None)
    burn = max(offer.burn_in, 20) if burn_in is None else burn_in
    with np.errstate(all="ignore"):
        if offer.is_chain and engine is None:
            say("enumeration")
            verdict.findings += finite_test(subject, key.fold(_FINITE), extent.simulations, burn)
        try:
            if engine is None:
                say("the joint test")
                verdict.findings += joint_test(
                    subject, key.fold(_JOINT), extent.simulations, extent.rounds, extent.steps
                )
            if offer.is_chain:
                say("calibration")
                found = calibration_test(
                    subject, key.fold(_CALIBRATION), extent.simulations, extent.draws, burn, engine
                )
                verdict.findings += found.findings
                if found.too_slow:
                    verdict.notes.append(
                        f"calibration is left out: chains move so slowly that only one of {found.thinning} sweeps "
                        "would count; a method that mixes better can be calibrated"
                    )
        except NotSimulated as error:
            verdict.notes.append(str(error.args[0] if error.args else error).splitlines()[0])
    return verdict
