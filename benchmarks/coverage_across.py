"""How often intervals of a mean effect over collections hold the true mean.
``coverage.py across`` prints the table.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.coverage import Row, share
from irmeval.stats.anova import pool_effects
from irmeval.stats.intervals import student_quantile

TRUTH, ERROR, FREEDOM = 0.1, 0.03, 14
"""The true mean, a usual standard error within a collection, and the degrees of freedom
by which that is known.
"""


def across(trials: int) -> Iterator[Row]:
    """How often each 95% interval holds the true mean effect of .1, by deviation
    between collections and number of collections; half of its width in typical errors
    (median); and how often no difference between collections is seen. True effects are
    normal about .1, and their standard deviation is given in typical errors within a
    collection. Errors within collections differ up to four times, and are estimated.
    """
    for between in (0.0, 0.5, 1.0, 2.0, 5.0):
        for collections in (2, 3, 5, 10):
            rng = np.random.default_rng([collections, int(10 * between)])
            held, half, none = np.zeros(3, int), np.empty((trials, 3)), 0
            t = student_quantile(0.95, collections)
            for trial in range(trials):
                error = ERROR * np.exp(rng.uniform(np.log(0.5), np.log(2), collections))
                effect = TRUTH + rng.normal(0, between * ERROR, collections) + rng.normal(0, error)
                known = error * np.sqrt(rng.chisquare(FREEDOM, collections) / FREEDOM)
                found = pool_effects(effect, known)
                normal = 1.96 / np.sqrt((1 / (known**2 + found.between**2)).sum())
                plain = t * np.sqrt(found.weights @ (effect - found.mean) ** 2 / (collections - 1))
                half[trial] = normal, plain, found.high - found.mean
                held += np.abs(found.mean - TRUTH) <= half[trial]
                none += found.between == 0
            wide = [f"{value:.1f}" for value in np.median(half, axis=0) / ERROR]
            named = zip(("normal", "Hartung & Knapp", "irmeval"), held, wide, strict=True)
            row: dict[str, object] = {
                "between, in errors": f"{between:g}",
                "collections": collections,
            }
            row |= {name: f"{share(int(hits), trials)}; {width}" for name, hits, width in named}
            yield row | {"none seen between": f"{none / trials:.0%}"}


SIMULATIONS = {"across": across}
