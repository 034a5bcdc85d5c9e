"""Intervals over topics: by hand, and how often they hold the truth of the population
from which topics are drawn.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from irmeval.core.errors import ParamError
from irmeval.stats.intervals import (
    TO_NO_NOISE,
    clustered_share_interval,
    difference_interval,
    interval_around,
    interval_of_error,
    jackknife_interval,
    mean_interval,
    share_interval,
)


def test_mean_interval_when_scores_are_skewed_then_it_is_students_moved_towards_the_tail():
    # mean .2, s .4, g = mean of cubes .096 / .064 = 1.2 x .8 (n = 5, deviations -.1 x 4 and .4): by
    # hand below
    x = np.array([[0.1, 0.1, 0.1, 0.1, 0.6]])
    s, t = 0.05**0.5, 2.7764451051977987
    moved = (4 * -(0.1**3) + 0.4**3) / 5 / s**3 * s * (2 * t * t + 1) / 30
    half = t * s / 5**0.5
    low, high = mean_interval(x)
    assert (low[0], high[0]) == pytest.approx((0.2 + moved - half, 0.2 + moved + half), rel=1e-9)
    mirrored = mean_interval(1 - x)
    assert (1 - mirrored[1][0], 1 - mirrored[0][0]) == pytest.approx((low[0], high[0]))
    assert mean_interval(x, bounds=(0, 0.5))[1][0] == 0.5


def test_mean_interval_when_topics_lack_a_score_then_are_left_out_and_one_score_tells_nothing():
    scores = np.random.default_rng(5).random((5, 9))
    scores[1, [2, 4]] = np.nan
    scores[2, 1:] = np.nan
    scores[3] = 0.3
    ends = np.array(mean_interval(scores))
    assert np.isnan(ends[:, 2]).all()
    assert ends[:, 3].tolist() == [0.3, 0.3]
    assert (
        ends[:, [1]].tolist()
        == np.array(mean_interval(np.delete(scores[[1]], [2, 4], axis=1))).tolist()
    )


@pytest.mark.parametrize(
    ("score", "topics", "level"),
    [(1, 10, 0.95), (0, 10, 0.95), (0.3, 2, 0.9), (0.1 + 0.2, 50, 0.95)],
)
def test_mean_interval_when_all_scores_are_equal_then_it_allows_for_topics_that_were_not_drawn(
    score, topics, level
):
    low, high = mean_interval(np.full((1, topics), score), level=level, bounds=(0, 1))
    rare = ((1 - level) / 2) ** (1 / topics)
    assert (low[0], high[0]) == pytest.approx((score * rare, score * rare + 1 - rare), abs=1e-15)
    if score in (0, 1):
        assert (low[0], high[0]) == pytest.approx(
            binomtest(score * topics, topics).proportion_ci(level, method="exact"), rel=1e-9
        )
    low, high = mean_interval(
        np.array([[2 * score - 1] * topics, [0, 1] * (topics // 2)]),
        level=level,
        bounds=(-1, [1, 1]),
    )
    assert (low[0], high[0]) == pytest.approx(
        (2 * score * rare - 1, 2 * (score * rare + 1 - rare) - 1), abs=1e-15
    )


@pytest.mark.parametrize("bounds", [(0, np.inf), (-np.inf, 10), (-np.inf, np.inf)])
def test_mean_interval_when_equal_scores_are_unbounded_then_it_has_no_width(bounds):
    low, high = mean_interval(np.full((2, 7), 3.2), bounds=bounds)
    assert low.tolist() == high.tolist() == [3.2, 3.2]


def test_clustered_interval_when_clusters_are_alike_then_it_is_that_of_their_shares():
    hit, cluster = np.array([1, 1, 0, 1, 0, 0, 1, 1]), np.repeat(np.arange(4), 2)
    alone = share_interval(hit.reshape(4, 2).mean(axis=1), 2, level=0.95)
    np.testing.assert_allclose(clustered_share_interval(hit, cluster, level=0.95), alone)


def test_clustered_interval_when_clusters_differ_in_size_then_it_is_that_of_a_ratio():
    hit, cluster = np.array([1, 1, 1, 1, 0, 1, 0]), np.array([0, 0, 0, 0, 1, 1, 2])
    # 5 of 7 units; by cluster 4 - 20/7, 1 - 10/7, 0 - 5/7 hits more, over 7/3 units
    departures = (np.array([4, 1, 0]) - 5 / 7 * np.array([4, 2, 1])) / (7 / 3)
    expected = share_interval(5 / 7 + departures, 7 / 3, level=0.9)
    np.testing.assert_allclose(clustered_share_interval(hit, cluster, level=0.9), expected)


def test_difference_interval_when_of_several_measures_then_it_is_that_of_each_difference():
    scores = np.random.default_rng(4).random((2, 3, 9))
    low, high = difference_interval(scores, level=0.9)
    assert low.shape == high.shape == (2, 3)
    for m in range(2):
        ends = mean_interval(np.stack([x - y for x, y in combinations(scores[m], 2)]), level=0.9)
        np.testing.assert_allclose([low[m], high[m]], ends, rtol=1e-12)


@pytest.mark.parametrize("share", [0, 1, 1.5, float("nan")])
def test_intervals_when_level_is_no_share_then_refused(share):
    for interval in (mean_interval, difference_interval):
        with pytest.raises(ParamError, match="level"):
            interval(np.eye(3), level=share)


def test_jackknife_interval_when_a_topic_decides_or_is_alone_then_there_is_none():
    estimate, drawn, left_out = (
        np.array([0.5, 0.5]),
        np.full((4, 2), 0.5),
        np.array([[0.4, np.nan], [0.6, 0.5]]),
    )
    low, high = jackknife_interval(estimate, left_out, drawn, level=0.9, bounds=(0, 1))
    # Student's t with 1 degree of freedom is 6.3, the standard error .1
    assert (low[0], high[0]) == (0, 1)
    assert np.isnan([low[1], high[1]]).all()
    assert np.isnan(
        jackknife_interval(estimate, left_out[:1], drawn, level=0.9, bounds=(0, 1))
    ).all()


def test_interval_around_when_resamples_lie_below_then_spans_what_lies_above():
    drawn = np.array([0.6, 0.8, np.nan])
    half = 2.2621571627409915 * 0.1 * (10 / 9) ** 0.5  # Student's t with 9 degrees of freedom
    low, high = interval_around(0.75, drawn, 10, 0.95, (-1, 2))
    assert (low, high) == pytest.approx((0.7 - half, 0.75 + 0.05 * TO_NO_NOISE + half))
    assert interval_around(0.75, drawn, 10, 0.95, (0.7, 0.8)) == (0.7, 0.8)
    assert interval_around(1 + 2e-16, np.ones(3), 10, 0.95, (-1, 1))[1] == 1 + 2e-16
    for undefined in (
        interval_around(np.nan, drawn, 10, 0.95, (-1, 1)),
        interval_around(0.5, drawn[2:], 10, 0.95, (-1, 1)),
    ):
        assert np.isnan(undefined).all()


@pytest.mark.parametrize(("hits", "of"), [(10, 10), (0, 10), (19, 20), (1, 20), (50, 100)])
def test_interval_of_shares_of_single_units_when_made_then_is_that_of_clopper_and_pearson_or_wider(
    hits, of
):
    shares = np.repeat([1.0, 0.0], [hits, of - hits])
    exact = binomtest(hits, of).proportion_ci(method="exact")
    low, high = share_interval(shares, 1, level=0.95)
    assert low <= exact.low + 1e-12
    assert exact.high <= high + 1e-12
    if hits in (0, of):
        assert (low, high) == pytest.approx((exact.low, exact.high), rel=1e-9, abs=1e-12)


def test_interval_of_shares_when_clusters_agree_then_takes_each_as_one_unit():
    exact = binomtest(9, 10).proportion_ci(method="exact")
    np.testing.assert_allclose(
        share_interval(np.full((2, 10), 0.9), 50, level=0.95),
        [[exact.low] * 2, [exact.high] * 2],
        rtol=1e-9,
    )
    assert np.isnan(share_interval(np.array([np.nan, np.nan]), 7, level=0.95)).all()
    np.testing.assert_allclose(share_interval(np.ones(1), 7, level=0.95), (0.025, 1.0))


def test_interval_of_shares_when_units_are_independent_then_the_end_towards_1_takes_most_of_them():
    shares = np.random.default_rng(4).binomial(30, 0.7, 40) / 30
    low, high = share_interval(shares, 30, level=0.95)
    every, clusters = (
        binomtest(round(shares.mean() * of), of).proportion_ci(method="exact") for of in (1200, 40)
    )
    assert high == pytest.approx(every.high, abs=0.01)
    assert low == pytest.approx(clusters.low, abs=0.01)


@pytest.mark.parametrize(
    ("scores", "level", "ends"),
    [
        ([0.2, 0.4], 0.95, (0.3 - 1.2706204736, 0.3 + 1.2706204736)),
        # g is .072 / .1^1.5: it would move the middle by 1.17 times half the width
        ([0.0] * 9 + [1.0], 0.999, (0.1, 0.1 + 2 * 4.7809125860 / 10)),
    ],
)
def test_mean_interval_when_scores_are_two_or_very_skewed_then_is_by_hand_and_holds_the_mean(
    scores, level, ends
):
    low, high = mean_interval(np.array([scores]), level=level)
    assert (low[0], high[0]) == pytest.approx(ends, rel=1e-9)


@pytest.mark.parametrize(
    ("drawn", "moved"),
    [
        ([2.0, 4.0], 0),
        (
            [1.0, 1.0, 1.0, 5.0, np.nan],
            6 / 3**1.5 * (2 * 4.3026527297**2 + 1) / (12 * 4.3026527297),
        ),
        ([1.0] * 9 + [11.0], 1),  # the skewness 72 / 27 would move it by 1.96 times half the width
    ],
)
def test_jackknife_interval_when_of_the_mean_of_three_topics_then_is_students_moved_for_skew(
    drawn, moved
):
    # of 1, 2 and 6, whose variance is 7
    left_out, half = np.array([[4.0], [3.5], [1.5]]), 4.3026527297 * (7 / 3) ** 0.5
    low, high = jackknife_interval(
        np.array([3.0]), left_out, np.array(drawn)[:, None], level=0.95, bounds=(-np.inf, np.inf)
    )
    assert (low[0], high[0]) == pytest.approx(
        (3 + (moved - 1) * half, 3 + (moved + 1) * half), rel=1e-9
    )


def test_jackknife_interval_when_rounding_puts_the_estimate_above_its_bound_then_holds_it():
    above = np.nextafter(1, 2)
    ends = jackknife_interval(
        np.array([above]), np.ones((3, 1)), np.ones((2, 1)), level=0.95, bounds=(-1.0, 1.0)
    )
    assert [end.item() for end in ends] == [1, above]


@pytest.mark.parametrize(("estimate", "p"), [(0.0, 1), (0.3, 0)])
def test_interval_of_an_estimate_when_it_has_no_error_then_p_says_whether_it_is_0(estimate, p):
    assert interval_of_error(estimate, 0.0, 9, level=0.95) == (estimate, estimate, p)
