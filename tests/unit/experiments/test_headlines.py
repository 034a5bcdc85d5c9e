"""Templates of headlines for none, one, two and many names, with ties and undefined
values.
"""

import numpy as np
import pytest

from irmeval.experiments.facts import Fact, name_of
from irmeval.experiments.headlines import (
    WORST,
    best_and_worst,
    describe_crossings,
    describe_range,
    differ,
)
from irmeval.stats.crossings import NEVER, find_crossings

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], ""),
        ([NAN, NAN], ""),
        ([0.9], "A keeps the order of the runs with tau 0.90"),
        ([0.9, 0.4], "A keeps the order of the runs best (tau 0.90), B worst (0.40)"),
        ([0.9, 0.9], "both measures keep the order of the runs with tau 0.90"),
        ([0.901, 0.904], "both measures keep the order of the runs with tau 0.90"),
        ([0.9, NAN, NAN], "A keeps the order of the runs with tau 0.90"),
        ([0.9, NAN, 0.9], "A and C keep the order of the runs with tau 0.90"),
        ([0.9] * 5, "all 5 measures keep the order of the runs with tau 0.90"),
        (
            [0.4, 0.9, 0.9, NAN],
            "B and C keep the order of the runs best (tau 0.90), A worst (0.40)",
        ),
        (
            [0.4, 0.9, 0.9, 0.9, 0.9],
            "4 of 5 measures keep the order of the runs best (tau 0.90), A worst (0.40)",
        ),
        (
            [0.3, 0.1 + 0.2, 0.1],
            "A and B keep the order of the runs best (tau 0.30), C worst (0.10)",
        ),
    ],
)
def test_best_and_worst_when_there_are_none_one_two_or_many_then_ends_and_ties_are_listed(
    values, said
):
    assert best_and_worst("ABCDE"[: len(values)], values, label="tau") == said


def test_best_and_worst_when_only_the_worst_matters_then_the_best_is_not_listed():
    assert (
        best_and_worst("ABC", [0.9, 0.4, 0.7], "keep it {}", WORST, label="tau")
        == "B keeps it worst (tau 0.40)"
    )
    assert (
        best_and_worst("A", [0.9], "keep it {}", WORST, label="tau") == "A keeps it with tau 0.90"
    )


def test_best_and_worst_when_values_are_shares_then_equal_ones_stand_for_the_end():
    share = "find {} of 3 pairs"
    told = [
        best_and_worst("AB"[: len(v)], v, share, ("the most", "the fewest"), form=".0%")
        for v in ([1, 0.5], [0.5] * 2)
    ]
    assert told == [
        "A finds the most of 3 pairs (100%), B the fewest (50%)",
        "both measures find 50% of 3 pairs",
    ]


def test_best_and_worst_when_names_are_pairs_then_the_verb_is_in_the_plural_and_ties_are_counted():
    said = [
        best_and_worst(
            pairs, values, "agree {}", ("most", "least"), label="tau", noun="pair of measures"
        )
        for pairs, values in (
            (["A and B"], [0.5]),
            (["A and B", "A and C", "B and C"], [0.5, 0.2, 0.2]),
            (["A and B", "A and C"], [1, 1]),
        )
    ]
    assert said == [
        "A and B agree with tau 0.50",
        "A and B agree most (tau 0.50), 2 of 3 pairs of measures least (0.20)",
        "both pairs of measures agree with tau 1.00",
    ]


def test_range_when_values_are_equal_then_is_one_value():
    assert describe_range("AB", np.array([0.2, 0.1]), ".0%") == "from 10% (B) to 20% (A)"
    assert (
        describe_range("AB", np.array([0.1, 0.1]), ".0%")
        == describe_range("A", np.array([0.1]), ".0%")
        == "10%"
    )


def test_pair_when_significant_then_differs():
    assert [differ(n) for n in (True, 0)] == ["differ significantly", "do not differ significantly"]


@pytest.mark.parametrize(
    ("lowest", "said"),
    [
        ([0.4], "Tau falls below 0.9: A at 89%."),
        ([0.95], "Tau falls below 0.9: A not down to 33%."),
        ([0.95, 0.4, 0.85], "Tau falls below 0.9: B at 89%, C at 55%, A not down to 33%."),
        (
            [0.1, 0.2, 0.3, 0.4, 0.5],
            "Tau falls below 0.9: A at 93%, B at 92%, C at 90%, D at 89%, E at 87%.",
        ),
        (
            [k / 10 for k in range(1, 9)],
            "Tau falls below 0.9: A at 93%, then 6 others, last H at 66%.",
        ),
        ([np.nan], ""),
    ],
)
def test_crossings_when_told_then_the_first_comes_first_and_of_many_the_ends_are_named(
    lowest: list[float], said: str
) -> None:
    at = find_crossings([100.0, 33.0], np.array([[1.0, low] for low in lowest]), 0.9)
    assert (
        describe_crossings(
            "Tau",
            "falls below 0.9",
            "ABCDEFGH"[: len(lowest)],
            at,
            "at {:.0f}%".format,
            end="not down to 33%",
            descending=True,
        )
        == said
    )


def test_crossing_when_a_curve_begins_beyond_the_level_then_it_is_there_already():
    at = find_crossings([70.0, 30.0], np.array([[0.8, 0.9], [1.0, 0.8]]), 0.9)
    said = describe_crossings(
        "Tau", "falls below 0.9", "AB", at, "at {:.0f}%".format, end="", first=70.0, descending=True
    )
    assert said == "Tau falls below 0.9: A already at 70%, B at 50%."


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (5.0, "Kappa falls below 0.9 at 5%."),
        (0.0, "Kappa falls below 0.9 already at 0%."),
        (NEVER, "Kappa falls below 0.9: not up to 50%."),
        (np.nan, ""),
    ],
)
def test_crossing_when_the_one_curve_has_no_name_then_the_sentence_needs_none(at, said):
    told = describe_crossings(
        "Kappa",
        "falls below 0.9",
        [""],
        np.array([at]),
        "at {:g}%".format,
        end="not up to 50%",
        first=0.0,
    )
    assert told == said


def test_fact_when_others_are_of_another_line_then_is_told_apart_by_its_line_else_by_its_measure():
    two = [Fact("tau", measure, line, 1.0) for measure, line in (("AP", "a"), ("AP", "b"))]
    assert [name_of(fact, two) for fact in two] == ["a", "b"]
    same = [Fact("tau", measure, "a", 1.0) for measure in ("AP", "nDCG")]
    assert [name_of(fact, same) for fact in same] == ["AP", "nDCG"]
