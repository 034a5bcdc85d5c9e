"""Topics that a collection needs, and what they cost in judgments."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import irmeval
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.pooled_variance import variances_as_text
from irmeval.experiments.results import table_named
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.sample_size import score_variance, topics_for_power
from tests.cases import drawn, tied_collection

SIZE = EXPERIMENTS["topics-needed"]
MEASURES = ["AP", "P@10"]


@pytest.fixture(scope="module")
def result(c):
    return SIZE(
        c,
        MEASURES,
        SIZE.params(differences=(0.05, 0.2), systems=(2, 10), depths=(2, 10), samples=50),
    )


def test_rows_when_made_then_are_one_for_each_requirement(c, result):
    frame = result.frame()
    assert [*frame] == [
        "measure",
        "method",
        "alpha",
        "beta",
        "difference",
        "systems",
        "variance",
        "topics",
    ]
    assert len(frame) == 2 * (1 + 2 + 1) * 2
    variance = score_variance(irmeval.evaluate(c, "P@10").values[0]).value
    of_p = frame[frame["measure"] == "P@10"].set_index(["method", "systems", "difference"])
    assert of_p["variance"].unique() == pytest.approx(variance)
    assert of_p.loc[("t", 2, 0.2), "topics"] == topics_for_power(0.2, variance)
    assert of_p.loc[("anova", 10, 0.05), "topics"] == topics_for_power(
        0.05, variance, systems=10, paired=False
    )
    assert np.isnan(of_p.loc[("interval", 2, 0.05), "beta"])


def test_cost_when_a_pool_is_cut_then_is_topics_times_its_judged_documents(c, result):
    grades = irmeval.reduce(c, "shallow", pool=2)[0]
    variance = score_variance(irmeval.evaluate(c, "AP", grades=grades).values[0]).value
    row = result.cost().set_index(["measure", "pool depth"]).loc[("AP", 2)]
    assert row["judged a topic"] == pytest.approx((grades >= 0).sum() / 12)
    assert row["variance"] == pytest.approx(variance)
    assert row["judgments"] == pytest.approx(
        topics_for_power(0.05, variance) * (grades >= 0).sum() / 12
    )
    assert row["low"] < row["judgments"] < row["high"]
    assert row["low"] * row["high"] == pytest.approx(row["judgments"] ** 2)
    assert result.cost().groupby("measure")["costs least"].sum().tolist() == [1, 1]


def test_cost_when_no_list_reaches_a_depth_then_no_depth_is_said_to_cost_least(c, result):
    longest = int(c.length.max())
    reach = f"No list reaches rank {longest + 1:,}, the longest has {longest:,} documents."
    only = SIZE(c, MEASURES, SIZE.params(depths=(longest + 1, 1000), samples=20))
    assert re.search(
        rf"{reach} It costs [\d,]+ judgments .* with every list judged to its end\.",
        only.headline(),
    )
    assert "costs least" not in only.headline()
    assert f" No list reaches rank {longest + 1:,}." in only.charts()[1].caption
    assert "No list" not in result.headline()
    assert "No list" not in result.charts()[1].caption


def test_cost_when_by_rate_then_has_all_judgments_as_well(c):
    found = SIZE(c, MEASURES, SIZE.params(judging="uniform", budgets=(50, 100), samples=20))
    assert found.judged[1] == pytest.approx((c.grade >= 0).sum() / 12)
    assert found.variances[:, 1].tolist() == [each.value for each in found.whole]
    assert "costs least" in found.headline()


def test_headline_when_made_then_names_topics_of_each_measure(result):
    ap, p = result.needed
    assert result.headline().startswith(
        f"To detect a difference of 0.05 in 80% of cases takes {ap} topics by AP, {p} by P@10."
    )


def test_headline_when_differences_are_asked_for_then_the_smallest_is_spoken_of(c):
    for asked in ((0.03, 0.05, 0.2), (0.2, 0.1)):
        found = SIZE(c, ["AP"], differences=asked, depths=(10,), samples=10)
        assert f"a difference of {min(asked):g} in 80%" in found.headline()
        assert found.needed[0] == found.summary().set_index("difference")["t test"][min(asked)]


def test_variances_when_pooled_with_elsewhere_then_are_weighted(c, result):
    other = SIZE(second := tied_collection(*drawn(4, topics=20, runs=5)), MEASURES, result.params)
    text = variances_as_text(second, other.measures, "two-way")
    both = SIZE(c, MEASURES, replace(result.params, pooled_with=text))
    for m in range(2):
        parts = result.whole[m], other.whole[m]
        assert both.whole[m].freedom == 5 * 11 + 4 * 19
        assert both.whole[m].value == pytest.approx(
            np.average([of.value for of in parts], weights=[of.freedom for of in parts]), rel=1e-5
        )
    assert (
        " Variances are pooled with 1 other collection (131 degrees of freedom)." in both.headline()
    )
    assert ", by the variance here: " in both.headline()
    assert " Judging costs least at pool depth " in both.headline()
    np.testing.assert_array_equal(both.costs, result.costs)
    assert (
        both.needed.tolist()
        == topics_for_power(0.05, np.array([each.value for each in both.whole])).tolist()
    )
    thrice = SIZE(c, MEASURES, replace(result.params, pooled_with=f"{text}; {text}"))
    assert (thrice.others, thrice.whole[0].freedom) == (2, 5 * 11 + 2 * 4 * 19)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("AP 0.01", "as in AP 0.0123 4851; found 'AP 0.01'"),
        ("AP nan 3", "found 'AP nan 3'"),
        ("AP -1 3", "found 'AP -1 3'"),
        ("AP 0.1 0", "found 'AP 0.1 0'"),
        ("0.1 3", "found '0.1 3'"),
        ("AP 0.1 3", "expected as many variances of P@10 as of AP, 1, found 0"),
        ("AP 0.1 3;" * 10_001, "at most 10,000 variances, found 10,001"),
    ],
)
def test_variances_of_others_when_in_another_form_then_are_refused(c, text, said):
    with pytest.raises(ParamError, match=re.escape(said)):
        SIZE(c, MEASURES, SIZE.params(depths=(2,), samples=10, pooled_with=text))


def test_variances_of_others_when_runs_or_topics_lack_then_are_refused():
    with pytest.raises(ParamError, match="expected at least 2 runs and 2 topics"):
        variances_as_text(
            tied_collection(*drawn(4, topics=5, runs=1)), [irmeval.measure("AP")], "two-way"
        )


def test_size_when_of_a_score_matrix_then_has_topics_and_no_cost():
    matrix = Matrix(
        "mine", ("a", "b"), ("1", "2", "3"), np.array([[0.1, 0.2, 0.6], [0.2, 0.4, 0.6]])
    )
    found = SIZE(matrix)
    assert found.whole[0].value == pytest.approx(0.005)
    assert [table.name for table in found.tables()] == ["summary", "crossings", "variance", "rows"]
    assert [chart.name for chart in found.charts()] == ["topics"]
    assert table_named(found, "crossings").make()["enough from"].tolist() == ["0.327"]
    assert "the 3 topics here detect (dotted line)" in found.charts()[0].caption


def test_size_when_the_topics_here_are_enough_for_a_difference_then_it_is_told_marked_and_tabled():
    matrix = Matrix(
        "mine",
        ("a", "b"),
        tuple("123456"),
        np.array([[0.1, 0.2, 0.6, 0.3, 0.3, 0.2], [0.2, 0.4, 0.6, 0.3, 0.5, 0.2]]),
    )
    found = SIZE(matrix, params=SIZE.params(differences=(0.05, 0.4)))
    least = found.found[0]
    assert 0.1 < least < 0.2
    assert table_named(found, "crossings").make()["enough from"].tolist() == [f"{least:.3f}"]
    marks = [
        shape for shape in found.charts()[0].draw().layout.shapes if shape.x0 == shape.x1 == least
    ]
    assert [shape.y0 for shape in marks] == [6]


def test_size_when_runs_do_not_vary_then_no_number_of_topics_follows():
    values = np.array([[0.1, 0.2, 0.6], [0.2, 0.3, 0.7]])
    flat = SIZE(Matrix("mine", ("a", "b"), ("1", "2", "3"), np.repeat(values[:1], 2, axis=0)))
    assert flat.headline() == (
        "The number of topics is undefined: differences of runs do not vary over topics."
    )
    assert flat.frame()["topics"].isna().all()
    assert all(chart.draw().data for chart in flat.charts())
    lists = {
        run: {str(t): {"a": 2.0, "b": 1.0, run: float(run == "x" and t) * 3} for t in range(4)}
        for run in "xy"
    }
    some = SIZE(
        irmeval.Collection.from_dicts({str(t): {"a": 1, "b": 0} for t in range(4)}, lists),
        ["R@10", "RR"],
    )
    assert some.headline().startswith("To detect a difference of 0.05 in 80% of cases takes ")
    assert some.headline().endswith(
        "By R@10, differences of runs do not vary over topics. The number of topics is undefined"
        " for a variance of 0."
    )
    assert some.summary().query("measure == 'RR'")["t test"].notna().all()
    assert some.cost().query("measure == 'R@10'")["judgments"].isna().all()
    assert all(chart.draw().data for chart in some.charts())


def resampled(result, *costs):
    """The same result, where resamples cost these numbers of judgments at each of two
    levels by the first measure.
    """
    found = replace(result)
    vars(found)["costs_resampled"] = np.stack([np.array(costs), np.ones((2, len(costs[0])))])
    return found


def test_cost_when_resamples_have_none_at_a_level_then_another_one_is_the_least_there(result):
    table = resampled(result, [9.0, np.nan, 9.0, np.nan], [10.0, 10.0, 8.0, np.nan]).cost()
    # where no level has a cost, and where all have the same one, it is the first
    assert table["costs least"].tolist() == [0.5, 0.5, 1, 0]


@pytest.mark.parametrize("times", [8, 10])
def test_cost_when_its_upper_end_is_above_a_billion_then_the_sentence_does_not_give_its_digits(
    result, times
):
    least = result.costs[0].argmin()
    # as standard deviation of the logarithms
    spread = np.log(times * 1e8 / result.costs[0, least]) / stats.t.ppf(0.975, 11)
    found = resampled(result, *[np.exp([0, spread * 2**0.5])] * 2)
    high = found.cost()["high"][least]
    assert high == pytest.approx(times * 1e8)
    assert f" to {f'{high:,.0f}' if times < 10 else 'more than a billion'})" in found.headline()
