"""The metrics, one file per family. A new file in this folder is found without being listed, and so is what other packages add."""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import plugins
from irmeval.metrics.base import METRICS, Measure, Metric, distinct, measure

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

plugins.load("irmeval.metrics", METRICS)

DEFAULT = ("AP", "nDCG@10", "P@10", "RR")
"""The measures where none is named: those of most papers."""

__all__ = ["DEFAULT", "METRICS", "Measure", "Metric", "distinct", "measure"]
