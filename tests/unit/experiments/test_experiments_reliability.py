"""Stability, swap, pair orderings and scorecard: on a collection, on a score matrix, at
their edges.
"""

from math import comb

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures import pair_orderings as orderings
from irmeval.experiments.measures import scorecard as card
from irmeval.experiments.measures import stability as stable
from irmeval.experiments.measures import swap as swaps
from irmeval.experiments.scored import score_runs
from irmeval.experiments.trials import Realised
from irmeval.reading.score_matrix import Matrix
from irmeval.stats.correlation import critical_tau, tau_b
from irmeval.stats.significance import TESTS, compare
from irmeval.stats.swap_rates import find_required_difference, swap
from irmeval.stats.topic_sets import stability
from tests.cases import drawn, tied_collection

MEASURES = ["AP", "nDCG", "P@5"]
NEW = ["stability", "swap", "pair-orderings", "topics", "matrix"]


def as_matrix(c: irmeval.Collection, measure: str) -> Matrix:
    return Matrix(measure, c.runs, c.topics, irmeval.evaluate(c, [measure]).values[0])


def matrix_of(*rows: list[float]) -> Matrix:
    values = np.array(rows, dtype=float)
    return Matrix(
        "made up",
        tuple(f"run{i}" for i in range(len(rows))),
        tuple(f"t{i}" for i in range(values.shape[1])),
        values,
    )


def test_stability_when_a_measure_is_added_then_those_before_keep_their_numbers(c):
    alone, together = stable.stability(c, ["AP"]), stable.stability(c, MEASURES)
    assert (alone.counts.wins[0] == together.counts.wins[0]).all()
    alone, together = swaps.swap(c, ["AP"]), swaps.swap(c, MEASURES)
    assert (alone.rates.comparisons[0] == together.rates.comparisons[0]).all()


def test_run_pairs_when_listed_then_the_least_steady_is_on_top_and_counts_add_up(c):
    params = stable.Params(sets=40)
    frame = stable.stability(c, MEASURES, params).of_pairs("nDCG", 0.05)
    assert (frame["minority rate"].diff().dropna() <= 0).all()
    assert (frame[["a better", "b better", "ties"]].sum(axis=1) == 40).all()
    means = irmeval.evaluate(c, ["nDCG"]).mean()["nDCG"]
    row = frame.iloc[0]
    assert row["difference"] == pytest.approx(means[row["run a"]] - means[row["run b"]])
    top = swaps.swap(c, MEASURES, swaps.Params(trials=40)).of_pairs("AP")
    assert (top["swap rate"].diff().dropna() <= 0).all()
    assert len(top) == len(frame) == 15


def test_swap_when_run_then_every_number_is_that_of_the_method(c):
    found = swaps.swap(c, MEASURES, swaps.Params(threshold=10, size=4, trials=60, seed=3))
    values = irmeval.evaluate(c, MEASURES).values
    expected = swap(values, size=4, trials=60, seed=3)
    needed = find_required_difference(expected, threshold=0.1)
    frame = found.frame()
    columns = [
        "measure",
        "required_difference",
        "highest_mean",
        "relative_difference",
        "sensitivity",
        "error_rate",
    ]
    assert list(frame.columns) == [
        *columns,
        "best_mean",
        "deviation",
        "of_best_mean",
        "in_deviations",
    ]
    means = values.mean(axis=-1)
    np.testing.assert_allclose(frame["of_best_mean"] * means.max(axis=1), needed.difference)
    np.testing.assert_allclose(frame["in_deviations"] * means.std(axis=1), needed.difference)
    bins = found.bins()
    np.testing.assert_allclose(
        bins["of best mean"] * np.repeat(means.max(axis=1), len(found.rates.edges)),
        bins["from"],
        atol=1e-12,
    )
    for column, values_ in zip(
        columns[1:],
        [
            needed.difference,
            expected.highest,
            needed.relative,
            needed.sensitivity,
            expected.error_rate,
        ],
        strict=True,
    ):
        np.testing.assert_array_equal(frame[column], values_)
    assert found.bins()["comparisons"].sum() == 3 * 60 * 15
    assert found.sizes == (1, 2, 3, 4, 5, 6)
    np.testing.assert_array_equal(
        found.errors[:, 5], swap(values, size=6, trials=60, seed=3).error_rate
    )


@pytest.mark.parametrize("experiment", NEW)
def test_matrix_when_it_holds_the_scores_of_a_collection_then_the_result_is_the_same(c, experiment):
    run = EXPERIMENTS[experiment]
    ours, theirs = run(c, ["AP"]), run(as_matrix(c, "AP"), [])
    pd.testing.assert_frame_equal(ours.frame(), theirs.frame())
    assert ours.headline() == theirs.headline()
    assert theirs.measures == ()


@pytest.mark.parametrize("experiment", NEW[:-1])
def test_result_when_only_some_runs_are_asked_for_then_others_are_left_out(c, experiment):
    assert len(EXPERIMENTS[experiment](c, ["AP"], only=["run4", "run1", "run2"]).scores.runs) == 3


def test_topics_without_a_score_when_there_are_some_then_they_are_left_out_and_it_is_said():
    judgments, scores = drawn(3, topics=6, runs=3)
    judgments["2"] = dict.fromkeys(judgments["2"], 0)
    found = stable.stability(tied_collection(judgments, scores), ["AP"])
    assert len(found.scores.topics) == 5
    assert found.size == 2
    assert "1 topic without a score for every run and measure is left out." in found.headline()


def test_two_topics_when_that_is_all_then_there_are_numbers():
    two = matrix_of([0.5, 0.1], [0.2, 0.4], [0.3, 0.3])
    found = swaps.swap(two)
    assert (found.size, found.sizes) == (1, (1,))
    assert found.rates.of_pairs[0].tolist() == [1, 1, 1]
    assert "No difference by made up keeps the swap rate at or below 5%" in found.headline()
    assert np.isnan(found.frame()["required_difference"][0])
    assert stable.stability(two).counts.minority_rate[0, 0] == pytest.approx(0.5, abs=0.03)
    for result in (found, stable.stability(two), orderings.pair_orderings(two)):
        for chart in result.charts():
            chart.draw()


def test_two_identical_runs_when_compared_then_all_ties_and_words_say_so():
    same = matrix_of([0.5, 0.1, 0.3, 0.2], [0.5, 0.1, 0.3, 0.2])
    found = stable.stability(same)
    assert (found.frame()["proportion_of_ties"] == 1).all()
    assert found.headline() == (
        "Not known: 100.0% of the comparisons tie, and measures are compared where 10% tie. Over"
        " 1,000 sets of 2 topics, 1 pair of runs. Not compared: by made up, more than 10% tie at"
        " every f."
    )
    assert np.isnan(orderings.pair_orderings(same).tau[0, 0, -1])
    assert "undefined" in orderings.pair_orderings(same).headline()


def test_stability_when_hardly_a_pair_ties_then_says_up_to_which_f():
    apart = matrix_of([0.5, 0.6, 0.7, 0.6], [0.1, 0.2, 0.2, 0.1])
    told = stable.stability(apart, fuzziness=(0.01, 0.05)).headline()
    assert told.endswith(" Not compared: by made up, fewer tie up to f = 0.05.")


def test_pair_orderings_when_run_then_they_are_tau_between_the_methods(c):
    params = orderings.Params(fuzziness=0.02, size=3, sets=80, samples=100, seed=5)
    found = orderings.pair_orderings(c, MEASURES, params)
    values = irmeval.evaluate(c, ["nDCG"]).values[0]
    sign = compare(values, "sign").p
    minority = stability(values, size=3, sets=80, seed=5, fuzziness=(0.02,)).minority_of_pairs[0]
    swapped = swap(values, size=3, trials=80, seed=5).of_pairs
    row = found.as_in_the_paper().set_index("measure").loc["nDCG"]
    taus = [tau_b(sign, minority), tau_b(sign, swapped), tau_b(minority, swapped)]
    np.testing.assert_allclose(row.to_numpy(float), [*taus, critical_tau(15)], rtol=1e-12)
    frame = found.frame()
    methods = [test for test in TESTS.values() if not test.variant_of]
    assert len(frame) == 3 * comb(len(methods) + 2, 2)
    assert (frame["significant"] == (frame["tau"].abs() >= critical_tau(15))).all()


def test_best_when_marked_then_nothing_beats_it_and_what_is_undefined_is_never_best():
    columns = (
        card.Criterion("more", 0, 1, "", ""),
        card.Criterion("less", 1, 0, "", ""),
        card.Criterion(card.KNEE, 0, 1, "", ""),
    )
    nan = np.nan
    found = card.Scorecard(
        np.array([[1, 2, 2], [1, nan, 3], [nan, nan, nan]]),
        np.zeros(3, bool),
        columns,
        tuple(map(irmeval.measure, MEASURES)),
        card.Params(),
        pairs=3,
        reduced=Realised(10, 10),
    )
    assert found.best.tolist() == [[False, True, True], [True, False, False], [False, False, False]]
    np.testing.assert_allclose(found.rank, np.mean([[3, 1.5, 1.5], [1, 3, 2], [2, 2, 2]], axis=0))
    assert found.frame()["measure"].tolist() == ["P@5", "AP", "nDCG"]


def test_best_when_all_measures_tie_then_there_is_none_and_the_sentence_says_first_what_has_one():
    columns = (
        card.Criterion("more", 0, 1, "", "more"),
        card.Criterion(card.KNEE, 100, 0, "", "less"),
    )
    measures = tuple(map(irmeval.measure, ["AP", "nDCG"]))
    values = np.array([[0.1 + 0.2, 0.3], [1.0, 2.0]])
    found = card.Scorecard(
        values,
        np.zeros(2, bool),
        columns,
        measures,
        card.Params(),
        pairs=3,
        reduced=Realised(10, 10),
    )
    assert found.best.tolist() == [[False, False], [True, False]]
    assert "AP is the most robust of 2 measures." in found.verdict().claim
    assert "AP (mean rank 1.2) is first in rate for tau 0.9." in found.verdict().below
    assert not any("more" in step.question for step in found.next_steps())


def test_scored_when_a_run_is_unknown_then_near_names_are_said(c):
    with pytest.raises(irmeval.IrmevalError, match="unknown run 'run9'; nearest"):
        score_runs(stable.stability.work(c, ["AP"], only=["run9", "run1"]))
