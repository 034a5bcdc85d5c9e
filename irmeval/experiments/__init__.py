"""Experiments: one file each, in the folder of its menu section; new files are found
automatically.

>>> from irmeval.experiments import EXPERIMENTS
>>> EXPERIMENTS["top-heaviness"](measures=["AP", "RBP(p=0.8)"]).values.shape
(2, 20, 2)
"""

from importlib import import_module
from pkgutil import walk_packages

from irmeval.core import registry
from irmeval.experiments.base import EXPERIMENTS, Experiment, Work
from irmeval.experiments.results import Chart, Result, Table
from irmeval.experiments.story import ORDER, RESERVED

for _found in walk_packages(__path__, f"{__name__}."):
    import_module(_found.name)

EXPERIMENTS.arrange(*ORDER)
registry.load("irmeval.experiments", EXPERIMENTS, taken=RESERVED)

__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "Table", "Work"]
