"""Rank intervals: by hand, and against a known truth."""

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.stats.pairs import Pairs
from irmeval.stats.ranks import rank_intervals, rank_runs


def test_rank_intervals_when_pairs_differ_then_better_and_worse_systems_are_counted():
    # pairs ab ac ad bc bd cd: a beats c and d, d beats b; p = .05 is not below it
    pairs = Pairs(np.array([0.1, 0.2, 0.3, 0.1, -0.2, 0.1]), np.array([0.3, 0.01, 0.01, 0.05, 0.01, 0.2]))
    found = rank_intervals(pairs)
    assert found.low.tolist() == [1, 2, 2, 2]
    assert found.high.tolist() == [2, 4, 4, 3]
    assert found.alike.tolist() == [
        [True, True, False, False],
        [True, True, True, False],
        [False, True, True, True],
        [False, False, True, True],
    ]
    with pytest.raises(ParamError, match="alpha: expected a value between 0 and 1"):
        rank_intervals(pairs, alpha=1)


def test_rank_runs_when_the_truth_is_known_then_all_ranks_hold_at_once_as_often_as_is_said():
    truth, trials = np.repeat([0.6, 0.3, 0.0], [4, 3, 3]), 200
    best, worst = np.repeat([1, 5, 8], [4, 3, 3]), np.repeat([4, 7, 10], [4, 3, 3])  # equally good runs share all their ranks
    rng, hold, wide = np.random.default_rng(4), 0, 0.0
    for _ in range(trials):
        found = rank_runs(truth[:, None] + rng.normal(size=30) + rng.normal(0, 0.5, (10, 30)))
        hold += bool(((found.low <= best) & (worst <= found.high)).all())
        wide += (found.high - found.low + 1).mean() / trials
    assert hold >= 0.92 * trials  # .95 less two standard errors of 200 trials
    assert wide < 8  # of 10; the true ranks are 3.4


def test_rank_runs_when_topics_are_unscored_or_too_few_then_they_are_left_out_or_any_rank_may_be():
    scores = np.array([[0.9, 0.8, 0.9, 0.7, np.nan], [0.1, 0.2, 0.2, 0.1, 1.0]])
    assert [x.tolist() for x in rank_runs(scores)[:2]] == [[1, 2], [1, 2]]
    assert [x.tolist() for x in rank_runs(scores[:, 3:])[:2]] == [[1, 1], [2, 2]]
