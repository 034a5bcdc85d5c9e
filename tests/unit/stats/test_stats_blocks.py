"""Work in blocks gives the same numbers as all at once, in less memory."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from irmeval.stats import (
    blocks,
    bootstrap,
    intervals,
    mixtures,
    pair_tests,
    pairs,
    significance,
    topic_sets,
)
from irmeval.stats.judge_agreement import confusion, estimate_alphas, estimate_statistics
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import TESTS, compare
from irmeval.stats.swap_rates import error_rates, swap

LONG = np.random.default_rng(1).random((3, 400)).round(2)
EXACT: dict[str, Callable[[], Any]] = {
    **{test: lambda test=test: compare(LONG, test, samples=60) for test in TESTS},
    "stability": lambda: topic_sets.stability(LONG, sets=60),
    "stability, replaced": lambda: topic_sets.stability(LONG, sets=60, size=50, replace=True),
    "pairs at once": lambda: (
        found := compare_pairs(LONG, samples=60),
        [found.p_at_once, *found.intervals()],
    )[1],
    "swap": lambda: swap(LONG, trials=60)._replace(highest=np.empty(0)),
    "error rates": lambda: error_rates(LONG, [1, 20, 200], trials=60),
    "favoured": lambda: mixtures.compare_groups(LONG[0, :40].round(1), np.arange(40) % 3, 3, 60, 1),
}
"""What is counted: the same to the bit."""
SUMS: dict[str, Callable[[], Any]] = {
    "interval": lambda: intervals.difference_interval(LONG),
    "required difference": lambda: [bootstrap.required_difference(LONG, samples=60)],
    "highest": lambda: [swap(LONG, trials=60).highest],
    "mixtures": lambda: mixtures.mixtures(np.stack([LONG, LONG[::-1]]), 60, 1),
    "orders": lambda: intervals.correlation_intervals(
        [(lambda x, y: (x * y).sum(axis=-1), 0.0)], LONG, LONG[::-1], samples=60, seed=1, level=90
    ),
    "judges": lambda: of_judges(),
}
"""What is added up: the same but for rounding."""


def of_judges() -> list[np.ndarray]:
    a, b = np.random.default_rng(2).integers(-1, 3, (2, 2000))
    n = confusion(a, b, np.arange(3), np.arange(2000) % 400, 400)
    drawn = bootstrap.Resamples(1, 60, 400)
    return [
        *estimate_statistics(n[None], np.arange(3), [(1, 1)], drawn, 90),
        estimate_alphas(n, np.arange(3), drawn, 90),
    ]


def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little room: seven resamples at a time, or as few topics or pairs."""
    for module in (blocks, pairs, pair_tests, bootstrap, significance, mixtures, topic_sets):
        for name in {"ROOM", "CELLS", "ROWWISE", "NEAR"} & {*vars(module)}:
            monkeypatch.setattr(module, name, 7 * LONG.shape[1])
    monkeypatch.setattr(blocks, "rows_multiple_of_8", lambda topics, cells=0: 7)
    for module in (bootstrap, significance, mixtures, topic_sets):
        monkeypatch.setattr(module, "rows_multiple_of_8", blocks.rows_multiple_of_8)


@pytest.mark.parametrize("name", EXACT)
def test_counts_when_made_some_at_a_time_then_they_are_those_of_all_at_once(name, monkeypatch):
    whole = EXACT[name]()
    in_blocks(monkeypatch)
    for at_once, in_parts in zip(whole, EXACT[name](), strict=True):
        assert np.array_equal(at_once, in_parts, equal_nan=True)


@pytest.mark.parametrize("name", SUMS)
def test_sums_when_made_some_at_a_time_then_they_are_those_of_all_at_once(name, monkeypatch):
    whole = SUMS[name]()
    in_blocks(monkeypatch)
    for at_once, in_parts in zip(whole, SUMS[name](), strict=True):
        np.testing.assert_allclose(in_parts, at_once, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(
    ("topics", "rows"),
    [(50, 160), (43, 184), (0, 8192), (1000, 8), (1024, 8), (1025, 8), (8192, 8), (10**6, 8)],
)
def test_rows_when_they_are_worked_on_some_at_a_time_then_their_number_is_a_multiple_of_eight(
    topics, rows
):
    # as products of eight columns are those of eight among more
    assert blocks.rows_multiple_of_8(topics, 2**13) == rows


@pytest.mark.parametrize("processors", [1, 3, 64])
def test_intervals_when_memory_or_processors_differ_then_are_the_same_to_the_bit(
    processors, monkeypatch
):
    scores = np.random.default_rng(1).random((40, 50)).round(3)
    expected = compare_pairs(scores, samples=60).intervals()
    monkeypatch.setattr(blocks.parallel, "count_processors", lambda: processors)
    monkeypatch.setenv("IRMEVAL_MEMORY", f"{61 * 60 * blocks.CELL_BYTES * 2 * processors / 1e9}")
    assert blocks.fit(blocks.CELLS) // 60 == 61  # products of 61 rows end in other bits
    np.testing.assert_array_equal(compare_pairs(scores, samples=60).intervals(), expected)


def test_cells_when_memory_is_short_then_all_workers_together_hold_half_of_what_is_allowed(
    monkeypatch,
):
    monkeypatch.setattr(blocks.parallel, "count_processors", lambda: 5)
    monkeypatch.setenv("IRMEVAL_MEMORY", "0.001")
    assert blocks.fit(10**9, 10.0) == 10_000
    assert blocks.fit(9_999, 10.0) == 9_999
    assert blocks.fit(10**9, 1e12) == 1


HUNDREDFOLD: dict[str, Callable[[np.ndarray], Any]] = {
    **{test: lambda scores, test=test: compare(scores, test, samples=100) for test in TESTS},
    "interval": intervals.difference_interval,
    "required difference": lambda scores: bootstrap.required_difference(scores, samples=100),
    "stability": lambda scores: topic_sets.stability(scores, sets=100),
    "swap": lambda scores: swap(scores, trials=100),
    "error rates": lambda scores: error_rates(scores, [10], trials=100),
    "pairs at once": lambda scores: compare_pairs(scores, samples=100).intervals(),
}


@pytest.mark.parametrize("name", HUNDREDFOLD)
def test_samples_when_they_would_be_a_hundred_times_the_scores_then_they_are_never_all_there(
    name, monkeypatch
):
    scores = np.random.default_rng(1).random((2, 20_000))
    for module in (blocks, pairs, pair_tests, bootstrap, significance, mixtures, topic_sets):
        for held in {"ROOM", "CELLS", "ROWWISE"} & {*vars(module)}:
            monkeypatch.setattr(module, held, scores.size)
    HUNDREDFOLD[name](scores[:, :50])  # what is loaded on first use
    tracemalloc.start()
    try:
        HUNDREDFOLD[name](scores)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 30 * scores.nbytes  # the counts of 100 samples are fifty times as many bytes
