"""The metrics, one file per family. New files in this folder, and metrics of other
packages, are found automatically.
"""

from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.metrics.base import METRICS, Measure, Metric, at_least_one, distinct, measure
from irmeval.reading.design import Design

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

METRICS.load_late(partial(registry.load, "irmeval.metrics", METRICS))

DEFAULT = ("AP", "nDCG@10", "P@10", "RR")
"""Default measures: those of most papers."""
ESTIMATORS = {
    True: ("xinfAP", "statNDCG@10", "statP@10"),
    False: ("statAP", "statNDCG@10", "statP@10"),
}
"""Estimators of the first three measures on a sample, by whether documents of a stratum
have equal probabilities, as the inferred ones require.
"""


def default_measures(design: Design | None) -> tuple[str, ...]:
    """Default measures for judgments of this design: `DEFAULT`, on a sample after their
    estimators.
    """
    return DEFAULT if design is None else (*ESTIMATORS[design.alike], *DEFAULT)


__all__ = [
    "DEFAULT",
    "ESTIMATORS",
    "METRICS",
    "Measure",
    "Metric",
    "at_least_one",
    "default_measures",
    "distinct",
    "measure",
]
