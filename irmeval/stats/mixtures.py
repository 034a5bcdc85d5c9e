"""Variation of an order of systems if any topic may have another judge (Voorhees 2000),
and the groups of systems that a judge favours.
"""

from typing import NamedTuple

import numpy as np

from irmeval.stats.blocks import ROOM, ROWWISE, fit, rows_multiple_of_8, slices
from irmeval.stats.means import mean_of_known, tied
from irmeval.stats.significance import holm


class Mixed(NamedTuple):
    """Means and orders of systems over random mixtures of judges."""

    means: np.ndarray
    """float64 [mixture, system]"""
    tau: np.ndarray
    """float64 [mixture], tau-b of each with the order by the first judge"""
    between: np.ndarray
    """float64 [mixture (mixture - 1) / 2], tau-b of every two mixtures"""
    swapped: np.ndarray
    """float64 [pair], share of the mixtures that order two systems differently from the
    first judge
    """

    def spread(self) -> np.ndarray:
        """Mean, 5th and 95th percentile of the taus between mixtures [3]; NaN where all
        are undefined.
        """
        known = self.between[np.isfinite(self.between)]
        return (
            np.array([known.mean(), *np.percentile(known, [5, 95])])
            if known.size
            else np.full(3, np.nan)
        )


def mixtures(scores: np.ndarray, mixtures: int, seed: int) -> Mixed:
    """Means of systems where the judge of each topic is drawn uniformly at random;
    scores float64 [judge, system, topic], finite.

    Pairs of systems are in the order of ``np.triu_indices(systems, 1)``. Tau is NaN
    where an order is all ties.
    """
    judges, systems, topics = scores.shape
    rng = np.random.default_rng(seed)
    means = np.empty((mixtures, systems))
    for at in slices(mixtures, rows_multiple_of_8(topics, ROOM)):
        drawn = rng.integers(judges, size=(at.stop - at.start, topics))
        means[at] = sum((drawn == j) @ scores[j].T for j in range(judges)) / topics
    a, b = np.triu_indices(systems, 1)
    # near ties are one tie, in every order that is compared
    first, tied_means = tied(mean_of_known(scores[0])), tied(means)
    order = np.sign(first[a] - first[b]).astype(np.float32)
    signs, swapped = np.empty((mixtures, a.size), np.float32), np.zeros(a.size, np.int64)
    for at in slices(mixtures, max(1, fit(ROWWISE) // max(a.size, 1))):
        # single precision holds -1, 0 and 1, and products of thousands of them, exactly
        signs[at] = np.sign(tied_means[at][:, a] - tied_means[at][:, b])
        swapped += np.count_nonzero(signs[at] * order < 0, axis=0)
    untied = np.count_nonzero(signs, axis=-1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = (signs @ order) / np.sqrt(untied * np.count_nonzero(order))
        alike = (signs @ signs.T)[np.triu_indices(mixtures, 1)] / np.sqrt(
            np.outer(untied, untied)[np.triu_indices(mixtures, 1)]
        )
    return Mixed(means, tau, alike, swapped / mixtures)


class GroupGains(NamedTuple):
    """Gain of each group of systems compared with the others."""

    change: np.ndarray
    """float64 [group], the mean change of its systems"""
    difference: np.ndarray
    """float64 [group], `change` less the mean change of all others; NaN where there are
    none
    """
    p: np.ndarray
    """float64 [group], two-sided; NaN where there is no difference"""
    adjusted: np.ndarray
    """float64 [group], p corrected by Holm over the groups"""


def compare_groups(
    change: np.ndarray, group: np.ndarray, groups: int, samples: int, seed: int
) -> GroupGains:
    """Test by permutation whether the systems of a group gain more than others, from
    the change of each system, float64 [system].

    `group` int [system] is the group of each. p is (1 + permutations whose difference
    is at least as far from 0) / (1 + samples).
    """
    member = (group[:, None] == np.arange(groups)).astype(np.float64)
    size = member.sum(axis=0)
    n, total = change.size, change.sum()

    def differences(sums: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(size == n, np.nan, sums / size - (total - sums) / (n - size))

    observed = differences(change @ member)
    rng = np.random.default_rng(seed)
    # a permutation that gives the observed groups again counts, whatever its rounding
    slack = 1e-12 * max(float(np.abs(change).max(initial=0)), 1e-300)
    hits = np.zeros(groups, np.int64)
    for at in slices(samples, rows_multiple_of_8(n)):
        others = differences(
            rng.permuted(np.broadcast_to(change, (at.stop - at.start, n)), axis=1) @ member
        )
        hits += (np.abs(others) >= np.abs(observed) - slack).sum(axis=0)
    p = np.where(np.isnan(observed), np.nan, (1 + hits) / (1 + samples))
    return GroupGains(
        change @ member / size,
        observed,
        p,
        np.where(np.isnan(p), np.nan, holm(np.nan_to_num(p, nan=1.0))),
    )


class DecisionCounts(NamedTuple):
    """Numbers of pairs of systems by whether each of two judges finds a significant
    difference, and whether the directions agree.
    """

    both: int
    first_only: int
    second_only: int
    opposed: int
    neither: int


def count_decisions(first: np.ndarray, second: np.ndarray) -> DecisionCounts:
    """Count the decisions of two judges [pair]: 1 if the first system is significantly
    better, -1 if the second is, else 0.
    """
    a, b = first != 0, second != 0
    counted = first * second > 0, a & ~b, ~a & b, first * second < 0, ~a & ~b
    return DecisionCounts(*(int(pairs.sum()) for pairs in counted))
