"""Estimates from samples, compared with the truth."""

from dataclasses import replace

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.ends import estimates_of
from irmeval.experiments.incompleteness.aided import whole_topics
from irmeval.experiments.incompleteness.estimates import describe_bias
from irmeval.reductions import draw, with_design
from tests.cases import collection, drawn

ESTIMATES = EXPERIMENTS["estimates"]
FEW = ["AP", "P@10", "RR"]


@pytest.fixture(scope="module")
def built():
    judgments, scores = drawn(3, topics=6, depth=60)
    rankings = {
        run: {t: sorted(of, key=of.get, reverse=True) for t, of in topics.items()}
        for run, topics in scores.items()
    }
    return collection(judgments, rankings)


@pytest.fixture(scope="module")
def result(built):
    return ESTIMATES(built, FEW, ESTIMATES.params(rates=(50.0, 20.0), trials=3))


@pytest.mark.parametrize(
    ("target", "held"),
    [
        ("AP", ["AP", "AP'", "Bpref", "xinfAP", "statAP"]),
        ("AP(rel=2)", ["AP(rel=2)", "AP(rel=2)'", "xinfAP(rel=2)", "statAP(rel=2)"]),
        ("AP@10", ["AP@10", "AP@10'", "Bpref"]),
        ("nDCG", ["nDCG", "nDCG'", "infNDCG", "statNDCG"]),
        ("nDCG@10", ["nDCG@10", "nDCG@10'", "statNDCG@10"]),
        ("nDCG(base=2)", ["nDCG(base=2)", "nDCG(base=2)'"]),
        ("P@5", ["P@5", "P@5'", "infP@5", "statP@5"]),
        ("RBP(p=0.8)", ["RBP(p=0.8)", "RBP(p=0.8)'", "statRBP(p=0.8)"]),
        ("AP'", ["AP'"]),
        ("RR", ["RR", "RR'"]),
    ],
)
def test_measure_when_held_against_its_truth_then_are_those_with_the_same_parameters(target, held):
    assert [str(one) for one in estimates_of(irmeval.measure(target))] == held


def test_estimates_when_made_again_by_hand_then_are_the_same(built, result):
    truth = irmeval.evaluate(built, "P@10").means[0]
    sampled = with_design(built, "by-rank")
    m = result.measures.index("statP@10")
    for trial in (1, 2, 3):
        for r, rate in enumerate((0.5, 0.2)):
            found = irmeval.estimate(
                sampled, "statP@10", grades=draw(built, "by-rank", [100 * rate], trial, 1)[0]
            )
            low, high = (end[0] for end in found.bounds())
            assert result.bias[m, r, trial - 1] == pytest.approx((found.means[0] - truth).mean())
            assert result.error[m, r, trial - 1] == pytest.approx(
                np.sqrt(((found.means[0] - truth) ** 2).mean())
            )
            assert result.coverage[m, r, trial - 1] == ((low <= truth) & (truth <= high)).mean()
            assert result.half_width[m, r, trial - 1] == pytest.approx(np.median((high - low) / 2))


def test_measures_without_intervals_when_tabled_then_have_no_coverage(result):
    table = result.summary().set_index(["measure", "rate"])
    assert np.isnan(table.loc[("AP", 50.0), "coverage"])
    assert 0 <= table.loc[("statAP", 50.0), "coverage"] <= 1
    assert table.loc[("statAP", 50.0), "target"] == "AP"


def test_headline_when_made_then_names_the_measure_its_estimator_and_the_share_of_intervals(
    built, result
):
    said = result.verdict()
    assert said.claim.startswith("On 20% of the judgments, ")
    assert " AP is 0." in said.below
    assert "of its 95% intervals contain the truth" in said.below
    without = ESTIMATES(built, ["RR"], ESTIMATES.params(rates=(50.0,), trials=1))
    assert without.verdict().claim.endswith("; it has no estimator here.")
    assert [chart.name for chart in without.charts()] == ["bias", "error", "tau"]


def test_estimates_when_all_is_judged_then_have_no_error(built):
    found = ESTIMATES(built, ["AP"], ESTIMATES.params(rates=(100.0,), trials=1))
    names = [str(one) for one in found.measures]
    assert found.error[names.index("statAP")].item() == pytest.approx(0, abs=1e-12)
    assert found.half_width[names.index("statAP")].item() == pytest.approx(0, abs=1e-12)
    assert found.coverage[names.index("AP")].tolist() == [[pytest.approx(np.nan, nan_ok=True)]]


def test_estimates_when_topics_have_nothing_so_relevant_then_left_out_of_a_measure_by_its_level():
    judgments = {
        "1": {"a": 2, "b": 0, "c": 1},
        "2": {"a": 1, "b": 2, "c": 0},
        "3": {"a": 1, "b": 0, "c": 1},
    }
    built = collection(
        judgments,
        {
            "one": {t: ["a", "b", "c"] for t in judgments},
            "two": {t: ["c", "a", "b"] for t in judgments},
        },
    )
    found = ESTIMATES(
        built, ["AP(rel=2)", "AP"], ESTIMATES.params(rates=(100.0,), trials=1, method="uniform")
    )
    sure = found.estimated
    assert {found.measures[m].params["rel"] for m in sure} == {1, 2}
    np.testing.assert_allclose(found.half_width[sure], 0, rtol=0, atol=1e-12)
    exact = [m for m in sure if found.measures[m].metric.name == "statAP"]
    np.testing.assert_allclose(found.error[exact], 0, rtol=0, atol=1e-12)


def test_estimates_when_empty_topics_count_as_0_then_do_so_in_the_estimates_too():
    judgments = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 0}}
    built = collection(judgments, {"one": {t: ["a", "b"] for t in judgments}}, empty="zero")
    found = ESTIMATES(built, ["AP"], ESTIMATES.params(rates=(100.0,), trials=1, method="uniform"))
    m = [str(one) for one in found.measures].index("statAP")
    assert (found.full[m].tolist(), found.means[m].ravel().tolist()) == ([0.5], [0.5])


def test_charts_when_along_judgments_then_stand_at_how_many_were_drawn(built, result):
    params = replace(result.params, axis="judgments")
    counts = [(draw(built, "by-rank", [rate], 1, 1)[0] >= 0).sum() for rate in (50, 20)]
    assert result.left.mean(axis=1) == pytest.approx(
        100 * np.array(counts) / np.count_nonzero(built.grade >= 0)
    )
    scores, *along = replace(result, params=params).charts()
    assert scores.name == "scores"
    for chart in along:
        assert chart.draw().layout.xaxis.title.text == "judgments"
        assert chart.draw().data[-1].x == (*counts,)


def with_coverage(result, name, share, trials=100):
    """The result with so many trials, in which the intervals of one estimator hold the
    truth of all runs in a share of the trials, those of the others with a chance of 95
    in 100, run by run.
    """
    rng, (names, rates, _, runs) = np.random.default_rng(5), result.means.shape
    holds = rng.random((names, rates, trials, runs)) < 0.95
    m = [str(one) for one in result.measures].index(name)
    holds[m] = np.arange(trials)[:, None] < round(share * trials)
    truth = result.full[:, None, None]
    none = np.where(np.isnan(result.low[:, :, :1]), np.nan, 1.0)
    low = none * np.where(holds, truth - 1, truth + 1)
    means = np.broadcast_to(truth, holds.shape)
    return replace(
        result, means=means, low=low, high=low + 2, params=replace(result.params, trials=trials)
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [("statAP", "few relevant documents are drawn"), ("infP@10", "a third of a stratum")],
)
def test_intervals_when_they_hold_too_rarely_then_the_caption_names_them_and_why_and_the_others(
    result, name, why
):
    found = with_coverage(result, name, 0.5)
    said = found.describe_coverage()
    assert said.startswith(f" Too rarely, beyond chance: {name} (at 50%, 20%). ")
    assert why in said
    others = [str(found.measures[m]) for m in found.estimated if str(found.measures[m]) != name]
    assert said.endswith(f" In 100 trials, no deviation is detected for {', '.join(others)}.")
    assert said in next(chart.caption for chart in found.charts() if chart.name == "coverage")


def test_intervals_when_they_hold_as_said_then_nothing_is_told_of_few_trials_or_many(result):
    for trials in (2, 10, 100):
        said = with_coverage(result, "statAP", 0.95, trials).describe_coverage()
        assert (
            said == f" In {trials} trials, no deviation is detected for xinfAP, statAP, infP@10,"
            " statP@10."
        )
    assert (
        with_coverage(result, "statAP", 0.95, 1).describe_coverage()
        == " One trial does not show how often intervals contain the truth."
    )


def test_intervals_when_they_always_hold_then_that_is_too_often_only_after_many_trials(result):
    assert "Too often" not in with_coverage(result, "statAP", 1.0, 30).describe_coverage()
    # which leave .96 open, hardly too much
    assert "Too often" not in with_coverage(result, "statAP", 1.0, 140).describe_coverage()
    assert (
        " Too often, beyond chance: statAP (at 50%, 20%)."
        in with_coverage(result, "statAP", 1.0, 400).describe_coverage()
    )


def test_intervals_when_one_of_many_seems_to_hold_too_rarely_then_chance_is_that_of_all_of_them(
    result,
):
    found = with_coverage(result, "statAP", 0.88)
    m = [str(one) for one in result.measures].index("statAP")
    assert (found.coverage_left_open()[1][m] < 0.95).all()
    assert found.describe_coverage().startswith(
        " In 100 trials, no deviation is detected for xinfAP, statAP"
    )


def test_intervals_when_all_trials_agree_then_chance_is_told_nevertheless(result):
    low, high = with_coverage(result, "statAP", 1.0, 10).coverage_left_open()
    m = [str(one) for one in result.measures].index("statAP")
    np.testing.assert_allclose(low[m], 0.025**0.1, rtol=1e-12)  # of ten, all: Clopper & Pearson
    assert high[m].tolist() == [1.0, 1.0]
    table = with_coverage(result, "statAP", 1.0, 10).summary().set_index(["measure", "rate"])
    assert table.loc[("statAP", 50.0), ["coverage_low", "coverage_high"]].tolist() == [
        low[m, 0],
        1.0,
    ]


def test_charts_when_they_show_the_same_estimator_then_in_one_colour(result):
    drawn = {
        chart.name: {t.name: t.line.color for t in chart.draw().data if t.name}
        for chart in result.charts()
    }
    assert drawn["bias"]["statAP"] == drawn["coverage"]["statAP"]
    assert drawn["bias"]["xinfAP"] == drawn["width"]["xinfAP"]


@pytest.fixture(scope="module")
def two(built):
    return built.with_judgments("model", "simulated:strict,0.4,1")


@pytest.fixture(scope="module")
def beside(two):
    return ESTIMATES(two, FEW, ESTIMATES.params(rates=(50.0, 20.0), trials=2, cheap="model"))


def test_cheap_judge_when_named_then_each_way_stands_beside_the_estimators_of_each_measure(
    beside,
):
    assert [
        str(one)
        for one, target in zip(beside.measures, beside.targets, strict=True)
        if target == "P@10"
    ] == [
        *(
            "P@10",
            "P@10'",
            "infP@10",
            "statP@10",
            "P@10, as truth",
            "P@10, filled",
            "P@10, calibrated",
            "P@10, difference",
        ),
        "P@10, prediction-powered",
    ]
    assert [
        str(one)
        for one, target in zip(beside.measures, beside.targets, strict=True)
        if target == "RR"
    ] == ["RR", "RR'"]


def test_cheap_judge_when_made_again_by_hand_then_is_the_same(two, beside):
    truth, sampled = irmeval.evaluate(two, "P@10").means[0], with_design(two, "by-rank")
    for way in ("as truth", "filled", "calibrated", "difference", "prediction-powered"):
        m = beside.measures.index(f"P@10, {way}")
        powered = way == "prediction-powered"
        for trial in (1, 2):
            for r, rate in enumerate((0.5, 0.2)):
                grades = draw(two, "by-rank", [100 * rate], trial, 1)[0]
                if powered:
                    kept = np.random.default_rng((1, trial)).permutation(6)[
                        : 3 if rate == 0.5 else 2
                    ]
                    grades = np.where(np.isin(two.topic, kept), two.grade, -1)
                found = irmeval.estimate_with(sampled, "P@10", "model", way=way, grades=grades)
                low, high = (
                    end[0] for end in found.bounds(over="topics" if powered else "judgments")
                )
                assert beside.error[m, r, trial - 1] == pytest.approx(
                    np.sqrt(((found.means[0] - truth) ** 2).mean())
                )
                held = beside.coverage[m, r, trial - 1]
                assert (
                    np.isnan(held)
                    if np.isnan(low).all()
                    else held == ((low <= truth) & (truth <= high)).mean()
                )


def test_headline_when_a_cheap_judge_is_named_then_says_what_has_the_least_error(built, beside):
    error = {
        str(one): beside.error[m, 1].mean()
        for m, one in enumerate(beside.measures)
        if beside.targets[m] == "AP"
    }
    aided = {name: value for name, value in error.items() if "," in name}
    best, least = min(aided, key=aided.get), min(error, key=error.get)
    said = "With it, " if best == least else "With it there is no gain: "
    told = beside.verdict("AP")
    assert told.claim == (
        f"model is a simulated judge. {said}{least} has the least error on 20%, {error[least]:.3f}."
    )
    assert f"model alone {error['AP, as truth']:.3f}." in told.beside
    assert ". On under 20 judged topics" in beside.headline()
    perfect = built.with_judgments("copy", "simulated:strict,0,1")
    found = ESTIMATES(perfect, ["P@10"], ESTIMATES.params(rates=(50.0,), trials=1, cheap="copy"))
    assert "With it, P@10, as truth has the least error on 50%, 0.000." in found.headline()
    better = replace(
        beside, means=np.where(np.isnan(beside.low), beside.full[:, None, None], beside.means)
    )
    assert "With it there is no gain: AP has the least error on 20%, 0.000." in better.headline()


def test_measures_when_a_cheap_judge_is_named_then_are_those_without_one(built, beside):
    alone = ESTIMATES(built, FEW, ESTIMATES.params(rates=(50.0, 20.0), trials=2))
    for m, one in enumerate(alone.measures):
        np.testing.assert_array_equal(alone.means[m], beside.means[beside.measures.index(one)])
    assert not [one for one in alone.measures if "," in one]


def test_cheap_judge_when_the_collection_does_not_have_it_then_says_so(built, two):
    for given, name in ((built, "model"), (two, "qrels"), (two, "nobody")):
        with pytest.raises(UnknownName, match="unknown judge beside the first"):
            ESTIMATES(given, ["AP"], ESTIMATES.params(rates=(50.0,), trials=1, cheap=name))


def test_cheap_judge_when_simulated_by_its_text_then_is_the_judge_of_that_name(built, beside):
    text = "simulated:strict,0.4,1"
    found = ESTIMATES(built, FEW, ESTIMATES.params(rates=(50.0, 20.0), trials=2, cheap=text))
    np.testing.assert_array_equal(found.means, beside.means)
    assert found.verdict().claim.startswith(f"{text} is a simulated judge. With it")


def test_whole_topics_when_the_rate_is_higher_then_hold_those_of_the_lower_one(built):
    few, more = (whole_topics(built, rate, 3, 1) for rate in (10.0, 70.0))
    topics = [np.unique(built.topic[grades >= 0]) for grades in (few, more)]
    assert [len(some) for some in topics] == [2, 4]
    assert {*topics[0]} < {*topics[1]}
    np.testing.assert_array_equal(more[more >= 0], built.grade[more >= 0])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0004, "right on average"),
        (-0.0004, "right on average"),
        (0.0006, "0.001 too high"),
        (-0.0214, "0.021 too low"),
        (np.nan, "undefined"),
    ],
)
def test_bias_when_told_then_is_right_only_where_three_digits_show_none(value, said):
    assert describe_bias(value) == said


def test_headline_when_one_estimator_is_undefined_and_when_all_are_then_tells_of_others_or_none(
    result,
):
    def without(*names):
        undefined = np.isin([str(one) for one in result.measures], names)
        return replace(result, means=np.where(undefined[:, None, None, None], np.nan, result.means))

    m = [str(one) for one in result.measures].index("statAP")
    bias = result.bias[m, 1].mean()
    said = without("xinfAP").headline()
    assert f", statAP {abs(bias):.3f} too {'high' if bias > 0 else 'low'}. " in said
    every = [
        str(one)
        for one, target in zip(result.measures, result.targets, strict=True)
        if str(target) == "AP"
    ]
    assert (
        without(*every).headline() == "On 20% of the judgments, AP and its estimates are undefined."
    )
