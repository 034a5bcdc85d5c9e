"""Intervals of findings over many collections: they hold the truth as often as they
say.
"""

import numpy as np

from benchmarks.coverage import wilson
from benchmarks.coverage_findings import margin, of_orders, two_measures
from irmeval.papers import resampled
from irmeval.papers.findings import answers
from tests.unit.papers.test_findings import FINDING


def test_interval_when_the_population_is_known_then_holds_the_true_margin_and_always_the_estimate(
    monkeypatch,
):
    """A small one of `benchmarks/coverage_findings.py`."""
    monkeypatch.setitem(resampled.TIMES, "topics", 20)
    held = outside = 0
    rng, population = np.random.default_rng(4), two_measures()
    finding = FINDING._replace(statistic="tau with AP", these=("Q",), those=0.0)
    truth = np.mean(
        [
            margin(finding, of_orders(population[..., rng.integers(5000, size=50)]))
            for _ in range(200)
        ]
    )
    for _ in range(60):
        [here] = answers([finding], of_orders(population[..., rng.integers(5000, size=50)]))
        held += here.low <= truth <= here.high
        outside += not here.low <= here.margin <= here.high
    assert outside == 0
    assert wilson(held, 60)[0] < 0.9 < wilson(held, 60)[1]
