"""The matrix of runs: from a collection or a score matrix to tables, sentences and
figures.
"""

import re
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.core.errors import ParamError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.matrix import Params, matrix
from irmeval.experiments.runs.pair import table_by_measure
from irmeval.plots.heatmap import NAMED
from irmeval.reading.parsing import read_matrix
from irmeval.reading.score_matrix import Matrix
from irmeval.report import exports
from irmeval.scoring.selection import Selection, select
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.pair_tests import DISCOVERIES, FAMILYWISE, compare_pairs
from irmeval.stats.significance import TESTS, compare
from tests.cases import SAMPLE, drawn, read_once, tied_collection
from tests.conftest import real

MEASURES = ["AP", "nDCG'", "P@5"]


@pytest.fixture(scope="module")
def some() -> irmeval.Collection:
    return tied_collection(*drawn(3, topics=12, runs=5))


def matrix_of(scores: np.ndarray) -> Matrix:
    """Scores [run, topic] as a matrix."""
    return Matrix(
        "m",
        tuple(f"r{i}" for i in range(len(scores))),
        tuple(str(t) for t in range(scores.shape[1])),
        np.asarray(scores, float),
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("at_once", [FAMILYWISE, DISCOVERIES])
def test_rows_when_a_collection_is_tested_then_each_pair_has_its_own_in_order(some, test, at_once):
    result = matrix(some, MEASURES, Params(test=test, at_once=at_once, samples=200))
    frame = result.frame()
    assert list(frame.columns) == [
        "measure",
        "run_a",
        "run_b",
        "difference",
        "p_alone",
        "p_at_once",
        "hedges_g",
        "topics_won",
    ]
    values = irmeval.evaluate(some, MEASURES).values
    means = irmeval.evaluate(some, MEASURES).mean()
    rows = iter(frame.itertuples())
    for m in MEASURES:
        for i, a in enumerate(some.runs):
            for b in some.runs[i + 1 :]:
                row = next(rows)
                assert (row.measure, row.run_a, row.run_b) == (m, a, b)
                assert row.difference == pytest.approx(means.loc[a, m] - means.loc[b, m], abs=1e-12)
                assert row.p_alone <= row.p_at_once
                z = [
                    x - y
                    for x, y in zip(
                        *(values[MEASURES.index(m)][some.runs.index(run)] for run in (a, b)),
                        strict=True,
                    )
                ]
                assert row.topics_won == sum(d > 0 for d in z) / len(z)
                assert row.hedges_g == pytest.approx(
                    mean(z) / stdev(z) * (1 - 3 / (4 * (len(z) - 1) - 1)) if stdev(z) else 0
                )
    assert next(rows, None) is None


def test_numbers_when_read_back_then_they_are_those_of_stats(some):
    result = matrix(some, MEASURES, Params(samples=300, seed=7, alpha=0.1))
    detailed = result.detailed().set_index("measure")
    for m, scores in enumerate(irmeval.evaluate(some, MEASURES).values):
        found = compare_pairs(scores, samples=300, seed=7, alpha=0.1)
        rows = detailed.loc[MEASURES[m]]
        of_measure = result.frame().set_index("measure").loc[MEASURES[m]]
        assert np.array_equal(
            of_measure[["p_alone", "p_at_once"]].T, [found.p_alone, found.p_at_once]
        )
        assert np.array_equal(rows["effect_size"], found.effect)
        assert np.array_equal(
            rows[["low", "high", "low_at_once", "high_at_once"]].T,
            found.intervals(),
            equal_nan=True,
        )
        assert (
            found.p_alone.tolist() == compare(scores, "bootstrap", samples=300, seed=7).p.tolist()
        )
        assert result.required[m] == required_difference(scores, alpha=0.1, samples=300, seed=7)


def test_store_when_it_holds_a_measure_then_that_is_not_tested_again(some, monkeypatch):
    store: dict = {}
    first = matrix(some, ["AP"], store=store)
    tested = []
    monkeypatch.setattr(
        Params, "compare", lambda params, scores, **_: tested.append(scores) or first.tested[0]
    )
    again = matrix(some, ["AP", "P@5"], store=store)
    assert len(tested) == 1
    assert again.tested[0] is first.tested[0]


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        ("run0,run3,run1", "all 3 pairs of the 3 runs selected from 5"),
        ("run0,run3", "2 of 5 runs selected: their pair alone"),
    ],
)
def test_runs_when_selected_before_then_leaderboard_and_matrix_name_the_family_and_number_of_all(
    some, keep, said
):
    chosen = select(some, Selection(runs_only=keep)).collection
    board = EXPERIMENTS["leaderboard"](chosen, ["AP"])
    assert board.family == matrix(chosen, ["AP"]).family == said
    assert said in board.verdict().beside.lower()
    assert f"with {said} at once" in board.notes()[-1]
    assert len(chosen.runs) > 2 or said in matrix(chosen, ["AP"]).headline()


def test_runs_when_named_then_only_they_are_compared_in_that_order(some):
    result = matrix(some, ["AP"], only=["run3", "run0", "run3", "run1"])
    assert list(zip(result.frame()["run_a"], result.frame()["run_b"], strict=True)) == [
        ("run3", "run0"),
        ("run3", "run1"),
        ("run0", "run1"),
    ]
    full = matrix(some, ["AP"])
    assert result.tested[0].p_alone[0] == full.tested[0].p_alone[full.square[3, 0]]
    assert result.family == "all 3 pairs of the 3 runs selected from 5"
    two = matrix(some, ["AP"], only=["run3", "run0"]).pair("AP", "run3", "run0")
    assert two.p_alone == result.tested[0].p_alone[0]
    assert two.p_at_once == max(two.p_alone, 1 / 1001)
    assert "2 of 5 runs selected: their pair alone." in two.verdict().beside
    with pytest.raises(UnknownName, match="unknown run 'rum3'; nearest: run3"):
        matrix(some, ["AP"], only=["rum3", "run0"])


def test_topics_when_without_a_score_then_they_are_dropped_and_counted(tiny):
    result = matrix(irmeval.read_collection(*tiny), ["AP", "AP(rel=2)"])
    assert [one.topics.max() for one in result.tested] == [3, 2]
    assert result.topics == ("1", "2", "3", "4")
    assert "2 topics without a score are left out" in result.headline()
    assert list(result.summary().set_index("measure")["topics"].loc[["AP", "AP(rel=2)"]]) == [3, 2]
    assert result.pair("AP(rel=2)", *result.runs[:2]).topics == ("1", "4")


def test_topics_when_some_run_has_no_score_then_pairs_are_compared_on_those_of_both():
    judgments, scores = drawn(3, topics=9, runs=3)
    scores["run2"] = {topic: scores["run2"][topic] for topic in "56789"}
    result = matrix(irmeval.Collection.from_dicts(judgments, scores, average="retrieved"), ["AP"])
    assert result.tested[0].topics.tolist() == [9, 5, 5]
    assert result.headline().endswith(
        " Two runs are compared on the topics on which both have a score."
    )
    assert result.pair("AP", "run0", "run2").topics == tuple("56789")
    two = tied_collection(judgments, {run: scores[run] for run in ("run0", "run1")})
    assert result.pair("AP", "run0", "run1").p_alone == matrix(two, ["AP"]).tested[0].p_alone[0]


def test_runs_when_identical_then_p_is_1_and_nothing_breaks():
    x = np.random.default_rng(1).random(9)
    for test in TESTS:
        result = matrix(matrix_of(np.array([x, x, x[::-1]])), params=Params(test=test, samples=100))
        assert result.tested[0].p_alone[0] == result.tested[0].p_at_once[0] == 1
        found = result.pair("m", "r0", "r1")
        assert "same mean" in found.verdict().claim
        assert (found.difference, found.effect, found.deciding) == (0, 0, [])
        assert {*found.intervals} <= {0.0} or np.isnan(found.intervals.low_at_once)
        for chart in [*result.charts(), found.chart()]:
            chart.draw()


@pytest.mark.parametrize("test", TESTS)
def test_topics_when_there_are_two_then_every_number_is_one(test):
    result = matrix(
        matrix_of(np.array([[0.1, 0.4], [0.3, 0.2], [0.3, 0.6]])),
        params=Params(test=test, samples=50),
    )
    p = result.frame()[["p_alone", "p_at_once"]].to_numpy()
    assert np.all((p >= 0) & (p <= 1))
    assert result.tested[0].effect[1] == -np.inf  # the same difference on both topics
    assert result.pair("m", "r2", "r0").verdict().claim
    for chart in result.charts():
        chart.draw()


def test_headline_when_there_are_several_measures_then_is_of_the_first_and_a_table_has_all(some):
    assert (
        matrix(some, MEASURES, Params(test="t")).headline()
        == "By AP, none of 10 pairs of runs differs tested pair by pair, none with all pairs"
        " tested together."
    )
    result = matrix(read_once(*SAMPLE), MEASURES, Params(test="t"))
    row = result.to_frame("power").set_index("measure").loc["AP"]
    assert result.headline() == (
        f"By AP, {row['told apart']:.0f} of 435 pairs of runs differ tested pair by pair,"
        f" {row['at once']:.0f} with all pairs tested together."
    )


@pytest.mark.parametrize(
    ("test", "said", "method"),
    [("t", "paired t", "Holm"), ("bootstrap", "paired bootstrap", "max-t")],
)
def test_sentences_when_they_rest_on_a_test_then_name_it_and_the_family(some, test, said, method):
    result = matrix(some, ["AP"], Params(test=test, samples=100))
    assert said not in result.headline()
    both = result.pair("AP", "run0", "run1")
    alone, at_once = map(result.params.say_p, (both.p_alone, both.p_at_once))
    claim, beside, _ = both.verdict()
    assert claim == f"{both.better} and {both.worse} do not differ by AP ({alone})."
    assert f"With all 10 pairs tested together, {at_once}." in beside
    assert any(method in note for note in result.params.describe_test()) or method == "max-t"
    assert said in result.chart_of_matrix("AP", result.order("AP")).caption
    assert (
        f"all 10 pairs at once, {method}"
        in result.chart_against("AP", "run0", result.order("AP")).caption
    )
    asked = {"of": "depth", "levels": (100, 1), "watch": ("decisions",)}
    kept = EXPERIMENTS["curves"](some, ["AP"], **asked, test=test, samples=100)
    assert f"each pair alone, {said}, p < 0.05" in kept.headline()


def test_headline_when_samples_are_too_few_then_says_that_no_pair_can_be_told_apart_at_once(some):
    few, more = (matrix(some, ["AP"], samples=n) for n in (18, 20))
    assert "At once no pair can be significant with 18 samples: take more." in few.headline()
    assert "take more" not in more.headline()


def test_pair_when_turned_round_then_only_signs_change(some):
    result = matrix(some, ["AP"])
    ab, ba = result.pair("AP", "run1", "run4"), result.pair("AP", "run4", "run1")
    assert (ab.p_alone, ab.p_at_once, ab.difference, ab.effect) == (
        ba.p_alone,
        ba.p_at_once,
        -ba.difference,
        -ba.effect,
    )
    low, high, least, most = ba.intervals
    assert tuple(ab.intervals) == (-high, -low, -most, -least)
    assert ab.verdict() == ba.verdict()
    values = irmeval.evaluate(some, ["AP"]).values[0]
    assert np.array_equal(ab.z, values[1] - values[4])
    assert ab.frame()["difference"].is_monotonic_decreasing
    bars = ab.chart().draw().data[0]
    np.testing.assert_allclose(bars.y, np.sort(values[1] - values[4])[::-1])


def test_deciding_topics_when_taken_away_then_the_lead_is_gone_and_not_before(some):
    result = matrix(some, ["AP"])
    for a, b in (("run0", "run1"), ("run2", "run4")):
        found = result.pair("AP", a, b)
        sign = np.sign(found.difference)
        left = {t: sign * z for t, z in zip(found.topics, found.z, strict=True)}
        for topic in found.deciding:
            assert sum(left.values()) > 0
            del left[topic]
        assert sum(left.values()) <= 0


def test_deciding_topics_when_all_favour_a_run_then_are_all():
    rng = np.random.default_rng(1)
    better, worse = rng.random(50).round(4) + 0.3, (rng.random(50) * 0.3).round(4)
    result = matrix(matrix_of(np.array([better, worse])), params=Params(test="t", samples=100))
    assert len(result.pair("m", "r0", "r1").deciding) == 50


def test_side_by_side_when_two_runs_are_compared_then_a_row_per_measure_and_wins_are_counted():
    low = [0.1, 0.2, 0.3, 0.1, 0.2, 0.7]
    scores = matrix_of(np.array([[0.9, 0.8, 0.9, 0.8, 0.9, 0.7], low, low]))
    result = matrix(scores, params=Params(test="t", samples=100))
    better = r"r0 is better than r1 by m: 0\.833 against 0\.267 \(p (= 0|< 0)"
    for a, b, won, lost, said in (
        ("r0", "r1", 5, 0, better),
        ("r1", "r0", 0, 5, better),
        ("r1", "r2", 0, 0, r"r1 and r2 have the same mean m\.$"),
    ):
        pairs = [result.pair("m", a, b)]
        row = table_by_measure(pairs).iloc[0]
        assert (row["wins"], row["losses"]) == (won, lost)
        assert row[f"mean {a}"] - row[f"mean {b}"] == pytest.approx(row["difference"])
        assert re.match(said, pairs[0].verdict().claim)


def test_two_runs_when_a_pair_is_named_then_it_is_that_of_the_matrix_with_its_command(
    some,
):
    measures = ["nDCG", "AP"]
    tests = matrix(some, measures)
    compare = EXPERIMENTS["two-runs"]
    best = [some.runs[r] for r in tests.order("nDCG")[:2]]
    for text, (a, b) in (
        ("", best),
        (f"{some.runs[3]},{some.runs[1]}", (some.runs[3], some.runs[1])),
    ):
        found = compare(some, measures, pair=text)
        pairs = [tests.pair(name, a, b) for name in tests.names]
        assert found.verdict().claim == pairs[0].verdict().claim
        assert found.verdict("AP").claim == tests.pair("AP", a, b).verdict().claim
        pd.testing.assert_frame_equal(found.to_frame("measures"), table_by_measure(pairs))
        assert found.frame()["difference"].tolist() == [
            z for pair in pairs for z in pair.frame()["difference"]
        ]
        step = next(step for step in found.next_steps() if step.page == "judge-next")
        assert step.settings == {"by": "pair", "pair": (a, b)}
    assert found.recipe().command().endswith(f" --pair {some.runs[3]},{some.runs[1]}")
    with pytest.raises(ParamError, match="pair: expected two runs, found 1"):
        compare(some, measures, pair=some.runs[0])


def test_side_by_side_when_runs_are_called_like_columns_then_nothing_is_overwritten():
    names = ("difference", "topic")
    result = matrix(
        Matrix("m", names, ("1", "2", "3"), np.array([[0.5, 0.6, 0.9], [0.1, 0.3, 0.2]]))
    )
    pair = result.pair("m", *names)
    assert table_by_measure([pair]).columns.is_unique
    assert pair.frame().columns.is_unique
    assert pair.frame()["topic"].tolist() == ["3", "1", "2"]


def test_matrix_figure_when_drawn_then_cells_hold_the_verdict_and_numbers_of_their_pair():
    result = matrix(
        matrix_of(
            np.array([[0.6], [0.0], [0.05], [0.25]])
            + np.random.default_rng(3).normal(0, 0.3, (4, 12))
        )
    )
    order = result.order("m")[:4]
    cells, marks = result.chart_of_matrix("m", order).draw().data
    names = [result.runs[r] for r in order]
    assert list(cells.x) == list(cells.y) == names
    assert "p %{text} at once" in marks.hovertemplate
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if a == b:
                assert np.isnan(cells.z[i][j])
                continue
            found = result.pair("m", a, b)
            mean_a, mean_b, difference, *ends = marks.customdata[i * 4 + j]
            assert (marks.y[i * 4 + j], marks.x[i * 4 + j]) == (a, b)
            expected = [found.x.mean(), found.y.mean(), found.difference, *found.intervals]
            np.testing.assert_allclose(
                [mean_a, mean_b, difference, *ends], expected, rtol=1e-5, atol=1e-7
            )
            assert marks.text[i * 4 + j] == "{} alone, {}".format(*found.p_texts())
            assert cells.z[i][j] == np.sign(found.difference) * (found.alone + found.at_once)
    assert {*np.abs(cells.z[np.isfinite(cells.z)]).tolist()} == {0, 1, 2}


def test_matrix_when_no_two_of_its_runs_differ_significantly_then_says_so_and_how_many_others_do():
    names, noise = tuple("abc"), np.array([0.01, -0.01, 0.02, -0.02, 0.0])
    result = matrix(
        Matrix(
            "m", names, tuple("12345"), np.array([0.8 + noise, 0.8 + noise[::-1], 0.1 + noise / 2])
        )
    )
    two, every = (result.chart_of_matrix("m", np.arange(n)) for n in (2, 3))
    assert (
        "best first. No two of them differ significantly; 2 pairs of runs further apart do. Blue"
        in two.caption
    )
    assert "best first. Blue" in every.caption
    assert [chart.title for chart in (two, every)] == [
        "2 of 3 runs against each other",
        "Every run against every other",
    ]
    said = [[each.text for each in chart.draw().layout.annotations] for chart in (two, every)]
    assert said == [["no two of these runs differ significantly"], []]


def test_sorted_p_values_when_drawn_then_their_count_below_alpha_is_the_power(some):
    result = matrix(some, MEASURES, Params(alpha=0.3))
    figure = result.chart_of_levels().draw()
    for line, told_apart in zip(figure.data, result.alone.sum(axis=1), strict=True):
        assert list(line.y) == sorted(line.y)
        assert max(x for x, y in zip(line.x, line.y, strict=True) if y < 0.3) == told_apart
    best = figure.layout.annotations[0].text
    assert best.startswith(MEASURES[int(result.power.argmax())])


def test_p_when_no_sample_of_a_bootstrap_reaches_it_then_is_below_one_in_so_many():
    values = matrix_of(
        np.array(
            [[0.9, 0.8, 0.95, 0.9, 0.85], [0.1, 0.2, 0.1, 0.3, 0.2], [0.5, 0.2, 0.4, 0.6, 0.3]]
        )
    )
    plain, plus = (
        matrix(values, params=Params(test=test, samples=50))
        for test in ("bootstrap", "bootstrap-plus-one")
    )
    found = plain.pair("m", "r0", "r1")
    assert (found.p_alone, found.p_texts()[0]) == (0, "< 0.02")
    assert found.verdict().claim.endswith("(p < 0.02).")
    assert plain.chart_of_levels().draw().data[0].customdata[0] == "< 0.02"
    assert plus.tested[0].p_alone == pytest.approx((plain.tested[0].p_alone * 50 + 1) / 51)
    few = matrix(values, params=Params(samples=10, at_once=DISCOVERIES, alpha=0.5))
    assert few.tested[0].p_at_once[0] >= 0.1  # a p of 0 counts as one of ten samples


def test_intervals_at_once_when_topics_are_too_few_then_the_caption_says_so_and_has_those_alone():
    rng = np.random.default_rng(2)
    for topics, few in ((5, True), (60, False)):
        result = matrix(matrix_of(rng.integers(2, size=(4, topics)) / 1))
        caption = result.chart_against("m", "r0", np.arange(4)).caption
        assert (
            caption.endswith(" There are too few topics for intervals of all pairs at once.") == few
        )
        assert ("interval of each pair alone" in caption) == few
    assert result.limits(0) == matrix(matrix_of(rng.random((2, 5)))).limits(0) == ""


def test_differences_from_one_run_when_drawn_then_they_are_signed_towards_it(some):
    result = matrix(some, ["AP"], Params())
    figure = result.chart_against("AP", "run2", result.order("AP")).draw()
    means = irmeval.evaluate(some, ["AP"]).mean()["AP"]
    shown = {
        row[0]: x for trace in figure.data for row, x in zip(trace.customdata, trace.x, strict=True)
    }
    assert shown == pytest.approx(
        {run: means[run] - means["run2"] for run in some.runs if run != "run2"}
    )


def test_names_when_they_hold_markup_then_figures_hold_them_as_text():
    scores = np.random.default_rng(2).random((3, 8))
    bad = Matrix(
        "<b>m</b>",
        ("<a href='http://example.org'>x</a>", "<b>y</b>", "z"),
        tuple("12345678"),
        scores,
    )
    result = matrix(bad)
    for chart in [
        *result.charts(),
        result.chart_against(bad.name, "z", result.order(bad.name)),
        result.pair(bad.name, *bad.runs[:2]).chart(),
    ]:
        text = chart.draw().to_json()
        assert "<a" not in text.replace("\\u003c", "<")
        assert "<b>y" not in text.replace("\\u003c", "<")
        assert "<b>m" not in text.replace("\\u003c", "<")


def test_trec_8_when_all_pairs_are_tested_then_the_number_is_that_of_the_bench():
    plain = Params(test="bootstrap")
    result = matrix(read_matrix(real("matrices") / "adhoc8_ap.csv"), params=plain)
    assert result.frame().shape == (129 * 128 // 2, 8)
    assert result.power[0] == pytest.approx(0.712, abs=0.001)


def test_table_of_marks_when_runs_are_more_than_letters_then_every_printed_form_says_so():
    found = matrix(read_once(*SAMPLE), ["AP"])
    assert len(found.runs) == 30
    assert len(found.marked()) == 26
    for form in ("latex", "markdown"):
        assert "The best 26 of 30 runs." in exports.format_result(found, form, "marks")
    assert "The best" not in exports.format_result(found, "csv", "marks")


@pytest.mark.parametrize(("runs", "asked"), [(NAMED + 1, 0), (4, 6)], ids=["many", "few"])
def test_matrix_when_drawn_then_each_pair_it_shows_with_an_interval_is_resampled_once(
    runs, asked, monkeypatch
):
    result = matrix(matrix_of(np.random.default_rng(1).random((runs, 5))), (), Params(samples=20))
    pairs, intervals = list[int](), type(result.tested[0]).intervals

    def count(tested, chosen=None):
        pairs.extend(chosen)
        return intervals(tested, chosen)

    monkeypatch.setattr(type(result.tested[0]), "intervals", count)
    result.chart_of_matrix("m", np.arange(runs)).draw()
    assert sorted(pairs) == list(range(asked))
