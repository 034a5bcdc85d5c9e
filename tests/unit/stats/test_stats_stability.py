"""The stability method against loops in whole fractions with the same topic sets, at
its edges, and against what must hold.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeval.core.errors import ParamError
from irmeval.stats.topic_sets import (
    WinsAndTies,
    minority_rate_at,
    minority_rate_over_runs,
    stability,
    topic_sets,
)

SETS = 60
PER_CENT = range(1, 11)
"""The fuzziness values f."""
eighths = st.integers(0, 8).map(lambda k: k / 8)


def coarse(systems: int, topics: int, seed: int = 0) -> np.ndarray:
    """Scores with many ties, whose sums are exact."""
    return np.random.default_rng(seed).integers(0, 9, size=(systems, topics)) / 8


def by_loops(
    scores: np.ndarray, size: int, replace: bool
) -> tuple[list[list[tuple[int, int, int]]], list[Fraction], list[Fraction]]:
    """GT(x, y), GT(y, x), EQ(x, y) per f and pair, then MR and PT per f, as the paper
    has them.
    """
    counts = topic_sets(np.random.default_rng(1), SETS, scores.shape[1], size, replace=replace)
    sets = [[t for t, c in enumerate(row) for _ in range(int(c))] for row in counts]
    # eighths are added, and means of as many compared by their sums, so that all numbers are whole
    sums = [
        [sum(s[t] for t in topics) for topics in sets] for s in (scores * 8).astype(int).tolist()
    ]
    tables, MR, PT = [], [], []
    for f in PER_CENT:
        table = []
        for x, y in combinations(sums, 2):
            GT_xy = GT_yx = EQ = 0
            for M_x, M_y in zip(x, y, strict=True):
                if 100 * abs(M_x - M_y) < f * max(M_x, M_y) or M_x == M_y:
                    EQ += 1
                elif M_x > M_y:
                    GT_xy += 1
                else:
                    GT_yx += 1
            table.append((GT_xy, GT_yx, EQ))
        tables.append(table)
        total = sum(sum(cell) for cell in table)
        MR.append(Fraction(sum(min(xy, yx) for xy, yx, _ in table), total))
        PT.append(Fraction(sum(eq for *_, eq in table), total))
    return tables, MR, PT


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize(("topics", "size"), [(2, 1), (5, 2), (8, 4), (9, 9), (10, 5)])
def test_stability_when_scores_are_coarse_then_it_equals_loops_exactly(
    topics: int, size: int, replace: bool
) -> None:
    scores = coarse(5, topics, seed=topics)
    scores[1] = scores[0]
    tables, MR, PT = by_loops(scores, size, replace)
    found = stability(scores, size=size, sets=SETS, replace=replace)
    assert np.stack(found, axis=-1).tolist() == [[list(cell) for cell in table] for table in tables]
    assert found.minority_rate == pytest.approx([float(v) for v in MR], abs=1e-15)
    assert found.proportion_of_ties == pytest.approx([float(v) for v in PT], abs=1e-15)


def test_stability_when_there_are_many_systems_then_no_block_is_lost() -> None:
    scores = coarse(20, 8, seed=3)  # 190 pairs: more than are worked on at once
    tables, *_ = by_loops(scores, 4, False)
    assert np.stack(stability(scores, sets=SETS), axis=-1).tolist() == [
        [list(cell) for cell in table] for table in tables
    ]


def test_topic_sets_when_drawn_then_they_have_their_size_and_nest() -> None:
    small, large = (topic_sets(np.random.default_rng(4), 50, 12, size) for size in (3, 7))
    assert set(np.unique(large)) == {0, 1}
    assert (small.sum(axis=1) == 3).all()
    assert (small <= large).all()
    again = topic_sets(np.random.default_rng(4), 50, 12, 30, replace=True)
    assert (again.sum(axis=1) == 30).all()


def test_topic_sets_when_drawn_often_then_every_topic_is_as_likely() -> None:
    share = topic_sets(np.random.default_rng(0), 20000, 8, 4).mean(axis=0)
    assert np.abs(share - 0.5).max() < 5 * 0.5 / np.sqrt(20000)


def test_stability_when_measures_are_computed_together_then_each_is_as_alone() -> None:
    scores = np.stack([coarse(6, 9, seed) for seed in range(3)])
    together = stability(scores, sets=SETS)
    for m, alone in enumerate(scores):
        assert all(
            (a[m] == b).all() for a, b in zip(together, stability(alone, sets=SETS), strict=True)
        )


def test_stability_when_two_runs_are_identical_then_all_sets_tie() -> None:
    row = np.random.default_rng(0).random(31)
    for scale in (1.0, 0.0):
        found = stability(np.stack([row, row]) * scale)
        assert (found.ties == 1000).all()
        assert (found.minority_rate == 0).all()
        assert (found.proportion_of_ties == 1).all()


def test_stability_when_identical_runs_stand_anywhere_then_rounding_does_not_part_them() -> None:
    scores = np.random.default_rng(1).random((40, 50))
    scores[[3, 17, 39]] = scores[8]
    found = stability(scores, sets=200)
    a, b = np.triu_indices(40, 1)
    same = np.isin(a, [3, 8, 17, 39]) & np.isin(b, [3, 8, 17, 39])
    assert (found.ties[:, same] == 200).all()


def test_stability_when_two_runs_never_tie_then_the_better_wins_every_set() -> None:
    found = stability(np.stack([np.full(10, 0.9), np.full(10, 0.1)]))
    assert (found.wins == 1000).all()
    assert (found.minority_rate == 0).all()
    assert (found.proportion_of_ties == 0).all()
    assert np.isnan(minority_rate_at(found))


def test_stability_when_a_difference_is_exactly_f_then_it_counts() -> None:
    found = stability(
        np.array([[0.5, 0.5], [0.45, 0.45]]), size=2, sets=1, fuzziness=(0.09, 0.1, 0.11)
    )
    assert found.wins[:, 0].tolist() == [1, 1, 0]


@pytest.mark.parametrize(("size", "replace"), [(0, False), (11, False), (0, True), (-1, True)])
def test_stability_when_the_size_cannot_be_then_it_says_what_can(size: int, replace: bool) -> None:
    with pytest.raises(ParamError, match="size: expected"):
        stability(coarse(3, 10), size=size, replace=replace)


def test_stability_when_asked_for_no_set_then_refuses() -> None:
    with pytest.raises(ParamError, match="sets: expected at least 1"):
        stability(coarse(3, 10), sets=0)


@given(arrays(float, (4, 7), elements=eighths), st.permutations(range(4)))
def test_stability_when_runs_are_reordered_then_only_the_pairs_move(
    scores: np.ndarray, order: list[int]
) -> None:
    ours, theirs = stability(scores, sets=30), stability(scores[order], sets=30)
    assert np.allclose(ours.minority_rate, theirs.minority_rate)
    assert (np.sort(ours.ties) == np.sort(theirs.ties)).all()


def test_minority_at_when_between_two_points_then_on_their_line() -> None:
    wins, losses = np.array([[8, 8], [7, 7]]), np.array([[2, 2], [1, 1]])
    found = WinsAndTies(wins, losses, 10 - wins - losses)
    assert found.proportion_of_ties.tolist() == [0, 0.2]
    assert minority_rate_at(found, 0.1) == pytest.approx(0.15)
    assert np.isnan(minority_rate_at(found, 0.3))


def test_minority_rate_when_runs_are_resampled_then_pairs_of_two_runs_count_as_often_as_drawn():
    scores = np.random.default_rng(3).random((6, 12))
    counts = stability(scores, size=6, sets=80, seed=1, fuzziness=(0.01, 0.05, 0.1, 0.2, 0.4))
    found = minority_rate_over_runs(counts, 6, samples=5, seed=7)
    rng = np.random.default_rng(7)
    first, second = np.triu_indices(6, 1)
    for sample in found:
        drawn = rng.integers(6, size=6)
        pairs = [
            next(p for p in range(15) if {first[p], second[p]} == {a, b})
            for i, a in enumerate(drawn)
            for b in drawn[i + 1 :]
            if a != b
        ]
        some = WinsAndTies(*(part[:, pairs] for part in counts))
        np.testing.assert_allclose(sample, minority_rate_at(some))
