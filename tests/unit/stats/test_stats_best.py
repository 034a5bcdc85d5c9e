"""Comparisons with the best against plain loops, and how often they are wrong where the truth is known."""

from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.stats import best as best_of
from irmeval.stats.best import compare_with_best


def p_by_loops(scores: list[list[float]], best: int, samples: int, seed: int) -> list[float]:
    """As the definition has it: of each run, the pairs among the best and the runs that differ no more from it; the others first."""
    runs, topics = range(len(scores)), len(scores[0])
    signs = 1 - 2 * np.random.default_rng(seed).integers(2, size=(samples, topics))

    def t_like(a: int, b: int, flipped: list[float]) -> float:
        z = [x - y for x, y in zip(scores[a], scores[b], strict=True)]
        square = sum(value * value for value in z)
        return abs(sum(s * value for s, value in zip(flipped, z, strict=True))) / sqrt(square) if square else 0.0

    means = [sum(row) / topics for row in scores]
    stepped = means[best] == max(means)
    observed = {run: t_like(run, best, [1.0] * topics) for run in runs if run != best}
    p, highest = [float("nan")] * len(scores), 0.0
    for run in sorted(observed, key=observed.__getitem__, reverse=True):
        left = [other for other in runs if other == best or not stepped or observed[other] <= observed[run]]
        largest = [max(t_like(a, b, row) for a, b in combinations(left, 2)) for row in signs.tolist()]
        highest = max(highest, (sum(value >= observed[run] - 1e-9 for value in largest) + 1) / (samples + 1))
        p[run] = highest
    return p


@pytest.mark.parametrize("best", [4, 1])
def test_against_best_when_picked_for_this_measure_or_another_then_p_is_that_of_loops(best, monkeypatch):
    monkeypatch.setattr(best_of, "AT_ONCE", 16)
    monkeypatch.setattr(best_of, "ROOM", 15 * 24)
    scores = np.random.default_rng(4).random((6, 15)) + np.array([[0.1], [0.3], [0], [0.3], [0.45], [0.2]])
    scores[3] = scores[1]
    found = compare_with_best(scores, best, samples=50, seed=2)
    others = [run for run in range(6) if run != best]
    assert found.p[others].tolist() == pytest.approx(np.array(p_by_loops(scores.tolist(), best, 50, 2))[others].tolist())
    assert len({*found.p[others].tolist()}) > 2
    assert isnan(found.p[best])
    assert found.difference.tolist() == pytest.approx((scores.mean(axis=1) - scores[best].mean()).tolist())


def test_against_best_when_systems_are_equal_then_p_is_1_and_a_constant_difference_is_found():
    scores = np.vstack([np.linspace(0.2, 0.9, 12)] * 3)
    scores[2] -= 0.1
    p = compare_with_best(scores, 0, samples=1000).p
    assert p[1] == 1
    assert p[2] < 0.01


def test_against_best_when_scores_are_missing_or_too_few_then_is_refused():
    with pytest.raises(ParamError, match="expected a number"):
        compare_with_best(np.array([[0.1, np.nan], [0.2, 0.3]]), 0)
    with pytest.raises(ParamError, match="at least 2 systems"):
        compare_with_best(np.array([[0.1, 0.2]]), 0)
