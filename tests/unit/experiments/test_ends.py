"""Results on a sample of the judgments: estimates with both intervals, in numbers,
sentences, charts and tables.
"""

import io
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.pair import table_by_measure
from irmeval.report import as_table, wide
from irmeval.scoring.estimated_scores import describe_rare, describe_rare_coverage
from irmeval.scoring.score_table import ENDS
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, in_strata, read_once

MEASURES = ["AP", "statAP", "statP@10"]
BOARD, PAIRS = EXPERIMENTS["leaderboard"], EXPERIMENTS["matrix"]


@cache
def sampled():
    """The sample collection with every second document drawn, from two strata a topic,
    and five runs.
    """
    built = select(read_once(*SAMPLE), Selection(random_runs=5)).collection
    grade = np.where(np.arange(built.grade.size) % 2, built.grade, -1).astype(built.grade.dtype)
    return in_strata(replace(built, grade=grade), lambda document: str(ord(document[-1]) % 2))


@cache
def estimates():
    return irmeval.estimate(sampled(), MEASURES[1:])


def test_leaderboard_when_judgments_are_a_sample_then_estimators_have_both_intervals():
    result, found = BOARD(sampled(), MEASURES), estimates()
    frame = result.frame()
    assert [*frame][-5:] == [*ENDS]
    assert frame.loc[frame["measure"] == "AP", [*ENDS]].isna().all(axis=None)
    expected = np.stack([found.over_topics(), *found.bounds(), *found.bounds(over="topics")])
    for m, measure in enumerate(MEASURES[1:]):
        np.testing.assert_array_equal(
            frame.loc[frame["measure"] == measure, [*ENDS]].to_numpy().T, expected[:, m]
        )
        shown = result.compared(result.measures[m + 1]).set_index("run").loc[[*found.runs], [*ENDS]]
        np.testing.assert_array_equal(shown.to_numpy().T, expected[:, m])
    assert not {*ENDS} & {*result.compared("AP")}


def test_leaderboard_when_judgments_are_a_sample_then_the_sentence_names_both_intervals():
    result, found = BOARD(sampled(), MEASURES[::-1]), estimates()
    best = result.order()[0]
    (low, high), (least, most) = (
        np.array(found.bounds(over=over))[:, 1, best] for over in ("judgments", "topics")
    )
    said = f"statP@10 of {found.runs[best]} is estimated at {found.means[1, best]:.4f}"
    assert (
        f"{said} (95% intervals: {low:.4f} to {high:.4f} over judgments, {least:.4f} to {most:.4f}"
        " over topics)." in result.headline()
    )
    assert "is estimated" not in BOARD(sampled(), MEASURES).headline()


def test_chart_of_intervals_when_of_an_estimator_then_has_both_around_the_estimate():
    result, found = BOARD(sampled(), MEASURES), estimates()
    chart = result.charts(result.measures[1])[0]
    assert "interval over topics and, thick, over judgments around the estimate" in chart.caption
    thin, thick = (
        [mark for mark in chart.draw().data if mark.error_x.thickness == width]
        for width in (1.5, 4)
    )
    for marks, over in ((thin, "topics"), (thick, "judgments")):
        ends = sorted(
            (x, x - less, x + more)
            for mark in marks
            for x, less, more in zip(
                mark.x, mark.error_x.arrayminus, mark.error_x.array, strict=True
            )
        )
        np.testing.assert_allclose(
            ends,
            sorted(zip(found.means[0], *(end[0] for end in found.bounds(over=over)), strict=True)),
            atol=1e-12,
        )
    assert "over judgments<extra>" in thick[0].hovertemplate
    assert {
        mark.error_x.thickness for mark in result.charts(result.measures[0])[0].draw().data
    } == {1.5}


def test_significance_when_judgments_are_a_sample_then_pairs_have_both_intervals_of_differences():
    result, found = PAIRS(sampled(), MEASURES), estimates()
    expected = np.stack([*found.differences(), *found.differences(over="topics")[1:]])
    for frame in (result.frame(), result.detailed()):
        assert [*frame][-5:] == [*ENDS]
        assert frame.loc[frame["measure"] == "AP", [*ENDS]].isna().all(axis=None)
        for m, measure in enumerate(MEASURES[1:]):
            np.testing.assert_array_equal(
                frame.loc[frame["measure"] == measure, [*ENDS]].to_numpy().T, expected[:, m]
            )


def test_significance_when_the_level_or_the_runs_are_others_then_so_are_the_intervals():
    runs = sampled().runs
    store = {}
    for alpha, only in ((0.05, ()), (0.2, ()), (0.2, (runs[3], runs[1]))):
        result = PAIRS(sampled(), ["statAP"], PAIRS.params(alpha=alpha), only=only, store=store)
        found = irmeval.estimate(sampled(), "statAP").difference(
            *(only or runs[:2]), level=1 - alpha
        )
        np.testing.assert_allclose(
            result.ends.values[:3, 0, 0],
            found[["estimate", "low", "high"]].to_numpy()[0],
            rtol=0,
            atol=1e-12,
        )


def test_pair_when_turned_round_then_its_intervals_are_too_and_the_sentence_names_them():
    result = PAIRS(sampled(), MEASURES)
    a, b = result.runs[:2]
    one, other = result.pair("statAP", a, b), result.pair("statAP", b, a)
    assert one.ends == [
        -other.ends[0],
        -other.ends[2],
        -other.ends[1],
        -other.ends[4],
        -other.ends[3],
    ]
    mean, low, high, least, most = one.ends
    assert one.numbers()["Estimated difference"] == f"{mean:+.4f}"
    assert one.numbers()["95% over judgments"] == f"{low:+.4f} to {high:+.4f}"
    assert one.numbers()["95% over topics"] == f"{least:+.4f} to {most:+.4f}"
    assert (
        f"{low:+.4f} to {high:+.4f} over judgments, {least:+.4f} to {most:+.4f} over topics."
        " Another sample" in one.verdict().beside
    )
    assert "95% interval alone" in result.pair("AP", a, b).numbers()
    assert "estimated" not in result.pair("AP", a, b).verdict().beside


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.1, 0.2, "could make the other run better"),
        (0.1, 0.2, "would not change which run is better"),
    ],
)
def test_pair_when_0_lies_in_the_interval_over_judgments_then_says_another_sample_could_turn_it(
    low, high, said
):
    made = PAIRS(sampled(), ["statAP"]).pair("statAP", *sampled().runs[:2])
    assert (
        f"Another sample of judgments {said}."
        in replace(made, ends=[0.15, low, high, low, high]).estimated()
    )


def test_side_by_side_when_a_measure_is_no_estimator_then_its_estimate_is_empty():
    result = PAIRS(sampled(), MEASURES)
    pairs = [result.pair(name, *result.runs[:2]) for name in result.names]
    frame = table_by_measure(pairs)
    assert [*frame][3:10] == ["difference", *ENDS, "p alone"]
    np.testing.assert_array_equal(
        frame[[*ENDS]].to_numpy(), [[np.nan] * 5, pairs[1].ends, pairs[2].ends]
    )
    assert not {*ENDS} & {*table_by_measure(pairs[:1])}


def test_matrix_and_differences_from_one_run_when_of_an_estimator_then_hold_both_intervals():
    result = PAIRS(sampled(), MEASURES)
    order = result.order("statAP")
    marks = result.chart_of_matrix("statAP", order).draw().data[1]
    assert "over judgments<br>" in marks.hovertemplate
    pair = result.pair("statAP", *(result.runs[r] for r in order[:2]))
    np.testing.assert_allclose(marks.customdata[1][3:], pair.ends, rtol=1e-5)
    chart = result.chart_against("statAP", pair.b, order[:2])
    assert "over topics and, thick, that over judgments" in chart.caption
    thin, thick = chart.draw().data
    mean, low, high, least, most = pair.ends
    for mark, ends in ((thin, (least, most)), (thick, (low, high))):
        around = mark.x[0] - mark.error_x.arrayminus[0], mark.x[0] + mark.error_x.array[0]
        assert (mark.x[0], *around) == pytest.approx((mean, *ends))
    assert (
        "interval alone: %{customdata[3]:+.4f}"
        in result.chart_of_matrix("AP", order).draw().data[1].hovertemplate
    )


def test_measures_when_none_is_named_then_are_those_of_most_papers_on_a_sample_after_estimators():
    raw = ("AP", "nDCG@10", "P@10", "RR")
    first = ("xinfAP", "statNDCG@10", "statP@10")
    assert irmeval.evaluate(sampled()).measures == BOARD(sampled()).measures == (*first, *raw)
    plain = replace(sampled(), design=None)
    assert irmeval.evaluate(plain).measures == BOARD(plain).measures == raw
    weighted = replace(sampled().design, weight=np.ones(plain.grade.size))
    assert irmeval.evaluate(replace(plain, design=weighted)).measures == (
        "statAP",
        *first[1:],
        *raw,
    )


def test_results_when_judgments_are_no_sample_then_have_no_estimates():
    plain = replace(sampled(), design=None)
    assert not {*ENDS} & {*BOARD(plain, MEASURES).frame()}
    assert not {*ENDS} & {*PAIRS(plain, MEASURES).frame()}
    assert not {*ENDS} & {*BOARD(sampled(), ["AP"]).frame()}


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (["infP@10", "statNDCG@10"], "of infP@10 in 79 of 100 cases (a tenth drawn)."),
        (
            ["AP", "statNDCG", "infNDCG"],
            "of infNDCG in 89 (three tenths); of statNDCG in 90 (three tenths).",
        ),
        (["AP", "statAP", "statNDCG@10"], ""),
    ],
)
def test_intervals_when_known_to_hold_too_rarely_then_captions_name_them(measures, said):
    chosen = tuple(map(irmeval.measure, measures))
    told = describe_rare_coverage(sampled(), chosen)
    assert told == (
        said
        and f"95% intervals over judgments are known to contain the true mean too rarely: {said}"
    )
    result, estimator = BOARD(sampled(), measures), chosen[-1]
    assert result.charts(estimator)[0].caption.endswith(told)
    assert (
        told
        in PAIRS(sampled(), measures)
        .chart_against(estimator, sampled().runs[0], np.arange(3))
        .caption
    )
    assert "too rarely" not in BOARD(sampled(), ["AP", *measures]).charts("AP")[0].caption


@pytest.mark.parametrize(("rate", "said"), [(5.0, True), (5.1, False)])
def test_intervals_when_of_xinfap_then_hold_too_rarely_on_a_twentieth_of_the_judgments(rate, said):
    assert ("of xinfAP in 88" in describe_rare([irmeval.measure("xinfAP")], rate)) == said


def test_intervals_when_a_topic_is_one_stratum_then_all_are_known_to_hold_too_rarely():
    one = in_strata(sampled(), lambda document: "0")
    assert describe_rare_coverage(one, [irmeval.measure("statAP")]).endswith(
        "with one stratum a topic, as here, in 75 to 90 of 100 cases (a tenth drawn)."
    )
    assert not describe_rare_coverage(replace(one, design=None), [irmeval.measure("infP@10")])
    assert not describe_rare_coverage(one, [irmeval.measure("AP")])


def test_topics_when_the_measure_is_an_estimator_then_both_intervals_are_there_and_the_draw_said():
    topics, found = EXPERIMENTS["topics"], estimates()
    frame = topics(sampled(), ["statAP", "AP"]).of_runs().set_index("run").loc[[*found.runs]]
    np.testing.assert_array_equal(frame[[*ENDS]].to_numpy().T, found.ends()[:, 0])
    assert (
        topics(sampled(), ["statAP"])
        .verdict()
        .beside.endswith("Estimated from a sample of judgments, topics differ by its draw too.")
    )
    assert "the draw" not in topics(sampled(), ["AP", "statAP"]).headline()
    assert not {*ENDS} & {*topics(sampled(), ["AP"]).of_runs()}


def test_rows_of_means_when_judgments_are_a_sample_then_have_both_intervals_and_topics_none():
    scores = irmeval.evaluate(sampled(), MEASURES)
    frame, found = wide.long_frame(scores), estimates()
    assert [*frame] == ["run", "measure", "topic", "score", *ENDS]
    for m, measure in enumerate(MEASURES[1:]):
        np.testing.assert_array_equal(
            frame.loc[frame["measure"] == measure, [*ENDS]].to_numpy().T, found.ends()[:, m]
        )
    assert frame.loc[frame["measure"] == "AP", [*ENDS]].isna().all(axis=None)
    every = wide.long_frame(scores, topics=True)
    assert every.loc[every["topic"] != "all", [*ENDS]].isna().all(axis=None)
    assert every.loc[every["topic"] == "all"].reset_index(drop=True).equals(frame)


@pytest.mark.parametrize(
    "made", [lambda: irmeval.evaluate(sampled(), MEASURES), lambda: BOARD(sampled(), MEASURES)]
)
def test_as_table_when_judgments_are_a_sample_then_intervals_stand_behind_each_estimator(made):
    result, found = made(), estimates()
    row = pd.read_csv(io.StringIO(as_table(result, "csv"))).set_index("run").loc[found.runs[2]]
    assert [*row.index] == [
        "topics",
        "AP",
        *(name for m in MEASURES[1:] for name in (m, *(f"{m} {end}" for end in ENDS))),
    ]
    np.testing.assert_allclose(
        row[[f"statAP {end}" for end in ENDS]].to_numpy(float), found.ends()[:, 0, 2]
    )
    lines = as_table(result).splitlines()
    assert (
        lines[0]
        == "| run | AP | statAP | statAP over judgments | statAP over topics | "
        + "statP@10 | statP@10 over judgments | statP@10 over topics |"
    )
    mean, low, high, least, most = (f"{end:.4f}" for end in found.ends()[:, 0, 2])
    assert f"| {mean} ({low} to {high}) | {least} to {most} |" in next(
        line for line in lines if f"| {found.runs[2]} |" in line
    )
    assert (
        "95% intervals over judgments, after the bias-corrected estimate, and over topics."
        in lines[-1]
    )
    assert "statAP over\\\\judgments" in as_table(result, "latex")


def test_as_table_when_an_estimator_counts_then_its_interval_is_in_whole_documents():
    scores = irmeval.evaluate(sampled(), ["statR"])
    mean, low, high, *_ = scores.estimates.ends()[:, 0, 0]
    assert f"| {mean:.0f} ({low:.0f} to {high:.0f}) |" in as_table(scores)
