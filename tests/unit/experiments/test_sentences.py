"""Sentences above the charts, for none, one, two and many."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from irmeval import Judges, measure
from irmeval.core.text import count_with_be, list_all
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.across import Across, Summary
from irmeval.experiments.facts import LONGEST
from irmeval.experiments.measures.agreement import Agreement, correlations
from irmeval.experiments.measures.gains import GainMaps
from irmeval.experiments.measures.parameters import Parameters
from irmeval.experiments.measures.rankings import Rankings
from irmeval.experiments.measures.scorecard import Criterion, Scorecard
from irmeval.experiments.measures.stability import Stability
from irmeval.experiments.measures.swap import Swap
from irmeval.experiments.planning.holes import Holes, ways_of
from irmeval.experiments.runs.power import Power
from irmeval.experiments.scored import Scored
from irmeval.experiments.trials import Realised
from irmeval.experiments.watched.base import STATISTICS
from irmeval.papers.findings import DOES_NOT, HOLDS, UNDECIDED, Outcome
from irmeval.papers.findings_across import FindingsAcross
from irmeval.papers.resampled import DEFINITION
from irmeval.plots import row_charts
from irmeval.scoring.scores import Scores
from irmeval.stats.mixtures import DecisionCounts
from irmeval.stats.swap_rates import Required
from irmeval.stats.topic_sets import WinsAndTies
from tests.counted import made, teams, work
from tests.small_work import tied as collection_of

NAMES = ("AP", "Q", "RR", "nDCG")


def scores(*means):
    """Of as many runs on one topic, by as many measures."""
    return Scores(
        np.array(means, float)[..., None],
        tuple(map(measure, NAMES[: len(means)])),
        tuple("abcde")[: len(means[0])],
        ("1",),
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ((), ""),
        (("AP",), "AP"),
        (("AP", "Q"), "AP and Q"),
        (("AP", "Q", "RR", "RBP"), "AP, Q, RR and RBP"),
    ],
)
def test_names_when_none_one_two_and_many_then_they_stand_as_in_a_sentence(names, said):
    assert list_all(names) == said


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        (1, "in 10.0% of cases by AP."),
        (2, "in 10.0% of cases by AP, 20.0% by Q."),
        (4, "in 10.0% of cases by AP, 40.0% by nDCG."),
    ],
)
def test_stability_when_there_are_one_two_and_many_measures_then_the_sentence_is_about_as_many(
    measures, said
):
    ties, losses = np.ones((measures, 1, 1), int), np.arange(1, measures + 1)[:, None, None]
    names = NAMES[:measures]
    scored = Scored(
        np.full((measures, 2, 2), 0.5), names, tuple(map(measure, names)), ("a", "b"), ("1", "2"), 0
    )
    params = EXPERIMENTS["stability"].params(sets=10, fuzziness=(0.05,))
    found = Stability(WinsAndTies(10 - ties - losses, losses, ties), scored, 1, params)
    claim = found.verdict().claim
    assert claim.startswith("Partly: sets of 1 topic contradict the order of two runs in ")
    assert claim.endswith(said)


def test_stability_when_one_and_two_measures_never_tie_so_often_then_they_are_named():
    params, names = EXPERIMENTS["stability"].params(sets=10, fuzziness=(0.05,)), NAMES[:3]
    scored = Scored(
        np.full((3, 2, 2), 0.5), names, tuple(map(measure, names)), ("a", "b"), ("1", "2"), 0
    )
    for ties, told in (
        ([1, 1, 0], "by RR, fewer tie up to f = 0.05."),
        ([1, 0, 0], "by Q and RR, fewer tie up to f = 0.05."),
        ([1, 0, 3], "by RR, more than 10% tie at every f; by Q, fewer tie up to f = 0.05."),
        ([1, 2, 3], "Not compared: by Q and RR, more than 10% tie at every f."),
    ):
        tied = np.array(ties)[:, None, None]
        assert (
            Stability(WinsAndTies(10 - tied, 0 * tied, tied), scored, 1, params)
            .headline()
            .endswith(told)
        )


@pytest.mark.parametrize(
    ("needed", "shares", "claim", "beside"),
    [
        ([0.1], [0.4], "0.10 by AP: at most 5%", "Of 10 comparisons, AP finds 40.0%"),
        ([np.nan], [0], "No difference by AP keeps the swap rate at or below 5%.", ""),
        ([np.nan] * 2, [0, 0], "No difference by either measure keeps", ""),
        (
            [0.1, 0.2],
            [0.4, 0.3],
            "0.10 by AP, 0.20 by Q: at most 5%",
            "AP finds the most large enough (40.0%), Q the fewest (30.0%).",
        ),
        (
            [np.nan, 0.2],
            [0, 0.3],
            "0.20 by Q: at most 5%",
            "By AP, no difference is large enough. Of 10 comparisons, Q finds 30.0% large enough.",
        ),
        ([0.1] * 3, [0.4] * 3, "0.10 by all 3 measures:", "all 3 measures find 40.0% large"),
        ([0.0, 0.2], [0.4, 0.3], "Any difference by AP, 0.20 by Q: at most 5%", ""),
        (
            [0.1, 0.1, np.nan],
            [0.4, 0.4, 0],
            "0.10 by both measures:",
            "By RR, no difference is large enough. Of 10 comparisons, both measures find 40.0%",
        ),
        (
            [0.1, 0.2, 0.3, np.nan],
            [0.4, 0.3, 0.2, 0],
            "0.10 by AP, 0.30 by RR:",
            "AP finds the most large enough (40.0%), RR the fewest (20.0%).",
        ),
    ],
)
def test_swap_when_no_measure_some_and_all_have_a_difference_then_shares_are_of_those_that_have(
    needed, shares, claim, beside
):
    found = swapped(needed, shares, [1.0, 0.0]).verdict()
    assert found.claim.startswith(claim)
    assert len(found.claim.split()) <= LONGEST
    assert beside in f"{found.beside} {found.below}"


def test_swap_when_no_scores_differ_then_says_so_in_place_of_a_difference_that_is_enough():
    told = "On every topic both runs have the same score by"
    assert swapped([0.0], [1], [1.0, 1.0]).headline() == f"{told} AP: no pair swaps."
    assert (
        swapped([0.0] * 2, [1] * 2, [1.0, 1.0]).headline()
        == f"{told} both measures: no pair swaps."
    )
    assert (
        swapped([0.0] * 3, [1] * 3, [1.0, 1.0]).headline()
        == f"{told} all 3 measures: no pair swaps."
    )


def test_swap_when_all_runs_tie_by_one_measure_then_it_is_said_and_no_difference_is_asked_of_it():
    said = swapped([0.0, np.nan, np.nan], [0.5, np.nan, 0], [1.0, 0.5]).verdict().beside
    assert said.endswith(" By Q, all runs tie. By RR, no difference is large enough.")


def swapped(needed, shares, of_runs):
    """By some measures, which need these differences and find these shares; two runs
    with the same score on every topic.
    """
    names = NAMES[: len(needed)]
    scored = Scored(
        np.tile(np.array(of_runs)[:, None], (len(names), 1, 2)),
        names,
        tuple(map(measure, names)),
        ("a", "b"),
        ("1", "2"),
        0,
    )
    found = Swap(None, None, (1,), scored, 1, EXPERIMENTS["swap"].params(trials=10))
    vars(found)["required"] = Required(
        np.array(needed), np.full(len(names), np.nan), np.array(shares, float)
    )
    return found


@pytest.mark.parametrize(
    ("orders", "claim", "below"),
    [
        (["abc"], "With beta = 3, AP orders the runs as before.", "changes the order by AP."),
        (["abc", "abc"], "as before.", "No value of beta changes the order by either measure."),
        (["abc", "abc", "   "], "as before.", "changes the order by either measure."),
        (["abc", "abc", "abc"], "as before.", "changes the order by any measure."),
        (
            ["acb"],
            "With beta = 3, AP moves 2 of 3 runs: tau 0.33 with its usual order.",
            "The lowest tau is 0.33, at 3.",
        ),
        (
            ["acb", "cba"],
            "With beta = 3, Q moves 2 of 3 runs: tau -1.00 with its usual order.",
            "Q depends most on it (tau -1.00 at 3); by both measures, tau falls to 0.9 or below.",
        ),
        (["acb", "abc", "   "], "AP moves 2 of 3 runs", "by Q, tau stays above 0.9."),
        (["acb", "   "], "AP moves 2 of 3 runs", "The lowest tau is 0.33, at 3."),
        (["   "], "Too few runs differ, so there is no order of runs to compare.", ""),
    ],
)
def test_parameters_when_none_one_and_several_keep_the_order_then_those_without_are_not_counted(
    orders, claim, below
):
    # of no order, all alike
    means = -np.array([[[order.find(run) for run in "abc"]] for order in orders], float)
    chosen, measures = (
        np.array([[3.0, 2, 1]] * len(orders)),
        tuple(map(measure, NAMES[: len(orders)])),
    )
    params = EXPERIMENTS["parameters"].params(parameter="beta")
    found = Parameters(chosen, means, measures, ("3",), tuple("abc"), params).verdict()
    assert claim in found.claim
    assert found.below.endswith(below)


def test_parameters_when_all_runs_tie_at_one_value_then_tau_is_said_to_be_undefined_there():
    means, chosen = np.array([[[0, 0, 0], [3, 2, 1]]], float), np.array([[3.0, 2, 1]])
    params = EXPERIMENTS["parameters"].params(parameter="beta")
    found = Parameters(
        chosen, means, tuple(map(measure, NAMES[:1])), ("3", "4"), tuple("abc"), params
    )
    assert found.verdict().below.endswith(
        "No value of beta changes the order by AP. Tau is undefined where all runs tie."
    )


@pytest.mark.parametrize(
    ("decided", "said"),
    [
        (
            (0, 0, 0, 0, 3),
            "Of 3 pairs, tested pair by pair, none differs by either judge.",
        ),
        (
            (1, 0, 0, 0, 2),
            "Of 3 pairs, tested pair by pair, 1 differs in the same direction by both.",
        ),
        (
            (0, 2, 1, 0, 0),
            "Of 3 pairs, tested pair by pair, 2 differ by qrels alone and 1 by noisy alone.",
        ),
        (
            (2000, 1, 3, 4, 5),
            (
                "Of 2,013 pairs, tested pair by pair, 2,000 differ in the same direction by both, 1"
                " by qrels alone, 3 by noisy alone and "
            ),
        ),
        (
            (0, 0, 0, 1, 0),
            "Tested alone, the pair differs oppositely.",
        ),
    ],
)
def test_systems_when_no_pair_one_and_many_differ_then_only_the_ways_that_there_are_are_said(
    decided, said
):
    found = replace(work("systems", made, 3, 7, 1), decisions=(DecisionCounts(*decided),))
    assert said in found.headline()
    opposed = decided[3]
    assert found.verdict().claim.endswith(
        f"{count_with_be(opposed, 'pair') if opposed else 'no pair is'} decided oppositely."
    )


@pytest.mark.parametrize(
    ("power", "claim"),
    [
        ((0.3, 0.2, 0.1), "AP finds most: 30% of the pairs of runs differ tested pair by pair; RR"),
        ((0.3, 0.1, 0.1), "By AP, 30% of the pairs of runs differ tested pair by pair; by 2 meas"),
        ((0.1, 0.3, 0.3), "By 2 measures, 30% of the pairs of runs differ tested pair by pair; by"),
        ((0.1, 0.1, 0.1), "By each of 3 measures, 10%"),
    ],
)
def test_power_when_measures_find_as_many_pairs_then_one_is_named_where_it_alone_does(power, claim):
    pairs = SimpleNamespace(names=NAMES[:3], power=np.array(power), describe_family=str)
    assert Power(pairs, (), EXPERIMENTS["power"].params()).verdict().claim.startswith(claim)


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ((0, 0, np.nan, 0), "no longer is by any"),
        ((1, 0, np.nan, 0), "still is by AP"),
        ((1, 0, np.nan, 1), "still is by AP and nDCG"),
        ((1, 1, np.nan, 1), "still is by 3 of 4 measures"),
        ((1, 1, 1, 1), "still is by all 4 measures"),
    ],
)
def test_winner_when_more_than_two_measures_keep_it_in_the_only_trial_then_they_are_counted(
    kept, told
):
    once = SimpleNamespace(
        last=lambda name: np.array(kept, float),
        params=SimpleNamespace(trials=1),
        names=NAMES,
        noun="measure",
        everything="all judgments",
    )
    assert STATISTICS["winner"].says(once) == f"the best run on all judgments {told}"


def test_orders_when_there_is_one_run_and_when_no_pair_differs_then_nothing_is_said_of_them():
    one, few, many = (work("orders", made, runs, 7, 1) for runs in (1, 2, 3))
    assert [chart.name for chart in one.charts()] == ["found", "error"]
    assert [lead.page for lead in one.next_steps()] == ["judge-next"]
    assert [chart.name for chart in few.charts()] == ["found", "tau", "tau-ap", "drop", "error"]
    apart = replace(many, apart_full=np.ones_like(many.apart_full))
    assert [chart.name for chart in apart.charts()] == [
        "found",
        "tau",
        "tau-ap",
        "drop",
        "error",
        "pairs",
    ]
    driven = replace(many, params=replace(many.params, driver="noisy"))
    assert driven.verdict().beside.endswith(" noisy misleads no order.")


def test_fairness_when_no_order_some_and_all_have_scores_then_the_sentence_is_on_those():
    found = work("order-fairness", teams, 3, 7, 1)
    some = np.full_like(found.score, np.nan)
    claim, beside, _ = replace(found, score_without=some).verdict()
    assert claim.endswith("no order finds a relevant document, so scores cannot be compared.")
    assert beside.endswith(found.realised[0].reason)
    some[:2] = 0.5
    claim, *_ = replace(found, score=np.ones_like(some), score_without=some).verdict()
    assert claim.endswith(" a run without its team loses 50.0% of its AP with some orders.")
    assert (
        work("order-fairness", made, 3, 7, 1).headline()
        == "All runs are of one team: without it no document is pooled."
    )


def test_fairness_when_a_loss_is_written_as_0_then_has_no_sign():
    found = work("order-fairness", teams, 3, 7, 1)
    whole = np.ones_like(found.score)
    without = np.full_like(whole, 1.0001)
    claim = replace(found, score=whole, score_without=without).verdict().claim
    assert claim.endswith(" loses 0.0% of its AP with every order.")


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ((0.0, 0.0, 0.0), "no run would lose any of its AP."),
        ((0.0002, 0.0, -0.0004), "every run loses less than 0.1% of its AP."),
        ((0.0002, 0.0, np.nan), "every run with a score loses less than 0.1% of its AP."),
        ((0.2, 0.2, 0.2), "every run loses 20.0% of its AP."),
        ((0.001, -0.001, -0.0005), "a run loses 0.0% of its AP on average, x0 most: 0.1%."),
    ],
)
def test_leave_one_out_when_losses_are_tiny_then_none_is_said_to_be_lost_by_all(lost, told):
    found = work("leave-one-out", teams, 3, 7, 1)
    whole = np.ones_like(found.score)
    made_of = replace(found, score=whole, score_without=whole - np.array(lost))
    assert made_of.verdict().claim.replace(found.runs[0], "x0").endswith(told)


@pytest.mark.parametrize(
    ("on", "said"),
    [
        (
            [[[2, 1]]],
            ("1 collection, 2 measures: agreement requires two of each, and measures that differ."),
        ),
        (
            [[[1]], [[2]]],
            ("2 collections, 1 measure: agreement requires two of each, and measures that differ."),
        ),
        (
            [[[2, 1]], [[2, 1]]],
            "2 collections agree with W 1.00 by tau at 10%.",
        ),
        (
            [[[2, 1], [1, 2]], [[2, 1], [1, 2]]],
            "2 collections agree with W 1.00 by each of 2 criteria.",
        ),
        (
            [[[2, 1], [1, 1]], [[2, 1], [1, 1]]],
            "Left out, as measures are equal or follow from definitions: power at 100%.",
        ),
        (
            [[[3, 2, 1], [1, 2, 3]], [[3, 2, 1], [3, 1, 2]], [[3, 2, 1], [1, 2, 3]]],
            (
                "3 collections agree most by tau at 10% (W 1.00), least by power at 100% (0.33)."
                " Agreement is Kendall's W of the orders of 3 measures."
            ),
        ),
    ],
)
def test_across_when_there_are_one_two_and_three_collections_then_agreement_is_said_where_there_is(
    on, said
):
    columns = tuple(
        Criterion(name, 0, 1, "It is so.", "") for name in ("tau at 10%", "power at 100%")
    )[: len(on[0])]
    summaries = []
    for values in np.array(on, float):
        measures = tuple(map(measure, NAMES[: values.shape[-1]]))
        summaries.append(
            Summary(
                values, np.dstack([values, -values]), 1.0, columns, measures, 5, 9, Realised(10, 10)
            )
        )
    found = Across(tuple("xyz"[: len(on)]), tuple(summaries), EXPERIMENTS["scorecard"].params())
    assert said in found.headline()
    assert len(found.verdict().claim.split()) <= LONGEST
    assert "nan" not in found.chart_of_values("tau at 10%").caption


REACHED = [Realised(10, left, "every topic keeps 1 document") for left in (12.0, 14.0, 12.0)]
"""Shares that floors leave on three collections."""


@pytest.mark.parametrize(
    ("orders", "claim"),
    [
        # on three collections, by three criteria
        (
            [[[3, 2, 1]] * 3, [[3, 2, 1]] * 3, [[3, 2, 1], [3, 2, 1], [1, 2, 3]]],
            "3 collections agree most by 2 of 3 criteria (W 1.00), least by minority rate at 10%"
            " ties (0.11).",
        ),
        (
            [
                [[3, 2, 1], [3, 2, 1], [1, 1, 1]],
                [[3, 2, 1], [3, 2, 1], [1, 1, 1]],
                [[3, 2, 1], [1, 2, 3], [1, 1, 1]],
            ],
            "3 collections agree most by mean off at 12–14% (W 1.00), least by power at 12–14%"
            " (0.11).",
        ),
        ([[[3, 2, 1]] * 3] * 3, "3 collections agree with W 1.00 by each of 3 criteria."),
    ],
)
def test_across_when_criteria_tie_or_floors_bind_then_the_claim_is_short_and_names_no_false_winner(
    orders, claim
):
    names = ("mean off", "power", "minority rate at 10% ties")
    criteria = tuple(
        Criterion(name, 0, 1, "It is so.", "", on_fewer=" at " not in name) for name in names
    )
    measures = tuple(map(measure, NAMES[:3]))
    summaries = [
        Summary(values, np.dstack([values, -values]), 1.0, criteria, measures, 5, 9, reduced)
        for values, reduced in zip(np.array(orders, float), REACHED, strict=True)
    ]
    verdict = Across(tuple("xyz"), tuple(summaries), EXPERIMENTS["scorecard"].params()).verdict()
    assert verdict.claim == claim
    assert len(verdict.claim.split()) <= LONGEST
    assert "Asked for: 10% of the judgments." in verdict.beside


def test_forest_when_an_interval_is_unknown_then_it_is_not_drawn_as_one_without_0():
    criteria = (Criterion("tau", 0, 1, "It is so.", ""),)
    measures, summaries = tuple(map(measure, NAMES[:2])), []
    for halves in ([[[0.4, -0.4], [0.1, -0.1]]], [[[np.nan, np.nan], [np.nan, 0.1]]]):
        of = np.array([[0.9, 0.5]]), np.array(halves)
        summaries.append(Summary(*of, 9.0, criteria, measures, 5, 9, Realised(10, 10)))
    found = Across(("known", "unknown"), tuple(summaries), EXPERIMENTS["scorecard"].params())
    _, errors, _ = found.effects_of("tau", "AP", "Q")
    assert np.isnan(errors).tolist() == [False, True]
    drawn = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_charts, "intervals", lambda rows, ranges, *_, **__: drawn.append(ranges))
        found.chart_of_effect("tau", "AP", "Q").draw()
    (ranges,) = drawn
    assert ranges.low[1] == ranges.high[1] == pytest.approx(0.4)
    assert not ranges.significant[1]


def scorecard(*values):
    """By some criteria, of which more is better."""
    pages = {"tau at 10%": "curves", "power at 100%": "power", "power": "decisions"}
    columns = tuple(Criterion(name, 0, 1, page, "") for name, page in pages.items())[: len(values)]
    measures = tuple(map(measure, NAMES[: len(values[0])]))
    params = EXPERIMENTS["scorecard"].params()
    return Scorecard(
        np.array(values, float),
        np.zeros(len(measures), bool),
        columns,
        measures,
        params,
        1,
        Realised(10, 10),
    )


@pytest.mark.parametrize(
    ("values", "who", "below"),
    [
        (([0.5], [0.4]), "AP is the only measure here: pick others to compare it.", ""),
        (
            ([0.5, 0.4], [0.4, 0.3]),
            "By its mean rank over 2 criteria, AP is the most robust of 2 measures.",
            "AP (mean rank 1.0) is first in both criteria.",
        ),
        (
            ([0.5, 0.6, 0.1], [0.4, 0.1, 0.5]),
            "By their mean rank over 2 criteria, all 3 measures are equally robust.",
            "Q (mean rank 2.0) is first in tau at 10%. RR (mean rank 2.0) is first in power at",
        ),
        (
            ([0.5, 0.6, 0.1, 0.4], [0.4, 0.1, 0.5, 0.3]),
            "By its mean rank over 2 criteria, AP is the most robust of 4 measures.",
            "AP (mean rank 2.0) is first in none. Q (mean rank 2.5) is first in tau at 10%. RR",
        ),
        (
            ([0.5, 0.6, 0.1], [0.6, 0.5, 0.1]),
            "By their mean rank over 2 criteria, AP and Q are the most robust of 3 measures.",
            "",
        ),
    ],
)
def test_scorecard_when_there_are_one_two_and_many_measures_then_it_says_who_is_first_in_what(
    values, who, below
):
    found = scorecard(*values).verdict()
    assert found.claim == who
    assert below in found.below
    assert found.beside == "1 pair of runs is tested pair by pair."


def test_next_step_when_the_most_robust_measure_loses_by_a_criterion_then_leads_to_its_page():
    found = scorecard([0.5, 0.4], [0.3, 0.4], [0.5, 0.4])
    assert ("Why is AP not first in power at 100%?", "power") in [
        step[:2] for step in found.next_steps()
    ]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            ([0.5, 0.4], [0.3, 0.3], [0.1, 0.1]),
            ("1 of 3 criteria distinguishes the measures, too few to call one the most robust."),
        ),
        (
            ([0.5, 0.5], [np.nan, np.nan], [0, 0]),
            "None of 3 criteria distinguishes the measures, too few to call one the most robust.",
        ),
    ],
)
def test_scorecard_when_few_criteria_distinguish_the_measures_then_it_names_no_winner(values, says):
    found = scorecard(*values)
    assert found.headline().startswith(says)
    assert [step.page for step in found.next_steps()] == ["leaderboard", "agreement"]


def test_metrics_when_there_are_two_and_three_measures_then_most_and_least_are_said_of_three_only():
    def told(*means):
        return (
            Agreement(correlations(scores(*means), params), scores(*means), params).verdict().claim
        )

    params = EXPERIMENTS["agreement"].params()
    assert told([1, 2, 3], [1, 3, 2]) == "AP and Q agree with Kendall's tau 0.33."
    assert told([1, 2, 3], [1, 2, 3], [3, 2, 1]) == (
        "AP and Q agree most (Kendall's tau 1.00), 2 of 3 pairs of measures least (-1.00)."
    )
    assert told([1, 2, 3]).startswith("There are no two orders to compare")


@pytest.mark.parametrize(
    ("means", "claim", "beside"),
    [
        ([4, 3, 2, 1], "Every run has the same rank by AP and by Q.", "two orders is 1.00."),
        (
            [1, 1, 1, 1],
            "d climbs most from AP to Q: rank 4 to 1.",
            "3 of 4 runs change rank. Q ties",
        ),
        ([3, 4, 2, 1], "a and b move most from AP to Q: 1 place.", "2 of 4 runs change rank."),
        ([1, 2, 3, 4], "a and d move most from AP to Q: 3 places.", "All 4 runs change rank."),
    ],
)
def test_rankings_when_no_run_some_and_all_change_place_then_those_that_move_most_are_named(
    means, claim, beside
):
    found = Rankings(scores([4, 3, 2, 1], means), 0, 1, EXPERIMENTS["rankings"].params())
    assert found.verdict().claim == claim
    assert beside in found.verdict().beside


@pytest.mark.parametrize(
    ("run", "claim"),
    [
        ("a", "a falls most from AP to Q: rank 1 to 4."),
        ("b", "b climbs from AP to Q: rank 2 to 1."),
        ("c", "c keeps rank 3 from AP to Q."),
    ],
)
def test_rankings_when_a_run_is_brought_forward_then_the_verdict_is_about_it(run, claim):
    found = Rankings(scores([4, 3, 2, 1], [1, 4, 2.5, 3]), 0, 1, EXPERIMENTS["rankings"].params())
    assert found.verdict(run).claim == claim


def gain_maps(kept, maps=("default", "flat", "steep"), left_out=0, untried=()):
    """By Q; trials of tau on fewer judgments [map, trial]."""
    tau, alike = np.array([[1, *[0.9] * (len(maps) - 1)]]), np.full((1, len(maps)), 0.5)
    return GainMaps(
        tau=tau,
        kept=np.array([kept], float),
        reduced=Realised(10, 10),
        counts=None,
        required=Required(alike, alike, alike),
        values=np.empty(0),
        topics=4,
        left_out=left_out,
        untried=untried,
        maps=maps,
        measures=(measure("Q"),),
        runs=tuple("abc"),
        params=EXPERIMENTS["gains"].params(),
        top=3,
    )


@pytest.mark.parametrize(
    ("kept", "claim"),
    [
        (
            [[0.5, 0.6], [0.79, 0.81], [0.70, 0.71]],
            "No: with 10% of the judgments, flat gains keep the order by Q better (0.80) than steep"
            " (0.70).",
        ),
        (
            [[0.79, 0.81], [0.58, 0.60], [0.70, 0.72]],
            "Yes: with 10% of the judgments, default gains keep the order by Q better (0.80) than"
            " flat (0.59).",
        ),
        (
            [[0.5, 0.9], [0.8, 0.6], [0.6, 0.6]],
            "No: with 10% of the judgments, flat gains keep the order by Q about as well (0.70) as"
            " default (0.70).",
        ),
    ],
)
def test_gains_when_flat_ones_keep_the_order_better_worse_and_alike_then_the_answer_follows(
    kept, claim
):
    assert gain_maps(kept).verdict().claim == claim


@pytest.mark.parametrize(
    ("left_out", "untried", "ends"),
    [
        (0, (), "mean over 1 trial."),
        (1, (), "on 4 topics: 1 other has no score under some gains and is left out."),
        (
            2,
            ("flat",),
            ": 2 others have no score under some gains and are left out. Too few topics have a"
            " score under flat gains to compare.",
        ),
        (
            9,
            ("flat", "steep"),
            " Too few topics have a score under flat and steep gains to compare.",
        ),
    ],
)
def test_gains_when_no_topic_one_and_several_are_left_out_then_the_sentence_says_so(
    left_out, untried, ends
):
    found = gain_maps([[0.5], [0.5]], ("default", "adjusted"), left_out, untried)
    assert "On all judgments, adjusted gains change the order" in found.verdict().below
    assert found.verdict().beside.endswith(ends)


def test_holes_when_one_way_keeps_the_order_best_and_when_two_do_then_the_verb_agrees():
    def told(first):
        means = np.array([[first], [[0, 1, 2, 3, 4]]], float)[:, :, None]
        given = EXPERIMENTS["holes"].params(rates=(50,), trials=1)
        panel = SimpleNamespace(
            judges=Judges.from_dicts({name: {"1": {"a": 1}} for name in ("person", "model")})
        )
        ways = ways_of((measure("AP"),))[:2]
        full, lists = np.array([np.arange(5.0)] * 2), tuple("abcde")
        return Holes(
            full,
            means,
            (measure("AP"),),
            lists,
            given,
            np.array([[100.0]]),
            np.array([[50.0]]),
            0,
            0,
            ways,
            panel,
            "model",
        ).verdict()

    assert told([1, 0, 2, 3, 4]).claim == (
        "Ask the other judge: with 50% of the judgments, AP filled by model keeps the order best"
        " (tau 1.00)."
    )
    assert told([1, 0, 2, 3, 4]).below == "Tau is 0.80 for AP."
    assert told([0, 1, 2, 3, 4]).claim == (
        "Either: with 50% of the judgments, AP and AP filled by model keep the order equally well"
        " (tau 1.00)."
    )


def test_findings_when_none_one_and_several_hold_then_the_verbs_agree():
    def told(*verdicts, sure=0):
        of = [
            {
                ("paper", str(i)): Outcome(
                    "", verdict, 1.0, 0.5, 1.5, DEFINITION if i < sure else "topics", "", 0.01
                )
                for i, verdict in enumerate(each)
            }
            for each in zip(*verdicts, strict=True)
        ]
        return FindingsAcross(("a", "b"), tuple(of)).headline()

    yes, no, mixed, untold = (
        (HOLDS, HOLDS),
        (DOES_NOT, DOES_NOT),
        (HOLDS, DOES_NOT),
        (HOLDS, UNDECIDED),
    )
    assert told(yes) == "Of 1 finding of the papers, 1 holds on both collections."
    assert (
        told(no) == "Of 1 finding of the papers, none holds on both collections, 1 holds on none."
    )
    assert (
        told(yes, yes, mixed, sure=1)
        == "Of 3 findings of the papers, 2 hold on both collections. 1 holds on some and not on"
        " others; 1 follows from definitions and cannot fail."
    )
    assert told(yes, yes, no, no, untold, sure=2).endswith(
        "2 hold on none. 1 is open on at least one of them; 2 follow from definitions and cannot"
        " fail."
    )


@pytest.mark.parametrize(
    ("R", "begins"),
    [
        (1, "With 1 relevant document: AP 2; Q 3."),
        (10, "With 10 relevant documents: "),
    ],
)
def test_top_heaviness_when_one_document_is_relevant_and_when_many_then_sentence_and_caption_say_so(
    R, begins
):
    found = EXPERIMENTS["top-heaviness"](
        None, ["AP", "Q"], EXPERIMENTS["top-heaviness"].params(R=(R,), last=4, N=5)
    )
    assert found.verdict().below.startswith(begins)
    assert found.charts()[0].caption.startswith(
        "The only relevant document is" if R == 1 else "One of 10 relevant documents is"
    )


def test_ideal_lists_when_no_measure_gives_them_1_then_the_verb_agrees():
    ideal = EXPERIMENTS["ideal-lists"]
    assert (
        ideal(None, ["RBP(p=0.5)"], ideal.params(p=(0.5,), R=(1,)))
        .headline()
        .endswith("; no measure gives it 1 for any number.")
    )


@pytest.mark.parametrize(
    ("topics", "measure", "said"),
    [(10, "RR(rel=3)", True), (11, "RR(rel=3)", False), (10, "AP", False)],
)
def test_systems_when_rr_is_on_ten_topics_then_says_that_intervals_of_tau_hold_too_rarely(
    topics, measure, said
):
    c = collection_of(topics, 6).with_judgments("other", "simulated:noisy,0.3,1")
    headline = EXPERIMENTS["systems"](c, [measure], samples=20, mixtures=5).headline()
    assert ("95% intervals of tau by RR on 10 topics are known" in headline) == said
