"""The metrics, one file per family; a new file is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.metrics.base import METRICS, Measure, Metric, distinct, measure

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

__all__ = ["METRICS", "Measure", "Metric", "distinct", "measure"]
