"""Numbers and sentences on agreement of measures and on gains, by hand or equal to
another page's.
"""

import numpy as np
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.agreement import Agreement, correlations
from irmeval.experiments.measures.rankings import Rankings
from irmeval.experiments.results import table_named
from irmeval.scoring.score_table import Scores
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, collection, read_once
from tests.watched import CURVES, result

AGREEMENT, RANKINGS, GAINS = (EXPERIMENTS[name] for name in ("agreement", "rankings", "gains"))


def scores(*means) -> Scores:
    """Of as many runs on one topic, by as many measures."""
    values = np.array(means, float)[..., None]
    return Scores(
        values,
        tuple(map(measure, ("AP", "RR", "Q")[: len(means)])),
        tuple("abcde")[: len(means[0])],
        ("1",),
    )


def agreement(*means, **params) -> Agreement:
    given, asked = scores(*means), AGREEMENT.params(**params)
    return Agreement(correlations(given, asked), given, asked)


def test_agreement_when_tau_is_just_critical_then_it_is_significant():
    # of five runs only the same and the reversed order are: 2 of 120 are within .05
    found = agreement([5, 4, 3, 2, 1], [5, 4, 3, 2, 1], [4, 1, 2, 5, 3], alpha=0.05)
    table = table_named(found, "list").make()
    assert table.to_numpy().tolist() == [
        ["AP", "RR", 1, 0, True],
        ["AP", "Q", -0.2, 6, False],
        ["RR", "Q", -0.2, 6, False],
    ]
    assert found.headline().endswith(
        "A tau of 1.00 or more is significant at 0.05; 1 of 3 pairs of measures reaches it."
    )
    assert "significant" not in agreement([5, 4, 3, 2, 1], [5, 4, 3, 2, 1], alpha=0.01).headline()


def test_agreement_when_not_symmetric_then_the_column_is_what_is_taken_as_right():
    # by AP the order is a b c, by RR b c a. Above b of a b c is a, wrongly by RR; above c are a and
    # b, of which b rightly: 1/2 - 1
    found = agreement([3, 2, 1], [1, 3, 2], correlation="tau_ap")
    square = table_named(found, "matrix").make().set_index("measure")
    assert (square.loc["AP", "RR"], square.loc["RR", "AP"]) == (-0.5, 0)
    assert table_named(found, "list").make().to_numpy().tolist() == [
        ["AP", "RR", -0.5, 2],
        ["RR", "AP", 0, 2],
    ]


def test_rankings_when_told_in_words_then_only_runs_that_change_place_are_named():
    found = Rankings(scores([4, 3, 2, 1], [3, 4, 2, 1]), 0, 1, RANKINGS.params())
    assert found.verdict().claim == "a and b move most from AP to RR: 1 place."
    assert [fact.line for fact in found.facts() if fact.value] == ["a", "b"]
    turned = Rankings(scores([1, 2, 3, 4], [1, 2, 4, 3]), 0, 1, RANKINGS.params())
    assert table_named(turned, "ranks").make().to_numpy().tolist() == [
        ["d", 1, 2, -1],
        ["c", 2, 1, 1],
        ["b", 3, 3, 0],
        ["a", 4, 4, 0],
    ]


def test_gains_when_topics_lack_a_score_under_one_map_then_two_left_suffice_and_lost_are_counted():
    grades = {"1": {"a": 3, "b": 1}, "2": {"a": 1}, "3": {"a": 0}, "4": {"a": 2, "b": 1}}
    lists = {
        "x": dict.fromkeys("1234", "ab"),
        "y": dict.fromkeys("1234", "ba"),
        "z": dict.fromkeys("1234", "ua"),
    }
    found = GAINS(collection(grades, lists), ["nDCG"], GAINS.params(sets=5))
    # adjusted gains leave nothing of topic 2, and topic 3 never had a score
    assert found.verdict().beside.endswith(
        " All gains are compared on 2 topics: 1 other has no score under some gains and is left"
        " out."
    )
    assert table_named(found, "maps").make()["gains"].tolist() == [
        "default",
        "flat",
        "steep",
        "adjusted",
    ]


def test_gains_when_they_are_the_default_then_numbers_are_those_of_pages_on_swaps_and_stability():
    c, drawn_so = (
        select(read_once(*SAMPLE), Selection(random_runs=6)).collection,
        {
            "size": 10,
            "seed": 3,
        },
    )
    found = GAINS(c, ["nDCG", "Q"], GAINS.params(threshold=20, sets=40, **drawn_so))
    swapped = EXPERIMENTS["swap"](
        c, ["nDCG", "Q"], EXPERIMENTS["swap"].params(threshold=20, trials=40, **drawn_so)
    ).frame()
    own = found.frame().query("gains == 'default'")
    assert own["sensitivity"].tolist() == swapped["sensitivity"].tolist()
    assert own["required_difference"].tolist() == pytest.approx(
        swapped["required_difference"].tolist()
    )
    assert swapped["sensitivity"].between(0.01, 0.99).all()
    stable = EXPERIMENTS["stability"](
        c, ["nDCG", "Q"], EXPERIMENTS["stability"].params(sets=40, **drawn_so)
    ).frame()
    assert (
        found.curves().query("gains == 'default'")["minority_rate"].tolist()
        == stable["minority_rate"].tolist()
    )


GAINED = ("flat", "bompada2", "bompada10", "bompada100")


def by_gains(tau):
    """Tau [measure, line, rate, trial], of lines by gain maps."""
    asked = {"levels": (100, 10), "by": f"gains={','.join(GAINED)}", "watch": ("order",)}
    params = CURVES.params(trials=tau.shape[-1], **asked)
    left = [[100.0] * params.trials, [10.0] * params.trials]
    whole = {"tau": np.ones(tau.shape[:2])}
    return result(params, {"tau": tau}, whole, left, measures=("Q",), lines=GAINED)


def test_curves_by_gains_when_told_in_words_then_lines_of_the_first_measure_are_compared():
    found = by_gains(np.array([[[1, 0.5], [1, 0.6], [0.9, 0.5], [1, 0.8]]])[..., None])
    assert found.headline() == (
        "With 10% of the judgments left, by Q, flat and bompada10 keep the order of the runs worst"
        " (tau 0.50). Tau falls below 0.9: bompada10 already at 100%,"
        " flat at 82%, bompada2 at 78%, bompada100 at 55%."
    )
    many = by_gains(np.random.default_rng(1).uniform(0.8, 0.9, (1, 4, 2, 9)))
    assert " Each bar spans the middle 90% of 9 trials, interpolated." in many.charts()[0].caption
    assert table_named(found, "crossings").make()["tau below 0.9 at, %"].tolist() == [
        "82.0",
        "77.5",
        "100.0",
        "55.0",
    ]
