"""Difference required for other topics to confirm it (Voorhees & Buckley 2002)."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from irmeval.core.parallel import check_cancelled, count_processors, map_threads
from irmeval.stats.blocks import count_true, map_blocks, pairs_at_once, scratch
from irmeval.stats.means import dense_ranks
from irmeval.stats.pairs import check_count, check_scores, check_share
from irmeval.stats.topic_sets import (
    ROOM,
    batch_sizes,
    check_size,
    count_draws,
    random_orders,
    set_means,
)

WIDTH = 0.01
"""Width of a bin of differences."""
BINS = 21
"""Bins of differences: .00 to .01, .01 to .02, ..., .20 and more."""
EDGE = 1e-9
"""Tolerance as a share of a bin's width: a difference this close below the edge of a
bin counts as on the edge.
"""


class Block(NamedTuple):
    """Pairs of one system with other systems."""

    at: slice
    """indices of the pairs, in order"""
    a: int
    """index of the one system"""
    b: slice
    """indices of the others, all after it"""


class SwapCounts(NamedTuple):
    """How often two disjoint topic sets disagree about a pair, by its difference in the
    first set.
    """

    comparisons: np.ndarray
    """int [..., bins]: pairs and trials by their difference in the first set."""
    swaps: np.ndarray
    """int [..., bins]: those of them with the opposite difference in the second set."""
    of_pairs: np.ndarray
    """Share of the trials with a swap, per pair [..., pairs], from 0 to 1."""
    highest: np.ndarray
    """Highest mean seen in any set [...]."""
    apart: np.ndarray
    """Whether two systems differ on some topic, bool [...]."""

    @property
    def edges(self) -> np.ndarray:
        """Lower edges of the bins."""
        return WIDTH * np.arange(self.comparisons.shape[-1])

    @property
    def rate(self) -> np.ndarray:
        """Swap rate of each bin [..., bins], from 0 to 1; NaN for a bin without
        comparisons.
        """
        with np.errstate(invalid="ignore"):
            return self.swaps / self.comparisons

    @property
    def error_rate(self) -> np.ndarray:
        """Share of swaps among all comparisons [...] (Ahlgren & Grönqvist 2008)."""
        return self.swaps.sum(axis=-1) / self.comparisons.sum(axis=-1)


class Required(NamedTuple):
    """Difference from which on the swap rate stays within a threshold; NaN if no bin
    does, or if no two systems differ.
    """

    difference: np.ndarray
    """Lower edge of the first bin from which on no swap rate is higher [...]."""
    relative: np.ndarray
    """The same as a share of the highest mean seen [...]."""
    sensitivity: np.ndarray
    """Share of the comparisons with a difference that large [...], from 0 to 1; 0 if no
    bin stays within the threshold, NaN if no two systems differ.
    """


def swap(
    scores: np.ndarray,
    *,
    size: int | None = None,
    trials: int = 1000,
    seed: int = 1,
    replace: bool = False,
    bins: int = BINS,
) -> SwapCounts:
    """Swaps of all pairs over trials, from scores [..., systems, topics] (Voorhees &
    Buckley 2002; S07r 3).

    Each trial draws two disjoint sets of `size` topics, by default half of them. A swap
    is a pair whose difference in means has one sign in the first set and the other in
    the second. The last bin is open. Every score matrix meets the same topic sets. With
    `replace`, both sets are drawn from all topics, a topic any number of times, so that
    they may have topics in common (Sanderson & Zobel 2005). `ParamError` for scores
    that are not finite, fewer than two systems or topics, or sets too large to be
    disjoint.
    """
    scores = check_scores(scores)
    *lead, systems, n = scores.shape
    size = check_size(n // 2 if size is None else size, None if replace else n // 2)
    rng = np.random.default_rng(seed)
    cells = np.zeros((*lead, bins * 2), np.int64)
    of_pairs, highest = np.zeros((*lead, systems * (systems - 1) // 2)), np.full(lead, -np.inf)
    for some in batch_sizes(check_count("trials", trials), n):
        order = _draw_both(rng, some, n, size, replace)
        for m in np.ndindex(*lead):
            counted, mean = _binned(scores[m], order, bins, of_pairs[m])
            cells[m] += counted
            highest[m] = max(highest[m], mean)
    of_pairs /= trials
    kept, swaps = cells.reshape(*lead, bins, 2)[..., 0], cells.reshape(*lead, bins, 2)[..., 1]
    return SwapCounts(kept + swaps, swaps, of_pairs, highest, np.ptp(scores, axis=-2).any(axis=-1))


def _binned(
    scores: np.ndarray, topics: np.ndarray, bins: int, of_pairs: np.ndarray
) -> tuple[np.ndarray, float]:
    """Count comparisons by bin and swap [bins * 2], and find the highest mean; the
    swaps of each pair are added.
    """
    (x, y), noise = _two_means(scores, topics)
    ranks_of_x, ranks_of_y = (dense_ranks(means.T, noise).T.copy() for means in (x, y))
    highest = max(x.max(), y.max())
    x /= WIDTH  # now a bin is 1 wide
    systems, trials = x.shape

    def work(blocks: Iterator[Block]) -> np.ndarray:
        cells = np.zeros(2 * bins, np.int64)
        apart = scratch(1, systems, trials)[0]
        bin, flags = (
            np.empty(apart.shape, np.min_scalar_type(2 * bins)),
            np.empty((2, *apart.shape), bool),
        )
        for at, a, b in blocks:
            d, cell, (swapped, back) = apart[: len(x[b])], bin[: len(x[b])], flags[:, : len(x[b])]
            np.greater(ranks_of_x[a], ranks_of_x[b], out=swapped)
            swapped &= np.less(ranks_of_y[a], ranks_of_y[b], out=back)
            np.less(ranks_of_x[a], ranks_of_x[b], out=back)
            back &= ranks_of_y[a] > ranks_of_y[b]
            swapped |= back
            np.abs(np.subtract(x[a], x[b], out=d), out=d)
            d += EDGE
            np.copyto(cell, np.minimum(d, bins - 1, out=d), casting="unsafe")
            cell += cell
            cell += swapped
            cells += np.bincount(cell.ravel(), minlength=2 * bins)
            of_pairs[at] += count_true(swapped)
        return cells

    return np.sum(map_blocks(work, pair_blocks(systems, pairs_at_once(trials))), axis=0), highest


def pair_blocks(systems: int, step: int) -> list[Block]:
    """All pairs in their order, at most `step` at a time."""
    found: list[Block] = []
    done = 0
    for a in range(systems):
        for first in range(a + 1, systems, step):
            b = slice(first, min(first + step, systems))
            found.append(Block(slice(done, done + b.stop - b.start), a, b))
            done = found[-1].at.stop
    return found


def error_rates(
    scores: np.ndarray,
    sizes: Sequence[int],
    *,
    trials: int = 1000,
    seed: int = 1,
    replace: bool = False,
) -> np.ndarray:
    """`SwapCounts.error_rate` for several set sizes [..., sizes], in less time, since only
    orders are compared.
    """
    scores = check_scores(scores)
    *lead, systems, n = scores.shape
    rng = np.random.default_rng(seed)
    swaps = np.zeros((*lead, len(sizes)), np.int64)

    def work(order: np.ndarray, cell: tuple[int, ...]) -> None:
        check_cancelled()
        *m, k = cell
        size = check_size(sizes[k], None if replace else n // 2)
        (x, y), noise = _two_means(scores[tuple(m)], order[:, : 2 * size])
        first, second = (dense_ranks(means.T, noise) for means in (x, y))
        # per trial, systems sorted by the first set, then the second: each inversion of the second
        # is a swap
        key = first.astype(np.min_scalar_type((systems + 1) ** 2)) * np.array(
            systems, f"u{2 * first.itemsize}"
        )
        key += second
        key.sort(axis=1)
        second = (key % systems).astype(first.dtype).T.copy()
        swaps[cell] += sum(np.count_nonzero(second[a] > second[a + 1 :]) for a in range(systems))

    for some in batch_sizes(check_count("trials", trials), n):
        map_threads(
            partial(work, _draw_both(rng, some, n, max(sizes, default=1), replace)),
            np.ndindex(*swaps.shape),
            at_once=min(count_processors(), max(1, 4 * ROOM // (some * n))),
        )
    return swaps / (trials * systems * (systems - 1) / 2)


def _draw_both(
    rng: np.random.Generator, trials: int, topics: int, size: int, replace: bool
) -> np.ndarray:
    """The topics of both sets of each trial, one set after the other [trials, 2 *
    size], and with more columns, which smaller sets do not use.
    """
    if replace:
        return rng.integers(topics, size=(trials, 2 * size))
    return random_orders(rng, trials, topics)[:, : 2 * size]


def _two_means(
    scores: np.ndarray, topics: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    """Means of all systems over either half of some topics [trials, 2 * size], and
    their rounding error.
    """
    first, second = (
        set_means(scores, count_draws(half, scores.shape[1]))
        for half in np.split(topics, 2, axis=1)
    )
    return (first[0], second[0]), first[1]


def find_required_difference(swap: SwapCounts, *, threshold: float = 0.05) -> Required:
    """Find the difference from which on the swap rate stays within `threshold` (S07r
    Tables 2-4). Empty bins are skipped.
    """
    check_share("threshold", threshold)
    rate, held = swap.rate, swap.comparisons > 0
    # from the last bin down, as long as no rate is over the threshold
    within = (
        np.logical_and.accumulate((~held | (np.nan_to_num(rate) <= threshold))[..., ::-1], axis=-1)[
            ..., ::-1
        ]
        & held
    )
    any_bin = within.any(axis=-1)
    difference = np.where(any_bin & swap.apart, swap.edges[within.argmax(axis=-1)], np.nan)
    sensitivity = np.where(
        swap.apart, (swap.comparisons * within).sum(axis=-1) / swap.comparisons.sum(axis=-1), np.nan
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return Required(difference, difference / swap.highest, sensitivity)
