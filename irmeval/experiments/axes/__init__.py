"""What can be taken away, one axis a file. New files in this folder are found
automatically and are last, with those of other packages.
"""

from importlib import import_module
from pkgutil import iter_modules

from irmeval.core import registry
from irmeval.experiments.axes.base import AXES, Axis, Trial
from irmeval.experiments.axes.by_lines import GAINS

for _found in iter_modules(__path__, f"{__name__}."):
    import_module(_found.name)

AXES.arrange("judgments", "depth", "teams", "topics", "care")
# ``by`` takes the names of axes, of their choices and of gain maps alike
_choices = (one.own for one in AXES.values())
registry.load("irmeval.axes", AXES, taken={GAINS}.union(*_choices))

__all__ = ["AXES", "Axis", "Trial"]
