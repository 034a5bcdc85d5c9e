"""How large must a difference be for other topics to confirm it? (Voorhees & Buckley 2002)"""

from typing import NamedTuple

import numpy as np

from irmeval.errors import ParamError
from irmeval.stats.pairs import check_scores, check_share, scratch
from irmeval.stats.stability import against_others, check_size, count_true, indicator, orders, set_means

WIDTH, BINS = 0.01, 21
"""Bins of differences: .00 to .01, .01 to .02, ..., .20 and more."""
EDGE = 1e-9
"""As a share of a bin's width: a difference this close below a bin's edge is at the edge."""


class Swap(NamedTuple):
    """How often two disjoint topic sets disagree about a pair, by how far apart the first has it."""

    comparisons: np.ndarray
    """int [..., bins]: pairs and trials by their difference in the first set."""
    swaps: np.ndarray
    """int [..., bins]: those of them with the opposite difference in the second set."""
    of_pairs: np.ndarray
    """Share of the trials with a swap, per pair [..., pairs], from 0 to 1."""
    highest: np.ndarray
    """Highest mean seen in any set [...]."""

    @property
    def edges(self) -> np.ndarray:
        """Lower edges of the bins."""
        return WIDTH * np.arange(self.comparisons.shape[-1])

    @property
    def rate(self) -> np.ndarray:
        """Swap rate of each bin [..., bins], from 0 to 1; NaN where it holds no comparison."""
        with np.errstate(invalid="ignore"):
            return self.swaps / self.comparisons

    @property
    def error_rate(self) -> np.ndarray:
        """Share of swaps among all comparisons [...], as Ahlgren & Grönqvist (2008) have it."""
        return self.swaps.sum(axis=-1) / self.comparisons.sum(axis=-1)


class Required(NamedTuple):
    """How large a difference must be for its swap rate not to exceed a threshold; NaN where no bin keeps to it."""

    difference: np.ndarray
    """Absolute: lower edge of the first bin from which on no swap rate is higher [...]."""
    relative: np.ndarray
    """The same as a share of the highest mean seen [...]."""
    sensitivity: np.ndarray
    """Share of the comparisons whose difference is that large [...], from 0 to 1; 0 where no bin keeps to the threshold."""


def swap(scores: np.ndarray, *, size: int | None = None, trials: int = 1000, seed: int = 1, bins: int = BINS) -> Swap:
    """Swaps of all pairs over trials, from scores [..., systems, topics] (Voorhees & Buckley 2002; S07r 3).

    Each trial draws two disjoint sets of `size` topics, by default half of them. A swap is a pair whose difference in means has
    one sign in the first set and the other in the second. The last bin is open. Every score matrix meets the same topic sets.
    `ParamError` for scores that are not finite, fewer than two systems or topics, or sets too large to be disjoint.
    """
    scores = check_scores(scores)
    *lead, systems, n = scores.shape
    size = check_size(n // 2 if size is None else size, n // 2)
    if trials < 1:
        raise ParamError(f"trials: expected at least 1, came {trials!r}.")
    order = orders(np.random.default_rng(seed), trials, n)
    first, second = (indicator(order[:, k : k + size], n) for k in (0, size))
    pairs = systems * (systems - 1) // 2
    cells = np.zeros((*lead, bins * 2), np.int64)
    of_pairs, highest = np.empty((*lead, pairs)), np.empty(lead)
    room = scratch(4, pairs, trials)
    cell, flag = np.empty(room[0].shape, np.intp), np.empty(room[0].shape, bool)
    for m in np.ndindex(*lead):
        (x, noise), (y, _) = set_means(scores[m], first), set_means(scores[m], second)
        highest[m] = max(x.max(), y.max())
        x, y, noise = x / WIDTH, y / WIDTH, noise / WIDTH  # now a bin is 1 wide
        for at, a, b in against_others(systems, trials):
            (D, E, size_of_D, size_of_E), bin, swapped = (r[..., : at.stop - at.start, :] for r in (room, cell, flag))
            for means, d, size_of_d in ((x, D, size_of_D), (y, E, size_of_E)):
                np.subtract(means[a], means[b], out=d)
                np.copyto(d, 0, where=np.less_equal(np.abs(d, out=size_of_d), noise, out=swapped))
            np.less(np.multiply(D, E, out=E), 0, out=swapped)
            size_of_D += EDGE
            np.copyto(bin, np.minimum(size_of_D, bins - 1, out=size_of_D), casting="unsafe")
            bin += bin
            bin += swapped
            cells[m] += np.bincount(bin.ravel(), minlength=2 * bins)
            of_pairs[(*m, at)] = count_true(swapped) / trials
    kept, swaps = cells.reshape(*lead, bins, 2)[..., 0], cells.reshape(*lead, bins, 2)[..., 1]
    return Swap(kept + swaps, swaps, of_pairs, highest)


def required(swap: Swap, *, threshold: float = 0.05) -> Required:
    """The difference from which on the swap rate stays within `threshold` (S07r Tables 2-4); bins without a comparison are passed over."""
    check_share("threshold", threshold)
    rate, held = swap.rate, swap.comparisons > 0
    # from the last bin down: as long as nothing above is over the threshold
    within = np.logical_and.accumulate((~held | (np.nan_to_num(rate) <= threshold))[..., ::-1], axis=-1)[..., ::-1] & held
    any_bin = within.any(axis=-1)
    difference = np.where(any_bin, swap.edges[within.argmax(axis=-1)], np.nan)
    sensitivity = (swap.comparisons * within).sum(axis=-1) / swap.comparisons.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Required(difference, difference / swap.highest, sensitivity)
