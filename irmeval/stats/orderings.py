"""Correlations of orders of the pairs of systems by different measures of certainty."""

from collections.abc import Sequence

import numpy as np

from irmeval.stats.correlation import tau_of_long
from irmeval.stats.significance import APART, compare
from irmeval.stats.stability import stability
from irmeval.stats.swap import swap

MINORITY = "minority rate"
"""Name of the minority rate."""
SWAP = "swap rate"
"""Name of the swap rate."""
ORDERINGS = (*APART, MINORITY, SWAP)


def compare_orderings(
    values: np.ndarray,
    which: Sequence[str] = ORDERINGS,
    *,
    fuzziness: float,
    size: int | None,
    sets: int,
    samples: int,
    seed: int,
) -> np.ndarray:
    """Kendall's tau-b between orders of the pairs of systems [ordering, ordering], from scores [system, topic].

    Pairs are ordered by the p of each test with `samples`, by minority rate at `fuzziness`, and by swap rate; both rates over `sets` topic
    sets of a `size`. NaN where an ordering ties all pairs, and for orderings that `which` lacks.
    """
    unsure = {test: compare(values, test, samples=samples, seed=seed).p for test in APART if test in which}
    if MINORITY in which:
        unsure[MINORITY] = stability(values, size=size, sets=sets, seed=seed, fuzziness=(fuzziness,)).minority_of_pairs[0]
    if SWAP in which:
        unsure[SWAP] = swap(values, size=size, trials=sets, seed=seed).of_pairs
    tau = np.full((len(ORDERINGS), len(ORDERINGS)), np.nan)
    asked = [i for i, ordering in enumerate(ORDERINGS) if ordering in unsure]
    tau[np.ix_(asked, asked)] = tau_of_long([unsure[ORDERINGS[i]] for i in asked])
    return tau
