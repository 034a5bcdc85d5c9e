"""How two orders of the runs are compared."""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from irmeval.params import Param
from irmeval.registry import Registry
from irmeval.stats.correlation import rbo, spearman, tau_a, tau_ap, tau_b


class Correlation(NamedTuple):
    """A rank correlation, and whether Kendall's critical value applies to it."""

    label: str
    meaning: str
    compute: Callable[[np.ndarray, np.ndarray], np.ndarray]
    kendall: bool = False


CORRELATIONS: Registry[Correlation] = Registry("correlation")
for _name, _found in {
    "tau_b": Correlation("Kendall's tau", "pairs of runs in the same order less those in the other, ties accounted for", tau_b, True),
    "tau_a": Correlation("Kendall's tau-a", "the same over all pairs, as Bompada et al. have it", tau_a, True),
    "tau_ap": Correlation(
        "tau AP", "disorder near the top weighs most; the second order (the column, the full judgments) is taken as right", tau_ap
    ),
    "spearman": Correlation("Spearman's rho", "correlation of the ranks", spearman),
    "rbo": Correlation("RBO (p .9)", "overlap of the top ranks, from 0 to 1", rbo),
}.items():
    CORRELATIONS.add(_name, _found)

Correlate = Annotated[
    str, Param("correlation", " ".join(f"{name}: {c.meaning}." for name, c in CORRELATIONS.items()), choices=tuple(CORRELATIONS))
]
