"""A collection whose judgments are a sample."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval import Collection
from irmeval.reading.design import Design, proportional

QRELS = {"1": {"a": 1, "b": 0, "c": -1}, "2": {"d": 1, "e": -1}}
STRATUM = np.array([0, 0, 1, 2, 2], np.int32)
NAMES = ("1", "2", "1")
WEIGHT = np.array([3.0, 1.0, 1.0, 1.0, 1.0])


def test_fingerprint_when_the_design_differs_then_differs():
    plain = Collection.from_dicts(QRELS, {"r": {"1": {"a": 1.0}}})
    designs = [
        Design(STRATUM, NAMES),
        Design(STRATUM, ("1", "2", "3")),
        Design(np.array([0, 1, 1, 2, 2], np.int32), NAMES),
        Design(STRATUM, NAMES, weight=WEIGHT),
        Design(STRATUM, NAMES, stated=np.array([0.5, 0.5, 1.0, 0.5, 0.5])),
    ]
    assert (
        len({plain.fingerprint, *(replace(plain, design=design).fingerprint for design in designs)})
        == 6
    )


def test_probability_when_strata_are_given_then_is_the_share_that_was_drawn():
    grades = np.array([1, 0, -1, 1, -1])
    assert Design(STRATUM, NAMES).probability(grades).tolist() == [1, 1, 0, 0.5, 0.5]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7])
def test_proportional_when_capped_then_sums_to_n_and_keeps_the_proportions_below_1(n):
    weight = np.array([8.0, 4.0, 2.0, 1.0, 1.0])
    made = proportional(weight, np.zeros(5, int), np.array([n], float))
    assert made.sum() == pytest.approx(min(n, 5))
    assert made.max() <= 1
    if n >= 5:
        assert (
            proportional(np.append(weight, 0.0), np.zeros(6, int), np.array([6.0])).tolist()
            == [1] * 6
        )
    below = made < 1
    assert np.ptp(made[below] / weight[below]) < 1e-12 if below.any() else n >= 5
