"""Experiments: one file each, in the folder of its menu section. The index tells where
each is, so that it is imported when it is asked for; new files are found automatically.

>>> from irmeval.experiments import EXPERIMENTS
>>> EXPERIMENTS["top-heaviness"](measures=["AP", "RBP(p=0.8)"]).values.shape
(2, 20, 2)
"""

from irmeval.core.lazy import late
from irmeval.experiments.registered import EXPERIMENTS

_MODULES = {
    "Chart": "irmeval.experiments.results",
    "Experiment": "irmeval.experiments.base",
    "Result": "irmeval.experiments.results",
    "Table": "irmeval.experiments.results",
    "Work": "irmeval.experiments.base",
}
"""Where its classes are, which are imported at their first use: for names alone they
are not needed.
"""
__getattr__ = late(__name__, _MODULES)
__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "Table", "Work"]
