"""Comparisons of all systems with the best one, which is picked by the same scores."""

from collections.abc import Iterator

import numpy as np

from irmeval.stats.blocks import ROOM, count_true, map_blocks, product, rows_multiple_of_8, slices
from irmeval.stats.bootstrap import ROUNDING
from irmeval.stats.means import mean_of_known, tied
from irmeval.stats.pairs import Differences, Pairs, by_rows, check_count, check_scores

AT_ONCE = 256
"""Samples that a worker handles at once: few enough for a processor's cache. No number depends on it."""
METHOD = "max-t over all pairs"
MEANING = (
    "Max-t over all pairs. The best run is picked by the scores that test it, so a test for a baseline named beforehand would find "
    "too many differences. Here the t of a run and the best is compared with the largest t of all pairs of runs, while the signs of the "
    "topics' differences are drawn at random. By a measure with the same best run, runs that differ from it more are left out of the "
    "pairs. Source: Westfall & Young 1993, ch. 2; all pairs as in Carterette 2012."
)


def compare_with_best(scores: np.ndarray, best: int, *, samples: int = 1000, seed: int = 1) -> Pairs:
    """Difference of every system from the one picked as the best, and two-sided p-value, each [systems], from scores [systems, topics].

    With z the differences of a pair, a sample flips the signs of topics, the same for all pairs, and computes \\|sum(z)\\| / sqrt(sum(z z))
    for each pair, which grows with t. The p of a system is the share of samples, (hits + 1) / (samples + 1), whose largest value over all
    pairs is at least that of the system and the best. So p is adjusted: the chance of even one false difference from the best is at most
    alpha, whichever was picked. Where the one picked has the highest mean, the pairs are those among it and the systems that differ from it
    no more than the system in question (step-down; `benchmarks/coverage.py` shows that the chance is at most alpha here too). The best
    itself has difference 0 and no p (NaN).

    Raises `ParamError` for scores that are not finite, or fewer than two systems or topics, or samples below 1.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.1, 0.2, 0.3, 0.4, 0.1, 0.2], [0.4, 0.5, 0.7, 0.6, 0.4, 0.4], [0.4, 0.5, 0.6, 0.7, 0.5, 0.3]])
    >>> found = compare_with_best(scores, best=1)
    >>> found.difference.round(2).tolist(), (found.p < 0.05).tolist()
    ([-0.28, 0.0, 0.0], [True, False, False])
    """
    scores, n = check_scores(scores), check_count("samples", samples)
    systems, topics = scores.shape
    order = np.array([best, *np.delete(np.arange(systems), best)])
    z = Differences(scores[order])
    length = by_rows(lambda z: np.sqrt(topics * np.einsum("ij,ij->i", z, z)), z, quick=True)
    scale = np.zeros((systems, systems))
    scale[np.triu_indices(systems, 1)] = np.divide(1, length, out=np.zeros(len(z)), where=length > 0)
    scale += scale.T
    observed = np.abs(z[: systems - 1].sum(axis=1)) * scale[0, 1:]
    nearest = [0, *1 + np.argsort(observed, kind="stable")]
    order, scale = order[nearest], scale[np.ix_(nearest, nearest)]
    bound = np.sort(observed)[:, None] - ROUNDING
    x, means = scores[order] - scores[best], tied(mean_of_known(scores))
    stepped = means[best] == means.max()

    def hits(lots: Iterator[np.ndarray]) -> np.ndarray:
        found = np.zeros(len(bound), np.int64)
        for signs in lots:
            sums = product(x, signs, out=np.empty((systems, signs.shape[1])))
            largest, room = np.empty((len(bound), signs.shape[1])), np.empty_like(sums)
            for k in range(1, systems):
                of_pairs = np.subtract(sums[:k], sums[k], out=room[:k])
                of_pairs *= scale[k, :k, None]
                np.maximum(of_pairs.max(axis=0), -of_pairs.min(axis=0), out=largest[k - 1])
            np.maximum.accumulate(largest, axis=0, out=largest)
            found += count_true((largest if stepped else largest[-1:]) >= bound)
        return found

    rng, found = np.random.default_rng(seed), np.zeros(len(bound), np.int64)
    for some in slices(n, rows_multiple_of_8(topics, ROOM)):
        signs = (1.0 - 2 * rng.integers(2, size=(some.stop - some.start, topics))).T
        found += sum(map_blocks(hits, [signs[:, at] for at in slices(signs.shape[1], AT_ONCE)]))
    p = np.full(systems, np.nan)
    p[order[1:]] = np.maximum.accumulate((found[::-1] + 1) / (n + 1))[::-1]
    return Pairs(means - means[best], p)
