"""What can be watched as something disappears, one statistic a file. New files in this
folder are found automatically and are last, with those of other packages.
"""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.experiments.watched.base import STATISTICS, Statistic

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

STATISTICS.arrange("mean", "order", "pairs", "decisions", "winner", "judged", "kappa")
registry.load("irmeval.statistics", STATISTICS)

__all__ = ["STATISTICS", "Statistic"]
