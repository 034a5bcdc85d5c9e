"""Intervals of agreement over many judges: they hold the truth as often as they say."""

import numpy as np

from irmeval.judges.simulation import confusion_matrix
from irmeval.stats.judge_agreement import STATISTICS
from tests.unit.judges.test_judges import AGREEMENT, judges


def test_intervals_when_truth_is_known_then_hold_it_about_as_often_as_they_say():
    chances = confusion_matrix(np.arange(4), "noisy", 0.4)
    inside, rng = 0, np.random.default_rng(5)
    for seed in range(60):
        a = rng.integers(0, 4, 600)
        b = (np.cumsum(chances, axis=1)[a, :-1] <= rng.random(600)[:, None]).sum(axis=1)
        result = AGREEMENT(judges(a, b, topics=30), params=AGREEMENT.params(samples=200, seed=seed))
        at = [*STATISTICS].index("agreement")
        inside += result.low[0, at] <= 0.6 <= result.high[0, at]
    assert 50 <= inside <= 60
