"""Aggregates over topics: means, geometric means, medians; sums for counts."""

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError, UnknownName
from irmeval.metrics import distinct
from irmeval.scoring.score_table import (
    AGGREGATES,
    Scores,
    geometric_mean_over_topics,
    median_over_topics,
)
from tests.cases import EXAMPLE, EXAMPLE_LIST, collection

NAN = float("nan")


@pytest.fixture(scope="module")
def scores():
    """Three topics with relevant documents, one of which the run lacks, and one
    without.
    """
    judgments = {"1": EXAMPLE, "2": {"S1": 1}, "3": {"S1": 1, "x": 1}, "4": {"n1": 0}}
    rankings = {"run": {"1": EXAMPLE_LIST, "2": ["u", "S1"], "4": ["n1", "u"]}}
    return irmeval.evaluate(
        collection(judgments, rankings), ["AP", "NumRet", "NumRel", "NumRelRet", "NumUnjudged"]
    )


def test_means_when_a_topic_has_no_score_then_leave_it_out(scores):
    assert scores.counts.tolist() == [[3]] * 5
    assert scores.means[0, 0] == pytest.approx((0.357143 + 0.5 + 0) / 3, abs=1e-6)


def test_topics_when_some_are_asked_for_then_scores_are_theirs_in_that_order(scores):
    some = scores.on(["3", "1"])
    assert some.topics == ("3", "1")
    np.testing.assert_array_equal(some.values, scores.values[..., [2, 0]])
    with pytest.raises(UnknownName, match="unknown topic '7'"):
        scores.on(["1", "7"])


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_counts_when_aggregated_then_are_summed(scores, aggregate):
    assert scores.over_topics(aggregate)[1:, 0].tolist() == [10, 7, 4, 3]


def test_geometric_mean_when_a_topic_scores_0_then_takes_the_floor(scores):
    expected = np.exp(np.log([scores.values[0, 0, 0], 0.5, 1e-5]).mean())
    assert scores.over_topics("geometric")[0, 0] == pytest.approx(expected)
    assert scores.mean("geometric").loc["run", "AP"] == pytest.approx(expected)


def test_median_when_taken_then_is_the_middle_score(scores):
    assert scores.mean("median").loc["run", "AP"] == pytest.approx(0.357143, abs=1e-6)


def test_mean_when_unnamed_then_is_arithmetic(scores):
    assert scores.mean().loc["run"].tolist() == scores.means[:, 0].tolist()


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3.0, 1.0, 2.0], 2), ([3.0, NAN, 1.0], 2), ([NAN, 5.0, NAN], 5), ([NAN, NAN, NAN], NAN)],
)
def test_median_when_scores_are_missing_then_is_that_of_the_others(values, expected):
    np.testing.assert_equal(median_over_topics(np.array([values]))[0], expected)


def test_median_when_drawn_at_random_then_is_numpys():
    values = np.random.default_rng(1).random((5, 4, 7))
    values[values < 0.2] = NAN
    values[..., 0] = 0.5
    np.testing.assert_array_equal(median_over_topics(values), np.nanmedian(values, axis=2))


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_aggregate_when_no_topic_has_a_score_then_is_none(aggregate):
    lists = collection({"1": {"a": 0}}, {"run": {"1": ["a"]}})
    assert np.isnan(irmeval.evaluate(lists, ["AP", "NumRet"]).over_topics(aggregate)).all()


def test_geometric_mean_when_all_scores_are_equal_then_is_theirs():
    assert geometric_mean_over_topics(np.full((1, 3), 0.25))[0] == pytest.approx(0.25)


def test_aggregate_when_unknown_then_is_refused(scores):
    with pytest.raises(ParamError, match="mean, geometric, median, found 'harmonic'"):
        scores.over_topics("harmonic")


def test_orders_of_runs_when_counted_then_are_mean_ranks_over_topics_and_borda_over_measures():
    values = np.array(
        [
            [[0.9, 0.5, np.nan], [0.1, 0.5, 0.3], [0.4, 0.2, 0.1]],
            [[0.2, 0.2, 0.2], [0.3, 0.3, 0.3], [0.2, 0.2, 0.2]],
        ]
    )
    scores = Scores(values, distinct(["AP", "RR"]), ("a", "b", "c"), ("1", "2", "3"))
    # the third topic has no score of a by AP
    assert scores.mean_ranks.tolist() == [[1.25, 2.25, 2.5], [2.5, 1.0, 2.5]]
    assert scores.borda.tolist() == [2.5, 3.0, 0.5]  # by AP the means are .7, .3, .23


def test_orders_of_runs_when_nothing_has_a_score_then_there_is_no_rank_and_no_vote():
    scores = Scores(np.full((1, 2, 1), np.nan), distinct(["AP"]), ("a", "b"), ("1",))
    assert np.isnan(scores.mean_ranks).tolist() == [[True, True]]
    assert scores.borda.tolist() == [0.0, 0.0]
