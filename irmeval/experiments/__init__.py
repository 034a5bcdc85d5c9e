"""Experiments: one file each, in the folder of its menu section. The index tells where
each is, so that it is imported when it is asked for; new files are found automatically.

>>> from irmeval.experiments import EXPERIMENTS
>>> EXPERIMENTS["top-heaviness"](measures=["AP", "RBP(p=0.8)"]).values.shape
(2, 20, 2)
"""

from importlib import import_module
from pkgutil import walk_packages

from irmeval.core import registry
from irmeval.core.index import COMMANDS, EXPERIMENT_FILES
from irmeval.experiments.base import EXPERIMENTS, Experiment, Work
from irmeval.experiments.results import Chart, Result, Table
from irmeval.experiments.story import ORDER, RESERVED


def _load_rest() -> None:
    """Import the files that are not in the index, and those of other packages."""
    for found in walk_packages(__path__, f"{__name__}."):
        if found.name not in EXPERIMENT_FILES:
            import_module(found.name)
    registry.load("irmeval.experiments", EXPERIMENTS, taken=RESERVED)


EXPERIMENTS.load_late(
    _load_rest,
    {name: each.module for name, each in COMMANDS.items() if each.module in EXPERIMENT_FILES},
    lambda name: import_module(COMMANDS[name].module),
)
EXPERIMENTS.arrange(*ORDER)

__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "Table", "Work"]
