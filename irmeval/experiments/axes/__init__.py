"""What can be taken away, one axis a file. New files in this folder are found
automatically and are last.
"""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.experiments.axes.base import AXES, Axis, Trial

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

AXES.arrange("judgments", "depth", "teams", "topics", "care")

__all__ = ["AXES", "Axis", "Trial"]
