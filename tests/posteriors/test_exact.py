"""The exact answers against independent simulations of the same models, and against the programs' headers."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from tests.share import share

from . import kalman_model
from .answer import PROGRAMS, literal
from .exact import ANSWERS
from .filters import FILTERED
from .simulators import WEIGHTED

STEMS = sorted(path.stem for path in PROGRAMS.glob("*.clj"))


def test_every_program_has_an_answer_and_a_check() -> None:
    assert sorted(ANSWERS) == STEMS
    assert {*WEIGHTED, *FILTERED, "kalman"} == set(STEMS)


@pytest.mark.parametrize("stem", share(STEMS, 4))
def test_program_states_its_answer(stem: str) -> None:
    """Every `;   E[label] = number` of the header is right to the digits shown, there is one for each
    predict, and marginals are distributions with those means. One test, as answers take time to compute."""
    text = (PROGRAMS / f"{stem}.clj").read_text()
    answer = ANSWERS[stem]
    stated = dict(re.findall(r"^;   E\[(.*)\] = (\S+)$", text, re.MULTILINE))
    assert set(stated) == set(answer.means)
    for label, number in stated.items():
        digits = len(number.partition(".")[2])
        assert float(number) == pytest.approx(answer.means[label], abs=0.51 * 10.0**-digits)
    evidence = re.search(r"^;   log evidence = (\S+)$", text, re.MULTILINE)
    assert evidence is not None
    assert float(evidence[1]) == pytest.approx(answer.log_evidence, abs=0.51e-4)
    labels = set()
    for predict in re.findall(r"^\[predict (.*)\]$", text, re.MULTILINE):
        explicit = re.match(r'"([^"]*)" ', predict)
        labels.add(explicit[1] if explicit else " ".join(predict.split()))
    assert labels == set(answer.means)
    for label, values in answer.marginals.items():
        assert math.fsum(values.values()) == pytest.approx(1.0)
        assert math.fsum(value * p for value, p in values.items()) == pytest.approx(answer.means[label])


@pytest.mark.parametrize("stem", share(WEIGHTED, 6))
def test_agrees_with_likelihood_weighting(stem: str) -> None:
    """Within five standard errors of a self-normalised estimate whose effective size is respectable."""
    runs = 400_000
    log_weights, predicts = WEIGHTED[stem](np.random.default_rng(7), runs)
    answer = ANSWERS[stem]
    assert set(predicts) == set(answer.means)
    weights = np.exp(log_weights - log_weights.max())
    estimate = math.log(weights.mean()) + float(log_weights.max())
    error = float(weights.std() / weights.mean()) / math.sqrt(runs)
    assert error < 0.07
    assert estimate == pytest.approx(answer.log_evidence, abs=5.0 * error)
    weights /= weights.sum()
    for label, values in predicts.items():
        numbers = values.astype(float)
        mean = float(weights @ numbers)
        error = math.sqrt(float(weights**2 @ (numbers - mean) ** 2))
        assert mean == pytest.approx(answer.means[label], abs=5.0 * error + 1e-12), label


@pytest.mark.parametrize("stem", FILTERED)
def test_agrees_with_particle_filters(stem: str) -> None:
    """Standard errors are those of eight independent filters."""
    label, run = FILTERED[stem]
    estimates = np.array([run(np.random.default_rng(seed), 6_000) for seed in range(8)])
    mean, error = estimates.mean(axis=0), estimates.std(axis=0, ddof=1) / math.sqrt(8)
    answer = ANSWERS[stem]
    # The log of an unbiased estimate is low by half its variance: negligible beside the error here.
    assert mean[0] == pytest.approx(answer.log_evidence, abs=5.0 * error[0])
    assert mean[1] == pytest.approx(answer.means[label], abs=5.0 * error[1])


def test_kalman_filter_agrees_with_the_joint_density() -> None:
    """The filter in two dimensions against the density of all observations as one normal vector."""
    steps, dims = 12, 36
    c, y = literal("kalman", "C"), literal("kalman", "y")[:steps]
    assert c.shape == (dims, 2)
    for omega, q in ((0.05, 0.02), (0.2, 0.15)):
        rotation = np.array([[math.cos(omega), -math.sin(omega)], [math.sin(omega), math.cos(omega)]])
        mean, transfer = [np.array([1.0, 0.0])], np.zeros((2 * steps, 2 * steps))
        for t in range(steps):
            mean.append(rotation @ mean[-1])
            for s in range(t + 1):
                transfer[2 * t : 2 * t + 2, 2 * s : 2 * s + 2] = np.linalg.matrix_power(rotation, t - s)
        emission = np.kron(np.eye(steps), c)
        covariance = emission @ (q * transfer @ transfer.T) @ emission.T + 0.01 * np.eye(steps * dims)
        joint = multivariate_normal.logpdf(y.ravel(), emission @ np.concatenate(mean[1:]), covariance)
        filtered = kalman_model.log_likelihood(np.array([omega]), np.array([q]), c, y)
        assert float(filtered[0]) == pytest.approx(float(joint), abs=1e-6)


def test_kalman_grid_is_fine_enough() -> None:
    c, y = literal("kalman", "C"), literal("kalman", "y")
    coarse, fine = kalman_model.answer(c, y, points=61), ANSWERS["kalman"]
    assert coarse.means == pytest.approx(dict(fine.means), abs=1e-6)
    assert coarse.log_evidence == pytest.approx(fine.log_evidence, abs=1e-4)
