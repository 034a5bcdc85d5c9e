"""Numbers and sentences of the pages that need no runs, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.parameters import Parameters
from irmeval.experiments.results import table_named
from tests.cases import SAMPLE, read_once

LAB, VARIED, SWAPPED, TOP = (
    EXPERIMENTS[name] for name in ("lab", "parameters", "swap-property", "top-heaviness")
)


def test_lab_when_documents_are_unjudged_then_says_by_how_much_the_condensed_score_is_higher():
    # of 0 3 x 1 0 x 2 0 and a 1 that is missing: AP (1/2 + 2/4 + 3/7) / 4, without the x (1/2 + 2/3
    # + 3/5) / 4
    found = LAB(None, ["AP", "RR"])
    more = (2 / 3 - 2 / 4 + 3 / 5 - 3 / 7) / 4
    assert found.verdict()[:2] == (
        f"Without the 2 unjudged documents, AP changes most: by {more:+.4f}.",
        "8 documents retrieved: 3 of 4 relevant, 2 unjudged.",
    )


def test_lab_when_two_swaps_are_worth_the_same_then_that_is_said_down_to_the_last_rank():
    found = LAB(None, ["AP", "RankEff"], LAB.params(list="0-1-0-1", rest="0", a=1, b=2, c=4, d=3))
    assert found.describe_swaps() == "RankEff changes by the same amount in both swaps."


def test_lab_when_a_step_is_taken_then_columns_are_of_the_condensed_list_below_the_unjudged():
    steps = LAB(None, ["Q(beta=2,rel=2)"], LAB.params(list="0-3-x-1-u-2", rest="2")).steps(
        measure("Q(beta=2,rel=2)")
    )
    assert steps["gain"].tolist() == [0, 3, 0, 0, 0, 2]
    assert steps["cgI"].tolist() == [3, 5, 7, 7, 7, 7]
    # (2 cg + count) / (2 cgI + rank)
    assert steps["BR"].tolist() == pytest.approx([0, 7 / 12, 7 / 17, 7 / 18, 7 / 19, 12 / 20])
    assert steps["rank'"].tolist() == pytest.approx([1, 2, np.nan, 3, np.nan, 4], nan_ok=True)
    assert steps["BR'"].tolist() == pytest.approx(
        [0, 7 / 12, np.nan, 7 / 17, np.nan, 12 / 18], nan_ok=True
    )
    # above the 2 are a 0 and a 1 that counts as 0, and a 3
    assert steps["penalty'"].tolist()[1::4] == pytest.approx([1, 2])


def parameters() -> Parameters:
    """As chosen the runs are in the order a b c; at one value b is first by one
    measure, and another ties them all.
    """
    default = np.array([[0.6, 0.4, 0.2], [0.6, 0.4, 0.2]])
    means = np.array([[[0.6, 0.4, 0.2], [0.3, 0.5, 0.1]], [[0.5, 0.5, 0.5], [0.6, 0.4, 0.3]]])
    measures = tuple(map(measure, ("Q", "nDCG")))
    return Parameters(
        default, means, measures, ("1", "10"), tuple("abc"), VARIED.params(parameter="beta")
    )


def test_parameters_when_told_in_words_then_the_value_that_changes_the_order_most_is_named():
    found = parameters()
    claim, beside, below = found.verdict()
    assert claim == "With beta = 10, Q moves 2 of 3 runs: tau 0.33 with its usual order."
    assert beside == "b is best instead of a; 2 runs move 1 place."
    assert below == (
        "Q depends most on it (tau 0.33 at 10); by nDCG, tau stays above 0.9. Tau is undefined"
        " where all runs tie."
    )
    table = table_named(found, "runs-Q").make()
    assert table[["run", "rank as chosen", "rank now", "places up"]].to_numpy().tolist() == [
        ["a", 1, 2, -1],
        ["b", 2, 1, 1],
        ["c", 3, 3, 0],
    ]
    assert table_named(found, "values").make()["tau"].tolist() == pytest.approx(
        [1, 1 / 3, np.nan, 1], nan_ok=True
    )
    assert (
        replace(found, at="1").verdict("Q").claim == "With beta = 1, Q orders the runs as before."
    )


def test_parameters_when_two_measures_become_the_same_then_both_have_their_row():
    found = VARIED(
        read_once(*SAMPLE), ["Q(beta=10)", "nCG@10", "Q"], VARIED.params(parameter="beta")
    )
    assert found.means.shape[0] == 2
    np.testing.assert_array_equal(found.means[0], found.means[1])


def test_swap_property_when_there_are_two_lists_then_what_rises_and_what_stays_is_counted():
    found = SWAPPED(None, ["AP", "P@2", "RankEff"], SWAPPED.params(R=1, N=1))
    ways = table_named(found, "measures").make()[
        ["measure", "rises", "stays", "falls", "share", "always"]
    ]
    assert ways.to_numpy().tolist() == [
        ["AP", 1, 0, 0, 1, True],
        ["P@2", 0, 1, 0, 0, False],
        ["RankEff", 1, 0, 0, 1, True],
    ]
    assert found.verdict()[:2] == (
        "No: P@2 rises after only 0.0% of 1 swap, AP and RankEff after each.",
        "In 2 lists with 1 of 2 documents relevant.",
    )


def test_top_heaviness_when_half_is_left_then_it_is_gone_and_a_score_of_nothing_is_not_blind():
    found = TOP(None, ["AP", "P@2", "Bpref_relative", "nCG@5"], TOP.params(R=(1, 2), last=4, N=5))
    assert found.verdict() == (
        "AP halves the worth of rank 1 at rank 2, nCG@5 at no rank down to 4.",
        "Ranks 1 and 2 count the same by P@2 and nCG@5.",
        "With 1 relevant document: AP 2; P@2 3; nCG@5 none.",
    )
    ap = table_named(found, "scores").make().query("measure == 'AP'")
    assert ap["score"].tolist() == pytest.approx(
        [1, 1 / 2, 1 / 3, 1 / 4, 1 / 2, 1 / 4, 1 / 6, 1 / 8]
    )
