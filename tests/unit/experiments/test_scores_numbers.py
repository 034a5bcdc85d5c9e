"""Numbers and sentences of the pages on scores, by hand for a few runs and topics."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from irmeval.experiments.runs.leaderboard import BASELINE, Leaderboard, Params
from irmeval.experiments.runs.pair import PairOfRuns, count_measures, table_by_measure
from irmeval.experiments.runs.topics import compare_spread
from irmeval.experiments.verdicts import BETTER, SAME, WORSE
from irmeval.plots.colors import GREY, PALETTE
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.score_table import Scores
from irmeval.stats.pair_tests import Intervals
from irmeval.stats.significance import compare
from tests.cases import collection

NAN = float("nan")
TOPICS = ("t1", "t2", "t3", "t4")
RUNS = ("a", "b", "c", "d")
AP = [[0.9, 0.8, 1.0, 0.9], [0.2, 0.8, 0.4, 0.6], [0.3, 0.3, 0.3, 0.3], [0.1, 0.1, 0.1, 0.1]]
RR = [[0.2] * 4, [0.4] * 4, [0.6] * 4, [0.8] * 4]


def board(alone, at_once) -> Leaderboard:
    """That of a few scores; the baseline is b, and p-values of a, c and d are as they
    are said.
    """
    measures = tuple(map(measure, ("AP", "RR", "nDCG")))
    values = np.array([AP, RR, RR])
    means = values.mean(axis=-1)
    params = Params(baseline="b", test="t")
    tests = tuple(map(params.compare, values))
    said = (
        {"p_alone": np.array(p), "p_at_once": np.array(q)}
        for p, q in zip(alone, at_once, strict=True)
    )
    against = tuple(
        replace(params.compare(of, [1]), **p) for of, p in zip(values, said, strict=True)
    )
    return Leaderboard(
        Scores(values, measures, RUNS, TOPICS),
        means - 0.1,
        means + 0.1,
        tests,
        against,
        ("b",),
        params,
    )


ALONE, AT_ONCE = (
    [[0.03, 0.004, 0.0004], [0.2, 0.05, 0.01], [0.2, 0.06, 0.06]],
    [
        [0.05, 0.008, 0.001],
        [0.2, 0.1, 0.03],
        [0.2] * 3,
    ],
)


def test_leaderboard_when_p_is_alpha_then_it_is_not_below_it():
    found = board(ALONE, AT_ONCE)
    assert found.marks.tolist() == [
        [BETTER, BASELINE, WORSE * 2, WORSE * 2],
        [SAME, BASELINE, SAME, BETTER * 2],
        [SAME, BASELINE, SAME, SAME],
    ]


def test_leaderboard_when_told_in_words_then_better_worse_and_best_by_most_are_those_counted():
    found = board(ALONE, AT_ONCE)
    how = "Tested together: all 3 pairs with b, if b was chosen beforehand."
    assert (
        found.headline() == "By AP, b is better than 2 of 3 other runs, all pairs tested together."
        f" {how} Best by other measures: d by RR and nDCG."
        " By AP, b is better than 2 of 3 other runs tested pair by pair, than 2 with all 3 pairs"
        " with b tested together; 1 is better than b, none together."
    )
    assert (
        found.describe_significant("RR")
        == "By RR, b is better than none of 3 other runs tested pair by pair; 1 is better than b,"
        " 1 together."
    )


def test_leaderboard_when_compared_by_a_measure_then_rows_and_topics_are_in_its_order():
    found = board(ALONE, AT_ONCE)
    assert found.compared()["run"].tolist() == ["a", "b", "c", "d"]
    table = found.compared("RR")
    assert table["run"].tolist() == ["d", "c", "b", "a"]
    assert table["difference"].tolist() == pytest.approx([0.4, 0.2, np.nan, -0.2], nan_ok=True)
    assert table["p alone"].tolist() == ["0.01", "0.05", "", "0.2"]
    assert table["p at once"].tolist() == ["0.03", "0.1", "", "0.2"]
    by_ap = found.compared()
    z = [0.7, 0.0, 0.6, 0.3]
    deviation = (sum((value - 0.4) ** 2 for value in z) / 3) ** 0.5
    assert by_ap["Hedges' g"].tolist()[0] == pytest.approx(0.4 / deviation * (1 - 3 / 11))
    assert by_ap["topics won"].tolist() == pytest.approx([0.75, NAN, 0.25, 0], nan_ok=True)
    assert np.isnan(by_ap["Hedges' g"][1])
    assert found.by_topic(["b", "a"])["topic"].tolist() == ["t2", "t4", "t3", "t1"]


def test_leaderboard_when_drawn_then_what_is_told_apart_is_in_color():
    (chart,) = board(ALONE, AT_ONCE).charts("AP")
    marks = chart.draw().data
    assert {mark.name: [list(mark.x)[i] for i in range(len(mark.x))] for mark in marks} == {
        GREY: pytest.approx([0.9, 0.5]),
        PALETTE["vermilion"]: pytest.approx([0.3, 0.1]),
    }


def test_leaderboard_when_the_mean_is_a_sum_then_so_are_the_ends_of_its_interval():
    c = collection(
        {t: {"x": 1, "y": 1} for t in "123"},
        {"r": {t: ["x", "y"] for t in "123"}, "s": {t: ["x"] for t in "123"}},
    )
    found = EXPERIMENTS["leaderboard"](c, ["NumRelRet"])
    assert found.frame()[["score", "low", "high"]].to_numpy().tolist() == [[6, 6, 6], [3, 3, 3]]


def test_p_when_a_single_sample_reached_the_difference_then_it_is_one_in_so_many_and_not_below():
    params = Params(baseline="r", test="bootstrap", samples=20)
    relevant = {str(t): {"x": 1} for t in range(8)}
    lists = {str(t): ["x"] for t in range(8)}
    for wins in range(1, 9):
        other = {str(t): ["x"] if t >= wins else ["u", "x"] for t in range(8)}
        found = EXPERIMENTS["leaderboard"](
            collection(relevant, {"r": lists, "s": other}), ["RR"], params
        )
        p = compare(found.scores.values[0], "bootstrap", samples=20).p.item()
        assert found.compared().set_index("run")["p alone"]["s"] == (
            "< 0.05" if p == 0 else f"{p:.3g}"
        )


SCORES = Matrix(
    "made up",
    ("a", "b", "c"),
    TOPICS,
    np.array([[1.0, 0.8, 0.0, 0.6], [0.8, 0.6, 0.2, 0.4], [0.6, 0.4, 0.1, 0.1]]),
)
"""Means of runs .6, .5, .3; of topics .8, .6, .1, 1.1 / 3."""


def test_topics_when_scores_are_spread_by_hand_then_the_tables_say_so():
    found = EXPERIMENTS["topics"](SCORES)
    runs = table_named(found, "runs").make()
    assert runs["run"].tolist() == ["a", "b", "c"]
    row = runs.iloc[0][
        ["mean", "deviation", "least", "1st quartile", "median", "3rd quartile", "most"]
    ].tolist()
    assert row == pytest.approx([0.6, 0.14**0.5, 0, 0.45, 0.7, 0.85, 1])
    topics = table_named(found, "topics").make()
    assert topics[["topic", "best run"]].to_numpy().tolist() == [
        ["t1", "a"],
        ["t2", "a"],
        ["t4", "a"],
        ["t3", "b"],
    ]
    assert topics["mean"].tolist() == pytest.approx([0.8, 0.6, 1.1 / 3, 0.1])


def test_topics_when_told_in_words_then_the_larger_spread_the_easiest_and_the_hardest_are_named():
    found = EXPERIMENTS["topics"](SCORES)
    assert found.verdict().claim == (
        "By made up, topics differ 2.1 times as much as runs: standard deviation 0.261 over topics,"
        " 0.125 over runs."
    )
    easy, hard = "Topic t1 is the easiest (mean 0.800)", "topic t3 the hardest (0.100)."
    assert found.verdict().below == f"{easy}, {hard}"
    turned = replace(SCORES, runs=TOPICS, topics=("a", "b", "c"), values=SCORES.values.T)
    claim = EXPERIMENTS["topics"](turned).verdict().claim
    assert "runs differ 2.1 times as much as topics" in claim


@pytest.mark.parametrize(
    ("of_topics", "of_runs", "said"),
    [
        (0.110, 0.108, "topics and runs differ about equally"),
        (0.0, 0.0, "neither topics nor runs differ"),
        (0.2, 0.0, "topics differ, runs do not"),
        (0.1, 0.3, "runs differ 3.0 times as much as topics"),
    ],
)
def test_spread_when_nearly_the_same_or_none_then_that_is_what_is_said(of_topics, of_runs, said):
    assert compare_spread(of_topics, of_runs) == said


def test_topics_when_a_measure_is_named_then_scores_are_by_that_one():
    c = collection(
        {"1": {"x": 1}, "2": {"x": 1}},
        {"r": dict.fromkeys("12", "ux"), "s": dict.fromkeys("12", "xu")},
    )
    experiment = EXPERIMENTS["topics"]
    assert table_named(experiment(c, ["RR", "P@1"], experiment.params(by="P@1")), "runs").make()[
        "mean"
    ].tolist() == [1, 0]
    assert table_named(experiment(c, ["RR", "P@1"]), "runs").make()["mean"].tolist() == [1, 0.5]


def pair(z, name="AP", p=0.03, **more) -> PairOfRuns:
    """Two runs that are so far apart on each topic."""
    z = np.array(z)
    topics = tuple(f"t{t}" for t in range(1, len(z) + 1))
    numbers = {
        "difference": float(z.mean()),
        "p_alone": p,
        "p_at_once": 2 * p,
        "effect": 0.5,
        "hedges": 0.4,
    }
    given = {
        "intervals": Intervals(0.1, 0.2, 0.0, 0.3),
        "params": EXPERIMENTS["matrix"].params(test="t"),
        "pairs": 3,
        "family": "all 3 pairs",
    }
    return PairOfRuns(name, "A", "B", topics, 0.5 + z / 2, 0.5 - z / 2, **(numbers | given | more))


Z = [0.5, 0.25, 0.25, -0.25, -0.25, 0.0]
"""A wins on three topics and loses on two; without the first, nothing is left of its
lead.
"""


@pytest.mark.parametrize(("sign", "better", "worse"), [(1, "A", "B"), (-1, "B", "A")])
def test_two_runs_when_told_then_means_wins_and_losses_are_the_better_ones(sign, better, worse):
    found = pair([sign * z for z in Z])
    high, low = sorted((found.x.mean(), found.y.mean()), reverse=True)
    assert found.verdict().claim == (
        f"{better} is better than {worse} by AP: {high:.3f} against {low:.3f} (p = 0.030)."
    )
    assert found.verdict()[1:] == (
        "With all 3 pairs tested together, p = 0.060.",
        f"{better} wins 3 of 6 topics and loses 2.",
    )
    lone = replace(found, pairs=1, family="2 of 9 runs selected: their pair alone")
    assert lone.verdict().beside == "2 of 9 runs selected: their pair alone."


def test_caption_of_two_runs_when_topics_decide_then_counts_them():
    one = "Without the topic that favours it most, A would not lead."
    assert one in pair(Z).chart().caption
    many = "Without the 8 topics that favour it most, A would not lead."
    assert many in pair([0.125] * 8).chart().caption


def test_two_runs_when_topics_are_chosen_then_means_with_and_without_them_are_said():
    said = "2 topics: mean difference in AP +0.3750, on all +0.0833, without them -0.0625."
    assert pair(Z).of_topics([0, 1]) == said
    assert pair(Z).numbers()["95% interval alone"] == "+0.1000 to +0.2000"
    assert pair(Z).numbers()["95% interval at once"] == "+0.0000 to +0.3000"


def test_two_runs_when_side_by_side_then_ties_are_neither_and_measures_are_counted():
    pairs = [pair(Z), pair([-z for z in Z], "RR", p=0.02), pair(Z, "nDCG", p=0.05)]
    assert table_by_measure(pairs)[["wins", "losses"]].to_numpy().tolist() == [
        [3, 2],
        [2, 3],
        [3, 2],
    ]
    assert [pair.won for pair in pairs] == list(table_by_measure(pairs)["topics won"])
    assert [pair.won * len(pair.z) for pair in pairs] == [3, 2, 3]
    assert count_measures(pairs) == "Better tested pair by pair, of 3 measures: A by 1, B by 1."
    assert count_measures(pairs[2:]) == ""
    assert count_measures([pairs[2], pairs[2]]) == "They differ by none of 2 measures."
