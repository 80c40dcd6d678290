"""Domains of the parameters of processes."""

from __future__ import annotations

import math

import numpy as np

from pplc_runtime.distributions.base import Domain, Raw


def _is_finite(value: Raw) -> Raw:
    if isinstance(value, np.ndarray):
        return np.isfinite(value)
    return -math.inf < value < math.inf


def _is_positive(value: Raw) -> Raw:
    if isinstance(value, np.ndarray):
        return (value > 0) & (value < math.inf)
    return 0 < value < math.inf


def _is_positive_vector(value: Raw) -> Raw:
    vector = np.asarray(value)
    if vector.ndim == 0 or len(vector) == 0:
        return False
    holds = ((vector > 0) & (vector < math.inf)).all(axis=0)
    return bool(holds) if vector.ndim == 1 else holds


def _is_discount(value: Raw) -> Raw:
    return (value >= 0) & (value < 1) if isinstance(value, np.ndarray) else 0 <= value < 1


DISCOUNT = Domain("a number from 0, below 1", 0, _is_discount)
FINITE = Domain("a finite number", 0, _is_finite)
POSITIVE = Domain("a positive finite number", 0, _is_positive)
POSITIVE_VECTOR = Domain("a non-empty vector of positive finite numbers", 1, _is_positive_vector)
