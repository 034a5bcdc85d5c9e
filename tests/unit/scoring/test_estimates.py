"""Intervals for estimates from a sample: the jackknife by hand, what holds at the
edges, and a simulation with a known truth.
"""

import pickle
from dataclasses import replace
from functools import cache
from math import floor, log2, nan

import numpy as np
import pytest
from scipy import stats

import irmeval
from irmeval.collection import Design
from irmeval.core.errors import ParamError, UnknownName
from irmeval.metrics import sampling_variance, strata
from irmeval.metrics.hits import find_hits, ideal_lists
from irmeval.metrics.sampling_variance import CHANGES, DrawnDocuments, spread
from irmeval.metrics.variance_inferred import DrawnInRuns
from irmeval.scoring.score_table import Estimates, Scores
from irmeval.scoring.values import run_slices
from irmeval.stats.intervals import mean_interval
from tests.strata import drawn, leave_each_out, stratified

ESTIMATORS = [
    "statP@10",
    "statDCG",
    "statRBP(p=0.8)",
    "statR",
    "statAP",
    "infP@10",
    "infNumRelRet",
    "xinfAP",
]
"""Those that no rounding makes jump."""


@cache
def sampled(seed, topics=2, sizes=(6, 9, 12)):
    """A collection in three strata a topic, and grades of which so many were drawn in
    each.
    """
    rng = np.random.default_rng(seed)
    built = stratified(rng, topics)
    return built, drawn(built, rng, sizes)


def test_estimators_when_listed_then_all_have_an_interval():
    assert {irmeval.measure(text).metric.name for text in ESTIMATORS} | {
        "infNDCG",
        "statNDCG",
    } == set(CHANGES)


@pytest.mark.parametrize("text", ESTIMATORS)
@pytest.mark.parametrize("sizes", [(6, 9, 12), (20, 3, 2)])
def test_spread_when_each_drawn_document_is_really_left_out_then_is_the_same(text, sizes):
    built, grades = sampled(3, sizes=sizes)
    measure = irmeval.measure(text)
    hits = find_hits(built, grades, ideal_lists(built, grades))
    found = spread(measure, hits.cut(k) if (k := measure.params.get("k")) else hits)
    products, bias = leave_each_out(
        built,
        grades,
        lambda left, topic: irmeval.evaluate(built, [measure], grades=left).values[0][:, topic],
    )
    np.testing.assert_allclose(found.root @ found.root.T, products, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.bias, bias, rtol=0, atol=1e-9)


def ideal(numbers, k):
    """Discounted gain of an ideal list of fractions of documents, best grade first:
    within a rank it grows evenly.
    """
    total, end = 0.0, 0.0

    def reached(x):
        whole = floor(x)
        return sum(1 / log2(r + 1) for r in range(1, whole + 1)) + (x - whole) / log2(whole + 2)

    for grade in sorted(numbers, reverse=True):
        start, end = end, end + numbers[grade]
        total += grade * (reached(min(end, k)) - reached(min(start, k)))
    return total


@pytest.mark.parametrize("text", ["statNDCG@10", "infNDCG"])
def test_spread_when_the_ideal_list_is_not_rounded_then_is_that_of_the_ratio(text):
    built, grades = sampled(5)
    stratum = built.design.stratum

    def estimate(grades, topic):
        """Of every run, with an ideal list of fractions of documents."""
        n, N = (np.bincount(stratum[grades >= 0], minlength=6), np.bincount(stratum, minlength=6))
        numbers = {}
        for i in np.flatnonzero((built.topic == topic) & (grades > 0)):
            numbers[int(grades[i])] = numbers.get(int(grades[i]), 0) + N[stratum[i]] / n[stratum[i]]
        gains = []
        for run in range(3):
            start, end = built.start[run * 2 + topic : run * 2 + topic + 2]
            entries = list(zip(built.judgment_index[start:end], built.rank[start:end], strict=True))
            total = 0.0
            for s in set(stratum[built.topic == topic]):
                own = [(i, r) for i, r in entries if stratum[i] == s]
                gain = sum(
                    grades[i] / log2(r + 1)
                    for i, r in own
                    if grades[i] > 0 and (text == "infNDCG" or r <= 10)
                )
                held = sum(grades[i] >= 0 for i, _ in own)
                total += gain * (len(own) / held if text == "infNDCG" and held else N[s] / n[s])
            gains.append(total)
        return np.array(gains) / ideal(numbers, 1000 if text == "infNDCG" else 10)

    hits = find_hits(built, grades, ideal_lists(built, grades))
    found = spread(irmeval.measure(text), hits.cut(10) if "@" in text else hits)
    products, _ = leave_each_out(built, grades, estimate)
    np.testing.assert_allclose(found.root @ found.root.T, products, rtol=0, atol=1e-9)


def test_interval_when_the_whole_pool_is_judged_then_has_no_width():
    built, _ = sampled(3)
    found = irmeval.estimate(built, ["statAP", "statP@5", "infNDCG"])
    low, high = found.bounds()
    np.testing.assert_allclose(low, high, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        low, irmeval.evaluate(built, ["AP", "P@5", "nDCG"]).means, rtol=0, atol=1e-12
    )


def test_interval_when_over_topics_then_is_that_of_the_corrected_scores():
    built, grades = sampled(4, topics=12)
    found = irmeval.estimate(built, "statAP", grades=grades)
    np.testing.assert_array_equal(
        found.bounds(over="topics"), np.array(mean_interval(found.values[0]))[:, None]
    )
    frame = found.interval(over="topics")
    assert frame.columns.to_list() == ["run", "measure", "over", "estimate", "low", "high"]
    assert frame["estimate"].to_list() == found.means[0].tolist()


def test_interval_when_judgments_are_a_sample_then_estimators_have_both_and_raw_that_over_topics():
    built, grades = sampled(4, topics=12)
    measures = ["AP", "statAP", "statR"]
    scores = irmeval.evaluate(built, measures, grades=grades)
    frame = scores.interval()
    assert frame["over"].to_list() == ["topics", "judgments", "topics", "judgments", "topics"] * 3
    ends = frame.set_index(["measure", "over"]).sort_index()[["estimate", "low", "high"]]
    found = irmeval.estimate(built, measures[1:], grades=grades)
    for m, measure in enumerate(measures[1:]):
        for over in ("judgments", "topics"):
            low, high = found.bounds(over=over)
            np.testing.assert_array_equal(
                ends.loc[measure, over], np.transpose([found.over_topics()[m], low[m], high[m]])
            )
    raw = np.transpose([scores.means[0], *mean_interval(scores.values[0], bounds=(0, 1))])
    np.testing.assert_array_equal(ends.loc["AP", "topics"], raw)
    assert found.interval().equals(frame[frame["measure"] != "AP"].reset_index(drop=True))
    assert scores.interval(over="judgments").equals(
        frame[frame["over"] == "judgments"].reset_index(drop=True)
    )


def test_interval_when_judgments_are_no_sample_or_the_scores_are_unpickled_then_is_over_topics():
    built, grades = sampled(4, topics=12)
    scores = irmeval.evaluate(built, ["statAP", "statR"], grades=grades)
    plain = irmeval.evaluate(replace(built, design=None), ["statAP", "statR"])
    for one in (plain, pickle.loads(pickle.dumps(scores)), scores.on(["0", "1"])):
        assert set(one.interval()["over"]) == {"topics"}
    mean, counted = plain.interval().iloc[0], plain.interval().iloc[1]
    assert (mean["estimate"], counted["estimate"]) == (plain.means[0, 0], plain.values[1, 0].sum())
    low, high = mean_interval(plain.values[1])
    assert (counted["low"], counted["high"]) == (12 * low[0], 12 * high[0])


def test_interval_when_over_something_else_then_names_what_it_may_be_over():
    with pytest.raises(ParamError, match="over: expected judgments or topics, found 'runs'"):
        irmeval.evaluate(sampled(3)[0], "AP").interval(over="runs")


@pytest.mark.parametrize("over", ["judgments", "topics"])
@pytest.mark.parametrize("lost", [False, True])
def test_differences_when_of_every_pair_then_each_is_that_of_its_two_runs(over, lost):
    built, grades = sampled(4, topics=12)
    if lost:
        grades = np.where((built.topic == 0) & (grades > 0), 0, grades)
    found = irmeval.estimate(built, ["statAP", "xinfAP"], grades=grades)
    every = np.array(found.differences(over=over))
    for pair, (a, b) in enumerate(("ab", "ac", "bc")):
        of_two = found.difference(a, b, over=over)[["estimate", "low", "high"]].to_numpy().T
        np.testing.assert_allclose(every[:, :, pair], of_two, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(
        found.ends(pairs=True)[[0, *((1, 2) if over == "judgments" else (3, 4))]], every
    )


def test_estimate_when_only_runs_are_wanted_then_has_their_intervals_and_none_of_differences():
    built, grades = sampled(4, topics=12)
    whole, alone = (
        irmeval.estimate(built, ESTIMATORS, grades=grades, pairs=pairs) for pairs in (True, False)
    )
    np.testing.assert_array_equal(alone.values, whole.values)
    np.testing.assert_allclose(alone.bounds(), whole.bounds(), rtol=0, atol=1e-12)
    assert np.isnan(alone.difference("a", "b")[["low", "high"]].to_numpy()).all()


def test_estimate_when_there_are_too_many_strata_to_keep_them_then_is_the_same(monkeypatch):
    built, grades = sampled(4, topics=12)
    kept = irmeval.estimate(built, ESTIMATORS, grades=grades)
    monkeypatch.setattr(strata, "FEW", 0)
    counted = irmeval.estimate(built, ESTIMATORS, grades=grades)
    np.testing.assert_array_equal(counted.values, kept.values)
    np.testing.assert_array_equal(counted.covariance, kept.covariance)


def test_strata_when_there_are_more_than_one_number_has_room_for_then_are_counted_all_the_same():
    built, grades = sampled(5)
    # of three counts, in 6 bits each: 21 numbers in 63 bits hold 10
    names = [f"{s}" for s in range(7)]
    many = replace(built, design=Design.named(built.topic, names, np.arange(built.grade.size) % 7))
    hits = find_hits(many, grades, ideal_lists(many, grades))
    found = [*strata.within_lists(hits)]
    assert len(found) == 7
    lists, grade = (
        np.repeat(np.arange(many.length.size), np.diff(many.start)),
        grades[many.judgment_index],
    )
    for number, stratum in enumerate(found):
        own = many.design.stratum[many.judgment_index] % 7 == number
        for counted, held in zip(
            stratum[1:], (own, own & (grade >= 0), own & (grade > 0)), strict=True
        ):
            np.testing.assert_array_equal(
                counted, np.bincount(lists[held], minlength=many.length.size)
            )


def test_estimate_when_of_several_estimators_then_what_they_have_in_common_is_made_once(
    monkeypatch,
):
    built, grades = sampled(4, topics=12)
    calls = []
    for of, name in (
        (DrawnInRuns, "_of"),
        (sampling_variance, "levels_without"),
        (DrawnDocuments, "_joined"),
    ):
        made = getattr(of, name)
        monkeypatch.setattr(
            of, name, lambda *args, made=made, name=name: calls.append(name) or made(*args)
        )
    irmeval.estimate(built, ["xinfAP", "infNDCG", "infP@10", "statNDCG", "statAP"], grades=grades)
    slices = len([*run_slices(built, np.mean(grades >= 0))])
    assert sorted(set(calls)) == ["_joined", "_of", "levels_without"]
    assert max(calls.count(name) for name in set(calls)) <= slices


def test_difference_over_judgments_when_computed_by_hand_then_is_that_of_the_jackknife():
    built, grades = sampled(4, topics=12)
    found = irmeval.estimate(built, "statP@5", grades=grades)
    hits = find_hits(built, grades, ideal_lists(built, grades)).cut(5)
    root = spread(irmeval.measure("statP@5"), hits).root
    half = stats.t.ppf(0.975, 11) * np.sqrt(((root[0] - root[1]) ** 2).sum()) / 12
    row = found.difference("a", "b").iloc[0]
    assert (row["low"], row["high"]) == pytest.approx(
        (row["estimate"] - half, row["estimate"] + half), abs=1e-12
    )


@pytest.mark.parametrize("over", ["judgments", "topics"])
def test_difference_when_of_a_run_and_itself_then_is_0_without_width(over):
    built, grades = sampled(4, topics=12)
    found = irmeval.estimate(built, ["statAP", "statP@5"], grades=grades)
    assert (
        found.difference("a", "a", over=over)[["estimate", "low", "high"]].to_numpy().tolist()
        == [[0, 0, 0]] * 2
    )
    row = found.difference("a", "b", over=over).iloc[0]
    assert row["low"] < row["estimate"] < row["high"]
    assert row["estimate"] == pytest.approx(found.means[0, 0] - found.means[0, 1])


def test_interval_when_nothing_relevant_was_drawn_of_a_topic_then_is_wider():
    built, grades = sampled(4, topics=12)
    lost = np.where((built.topic == 0) & (grades > 0), 0, grades)
    found = irmeval.estimate(built, "statP@5", grades=lost)
    assert np.isnan(found.values[0, :, 0]).all()
    of_others = replace(found, values=found.values[..., 1:])
    assert (np.diff(found.bounds(), axis=0) > np.diff(of_others.bounds(), axis=0)).all()


def test_estimate_when_a_measure_has_no_interval_then_names_those_that_have():
    built, grades = sampled(3)
    with pytest.raises(
        ParamError, match="AP has no interval over judgments: expected one of statP, statDCG"
    ):
        irmeval.estimate(built, ["AP"], grades=grades)
    with pytest.raises(ParamError, match="over: expected judgments or topics, found 'runs'"):
        irmeval.estimate(built, ["statAP"], grades=grades).bounds(over="runs")
    with pytest.raises(UnknownName, match="unknown run"):
        irmeval.estimate(built, ["statAP"], grades=grades).difference("a", "z")


def test_stratum_when_one_document_was_drawn_then_is_joined_to_its_neighbour():
    built, grades = sampled(6, sizes=(1, 9, 12))
    found = irmeval.estimate(built, "statP@10", grades=grades)
    low, high = found.bounds()
    assert (high > low).all()
    assert np.isfinite([low, high]).all()


def estimated(*values, variance):
    """By statAP: scores of runs on topics, where the draw has a variance of so much for
    each run and no covariance.
    """
    scores, runs = np.array([values]), tuple("abc"[: len(values)])
    covariance = variance * np.eye(len(values))[None]
    return Estimates(
        scores, (irmeval.measure("statAP"),), runs, tuple("1234"), raw=scores, covariance=covariance
    )


@pytest.mark.parametrize(
    ("values", "variance", "half", "ends"),
    [
        ([0.2, 0.4, 0.6, 0.4], 0.01, 0.1 / 4, (0.4, 0.4)),
        # three topics with a variance of .04 stand for the fourth, whose score lies as far from
        # their mean as a fourth score would
        ([0.2, 0.4, nan, 0.6], 0.01, (0.01 / 9 + 0.04 * (1 + 1 / 3) / 16) ** 0.5, (0.4, 0.4)),
        ([0.2, nan, nan, 0.6], 0.01, (0.01 / 4 + 2 * 0.08 * (1 + 2 / 2) / 16) ** 0.5, (0, None)),
        ([0.1, 0.1, 0.1, 0.1], 0.04, 0.2 / 4, (0, None)),
        ([-0.1, -0.1, 0.1, -0.1], 0.04, 0.2 / 4, (-0.05, None)),
    ],
)
def test_interval_over_judgments_when_made_by_hand_then_missing_topics_widen_it_and_0_ends_it(
    values, variance, half, ends
):
    found, wide = estimated(values, variance=variance), stats.t.ppf(0.975, 3) * half
    mean = np.nanmean(values)
    expected = (
        (ends[0], mean + wide)
        if ends[1] is None
        else (mean * np.exp(-wide / mean), mean * np.exp(wide / mean))
    )
    row = found.interval(over="judgments").iloc[0]
    assert (row["low"], row["high"]) == pytest.approx(expected, rel=1e-12)


def test_difference_over_judgments_when_a_run_lacks_a_topic_then_is_of_the_others_and_wider():
    found = estimated([0.2, 0.4, nan, 0.6], [0.1, 0.1, 0.5, 0.3], variance=0.01)
    # .1, .3 and .3: their mean is .7 / 3, their variance .04 / 3
    half = stats.t.ppf(0.975, 3) * (0.02 / 9 + 0.04 / 3 * (1 + 1 / 3) / 16) ** 0.5
    row = found.difference("a", "b").iloc[0]
    assert (row["estimate"], row["low"], row["high"]) == pytest.approx(
        (0.7 / 3, 0.7 / 3 - half, 0.7 / 3 + half), rel=1e-12
    )


def test_board_when_measures_have_scores_on_other_topics_then_has_as_many_numbers_of_topics():
    values = np.array([[[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]], [[0.1, nan, 0.3], [0.1, 0.2, 0.3]]])
    board = Scores(
        values, (irmeval.measure("AP"), irmeval.measure("Bpref")), ("a", "b"), tuple("123")
    ).board()
    assert board["topics"].tolist() == ["3 / 2", "3 / 3"]


def test_difference_when_its_variance_is_rounded_below_0_then_its_interval_has_ends():
    built, grades = sampled(4, topics=12)
    found = irmeval.estimate(built, ["statAP"], grades=grades)
    alike = np.full(found.covariance.shape, 1e-3)
    alike[:, range(3), range(3)] *= 1 - 1e-12
    low, high = replace(found, covariance=alike).differences(over="judgments")[1:]
    assert np.isfinite([low, high]).all()
