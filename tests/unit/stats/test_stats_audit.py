"""The audit of a judge, against plain loops on random tables, with ties."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from irmeval.stats import ranking_by_judge
from irmeval.stats.bootstrap import resamples
from irmeval.stats.means import mean_of_known
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.powered import powered_mean


def tables(seed, systems=9, topics=8):
    """Scores [judge, system, topic] in quarters, so that there are ties; the second
    judge is like the first, with noise.
    """
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 5, (systems, topics)) + np.arange(systems)[:, None] // 2
    return np.stack([first, first + rng.integers(-2, 3, first.shape)]) / 4.0


def tau(x, y):
    up = down = of_x = of_y = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        up, down, of_x, of_y = (
            up + (a * b > 0),
            down + (a * b < 0),
            of_x + (a != 0),
            of_y + (b != 0),
        )
    return (up - down) / sqrt(of_x * of_y) if of_x and of_y else np.nan


@pytest.mark.parametrize("seed", range(30))
def test_tau_at_top_when_runs_tie_at_the_border_then_all_of_them_are_in(seed):
    x = tables(seed)[0].mean(axis=1)
    for k in range(2, len(x) + 1):
        border = sorted(x, reverse=True)[k - 1]
        top = [i for i in range(len(x)) if x[i] >= border]
        assert ranking_by_judge.find_top(x, k).tolist() == top


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("k", [3, 9])
def test_decisions_when_counted_then_are_those_of_a_loop(seed, k):
    tests = [compare_pairs(scores, "t", alpha=0.2) for scores in tables(seed)]
    top = ranking_by_judge.find_top(tables(seed)[0].mean(axis=1), k).tolist()
    for r, which in enumerate(("p_alone", "p_at_once")):
        said = []
        for judge in tests:
            p, z = getattr(judge, which), judge.difference
            said.append([0 if p[i] >= 0.2 else np.sign(z[i]) for i in range(len(p))])
        counted = dict.fromkeys(("both", "first_only", "second_only", "opposed", "neither"), 0)
        for i, pair in enumerate(combinations(range(9), 2)):
            if not {*pair} <= {*top}:
                continue
            a, b = said[0][i], said[1][i]
            kind = (
                "neither"
                if not (a or b)
                else (
                    "second_only"
                    if not a
                    else "first_only"
                    if not b
                    else "both"
                    if a == b
                    else "opposed"
                )
            )
            counted[kind] += 1
        assert ranking_by_judge.decide(*tests, np.array(top))[r]._asdict() == counted


@pytest.mark.parametrize("seed", range(30))
def test_winner_when_several_tie_then_is_the_last_of_them_by_the_reference(seed):
    first, second = tables(seed)
    x, y = first.mean(axis=1), second.mean(axis=1)
    winners = [i for i in range(len(y)) if y[i] == y.max()]
    worst = min(x[i] for i in winners)
    found = ranking_by_judge.find_winner(compare_pairs(first, "t"), y)
    assert (found.ties, found.place) == (len(winners), 1 + sum(value > worst for value in x))
    assert found.loss == pytest.approx(x.max() - worst)
    if found.system != found.best:
        (tested,) = [*compare_pairs(first[[found.best, found.system]], "t").p_alone]
        assert found.p_alone == pytest.approx(tested)
        assert (found.low > 0) == (found.p_alone < 0.05)
        assert found.low <= found.loss <= found.high


def test_winner_when_it_is_the_references_own_then_nothing_is_lost():
    first = tables(1)[0]
    found = ranking_by_judge.find_winner(compare_pairs(first, "t"), first.mean(axis=1) ** 3)
    assert (found.place, found.loss) == (1, 0.0)
    assert np.isnan([found.low, found.p_alone, found.p_at_once]).all()


def test_enough_when_estimated_then_means_are_those_of_a_loop():
    first, second = tables(3)
    known, rest = [0, 2, 5], [1, 3, 4, 6, 7]
    powered, calibrated, alone = ranking_by_judge.estimate_means(
        first[:, known], second[:, known], second[:, rest]
    )
    x, y = second[:, known].ravel(), first[:, known].ravel()
    slope, start = np.polyfit(x, y, 1)
    for s in range(len(first)):
        assert powered[s] == pytest.approx(
            float(powered_mean(first[s, known], second[s, known], second[s, rest]).mean)
        )
        assert calibrated[s] == pytest.approx(
            (sum(first[s, known]) + sum(start + slope * second[s, rest])) / 8
        )
        assert alone[s] == pytest.approx(sum(first[s, known]) / 3)


def test_enough_when_the_judge_is_the_reference_then_no_topic_is_needed_and_all_keep_the_order():
    first, second = tables(5, topics=12)
    how = {"sets": 5, "samples": 50, "seed": 1, "level": 95}
    own = ranking_by_judge.find_enough(first, first, (0, 3, 6, 12), **how)
    assert own.needed[:2] == (0, 0)
    assert own.tau[1] == pytest.approx(1)  # a line through the points themselves
    other = ranking_by_judge.find_enough(first, second, (0, 3, 6, 12), **how)
    assert other.tau[:, -1] == pytest.approx(1)
    assert np.isnan(other.tau[2, 0]).all()
    assert other.tau[0, 0, 0] == pytest.approx(tau(mean_of_known(first), mean_of_known(second)))
    for way, needed in enumerate(other.needed):
        reached = [
            t
            for i, t in enumerate(other.topics)
            if (other.tau[way, i:, 0] >= other.least - 1e-9).all()
        ]
        assert needed == (0 if other.tau[way, 0, 0] >= other.least - 1e-9 else min(reached))


def test_enough_when_the_reference_has_no_order_then_nothing_is_stated():
    flat = np.ones((4, 6))
    found = ranking_by_judge.find_enough(
        flat, tables(1)[0][:4, :6], (0, 3, 6), sets=3, samples=20, seed=1, level=95
    )
    assert np.isnan(found.least)
    assert found.needed == (None, None, None)


def test_intervals_when_computed_then_hold_the_values():
    first, second = tables(7)
    at_top, ap = ranking_by_judge.tau_intervals(
        first, second, (3, 9), samples=100, seed=1, level=95
    )
    x, y = first.mean(axis=1), second.mean(axis=1)
    tops = (ranking_by_judge.find_top(x, k) for k in (3, 9))
    assert at_top[:, 0] == pytest.approx([tau(x[top], y[top]) for top in tops])
    assert (at_top[:, 1] <= at_top[:, 0]).all()
    assert (at_top[:, 0] <= at_top[:, 2]).all()
    assert ap[1] <= ap[0] <= ap[2]


def test_least_tau_when_resampled_then_is_the_lower_end_over_the_samples_that_have_an_order():
    first = np.zeros((7, 4))  # all runs tie on the last two topics
    first[:, 0], first[:, 1] = [1, 2, 3, 4, 5, 6, 7], [0, 6, 1, 5, 2, 4, 3]
    found = ranking_by_judge.find_enough(
        first, first, (0, 4), sets=2, samples=200, seed=4, level=50
    )
    drawn = resamples(np.random.default_rng(4), 200, 4) @ first.T / 4
    taus = [tau(first.mean(axis=1), means) for means in drawn]
    assert np.isnan(taus).any()
    assert found.least == pytest.approx(np.nanpercentile(taus, 25))
    assert found.least < np.nanpercentile(taus, 50)
