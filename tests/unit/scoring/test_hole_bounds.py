"""Bounds of scores with holes, against every set of grades, and against the search for
a set that is beyond them.
"""

from itertools import product

import numpy as np
import pytest

import irmeval
from irmeval.scoring import hole_bounds
from irmeval.scoring.filled import Filled, holes_of
from irmeval.scoring.hole_bounds import bound_scores
from tests import cases
from tests.unit.scoring.test_filled import MEASURES

GAINS = "", "steep", "flat"


def list_with_holes(
    seed: int, holes: int, documents: int, *, top: int = 3, relevant: bool = True, gains: str = ""
) -> Filled:
    """A list of random grades, some of whose documents are holes, and judged documents
    that it lacks.
    """
    rng = np.random.default_rng(seed)
    ids = [f"d{i}" for i in range(documents)]
    open_ = set(rng.choice(ids, holes, replace=False).tolist())
    judged = {d: int(rng.integers(0, top + 1)) * relevant for d in ids if d not in open_}
    beyond = {f"e{i}": int(rng.integers(0, top + 1)) * relevant for i in range(rng.integers(0, 5))}
    made = cases.collection(
        {"1": judged | beyond | {"z": 0}, "2": {"a": top}},
        {"mine": {"1": ids, "2": ["a"]}},
        gains=gains,
    )
    run = made.runs.index("mine")
    return Filled(made, made.grade, run, holes_of(made, run))


def extremes(lists: Filled, measure: irmeval.Measure, grows: bool = True) -> tuple[float, float]:
    """The lowest and the highest score of all sets of grades."""
    levels = range(lists.collection.top_grade + 1)
    sets = np.array([*product(levels, repeat=lists.holes.rank.size)], np.int8)
    scores = lists.scores(measure, sets, grows=grows)[:, 0]
    return float(np.fmin.reduce(scores)), float(np.fmax.reduce(scores))


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_when_every_set_of_grades_is_tried_then_they_are_the_extremes(measure):
    several = [
        list_with_holes(seed, 1 + seed % 4, 4 + seed, relevant=seed % 3 > 0, gains=GAINS[seed % 3])
        for seed in range(8)
    ]
    # where grades compete: which holes are relevant, and how many have the higher grade
    compete = [list_with_holes(*one) for one in ((20, 4, 10), (10, 3, 8), (16, 3, 8))]
    for lists in (*several, *compete):
        low, high = bound_scores(lists, measure, grows=True)
        np.testing.assert_allclose([low[0], high[0]], extremes(lists, measure), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_when_ideal_lists_are_fixed_then_they_are_the_extremes(measure):
    for seed in range(6):
        lists = list_with_holes(seed, 3, 5 + seed)
        low, high = bound_scores(lists, measure, grows=False)
        np.testing.assert_allclose([low[0], high[0]], extremes(lists, measure, False), atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_when_sets_are_too_many_to_be_tried_then_they_are_no_narrower(measure, monkeypatch):
    monkeypatch.setattr(hole_bounds, "SETS", 1)
    monkeypatch.setattr(hole_bounds, "CELLS", 3)
    for seed in range(8):
        lists = list_with_holes(seed, 4, 5 + seed, relevant=seed % 3 > 0)
        low, high = bound_scores(lists, measure, grows=True)
        least, most = extremes(lists, measure)
        assert low[0] <= least + 1e-12
        assert high[0] >= most - 1e-12


@pytest.mark.parametrize("measure", [*map(irmeval.measure, ["Q", "AWP", "Q(beta=10)", "Q'"])])
@pytest.mark.parametrize("cells", [2, 3, 40])
def test_bounds_when_a_measure_has_looser_ones_then_they_are_no_narrower(
    measure, cells, monkeypatch
):
    monkeypatch.setattr(hole_bounds, "SETS", 1)
    monkeypatch.setattr(hole_bounds, "CELLS", cells)
    for seed in range(24):
        lists = list_with_holes(seed, 5, 6 + seed % 20, top=1 + seed % 2)
        low, high = bound_scores(lists, measure, grows=True)
        least, most = extremes(lists, measure)
        assert low[0] <= least + 1e-12
        assert high[0] >= most - 1e-12


def climb(lists: Filled, measure: irmeval.Measure, sign: int, rng: np.random.Generator) -> float:
    """The best score that changes of one or two grades, or of their order, lead to."""
    levels, n = lists.collection.top_grade + 1, lists.holes.rank.size
    best, score = rng.integers(0, levels, n).astype(np.int8), -np.inf
    for _ in range(40):
        tried = np.repeat(best[None], 60, axis=0)
        tried[np.arange(60), rng.integers(0, n, 60)] = rng.integers(0, levels, 60)
        tried[np.arange(30), rng.integers(0, n, 30)] = rng.integers(0, levels, 30)
        tried[50:55] = -np.sort(-tried[50:55], axis=1)
        tried[55:] = np.sort(tried[55:], axis=1)
        scores = sign * lists.scores(measure, tried)[:, 0]
        scores = np.where(np.isnan(scores), -np.inf, scores)
        if scores.max() > score:
            best, score = tried[int(scores.argmax())], float(scores.max())
    return sign * score


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_when_30_holes_have_4_grades_then_no_climb_goes_beyond(measure):
    rng = np.random.default_rng(30)
    for seed in range(3):
        lists = list_with_holes(seed, 30, 40 + 10 * seed)
        low, high = bound_scores(lists, measure, grows=True)
        for sign, bound in ((-1, low[0]), (1, high[0])):
            assert sign * climb(lists, measure, sign, rng) <= sign * bound + 1e-9


GRADED = [m for m in MEASURES if m.metric.graded and m.metric.name in hole_bounds.ORDERED]


@pytest.mark.parametrize("measure", GRADED)
def test_sets_when_30_holes_have_4_grades_then_no_more_are_scored_than_may_be_tried(
    measure, monkeypatch
):
    kept, tried = Filled.scores, []

    def scores(lists: Filled, measure: irmeval.Measure, grades: np.ndarray, **how) -> np.ndarray:
        tried.append(len(grades))
        return kept(lists, measure, grades, **how)

    monkeypatch.setattr(Filled, "scores", scores)
    bound_scores(list_with_holes(1, 30, 40), measure, grows=True)
    assert 0 < max(tried) <= 2 * hole_bounds.SETS
