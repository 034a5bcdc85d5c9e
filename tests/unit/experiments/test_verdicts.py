"""Sentences on which runs differ: alone, and with all pairs at once."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval.experiments import verdicts
from irmeval.stats.pair_tests import DISCOVERIES, FAMILYWISE, PairTests, compare_pairs

STEPS = np.array([[0.01, -0.01, 0.02, 0.0, -0.02, 0.01, 0.03, -0.03]])
"""Scores that differ little over topics, around the mean of their run."""


def compared(*means: float, test: str = "t") -> PairTests:
    """Pairs of runs with these means."""
    noise = np.vstack([np.roll(STEPS, shift) for shift in range(len(means))])
    return compare_pairs(np.array(means)[:, None] + noise, test=test, samples=60)


TWO, THREE, DRAWN = (
    compared(0.5, 0.1),
    compared(0.5, 0.1, 0.1),
    compared(0.5, 0.1, test="bootstrap"),
)
ONCE = replace(THREE, p_alone=np.array([0.01, 0.02, 0.5]), p_at_once=np.array([0.03, 0.06, 1]))
LEGEND = "▲ better, ▼ worse, – not significant"
SENTENCES = [
    (verdicts.name_family(TWO), "this pair alone"),
    (verdicts.name_family(TWO, loaded=2), "this pair alone"),
    (verdicts.name_family(TWO, loaded=9), "2 of 9 runs selected: their pair alone"),
    (verdicts.name_family(THREE, loaded=3), "all 3 pairs"),
    (
        verdicts.name_family(THREE, loaded=1200, baselines=["a", "b"]),
        "all 3 pairs with a and b of the 3 runs selected from 1,200",
    ),
    (verdicts.name_method("t", FAMILYWISE), "Holm"),
    (verdicts.name_method("bootstrap", FAMILYWISE), "max-t"),
    (verdicts.name_method("bootstrap", DISCOVERIES), "Benjamini-Hochberg"),
    (
        verdicts.describe_marks(TWO, "this pair alone"),
        f"{LEGEND}. A mark: taken alone (paired t, p < 0.05).",
    ),
    (
        verdicts.describe_marks(THREE, "all 3 pairs"),
        f"{LEGEND}. One mark: taken alone (paired t, p < 0.05); two marks: also with all 3 pairs at"
        " once (Holm).",
    ),
    (
        verdicts.describe_marks(THREE, "all 3 pairs", DISCOVERIES, papers=True),
        "† differs taken alone (paired t, p < 0.05), ‡ also with all 3 pairs at once"
        " (Benjamini-Hochberg).",
    ),
    (verdicts.explain_marks(TWO, "this pair alone"), f"{LEGEND}."),
    (
        verdicts.explain_marks(THREE, "all 3 pairs"),
        "▲ better, ▼ worse, tested pair by pair; twice: with all 3 pairs tested together.",
    ),
    (
        verdicts.describe_colors(DRAWN, "this pair alone", FAMILYWISE),
        "Coloured: taken alone (paired bootstrap, p < 0.05).",
    ),
    (
        verdicts.describe_colors(THREE, "all 3 pairs", FAMILYWISE),
        "Faint: taken alone (paired t, p < 0.05); full colour: also with all 3 pairs at once"
        " (Holm).",
    ),
    (verdicts.describe_pairs(TWO), "the two runs differ significantly."),
    (verdicts.describe_pairs(compared(0.1, 0.1)), "the two runs do not differ significantly."),
    (
        verdicts.describe_pairs(ONCE),
        "2 of 3 pairs of runs differ tested pair by pair, 1 with all pairs tested together.",
    ),
    (
        verdicts.describe_pairs(compared(0.1, 0.1, 0.1)),
        "none of 3 pairs of runs differs tested pair by pair, none with all pairs tested together.",
    ),
]


@pytest.mark.parametrize(("said", "expected"), SENTENCES)
def test_verdicts_when_one_pair_or_several_are_tested_then_their_family_and_test_are_named(
    said, expected
):
    assert said == expected


TOGETHER = "with all 3 pairs tested together"


@pytest.mark.parametrize(
    ("verdict", "known", "expected"),
    [
        ([1, 0, 0], [True, False, False], "a is significantly better than b"),
        ([-2, 0, 0], [True, False, False], "b is significantly better than a"),
        ([0, 0, 2], [True, False, False], "b and a do not differ significantly"),
        (
            [0, 0, 0],
            [True] * 3,
            f"none of 3 other runs differs from b tested pair by pair, none {TOGETHER}",
        ),
        (
            [-1, -2, 0],
            [True] * 3,
            f"b is better than 2 of 3 other runs tested pair by pair, than 1 {TOGETHER}",
        ),
        (
            [-1, 1, 2],
            [True] * 3,
            "b is better than 1 of 3 other runs tested pair by pair,"
            f" than none {TOGETHER}; 2 are better than b, 1 together",
        ),
        (
            [0, 1, 0],
            [True] * 3,
            "b is better than none of 3 other runs tested pair by pair; 1 is better than b,"
            " none together",
        ),
        (
            [0, 2, -2],
            [False, True, True],
            "b is better than 1 of 2 other runs tested pair by pair,"
            f" than 1 {TOGETHER}; 1 is better than b, 1 together",
        ),
    ],
)
def test_verdicts_when_against_a_baseline_then_better_and_worse_runs_are_counted(
    verdict, known, expected
):
    said = verdicts.describe_against(
        "b", list("acd"), np.array(verdict), np.array(known), "all 3 pairs"
    )
    assert said == expected
