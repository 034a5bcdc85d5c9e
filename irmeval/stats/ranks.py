"""Rank intervals: the ranks that systems may have, given which pairs of them differ significantly."""

from typing import NamedTuple

import numpy as np

from irmeval.stats.corrections import adjust
from irmeval.stats.defaults import CORRECTION, TEST
from irmeval.stats.pairs import Pairs, check_share
from irmeval.stats.significance import compare, name_method

RANKED = (
    f"Groups: runs that share a letter do not differ significantly ({name_method(TEST, CORRECTION)}, over all pairs), nor do any runs "
    "between them. Two runs that share no letter may still not differ: Matrix has the test of each pair. Ranks, by the same test: from 1 "
    "plus the number of significantly better runs to the number of all runs minus the significantly worse ones; in about 95 of 100 cases "
    "the ranks of all runs lie within. Source: Al Mohamad, Goeman & van Zwet 2022; Piepho 2004."
)
"""The explanation of rank intervals and groups."""


class Ranks(NamedTuple):
    """The ranks that each system may have, int [systems], 1 is the best."""

    low: np.ndarray
    """Best rank: 1 + the number of significantly better systems."""
    high: np.ndarray
    """Worst rank: the number of systems that are not significantly worse."""
    alike: np.ndarray
    """bool [systems, systems]: whether two systems do not differ significantly."""


def rank_intervals(pairs: Pairs, *, alpha: float = 0.05) -> Ranks:
    """Rank intervals from the difference and p of every pair of systems, each [pairs] (Al Mohamad, Goeman & van Zwet 2022).

    The p-values must be corrected by Holm or Bonferroni, so that the chance of even one false difference, or one in the wrong direction,
    is at most alpha. Then all true ranks lie within their intervals at once with a chance of at least 1 - alpha. The true ranks of equally
    good systems are all those that they share. `benchmarks/coverage.py` (ranks) measures the chance.

    Examples
    --------
    >>> import numpy as np
    >>> found = rank_intervals(Pairs(np.array([0.1, 0.3, 0.2]), np.array([0.2, 0.01, 0.04])))
    >>> found.low.tolist(), found.high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    systems = (1 + int(np.sqrt(1 + 8 * pairs.p.size))) // 2
    above = np.zeros((systems, systems), np.int8)
    above[np.triu_indices(systems, 1)] = np.sign(pairs.difference) * (pairs.p < check_share("alpha", alpha))
    above -= above.T
    return Ranks(1 + (above < 0).sum(axis=1), systems - (above > 0).sum(axis=1), above == 0)


def rank_runs(values: np.ndarray, *, alpha: float = 0.05) -> Ranks:
    """Rank intervals of systems from their scores [systems, topics], on the topics without a NaN: every pair is tested by the paired t test
    with Holm's correction. With fewer than two systems or topics, a system may have any rank."""
    scores, systems = values[:, ~np.isnan(values).any(axis=0)], len(values)
    if min(scores.shape) < 2:
        return Ranks(np.ones(systems, np.int64), np.full(systems, systems), np.ones((systems, systems), bool))
    pairs = compare(scores, TEST)
    return rank_intervals(Pairs(pairs.difference, adjust(pairs.p, CORRECTION)), alpha=alpha)
